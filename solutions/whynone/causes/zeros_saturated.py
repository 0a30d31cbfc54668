"""The gradient exists and is zero: an activation is saturated or a unit is dead."""

from whynone.backward import SATURATING
from whynone.causes import zeros_flat
from whynone.causes.case import Case, Clue, op_name
from whynone.recording import Op


def zero(case: Case, op: Op) -> Clue | None:
    if op.type not in SATURATING or zeros_flat.of_all_softmax(case, op):
        return None
    name = op_name(op)
    if op.type.startswith(("Relu", "Select", "Maximum", "Minimum", "ClipByValue")):
        why = f"All values that reach {name} lie where it is constant, so its derivative is 0."
        do = "Check the values that go in; a leaky version, or other scales and biases, help."
    else:
        why = (
            f"The values that reach {name} are so large that it is flat there, and the "
            "derivative rounds to 0."
        )
        do = (
            "Scale the inputs down; for a loss work on the logits "
            "(`from_logits=True`), for an attribution differentiate the score before it."
        )
    return Clue("zeros_saturated", op.place, f"{name} is flat at these values", why, do)
