"""The gradebook: rows are only added; a killed writer and two at once lose and double none."""

import os
import signal
import sqlite3
import subprocess
import sys
import time

import pytest

from classroom.environment import ROOT
from classroom.gradebook import Gradebook, grade_from_json, grade_to_json
from classroom.grading import Grade, ProbeGrade, TaskGrade
from classroom.messages import Stop
from tests.classroom.stand_in import ENVIRON

TASK = TaskGrade(
    "slope",
    4.0,
    10.0,
    (ProbeGrade("two numbers", "public", True), ProbeGrade("three", "hidden", False)),
    "slope is not there yet",
    (("why", "It is „wrong“ on others."),),
    "the values instead",
    "unwatched",
)
GRADE = Grade("graded", "", "ab" * 32, 1.5, (TASK, TaskGrade("count", 5.0, 5.0)), ("a note",))
LOST = Grade("needs_attention", "The file is empty.", "cd" * 32, 0.1)


@pytest.fixture
def book(tmp_path):
    with Gradebook(tmp_path / "book.sqlite", create=True) as opened:
        yield opened


def test_a_grade_comes_back_as_it_was(book):
    assert grade_from_json(grade_to_json(GRADE)) == GRADE
    book.add("ada", GRADE, key="k", label="Ada (1)", late=True)
    (row,) = book.rows()
    assert (row.student, row.label, row.known, row.late, row.grade) == (
        "ada", "Ada (1)", True, True, GRADE
    )  # fmt: skip
    assert row.points == 9.0


def test_the_same_round_is_added_once_and_a_regrade_is_another_row(book):
    assert book.add("ada", GRADE, key="k")
    assert not book.add("ada", GRADE, key="k")
    assert book.rounds("ada", GRADE.sha256, "k") == 1
    assert book.add("ada", GRADE, key="k", round=1)
    assert book.add("ada", GRADE, key="other key")
    assert book.rounds("ada", GRADE.sha256, "k") == 2
    assert len(book.attempts()) == 3
    assert len(book.rows()) == 1


def test_what_needs_attention_has_no_points_until_they_are_set_by_hand(book):
    book.add("eve", LOST, key="k")
    assert book.rows()[0].points is None
    book.override("eve", 3.5, "came by mail")
    assert book.rows()[0].points == 3.5
    assert book.rows()[0].comment == "came by mail"
    book.override("eve", None, "")
    assert book.rows()[0].points is None and book.rows()[0].overrides == {}


def test_overrides_of_a_task_and_of_the_sum(book):
    book.add("ada", GRADE, key="k")
    book.override("ada", 8, "nearly", task="slope")
    assert book.rows()[0].points == 13
    assert book.rows()[0].comment == "slope: nearly"
    book.override("ada", 3, "", task="count")
    assert (book.rows()[0].points, book.rows()[0].comment) == (11, "slope: nearly")
    book.override("ada", None, "", task="count")
    book.override("ada", 1, "")
    assert book.rows()[0].points == 1
    book.override("ada", None, "")
    book.override("ada", None, "", task="slope")
    assert book.rows()[0].points == 9
    book.add("ada", GRADE, key="k", round=1)
    book.override("ada", 7, "", task="slope")
    book.add("ada", GRADE, key="k", round=2)
    assert book.rows()[0].points == 12  # an override outlives a regrade


def test_no_points_and_all_points_by_hand_are_points_too(book):
    book.add("ada", GRADE, key="k")
    book.override("ada", 0, "", task="slope")
    assert book.rows()[0].points == 5
    book.override("ada", 10, "", task="slope")
    assert book.rows()[0].points == 15
    for points in (0, 15):
        book.override("ada", points, "")
        assert book.rows()[0].points == points


def test_a_comment_alone_leaves_the_points_and_can_be_withdrawn(book):
    book.add("ada", GRADE, key="k")
    book.override("ada", None, "see me")
    book.override("ada", 8, "nearly", task="slope")
    book.override("ada", None, "well done", task="count")
    said = "see me; slope: nearly; count: well done"
    assert (book.rows()[0].points, book.rows()[0].comment) == (13, said)
    book.override("ada", None, "", task="count")
    assert book.rows()[0].comment == "see me; slope: nearly"
    book.override("ada", 7, "")
    assert book.rows()[0].comment == "slope: nearly"


def test_tenths_of_points_add_up_to_tenths(book):
    tenths = [TaskGrade(name, 0.1, 1.0) for name in "abc"]
    book.add("ada", Grade("graded", "", "ef" * 32, 0.1, tuple(tenths)), key="k")
    assert book.rows()[0].points == 0.3  # 0.1 + 0.1 + 0.1 is 0.30000000000000004


def test_the_last_attempt_counts_and_students_come_in_the_order_of_their_ids(book):
    book.add("zoe", LOST, key="k")
    book.add("ada", GRADE, key="k")
    book.add("zoe", GRADE, key="k")
    assert [(row.student, row.points) for row in book.rows()] == [("ada", 9), ("zoe", 9)]


@pytest.mark.parametrize("late", [None, True, False])
@pytest.mark.parametrize("known", [True, False])
def test_late_may_be_unknown_and_a_name_too(book, late, known):
    book.add("ada", GRADE, key="k", late=late, known=known)
    (row,) = book.rows()
    assert row.late is late and row.known is known and row.label == "ada"


