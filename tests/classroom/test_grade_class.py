"""A class from a folder to a gradebook: resumed, graded again, killed, and never counted twice."""

import contextlib
import dataclasses
import json
import os
import sqlite3
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import pytest

from classroom import grade_class
from classroom.environment import ROOT
from classroom.export import csv_text, table
from classroom.grade_class import main, run_grading
from classroom.gradebook import Gradebook
from classroom.key import save_key
from classroom.messages import Stop
from classroom.teacher import read_key
from tests.classroom.handing_in import COUNT, KEY, SLOPE, needs_sandbox, notebook
from tests.classroom.stand_in import ENVIRON, grade_it, make_class, options, stand_in

# Of each four students: all right; public alone; nothing right; a file that cannot be read.
POINTS = {0: 15.0, 1: 9.0, 2: 5.0, 3: None}


@pytest.fixture
def place(tmp_path):
    make_class(tmp_path / "week3", 8)
    return tmp_path / "week3"


def book_of(place: Path) -> Gradebook:
    return Gradebook(place / "teacher" / "gradebook.sqlite")


def test_everybody_has_what_the_answers_deserve(place):
    said = grade_it(place)
    assert "Handed in: 8." in said and "Graded now: 8." in said
    assert "attention, and have no points until then: 2." in said
    assert "s03: The file is damaged." in said
    with book_of(place) as book:
        assert {r.student: r.points for r in book.rows()} == {
            f"s{n:02d}": POINTS[n % 4] for n in range(8)
        }


def test_what_cannot_be_read_is_no_silence(place):
    """A student who handed in a .docx did hand something in, and the gradebook says so."""
    (place / "files" / "s02.py").rename(place / "files" / "s02_week3.docx")
    said = grade_it(place)
    assert "Handed in: 8." in said and "Missing" not in said
    reason = "Nothing could be read: s02_week3.docx: it is none of .ipynb, .md, .py."
    assert f"s02: {reason}" in said
    assert "Graded now: 0. 8 had a grade before." in grade_it(place)
    with book_of(place) as book:
        row = next(row for row in book.rows() if row.student == "s02")
    assert row.points is None and row.grade.reason == reason
    assert "To grade: 1." in grade_it(place, again=lambda row: row.student == "s02", dry_run=True)
    shards = [grade_it(place, gradebook=place / f"{n}.sqlite", shard=f"{n}/2") for n in (1, 2)]
    assert sum(reason in said for said in shards) == 1
    (place / "files" / "s02.py").write_text("full 2")
    grade_it(place)
    with book_of(place) as book:
        assert {r.student: r.points for r in book.rows()}["s02"] == 15


@pytest.mark.parametrize("way", ["open elsewhere", "damaged", "a full disk", "read-only"])
def test_a_gradebook_that_cannot_be_used_is_a_sentence(place, way, monkeypatch, capsys):
    grade_it(place)
    capsys.readouterr()
    file = place / "teacher" / "gradebook.sqlite"
    real, other = sqlite3.connect, sqlite3.connect(file, isolation_level=None)
    monkeypatch.setattr(sqlite3, "connect", lambda *a, **k: real(*a, **{**k, "timeout": 0.1}))
    if way == "open elsewhere":
        other.execute("BEGIN EXCLUSIVE")
    elif way == "damaged":
        data = file.read_bytes()
        file.write_bytes(data[:4096] + b"\xff" * (len(data) - 4096))
    elif way == "a full disk":

        def full(self, *_):
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(Gradebook, "override", full)
    else:
        monkeypatch.setattr(
            sqlite3, "connect", lambda name, **k: real(f"file:{name}?mode=ro", uri=True, **k)
        )
    assert main(["override", str(place), "s00", "--points", "3"]) == 2
    said = capsys.readouterr().err
    assert len(said.splitlines()) == 1 and "Traceback" not in said
    says = {
        "open elsewhere": "locked",
        "damaged": "malformed",
        "a full disk": "No space left",
        "read-only": "readonly",
    }
    assert says[way] in said
    other.close()


