"""Cuts out of a source file what a few names need: probes become programs without the answers.

An exercise's spec.py holds the probes beside the reference and the bank of answers. Neither a
student nor a sandbox may see that file. So each probe is cut out, with the top-level definitions
and imports that it needs, by what the syntax tree and the symbol table say.
"""

import ast
import inspect
import symtable
import types
from collections.abc import Iterable
from pathlib import Path

from classroom.environment import ROOT
from classroom.messages import Stop
from classroom.spec import Probe, Task

OURS = ("solutions", "whynone")  # packages that are handed out in pieces
# whynone explains a None wherever student code runs, so it goes along as a whole, but for the
# module that is the last lesson's reference: of that only what its exercise imports.
WHYNONE = ROOT / "solutions" / "whynone"
OF_BY_HAND = ["Step"]
PLAIN = (str, int, float, bool, type(None))


class Source:
    """A Python source, its top-level statements, and what each of them defines and needs."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.statements = ast.parse(text).body
        self.makes: dict[str, list[int]] = {}  # a name → the statements that bind it
        for index, statement in enumerate(self.statements):
            for name in bound_names(statement):
                self.makes.setdefault(name, []).append(index)

    def needed(self, code: str) -> set[str]:
        """The top-level names that a piece of code needs, directly or through others."""
        found: set[str] = set()
        waiting = [code]
        while waiting:
            for name in global_names(waiting.pop()) & self.makes.keys():
                if name not in found:
                    found.add(name)
                    waiting += [self.segment(index) for index in self.makes[name]]
        return found

    def segment(self, index: int) -> str:
        node = self.statements[index]
        decorators = getattr(node, "decorator_list", [])
        first = min([node.lineno, *(decorator.lineno for decorator in decorators)])
        return "\n".join(self.text.splitlines()[first - 1 : node.end_lineno])

    def cut(self, names: set[str]) -> str:
        """The statements that bind these names, in their order; imports hold nothing more."""
        pieces = []
        for index, statement in enumerate(self.statements):
            if is_future(statement):
                pieces.append(self.segment(index))
            elif isinstance(statement, (ast.Import, ast.ImportFrom)):
                aliases = [alias for alias in statement.names if bound_name(alias) in names]
                if aliases:
                    statement.names, kept = aliases, statement.names
                    pieces.append(ast.unparse(statement))
                    statement.names = kept
            elif bound_names(statement) & names:
                apart = isinstance(statement, (ast.FunctionDef, ast.ClassDef))
                pieces.append(("\n\n" if apart else "") + self.segment(index))
        return "\n".join(pieces).strip() + "\n"


def bound_names(statement: ast.stmt) -> set[str]:
    """The names that a top-level statement binds."""
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return {statement.name}
    if isinstance(statement, (ast.Import, ast.ImportFrom)):
        return {bound_name(alias) for alias in statement.names}
    table = symtable.symtable(ast.unparse(statement), "<statement>", "exec")
    return {symbol.get_name() for symbol in table.get_symbols() if symbol.is_assigned()}


def bound_name(alias: ast.alias) -> str:
    return alias.asname or alias.name.split(".")[0]


def is_future(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.ImportFrom) and statement.module == "__future__"


def global_names(code: str) -> set[str]:
    """The names that a piece of code reads from its module, in functions within it too."""
    found, tables = set(), [symtable.symtable(code, "<code>", "exec")]
    while tables:
        table = tables.pop()
        tables += table.get_children()
        module = table.get_type() == "module"
        for symbol in table.get_symbols():
            if symbol.is_referenced() and (module or symbol.is_global()):
                found.add(symbol.get_name())
    return found


# --- a probe becomes a program --------------------------------------------------------------


def probe_program(probe: Probe, task: Task) -> str:
    """A self-contained source that defines `arguments()`, which makes this probe's arguments.

    Raises:
        Stop: the probe needs what must not be handed out, or cannot be cut out; the message
            names the probe.
    """
    here = f"{task.slug}: the probe “{probe.label}” of `{task.name}`"
    source = Source(spec_file(task).read_text(encoding="utf-8"))
    made = maker_text(probe, source, here)
    names = source.needed(made)
    refused = names & answers_in(task)
    if refused:
        raise Stop(
            f"{here} needs `{min(refused)}`, which is an answer to the task or leads to one. Give "
            f"the probe a helper of its own in spec.py."
        )
    program = f"{source.cut(names)}\n\narguments = {made}\n"
    refuse_neighbours(program, spec_file(task).parent, here)
    return program


def refuse_neighbours(program: str, folder: Path, here: str) -> None:
    """Stop if a program imports a file that lies beside spec.py: it is not handed out."""
    for node in ast.walk(ast.parse(program)):
        modules = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        modules += [node.module] if isinstance(node, ast.ImportFrom) else []
        for module in modules:
            if (folder / f"{module.split('.')[0]}.py").exists():
                raise Stop(f"{here} imports {module}, which stays with you. Move it into spec.py.")


def spec_file(task: Task) -> Path:
    """The file in which the task's bank is written."""
    bank = [*(wrong.answer for wrong in task.wrong), *task.right]
    if not bank:
        raise Stop(f"{task.slug}: `{task.name}` has neither right nor wrong answers to try.")
    return Path(inspect.getsourcefile(bank[0]))


def answers_in(task: Task) -> set[str]:
    """The names of spec.py that must stay there: reference, bank, and what specs are made of."""
    bank = [*task.right, *(wrong.answer for wrong in task.wrong), task.start]
    names = {function.__name__ for function in bank if function is not None}
    return names | {"reference", "Task", "Probe", "Wrong", "TASKS", task.name}


