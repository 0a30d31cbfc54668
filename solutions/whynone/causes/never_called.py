"""The layer or the model was never called, so its output is not defined."""

from whynone.causes.case import Clue
from whynone.recording import Place


def uncaught(error: BaseException, place: Place | None) -> Clue | None:
    text = str(error)
    if "never been called" not in text and "no inbound nodes" not in text:
        return None
    return Clue(
        "never_called",
        place,
        "this layer has no symbolic output",
        text.split("\n")[0].rstrip(".") + ". Calling a model on data, or building it, does "
        "not give its layers an `.output`.",
        "For a Sequential model use `model.outputs[0]`; for a subclassed one return the "
        "activation from `call`.",
    )
