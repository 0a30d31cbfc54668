"""The source was made from the tensor that was used, by a slice or a reshape."""

from whynone.causes.case import Case, Clue, op_name
from whynone.paths import root


def apart(case: Case) -> Clue | None:
    value = case.value
    if value is None or value.op is None or id(value) in case.target_history:
        return None
    shared = [v for k, v in case.source_history.items()
              if k in case.target_history and v.dtype != "resource"
              and not (v.op is None and v.origin in ("python", "numpy", "unknown")
                       and not _matters(case, v))]
    if not shared:
        return None
    nearest = max(shared, key=lambda v: v.time)
    if nearest.op is not None and nearest.op.type in ("ReadVariableOp",):
        variable = root(nearest.op.inputs[0]).variable
        of = f"`{variable.name}`" if variable else "a variable"
    else:
        of = "the tensor"
    return Clue("derived_source", value.op.place or case.ask.place,
                f"a new tensor, made by {op_name(value.op)}",
                f"`{case.source.text}` was made from {of} that `{case.target}` was computed from, "
                f"but `{case.target}` does not use this new tensor.",
                "Ask for the gradient of the tensor that was used and take the part from the "
                "gradient, or compute the target from the part.")


def _matters(case: Case, value) -> bool:
    """A leaf counts if it is large enough to be data, or was watched."""
    if any(w.value is value for w in case.tape.watches):
        return True
    size = 1
    for extent in value.shape or ():
        size *= extent or 1
    return value.differentiable and (size > 1 or value.origin != "python")
