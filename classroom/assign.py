"""`python -m classroom assign`: from lessons to what students get and what the teacher keeps."""

import argparse
import secrets
import sys
from datetime import datetime
from pathlib import Path

from classroom.key import Key
from classroom.messages import Stop
from classroom.quiet import import_tensorflow
from classroom.roster import read_roster

VARIANTS = 8  # sets of numbers for each task of a class; two tasks give 64 combinations

EPILOG = """examples:
  python -m classroom assign unwatched_tensor nested_models --out week3
  python -m classroom assign my_week3 --out week3 --roster roster.csv --due 2027-01-15T23:59

week3/student.zip is for the students, week3/teacher for you alone: it holds the key. With a
roster (a CSV file with a column `id`), week3/students/ has a zip for each student, with other
numbers, and week3/teacher/keys/ the key to each. Keep --secret-file to make the same ones again.
"""


def parser() -> argparse.ArgumentParser:
    form = argparse.ArgumentParser(
        prog="python -m classroom assign",
        description="Make an assignment out of lessons, or of a folder that `new` has made.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    form.add_argument("lessons", nargs="+", metavar="LESSON", help="a slug, or a master's folder")
    form.add_argument("--out", type=Path, required=True, help="the folder to make")
    form.add_argument("--title", help="how the assignment is called")
    form.add_argument("--due", help="ISO time, such as 2027-01-15T23:59+01:00")
    form.add_argument("--roster", type=Path, help="CSV with a column `id`: a zip for each student")
    form.add_argument("--secret-file", type=Path, help="a text from which the numbers are drawn")
    form.add_argument(
        "--variants",
        type=int,
        default=VARIANTS,
        help="sets of numbers a task (default %(default)s)",
    )
    form.add_argument("--dry-run", action="store_true", help="check everything, write nothing")
    return form


def report(key: Key, options: argparse.Namespace, students: int) -> None:
    """Say what was made, and which tasks have no hidden questions."""
    for task in key.tasks:
        groups = [probe.group for probe in task.probes]
        public, hidden = groups.count("public"), groups.count("hidden")
        print(f"{task.name:32} {task.points:3g} points  {public} public, {hidden} hidden questions")
    bare = [t.name for t in key.tasks if all(p.group == "public" for p in t.probes)]
    if bare:
        print(
            f"Without hidden questions, as other numbers do not change their answer or are not "
            f"possible: {', '.join(bare)}. What is handed in for these may be copied from `check`."
        )
    if options.dry_run:
        print("Everything holds. Nothing was written (--dry-run).")
        return
    handed = f"students ({students} zips)" if students else "student.zip"
    print(f"Hand out {options.out}/{handed}. Keep {options.out}/teacher to yourself.")


def refuse_full(out: Path) -> None:
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise Stop(f"{out} is not empty. Name a new folder, or move that one away.")


def due_time(text: str | None) -> str | None:
    if text is None:
        return None
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        raise Stop(f"--due {text} is no ISO time. Write it like 2027-01-15T23:59+01:00.") from None
    return (time if time.tzinfo else time.astimezone()).isoformat()


def read_secret(file: Path | None) -> str:
    if file is None:
        return secrets.token_hex(32)
    try:
        secret = file.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise Stop(f"--secret-file {file} cannot be read ({error}).") from error
    if len(secret) < 16:
        raise Stop(f"--secret-file {file} holds {len(secret)} characters; write 16 or more.")
    return secret


def assign(options: argparse.Namespace) -> None:
    """Make the assignment that the options describe, and say what was made.

    Raises:
        Stop: OUT is not empty, an option is wrong, or as `make_assignment`.
    """
    refuse_full(options.out)
    due = due_time(options.due)
    students = [s.id for s in read_roster(options.roster)] if options.roster else []
    secret = read_secret(options.secret_file)
    import_tensorflow()  # after what can be said without it
    from classroom.assignment import make_assignment

    key = make_assignment(
        options.lessons,
        None if options.dry_run else options.out,
        secret=secret,
        title=options.title,
        due=due,
        students=students,
        variants=options.variants,
    )
    report(key, options, len(students))


def main(arguments: list[str] | None = None) -> int:
    options = parser().parse_args(arguments)
    try:
        assign(options)
    except Stop as stop:
        print(stop, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
