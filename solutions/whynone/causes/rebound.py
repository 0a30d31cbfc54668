"""The Python name now holds another object than the one that was differentiated."""

import ast

from whynone import places, slices
from whynone.causes.case import Case, Clue
from whynone.paths import Link
from whynone.recording import READS, Place


def starts(case: Case, link: Link) -> Clue | None:
    """A name that held a variable or a watched tensor now holds a plain tensor."""
    value = case.value
    if case.source.variable is not None or case.tracked_at(link.recorder.time):
        return None
    place = _rebinding(case)
    if place is None:
        return None
    held_before = any(
        old.value is not value and old.text == case.source.text and fine
        for ask in case.ask.earlier
        for old, fine in ask
    )
    if not held_before and not (value.op is not None and _from_variable(value)):
        return None
    return _clue(case, place)


def apart(case: Case) -> Clue | None:
    """The source was made from what was differentiated, or after the target was computed."""
    value = case.value
    place = _rebinding(case)
    if value is None or place is None:
        return None
    made_after = case.target_values and value.time > max(v.time for v in case.target_values)
    shared = any(k in case.target_history for k in case.source_history)
    if not (made_after or shared):
        return None
    if made_after and not shared and not slices.bound_before(place, _root_name(case)):
        return None
    if shared and not made_after and not _mentions_itself(place, _root_name(case)):
        return None
    return _clue(case, place)


def _clue(case: Case, place: Place) -> Clue:
    name = _root_name(case)
    return Clue(
        "rebound",
        place,
        f"`{name}` becomes another object here",
        f"The name `{name}` no longer holds the object that `{case.target}` was computed "
        "from: this line put a new one in its place.",
        "Give the new object another name, or change a variable in place with `assign` "
        "(`assign_sub` for a training step).",
    )


def _root_name(case: Case) -> str:
    return slices.root_name(case.source.expression)


def _rebinding(case: Case) -> Place | None:
    """The line that bound the source's name to the value it has now."""
    if not case.source.expression or case.value is None:
        return None
    place = case.value.place
    if place is None:
        return None
    statement = places.statement_at(place.file, place.line)
    written = case.source.expression
    for target in slices.targets(statement):
        if target == written or target == _root_name(case):
            return Place(
                place.file,
                statement.lineno,
                place.function,
                statement.col_offset,
                statement.end_lineno,
                statement.end_col_offset,
            )
    return None


def _mentions_itself(place: Place, name: str) -> bool:
    statement = places.statement_at(place.file, place.line)
    if isinstance(statement, ast.AugAssign):
        return True
    value = getattr(statement, "value", None)
    return value is not None and any(
        isinstance(n, ast.Name) and n.id == name for n in ast.walk(value)
    )


def _from_variable(value) -> bool:
    """Was it computed, in a few steps, from a trainable variable that the same line reads?"""
    place = value.op.place
    if place is None:
        return False
    waiting, steps = [value], 0
    while waiting and steps < 50:
        op = waiting.pop().op
        steps += 1
        if op is None:
            continue
        if op.type in READS and op.inputs[0].variable is not None:
            return True
        if op.place is not None and op.place.line == place.line:
            waiting += op.inputs
    return False
