"""whynone in miniature: a recording short enough to write down, and the two walks over it.

The tool does the same over what really ran. This module imports no TensorFlow.
"""

from __future__ import annotations

from typing import NamedTuple


class Step(NamedTuple):
    """One operation that ran: its line, the name it made, the names it read.

    `broken` is None if a gradient gets through; else the cause, a slug such as "outside_tape".
    """

    line: int
    made: str
    read: tuple[str, ...]
    broken: str | None = None


_DIAGNOSES = {
    "nested": ("other_call", 28),
    "training_loop": ("rebound", 20),
    "second_order": ("second_order", 32),
    "state": ("variable_state", 17),
    "symbolic": ("symbolic", 22),
}


def diagnosis_of(program: str) -> tuple[str, int]:
    """The cause and the culprit's line of one of the five broken programs in `programs/`.

    Args:
        program: "nested", "training_loop", "second_order", "state" or "symbolic".

    Returns:
        The cause, a slug, and the number of the line that the table above points to.

    Raises:
        ValueError: there is no program of this name.
    """
    if program not in _DIAGNOSES:
        raise ValueError(
            f"diagnosis_of({program!r}): there is no program of this name. The five are "
            f"{', '.join(_DIAGNOSES)}. Lesson: whynone."
        )
    return _DIAGNOSES[program]


def lines_behind(recording: list[Step], target: str) -> list[int]:
    """The lines of all steps that `target` was computed from, its own included.

    Args:
        recording: the steps in the order in which they ran; no name is made twice.
        target: a name that one of the steps made.

    Returns:
        Line numbers in the order of the recording, one for each step.

    Raises:
        ValueError: no step made `target`.
    """
    needed = _behind(recording, target)
    return [step.line for step in recording if step.made in needed]


def first_break(recording: list[Step], target: str, source: str) -> tuple[str, int] | None:
    """Why and where no gradient of `target` comes back to `source`.

    A step lies on the way if `target` was computed from it and it was computed from `source`. A
    gradient gets through as soon as one chain of unbroken steps leads from `source` to `target`.

    Args:
        recording: the steps in the order in which they ran; no name is made twice.
        target: a name that one of the steps made.
        source: any name.

    Returns:
        None if a gradient gets through. ("no_path", line of the target's step) if no step of
        `source`'s leads to `target`. Else the cause and the line of the first broken step on the
        way, nearest to the source.

    Raises:
        ValueError: no step made `target`.
    """
    needed = _behind(recording, target)
    reached, connected = {source}, {source}
    broken = []
    for step in recording:
        if step.made not in needed or reached.isdisjoint(step.read):
            continue
        reached.add(step.made)
        if step.broken is not None:
            broken.append((step.broken, step.line))
        elif not connected.isdisjoint(step.read):
            connected.add(step.made)
    if target in connected:
        return None
    if target not in reached:
        return "no_path", next(step.line for step in recording if step.made == target)
    return broken[0]


def _behind(recording: list[Step], target: str) -> set[str]:
    """The names that `target` was computed from, itself included: one walk back."""
    made = [step.made for step in recording]
    if target not in made:
        raise ValueError(
            f"`{target}` was asked for, and no step of this recording made it; they made "
            f"{', '.join(made) or 'nothing'}. Pass the target's name as it stands in `made`. "
            f"Lesson: whynone."
        )
    needed = {target}
    for step in reversed(recording):
        if step.made in needed:
            needed.update(step.read)
    return needed
