"""`tape.watch` was called after the operation that used the source."""

from whynone.causes.case import Case, Clue
from whynone.causes.unwatched import first_use
from whynone.paths import Link
from whynone.recording import resolve


def starts(case: Case, link: Link) -> Clue | None:
    late = next(
        (
            w
            for w in case.tape.watches
            if w.value is case.value and w.session is case.session and w.time > link.recorder.time
        ),
        None,
    )
    if late is None or case.watched_at(link.recorder.time):
        return None
    where = resolve(late.where)
    place = first_use(link, late.where) or where
    return Clue(
        "watched_late",
        place,
        "used before it was watched",
        f"`{case.source.text}` was used on this line before `tape.watch` was called; a "
        "tape records what happens after.",
        "Call `tape.watch` as the first thing in the `with` block.",
        [(where, "watched only here")] if where else [],
    )
