"""The bank's answers as cells that a student could have written: right ones and wrong ones."""

import inspect
from collections.abc import Callable
from pathlib import Path

from classroom.programs import Source, lambda_text
from classroom.stubs import MARK
from classroom.task import Task


def answer_cell(function: Callable, task: Task) -> str | None:
    """A task's cell with this answer and the helpers it needs; None if it needs `solutions`."""
    file = inspect.getsourcefile(inspect.unwrap(function))
    source = Source(Path(file).read_text(encoding="utf-8"))
    if function.__name__ == "<lambda>":
        made = lambda_text(function, source, task.name)
        needed = source.needed(made)
    else:
        made = function.__name__
        needed = {made} | source.needed(made)
    code = source.cut(needed) if needed else ""
    if "solutions" in code:
        return None
    renamed = f"\n\n{task.name} = {made}\n" if made != task.name else ""
    return f"{MARK}{task.name}\n{code}{renamed}".rstrip()


def right_cells(task: Task) -> list[str]:
    """The reference and the bank's other right answers."""
    return [cell for f in (task.function, *task.right) if (cell := answer_cell(f, task))]


def wrong_cells(task: Task) -> list[str]:
    """The bank's wrong answers."""
    return [cell for wrong in task.wrong if (cell := answer_cell(wrong.answer, task))]
