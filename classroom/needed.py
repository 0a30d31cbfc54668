"""Chooses what of a notebook's other cells an answer needs, and reads cells as IPython would.

It reads a student's syntax trees, so it runs where a student's code runs: in the sandbox. A parser
that hostile source has brought down then takes nothing with it.
"""

import ast
import contextlib
import dis
import re
import types

BODY_MAGICS = ("%%time", "%%timeit", "%%capture", "%%prun")  # their cell's body is Python
ASSIGNED = re.compile(r"^(\s*)([A-Za-z_][\w, ]*?)\s*=\s*[%!].*$")  # files = !ls
HELP = re.compile(r"^\s*\??\??[\w.]+\s*\?{1,2}\s*$|^\s*\?{1,2}[\w.]+\s*$")  # tf.gradients?
DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
FROM_OUTSIDE = ("LOAD_NAME", "LOAD_GLOBAL", "STORE_GLOBAL", "LOAD_FROM_DICT_OR_GLOBALS")


def parse_cell(source: str) -> list[ast.stmt]:
    """The statements of a cell. IPython's own syntax is replaced by `pass`, line for line.

    As IPython does, it takes a cell that is indented as a whole for one that is not.

    Raises:
        SyntaxError: what is left is no Python.
    """
    lines = source.split("\n")  # and not at what only str.splitlines takes for a line's end
    begins = next((line for line in lines if line.strip()), "")
    indent = begins[: len(begins) - len(begins.lstrip(" \t"))]
    lines = [line.removeprefix(indent) for line in lines]
    if first_line(lines).startswith("%%"):
        magic = first_line(lines)
        lines = [line if line.strip() != magic else "" for line in lines]
        if magic.split()[0] not in BODY_MAGICS:
            return []
    for _ in range(len(lines) + 1):
        try:
            return ast.parse("\n".join(lines) + "\n").body
        except SyntaxError as error:
            # The parser may stumble a line later than the magic stands: look upwards from there.
            at = min(error.lineno or len(lines), len(lines))
            found = next((n for n in range(at, max(at - 3, 0), -1) if is_magic(lines[n - 1])), None)
            if found is None:
                raise
            end = found  # a shell command may go on in the next line
            while end < len(lines) and lines[end - 1].endswith("\\"):
                end += 1
            lines[found - 1 : end] = [harmless(lines[found - 1]), *[""] * (end - found)]
    return []


def first_line(lines: list[str]) -> str:
    return next((line.strip() for line in lines if line.strip() and line.strip()[0] != "#"), "")


def is_magic(line: str) -> bool:
    return line.lstrip().startswith(("%", "!")) or bool(ASSIGNED.match(line) or HELP.match(line))


def harmless(line: str) -> str:
    assigned = ASSIGNED.match(line)
    if assigned:
        return f"{assigned[1]}{assigned[2]} = None"
    return line[: len(line) - len(line.lstrip())] + "pass"


def needed(
    answer: list[ast.stmt], pool: list[ast.stmt], above: int | None = None
) -> list[ast.stmt]:
    """The statements of `pool` that bind or fill a name the answer uses, also through others.

    They keep their order. Statements that only do something (a print, a plot, a `check`) are left
    out. A name that the answer binds itself is its own.

    Args:
        answer: the statements of the answer's cell.
        pool: those of the other cells.
        above: how many of the pool stand above the answer. What these bind, one below does not
            bind again: so it was when the answer was tried, and is when all cells are run.
    """
    own = set().union(*map(bound, answer), set())
    settled = set().union(*map(bound, pool[:above]), set()) if above is not None else set()
    return chosen(used(answer) - own, pool, objects(pool), settled, above or 0)


def without_trials(answer: list[ast.stmt], name: str) -> list[ast.stmt]:
    """A cell's statements without those below its last `name` that only try it out."""
    last = max((n for n, one in enumerate(answer) if name in bound(one)), default=len(answer))
    kept, below = answer[: last + 1], answer[last + 1 :]
    return kept + chosen(used(kept) | {name}, below, objects(answer))


def chosen(
    wanted: set[str],
    pool: list[ast.stmt],
    fillable: set[str],
    settled: set[str] = frozenset(),
    above: int = 0,
) -> list[ast.stmt]:
    wanted = wanted | {"*"}  # what `from math import *` binds is not known before it is run
    setters = {one.name: sets(one) for one in pool if isinstance(one, DEFINITIONS)}
    gives = []
    for index, statement in enumerate(pool):
        names = bound(statement) | filled(statement) & fillable
        names |= setters.get(called(statement), set())
        gives.append(names if index < above else names - (settled - {"*"}))
    taken: set[int] = set()
    while True:
        new = [n for n, names in enumerate(gives) if n not in taken and names & wanted]
        if not new:
            return [statement for index, statement in enumerate(pool) if index in taken]
        taken.update(new)
        for index in new:
            wanted |= used([pool[index]])


def objects(pool: list[ast.stmt]) -> set[str]:
    """What a pool binds, but for its imports: nobody fills a module."""
    own = (bound(one) for one in pool if not isinstance(one, (ast.Import, ast.ImportFrom)))
    return set().union(*own, set())


def used(statements: list[ast.stmt]) -> set[str]:
    """The names that statements, and the functions in them, have from outside.

    The compiler knows them. A function's own variables do not count, whatever they are called.
    """
    names, waiting = set(), []
    for statement in statements:
        with contextlib.suppress(SyntaxError, ValueError, RecursionError, MemoryError):
            module = ast.Module([statement], [])
            waiting.append(compile(module, "<cell>", "exec", dont_inherit=True))
    while waiting:
        code = waiting.pop()
        waiting += [value for value in code.co_consts if isinstance(value, types.CodeType)]
        names |= {one.argval for one in dis.get_instructions(code) if one.opname in FROM_OUTSIDE}
    return names


def sets(statement: ast.stmt) -> set[str]:
    """The names that a function declares global: a call of it may bind them."""
    found = (node.names for node in ast.walk(statement) if isinstance(node, ast.Global))
    return set().union(*found, set())


def called(statement: ast.stmt) -> str | None:
    """The name `f` where the statement is `f(…)`."""
    call = statement.value if isinstance(statement, ast.Expr) else None
    return call.func.id if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) else None


def bound(statement: ast.stmt) -> set[str]:
    """The top-level names that a statement binds."""
    if isinstance(statement, DEFINITIONS):
        return {statement.name}
    names = set()
    waiting: list[ast.AST] = [statement]
    while waiting:
        node = waiting.pop()
        if isinstance(node, DEFINITIONS):
            names.add(node.name)
            continue
        if isinstance(node, (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp)):
            continue
        if isinstance(node, ast.alias):
            names.add((node.asname or node.name).split(".")[0])
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        waiting += ast.iter_child_nodes(node)
    return names


def filled(statement: ast.stmt) -> set[str]:
    """The names whose objects a statement changes: `cache["a"] = 1`, `layers.append(one)`."""
    if isinstance(statement, DEFINITIONS):
        return set()
    names = set()
    for node in ast.walk(statement):
        if isinstance(node, (ast.Subscript, ast.Attribute)) and isinstance(node.ctx, ast.Store):
            names.add(root(node))
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            function = node.value.func
            names.add(root(function) if isinstance(function, ast.Attribute) else None)
    return names - {None}


def root(node: ast.AST) -> str | None:
    while isinstance(node, (ast.Subscript, ast.Attribute)):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None
