"""`check` and `hint`: a learner's function against its task's probes, with an answer in words."""

import ast
import contextlib
import difflib
import functools
import inspect
import linecache
import os
import re
import sys
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import whynone

from classroom import judge
from classroom.bounded import TIMED_OUT, observe_call
from classroom.feedback import Feedback, Hint
from classroom.messages import Stop
from classroom.observation import Observation, show
from classroom.observe import observe
from classroom.spec import find_task
from classroom.stubs import compile_cell, is_untouched, task_of_cell
from classroom.task import Probe, Task, Wrong

SECONDS = 20.0  # for one call; a first trace of a large model takes a few
ALIKE = 0.8  # share of two answers' syntax that makes them the same mistake, if both give None

hints_given: dict[str, int] = {}


@dataclass(frozen=True)
class Trial:
    """One probe put to one function, beside what the reference answered."""

    label: str
    arguments: tuple
    expected: Observation
    got: Observation
    difference: str | None


def check(function: Callable, task: str | None = None, seconds: float = SECONDS) -> Feedback:
    """Put a task's probes to your function and say what they show.

    Args:
        function: your answer. Its name says which task it answers, unless `task` does.
        task: the task's name, if your function is called otherwise.
        seconds: how long one call may take.

    Returns:
        A `Feedback`, shown by the notebook as its last value; print it in a script.

    Raises:
        Stop: there is no such task; the message names the nearest.
    """
    found = find_task(task or task_name(function))
    if not callable(function):
        raise Stop(f"check({function!r}) got no function; pass `{found.name}` itself, uncalled.")
    if is_untouched(function, found):
        return untouched(found)
    problem = signature_problem(function, found)
    if problem:
        return Feedback(
            found.name, "error", f"{found.name} cannot be called", 0, found.points, problem
        )
    trials = [try_probe(function, found, index, seconds) for index in range(len(found.probes))]
    if any(trial.got.get("type") == "NotImplementedError" for trial in trials):
        return untouched(found)
    right = sum(trial.difference is None for trial in trials)
    points = round(found.points * right / len(trials), 2)
    if right == len(trials):
        said = f"{found.name}: right on {count(right, 'probe')}"
        return Feedback(found.name, "passed", said, points, found.points)
    return explain(function, found, trials, points, seconds)


def hint(function: Callable, task: str | None = None) -> Hint:
    """Open the next hint of a task: a question, then where to look, then nearly the code."""
    found = find_task(task or task_name(function))
    number = min(hints_given.get(found.name, 0) + 1, len(found.hints))
    hints_given[found.name] = number
    return Hint(found.name, number, len(found.hints), found.hints[number - 1])


def task_name(function: Callable) -> str:
    return getattr(function, "__name__", None) or type(function).__name__


def untouched(task: Task) -> Feedback:
    done, verb = "nothing is written yet", "Fill in"
    if task.start is not None:
        done, verb = "it is still as it was handed out", "Repair"
    lines = [
        ("goal", task.goal),
        ("to do", f"{verb} `{task.name}` above, run its cell, and check again."),
        ("stuck?", f"`hint({task.name})` opens one hint at a time; there are {len(task.hints)}."),
    ]
    said = f"{task.name} is waiting for you: {done}"
    return Feedback(task.name, "untouched", said, 0, task.points, lines)


def signature_problem(function: Callable, task: Task) -> list[tuple[str, str]] | None:
    """None if the function takes the task's arguments; else the lines of the feedback."""
    wanted = list(inspect.signature(task.function).parameters)
    try:
        has = inspect.signature(function)
        positional = [p.name for p in has.parameters.values()]
        has.bind(*wanted)
    except TypeError:
        return [
            ("called", f"`{task.name}({', '.join(wanted)})`"),
            ("yours", f"takes `({', '.join(positional)})`"),
            (
                "to do",
                f"Write `def {task.name}({', '.join(wanted)}):`; other names are fine.",
            ),
        ]
    except ValueError:  # a built-in without a signature: let the call itself show
        return None
    return None


def try_probe(function: Callable, task: Task, index: int, seconds: float) -> Trial:
    probe = task.probes[index]
    arguments = probe.arguments()
    expected = probe.sealed or observe_banked(task.function, probe)
    got = observe_call(function, arguments, seconds)
    difference = judge.difference(expected, got, probe.rtol, probe.atol)
    return Trial(probe.label, arguments, expected, got, difference)


