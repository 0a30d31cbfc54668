"""The source comes from another call of the layer than the one behind the target."""

from whynone import slices
from whynone.causes.case import Case, Clue
from whynone.paths import root
from whynone.recording import READS, Place, Value


def apart(case: Case) -> Clue | None:
    """The same computation, on the same variables, is behind the target a second time."""
    value = case.value
    if (
        value is None
        or value.op is None
        or case.session is None
        or (id(value) in case.target_history)
    ):
        return None
    wanted = _fingerprint(value)
    if wanted is None:
        return None
    twins = [
        v
        for v in case.target_history.values()
        if v.op is not None
        and v.op.type == value.op.type
        and v.index == value.index
        and _fingerprint(v) == wanted
    ]
    if not twins:
        twins = _other_ways(case)
    if not twins:
        return None
    twin = min(twins, key=lambda v: abs(v.time - value.time))
    first, second = sorted([value, twin], key=lambda v: v.time)
    there, here = _lines(first, second, case)
    notes = [(there, "the first call")] if there and there != here else []
    which = "a later" if twin.time > value.time else "an earlier"
    place = here or case.ask.place
    label = "the second call, its own tensors"
    if value.time < case.session.opened <= twin.time:
        # The same lines, run again: what matters is where the old tensor was kept.
        kept = slices.kept_at(case.ask.place.file, case.source.expression)
        place = kept or case.ask.place
        label = "a tensor of an earlier pass is kept" if kept else "a tensor of another pass"
        notes = [(here, "both passes ran this")] if here else []
    return Clue(
        "other_call",
        place,
        label,
        f"`{case.source.text}` comes from one forward pass and `{case.target}` from "
        f"{which} one. Each call makes new tensors, and no link leads from one "
        "call to the other.",
        "Run the model once, and take both the activation and the output from that call.",
        notes,
    )


def _lines(first: Value, second: Value, case: Case) -> tuple[Place | None, Place | None]:
    """Where the two calls are written: beside the tape, unless that is one and the same line."""
    beside = [
        v.op.place_seen_from(case.session.opened_at) if v.op is not None else None
        for v in (first, second)
    ]
    if None in beside or (beside[0].file, beside[0].line) == (beside[1].file, beside[1].line):
        return first.place, second.place
    return beside[0], beside[1]


def _other_ways(case: Case) -> list[Value]:
    """Behind the target the same data met all the source's variables, in another computation."""
    there, here = (
        {id(root(v)) for v in history.values() if v.variable is not None}
        for history in (case.target_history, case.source_history)
    )
    data = [
        k
        for k, v in case.source_history.items()
        if k in case.target_history and v.dtype != "resource" and v.differentiable and v.shape
    ]
    if not here or not here <= there or not data:
        return []
    return [
        v
        for v in case.target_history.values()
        if v.op is not None
        and id(v) not in case.source_history
        and v.op.type in READS
        and id(root(v.op.inputs[0])) in here
    ]


def _fingerprint(value: Value, depth: int = 12) -> tuple | None:
    """The computation behind a value from its variables on; None if no variable is in it.

    What was fed in does not count: the same layer on other data is another call of it.
    """
    if value.op is None or value.op.type in READS:
        return None

    def describe(v: Value, left: int) -> tuple | None:
        if v.op is None or left == 0:
            return None
        if v.op.type in READS:
            return "variable", id(root(v.op.inputs[0]))
        if v.op.type == "captured_value":
            return describe(v.op.inputs[0], left)
        parts = [describe(i, left - 1) for i in v.op.inputs]
        return (v.op.type, v.index, *parts) if any(p is not None for p in parts) else None

    return describe(value, depth)
