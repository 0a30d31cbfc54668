"""The tensors asked for belong to two graphs that are not connected."""

from whynone.causes.case import Clue
from whynone.recording import Place


def uncaught(error: BaseException, place: Place | None) -> Clue | None:
    text = str(error)
    if "not connected to `inputs`" not in text and "Graph disconnected" not in text:
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
