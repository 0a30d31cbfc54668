"""The teacher's key: what an assignment asks, and what each probe must give. Plain JSON.

    {"format": 1, "title": …, "student": "", "due": null,
     "made_with": {"tensorflow": …, "keras": …, "numpy": …},
     "tasks": [{"name", "slug", "title", "points", "kind", "stub",
                "setup": [source of each other code cell of the exercise, in order],
                "files": {path: text of what setup and programs read or import},
                "probes": [{"label", "group", "rtol", "atol", "program", "vary", "expected"}],
                "wrong": [{"why", "do", "cause", "idea", "observations": [one for each probe]}]}]}

`expected` and `observations` are what observe.py returns. Nothing here imports TensorFlow, and
nothing is unpickled: a key is read where no student code has run.
"""

import base64
import dataclasses
import json
import math
import types
import typing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from classroom.messages import Stop
from classroom.observation import Observation, valid

FORMAT = 1
GROUPS = ("public", "hidden")
PUBLIC_SHARE = 0.4  # of a task's points, where it has hidden probes


@dataclass(frozen=True)
class KeyProbe:
    """One question: a program that makes the arguments, and what must come back."""

    label: str
    group: str  # "public": a student may see it; "hidden": never shown
    rtol: float
    atol: float
    program: str  # a source that defines `arguments() -> tuple`; see programs.py
    vary: int | None  # the seed for variants.vary; None: the numbers as they stand
    expected: Observation


@dataclass(frozen=True)
class KeyWrong:
    """A wrong answer of the bank: what it gives on each probe, and what its author should hear."""

    why: str
    do: str
    cause: str | None
    idea: str
    observations: tuple[Observation, ...]


@dataclass(frozen=True)
class KeyTask:
    """One task of the assignment."""

    name: str
    slug: str
    title: str
    points: float
    kind: str
    stub: str
    setup: tuple[str, ...]
    files: dict[str, str]
    probes: tuple[KeyProbe, ...]
    wrong: tuple[KeyWrong, ...]

    def worth(self) -> list[float]:
        """The points of each probe; they add up to `points`.

        Public probes share 40 %, hidden ones 60 %, evenly; without hidden ones, public have all.
        """
        groups = [probe.group for probe in self.probes]
        public = self.points * (PUBLIC_SHARE if "hidden" in groups else 1)
        share = {"public": public, "hidden": self.points - public}
        return [share[group] / groups.count(group) for group in groups]


@dataclass(frozen=True)
class Key:
    """An assignment's key; `student` is empty in the common one."""

    title: str
    made_with: dict[str, str]
    due: str | None
    tasks: tuple[KeyTask, ...]
    student: str = ""
    format: int = FORMAT

    @property
    def points(self) -> float:
        return sum(task.points for task in self.tasks)

    def task(self, name: str) -> KeyTask | None:
        return next((task for task in self.tasks if task.name == name), None)


BINARY = "data:;base64,"


def encode_file(content: bytes) -> str:
    """A file's content as `files` keeps it: its text, or base64 after a mark."""
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        text = BINARY
    return BINARY + base64.b64encode(content).decode() if text.startswith(BINARY) else text


def decode_file(text: str) -> bytes:
    """The content of one of `files`."""
    if text.startswith(BINARY):
        return base64.b64decode(text[len(BINARY) :], validate=True)
    return text.encode("utf-8")


def save_key(key: Key, file: Path) -> None:
    """Write a key; equal keys give equal bytes."""
    text = json.dumps(dataclasses.asdict(key), indent=1, ensure_ascii=False, allow_nan=False)
    file.write_text(text + "\n", encoding="utf-8", newline="\n")


def load_key(file: Path) -> Key:
    """Read a key.

    Raises:
        Stop: the file is missing, no JSON, of another format, or a field is missing or of a wrong
            type; the message names the field.
    """
    again = "Make the assignment again, or take the file from where `assign` put it."
    try:
        data = json.loads(file.read_text(encoding="utf-8"), parse_constant=refuse_constant)
    except FileNotFoundError:
        raise Stop(f"{file}: no such key. {again}") from None
    except (OSError, ValueError, RecursionError) as error:
        raise Stop(f"{file} is no readable key ({error}). {again}") from error
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        has = data.get("format") if isinstance(data, dict) else None
        raise Stop(f"{file}: the key's format is {has!r}; this version reads {FORMAT}. {again}")
    try:
        key = build(Key, data, "")
        for number, task in enumerate(key.tasks):
            check_task(task, f"tasks[{number}]")
        names = [task.name for task in key.tasks]
        if not names or len(set(names)) < len(names):
            raise Trouble("tasks", "holds no task, or two of one name")
    except Trouble as trouble:
        raise Stop(f"{file}: `{trouble.where}` {trouble.what}. {again}") from None
    return key


class Trouble(Exception):
    """A field and what is wrong with it."""

    def __init__(self, where: str, what: str) -> None:
        super().__init__(where, what)
        self.where, self.what = where, what


def refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON number")


def build(kind: Any, value: Any, where: str) -> Any:
    """The value as the type that a field declares: dataclasses, tuples, dicts and plain types."""
    origin, inner = typing.get_origin(kind), typing.get_args(kind)
    if dataclasses.is_dataclass(kind):
        if not isinstance(value, dict):
            raise Trouble(where, "is no object")
        types_of = typing.get_type_hints(kind)
        fields = {}
        for entry in dataclasses.fields(kind):
            here = f"{where}.{entry.name}".lstrip(".")
            if entry.name in value:
                fields[entry.name] = build(types_of[entry.name], value[entry.name], here)
            elif entry.default is dataclasses.MISSING:
                raise Trouble(here, "is missing")
        return kind(**fields)
    if origin is tuple:
        if not isinstance(value, list):
            raise Trouble(where, "is no list")
        return tuple(build(inner[0], item, f"{where}[{n}]") for n, item in enumerate(value))
    if origin is dict:
        if not isinstance(value, dict):
            raise Trouble(where, "is no object")
        return {key: build(inner[1], item, f"{where}.{key}") for key, item in value.items()}
    if origin in (typing.Union, types.UnionType):
        return None if value is None else build(inner[0], value, where)
    if kind is Any:
        return value
    if kind is float and type(value) is int:
        value = float(value)
    if type(value) is not kind:
        raise Trouble(where, f"is {type(value).__name__}; expected {kind.__name__}")
    return value


def check_task(task: KeyTask, where: str) -> None:
    """What the types alone do not say."""
    if not math.isfinite(task.points) or task.points <= 0:
        raise Trouble(f"{where}.points", "must be above 0")
    for number, probe in enumerate(task.probes):
        here = f"{where}.probes[{number}]"
        if probe.group not in GROUPS:
            raise Trouble(f"{here}.group", f"is {probe.group!r}; expected one of {GROUPS}")
        if not (0 <= probe.rtol < 1 and 0 <= probe.atol < math.inf):
            raise Trouble(f"{here}.rtol", "or `atol` is out of range")
        if not valid(probe.expected):
            raise Trouble(f"{here}.expected", "is no observation")
    if not any(probe.group == "public" for probe in task.probes):
        raise Trouble(f"{where}.probes", "holds no public probe")
    for number, wrong in enumerate(task.wrong):
        if len(wrong.observations) != len(task.probes):
            raise Trouble(f"{where}.wrong[{number}].observations", "must be one for each probe")