def explain(
    function: Callable, task: Task, trials: list[Trial], points: float, seconds: float
) -> Feedback:
    """Feedback on a wrong answer: the first probe that failed, and the misconception behind it."""
    failed = next(trial for trial in trials if trial.difference is not None)
    lines = [("called", f"`{task.name}({describe(task, failed.arguments)})` — {failed.label}")]
    if failed.got.get("type") == TIMED_OUT:
        lines += [
            ("stopped", f"No result after {seconds:g} s, so the call was stopped."),
            ("why", "A loop whose condition never becomes false runs for ever."),
            ("to do", "Look at each `while`: what in its body changes its condition?"),
        ]
        return Feedback(task.name, "error", f"{task.name} does not finish", 0, task.points, lines)
    lines += [("came back", show(failed.got)), ("expected", expected_text(failed.expected))]
    known = recognise(function, task, [trial.got for trial in trials])
    # Many mistakes end in None, so there the bank is asked only about code that is written alike.
    banked = known is not None and written_alike(function, known)
    found = None if banked else why_none(function, failed, seconds)
    if found:
        lines += [("line", found.line), ("why", found.why), ("to do", found.do)]
    elif known:
        lines += [("why", known.why), ("to do", known.do)]
    else:
        lines += [("why", failed.difference), ("to do", next_step(task, failed))]
    lines += [("read", task.read)] if task.read else []
    raised = failed.got["kind"] == "exception"
    said = f"{task.name} {'raised an error' if raised else 'is not there yet'}"
    return Feedback(task.name, "error" if raised else "wrong", said, points, task.points, lines)


@dataclass(frozen=True)
class Broken:
    """What whynone says of a None: the learner's own line, the reason, and what to change."""

    line: str
    why: str
    do: str


def why_none(function: Callable, failed: Trial, seconds: float) -> Broken | None:
    """Ask whynone about a None; no answer if it cannot tell, or nothing is None."""
    if "None" not in show(failed.got):
        return None
    findings = []

    def watched(*arguments):
        # A recording belongs to the thread that it was begun on.
        with whynone.explain(report=None) as seen:
            findings.append(seen)
            return function(*arguments)

    observe_call(watched, failed.arguments, seconds)
    for finding in (finding for seen in findings for finding in seen):
        if finding.cause in whynone.CAUSES and finding.line:
            text = linecache.getline(finding.file, finding.line).strip()
            return Broken(f"`{text}`" if text else finding.label, finding.message, finding.fix)
    return None


def recognise(function: Callable, task: Task, seen: list[Observation]) -> Wrong | None:
    """The bank's wrong answer that behaves like this one on every probe, if there is one.

    Where several behave alike, the one written most alike is taken.
    """
    alike = []
    for wrong in task.wrong:
        pairs = zip(task.probes, seen, strict=True)
        if all(behaves_alike(wrong.answer, probe, got) for probe, got in pairs):
            alike.append(wrong)
    if len(alike) < 2:
        return alike[0] if alike else None
    written = shape_of_code(function)
    return max(alike, key=lambda wrong: likeness(written, shape_of_code(wrong.answer)))


def behaves_alike(answer: Callable, probe: Probe, got: Observation) -> bool:
    theirs = observe_banked(answer, probe)
    if theirs["kind"] == got["kind"] == "exception":
        numbers_aside = (re.sub(r"\d+", "#", seen["message"]) for seen in (theirs, got))
        return theirs["type"] == got["type"] and len(set(numbers_aside)) == 1
    return judge.same(theirs, got, probe.rtol, probe.atol)


@functools.cache
def observe_banked(answer: Callable, probe: Probe) -> Observation:
    """What one of our own answers gives on a probe; both are fixed, so it is asked once."""
    return observe_call(answer, probe.arguments(), SECONDS)


