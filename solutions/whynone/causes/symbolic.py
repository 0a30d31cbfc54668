"""The source or the target is a KerasTensor: a description, not a value."""

from whynone import slices
from whynone.causes.case import Case, Clue


def asked(case: Case) -> Clue | None:
    for wanted in [case.source, *case.ask.targets]:
        if wanted.kind == "keras":
            return _clue(case, wanted.text)
        if wanted.kind == "graph":
            kept = slices.kept_at(case.ask.place.file, wanted.expression)
            return Clue(
                "symbolic",
                kept or case.ask.place,
                "this is a tensor of a traced function",
                f"`{wanted.text}` was made while a `tf.function` was traced: it describes "
                "a value inside the function and holds none itself.",
                "Return it from the function and use the tensor that the call gives back.",
            )
    return None


def raised(case: Case, error: BaseException) -> Clue | None:
    for wanted in [*case.ask.sources, *case.ask.targets]:
        if wanted.kind == "keras":
            return _clue(case, wanted.text)
    return None


def _clue(case: Case, text: str) -> Clue:
    return Clue(
        "symbolic",
        case.ask.place,
        f"`{text}` is a KerasTensor",
        f"`{text}` describes what will flow through the model; it holds no value and no "
        "tape has seen it.",
        "Build `keras.Model(model.inputs, [layer.output, model.outputs[0]])`, call it on "
        "data inside the tape, and use the tensors it returns.",
    )