def maker_text(probe: Probe, source: Source, here: str) -> str:
    """An expression for the probe's `arguments`: a name, a lambda, or what spec.py writes there."""
    function = probe.arguments
    if isinstance(function, types.FunctionType) and not function.__closure__:
        if function.__name__ in source.makes and function.__qualname__ == function.__name__:
            return function.__name__
        if function.__name__ == "<lambda>" and all_plain(function.__defaults__ or ()):
            return lambda_text(function, source, here)
    written = {
        ast.unparse(node.args[1])
        for node in ast.walk(ast.parse(source.text))
        if isinstance(node, ast.Call)
        and getattr(node.func, "id", None) == "Probe"
        and len(node.args) > 1
        and getattr(node.args[0], "value", None) == probe.label
    }
    if len(written) != 1:
        raise Stop(f"{here}: what makes its arguments cannot be cut out. Write a def at top level.")
    return written.pop()


def all_plain(values: Iterable) -> bool:
    return all(isinstance(value, PLAIN) for value in values)


def lambda_text(function: types.FunctionType, source: Source, here: str) -> str:
    """The source of a lambda, found by its line and its code; its defaults become constants."""
    code, defaults = function.__code__, function.__defaults__ or ()
    imports = [node for node in source.statements if isinstance(node, (ast.Import, ast.ImportFrom))]
    found = {
        ast.unparse(node): node
        for node in ast.walk(ast.parse(source.text))
        if isinstance(node, ast.Lambda)
        and node.lineno == code.co_firstlineno
        and same_code(lambda_code(node, imports), code)
    }
    if len(found) != 1:
        raise Stop(f"{here}: its lambda cannot be told from others on its line. Write a def.")
    node = next(iter(found.values()))
    node.args.defaults = [ast.Constant(value) for value in defaults]
    return ast.unparse(node)


def lambda_code(node: ast.Lambda, imports: list[ast.stmt]) -> types.CodeType:
    # Python compiles `tf.exp(x)` differently where it sees that `tf` was imported.
    body = [*imports, ast.Expr(node, lineno=node.lineno, col_offset=0)]
    module = compile(ast.Module(body, type_ignores=[]), "<lambda>", "exec")
    return next(const for const in module.co_consts if isinstance(const, types.CodeType))


def same_code(one: types.CodeType, other: types.CodeType) -> bool:
    """Whether two code objects do the same, wherever they stand."""
    if (one.co_code, one.co_names, one.co_varnames, one.co_freevars) != (
        other.co_code,
        other.co_names,
        other.co_varnames,
        other.co_freevars,
    ):
        return False
    if len(one.co_consts) != len(other.co_consts):
        return False
    for a, b in zip(one.co_consts, other.co_consts, strict=True):
        if isinstance(a, types.CodeType) and isinstance(b, types.CodeType):
            if not same_code(a, b):
                return False
        elif (type(a), repr(a)) != (type(b), repr(b)):
            return False
    return True


# --- what programs and exercises import from us ---------------------------------------------


def support_files(
    codes: Iterable[tuple[str, str]], answers: set[tuple[str, str]]
) -> dict[str, str]:
    """The pieces of `solutions` that these codes import, as files to put beside them.

    Args:
        codes: pairs of who needs it, for a message, and a source.
        answers: pairs of a module and a name in it that must not be handed out.

    Returns:
        Texts by path, such as `solutions/intermediate_activations.py`; empty if nothing is needed.

    Raises:
        Stop: a code needs an answer, directly or through another function.
    """
    wanted: dict[str, set[str]] = {}  # a module → its names that are needed
    for who, code in codes:
        waiting = list(imported(code))
        while waiting:
            module, name = waiting.pop()
            if module.split(".")[0] == "whynone" or name in wanted.get(module, ()):
                continue
            source = Source(module_file(module, who).read_text(encoding="utf-8"))
            names = source.makes.keys() if name == "*" else {name} | source.needed(name)
            refused = {other for other in names if (module, other) in answers}
            if refused:
                raise Stop(
                    f"{who} needs `{name}` from {module}, and with it `{min(refused)}`, which is "
                    f"an answer in this assignment. Assign the two lessons apart."
                )
            wanted.setdefault(module, set()).update(names)
            waiting += imported(source.cut(set(names)))
    files = {"solutions/__init__.py": ""} if wanted else {}
    for module, names in sorted(wanted.items()):
        text = module_file(module, "").read_text(encoding="utf-8")
        files[module.replace(".", "/") + ".py"] = Source(text).cut(names)
    return files


def imported(code: str) -> Iterable[tuple[str, str]]:
    """Pairs of one of our modules and the name imported from it; "*" for the module itself."""
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.split(".")[0] in OURS:
                    yield alias.name, "*"
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in OURS:
            for alias in node.names:
                whole = node.module == "solutions"
                yield (f"solutions.{alias.name}", "*") if whole else (node.module, alias.name)


def module_file(module: str, who: str) -> Path:
    file = ROOT.joinpath(*module.split(".")).with_suffix(".py")
    if not file.exists():
        raise Stop(f"{who} imports {module}, of which there is no file {file.name}.")
    return file


def whynone_files() -> dict[str, str]:
    """The package `whynone` as it may stand beside student code: texts by path, no answers."""
    files = {}
    for file in sorted(WHYNONE.rglob("*.py")):
        files[file.relative_to(WHYNONE.parent).as_posix()] = file.read_text(encoding="utf-8")
    by_hand = Source(files["whynone/by_hand.py"])
    names = {name for wanted in OF_BY_HAND for name in {wanted} | by_hand.needed(wanted)}
    files["whynone/by_hand.py"] = by_hand.cut(names)
    return files