def shape_of_code(function: Callable) -> list[str]:
    """The function's statements as a list of syntax-tree tokens.

    The docstring is left out, and a function's own names are numbered in order of appearance: two
    answers that differ only in how they call things are written alike.
    """
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
    except (OSError, TypeError, SyntaxError, IndexError):
        return []
    body = getattr(tree, "body", [])
    if isinstance(body, list) and body and ast.get_docstring(tree):
        tree.body = body[1:]
    own: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.arg):
            node.arg = own.setdefault(node.arg, f"v{len(own)}")
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            own.setdefault(node.id, f"v{len(own)}")
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            node.id = own.get(node.id, node.id)
    text = " ".join(ast.dump(node) for node in getattr(tree, "body", [tree]))
    return text.replace("(", " ( ").replace(",", " ").split()


def written_alike(function: Callable, wrong: Wrong) -> bool:
    return likeness(shape_of_code(function), shape_of_code(wrong.answer)) >= ALIKE


def likeness(ours: list[str], theirs: list[str]) -> float:
    return difflib.SequenceMatcher(None, ours, theirs, autojunk=False).ratio()


def expected_text(expected: Observation) -> str:
    return expected["text"] if expected["kind"] == "sealed" else show(expected)


def next_step(task: Task, failed: Trial) -> str:
    if failed.got["kind"] == "exception":
        return "Call your function on a small input in a cell of its own and read the whole error."
    if failed.got["kind"] == "none" and shape_of_code(task.function):
        return (
            f"Does your function end in `return`, and was every link recorded? `hint({task.name})`"
        )
    if failed.expected["kind"] == "sealed" and failed.got["kind"] != "tensor":
        return f"Read again what the docstring says under *Returns*. `hint({task.name})` helps."
    return f"Compare the two by shape first, then by value. `hint({task.name})` opens a hint."


def describe(task: Task, arguments: tuple) -> str:
    """The call's arguments as `name: what it is`."""
    names = inspect.signature(task.function).parameters
    return ", ".join(f"{name}={brief(value)}" for name, value in zip(names, arguments))  # noqa: B905


def brief(value) -> str:
    seen = observe(value)
    if seen["kind"] == "tensor":
        few = show(seen).split(": ", 1)[-1] if 0 < len(seen.get("values", ())) <= 3 else ""
        return f"{seen['dtype']} [{few}]" if few else f"{seen['dtype']} {tuple(seen['shape'])}"
    if seen["kind"] == "other":
        return f"<{seen['type']}>"
    return show(seen)


def count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


@contextlib.contextmanager
def inside_folder(folder: Path) -> Iterator[None]:
    """Work in a folder for a while, as a notebook's kernel works in the notebook's folder."""
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def check_file(file: Path) -> list[Feedback]:
    """Run an exercise's cells and check every task that its specification names.

    Raises:
        Stop: the file is missing or unreadable, or holds no task's function.
    """
    import jupytext

    if not file.exists():
        raise Stop(f"{file}: no such file. Name an exercise.ipynb, .md or .py.")
    try:
        notebook = jupytext.read(file)
    except Exception as error:
        raise Stop(f"{file} is not a readable notebook ({error}). Fetch a fresh copy.") from error
    results, namespace = [], {"__name__": "__exercise__"}
    for number, cell in enumerate(notebook.cells):
        if cell.cell_type != "code" or cell.source.startswith(("check(", "hint(")):
            continue
        name = task_of_cell(cell.source)
        where = f"{file}: the cell of `{name}`" if name else f"{file}: a cell before the tasks"
        if name:
            find_task(name)
        try:
            code = compile_cell(cell.source, where, str(name or number))
            with inside_folder(file.parent):
                exec(code, namespace)
        except Exception as error:
            if isinstance(error, Stop):
                raise
            raised = f"{type(error).__name__}: {error}"
            raise Stop(f"{where} raised {raised}") from error
        if name is None:
            continue
        if name not in namespace:
            raise Stop(f"{where} defines no function of that name.")
        results.append(check(namespace[name]))
    if not results:
        raise Stop(f"{file}: no cell begins with `# TASK: …`, so there is nothing to check.")
    return results


def main() -> int:
    try:
        results = check_file(Path(sys.argv[1]))
    except Stop as stop:
        print(stop, file=sys.stderr)
        return 2
    print("\n\n".join(map(repr, results)))
    return 0 if all(result.passed for result in results) else 1


if __name__ == "__main__":
    sys.exit(main())
