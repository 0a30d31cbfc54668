"""Makes the key of a task: each probe cut out, varied, answered, and the bank tried on it."""

import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from types import FunctionType
from typing import Any

import keras
import numpy as np
import tensorflow as tf

from classroom import judge
from classroom.bounded import observe_call
from classroom.checking import inside_folder
from classroom.key import KeyProbe, KeyTask, KeyWrong, encode_file
from classroom.masters import Master
from classroom.messages import Stop
from classroom.observation import Observation, is_numeric, numbers
from classroom.observe import observe
from classroom.programs import probe_program, same_code, support_files
from classroom.spec import Probe, Task
from classroom.stubs import stub
from classroom.variants import arguments_of, seed_of

TRIES = 6  # seeds for one variation; then the probe stays without one
SECONDS = 60.0  # for one call of one of our own answers
DEEPEST = 8  # levels at which two arguments are compared


def make_task(
    master: Master, task: Task, answers: set[tuple[str, str]], secret: str, student: str = ""
) -> KeyTask:
    """The key of one task: public probes, their hidden twins, what the bank gives on each.

    Args:
        master: the exercise that the task belongs to.
        task: the task.
        answers: pairs of a module and a name that this assignment must not hand out.
        secret: what the numbers are drawn with.
        student: with a name, the public numbers are varied too.

    Raises:
        Stop: a probe cannot be cut out, or makes other arguments when it is; or the bank does
            not behave as it should. The message names the probe or the answer.
    """
    public, hidden = [], []
    with inside_folder(master.folder):
        for index, probe in enumerate(task.probes):
            plain = plain_probe(probe, task, "public")
            names = (secret, student, task.name, index)
            own = variation(plain, task, (*names, "public")) if student else None
            public.append(own or plain)
            twin = variation(plain, task, (*names, "hidden"), unlike=public[-1].expected)
            hidden += [replace(twin, group="hidden")] if twin else []
        hidden += [plain_probe(probe, task, "hidden") for probe in task.hidden]
        probes = tuple(public + hidden)
        require_right_answers(task, probes)
        wrong = tuple(wrong_of(task, index, probes) for index in range(len(task.wrong)))
    cells = [(f"{master.slug}: a cell of the exercise", cell) for cell in master.setup]
    codes = [(named(probe.label, task), probe.program) for probe in probes]
    data = {path: encode_file(content) for path, content in master.data().items()}
    return KeyTask(
        name=task.name,
        slug=master.slug,
        title=task.goal,
        points=float(task.points),
        kind=task.kind,
        stub=stub(task),
        setup=tuple(master.setup),
        files={**data, **support_files(cells + codes, answers)},
        probes=probes,
        wrong=wrong,
    )


def made_with() -> dict[str, str]:
    """The versions that the expected values come from."""
    return {
        "tensorflow": tf.__version__,
        "keras": keras.__version__,
        "numpy": np.__version__,
    }


def plain_probe(probe: Probe, task: Task, group: str) -> KeyProbe:
    """A probe with the numbers that its author wrote.

    Raises:
        Stop: its program makes other arguments than the probe itself.
    """
    where = named(probe.label, task)
    program = checked_program(probe, task)
    expected = observe_call(task.function, arguments_of(program), SECONDS)
    if expected.get("type") == "NotImplementedError":
        raise Stop(f"{where}: the reference is still a stub. Write it first.")
    if expected["kind"] == "other":
        raise Stop(f"{where}: the reference returned {expected['type']}, which cannot be compared.")
    again = observe_call(task.function, probe.arguments(), SECONDS)
    if not judge.same(expected, again, probe.rtol, probe.atol):
        raise Stop(
            f"{where}: the reference gives another result each time. Set its numbers by hand."
        )
    return KeyProbe(probe.label, group, probe.rtol, probe.atol, program, None, expected)


def named(label: str, task: Task) -> str:
    return f"{task.slug}: the probe “{label}” of `{task.name}`"


def checked_program(probe: Probe, task: Task) -> str:
    program = probe_program(probe, task)
    where = named(probe.label, task)
    try:
        keras.utils.set_random_seed(1)  # weights that the author left to chance
        cut = arguments_of(program)
        keras.utils.set_random_seed(1)
        whole = probe.arguments()
    except Exception as error:
        said = f"{type(error).__name__}: {error}"
        raise Stop(f"{where} does not run by itself: {said}\n\n{program}") from error
    if not alike(cut, whole):
        raise Stop(f"{where} makes other arguments when it stands alone:\n\n{program}")
    return program


