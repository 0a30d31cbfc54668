"""What grading costs: submissions a minute, cold and warm; the sandbox's start; memory.

    python -m tests.classroom.bench_grading [SLUG …] [--number 12] [--workers 2] [--nbgrader]

Submissions are the reference's answers, right answers of another form and the bank's wrong ones,
in turn. With --nbgrader, nbgrader grades the same ones, too. Not a test: run it on an idle machine.
"""

import argparse
import inspect
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from classroom import sandbox
from classroom.environment import ROOT
from classroom.grading import grade
from classroom.key import Key
from classroom.limits import Limits
from classroom.quiet import import_tensorflow
from classroom.spec import load_tasks
from classroom.teacher import teacher_of
from tests.classroom.beside_nbgrader import grade_beside
from tests.classroom.handing_in import notebook


def submissions(slugs: list[str], number: int) -> list[list[str]]:
    """The cells of notebooks in turn: the reference, the bank's right answers, its wrong ones."""
    made = []
    for turn in range(number):
        cells = []
        for slug in slugs:
            cells.append((ROOT / "solutions" / f"{slug}.py").read_text("utf-8"))
            for task in load_tasks(slug):
                answers = [task.function, *task.right, *(wrong.answer for wrong in task.wrong)]
                answer = answers[turn % len(answers)]
                source = inspect.getsource(answer)
                cells.append(f"# TASK: {task.name}\n{source}\n{task.name} = {answer.__name__}")
        made.append(cells)
    return made


@dataclass(frozen=True)
class Cost:
    """Submissions a minute, the most memory of one sandbox in MB, and each one's points."""

    per_minute: float
    memory: float
    points: list[float]


def cost(key: Key, files: list[bytes], workers: int, warm: bool) -> Cost:
    """Grade the files by so many sandboxes side by side."""
    own = threading.local()
    places = []

    def work(data: bytes) -> float:
        if not hasattr(own, "place"):
            own.place = sandbox.Sandbox(warm=warm)
            places.append(own.place)
        graded = grade(data, "exercise.ipynb", key, own.place)
        assert graded.state == "graded", graded.reason
        return sum(task.points for task in graded.tasks)

    with ThreadPoolExecutor(workers) as pool:
        if warm:  # the import is paid once for a class
            list(pool.map(work, files[:workers]))
        began = time.monotonic()
        points = list(pool.map(work, files))
        took = time.monotonic() - began
    for place in places:
        place.close()
    memory = max(place.peak for place in places) / 1e6
    return Cost(60 * len(files) / took, memory, points)


def milliseconds(command: list[str], times: int = 21) -> float:
    """The median time a command takes."""
    took = []
    for _ in range(times):
        began = time.monotonic()
        subprocess.run(command, check=True, capture_output=True)
        took.append(1000 * (time.monotonic() - began))
    return statistics.median(took)


def overhead() -> float:
    """What bubblewrap adds to the start of an interpreter, in milliseconds."""
    command = sandbox.bubblewrap_command({}, Limits())
    at = command.index("-c", command.index(sandbox.interpreter(), command.index("--chdir")))
    inside = [*command[: at + 1], "pass"]
    return milliseconds(inside) - milliseconds(
        [sandbox.interpreter(), "-I", "-S", "-B", "-c", "pass"]
    )


def beside(out: Path, answers: list[list[str]]) -> None:
    """Let nbgrader grade the same submissions, and say what it took."""
    with tempfile.TemporaryDirectory() as folder:
        took = grade_beside(teacher_of(out), answers, Path(folder))
    each = took.autograde / len(answers)
    print(
        f"nbgrader, serial: {60 / each:.1f} a minute, {each:.1f} s each; beside that "
        f"{took.generate:.0f} s to generate, {took.collect:.0f} s to collect"
    )
    print(f"full marks by nbgrader: {full(took.points, took.possible)}", flush=True)


def full(points: list[float], possible: float) -> str:
    """Which submissions have all points."""
    return " ".join(str(n) for n, has in enumerate(points) if has > possible - 0.01)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("slugs", nargs="*", default=["unwatched_tensor"])
    parser.add_argument("--number", type=int, default=12)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--nbgrader", action="store_true", help="grade with nbgrader, too")
    options = parser.parse_args()
    import_tensorflow()
    from classroom.assignment import make_assignment

    print(f"sandbox: {overhead():.0f} ms more than the interpreter alone", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "week"
        key = make_assignment(options.slugs, out, secret="bench")
        probes = sum(len(task.probes) for task in key.tasks)
        print(f"{', '.join(options.slugs)}: {len(key.tasks)} tasks, {probes} probes", flush=True)
        answers = submissions(options.slugs, options.number)
        files = [notebook(*cells) for cells in answers]
        for workers in sorted({1, options.workers}):
            for warm in (False, True):
                found = cost(key, files, workers, warm)
                mode = "warm" if warm else "cold"
                print(f"{mode}: {found.per_minute:.0f} a minute with {workers} workers; "
                      f"at most {found.memory:.0f} MB each", flush=True)  # fmt: skip
        print(f"full marks: {full(found.points, key.points)}", flush=True)
        if options.nbgrader:
            beside(out, answers)
    return 0


if __name__ == "__main__":
    sys.exit(main())
