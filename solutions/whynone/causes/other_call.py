"""The source comes from another call of the layer than the one behind the target."""

from whynone.causes.case import Case, Clue
from whynone.recording import READS, Value


def apart(case: Case) -> Clue | None:
    """The same computation, on the same variables, is behind the target a second time."""
    value = case.value
    if value is None or value.op is None or id(value) in case.target_history:
        return None
    wanted = _fingerprint(value, case.record)
    if wanted is None:
        return None
    twins = [v for v in case.target_history.values()
             if v.op is not None and v.op.type == value.op.type and v.index == value.index
             and _fingerprint(v, case.record) == wanted]
    if not twins:
        return None
    twin = min(twins, key=lambda v: abs(v.time - value.time))
    first, second = sorted([value, twin], key=lambda v: v.time)
    notes = [(first.place, "the first call")] if first.place and first.place != second.place else []
    which = "a later" if twin.time > value.time else "an earlier"
    return Clue("other_call", second.place or case.ask.place, "the second call, its own tensors",
                f"`{case.source.text}` comes from one forward pass and `{case.target}` from {which} "
                "one. Each call makes new tensors, and no link leads from one call to the other.",
                "Run the model once, and take both the activation and the output from that call.",
                notes)


def _fingerprint(value: Value, record, depth: int = 12) -> tuple | None:
    """The computation behind a value, down to its variables; None if no variable is in it."""
    variables: list[int] = []

    def describe(v: Value, left: int) -> tuple:
        if v.op is None:
            return ("data", v.dtype)
        if v.op.type in READS:
            handle = v.op.inputs[0]
            while handle.op is not None and handle.op.type == "captured_value":
                handle = handle.op.inputs[0]
            variables.append(id(handle))
            return ("variable", id(handle))
        if v.op.type == "captured_value":
            return describe(v.op.inputs[0], left)
        if left == 0:
            return ("deep",)
        return (v.op.type, v.index, *[describe(i, left - 1) for i in v.op.inputs])

    found = describe(value, depth)
    return found if variables else None
