"""Reading the user's source backwards: which expression took a value out of TensorFlow.

Only the syntax tree is read, nothing is run. Used where no hook can see the value leave: NumPy
reads a tensor's memory without calling any Python method.
"""

from __future__ import annotations

import ast

from whynone.places import statement_at, text_of, tree_of
from whynone.recording import Place

LEAVING_METHODS = {
    "numpy",
    "item",
    "tolist",
    "predict",
    "predict_on_batch",
    "__array__",
    "numpy_function",
    "convert_to_numpy",
}
SIZES = {"size", "shape", "rank", "shape_n"}
LEAVING_FUNCTIONS = {"float", "int", "bool", "complex"}
MAKING = {
    "random",
    "zeros",
    "ones",
    "full",
    "arange",
    "linspace",
    "eye",
    "load",
    "empty",
    "loadtxt",
    "default_rng",
    "seed",
    "genfromtxt",
    "identity",
}
DRAWING = {
    "beta",
    "binomial",
    "choice",
    "dirichlet",
    "exponential",
    "gamma",
    "gumbel",
    "laplace",
    "lognormal",
    "multinomial",
    "multivariate_normal",
    "normal",
    "poisson",
    "uniform",
}


def root_name(expression: str) -> str:
    """`model` of `model.layers[0].kernel`; empty if the expression does not start with a name."""
    try:
        node: ast.AST = ast.parse(expression, mode="eval").body
    except SyntaxError:
        return ""
    while isinstance(node, (ast.Attribute, ast.Subscript, ast.Call)):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else ""


def targets(statement: ast.stmt | None) -> list[str]:
    """What a statement assigns to, each as written."""
    if isinstance(statement, ast.Assign):
        nodes = statement.targets
    elif isinstance(statement, (ast.AugAssign, ast.AnnAssign, ast.For)):
        nodes = [statement.target]
    else:
        return []
    flat: list[str] = []
    while nodes:
        node = nodes[0]
        nodes = nodes[1:]
        if isinstance(node, (ast.Tuple, ast.List)):
            nodes = [*node.elts, *nodes]
        elif isinstance(node, ast.Starred):
            nodes = [node.value, *nodes]
        else:
            flat.append(text_of(node))
    return flat


def bound_before(place: Place, name: str) -> bool:
    """Is `name` also bound on another line before `place` in the same function?"""
    return any(
        statement.lineno < place.line for statement in _assignments(place.file, place.line, name)
    )


def kept_at(file: str, expression: str) -> Place | None:
    """Where the attribute or item that `expression` ends with is assigned, outside `__init__`."""
    tree = tree_of(file)
    try:
        wanted = ast.parse(expression, mode="eval").body
    except SyntaxError:
        return None
    if tree is None or not isinstance(wanted, (ast.Attribute, ast.Subscript)):
        return None
    for node in ast.walk(tree):
        for target in node.targets if isinstance(node, ast.Assign) else ():
            same = (
                isinstance(target, ast.Attribute)
                and isinstance(wanted, ast.Attribute)
                and target.attr == wanted.attr
            ) or (
                isinstance(target, ast.Subscript)
                and isinstance(wanted, ast.Subscript)
                and text_of(target.slice) == text_of(wanted.slice)
            )
            if same and not isinstance(node.value, ast.Constant):
                return Place(
                    file, node.lineno, "", node.col_offset, node.end_lineno, node.end_col_offset
                )
    return None


def departure(place: Place | None, expression: str) -> Place | None:
    """Where the value of `expression`, used at `place`, was taken out of TensorFlow."""
    if place is None or not expression:
        return None
    try:
        node = ast.parse(expression, mode="eval").body
    except SyntaxError:
        return None
    if _numpy_names(place.file) is None:
        return None
    return _search(place.file, place.line, node, set(), 0, positioned=False)


def departure_into(place: Place | None) -> Place | None:
    """Where a value used on the line of `place` was taken out of TensorFlow."""
    statement = statement_at(place.file, place.line) if place is not None else None
    if statement is None or isinstance(
        statement, (ast.FunctionDef, ast.ClassDef, ast.With, ast.For, ast.While, ast.If)
    ):
        return None
    value = getattr(statement, "value", statement)
    return _search(place.file, place.line, value, set(), 0) if value is not None else None


def shape_question(place: Place | None) -> Place | None:
    """Where on the line of `place` only a shape is asked for: `tf.size(x)`, `x.shape`."""
    statement = statement_at(place.file, place.line) if place is not None else None
    value = getattr(statement, "value", None)
    for node in ast.walk(value) if isinstance(value, ast.AST) else ():
        if isinstance(node, ast.Attribute) and node.attr in SIZES:
            return Place(
                place.file,
                node.lineno,
                place.function,
                node.col_offset,
                node.end_lineno,
                node.end_col_offset,
            )
    return None


