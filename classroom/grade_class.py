"""`python -m classroom grade`: from a pile of files to a gradebook; also status and override."""

import argparse
import contextlib
import hashlib
import os
import queue
import re
import sqlite3
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from rich.console import Console
from rich.progress import MofNCompleteColumn, Progress, TimeRemainingColumn

from classroom.gradebook import Gradebook, Row
from classroom.grading import GRADED, NEEDS_ATTENTION, Grade, clean, grade_files
from classroom.intake import Intake, Submission, collect, printable
from classroom.key import Key
from classroom.messages import Stop
from classroom.roster import Student
from classroom.sandbox import Sandbox
from classroom.teacher import Teacher, add_gradebook, add_roster, form, roster_of, teacher_of

MOST_WORKERS = 64
MOST_SHOWN = 200  # lines of one list: a student's archive may hold thousands of pictures
Grader = Callable[[tuple[tuple[str, bytes], ...], Key, Sandbox], Grade]
Place = Callable[[], AbstractContextManager]


@dataclass(frozen=True)
class Job:
    """One submission that is to be graded, and by which key."""

    submission: Submission
    student: str  # the roster's id; for nobody of the roster, the label
    key: Key
    digest: str  # the key's SHA-256
    round: int


# Which submissions?


def shard_of(student: str, shards: int) -> int:
    """In which of so many shards a student's submission is graded, from 1 on."""
    return int.from_bytes(hashlib.sha256(student.encode()).digest()[:8], "big") % shards + 1


def only_shard(intake: Intake, text: str | None) -> Intake:
    """The submissions of one shard, written `3/20`; all of them for None.

    Raises:
        Stop: it is written otherwise.
    """
    if text is None:
        return intake
    match = re.fullmatch(r"([1-9]\d{0,3})/([1-9]\d{0,3})", text)
    if not match or int(match[1]) > int(match[2]):
        raise Stop(f"--shard {text}: write it like 3/20, the third of twenty.")
    shard, shards = int(match[1]), int(match[2])
    read, unread = (
        tuple(s for s in group if shard_of(s.student or s.label, shards) == shard)
        for group in (intake.submissions, intake.unread)
    )
    return replace(intake, submissions=read, unread=unread)


def jobs(intake: Intake, teacher: Teacher, book: Gradebook, again: Callable[[Row], bool]):
    """The submissions that have no grade by their key, and those whose row `again` picks.

    An earlier file that is handed in again after another one is graded again: what counts is the
    last row.
    """
    rows = {row.student: row for row in book.rows()}
    found = []
    for submission in (*intake.submissions, *intake.unread):
        student = submission.student or submission.label
        key, digest = teacher.key(submission.student)
        row = rows.get(student)
        same = row is not None and (row.sha256, row.key) == (submission.sha256, digest)
        if same and not again(row):
            continue
        number = book.rounds(student, submission.sha256, digest)
        found.append(Job(submission, student, key, digest, number))
    return found


# Grading them


def grade_class(
    todo: list[Job], book: Gradebook, place: Place, workers: int = 1, grader: Grader = grade_files
) -> Iterator[tuple[Job, Grade]]:
    """Grade each job, add it to the gradebook at once, and yield it.

    Args:
        todo: from `jobs`.
        book: open for writing; only this thread uses it.
        place: makes a sandbox; each worker has one of its own, in a thread that waits for it.
        workers: how many submissions are graded side by side.
        grader: what grades one submission.

    Raises:
        Stop: there is no sandbox here. What was graded before stays in the gradebook.
    """
    waiting: queue.SimpleQueue = queue.SimpleQueue()
    ended: queue.SimpleQueue = queue.SimpleQueue()
    for job in todo:
        waiting.put(job)

    def work() -> None:
        # A sandbox dies with the thread that started it, so it is made and closed in here.
        try:
            with place() as sandbox, contextlib.suppress(queue.Empty):
                while True:
                    job = waiting.get_nowait()
                    if job.submission.files:
                        ended.put((job, grader(job.submission.files, job.key, sandbox)))
                    else:
                        reason = clean(f"Nothing could be read: {job.submission.problem}.")
                        ended.put((job, Grade(NEEDS_ATTENTION, reason, "", 0.0)))
        except BaseException as error:
            ended.put((None, error))

    threads = [threading.Thread(target=work, daemon=True) for _ in range(min(workers, len(todo)))]
    for thread in threads:
        thread.start()
    try:
        for _ in todo:
            job, result = ended.get()
            if job is None:
                raise result
            graded = replace(result, sha256=job.submission.sha256)
            book.add(
                job.student,
                graded,
                key=job.digest,
                label=job.submission.label,
                known=bool(job.submission.student),
                late=job.submission.late,
                round=job.round,
            )
            yield job, graded
    finally:
        while not waiting.empty():  # stopped early: nothing new is begun
            waiting.get_nowait()
    for thread in threads:
        thread.join()


