"""The source is a plain tensor that no tape was told to watch."""

from whynone.causes.case import Case, Clue
from whynone.paths import Link
from whynone.recording import Place, resolve


def starts(case: Case, link: Link) -> Clue | None:
    if (
        case.session is not None
        and case.session not in link.recorder.sessions
        and (case.source.variable is not None)
    ):
        return None  # the variable would have been watched, had the tape been recording
    if case.tracked_at(link.recorder.time):
        return None
    if case.source.variable is not None:
        why = (
            f"`{case.source.text}` is a variable, but this tape was made with "
            "`watch_accessed_variables=False` and was not told to watch it."
        )
    else:
        why = (
            f"`{case.source.text}` is a plain tensor and the tape was never told to watch it: "
            "only trainable variables are watched by themselves."
        )
    home = case.session.opened_at if case.session is not None else None
    opened = resolve(home)
    notes = [(opened, "this tape does not watch it")] if opened else []
    place = first_use(link, home) or opened
    return Clue(
        "unwatched",
        place,
        "used here without being watched",
        why,
        f"Add `tape.watch({case.source.text})` before this line, inside the `with` block.",
        notes,
    )


def first_use(link: Link, home) -> Place | None:
    """The line beside the tape that used the source: a `watch` must stand in the `with` block."""
    return link.recorder.place_seen_from(home) or link.recorder.place


def raised(case: Case, error: BaseException) -> Clue | None:
    """`tape.watch(keras_variable)`: Keras 3 variables are not accepted there."""
    if case.ask.method != "watch" or "not tf.Tensor" not in str(error):
        return None
    if not any(w.kind == "keras_variable" for w in case.ask.sources):
        return None
    return Clue(
        "unwatched",
        case.ask.place,
        "`tape.watch` does not take a Keras variable",
        "A Keras variable is not a `tf.Variable`. Trainable ones are watched by themselves.",
        "Leave this line out, or watch its value: `tape.watch(v.value)`.",
    )
