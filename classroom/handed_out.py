"""The tasks of an assignment, read from `tasks.json`. In a student's zip this file is spec.py."""

import __future__

import json
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any

from classroom.messages import Stop
from classroom.stubs import compile_cell
from classroom.task import Probe, Task
from classroom.variants import arguments_of

FILE = Path(__file__).with_name("tasks.json")


@cache
def load_tasks(file: Path = FILE) -> list[Task]:
    """The assignment's tasks: stubs, hints and public probes; no reference and no values."""
    return [task_of(entry) for entry in json.loads(file.read_text(encoding="utf-8"))["tasks"]]


def find_task(name: str) -> Task:
    """The task of this name.

    Raises:
        Stop: the assignment has no such task.
    """
    tasks = load_tasks()
    for task in tasks:
        if task.name == name:
            return task
    known = ", ".join(task.name for task in tasks)
    raise Stop(f"`{name}` is no task of this assignment. Its tasks: {known}.")


def task_of(entry: dict[str, Any]) -> Task:
    function = stub_function(entry["stub"], entry["name"])
    return Task(
        function=function,
        kind=entry["kind"],
        minutes=entry["minutes"],
        points=0,  # check says right or wrong; points are given when the assignment is graded
        probes=[probe_of(probe) for probe in entry["probes"]],
        hints=tuple(entry["hints"]),
        right=[],
        wrong=[],
        start=function if entry["kind"] == "repair" else None,
        slug=entry["slug"],
        read=entry["read"],
    )


def probe_of(entry: dict[str, Any]) -> Probe:
    arguments = partial(arguments_of, entry["program"], entry["vary"])
    return Probe(entry["label"], arguments, entry["rtol"], entry["atol"], entry["sealed"])


def stub_function(source: str, name: str) -> Callable:
    """The function that a stub's cell defines; its annotations are not looked up."""
    flags = __future__.annotations.compiler_flag
    namespace: dict[str, Any] = {}
    exec(compile_cell(source, name, f"{name} as handed out", flags), namespace)
    return namespace[name]
