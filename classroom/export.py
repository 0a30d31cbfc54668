"""`python -m classroom export`: the gradebook as what schools already use.

    csv         one row for each student
    moodle      Moodle's grading worksheet, with grades and comments filled in
    canvas      Canvas's gradebook file, with one column filled in
    gradescope  a results.json for each student
    autograder  the zip that Gradescope grades with, see classroom/gradescope.py
    nbgrader    the exercises as nbgrader's source notebooks, see classroom/nbgrader.py

A submission that needs attention has no points, so its cells stay empty. Equal gradebooks give
equal bytes. A text that a spreadsheet would run as a formula is written with `'` before it.
"""

import argparse
import csv
import io
import json
import re
import sys
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from classroom.files import write_bytes, write_text
from classroom.grade_class import main as run_verb
from classroom.grade_class import open_book
from classroom.gradebook import Row
from classroom.grading import GRADED
from classroom.messages import Stop
from classroom.report import file_name
from classroom.roster import Student, plain
from classroom.teacher import add_gradebook, add_roster, form, roster_of, teacher_of

FORMULA = ("=", "+", "-", "@")
NUMBER = re.compile(r"[+-]?\d+([.,]\d+)?%?")
BOM = "\ufeff"  # Excel takes a CSV for UTF-8 only with it


@dataclass(frozen=True)
class Columns:
    """The names of an LMS's columns. `possible` is a column, or in Canvas the row below the head.

    `who` are pairs of a column and of the roster's field that it holds.
    """

    who: tuple[tuple[str, str], ...]
    grade: str
    comment: str = ""
    possible: str = ""


MOODLE = Columns(
    who=(
        ("Identifier", "moodle"),
        ("ID number", "id"),
        ("Email address", "email"),
        ("Full name", "name"),
    ),
    grade="Grade",
    comment="Feedback comments",
    possible="Maximum grade",
)
CANVAS = Columns(
    who=(("ID", "canvas"), ("SIS Login ID", "id"), ("SIS User ID", "id")),
    grade="",
    possible="Points Possible",
)


# Cells


def guarded(text: str) -> str:
    """A text in which no spreadsheet finds a formula; numbers stay what they are.

    It may be read with another separator than it was written with, where `;` and a tab begin a
    cell, and a line's end a row.
    """
    if text[:1] in ("\t", "\r", "\n"):
        text = f"'{text}"
    return "".join(f"'{one}" if is_formula(one) else one for one in re.split(r"([;\t\r\n])", text))


def is_formula(text: str) -> bool:
    """Whether a cell begins like a formula, whatever cannot be seen stands before that."""
    begins = unicodedata.normalize("NFKC", text)
    while begins and unicodedata.category(begins[0])[0] in "ZC":
        begins = begins[1:]
    return begins[:1] in FORMULA and len(begins) > 1 and not NUMBER.fullmatch(text.strip(" "))


def number(points: float | None) -> str:
    """Points with at most two decimals; an empty cell for None."""
    return "" if points is None else f"{round(points, 2):.2f}".rstrip("0").rstrip(".")


def csv_text(rows: Sequence[Sequence[str]]) -> str:
    made = io.StringIO()
    csv.writer(made, lineterminator="\n").writerows(rows)
    return made.getvalue()


# The generic table


def table(rows: list[Row], roster: tuple[Student, ...] = ()) -> list[list[str]]:
    """A head, and a row for each student; with a roster also those who handed in nothing."""
    tasks = list(dict.fromkeys(task.name for row in rows for task in row.grade.tasks))
    names = {student.id: student.name for student in roster}
    head = ["student", "name", "state", "points", "possible", *tasks, "late", "in roster"]
    lines = [[*head, "by hand", "comment", "reason", "attempt", "sandbox", "sha256"]]
    for row in rows:
        counts = row.grade.state == GRADED
        by_task = {task.name: row.task_points(task.name) for task in row.grade.tasks}
        lines.append(
            [
                row.student,
                names.get(row.student, ""),
                row.grade.state,
                number(row.points),
                number(row.grade.possible if counts else None),
                *(number(by_task.get(task)) for task in tasks),
                {None: "", True: "yes", False: "no"}[row.late],
                "yes" if row.known else "no",
                "yes" if row.overrides else "no",
                row.comment,
                row.grade.reason,
                str(row.round + 1),
                "yes" if row.grade.sandboxed else "NO",
                row.sha256,
            ]
        )
    present = {row.student for row in rows}
    width = len(lines[0])
    for student in roster:
        if student.id not in present:
            line = [student.id, student.name, "missing"]
            lines.append(line + [""] * (width - len(line)))
    return [lines[0], *sorted([guarded(cell) for cell in line] for line in lines[1:])]


# An LMS's own table


