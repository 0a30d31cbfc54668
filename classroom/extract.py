"""Takes the answers out of a submitted file: .ipynb, .md or .py, however an editor treated it.

A student's file is read as text, by regular expressions and the json module, and never parsed as
Python: what could hang or crash a clever reader runs in the sandbox (classroom.needed). That is
also why jupytext, which parses, is not used here; the tests compare with it.
"""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import zip_longest

from classroom.key import Key
from classroom.limits import Limits
from classroom.messages import Stop
from classroom.stubs import MARK

CELLS = 2000
IDENTITY = "task-"  # the cell of a task has the id `task-<name>` in the handed-out notebook
FENCE = re.compile(r"^(```+|~~~+)[ \t]*\{?(?:code-cell|\.?i?python3?)\b.*$")
PERCENT = re.compile(r"^#[ \t]*%%(?P<rest>.*)$")
OPTIONS = re.compile(r"\A(?:---\n(?:.*\n)*?---\n|(?::[\w-]+:.*\n)+)")
TEXT_CELL = re.compile(r"\[(markdown|md|raw)\]")
TASK = re.compile(r"^[ \t]*#[ \t]*TASK[ \t]*:[ \t]*(\w+)", re.MULTILINE)


class NoTask(Stop):
    """A file that is readable and answers nothing, such as a README."""


@dataclass(frozen=True)
class Extracted:
    """The source of each answered task, and what else the file holds.

    `extra` is the source of the other code cells, in order: the sandbox takes from it the
    definitions that an answer needs. `above` says how many of them stand above each answer.
    `filled` are the tasks whose answer is not the untouched stub. `notes` say what was unusual.
    """

    answers: dict[str, str]
    extra: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    above: dict[str, int] = field(default_factory=dict)
    filled: frozenset[str] = frozenset()
    file: str = ""


@dataclass(frozen=True)
class Cell:
    source: str
    identity: str = ""


def answers(data: bytes, name: str, key: Key, limits: Limits | None = None) -> Extracted:
    """The answers to the key's tasks in a submitted file.

    A cell answers the task that its `# TASK:` comment names; without one, the task of its cell
    id; without that, or if that cell is still the stub, the task whose function it defines. Of
    several cells for one task the last that is not the untouched stub counts.

    Args:
        data: the file as handed in.
        name: its name; the ending decides how it is read, except that JSON is always a notebook.
        key: the assignment's key.
        limits: how large a file may be.

    Raises:
        NoTask: the file is empty, or holds no cell of a task.
        Stop: the file is too large or not readable.
    """
    most = (limits or Limits()).notebook
    if len(data) > most:
        raise Stop(f"The file has {len(data):,} bytes; at most {most:,} are read.")
    cells, notes = read_cells(data, name)
    if len(cells) > CELLS:
        raise Stop(f"The notebook has {len(cells)} code cells; at most {CELLS} are read.")
    stubs = {task.name: task.stub for task in key.tasks}
    named = [marked(cell, stubs) for cell in cells]
    chosen: dict[str, int] = {}  # a task → which of the cells answers it
    filled = set()
    for task, stub in stubs.items():
        own = [n for n, names in enumerate(named) if task in names]
        written = [n for n in own if not same_text(cells[n].source, stub)]
        if not written:
            more = [n for n in defining(cells, task) if n not in own]
            written = [n for n in more if not same_text(cells[n].source, stub)]
            if more and not own:
                notes.append(f"`{task}` was found by its `def`: its `# TASK:` line is gone.")
            elif written:
                notes.append(f"`{task}`: its own cell is as handed out; another one counts.")
            own = own or more
        if len(own) > 1:
            notes.append(f"`{task}` has {len(own)} cells; the last that is filled in counts.")
        if written or own:
            chosen[task] = (written or own)[-1]
            filled |= {task} if written else set()
    if not chosen:
        raise NoTask("No cell of a task was found: none has a `# TASK:` line or defines a task.")
    taken = {cells[n].source for n in chosen.values()}
    extra = [(n, cell.source) for n, cell in enumerate(cells) if cell.source not in taken]
    return Extracted(
        {task: cells[n].source for task, n in chosen.items()},
        tuple(source for _, source in extra),
        tuple(notes),
        {task: sum(other < n for other, _ in extra) for task, n in chosen.items()},
        frozenset(filled),
        name,
    )


def marked(cell: Cell, tasks: Iterable[str]) -> set[str]:
    """The tasks that a cell's comments name; without such a comment, the task of its cell id."""
    named = {mark[1] for mark in TASK.finditer(cell.source)} & set(tasks)
    if not named and cell.identity.startswith(IDENTITY):
        named = {cell.identity.removeprefix(IDENTITY)} & set(tasks)
    return named


