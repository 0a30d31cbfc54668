"""What grading costs: submissions a minute, cold and warm; the sandbox's start; memory.

    python -m tests.classroom.bench_grading [SLUG …] [--number 12] [--workers 2]

Submissions are the reference's answers, right answers of another form and the bank's wrong ones,
in turn. Not a test: run it on an idle machine.
"""

import argparse
import inspect
import statistics
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

from classroom import sandbox
from classroom.environment import ROOT
from classroom.grading import grade
from classroom.key import Key
from classroom.limits import Limits
from classroom.quiet import import_tensorflow
from classroom.spec import load_tasks
from tests.classroom.handing_in import notebook


def submissions(slugs: list[str], number: int) -> list[bytes]:
    """Notebooks in turn: the reference, the bank's right answers, its wrong ones."""
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
        made.append(notebook(*cells))
    return made


def per_minute(key: Key, files: list[bytes], workers: int, warm: bool) -> tuple[float, float]:
    """Submissions a minute, and the most memory of one sandbox in MB."""
    own = threading.local()
    places = []

    def work(data: bytes) -> None:
        if not hasattr(own, "place"):
            own.place = sandbox.Sandbox(warm=warm)
            places.append(own.place)
        graded = grade(data, "exercise.ipynb", key, own.place)
        assert graded.state == "graded", graded.reason

    with ThreadPoolExecutor(workers) as pool:
        if warm:  # the import is paid once for a class
            list(pool.map(work, files[:workers]))
        began = time.monotonic()
        list(pool.map(work, files))
        took = time.monotonic() - began
    for place in places:
        place.close()
    return 60 * len(files) / took, max(place.peak for place in places) / 1e6


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


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("slugs", nargs="*", default=["unwatched_tensor"])
    parser.add_argument("--number", type=int, default=12)
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    import_tensorflow()
    from classroom.assignment import make_assignment

    print(f"sandbox: {overhead():.0f} ms more than the interpreter alone", flush=True)
    key = make_assignment(options.slugs, None, secret="bench")
    probes = sum(len(task.probes) for task in key.tasks)
    print(f"{', '.join(options.slugs)}: {len(key.tasks)} tasks, {probes} probes", flush=True)
    files = submissions(options.slugs, options.number)
    for warm in (False, True):
        count, memory = per_minute(key, files, options.workers, warm)
        mode = "warm" if warm else "cold"
        print(f"{mode}: {count:.0f} a minute with {options.workers} workers; "
              f"at most {memory:.0f} MB each", flush=True)  # fmt: skip
    return 0


if __name__ == "__main__":
    sys.exit(main())
