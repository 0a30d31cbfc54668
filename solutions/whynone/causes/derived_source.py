"""The source was made from the tensor that was used, by a slice or a reshape."""

from whynone.causes.case import Case, Clue, op_name
from whynone.paths import root
from whynone.recording import READS, Value

LIGHT = READS | {
    "Identity",
    "Reshape",
    "StridedSlice",
    "Slice",
    "ExpandDims",
    "Squeeze",
    "Cast",
    "Transpose",
    "Pack",
    "ConcatV2",
    "GatherV2",
    "Unpack",
    "Split",
    "SplitV",
    "Copy",
}


def apart(case: Case) -> Clue | None:
    value = case.value
    if value is None or value.op is None or id(value) in case.target_history:
        return None
    parent = _parent(case)
    if parent is None:
        return None
    if parent.dtype == "resource":
        of = f"the variable `{parent.variable.name}`" if parent.variable else "a variable"
    else:
        of = "a tensor"
    return Clue(
        "derived_source",
        value.op.place or case.ask.place,
        f"a new tensor, made by {op_name(value.op)}",
        f"`{case.source.text}` was made from {of} that `{case.target}` was computed from, "
        f"but `{case.target}` does not use this new tensor.",
        "Ask for the gradient of what was used and take the part from the gradient, or "
        "compute the target from the part.",
        parent=parent,
    )


def _parent(case: Case) -> Value | None:
    """The latest value behind the source that the target was computed from, in any way."""
    for known in (case.target_history, case.soft.values if case.soft is not None else {}):
        shared = [
            v
            for k, v in case.source_history.items()
            if k in known and v is not case.value and _is_data(case, v)
        ]
        if shared:
            return max(shared, key=lambda v: v.time)
    return None


def _is_data(case: Case, value: Value) -> bool:
    """Not a number such as an axis or a factor that both happen to use."""
    if value.dtype == "resource":
        return _light_way(case.value, value)
    if value.op is not None or any(w.value is value for w in case.tape.watches):
        return value.differentiable
    size = 1
    for extent in value.shape or ():
        size *= extent or 1
    return value.differentiable and size > 1


def _light_way(value: Value, handle: Value) -> bool:
    """Was the source read from the variable and only cut or reshaped?"""
    waiting, steps = [value], 0
    while waiting and steps < 30:
        steps += 1
        op = waiting.pop().op
        if op is None:
            continue
        if op.type in READS and root(op.inputs[0]) is root(handle):
            return True
        if op.type in LIGHT:
            waiting += op.inputs
    return False