def defining(cells: list[Cell], name: str) -> list[int]:
    """Which cells define a name by `def` or `class`; if none does, which assign to it."""
    for form in (rf"^(async[ \t]+)?(def|class)[ \t]+{name}\b", rf"^{name}[ \t]*(:[^=\n]*)?=[^=]"):
        pattern = re.compile(form, re.MULTILINE)
        found = [n for n, cell in enumerate(cells) if pattern.search(cell.source)]
        if found:
            return found
    return []


def read_cells(data: bytes, name: str) -> tuple[list[Cell], list[str]]:
    """The code cells of a file, and notes on how it was read."""
    text = decode(data)
    ending = name.rsplit(".", 1)[-1].lower() if "." in name else ""
    if not text.strip():
        raise NoTask("The file is empty.")
    if text.lstrip().startswith("{") and ending != "py":
        notes = (
            [] if ending == "ipynb" else [f"The file is a notebook, though it ends in .{ending}."]
        )
        return notebook_cells(text), notes
    if ending == "ipynb":
        raise Stop("The file is no notebook: a .ipynb is JSON, and this is not.")
    if ending in ("md", "markdown"):
        return markdown_cells(text), []
    if ending == "py":
        return script_cells(text), []
    raise Stop(f"A file ending in .{ending} is not read; hand in the .ipynb, .md or .py.")


def decode(data: bytes) -> str:
    """The text, with plain line ends; an editor may have chosen another encoding."""
    for encoding in ("utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig", "cp1252"):
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            continue
        return text.replace("\r\n", "\n").replace("\r", "\n").replace("\x00", "")
    raise Stop("The file's text is in no encoding that we know; save it as UTF-8.")


def notebook_cells(text: str) -> list[Cell]:
    try:
        notebook = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise Stop(f"The file is no readable notebook ({short(error)}).") from None
    cells = notebook.get("cells")
    if cells is None and isinstance(notebook.get("worksheets"), list):
        raise Stop("The notebook has format 3; open it in Jupyter and save it again.")
    if not isinstance(cells, list):
        raise Stop("The file is JSON, but no notebook: it has no list of cells.")
    found = []
    for cell in cells:
        if not isinstance(cell, dict) or cell.get("cell_type") != "code":
            continue
        source = cell.get("source", "")
        if isinstance(source, list):
            source = "".join(line for line in source if isinstance(line, str))
        if not isinstance(source, str):
            continue
        metadata = cell.get("metadata")
        identities = [cell.get("id"), metadata.get("id") if isinstance(metadata, dict) else None]
        known = [one for one in identities if isinstance(one, str) and one.startswith(IDENTITY)]
        source = source.replace("\r\n", "\n").replace("\r", "\n").replace("\x00", "")
        found.append(Cell(source, known[0] if known else ""))
    return found


def markdown_cells(text: str) -> list[Cell]:
    """The fenced blocks of Python, without the options that MyST writes at their top."""
    cells, block, fence = [], [], ""
    for line in text.split("\n"):
        if fence:
            if line.startswith(fence) and not line[len(fence) :].strip("`~ \t"):
                cells.append(Cell(OPTIONS.sub("", "\n".join(block))))
                fence = ""
            else:
                block.append(line)
        elif opened := FENCE.match(line):
            fence, block = opened[1], []
    if fence:  # the file ends within a block
        cells.append(Cell("\n".join(block)))
    return cells


def script_cells(text: str) -> list[Cell]:
    """The cells of a script in percent format; without `# %%`, cut before each `# TASK:` line."""
    percent = any(PERCENT.match(line) for line in text.split("\n"))
    cells, block, code = [], [], True
    for line in text.split("\n"):
        opened = PERCENT.match(line) if percent else None
        if opened or (not percent and line.startswith(MARK.strip())):
            if code:
                cells.append(Cell("\n".join(block)))
            block, code = ([], not TEXT_CELL.search(opened["rest"])) if opened else ([line], True)
        else:
            block.append(line)
    if code:
        cells.append(Cell("\n".join(block)))
    return [cell for cell in cells if any(plain(cell.source))]  # comments alone, such as the header


def same_text(source: str, stub: str) -> bool:
    """Whether two sources have the same lines, comments, blank lines and indentation aside."""
    return all(one == other for one, other in zip_longest(plain(source), plain(stub)))


def plain(source: str) -> Iterator[str]:
    for line in source.splitlines():
        if words := line.partition("#")[0].split():
            yield " ".join(words)


def short(error: Exception) -> str:
    return str(error).split("\n")[0][:120]
