"""A `tf.custom_gradient` function returned None or too few gradients."""

from whynone.causes.case import Case, Clue, first_op
from whynone.paths import Link


def breaks(link: Link, case: Case) -> bool:
    none = link.op.returned_none
    return none is not None and link.input in none


def clue(run: list[Link], case: Case) -> Clue:
    op = first_op(run)
    name = op.attrs if isinstance(op.attrs, str) else "the function"
    return Clue(
        "custom_gradient",
        op.place,
        f"`{name}` has a gradient written by hand",
        f"The gradient function of `{name}` returned None for this input.",
        "Return one tensor per argument from the inner `grad` function.",
    )


def raised(case: Case, error: BaseException) -> Clue | None:
    text = str(error)
    if "custom_gradient" not in text and "gradient for each variable" not in text:
        return None
    ops = [
        v.op
        for v in case.target_history.values()
        if v.op is not None and v.op.type == "custom_gradient"
    ]
    place = ops[0].place if ops else case.ask.place
    return Clue(
        "custom_gradient",
        place,
        "its gradient function returned the wrong number",
        text.split("\n")[0],
        "Return one gradient per argument, in the arguments' order; "
        "for variables accept `variables=None` and return a second list.",
    )