@dataclass(frozen=True)
class Filled:
    """An LMS's file with grades in it; `left` says of which students nothing could be written."""

    text: str
    written: int
    left: tuple[str, ...]


def fill(
    text: str,
    rows: list[Row],
    roster: tuple[Student, ...],
    columns: Columns,
    possible: float,
    scale: bool = False,
) -> Filled:
    """Write points and comments into the table that the LMS exported.

    Args:
        text: the CSV file; what it holds besides stays as it is.
        rows: the gradebook's. Those without points leave their cell as it is in the file.
        roster: whose fields say which of the file's rows is whose.
        columns: the names of the file's columns.
        possible: the assignment's points.
        scale: convert the points to the LMS's maximum, where that is another.

    Raises:
        Stop: a column is missing, or the LMS's maximum is not the assignment's.
    """
    mark = BOM if text.startswith(BOM) else ""
    lines = list(csv.reader(io.StringIO(text.removeprefix(BOM), newline="")))
    if not lines:
        raise Stop("The LMS's file is empty. Export it again from the LMS.")
    head = lines[0]
    at = place(head, columns.grade)
    note = head.index(columns.comment) if columns.comment in head else None
    who = [(head.index(name), field) for name, field in columns.who if name in head]
    if not who:
        raise Stop(f"The LMS's file has no column {' or '.join(n for n, _ in columns.who)}.")
    owners = owners_of(roster or tuple(Student(row.student) for row in rows), who)
    by_student = {row.student: row for row in rows}
    written = set()
    most = points_possible(lines, columns, at)
    for line in lines[1:]:
        line += [""] * (len(head) - len(line))
        student = owner(line, owners, who)
        row = by_student.get(student)
        if row is None:
            continue
        own = line_possible(line, head, columns) or most or possible
        if own != possible and not scale:
            raise Stop(
                f"The LMS's maximum is {own:g}, the assignment's {possible:g} points. Set the "
                f"maximum there to {possible:g}, or add --scale to convert the points."
            )
        if row.points is not None:
            line[at] = number(row.points * own / possible)
        if note is not None and row.comment:
            line[note] = row.comment
        written.add(student)
    # By these the LMS finds its rows again; a name it only shows, and students choose theirs.
    keep = {index for index, field in who if field != "name"} | {at}
    shown = [
        [cell if index in keep else guarded(cell) for index, cell in enumerate(line)]
        for line in lines[1:]
    ]
    ending = "\r\n" if "\r\n" in text else "\n"
    made = csv_text([head, *shown]).replace("\n", ending)
    left = tuple(row.student for row in rows if row.student not in written)
    return Filled(mark + made, len(written), left)


def place(head: list[str], name: str) -> int:
    """The column of this name; Canvas writes its own number behind it: `Week 3 (1234)`."""
    if not name:
        raise Stop(f"Say --column, which column is to be filled: {', '.join(head)}.")
    found = [n for n, text in enumerate(head) if text == name]
    found = found or [n for n, text in enumerate(head) if re.sub(r" \(\d+\)$", "", text) == name]
    if len(found) != 1:
        raise Stop(f"The LMS's file has {len(found)} columns {name!r}: {', '.join(head)}.")
    return found[0]


def owners_of(
    students: tuple[Student, ...], who: list[tuple[int, str]]
) -> dict[tuple[str, str], str]:
    """By field and plain value, whose it is; what two students share is nobody's."""
    found: dict[tuple[str, str], str] = {}
    for student in students:
        for field in {field for _, field in who}:
            value = plain(getattr(student, field))
            if value:
                twin = (field, value) in found
                found[field, value] = "" if twin else student.id
    return found


def owner(line: list[str], owners: dict[tuple[str, str], str], who: list[tuple[int, str]]) -> str:
    """The student of a row; Moodle's identifier is `Participant 4711`."""
    for index, field in who:
        value = line[index]
        if field == "moodle":
            value = (re.findall(r"\d+", value) or [""])[-1]
        if student := owners.get((field, plain(value))):
            return student
    return ""


def points_possible(lines: list[list[str]], columns: Columns, at: int) -> float | None:
    """Canvas's maximum: in the row `Points Possible` below the head."""
    for line in lines[1:4]:
        if line and line[0].strip() == columns.possible:
            return as_number(line[at] if at < len(line) else "")
    return None


def line_possible(line: list[str], head: list[str], columns: Columns) -> float | None:
    """Moodle's maximum: a column."""
    return as_number(line[head.index(columns.possible)]) if columns.possible in head else None


def as_number(text: str) -> float | None:
    try:
        return float(text.replace(",", ".")) or None
    except ValueError:
        return None


# The verb


FORMATS = ("csv", "moodle", "canvas", "gradescope", "autograder", "nbgrader")


