"""A link between source and target was computed while the tape was not recording."""

from whynone import places
from whynone.causes.case import Case, Clue
from whynone.paths import Link


def breaks(link: Link, case: Case) -> bool:
    return case.session not in link.recorder.sessions


def clue(run: list[Link], case: Case) -> Clue:
    session = case.session
    before = session is not None and run[0].recorder.time < session.opened
    # The boundary with the tape: the last line before it, or the first one after it.
    recorder = run[-1 if before else 0].recorder
    if before:
        place = places.called_at(recorder.where, session.opened_at)
    else:  # what is computed after the block is called from the lines after the block
        place = recorder.place_seen_from(session.opened_at if session else case.ask.where)
    if session is None:
        return Clue(
            "outside_tape",
            place,
            "no tape records this",
            "The tape was never entered: it recorded nothing.",
            "Compute the target inside `with tf.GradientTape() as tape:`.",
        )
    earlier = any(s.tape is not case.tape for s in recorder.sessions)
    if before:
        why = (
            "This was computed before the tape was opened"
            + (" (an earlier tape recorded it, this one did not)" if earlier else "")
            + ". For this tape its result is a constant."
        )
        do = "Move this line into the `with tf.GradientTape()` block, so that each pass runs it."
    else:
        why = "This was computed after the `with` block had ended, so it is not on the tape."
        do = "Move this line into the `with tf.GradientTape()` block."
    return Clue("outside_tape", place, "computed while the tape was not recording", why, do)
