"""Takes the answers out of a submitted file: .ipynb, .md or .py, however an editor treated it."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Extracted:
    """The source of each answered task, and what else the file holds.

    `extra` is the source of the other code cells, in order: the sandbox takes from it the
    definitions that an answer needs. `notes` say what was unusual.
    """

    answers: dict[str, str]
    extra: str = ""
    notes: tuple[str, ...] = ()
