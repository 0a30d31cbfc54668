"""A link was computed inside `tape.stop_recording()`, or `reset()` erased it."""

from whynone.causes.case import Case, Clue, first_op
from whynone.paths import Link


def breaks(link: Link, case: Case) -> bool:
    op, session = link.recorder, case.session
    if session is None or session in op.sessions:
        return False
    return _erased(link, case) is not None or session.paused_during(op.time) is not None


def _erased(link: Link, case: Case):
    return next(
        (s for s in case.tape.sessions if s in link.recorder.sessions and s.erased_at is not None),
        None,
    )


def clue(run: list[Link], case: Case) -> Clue:
    op = first_op(run)
    erased = _erased(run[0], case)
    if erased is not None:
        return Clue(
            "recording_stopped",
            op.place,
            "recorded, but erased later",
            "`tape.reset()` was called after this line: the tape forgot it.",
            "Call `reset()` before this line, or leave it out.",
            [(p, "erased here") for p in [_place(erased.erased_at)] if p],
        )
    where = _place(case.session.paused_during(run[0].recorder.time))
    return Clue(
        "recording_stopped",
        op.place,
        "computed while recording was stopped",
        "This ran inside `tape.stop_recording()`, so the tape has no link for it.",
        "Move it out of the `stop_recording()` block.",
        [(where, "recording stopped here")] if where else [],
    )


def _place(where):
    from whynone.recording import resolve

    return resolve(where)
