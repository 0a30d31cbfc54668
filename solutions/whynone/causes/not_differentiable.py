"""An operation on the path has no derivative that passes a gradient on."""

from whynone import slices
from whynone.causes import left_tensorflow
from whynone.causes.case import Case, Clue, first_op, op_name
from whynone.paths import Link, Walk
from whynone.recording import SHAPES, Place

INSTEAD = {
    "ArgMax": "softmax with a low temperature, or a weighted sum, in place of argmax",
    "ArgMin": "softmax of the negative values, in place of argmin",
    "Round": "a straight-through estimator: `x + tf.stop_gradient(tf.round(x) - x)`",
    "Floor": "a straight-through estimator: `x + tf.stop_gradient(tf.floor(x) - x)`",
    "Ceil": "a straight-through estimator: `x + tf.stop_gradient(tf.math.ceil(x) - x)`",
    "OneHot": "the probabilities themselves, in place of one_hot of an index",
    "Greater": "a smooth step such as `tf.sigmoid(k * (x - threshold))`",
    "Less": "a smooth step such as `tf.sigmoid(k * (threshold - x))`",
}
INSTEAD["GreaterEqual"] = INSTEAD["Greater"]
INSTEAD["LessEqual"] = INSTEAD["Less"]
INSTEAD["Rint"] = INSTEAD["Round"]


def breaks(link: Link, case: Case) -> bool:
    if not link.start.differentiable:
        return link.end.differentiable
    return case.record.passes(link.op, link.input) is False


def apart(case: Case) -> Clue | None:
    """Only the shape of the source is used: `tf.shape`, `tf.zeros_like`."""
    if case.value is None:
        return None
    walk = Walk(case.ask, case.record, lambda link: None, shapes=True)
    if not walk.reaches(case.value):
        for value in left_tensorflow.constants(case):
            place = slices.shape_question(value.place)
            if place is not None and left_tensorflow.plausible(case, value, place):
                return _shape_only(place, "A size or a shape")
        return None
    for link, _ in walk.way_to(case.value):
        if link.op is not None and link.op.type in SHAPES:
            return _shape_only(link.op.place, op_name(link.op))
    return None


def _shape_only(place: Place | None, what: str) -> Clue:
    return Clue(
        "not_differentiable",
        place,
        "only the shape is used from here on",
        f"{what} depends on how many values there are, not on the values, so no gradient "
        "can come back.",
        "Use the values themselves on this path.",
    )


def clue(run: list[Link], case: Case) -> Clue:
    op = first_op(run)
    name = op_name(op)
    instead = INSTEAD.get(op.type)
    return Clue(
        "not_differentiable",
        op.place,
        f"{name} passes no gradient on",
        f"{name[0].upper()}{name[1:]} has no useful derivative for this input, so the "
        "chain rule stops here.",
        f"Use {instead}." if instead else "Replace it by a differentiable operation on this path.",
    )
