"""What the tests of grading share: a small key made by hand, submissions, and shared sandboxes."""

import functools
import json
import os
import time

import nbformat
import numpy as np
import pytest

from classroom.grading import Grade, grade
from classroom.key import Key, KeyProbe, KeyTask, KeyWrong
from classroom.sandbox import Sandbox, Session, bubblewrap_problem

MADE_WITH = {"tensorflow": "2.21.0", "keras": "3.15.1", "numpy": "2.2.6"}

SLOPE_STUB = '''# TASK: slope
def slope(x: tf.Tensor) -> tf.Tensor:
    """Gradient of `sum(x**2)`."""
    raise NotImplementedError("your turn")'''
SLOPE = """# TASK: slope
def slope(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x**2
    return tape.gradient(y, x)"""

COUNT_STUB = '''# TASK: count
def count(words: list[str]) -> int:
    """How many words there are."""
    raise NotImplementedError("your turn")'''
COUNT = """# TASK: count
def count(words):
    return len(words)"""

SETUP = "import tensorflow as tf\n\nfrom classroom import check, hint"


def tensor(*numbers: float) -> dict:
    """The observation of a vector of float32, written down without our observer."""
    values = [float(np.float32(number)).hex() for number in numbers]
    return {"kind": "tensor", "shape": [len(values)], "dtype": "float32", "values": values}


def slope_probe(group: str, *numbers: float) -> KeyProbe:
    program = f"import tensorflow as tf\ndef arguments():\n    return (tf.constant({numbers!r}),)"
    expected = tensor(*(2 * number for number in numbers))  # the derivative of x**2, by hand
    return KeyProbe(f"{len(numbers)} numbers", group, 1e-5, 1e-6, program, None, expected)


def count_probe(group: str, *words: str) -> KeyProbe:
    program = f"def arguments():\n    return ({list(words)!r},)"
    expected = {"kind": "int", "value": len(words)}
    return KeyProbe(f"{len(words)} words", group, 1e-5, 1e-6, program, None, expected)


SLOPE_TASK = KeyTask(
    name="slope",
    slug="unwatched_tensor",
    title="Gradient of sum(x**2)",
    points=10.0,
    kind="write",
    stub=SLOPE_STUB,
    setup=(SETUP,),
    files={},
    probes=(slope_probe("public", 1.0, 2.0), slope_probe("hidden", 3.0, -0.5, 7.25)),
    wrong=(
        KeyWrong(
            why="You returned the values instead of the derivative.",
            do="Return `tape.gradient(y, x)`.",
            cause=None,
            idea="the values instead",
            observations=(tensor(1.0, 4.0), tensor(9.0, 0.25, 52.5625)),
        ),
    ),
)
COUNT_TASK = KeyTask(
    name="count",
    slug="unwatched_tensor",
    title="How many words there are",
    points=5.0,
    kind="write",
    stub=COUNT_STUB,
    setup=(SETUP,),
    files={},
    probes=(
        count_probe("public", "one", "two"),
        count_probe("hidden", "a", "b", "c", "d", "e"),
        count_probe("hidden", *"seventeen letters"),
    ),
    wrong=(),
)
KEY = Key(title="Two tasks", made_with=MADE_WITH, due=None, tasks=(SLOPE_TASK, COUNT_TASK))


def notebook(*sources: str, minor: int = 5, metadata: dict | None = None, ids=()) -> bytes:
    """A notebook of code cells, in format 4 with this minor version."""
    cells = []
    for number, source in enumerate(sources):
        cell = {"cell_type": "code", "source": source, "metadata": {}, "outputs": []}
        cell["execution_count"] = None
        if minor >= 5:
            cell["id"] = ids[number] if number < len(ids) else f"cell-{number}"
        cells.append(cell)
    form = {"nbformat": 4, "nbformat_minor": minor, "metadata": metadata or {}, "cells": cells}
    nbformat.validate(nbformat.from_dict(form))
    return json.dumps(form).encode()


def answer(body: str, task: str = "count", arguments: str = "words") -> str:
    """The cell of a task with this body."""
    lines = "\n".join("    " + line for line in body.splitlines())
    return f"# TASK: {task}\ndef {task}({arguments}):\n{lines}"


def needs_sandbox() -> None:
    """Skip with a reason where there is no bubblewrap; in CI there must be one."""
    problem = bubblewrap_problem()
    if problem and not os.environ.get("CI"):
        pytest.skip(f"no bubblewrap: {problem}")


class Shared(Sandbox):
    """A cold sandbox whose one start serves many submissions.

    Every job is still a forked process of its own, after which everything else is killed: only
    the import of TensorFlow is shared. A lost session is begun again.
    """

    shared: Session | None = None

    def session(self) -> Session:
        if self.shared is None:
            self.shared = super().session()
        held, lent = self.shared, object.__new__(Lent)
        vars(lent).update(vars(held), end=None, of=self)
        return lent

    def close(self) -> str:
        if self.shared:
            self.shared.close()
            self.shared = None
        return super().close()


class Lent(Session):
    """A session that gives itself back; one that failed is ended."""

    of: Shared

    def ask(self, job: dict, seconds: float):
        try:
            return super().ask(job, seconds)
        except Exception:
            self.of.close()
            raise


@functools.cache
def shared_sandbox() -> Shared:
    return Shared()


def grade_it(*cells: str, key: Key = KEY, sandbox: Sandbox | None = None, **options) -> Grade:
    """Grade a notebook of these cells, after the setup cell, in the shared sandbox."""
    data = notebook(SETUP, *cells, **options)
    return grade(data, "exercise.ipynb", key, sandbox or shared_sandbox())


def points(grade: Grade) -> dict[str, float]:
    assert grade.state == "graded", grade.reason
    return {task.name: task.points for task in grade.tasks}


def rights(grade: Grade, task: str, group: str) -> list[bool]:
    (found,) = [one for one in grade.tasks if one.name == task]
    return [probe.right for probe in found.probes if probe.group == group]


def running_with(mark: str) -> list[str]:
    """The command lines of the processes on this machine that hold this text."""
    found = []
    for folder in os.scandir("/proc"):
        if folder.name.isdigit() and int(folder.name) != os.getpid():
            try:
                with open(f"/proc/{folder.name}/cmdline") as file:
                    line = file.read().replace("\0", " ")
            except OSError:
                continue
            if mark in line:
                found.append(line)
    return found


def eventually_none(mark: str, seconds: float = 5.0) -> bool:
    """Whether no process with this mark in its command line is left, after a moment."""
    deadline = time.monotonic() + seconds
    while running_with(mark):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True
