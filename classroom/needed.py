"""Chooses what of a notebook's other cells an answer needs, and reads cells as IPython would.

It reads a student's syntax trees, so it runs where a student's code runs: in the sandbox. A parser
that hostile source has brought down then takes nothing with it.
"""

import ast
import re

BODY_MAGICS = ("%%time", "%%timeit", "%%capture", "%%prun")  # their cell's body is Python
ASSIGNED = re.compile(r"^(\s*)([A-Za-z_][\w, ]*?)\s*=\s*[%!].*$")  # files = !ls
HELP = re.compile(r"^\s*\??\??[\w.]+\s*\?{1,2}\s*$|^\s*\?{1,2}[\w.]+\s*$")  # tf.gradients?
DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def parse_cell(source: str) -> list[ast.stmt]:
    """The statements of a cell. IPython's own syntax is replaced by `pass`, line for line.

    Raises:
        SyntaxError: what is left is no Python.
    """
    lines = source.splitlines()
    if lines and first_line(lines).startswith("%%"):
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
            lines[found - 1] = harmless(lines[found - 1])
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


def needed(answer: list[ast.stmt], pool: list[ast.stmt]) -> list[ast.stmt]:
    """The statements of `pool` that bind or fill a name the answer uses, also through others.

    They keep their order. Statements that only do something (a print, a plot, a `check`) are left
    out. A name that the answer binds itself is its own.
    """
    wanted = used(answer) - set().union(*map(bound, answer), set())
    imports = (ast.Import, ast.ImportFrom)
    objects = set().union(*(bound(one) for one in pool if not isinstance(one, imports)), set())
    taken: set[int] = set()
    while True:
        new = [
            index
            for index, statement in enumerate(pool)
            if index not in taken and (bound(statement) | filled(statement) & objects) & wanted
        ]
        if not new:
            return [statement for index, statement in enumerate(pool) if index in taken]
        taken.update(new)
        for index in new:
            wanted |= used([pool[index]])


def used(statements: list[ast.stmt]) -> set[str]:
    names = set()
    for statement in statements:
        for node in ast.walk(statement):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                names.add(node.id)
            elif isinstance(node, (ast.Global, ast.Nonlocal)):
                names.update(node.names)
            elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
                names.add(node.target.id)
    return names


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
            called = node.value.func
            names.add(root(called) if isinstance(called, ast.Attribute) else None)
    return names - {None}


def root(node: ast.AST) -> str | None:
    while isinstance(node, (ast.Subscript, ast.Attribute)):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None
