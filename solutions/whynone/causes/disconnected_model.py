"""The tensors asked for belong to two graphs that are not connected."""

import re

from whynone.causes.case import Clue
from whynone.recording import Place


def uncaught(error: BaseException, place: Place | None) -> Clue | None:
    if not says_disconnected(error):
        return None
    return Clue(
        "disconnected_model",
        place,
        "these inputs and outputs belong to two graphs",
        "The output asked for was made in another graph than the inputs: an inner model's "
        "layers belong to the inner model's own inputs.",
        "Build the probe on the inner model (`keras.Model(inner.inputs, [layer.output, "
        "inner.outputs[0]])`) and run the outer layers after it by hand.",
    )


def says_disconnected(error: BaseException) -> bool:
    """Whether an exception is Keras's way of saying so: at the model's making, or at its call.

    Keras up to 3.12 makes the model and fails when it is called, with the number of the tensor
    that it did not find.
    """
    text = str(error)
    if isinstance(error, KeyError):
        return "Functional.call()" in text and re.search(r"\d{12}", text) is not None
    return "not connected to `inputs`" in text or "Graph disconnected" in text
