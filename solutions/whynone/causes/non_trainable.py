"""The source is a variable created with `trainable=False`, which is not watched."""

import ast

from whynone import places
from whynone.causes.case import Case, Clue
from whynone.paths import Link
from whynone.recording import Place


def starts(case: Case, link: Link) -> Clue | None:
    variable = case.source.variable
    if variable is None or variable.trainable or case.watched_at(link.recorder.time):
        return None
    used = link.recorder.place
    made = _made_untrainable(case.value.place)
    place = made or used or case.ask.place
    return Clue(
        "non_trainable",
        place,
        "not trainable, so not watched",
        f"`{variable.name}` was created with `trainable=False`, and a tape watches "
        "trainable variables only.",
        "Create it with `trainable=True`, or call `tape.watch(variable)` (for a Keras "
        "variable: `tape.watch(variable.value)`) before it is used.",
        [(used, "used here")] if used is not None and used != place else [],
    )


def _made_untrainable(place: Place | None) -> Place | None:
    """Where the user wrote `trainable=False`, if the variable was made by the user's own line."""
    statement = places.statement_at(place.file, place.line) if place is not None else None
    for node in ast.walk(statement) if statement is not None else ():
        if isinstance(node, ast.keyword) and node.arg == "trainable":
            return Place(
                place.file,
                node.lineno,
                place.function,
                node.col_offset,
                node.end_lineno,
                node.end_col_offset,
            )
    return None
