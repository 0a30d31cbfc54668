"""Takes the answers out of a submitted file: .ipynb, .md or .py, however an editor treated it.

A student's file is read as text, by regular expressions and the json module, and never parsed as
Python: what could hang or crash a clever reader runs in the sandbox (classroom.needed). That is
also why jupytext, which parses, is not used here; the tests compare with it.
"""

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass

from classroom.key import Key
from classroom.limits import Limits
from classroom.messages import Stop
from classroom.stubs import MARK

CELLS = 2000
IDENTITY = "task-"  # the cell of a task has the id `task-<name>` in the handed-out notebook
FENCE = re.compile(r"^(```+|~~~+)[ \t]*\{?(?:code-cell|\.?i?python3?)\b.*$")
PERCENT = re.compile(r"^#[ \t]*%%(?P<rest>.*)$")
TEXT_CELL = re.compile(r"\[(markdown|md|raw)\]")
TASK = re.compile(r"^[ \t]*#[ \t]*TASK[ \t]*:[ \t]*(\w+)", re.MULTILINE)


@dataclass(frozen=True)
class Extracted:
    """The source of each answered task, and what else the file holds.

    `extra` is the source of the other code cells, in order: the sandbox takes from it the
    definitions that an answer needs. `notes` say what was unusual.
    """

    answers: dict[str, str]
    extra: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Cell:
    source: str
    identity: str = ""


def answers(data: bytes, name: str, key: Key, limits: Limits | None = None) -> Extracted:
    """The answers to the key's tasks in a submitted file.

    A cell answers the task that its `# TASK:` comment names; without one, the task of its cell
    id; without that, the task whose function it defines. Of several cells for one task the last
    that is not the untouched stub counts.

    Args:
        data: the file as handed in.
        name: its name; the ending decides how it is read, except that JSON is always a notebook.
        key: the assignment's key.
        limits: how large a file may be.

    Raises:
        Stop: the file is empty, too large, not readable, or holds no cell of a task.
    """
    most = (limits or Limits()).notebook
    if len(data) > most:
        raise Stop(f"The file has {len(data):,} bytes; at most {most:,} are read.")
    cells, notes = read_cells(data, name)
    if len(cells) > CELLS:
        raise Stop(f"The notebook has {len(cells)} code cells; at most {CELLS} are read.")
    tasks = {task.name: task for task in key.tasks}
    found = {name: [cell for cell in cells if name in marked(cell, tasks)] for name in tasks}
    for name in tasks:
        if not found[name]:
            found[name] = [cell for cell in cells if defines(cell, name)]
            if found[name]:
                notes.append(f"`{name}` was found by its `def`: its `# TASK:` line is gone.")
    if not any(found.values()):
        raise Stop("No cell of a task was found: none has a `# TASK:` line or defines a task.")
    chosen = {}
    for name, own in found.items():
        if len(own) > 1:
            notes.append(f"`{name}` has {len(own)} cells; the last that is filled in counts.")
        written = [cell for cell in own if not same_text(cell.source, tasks[name].stub)] or own
        if written:
            chosen[name] = written[-1].source
    extra = [cell.source for cell in cells if cell.source not in chosen.values()]
    return Extracted(chosen, tuple(extra), tuple(notes))


def marked(cell: Cell, tasks: Iterable[str]) -> set[str]:
    """The tasks that a cell's comments name; without such a comment, the task of its cell id."""
    named = {mark[1] for mark in TASK.finditer(cell.source)} & set(tasks)
    if not named and cell.identity.startswith(IDENTITY):
        named = {cell.identity.removeprefix(IDENTITY)} & set(tasks)
    return named


def defines(cell: Cell, name: str) -> bool:
    return bool(re.search(rf"^(async[ \t]+)?def[ \t]+{name}\b", cell.source, re.MULTILINE))


def read_cells(data: bytes, name: str) -> tuple[list[Cell], list[str]]:
    """The code cells of a file, and notes on how it was read."""
    text = decode(data)
    ending = name.rsplit(".", 1)[-1].lower() if "." in name else ""
    if not text.strip():
        raise Stop("The file is empty.")
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
    """The fenced blocks of Python."""
    cells, block, fence = [], [], ""
    for line in text.split("\n"):
        if fence:
            if line.startswith(fence) and not line[len(fence) :].strip("`~ \t"):
                cells.append(Cell("\n".join(block)))
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
    return [cell for cell in cells if plain(cell.source)]  # comments alone, such as the header


def same_text(source: str, stub: str) -> bool:
    """Whether two sources have the same lines, comments, blank lines and indentation aside."""
    return plain(source) == plain(stub)


def plain(source: str) -> list[str]:
    lines = (line.split("#")[0].split() for line in source.splitlines())
    return [" ".join(words) for words in lines if words]


def short(error: Exception) -> str:
    return str(error).split("\n")[0][:120]
