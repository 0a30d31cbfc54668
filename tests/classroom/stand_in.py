"""A class graded without TensorFlow: the answers are data, and a stand-in observes them.

    python -m tests.classroom.stand_in FOLDER KILLS SEED

runs the grader over FOLDER again and again, and kills it each time after a random while.
"""

import argparse
import contextlib
import io
import json
import os
import random
import signal
import sys
import time
from pathlib import Path

from classroom.environment import ROOT
from classroom.grade_class import run_grading
from classroom.gradebook import Gradebook
from classroom.grading import Grade, ProbeGrade, TaskGrade
from classroom.key import save_key
from tests.classroom.handing_in import KEY, SLOPE_TASK

ENVIRON = {**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'solutions'}"}
RIGHT = {"full": (True, True), "public": (True, False), "none": (False, False)}


def make_class(folder: Path, number: int) -> None:
    """An assignment, a roster and a folder of submissions; what they hold says how they do."""
    (folder / "teacher").mkdir(parents=True)
    save_key(KEY, folder / "teacher" / "key.json")
    (folder / "files").mkdir()
    lines = ["id,name,email,moodle,canvas"]
    for n in range(number):
        word = ("full", "public", "none", "damaged")[n % 4]
        (folder / "files" / f"s{n:02d}.py").write_text(f"{word} {n}")
        lines.append(f"s{n:02d},Student {n},s{n:02d}@example.org,{4000 + n},{100 + n}")
    (folder / "roster.csv").write_text("\n".join(lines) + "\n")


def stand_in(files, key, sandbox, seconds: float = 0.0) -> Grade:
    """Grades by the file's first word, in the time that is given."""
    time.sleep(seconds)
    ((_, data),) = files
    word = data.decode().split()[0]
    if word not in RIGHT:
        return Grade("needs_attention", "The file is damaged.", "", time.monotonic())
    probes = tuple(
        ProbeGrade(probe.label, probe.group, right)
        for probe, right in zip(SLOPE_TASK.probes, RIGHT[word], strict=True)
    )
    points = {"full": 10.0, "public": 4.0, "none": 0.0}[word]
    lines = (("called", "`slope`"), ("came back", "<b>None</b>")) if word == "none" else ()
    idea = "the values instead" if word == "none" else None
    task = TaskGrade("slope", points, 10.0, probes, f"slope: {word}", lines, idea, None)
    count = TaskGrade("count", 5.0, 5.0, (), "count: right")
    return Grade("graded", "", "", time.monotonic(), (task, count))


def options(folder: Path, **changed) -> argparse.Namespace:
    made = {
        "assignment": folder,
        "submissions": folder / "files",
        "roster": folder / "roster.csv",
        "due": None,
        "gradebook": None,
        "workers": 2,
        "shard": None,
        "dry_run": False,
    }
    return argparse.Namespace(**{**made, **changed})


def grade_it(
    folder: Path,
    seconds: float = 0.0,
    again=lambda row: False,
    begins: int | None = None,
    **changed,
) -> str:
    """Grade the class and return what was printed; `begins` is told when the first is graded."""
    said = io.StringIO()

    def grader(files, key, sandbox):
        if begins is not None:
            os.write(begins, b"!")
        return stand_in(files, key, sandbox, seconds)

    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(io.StringIO()):
        run_grading(
            options(folder, **changed),
            again,
            contextlib.nullcontext,
            grader,
        )
    return said.getvalue()


def in_a_process(folder: Path, book: Path, wait: bool, seconds: float | None) -> tuple[bool, float]:
    """Run the grader in a forked process and kill it after a time, or let it end.

    With `wait`, the time begins when the grader does. Whether it was killed at work, and how long
    it graded.
    """
    begun, begins = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            grade_it(folder, seconds=0.004, gradebook=book, begins=begins)
        finally:
            os._exit(0)
    os.close(begins)
    if wait:
        os.read(begun, 1)  # or the end, if there is nothing to grade
    began = time.monotonic()
    if seconds is not None:
        time.sleep(seconds)
        os.kill(child, signal.SIGKILL)
    killed = os.WIFSIGNALED(os.waitpid(child, 0)[1])
    os.close(begun)
    return killed, time.monotonic() - began


def rows_in(file: Path) -> int:
    """How many rows there are, after what must hold at any time: it opens, nobody is double."""
    if not file.exists():
        return 0
    with Gradebook(file, create=True) as book:
        assert book.database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        students = [student for student, *_ in book.attempts()]
        assert len(students) == len(set(students)), students
        return len(book.rows())


def main() -> None:
    """Kill so many runs that were at work; a class that is done begins again in a new book."""
    folder, kills, seed = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    number = len(list((folder / "files").iterdir()))
    draw = random.Random(seed)
    _, longest = in_a_process(folder, folder / "book0.sqlite", True, None)
    books, struck, amid = [folder / "book1.sqlite"], 0, 0
    while struck < kills:
        before = rows_in(books[-1])
        wait = draw.random() < 0.8  # else it may be struck before it grades
        struck += in_a_process(folder, books[-1], wait, draw.uniform(0.0, longest))[0]
        after = rows_in(books[-1])
        assert after >= before, "a row was lost"
        amid += before < after < number
        if after == number:
            books.append(folder / f"book{len(books) + 1}.sqlite")
    in_a_process(folder, books[-1], True, None)
    print(json.dumps({"struck": struck, "amid": amid, "books": [str(book) for book in books]}))


if __name__ == "__main__":
    main()
