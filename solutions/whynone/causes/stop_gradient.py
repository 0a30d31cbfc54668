"""`tf.stop_gradient` (or its Keras name) stands on the path."""

from whynone.causes.case import Case, Clue, first_op
from whynone.paths import Link


def breaks(link: Link, case: Case) -> bool:
    return link.op.type in ("StopGradient", "PreventGradient")


def clue(run: list[Link], case: Case) -> Clue:
    return Clue(
        "stop_gradient",
        first_op(run).place,
        "the gradient is stopped here",
        "`stop_gradient` passes the value on and holds the gradient back.",
        "Remove it, or do not ask for the gradient of what lies behind it.",
    )
