"""The gradient exists and is zero: an operation's derivative is zero everywhere."""

from whynone.causes.case import Case, Clue, op_name
from whynone.recording import Op


def of_all_softmax(case: Case, op: Op) -> bool:
    """Probabilities were added up: the sum is 1 whatever goes in."""
    if op.type not in ("Softmax", "LogSoftmax"):
        return False
    step = case.ask.steps.get(id(op))
    if step is None:
        return False
    return any(
        v.op is not None and v.op.type in ("Sum", "Mean") and v.op.inputs[0].op is op
        for v in case.target_history.values()
    )


def zero(case: Case, op: Op) -> Clue | None:
    if op.type in ("EagerPyFunc", "PyFunc", "PyFuncStateless"):
        return Clue(
            "left_tensorflow",
            op.place,
            "NumPy runs here, and no tape sees into it",
            "`py_function` records TensorFlow operations only; what NumPy computes inside "
            "it has no gradient, and zeros are passed on.",
            "Use TensorFlow operations inside it, or give it a gradient with `tf.custom_gradient`.",
        )
    if of_all_softmax(case, op):
        return Clue(
            "zeros_flat",
            op.place,
            "these add up to 1, whatever goes in",
            "The target adds up all outputs of a softmax. Their sum is always 1, so its "
            "derivative is 0.",
            "Pick one class: `probabilities[:, k]`, or its logit.",
        )
    return Clue(
        "zeros_flat",
        op.place,
        f"the derivative of {op_name(op)} is zero here",
        f"{op_name(op)} passes a gradient of zeros on: its derivative is 0 (almost) everywhere.",
        "Replace it by something that varies, or use a straight-through estimator.",
    )
