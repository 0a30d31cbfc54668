"""The gradient exists and is NaN: an operation's derivative is infinite or undefined here."""

from whynone.causes.case import Case, Clue, op_name
from whynone.recording import Op

INSTEAD = {
    "Sqrt": "Add a small number under the root: `tf.sqrt(x + 1e-12)`, or leave the root out.",
    "Rsqrt": "Add a small number under the root: `tf.math.rsqrt(x + 1e-12)`.",
    "Log": "Keep the argument away from 0, also in the branch that `tf.where` throws away.",
    "Pow": "Keep the base away from 0, also in the branch that `tf.where` throws away.",
    "RealDiv": "Keep the denominator away from 0: `tf.math.divide_no_nan`, or add a small number.",
}


def broken(case: Case, op: Op) -> Clue:
    name = op_name(op)
    return Clue(
        "nan",
        op.place,
        f"the derivative of {name} is not finite here",
        f"The gradient that arrives at {name} is finite, the one it passes on is infinite "
        "or NaN: its derivative does not exist at these values.",
        INSTEAD.get(
            op.type, "Keep its input away from the value where the derivative is infinite."
        ),
    )
