"""Which lines are the user's, and what is written there.

Hooks store a position as nested `(code, instruction offset, caller)`, which is cheap to take and
becomes a `Place` only when a report needs it; for graph operations, as a list of `Place`s.
"""

from __future__ import annotations

import ast
import linecache
import os
import re
import site
import sysconfig
from functools import cache, lru_cache
from types import CodeType, FrameType
from typing import Any

from whynone.recording import Place

_here = os.path.dirname(os.path.abspath(__file__))
_user_roots: list[str] = []
_ours: dict[str, bool] = {}


def _library_roots() -> list[str]:
    paths = sysconfig.get_paths()
    roots = [paths[key] for key in ("stdlib", "platstdlib", "purelib", "platlib") if key in paths]
    roots += site.getsitepackages() if hasattr(site, "getsitepackages") else []
    roots.append(site.getusersitepackages())
    roots.append(_here)
    return sorted({os.path.normcase(os.path.abspath(root)) + os.sep for root in roots})


_libraries = tuple(_library_roots())


def add_user_root(folder: str) -> None:
    """Count every file below `folder` as the user's own, wherever it lies."""
    _user_roots.append(os.path.normcase(os.path.abspath(folder)) + os.sep)
    _ours.clear()
    is_user_file.cache_clear()


@cache
def is_user_file(file: str) -> bool:
    """True if `file` is neither installed, nor Python's own, nor generated."""
    if file.startswith("<"):
        return file.startswith(("<stdin", "<ipython", "<cell", "<doctest", "<console"))
    if "__autograph_generated_file" in file:
        return False
    path = os.path.normcase(os.path.abspath(file))
    if path.startswith(_here + os.sep):
        return False
    if any(path.startswith(root) for root in _user_roots):
        return "site-packages" not in path or any(
            "site-packages" in root and path.startswith(root) for root in _user_roots
        )
    if "site-packages" in path or "dist-packages" in path:
        return False
    return not path.startswith(_libraries)


def user_position(frame: FrameType | None) -> tuple | None:
    """The user's frames, as `(code, instruction offset, the same for the caller or None)`."""
    known = _ours
    found = []
    while frame is not None:
        code = frame.f_code
        file = code.co_filename  # a code object's own hash is slow
        if file in known:
            if known[file]:
                found.append((code, frame.f_lasti))
        else:
            known[file] = is_user_file(file)
            continue
        frame = frame.f_back
    position = None
    for code, offset in reversed(found):
        position = (code, offset, position)
    return position


def user_frame(frame: FrameType | None) -> FrameType | None:
    """The innermost frame of the user's."""
    while frame is not None:
        if is_user_file(frame.f_code.co_filename):
            return frame
        frame = frame.f_back
    return None


def place_of(where: Any) -> Place | None:
    """The `Place` of a stored position; None if no line of the user's is in it."""
    if isinstance(where, Place):
        return where
    if isinstance(where, tuple):
        return _place_of_code(where[0], where[1])
    return where[-1] if where else None


def traced_position(stack: Any) -> list[Place]:
    """The user's lines in TensorFlow's stack trace, outermost first.

    The trace itself must not be kept: it belongs to the operation and dies with its graph. An
    operation of a loaded graph has none.
    """
    return [Place(f.filename, f.lineno, f.name) for f in stack or () if is_user_file(f.filename)]


def place_in(where: Any, home: Any) -> Place | None:
    """The line, in the function that `home` lies in, from which `where` was reached."""
    if where is None or home is None:
        return None
    wanted = _function_of(home)
    if isinstance(where, tuple):
        while where is not None:
            if (where[0].co_filename, where[0].co_name) == wanted:
                return place_of(where)
            where = where[2]
        return None
    if isinstance(where, Place):
        return where if (where.file, where.function) == wanted else None
    return next((p for p in reversed(where) if (p.file, p.function) == wanted), None)


