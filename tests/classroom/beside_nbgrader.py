"""What nbgrader takes for the same submissions, from our export, in an environment of its own.

Called by `python -m tests.classroom.bench_grading --nbgrader`. The environment is made once, below
.venv-compat/, which takes a minute or two.
"""

import csv
import os
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

import nbformat

from classroom.nbgrader import write_source
from classroom.quiet import QUIET
from classroom.stubs import task_of_cell
from classroom.student import requirements
from classroom.teacher import Teacher
from tests.compat import environment

NBGRADER = "nbgrader==0.9.6"
NEEDED = ("tensorflow", "keras", "numpy")  # by the exported tests, as in our own environment
NAME = "week"

CONFIG = r"""
c = get_config()
c.CourseDirectory.course_id = "bench"
c.FileNameCollectorPlugin.named_regexp = r".*/(?P<student_id>s\d+)_(?P<file_id>\w+)\.ipynb"
c.ExecutePreprocessor.timeout = 300
"""


@dataclass(frozen=True)
class Beside:
    """Seconds of each step, and each student's points and their maximum, in order."""

    generate: float
    collect: float
    autograde: float
    points: list[float]
    possible: float


def nbgrader_program() -> Path:
    """The program `nbgrader` in its environment."""
    pins = [pin for pin in requirements().splitlines() if pin.split("==")[0] in NEEDED]
    return environment("nbgrader", [NBGRADER, *pins]).with_name("nbgrader")


def grade_beside(teacher: Teacher, answers: list[list[str]], course: Path) -> Beside:
    """Export, generate the assignment, collect and autograde, one submission after another.

    Args:
        teacher: the assignment, as `assign` has made it.
        answers: for each student the code cells; those of a task begin with its mark.
        course: an empty folder.
    """
    program = nbgrader_program()

    def run(*words: str) -> float:
        # Not this environment's modules, and no settings of whoever runs this.
        apart = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "JUPYTER_PATH")}
        home = course / "home"
        apart |= {"HOME": str(home), "JUPYTER_CONFIG_DIR": str(home), "IPYTHONDIR": str(home)}
        apart["PATH"] = f"{program.parent}{os.pathsep}{apart['PATH']}"
        began = time.monotonic()
        done = subprocess.run(
            [program, *words], cwd=course, env=apart | QUIET, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return time.monotonic() - began

    (course / "home").mkdir()
    (course / "nbgrader_config.py").write_text(CONFIG)
    write_source(teacher, course / "source" / NAME)
    generate = run("generate_assignment", NAME)
    archive = course / "downloaded" / NAME / "archive"
    archive.mkdir(parents=True)
    for number, cells in enumerate(answers):
        for released in sorted((course / "release" / NAME).glob("*.ipynb")):
            handed_in = nbformat.writes(filled_in(nbformat.read(released, 4), cells))
            (archive / f"s{number:03d}_{released.name}").write_text(handed_in, encoding="utf-8")
    collect = run("zip_collect", NAME)
    autograde = run("autograde", NAME)
    run("export")
    with open(course / "grades.csv", encoding="utf-8", newline="") as file:
        rows = sorted(csv.DictReader(file), key=lambda row: row["student_id"])
    points = [float(row["score"]) for row in rows]
    assert len(points) == len(answers), f"{len(points)} of {len(answers)} were graded"
    return Beside(generate, collect, autograde, points, float(rows[0]["max_score"]))


def filled_in(notebook: nbformat.NotebookNode, cells: list[str]) -> nbformat.NotebookNode:
    """The released notebook with a student's answers; the first holds their other cells, too."""
    by_task = {task_of_cell(cell): cell for cell in cells}
    others = [cell for cell in cells if task_of_cell(cell) is None]
    for cell in notebook.cells:
        name = task_of_cell(cell.source) if cell.cell_type == "code" else None
        if name is not None:
            cell.source = "\n\n".join([*others, by_task[name]])
            others = []
    return notebook
