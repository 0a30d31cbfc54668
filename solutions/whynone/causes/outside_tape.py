"""A link between source and target was computed while the tape was not recording."""

from whynone.causes.case import Case, Clue, first_op
from whynone.paths import Link


def breaks(link: Link, case: Case) -> bool:
    return case.session not in link.recorder.sessions


def clue(run: list[Link], case: Case) -> Clue:
    op = first_op(run)
    session = case.session
    place = op.place
    recorder = run[0].recorder
    if session is None:
        return Clue("outside_tape", place, "no tape records this",
                    "The tape was never entered: it recorded nothing.",
                    "Compute the target inside `with tf.GradientTape() as tape:`.")
    earlier = any(s.tape is not case.tape for s in recorder.sessions)
    if recorder.time < session.opened:
        why = ("This was computed before the tape was opened"
               + (" (an earlier tape recorded it, this one did not)" if earlier else "")
               + ". For this tape its result is a constant.")
        do = "Move this line into the `with tf.GradientTape()` block, so that each pass runs it."
    else:
        why = "This was computed after the `with` block had ended, so it is not on the tape."
        do = "Move this line into the `with tf.GradientTape()` block."
    return Clue("outside_tape", place, "computed while the tape was not recording", why, do)
