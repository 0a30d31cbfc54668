"""What a cause is asked about, and what it answers."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

from whynone.paths import Link, Walk, ancestors, tracked, watched
from whynone.recording import Ask, Op, Place, Recording, Session, Tape, Value, Wanted


@dataclass
class Clue:
    """One cause, found: where it is, why it breaks the chain and what to change.

    `label` stands under the arrow at `place`; `notes` are further lines worth showing.
    """

    cause: str
    place: Place | None
    label: str
    why: str
    do: str
    notes: list[tuple[Place, str]] = field(default_factory=list)
    parent: Value | None = None


@dataclass
class Case:
    """One source of one question whose answer was None."""

    ask: Ask
    source: Wanted
    record: Recording
    walk: Walk
    soft: Walk | None = None
    way: list[dict] = field(default_factory=list)

    @property
    def tape(self) -> Tape:
        return self.ask.tape

    @property
    def session(self) -> Session | None:
        return self.ask.session

    @property
    def target(self) -> str:
        return ", ".join(w.text for w in self.ask.targets) or "the target"

    @property
    def target_values(self) -> list[Value]:
        return [w.value for w in self.ask.targets if w.value is not None]

    @property
    def value(self) -> Value | None:
        return self.source.value

    @cached_property
    def target_history(self) -> dict[int, Value]:
        return ancestors(self.target_values)

    @cached_property
    def source_history(self) -> dict[int, Value]:
        return ancestors([self.value]) if self.value is not None else {}

    def watched_at(self, time: int) -> bool:
        return watched(self.value, self.session, self.tape, time)

    def tracked_at(self, time: int) -> bool:
        return tracked(self.value, self.session, self.tape, time)


def op_name(op: Op) -> str:
    """An operation's name as people know it."""
    known = {
        "__inference": "a traced function",
        "__forward": "a traced function",
        "PartitionedCall": "a traced function",
        "StatefulPartitionedCall": "a traced function",
        "Greater": "the comparison `>`",
        "Less": "the comparison `<`",
        "GreaterEqual": "the comparison `>=`",
        "LessEqual": "the comparison `<=`",
        "Equal": "the comparison `==`",
        "NotEqual": "the comparison `!=`",
        "ArgMax": "argmax",
        "ArgMin": "argmin",
        "OneHot": "one_hot",
        "Round": "round",
        "Rint": "round",
        "Floor": "floor",
        "Ceil": "ceil",
        "Cast": "cast",
        "PyFunc": "numpy_function",
        "PyFuncStateless": "numpy_function",
        "EagerPyFunc": "py_function",
    }
    for start, name in known.items():
        if op.type == start or (start.startswith("__") and op.type.startswith(start)):
            return name
    return op.type


def first_op(run: list[Link]) -> Op | None:
    """The operation nearest to the source in a run of broken links."""
    return next((link.op for link in run if link.op is not None), None)