def test_a_second_run_grades_nothing_and_a_new_file_is_a_new_attempt(place):
    grade_it(place)
    assert "Graded now: 0. 8 had a grade before." in grade_it(place)
    file = place / "files" / "s02.py"
    old = file.read_text()
    file.write_text("full 2, once more")
    assert "Graded now: 1. 7 had a grade before." in grade_it(place)
    with book_of(place) as book:
        assert {r.student: r.points for r in book.rows()}["s02"] == 15
    file.write_text(old)  # the first file is handed in again: it counts again
    assert "Graded now: 1." in grade_it(place)
    with book_of(place) as book:
        assert {r.student: r.points for r in book.rows()}["s02"] == 5
        assert len(book.attempts()) == 10


def test_another_key_grades_again(place):
    grade_it(place)
    key = place / "teacher" / "key.json"
    key.write_text(key.read_text().replace("Two tasks", "Two tasks, mended"))
    read_key.cache_clear()
    assert "Graded now: 8." in grade_it(place)


def test_regrading_picks_whom_it_is_told_and_keeps_the_overrides(place):
    grade_it(place)
    with book_of(place) as book:
        book.override("s03", 2, "by mail")
    assert "Graded now: 2." in grade_it(place, again=lambda row: row.grade.state != "graded")
    with book_of(place) as book:
        rows = {row.student: row for row in book.rows()}
        assert (rows["s03"].round, rows["s07"].round, rows["s00"].round) == (1, 1, 0)
        assert rows["s03"].points == 2 and rows["s07"].points is None
        assert len(book.attempts()) == 10


def test_a_dry_run_says_what_would_be_graded_and_writes_nothing(place):
    before = sorted(place.rglob("*"))
    (place / "files" / "stranger.py").write_text("full")
    (place / "files" / "s00.py").unlink()
    (place / "files" / "notes.exe").write_text("x")
    said = grade_it(place, dry_run=True)
    assert "To grade: 8. Nothing was graded (--dry-run)." in said
    assert "Missing: 1 of 8 in the roster.\n  s00\n" in said
    assert "In no row of the roster: 1.\n  stranger\n" in said
    assert "notes.exe: it is none of" in said
    assert not list(place.rglob("*.sqlite")) and len(sorted(place.rglob("*"))) == len(before) + 1


def test_each_student_is_judged_by_their_own_key(place):
    (place / "teacher" / "keys").mkdir()
    own = place / "teacher" / "keys" / "s01.json"
    save_key(dataclasses.replace(KEY, student="s01"), own)
    seen = {}

    def grader(files, key, sandbox):
        seen[files[0][0]] = key.student
        return stand_in(files, key, sandbox)

    with contextlib.redirect_stdout(None):
        run_grading(options(place), lambda row: False, contextlib.nullcontext, grader)
    assert seen["s01.py"] == "s01" and seen["s02.py"] == ""
    assert len(seen) == 8


def test_a_label_that_names_another_file_gets_the_common_key(place):
    teacher = grade_class.teacher_of(place)
    (place / "teacher" / "keys").mkdir()
    for label in ("../key", "/etc/passwd", "..", "a/b", "nobody"):
        assert teacher.key_file(label) == place / "teacher" / "key.json"


def test_every_worker_has_a_sandbox_of_its_own_which_is_closed(place):
    """The sandbox is made in the thread that uses it: it dies with that thread."""
    log, lock = [], threading.Lock()

    @contextlib.contextmanager
    def sandbox():
        mine = threading.get_ident()
        with lock:
            log.append(("open", mine))
        yield mine
        with lock:
            log.append(("closed", threading.get_ident()))

    def grader(files, key, sandbox):
        assert sandbox == threading.get_ident()
        return stand_in(files, key, sandbox, seconds=0.02)

    with contextlib.redirect_stdout(None):
        run_grading(options(place, workers=3), lambda row: False, sandbox, grader)
    assert len({who for what, who in log if what == "open"}) == 3
    assert sorted(w for what, w in log if what == "closed") == sorted(
        w for what, w in log if what == "open"
    )


def test_a_missing_sandbox_stops_the_run_with_its_sentence(place):
    def missing():
        raise Stop("no bubblewrap")

    with pytest.raises(Stop, match="no bubblewrap"):
        run_grading(options(place), lambda row: False, missing, stand_in)


def test_what_was_graded_before_an_interruption_is_kept(place):
    count = 0

    def grader(files, key, sandbox):
        nonlocal count
        count += 1
        if count == 4:
            raise KeyboardInterrupt
        return stand_in(files, key, sandbox)

    with pytest.raises(KeyboardInterrupt):
        run_grading(options(place, workers=1), lambda row: False, contextlib.nullcontext, grader)
    with book_of(place) as book:
        assert len(book.rows()) == 3
    assert "Graded now: 5. 3 had a grade before." in grade_it(place)