def may_hold(place: Place, name: str) -> bool:
    """May the statement at `place` hold what is called `name` elsewhere: by that or as argument?"""
    statement, scope = statement_at(place.file, place.line), _scope(place.file, place.line)
    functions = [n for n in ast.walk(statement) if isinstance(n, ast.Lambda)] if statement else []
    if isinstance(scope, (ast.FunctionDef, ast.AsyncFunctionDef)):
        functions.append(scope)
    arguments = {a.arg for f in functions for a in ast.walk(f.args) if isinstance(a, ast.arg)}
    used = _names(statement) if statement is not None else []
    return name in used or any(a in used for a in arguments)


def _search(
    file: str, line: int, node: ast.AST, seen: set, depth: int, positioned: bool = True
) -> Place | None:
    """The deepest leaving call in `node`, or in what its names were assigned from."""
    leaving = [n for n in ast.walk(node) if isinstance(n, ast.Call) and _leaves(file, n)]
    inner = None
    for name in _names(node):
        if depth > 8 or (name, line) in seen:
            continue
        seen.add((name, line))
        for statement in _assignments(file, line, name)[:4]:
            value = getattr(statement, "value", None)
            if value is not None:
                inner = inner or _search(file, statement.lineno, value, seen, depth + 1)
            if inner:
                return inner
    for call in (n for n in ast.walk(node) if isinstance(n, ast.Call)):
        inner = _search_function(file, call, seen, depth) or inner
        if inner:
            return inner
    if leaving and positioned:
        call = leaving[-1]
        return Place(file, call.lineno, "", call.col_offset, call.end_lineno, call.end_col_offset)
    return None


def _search_function(file: str, call: ast.Call, seen: set, depth: int) -> Place | None:
    """Follow a call to a function of the same file into its `return`."""
    name = getattr(call.func, "id", getattr(call.func, "attr", ""))
    tree = tree_of(file)
    if depth > 6 or tree is None or ("def", name) in seen:
        return None
    seen.add(("def", name))
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name == name:
            for decorator in node.decorator_list:
                called = (
                    decorator if isinstance(decorator, ast.Call) else ast.Call(decorator, [], [])
                )
                found = _search_function(file, called, seen, depth + 1)
                if found:
                    return found
            for inner in ast.walk(node):
                if isinstance(inner, ast.Return) and inner.value is not None:
                    found = _search(file, inner.lineno, inner.value, seen, depth + 1)
                    if found:
                        return found
        elif (
            isinstance(node, ast.Assign)
            and isinstance(node.value, ast.Lambda)
            and (name in targets(node))
        ):
            found = _search(file, node.lineno, node.value.body, seen, depth + 1)
            if found:
                return found
    return None


def _names(node: ast.AST) -> list[str]:
    return list(
        dict.fromkeys(
            n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)
        )
    )


def _assignments(file: str, line: int, name: str) -> list[ast.stmt]:
    """Statements of the enclosing function that bind `name`, the nearest before `line` first."""
    scope = _scope(file, line)
    found = []
    for node in ast.walk(scope) if scope is not None else ():
        if isinstance(node, (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.For)):
            bound = [t.split("[")[0].split(".")[0] for t in targets(node)]
            if name in bound and node.lineno <= line:
                found.append(node)
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            function = node.value.func
            if (
                isinstance(function, ast.Attribute)
                and function.attr in ("append", "extend")
                and getattr(function.value, "id", None) == name
                and node.lineno <= line
            ):
                found.append(node)
    return sorted(found, key=lambda s: -s.lineno)


def _scope(file: str, line: int) -> ast.AST | None:
    tree = tree_of(file)
    best: ast.AST | None = tree
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and (
            node.lineno <= line <= (node.end_lineno or 0)
        ):
            best = node
    return best


def _leaves(file: str, call: ast.Call) -> bool:
    function = call.func
    if isinstance(function, ast.Name):
        return (
            function.id in LEAVING_FUNCTIONS
            and bool(call.args)
            and not isinstance(call.args[0], ast.Constant)
        )
    if not isinstance(function, ast.Attribute):
        return False
    if function.attr in LEAVING_METHODS:
        return True
    root = root_name(text_of(function))
    if root not in (_numpy_names(file) or ()):
        return False
    if function.attr in DRAWING:  # from a distribution with a tensor for its mean, say
        parameters = [*call.args[:2], *(k.value for k in call.keywords if k.arg != "size")]
        return any(_names(argument) for argument in parameters)
    if function.attr in MAKING or ".random." in text_of(function):
        return False
    return any(_names(argument) for argument in call.args)


def _numpy_names(file: str) -> set[str] | None:
    """The names under which NumPy or SciPy are imported in a file."""
    tree = tree_of(file)
    if tree is None:
        return None
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.split(".")[0] in ("numpy", "scipy", "sklearn"):
                    names.add(alias.asname or alias.name.split(".")[0])
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in (
            "numpy",
            "scipy",
            "sklearn",
        ):
            names |= {alias.asname or alias.name for alias in node.names}
    return names
