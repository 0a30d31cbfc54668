"""The source comes from another call of the layer than the one behind the target."""

from whynone import slices
from whynone.causes.case import Case, Clue
from whynone.paths import root
from whynone.recording import READS, Value


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
        return None
    twin = min(twins, key=lambda v: abs(v.time - value.time))
    first, second = sorted([value, twin], key=lambda v: v.time)
    notes = [(first.place, "the first call")] if first.place and first.place != second.place else []
    which = "a later" if twin.time > value.time else "an earlier"
    place = second.place or case.ask.place
    label = "the second call, its own tensors"
    if value.time < case.session.opened <= twin.time:
        # The same lines, run again: what matters is where the old tensor was kept.
        kept = slices.kept_at(case.ask.place.file, case.source.expression)
        place = kept or case.ask.place
        label = "a tensor of an earlier pass is kept" if kept else "a tensor of another pass"
        notes = [(second.place, "both passes ran this")] if second.place else []
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