@pytest.fixture
def in_memory():
    """A folder in memory where there is one: a killed process loses nothing that a disk keeps."""
    shared = Path("/dev/shm")
    place = shared if os.access(shared, os.W_OK) else None
    with tempfile.TemporaryDirectory(dir=place) as folder:
        yield Path(folder)


def test_killed_fifty_times_nothing_is_lost_or_double(in_memory):
    """A class of 40, killed at random points, then run to the end: as if it had never stopped."""
    place = in_memory / "week3"
    make_class(place, 40)
    command = [sys.executable, "-m", "tests.classroom.stand_in", str(place), "50", "7"]
    done = subprocess.run(command, env=ENVIRON, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert said["struck"] == 50 and said["amid"] >= 10
    grade_it(place)  # without interruption
    with book_of(place) as book:
        expected = csv_text(table(book.rows()))
        assert [row.points for row in book.rows()] == [POINTS[n % 4] for n in range(40)]
    for file in said["books"]:
        with Gradebook(Path(file)) as book:
            assert len(book.attempts()) == 40
            assert csv_text(table(book.rows())) == expected


# The verbs


def test_status_and_override(place, capsys):
    grade_it(place)
    (place / "files" / "s00.py").unlink()
    assert main(["override", str(place), "s03", "--points", "3", "--comment", "by  mail\n"]) == 0
    assert main(["override", str(place), "s02", "--task", "slope", "--points", "2.5"]) == 0
    capsys.readouterr()
    assert main(["status", str(place)]) == 0
    said = capsys.readouterr().out
    assert "8 students, 8 attempts; 7 have points" in said
    assert "  s02  7.5 of 15, by hand\n  s03  3 of ?, by hand\n" in said
    assert "  s07  needs attention\n" in said
    assert main(["override", str(place), "s02", "--task", "slope", "--withdraw"]) == 0
    assert "s02: 5 of 15\n" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["grade", "nowhere", "files"], "no assignment"),
        (["grade", "week3", "nowhere"], "neither a folder nor a zip"),
        (["grade", "week3", "week3/files", "--workers", "0"], "from 1 to 64"),
        (["grade", "week3", "week3/files", "--due", "tomorrow"], "no ISO time"),
        (["grade", "week3", "week3/files", "--roster", "none.csv"], "cannot be read"),
        (["status", "week3"], "no such gradebook"),
        (["override", "week3", "s00", "--points", "1"], "no such gradebook"),
        (["override", "week3", "s00"], "Say --points"),
    ],
)
def test_what_cannot_be_done_is_said_in_a_line(place, monkeypatch, capsys, arguments, says):
    monkeypatch.chdir(place.parent)
    assert main(arguments) == 2
    assert says in capsys.readouterr().err
    assert not list(place.rglob("*.sqlite"))


def test_points_above_the_maximum_are_refused_where_nothing_was_graded_too(place, capsys):
    grade_it(place)
    assert main(["override", str(place), "s03", "--points", "99"]) == 2
    assert "from 0 to 15" in capsys.readouterr().err


@pytest.mark.parametrize("verb", ["grade", "regrade", "status", "override"])
def test_help_has_an_example(verb, capsys):
    with pytest.raises(SystemExit) as stopped:
        main([verb, "--help"])
    assert stopped.value.code == 0
    assert f"python -m classroom {verb} week3" in capsys.readouterr().out


def test_a_real_class_of_two_in_a_real_sandbox(tmp_path):
    """Once through the command itself, without the stand-in."""
    needs_sandbox()
    (tmp_path / "teacher").mkdir()
    save_key(KEY, tmp_path / "teacher" / "key.json")
    place = tmp_path / "files"
    place.mkdir()
    (place / "ada.ipynb").write_bytes(notebook(SLOPE, COUNT))
    (place / "bob.ipynb").write_bytes(b"{")
    command = [sys.executable, "-m", "classroom.grade_class", "grade", str(tmp_path), str(place)]
    done = subprocess.run(
        [*command, "--workers", "1"], env=ENVIRON, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    with Gradebook(tmp_path / "teacher" / "gradebook.sqlite") as book:
        ada, bob = book.rows()
    assert (ada.points, bob.points) == (15, None)
    assert ada.grade.sandboxed and "notebook" in bob.grade.reason
