"""`python -m classroom simulate`: a class that does not exist, to try the whole way with.

Each student answers each task out of its bank of right and wrong answers, or leaves it as it was.
A few do what happens in every class: one hands in nothing, one a damaged file, one a script in
place of a notebook, one is in no roster, and where the naming says so, some are late. Equal
options give equal bytes.
"""

import argparse
import csv
import io
import random
import sys
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import nbformat

from classroom.assign import refuse_full
from classroom.bank import right_cells, wrong_cells
from classroom.grade_class import main as run_verb
from classroom.masters import Master, load_master
from classroom.messages import Stop
from classroom.quiet import import_tensorflow
from classroom.roster import COLUMNS, Student, plain
from classroom.stubs import task_of_cell
from classroom.student import notebook_of

GIVEN = ("Ada", "Bao", "Chloé", "Dmitri", "Elif", "Femi", "Gül", "Hana", "Inga", "João")
FAMILY = ("Abara", "Brandt", "Çelik", "Dubois", "Eriksen", "Fischer", "García")
MOST = 10_000
STRANGER = Student("stranger", "Sam Stranger", "", "99999", "99999")
UNTOUCHED = 0.08  # how often a task is left as it was handed out


def class_of(number: int) -> list[Student]:
    """Students with names, addresses and the numbers of Moodle and Canvas."""
    made = []
    for n in range(number):
        # 10 and 7 have no common factor, so 70 students have different names
        name = f"{GIVEN[n % 10]} {FAMILY[n % 7]}" + (f" {n // 70 + 1}" if n >= 70 else "")
        identity = f"{plain(name.split()[0])}{n + 1:02d}"
        address = f"{identity}@example.org"
        made.append(Student(identity, name, address, str(4001 + n), str(1001 + n)))
    return made