# The verbs


def grade_form(verb: str, description: str, examples: str) -> argparse.ArgumentParser:
    made = form(verb, description, examples)
    made.add_argument("submissions", type=Path, help="a folder, or the zip that the LMS gave you")
    add_roster(made)
    made.add_argument("--due", help="ISO time; by default the assignment's. Later files are late")
    add_gradebook(made)
    made.add_argument("--workers", type=int, default=cores(), help="side by side (%(default)s)")
    made.add_argument("--warm", action="store_true", help="import TensorFlow once for many")
    made.add_argument("--docker", action="store_true", help="Docker in place of bubblewrap")
    made.add_argument(
        "--unsafe-no-sandbox",
        action="store_true",
        help="run the answers on your own account; every grade is marked",
    )
    made.add_argument("--shard", metavar="K/N", help="only the K-th of N shards; see `workflow`")
    made.add_argument("--dry-run", action="store_true", help="say what would be graded")
    return made


def cores() -> int:
    """How many processors this process may use."""
    has = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return min(has or 1, 8)


def grade(arguments: list[str]) -> None:
    made = grade_form(
        "grade",
        "Grade what was handed in. What has a grade already is left as it is, so a run that was "
        "interrupted is taken up where it stopped.",
        "  python -m classroom grade week3 moodle.zip --roster roster.csv --dry-run\n"
        "  python -m classroom grade week3 moodle.zip --roster roster.csv --workers 2 --warm\n",
    )
    run_grading(made.parse_args(arguments), lambda row: False)


def regrade(arguments: list[str]) -> None:
    made = grade_form(
        "regrade",
        "Grade again what has a grade: for some students, for those that need attention, or for "
        "all. The old rows stay; the new one counts, and so do your overrides.",
        "  python -m classroom regrade week3 moodle.zip --roster roster.csv --needs-attention\n"
        "  python -m classroom regrade week3 moodle.zip --roster roster.csv --student ada\n",
    )
    which = made.add_mutually_exclusive_group(required=True)
    which.add_argument("--student", action="append", default=[], help="an id; may be repeated")
    which.add_argument("--needs-attention", action="store_true", help="those without points")
    which.add_argument("--all", action="store_true", help="everybody")
    options = made.parse_args(arguments)
    run_grading(
        options,
        lambda row: (
            options.all
            or row.student in options.student
            or (options.needs_attention and row.grade.state == NEEDS_ATTENTION)
        ),
    )


def run_grading(
    options: argparse.Namespace,
    again: Callable[[Row], bool],
    place: Place | None = None,
    grader: Grader = grade_files,
) -> None:
    """Grade what the options name, and say what became of it.

    Raises:
        Stop: an option is wrong, or there is no sandbox here.
    """
    if not 1 <= options.workers <= MOST_WORKERS:
        raise Stop(f"--workers {options.workers}: write a number from 1 to {MOST_WORKERS}.")
    teacher, roster = teacher_of(options.assignment), roster_of(options)
    key, _ = teacher.key()
    intake = collect(options.submissions, roster, due=due_time(options.due or key.due))
    intake = only_shard(intake, options.shard)
    file = options.gradebook or teacher.book
    if options.dry_run and not file.exists():
        todo = [s.student or s.label for s in (*intake.submissions, *intake.unread)]
    else:
        with Gradebook(file, create=True) as book:
            found = jobs(intake, teacher, book, again)
            todo = [job.student for job in found]
            if not options.dry_run:
                place = place or sandbox_of(options, (teacher.folder, file.parent))
                grade_with_bar(found, book, place, options.workers, grader)
    say_intake(intake, roster)
    if options.dry_run:
        print(f"To grade: {len(todo)}. Nothing was graded (--dry-run).")
        print("  " + ", ".join(map(printable, todo)))
        return
    with Gradebook(file) as book:
        had = len(intake.submissions) + len(intake.unread) - len(todo)
        before = f" {had} had a grade before." if had else ""
        print(f"Graded now: {len(todo)}.{before} The gradebook is {file}.")
        say_attention(book.rows())


def sandbox_of(options: argparse.Namespace, hide: tuple[Path, ...]) -> Place:
    kind = "docker" if options.docker else "none" if options.unsafe_no_sandbox else "bubblewrap"
    return lambda: Sandbox(warm=options.warm, kind=kind, hide=hide)


