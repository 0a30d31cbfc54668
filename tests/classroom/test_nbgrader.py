"""The source for nbgrader: its metadata by nbgrader's own rules, and that its cells run.

nbgrader itself runs on it in `python -m tests.classroom.bench_grading --nbgrader`.
"""

import json
import os
import re
import subprocess
import sys

import nbformat
import pytest

from classroom.assignment import make_assignment
from classroom.export import export
from classroom.grade_class import main as run_verb
from classroom.lessons import existing_slugs
from classroom.messages import Stop
from classroom.nbgrader import solution
from classroom.quiet import QUIET
from classroom.spec import load_tasks

# A cell's metadata as version 3 of the schema in nbgrader 0.9.6 has it, and no other keys.
KINDS = {
    "schema_version": (int,), "grade": (bool,), "locked": (bool,), "solution": (bool,),
    "task": (bool,), "grade_id": (str,), "points": (int, float),
}  # fmt: skip
REQUIRED = {"schema_version", "grade", "locked", "solution"}
MARKS = ("SOLUTION", "HIDDEN TESTS")


def problems(notebook: nbformat.NotebookNode) -> list[str]:
    """What nbgrader would refuse or misread when it generates the assignment."""
    found: list[str] = []
    for cell in notebook.cells:
        data = dict(cell.metadata.get("nbgrader", {}))
        begun, ended = (
            {mark for mark in MARKS if f"### {word} {mark}" in cell.source}
            for word in ("BEGIN", "END")
        )
        if begun != ended or ("SOLUTION" in begun) != bool(data.get("solution")):
            found.append("marks")
        if not data:
            continue
        found += [f"{k}={v!r}" for k, v in data.items() if type(v) not in KINDS.get(k, ())]
        found += [f"{key} is missing" for key in REQUIRED - data.keys()]
        if not re.fullmatch(r"[a-zA-Z0-9_\-]+", data.get("grade_id", "")):
            found.append("grade_id")
        if data.get("schema_version") != 3:
            found.append("version")
        graded = data.get("grade")
        if graded != ("points" in data) or data.get("points", 0) < 0:
            found.append("points")
        if graded == data.get("solution") or graded != data.get("locked"):
            found.append("an answer's cell is open, a test's cell is locked")
    marked = [c.metadata.nbgrader for c in notebook.cells if "nbgrader" in c.metadata]
    names = [data.get("grade_id") for data in marked]
    return found + ["grade_id twice"] * (len(set(names)) < len(names))


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    folder = tmp_path_factory.mktemp("nbgrader")
    make_assignment(["whynone"], folder / "week3", secret="0123456789abcdef")
    words = ["export", str(folder / "week3"), "--as", "nbgrader", "--out", str(folder / "source")]
    assert run_verb(words, {"export": export}) == 0
    return folder / "source"


@pytest.fixture
def notebook(source):
    return nbformat.read(source / "whynone.ipynb", as_version=4)


def test_the_cells_have_the_metadata_and_the_marks_that_nbgrader_reads(source, notebook):
    nbformat.validate(notebook)
    assert not problems(notebook)
    found = [c.metadata.nbgrader for c in notebook.cells if "nbgrader" in c.metadata]
    assert [data.grade_id for data in found] == [
        "task-diagnosis_of", "test-diagnosis_of-public",
        "task-lines_behind", "test-lines_behind-public", "test-lines_behind-hidden",
        "task-first_break", "test-first_break-public", "test-first_break-hidden",
    ]  # fmt: skip
    assert sum(data.get("points", 0) for data in found) == 16  # 5, 4 and 7, as in the lesson
    assert (source / "programs" / "nested.py").exists()


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda cell: cell.metadata.nbgrader.pop("locked"), "locked is missing"),
        (lambda cell: cell.metadata.nbgrader.update(points=1), "points"),
        (lambda cell: cell.metadata.nbgrader.update(schema_version=2), "version"),
        (lambda cell: cell.metadata.nbgrader.update(grade_id="task-lines_behind"), "twice"),
        (lambda cell: cell.metadata.nbgrader.update(grade_id="first break"), "grade_id"),
        (lambda cell: cell.metadata.nbgrader.update(id="mine"), "id='mine'"),
        (lambda cell: cell.metadata.nbgrader.update(grade="yes"), "grade='yes'"),
        (lambda cell: cell.metadata.nbgrader.update(locked=True), "is open"),
        (lambda cell: cell.metadata.pop("nbgrader"), "marks"),
        (lambda cell: cell.update(source="def first_break(): ..."), "marks"),
    ],
)
def test_a_wrong_format_would_be_seen(notebook, change, says):
    named = {c.metadata.nbgrader.grade_id: c for c in notebook.cells if "nbgrader" in c.metadata}
    change(named["task-first_break"])
    assert any(says in problem for problem in problems(notebook))


def test_the_source_runs_with_its_solutions_and_fails_with_wrong_ones(source, notebook):
    """All cells in a process of their own, beside the files that were written with them."""
    cells = [cell.source for cell in notebook.cells if cell.cell_type == "code"]
    cells = [cell for cell in cells if not cell.startswith(("check(", "hint("))]
    program = "import json, sys\nfor cell in json.load(sys.stdin):\n    exec(cell, globals())"

    def run(cells: list[str]) -> str:
        done = subprocess.run(
            [sys.executable, "-c", program], input=json.dumps(cells), cwd=source, text=True,
            env={k: v for k, v in os.environ.items() if k != "PYTHONPATH"} | QUIET,
            capture_output=True,
        )  # fmt: skip
        return done.stderr.strip().splitlines()[-1] if done.returncode else ""

    assert run(cells) == ""
    assert run([c.replace("return needed", "return {target}") for c in cells]).startswith(
        "AssertionError: a chain beside another"
    )


@pytest.mark.parametrize("slug", existing_slugs())
def test_every_solution_is_a_cell(slug):
    for task in load_tasks(slug):
        try:
            cell = solution(task)
        except Stop as stop:
            assert "needs another lesson's answer" in str(stop)
            continue
        compile(cell, task.name, "exec")
        assert cell.startswith(f"# TASK: {task.name}\n") and cell.count("### END SOLUTION") == 1
