"""The stub that a learner fills in, generated from the reference function's signature and docs."""

import ast
import inspect
import linecache
import textwrap
from collections.abc import Callable
from types import CodeType
from typing import TYPE_CHECKING

from classroom.messages import Stop

if TYPE_CHECKING:
    from classroom.task import Task

MARK = "# TASK: "  # the comment by which a task's cell is known, whatever an editor does to it


def stub(task: "Task") -> str:
    """The source of a task's cell: mark, signature, docstring, and what there is to begin with.

    A "repair" task begins with the body of `task.start`; any other with NotImplementedError.
    """
    lines, docstring = signature_and_docstring(task.function)
    body = '    raise NotImplementedError("your turn")'
    if task.start is not None:
        body = textwrap.indent(body_source(task.start), "    ")
    return "\n".join([MARK + task.name, *lines, docstring, body])


def signature_and_docstring(function: Callable) -> tuple[list[str], str]:
    """The `def` line or lines, and the docstring as it stands in the source."""
    source = textwrap.dedent(inspect.getsource(function))
    node = ast.parse(source).body[0]
    rows = source.splitlines()
    doc = node.body[0]
    return rows[node.lineno - 1 : doc.lineno - 1], "\n".join(rows[doc.lineno - 1 : doc.end_lineno])


def body_source(function: Callable) -> str:
    """The function's statements, without its docstring, not indented; comments are kept."""
    source = textwrap.dedent(inspect.getsource(function))
    node = ast.parse(source).body[0]
    first = node.body[0]
    start = first.lineno - 1
    if ast.get_docstring(node):
        start = first.end_lineno
    return textwrap.dedent("\n".join(source.splitlines()[start:]))


def task_of_cell(source: str) -> str | None:
    """The name of the task that a cell answers, or None."""
    for line in source.splitlines():
        if line.startswith(MARK):
            return line[len(MARK) :].strip()
    return None


def compile_cell(source: str, where: str, name: str, flags: int = 0) -> CodeType:
    """Compile a cell so that inspect.getsource finds its text, as it does in a notebook.

    Args:
        source: the cell's text.
        where: how a message calls the cell.
        name: a name of its own among the cells that are compiled; whynone takes `<cell…` for
            the user's.
        flags: of the compiler, as `compile` takes them.

    Raises:
        Stop: the cell is no Python; the message names the line.
    """
    filename = f"<cell of {name}>"
    linecache.cache[filename] = (len(source), None, source.splitlines(True), filename)
    try:
        return compile(source, filename, "exec", flags=flags)
    except SyntaxError as error:
        at = f"line {error.lineno}: {error.msg}"
        raise Stop(f"{where} does not parse: {at}.") from error


def is_untouched(function: Callable, task: "Task") -> bool:
    """Whether a function's code is still the stub's, comments and blank lines aside."""
    try:
        return same_source(inspect.getsource(function), stub(task))
    except (OSError, TypeError):
        return False


def same_source(one: str, other: str) -> bool:
    """Whether the first statements of two sources are the same, comments and layout aside."""
    try:
        trees = [ast.parse(textwrap.dedent(source)).body[:1] for source in (one, other)]
    except (SyntaxError, ValueError, RecursionError):
        return False
    return bool(trees[0]) and ast.dump(trees[0][0]) == ast.dump(trees[1][0])
