"""The made-up class: the same bytes each time, read by the intake as a real one is."""

import csv
import io
import json
import os

import pytest

from classroom.grade_class import main as run_verb
from classroom.intake import collect
from classroom.masters import load_master
from classroom.roster import read_roster
from classroom.simulate import (
    class_of,
    handed_in,
    one_file,
    roster_text,
    simulate,
    submissions,
    worksheet_text,
)
from classroom.stubs import task_of_cell

NUMBER = 12


@pytest.fixture(scope="module")
def masters():
    return [load_master("unwatched_tensor")]


@pytest.mark.parametrize("naming", ["moodle", "canvas"])
def test_the_intake_finds_everybody(masters, tmp_path, naming):
    students = class_of(NUMBER)
    archive, number = handed_in(masters, students, 0, naming)
    assert archive == handed_in(masters, students, 0, naming)[0]
    assert archive != handed_in(masters, students, 1, naming)[0]
    (tmp_path / "lms.zip").write_bytes(archive)
    (tmp_path / "roster.csv").write_text(roster_text(students))
    found = collect(tmp_path / "lms.zip", read_roster(tmp_path / "roster.csv"))
    assert number == NUMBER == len(found.submissions)  # one is missing, and a stranger is there
    assert found.missing == ("bao02",) and len(found.unknown) == 1 and not found.refused


def test_some_answer_rightly_and_some_do_not(masters):
    """By the text of the cells: the reference's, a wrong one's, the stub."""
    made = {student.id: files[0] for student, files, _ in submissions(masters, class_of(60), 0)}
    assert made["chloe03"][0].endswith(".py")
    with pytest.raises(ValueError, match=r"Expecting|Unterminated"):
        json.loads(made["dmitri04"][1])
    cells: dict[str, set[str]] = {}
    for name, data in made.values():
        if name.endswith(".ipynb") and b'"nbformat"' in data:
            for cell in json.loads(data)["cells"]:
                source = (
                    cell["source"] if isinstance(cell["source"], str) else "".join(cell["source"])
                )
                if cell["cell_type"] == "code" and (task := task_of_cell(source)):
                    cells.setdefault(task, set()).add(source)
    for task in masters[0].tasks:
        kinds = len(task.wrong) + len(task.right) + 2  # the reference, and the stub
        assert 4 <= len(cells[task.name]) <= kinds


def test_a_notebook_left_alone_is_the_one_that_was_handed_out(masters):
    name, data = one_file(masters[0], {}, script=False)
    sources = ["".join(cell["source"]) for cell in json.loads(data)["cells"]]
    assert name == "unwatched_tensor.ipynb"
    assert [task_of_cell(s) for s in sources if task_of_cell(s)] == [
        t.name for t in masters[0].tasks
    ]


def test_a_large_class_has_ids_of_its_own():
    students = class_of(1000)
    for field in ("id", "name", "moodle", "canvas"):
        assert len({getattr(student, field) for student in students}) == 1000


@pytest.mark.parametrize("naming", ["moodle", "canvas"])
def test_the_worksheet_has_a_row_for_everybody(naming):
    rows = list(csv.DictReader(io.StringIO(worksheet_text(class_of(5), naming, 15.0))))
    assert len(rows) == (5 if naming == "moodle" else 6)


def test_a_folder_that_is_not_empty_and_a_class_of_nobody_are_refused(tmp_path, capsys):
    (tmp_path / "mine").write_text("x")
    for options in (["--out", str(tmp_path)], ["--students", "0", "--out", str(tmp_path / "new")]):
        asked = ["simulate", "unwatched_tensor", *options]
        assert run_verb(asked, {"simulate": simulate}) == 2
    assert os.listdir(tmp_path) == ["mine"]
    said = capsys.readouterr().err
    assert "is not empty" in said and "from 1 to 10000" in said