def export(arguments: list[str]) -> None:
    made = form(
        "export",
        __doc__.partition("\n\n")[0].partition(": ")[2].capitalize(),
        "  python -m classroom export week3 --out grades.csv\n"
        "  python -m classroom export week3 --as moodle --into Grades.csv --roster roster.csv \\\n"
        "      --out upload.csv\n"
        "  python -m classroom export week3 --as canvas --into Gradebook.csv --column 'Week 3' \\\n"
        "      --roster roster.csv --out upload.csv\n"
        "  python -m classroom export week3 --as autograder --out autograder.zip\n",
    )
    made.add_argument("--as", dest="form", choices=FORMATS, default="csv", help="(%(default)s)")
    made.add_argument("--out", type=Path, required=True, help="the file or folder to write")
    made.add_argument("--into", type=Path, help="the CSV file that Moodle or Canvas gave you")
    made.add_argument("--column", help="which column of that file gets the points")
    made.add_argument("--comments", help="which column of that file gets the comments")
    made.add_argument(
        "--match",
        action="append",
        default=[],
        metavar="COLUMN=FIELD",
        help="which column of that file holds which of the roster's: --match 'Username=id'",
    )
    made.add_argument("--scale", action="store_true", help="convert points to the LMS's maximum")
    add_roster(made)
    add_gradebook(made)
    made.add_argument("--dry-run", action="store_true", help="check everything, write nothing")
    options = made.parse_args(arguments)
    FILLED = {"moodle": MOODLE, "canvas": CANVAS}
    if options.form in FILLED:
        export_into(options, FILLED[options.form])
    elif options.form == "csv":
        with open_book(options) as book:
            lines = table(book.rows(), roster_of(options))
        save(BOM + csv_text(lines), options, f"{len(lines) - 1} students")
    elif options.form == "gradescope":
        export_results(options)
    elif options.form == "autograder":
        from classroom.gradescope import autograder_zip

        save(autograder_zip(teacher_of(options.assignment)), options, "Gradescope's autograder")
    else:
        from classroom.nbgrader import write_source

        write_source(teacher_of(options.assignment), options.out, options.dry_run)


def export_into(options: argparse.Namespace, columns: Columns) -> None:
    if options.into is None:
        raise Stop(f"--as {options.form} fills in the file that it gave you: name it by --into.")
    try:
        text = options.into.read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise Stop(f"--into {options.into} cannot be read as CSV in UTF-8 ({error}).") from error
    columns = replace(
        columns,
        grade=options.column or columns.grade,
        comment=options.comments or columns.comment,
        who=(*map(pair, options.match), *columns.who),
    )
    key, _ = teacher_of(options.assignment).key()
    with open_book(options) as book:
        rows = book.rows()
    filled = fill(text, rows, roster_of(options), columns, key.points, options.scale)
    blank = sum(row.points is None for row in rows if row.student not in filled.left)
    empty = f", {blank} of them without points as they need attention" if blank else ""
    save(filled.text, options, f"{filled.written} students{empty}")
    if filled.left:
        print(f"In no row of {options.into}: {', '.join(filled.left)}")


def pair(text: str) -> tuple[str, str]:
    column, _, field = text.rpartition("=")
    if not column or field not in ("id", "name", "email", "moodle", "canvas"):
        raise Stop(f"--match {text}: write COLUMN=FIELD; a field is id, name, email, moodle, …")
    return column, field


def row_results(row: Row) -> dict[str, Any]:
    """Gradescope's results of a row; points and comments that were set by hand count."""
    from classroom.gradescope import results

    found = results(row.grade)
    for test in found["tests"]:
        test["score"] = row.task_points(test["name"])
    if row.points is not None:
        by_hand = "" if row.grade.state == GRADED else "Graded by hand."
        found |= {"score": row.points, "output": by_hand or found["output"]}
    if row.comment:
        found["output"] = f"{found['output']}\n{row.comment}".strip()
    return found


def export_results(options: argparse.Namespace) -> None:
    with open_book(options) as book:
        rows = book.rows()
    if not options.dry_run:
        for row in rows:
            folder = options.out / file_name(row.student)
            folder.mkdir(parents=True, exist_ok=True)
            text = json.dumps(row_results(row), indent=1, ensure_ascii=False)
            write_text(text + "\n", folder / "results.json")
    print(f"{options.out}: {len(rows)} results.json.{written(options)}")


def save(content: str | bytes, options: argparse.Namespace, what: str) -> None:
    if not options.dry_run:
        options.out.parent.mkdir(parents=True, exist_ok=True)
        (write_text if isinstance(content, str) else write_bytes)(content, options.out)
    print(f"{options.out}: {what}.{written(options)}")


def written(options: argparse.Namespace) -> str:
    return " Nothing was written (--dry-run)." if options.dry_run else ""


if __name__ == "__main__":
    sys.exit(run_verb(["export", *sys.argv[1:]], {"export": export}))