def test_a_transaction_holds_the_lock_from_its_beginning(book, tmp_path):
    other = sqlite3.connect(tmp_path / "book.sqlite", timeout=0)
    with book.transaction(), pytest.raises(sqlite3.OperationalError, match="locked"):
        other.execute("BEGIN IMMEDIATE")
    other.close()


def test_what_fails_on_its_way_leaves_nothing(book):
    book.add("ada", GRADE, key="k")
    with pytest.raises(ZeroDivisionError), book.transaction():
        book.database.execute(
            "INSERT INTO overrides (student, task, points, comment, at) VALUES ('ada','',1,'','')"
        )
        raise ZeroDivisionError
    assert book.rows()[0].overrides == {}


@pytest.mark.parametrize(
    ("student", "points", "task", "says"),
    [
        ("bob", 1, "", "no submission"),
        ("ada", 1, "shape", "no task"),
        ("ada", 11, "slope", "out of range"),
        ("ada", -1, "slope", "out of range"),
        ("ada", 16, "", "out of range"),
        ("ada", float("nan"), "slope", "out of range"),
    ],
)
def test_an_override_that_makes_no_sense_is_refused(book, student, points, task, says):
    book.add("ada", GRADE, key="k")
    with pytest.raises(Stop, match=says):
        book.override(student, points, "", task)
    assert book.rows()[0].overrides == {}


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE attempts SET grade = '{}'",
        "DELETE FROM attempts",
        "UPDATE overrides SET points = 99",
        "DELETE FROM overrides",
        "INSERT OR REPLACE INTO attempts (student, label, known, sha256, key, round, grade, at) "
        "SELECT student, label, known, sha256, key, round, '{}', at FROM attempts",
        "INSERT OR REPLACE INTO attempts SELECT id, student, label, known, sha256, key, 7, late, "
        "'{}', at FROM attempts",
        "INSERT OR REPLACE INTO overrides SELECT id, student, task, 99, comment, at FROM overrides",
    ],
)
def test_no_row_is_changed_or_removed(book, statement):
    book.add("ada", GRADE, key="k")
    book.override("ada", 1, "x")
    before = list(book.database.iterdump())
    if statement.startswith("INSERT"):
        book.database.execute(statement)  # is ignored, as a round that is there already
    else:
        with pytest.raises(sqlite3.Error, match="append only"):
            book.database.execute(statement)
    assert list(book.database.iterdump()) == before


def test_a_file_that_is_no_gradebook_is_left_as_it_is(tmp_path):
    with pytest.raises(Stop, match="no such gradebook"):
        Gradebook(tmp_path / "none.sqlite")
    assert not (tmp_path / "none.sqlite").exists()
    (tmp_path / "text.sqlite").write_text("not a database, " * 100)
    with pytest.raises(Stop, match="cannot be used"):
        Gradebook(tmp_path / "text.sqlite")
    with sqlite3.connect(tmp_path / "other.sqlite") as other:
        other.execute("CREATE TABLE t (x)")
    other.close()
    with pytest.raises(Stop, match="no gradebook of version"):
        Gradebook(tmp_path / "other.sqlite")
    with Gradebook(tmp_path / "newer.sqlite", create=True) as newer:
        newer.database.execute("PRAGMA user_version = 2")
    with pytest.raises(Stop, match="no gradebook of version 1"):
        Gradebook(tmp_path / "newer.sqlite")
    with pytest.raises(Stop, match="cannot be used"):
        Gradebook(tmp_path / "no folder" / "book.sqlite", create=True)


WRITER = """
import sys
from classroom.gradebook import Gradebook
from pathlib import Path
from tests.classroom.test_gradebook import GRADE
with Gradebook(Path(sys.argv[1]), create=True) as book:
    print("ready", flush=True)
    sys.stdin.readline()
    added = 0
    for n in range(int(sys.argv[2])):
        added += book.add(f"student{n}", GRADE, key="k")
        if sys.argv[3:]:
            print(n, flush=True)
    print("added", added)
"""


def writer(file, number, *loud) -> subprocess.Popen:
    command = [sys.executable, "-c", WRITER, str(file), str(number), *loud]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    started = subprocess.Popen(command, env=ENVIRON, text=True, cwd=ROOT, **pipes)
    assert started.stdout.readline() == "ready\n"
    return started


def test_two_graders_at_once_add_every_row_once(tmp_path):
    file = tmp_path / "book.sqlite"
    both = [writer(file, 60), writer(file, 60)]
    for one in both:
        one.stdin.write("go\n")
        one.stdin.flush()
    added = [int(one.communicate(timeout=60)[0].split()[-1]) for one in both]
    assert sum(added) == 60
    with Gradebook(file) as book:
        assert len(book.attempts()) == len(book.rows()) == 60


def test_a_killed_writer_leaves_what_it_has_committed(tmp_path):
    file = tmp_path / "book.sqlite"
    one = writer(file, 100_000, "loud")
    one.stdin.write("go\n")
    one.stdin.flush()
    said = [one.stdout.readline() for _ in range(20)]
    time.sleep(0.02)
    os.kill(one.pid, signal.SIGKILL)
    said += one.stdout.read().splitlines()
    one.wait()
    with Gradebook(file) as book:
        assert book.database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        rows = len(book.rows())
        # What was said to be in is in; one more may have been committed but not yet said.
        assert len(said) <= rows <= len(said) + 1
        assert book.add("another", GRADE, key="k")