def variation(
    plain: KeyProbe, task: Task, names: tuple, unlike: Observation | None = None
) -> KeyProbe | None:
    """The probe with other numbers, on which our answers agree; None if there is none.

    A variation must give a result of the same kinds, shapes and dtypes, without NaN, but other
    values than `unlike` holds: else an answer that was only copied would be right on it.
    """
    for number in range(TRIES):
        # Half of the seeds leave labels alone: that is needed where these must stay one-hot.
        seed = seed_of(*names, number) // 2 * 2 + (number >= TRIES // 2)
        expected = seen(task.function, plain.program, seed)
        if outline(expected) != outline(plain.expected) or has_nan(expected):
            continue
        if unlike is not None and judge.same(unlike, expected, 10 * plain.rtol, 10 * plain.atol):
            continue
        close = (plain.rtol / 2, plain.atol / 2)
        if all(judge.same(expected, seen(f, plain.program, seed), *close) for f in task.right):
            return replace(plain, vary=seed, expected=expected)
    return None


def seen(answer: Callable, program: str, seed: int | None) -> Observation:
    return observe_call(answer, arguments_of(program, seed), SECONDS)


def outline(observed: Observation) -> Any:
    """Kinds, shapes, dtypes and structure, without the values."""
    if observed["kind"] == "sequence":
        return [outline(item) for item in observed["items"]]
    if observed["kind"] == "mapping":
        return {key: outline(item) for key, item in observed["items"].items()}
    return [observed["kind"], observed.get("type"), observed.get("shape"), observed.get("dtype")]


def has_nan(observed: Observation) -> bool:
    if observed["kind"] in ("sequence", "mapping"):
        items = observed["items"]
        return any(map(has_nan, items.values() if isinstance(items, dict) else items))
    return is_numeric(observed) and not np.isfinite(numbers(observed)).all()


def require_right_answers(task: Task, probes: Iterable[KeyProbe]) -> None:
    """Stop unless each right answer of the bank is right on each probe."""
    for probe in probes:
        for answer in task.right:
            got = seen(answer, probe.program, probe.vary)
            problem = judge.difference(probe.expected, got, probe.rtol, probe.atol)
            if problem:
                raise Stop(
                    f"{task.slug}: `{answer.__name__}` is said to be right for `{task.name}`, but "
                    f"on the probe “{probe.label}”: {problem}"
                )


def wrong_of(task: Task, index: int, probes: tuple[KeyProbe, ...]) -> KeyWrong:
    """A wrong answer of the bank, with what it gives.

    Raises:
        Stop: it is right on every public probe.
    """
    wrong = task.wrong[index]
    observations = tuple(
        without_counters(seen(wrong.answer, probe.program, probe.vary)) for probe in probes
    )
    if all(
        judge.same(probe.expected, got, probe.rtol, probe.atol)
        for probe, got in zip(probes, observations, strict=True)
        if probe.group == "public"
    ):
        raise Stop(
            f"{task.slug}: `{wrong.answer.__name__}` is said to be wrong for `{task.name}`, but "
            f"no public probe tells it from the reference. Add a probe that does."
        )
    return KeyWrong(wrong.why, wrong.do, wrong.cause, wrong.idea, observations)


def without_counters(observed: Observation) -> Observation:
    """An exception's message without numbers: Keras counts its layers, Python its addresses."""
    if observed["kind"] != "exception":
        return observed
    return {**observed, "message": re.sub(r"0x[0-9a-f]+|\d+", "#", observed["message"])}


def alike(one: Any, other: Any, depth: int = 0) -> bool:
    """Whether two arguments are the same question: equal numbers, weights, code, structure."""
    if one is other or depth > DEEPEST:
        return True
    if isinstance(one, FunctionType) and isinstance(other, FunctionType):
        inside = ((f.__closure__ or ()) for f in (one, other))
        cells = [[cell.cell_contents for cell in closure] for closure in inside]
        return same_code(one.__code__, other.__code__) and alike(*cells, depth + 1)
    if isinstance(one, keras.layers.Layer):
        return type(one).__name__ == type(other).__name__ and alike(
            list(one.weights), list(other.weights), depth + 1
        )
    if isinstance(one, (list, tuple)) and isinstance(other, (list, tuple)):
        return len(one) == len(other) and all(
            alike(a, b, depth + 1) for a, b in zip(one, other, strict=True)
        )
    if isinstance(one, dict) and isinstance(other, dict):
        return list(one) == list(other) and alike(
            list(one.values()), list(other.values()), depth + 1
        )
    if isinstance(one, tf.Variable) and one.trainable != getattr(other, "trainable", None):
        return False
    return observe(one) == observe(other)