def grade_with_bar(
    todo: list[Job], book: Gradebook, place: Place, workers: int, grader: Grader
) -> None:
    columns = (*Progress.get_default_columns()[:2], MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        work = bar.add_task("grading", total=len(todo))
        for _ in grade_class(todo, book, place, workers, grader):
            bar.advance(work)


def due_time(text: str | None) -> datetime | None:
    if not text:
        return None
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        raise Stop(f"--due {text} is no ISO time. Write it like 2027-01-15T23:59+01:00.") from None
    return time if time.tzinfo else time.astimezone()


def say_intake(intake: Intake, roster: tuple[Student, ...]) -> None:
    late = sum(bool(submission.late) for submission in intake.submissions)
    number = len(intake.submissions) + len(intake.unread)
    print(f"Handed in: {number}{f', {late} of them late' if late else ''}.")
    if intake.missing:
        print(f"Missing: {len(intake.missing)} of {len(roster)} in the roster.")
        for student in intake.missing:
            print(f"  {student}")
    for title, rows in (
        ("In no row of the roster", [(label,) for label in intake.unknown]),
        ("Not read", intake.refused),
    ):
        if rows:
            print(f"{title}: {len(rows)}.")
            for row in rows[:MOST_SHOWN]:
                print("  " + ": ".join(printable(text) for text in row))
            if len(rows) > MOST_SHOWN:
                print(f"  … and {len(rows) - MOST_SHOWN} more")


def say_attention(rows: list[Row]) -> None:
    waiting = [row for row in rows if row.points is None]
    if waiting:
        print(f"Need attention, and have no points until then: {len(waiting)}.")
        for row in waiting:
            print(f"  {printable(row.student)}: {row.grade.reason}")


def open_book(options: argparse.Namespace) -> Gradebook:
    return Gradebook(options.gradebook or teacher_of(options.assignment).book)


def status(arguments: list[str]) -> None:
    made = form(
        "status",
        "Say how far grading is, who needs attention and what each student has.",
        "  python -m classroom status week3 --roster roster.csv\n",
    )
    add_roster(made)
    add_gradebook(made)
    options = made.parse_args(arguments)
    roster = roster_of(options)
    with open_book(options) as book:
        rows = book.rows()
        attempts = len(book.attempts())
    scores = [row.points for row in rows if row.points is not None]
    mean = f", {sum(scores) / len(scores):.1f} points on average" if scores else ""
    print(f"{len(rows)} students, {attempts} attempts; {len(scores)} have points{mean}.")
    width = max((len(printable(row.student)) for row in rows), default=0)
    for row in rows:
        print(f"  {printable(row.student):{width}}  {row_status(row)}")
    missing = [s.id for s in roster if s.id not in {row.student for row in rows}]
    if missing:
        print(f"Nothing from: {', '.join(missing)}")


def row_status(row: Row) -> str:
    possible = f"{row.grade.possible:g}" if row.grade.state == GRADED else "?"
    points = "needs attention" if row.points is None else f"{row.points:g} of {possible}"
    marks = [
        (row.late, "late"),
        (not row.known, "not in the roster"),
        (row.round, f"graded {row.round + 1} times"),
        (row.overrides, "by hand"),
        (not row.grade.sandboxed, "WITHOUT SANDBOX"),
    ]
    return ", ".join([points, *(mark for holds, mark in marks if holds)])


def override(arguments: list[str]) -> None:
    made = form(
        "override",
        "Set points by hand, for a task or for the sum, with a comment that the student reads. "
        "What was graded stays in the gradebook. --withdraw lets it count again.",
        '  python -m classroom override week3 ada --task first_step --points 4 --comment "…"\n'
        "  python -m classroom override week3 ada --task first_step --withdraw\n",
    )
    made.add_argument("student", help="an id of the roster")
    made.add_argument("--task", default="", help="without it, the sum is set")
    what = made.add_mutually_exclusive_group()
    what.add_argument("--points", type=float)
    what.add_argument("--withdraw", action="store_true", help="let what was graded count again")
    made.add_argument("--comment", default="", help="what the student reads beside it")
    add_gradebook(made)
    options = made.parse_args(arguments)
    if options.points is None and not options.comment and not options.withdraw:
        raise Stop("Say --points, --comment or --withdraw.")
    comment = "" if options.withdraw else " ".join(options.comment.split())
    key, _ = teacher_of(options.assignment).key()
    with open_book(options) as book:
        if not options.task and options.points is not None and options.points > key.points:
            raise Stop(f"{options.points:g} points are out of range: from 0 to {key.points:g}.")
        book.override(options.student, options.points, comment, options.task)
        row = next(row for row in book.rows() if row.student == options.student)
    print(f"{printable(row.student)}: {row_status(row)}")


VERBS = {verb.__name__: verb for verb in (grade, regrade, status, override)}


def main(arguments: list[str] | None = None, verbs: dict[str, Callable] = VERBS) -> int:
    """Run a verb; 0, or 2 with a line on stderr."""
    verb, *rest = sys.argv[1:] if arguments is None else arguments
    try:
        verbs[verb](rest)
    except Stop as stop:
        print(stop, file=sys.stderr)
        return 2
    except (OSError, sqlite3.Error) as error:  # a full disk, a gradebook that another has open
        print(f"Stopped: {error}. What was written before is kept.", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("Stopped. What was graded is kept; the same command goes on.", file=sys.stderr)
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
