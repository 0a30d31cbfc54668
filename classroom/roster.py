"""The class: a CSV file with a column `id`, and with what the school's system calls each student.

    id,name,email,moodle,canvas
    ada,Ada Lovelace,ada@example.org,4711,102

Only `id` is needed. It names files, so it is made of letters, digits, `.`, `_`, `-` and `@`.
`moodle` is the participant's number in Moodle's files, `canvas` the user's number in Canvas's.
"""

import csv
import re
import unicodedata
from dataclasses import dataclass
from pathlib import Path

from classroom.messages import Stop

COLUMNS = ("id", "name", "email", "moodle", "canvas")
IDENTITY = re.compile(r"\w[\w.@-]{0,99}")


@dataclass(frozen=True)
class Student:
    """One row of the roster. What it does not say is an empty string."""

    id: str
    name: str = ""
    email: str = ""
    moodle: str = ""
    canvas: str = ""

    @property
    def shown(self) -> str:
        return self.name or self.id


def read_roster(file: Path) -> tuple[Student, ...]:
    """The students of a CSV file, in its order.

    Raises:
        Stop: the file is missing or no CSV, has no column `id`, or an id is empty, twice there or
            no name for a file; the message names the line.
    """
    try:
        with file.open(encoding="utf-8-sig", newline="") as opened:
            head = opened.readline()
            opened.seek(0)
            # Where the comma is the decimal sign, spreadsheets write semicolons.
            reader = csv.DictReader(opened, delimiter=max(",;\t", key=head.count))
            rows = [(reader.line_num, row) for row in reader]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise Stop(f"The roster {file} cannot be read as CSV in UTF-8 ({error}).") from error
    if not rows or "id" not in rows[0][1]:
        raise Stop(f"The roster {file} has no column `id`, or no row below its first line.")
    students: dict[str, Student] = {}
    for line, row in rows:
        student = Student(**{name: (row.get(name) or "").strip() for name in COLUMNS})
        if not IDENTITY.fullmatch(student.id):
            raise Stop(
                f"The roster {file}, line {line}: the id {student.id!r} cannot name a file. "
                f"Use letters, digits, `.`, `_`, `-` and `@`, beginning with a letter or digit."
            )
        if student.id.casefold() in students:
            raise Stop(f"The roster {file}, line {line}: the id {student.id!r} is there twice.")
        students[student.id.casefold()] = student
    return tuple(students.values())


def find(roster: tuple[Student, ...], column: str, value: str) -> Student | None:
    """The one student whose column has this value, however it is written; None if not exactly one.

    Accents, case, spaces and punctuation do not count: Canvas writes `lovelaceada`, a file system
    may have taken an accent apart.
    """
    wanted = plain(value)
    found = [s for s in roster if wanted and plain(getattr(s, column)) == wanted]
    if len(found) > 1:  # `a.b` and `ab` are two ids
        found = [s for s in found if getattr(s, column).casefold() == value.casefold()]
    return found[0] if len(found) == 1 else None


def plain(text: str) -> str:
    """Letters and digits only, without accents and case."""
    apart = unicodedata.normalize("NFKD", text.casefold())
    return "".join(letter for letter in apart if letter.isalnum())