def called_at(where: Any, home: Any) -> Place | None:
    """The line that called the model or layer which `where` lies in; else `where` itself.

    Nobody moves a line out of a `call` method, but everybody can call the model elsewhere. What
    runs in `__init__` or `build`, or in the function of `home`, is meant as it stands.
    """
    chain = _chain(where)
    own = _function_of(home) if home is not None else None
    functions = [_function_of(position) for position in chain]
    start = max((i for i, f in enumerate(functions) if f == own or f[1] in _MAKING), default=0)
    for i in range(start + 1, len(chain)):
        if functions[i][1] in _CALLED:
            return place_of(chain[i - 1])
    return place_of(chain[-1]) if chain else None


_MAKING = ("__init__", "build")
_CALLED = ("call", "__call__", "forward")


def _chain(where: Any) -> list[Any]:
    """A position and those of its callers, outermost first."""
    if not isinstance(where, tuple):
        return [where] if isinstance(where, Place) else list(where or ())
    found = []
    while where is not None:
        found.append(where)
        where = where[2]
    return found[::-1]


def _function_of(where: Any) -> tuple[str, str] | None:
    if isinstance(where, tuple):
        return where[0].co_filename, where[0].co_name
    place = where if isinstance(where, Place) else place_of(where)
    return (place.file, place.function) if place else None


def _place_of_code(code: CodeType, offset: int) -> Place:
    if hasattr(code, "co_positions"):
        line, end_line, column, end_column = next(
            (p for i, p in enumerate(code.co_positions()) if i == offset // 2),
            (None, None, None, None),
        )
        if line is not None:
            text = linecache.getline(code.co_filename, line).encode()
            last = linecache.getline(code.co_filename, end_line or line).encode()
            return Place(
                code.co_filename,
                line,
                code.co_name,
                _characters(text, column),
                end_line,
                _characters(last, end_column),
            )
    line = code.co_firstlineno
    for start, end, number in code.co_lines():
        if start <= offset < end and number is not None:
            line = number
    return Place(code.co_filename, line, code.co_name)


def _characters(text: bytes, column: int | None) -> int | None:
    """Positions in code are counted in UTF-8 bytes; reports count characters."""
    return None if column is None else len(text[:column].decode(errors="replace"))


def source_line(place: Place) -> str:
    """The text of the line, without its newline; empty if the file cannot be read."""
    return linecache.getline(place.file, place.line).rstrip("\n")


@lru_cache(maxsize=64)
def _tree(file: str, text: str) -> ast.Module | None:
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError):
        pass
    # A notebook cell may hold %magics: blank them out, so that line numbers stay.
    lines = ["" if re.match(r"\s*[%!]", line) else line for line in text.split("\n")]
    try:
        return ast.parse("\n".join(lines))
    except (SyntaxError, ValueError):
        return None


def tree_of(file: str) -> ast.Module | None:
    """The syntax tree of a source file or notebook cell, None if it cannot be read."""
    return _tree(file, "".join(linecache.getlines(file)))


def statement_at(file: str, line: int) -> ast.stmt | None:
    """The innermost statement that covers `line`; for a compound one, only its header."""
    tree = tree_of(file)
    best = None
    for node in ast.walk(tree) if tree else ():
        if not isinstance(node, ast.stmt):
            continue
        covers = node.lineno <= line <= (node.end_lineno or node.lineno)
        if covers and (best is None or node.lineno >= best.lineno):
            best = node
    return best


def call_at(place: Place, names: set[str]) -> ast.Call | None:
    """The call to a function or method of one of `names` at `place`."""
    tree = tree_of(place.file)
    found = []
    for node in ast.walk(tree) if tree else ():
        if not isinstance(node, ast.Call):
            continue
        name = getattr(node.func, "attr", getattr(node.func, "id", None))
        if name not in names:
            continue
        if not node.lineno <= place.line <= (node.end_lineno or node.lineno):
            continue
        exact = (node.lineno, node.col_offset) == (place.line, place.column)
        found.append((exact, node))
    if not found:
        return None
    exact = [node for is_exact, node in found if is_exact]
    return (exact or [node for _, node in found])[0]


def text_of(node: ast.AST) -> str:
    """The source of an expression on one line."""
    return re.sub(r"\s+", " ", ast.unparse(node))


def shown(file: str) -> str:
    """A file name as a reader wants it: relative to here if it lies below."""
    if file.startswith("<"):
        return file
    try:
        relative = os.path.relpath(file)
    except ValueError:
        return file
    return file if relative.startswith("..") else relative
