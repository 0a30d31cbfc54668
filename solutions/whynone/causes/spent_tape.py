"""A tape that is not persistent was asked for gradients a second time."""

from whynone.causes.case import Case, Clue


def raised(case: Case, error: BaseException) -> Clue | None:
    text = str(error)
    if "non-persistent GradientTape" not in text and "persistent=True to com" not in text:
        return None
    earlier = [a for a in case.tape.asks if a is not case.ask and a.session is case.session]
    if not case.tape.sessions:
        return Clue(
            "outside_tape",
            case.ask.place,
            "this tape was never entered",
            "The tape recorded nothing: its `with` block was never entered.",
            "Compute the target inside `with tape:`.",
        )
    notes = [(a.place, "the first time") for a in earlier[:1] if a.place]
    return Clue(
        "spent_tape",
        case.ask.place,
        "the tape is asked a second time",
        "A tape that is not persistent gives one answer and then frees what it recorded.",
        "Ask once for all sources: `tape.gradient(target, [a, b])`; or open it with "
        "`tf.GradientTape(persistent=True)` and `del tape` when done.",
        notes,
    )