def roster_text(students: Sequence[Student]) -> str:
    made = io.StringIO()
    writer = csv.writer(made, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows([getattr(student, column) for column in COLUMNS] for student in students)
    return made.getvalue()


def worksheet_text(students: Sequence[Student], naming: str, points: float) -> str:
    """The table of grades that the LMS gives out, still without a grade."""
    if naming == "moodle":
        head = ["Identifier", "Full name", "Email address", "Status", "Grade", "Maximum grade"]
        lines = [[*head, "Grade can be changed", "Last modified (grade)", "Feedback comments"]]
        for s in students:
            who = [f"Participant {s.moodle}", s.name, s.email, "Submitted for grading", ""]
            lines.append([*who, f"{points:.2f}", "Yes", "-", ""])
    else:
        lines = [["Student", "ID", "SIS User ID", "SIS Login ID", "Section", "Assignment (77)"]]
        lines.append(["    Points Possible", "", "", "", "", f"{points:.1f}"])
        lines += [[s.name, s.canvas, "", s.id, "A", ""] for s in students]
    made = io.StringIO()
    csv.writer(made, lineterminator="\n").writerows(lines)
    return made.getvalue()


def submissions(
    masters: list[Master], students: Sequence[Student], seed: int
) -> Iterator[tuple[Student, list[tuple[str, bytes]], bool]]:
    """Student, files and whether it is late, for each one that hands something in."""
    draw = random.Random(seed)
    bank = {
        (master.slug, task.name): (right_cells(task), wrong_cells(task))
        for master in masters
        for task in master.tasks
    }
    for n, student in enumerate((*students, STRANGER)):
        ability = 0.35 + 0.6 * draw.random()
        cells = {
            master.slug: {
                task.name: drawn(draw, ability, *bank[master.slug, task.name])
                for task in master.tasks
            }
            for master in masters
        }
        if n == 1:  # hands in nothing
            continue
        script = n == 2
        files = [one_file(master, cells[master.slug], script) for master in masters]
        if n == 3:  # saved by a program that was stopped
            files = [(name, data[: len(data) // 2]) for name, data in files]
        yield student, files, draw.random() < 0.1


def drawn(draw: random.Random, ability: float, right: list[str], wrong: list[str]) -> str | None:
    """A task's cell; None leaves the stub."""
    chance, number = draw.random(), draw.random()
    if chance < UNTOUCHED:
        return None
    bank = right if draw.random() < ability else wrong
    return bank[int(number * len(bank))] if bank else None


def one_file(master: Master, cells: dict[str, str | None], script: bool) -> tuple[str, bytes]:
    """The exercise with these answers, as a notebook or as a Python script."""
    notebook = notebook_of(master, "")
    for cell in notebook.cells:
        answer = cells.get(task_of_cell(cell.source) or "") if cell.cell_type == "code" else None
        cell.source = answer or cell.source
    if script:
        code = [cell.source for cell in notebook.cells if cell.cell_type == "code"]
        text = "\n\n".join(f"# %%\n{source}" for source in code)
        return f"{master.slug}.py", f"{text}\n".encode()
    return f"{master.slug}.ipynb", (nbformat.writes(notebook) + "\n").encode()


def path_in_zip(student: Student, name: str, late: bool, naming: str) -> str:
    """How the LMS calls a file in the zip that it gives a teacher."""
    if naming == "moodle":
        return f"{student.name}_{student.moodle}_assignsubmission_file_/{name}"
    words = student.name.split()
    turned = plain("".join(words[1:] + words[:1]))
    return f"{turned}_{'LATE_' if late else ''}{student.canvas}_{int(student.canvas) + 7000}_{name}"


def handed_in(
    masters: list[Master], students: Sequence[Student], seed: int, naming: str
) -> tuple[bytes, int]:
    """The LMS's zip, and how many students are in it."""
    made, number = io.BytesIO(), 0
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for student, files, late in submissions(masters, students, seed):
            number += 1
            for name, data in files:
                path = path_in_zip(student, name, late, naming)
                entry = zipfile.ZipInfo(path, (2026, 1, 1, 0, 0, 0))
                entry.compress_type = zipfile.ZIP_DEFLATED
                entry.create_system, entry.external_attr = 3, 0o100644 << 16
                archive.writestr(entry, data)
    return made.getvalue(), number


def simulate(arguments: list[str]) -> None:
    made = argparse.ArgumentParser(
        prog="python -m classroom simulate",
        description="Make up a class: its roster and what it hands in, as Moodle or Canvas would "
        "give it out. To try assign, grade, export and feedback before a real class.",
        epilog="examples:\n  python -m classroom simulate unwatched_tensor --students 30 "
        "--out class\n",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    made.add_argument("lessons", nargs="+", metavar="LESSON", help="a slug, or a master's folder")
    made.add_argument("--students", type=int, default=30, help="how many (default %(default)s)")
    made.add_argument("--out", type=Path, required=True, help="the folder to make")
    made.add_argument("--naming", choices=("moodle", "canvas"), default="moodle")
    made.add_argument("--seed", type=int, default=0, help="another seed, another class")
    options = made.parse_args(arguments)
    if not 1 <= options.students <= MOST:
        raise Stop(f"--students {options.students}: write a number from 1 to {MOST}.")
    refuse_full(options.out)
    import_tensorflow()  # specifications import it; quietly
    masters = [load_master(name) for name in dict.fromkeys(options.lessons)]
    students = class_of(options.students)
    archive, number = handed_in(masters, students, options.seed, options.naming)
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "roster.csv").write_text(roster_text(students), encoding="utf-8", newline="\n")
    (options.out / f"{options.naming}.zip").write_bytes(archive)
    points = sum(task.points for master in masters for task in master.tasks)
    worksheet = worksheet_text(students, options.naming, points)
    (options.out / "worksheet.csv").write_text(worksheet, encoding="utf-8", newline="\n")
    print(f"{options.out}/roster.csv: {len(students)} students")
    print(f"{options.out}/{options.naming}.zip: submissions of {number}, one of them a stranger")
    print(f"{options.out}/worksheet.csv: the LMS's table of grades, still empty")


if __name__ == "__main__":
    sys.exit(run_verb(["simulate", *sys.argv[1:]], {"simulate": simulate}))
