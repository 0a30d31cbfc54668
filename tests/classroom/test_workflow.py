"""Shards, the workflow that grades them, and the gradebook that they become; similar answers."""

import os
import sqlite3
import stat
from collections import Counter
from pathlib import Path

import pytest
import yaml

from classroom import similar
from classroom.export import csv_text, table
from classroom.grade_class import grade_form, main, only_shard, shard_of
from classroom.grade_class import main as run_verb
from classroom.gradebook import Gradebook
from classroom.intake import collect
from classroom.key import save_key
from classroom.messages import Stop
from classroom.roster import read_roster
from classroom.workflow import VERBS
from tests.classroom.handing_in import COUNT, COUNT_STUB, KEY, SETUP, SLOPE, SLOPE_STUB, notebook
from tests.classroom.stand_in import grade_it, make_class


def run(*arguments) -> int:
    return run_verb([str(argument) for argument in arguments], VERBS)


@pytest.fixture
def place(tmp_path, monkeypatch):
    make_class(tmp_path / "week3", 20)
    monkeypatch.chdir(tmp_path)
    return Path("week3")


def test_every_submission_is_in_one_shard(place):
    intake = collect(place / "files", read_roster(place / "roster.csv"))
    shards = [only_shard(intake, f"{shard}/3").submissions for shard in (1, 2, 3)]
    found = [submission.student for shard in shards for submission in shard]
    assert sorted(found) == [f"s{n:02d}" for n in range(20)]


def test_shards_are_of_about_the_same_size():
    sizes = Counter(shard_of(f"student{n}", 20) for n in range(10_000))
    assert set(sizes) == set(range(1, 21))
    assert min(sizes.values()) > 400 and max(sizes.values()) < 600


@pytest.mark.parametrize("text", ["0/3", "4/3", "3", "a/b", "1/0", "-1/3", "1/3 "])
def test_a_shard_that_is_none_is_refused(place, text):
    with pytest.raises(Stop, match="third of twenty"):
        only_shard(collect(place / "files"), text)


def test_the_shards_gradebooks_become_that_of_the_class(place, capsys):
    grade_it(place)
    with Gradebook(place / "teacher" / "gradebook.sqlite") as book:
        expected = csv_text(table(book.rows()))
    files = [Path(f"shard-{shard}.sqlite") for shard in (1, 2, 3)]
    for shard, file in enumerate(files, 1):
        grade_it(place, gradebook=file, shard=f"{shard}/3")
    assert run("merge", place, *files, "--gradebook", "all.sqlite", "--dry-run") == 0
    assert not Path("all.sqlite").exists()
    for _ in range(2):  # again: nothing is double
        assert run("merge", place, *files, "--gradebook", "all.sqlite") == 0
        with Gradebook(Path("all.sqlite")) as book:
            assert csv_text(table(book.rows())) == expected
            assert len(book.attempts()) == 20
    assert "all.sqlite: 20 students." in capsys.readouterr().out


def test_merging_keeps_overrides_and_lets_nothing_older_count(place, capsys):
    grade_it(place, gradebook=Path("old.sqlite"))
    grade_it(place, gradebook=Path("new.sqlite"))
    with Gradebook(Path("new.sqlite")) as book:
        book.override("s00", 3, "late by an hour")
    (place / "files" / "s01.py").write_text("none 1")  # meanwhile handed in again
    grade_it(place, gradebook=Path("new.sqlite"))
    with sqlite3.connect("old.sqlite") as old:
        old.execute("DROP TRIGGER attempts_stay")
        old.execute("UPDATE attempts SET at = '2000-01-01', sha256 = 'another'")
    old.close()
    assert run("merge", place, "new.sqlite", "old.sqlite", "--gradebook", "all.sqlite") == 0
    assert "20 older than what counts left out" in capsys.readouterr().out
    with Gradebook(Path("all.sqlite")) as book:
        rows = {row.student: row for row in book.rows()}
        assert rows["s00"].points == 3 and rows["s00"].comment == "late by an hour"
        assert rows["s01"].points == 5


def test_what_cannot_be_merged_is_refused_before_a_row_is_written(place, capsys):
    grade_it(place, gradebook=Path("one.sqlite"))
    Path("none.sqlite").write_text("no database" * 100)
    assert run("merge", place, "one.sqlite", "none.sqlite", "--gradebook", "all.sqlite") == 2
    assert "cannot be used" in capsys.readouterr().err
    assert not Path("all.sqlite").exists()
    assert run("merge", place, "one.sqlite", "--gradebook", "one.sqlite") == 2
    assert "into itself" in capsys.readouterr().err


# The workflow


def test_the_workflow_is_yaml_whose_commands_are_ours(place):
    asked = ["workflow", place, "lms/moodle.zip", "--roster", "roster.csv", "--shards", "7"]
    assert run(*asked) == 0
    made = yaml.safe_load(Path(".github/workflows/grade.yml").read_text())
    grade = made["jobs"]["grade"]
    assert grade["strategy"]["matrix"]["shard"] == [1, 2, 3, 4, 5, 6, 7]
    assert made["permissions"] == {"contents": "read"}
    (line,) = [s["run"] for s in grade["steps"] if "classroom grade" in s.get("run", "")]
    words = line.replace("${{ matrix.shard }}", "3").split()
    assert words[:4] == ["python", "-m", "classroom", "grade"]
    options = grade_form("grade", "", "").parse_args(words[4:])
    assert options.shard == "3/7" and options.gradebook == Path("shard-3.sqlite")
    assert options.assignment == Path("week3") and options.roster == Path("roster.csv")
    (line,) = [s["run"] for s in made["jobs"]["merge"]["steps"] if "merge" in s.get("run", "")]
    assert line == "python -m classroom merge week3 shard-*.sqlite --gradebook gradebook.sqlite"


def test_a_workflow_of_another_hand_is_left(place, capsys):
    Path("w.yml").write_text("mine")
    assert run("workflow", place, "moodle.zip", "--out", "w.yml") == 2
    assert Path("w.yml").read_text() == "mine"
    assert run("workflow", place, "moodle.zip", "--out", "w2.yml", "--dry-run") == 0
    assert not Path("w2.yml").exists() and "classroom merge" in capsys.readouterr().out


@pytest.mark.parametrize(
    "path", ["/etc/x.zip", "../x.zip", "a b.zip", "x;id.zip", "$(id)", "-x", "${{ secrets.A }}"]
)
def test_a_path_that_a_shell_would_take_otherwise_is_refused(place, path):
    assert run("workflow", place, "--", path) == 2


@pytest.mark.parametrize("shards", [0, 257])
def test_as_many_shards_as_a_matrix_has(place, shards):
    assert run("workflow", place, "moodle.zip", "--shards", shards) == 2


# Similar answers


@pytest.fixture
def class_of_three(tmp_path):
    (tmp_path / "teacher").mkdir()
    save_key(KEY, tmp_path / "teacher" / "key.json")
    (tmp_path / "files").mkdir()
    for name, cells in {"ada": (SLOPE, COUNT), "bob": (SLOPE, COUNT_STUB),
                        "cyd": (SLOPE_STUB, COUNT_STUB)}.items():  # fmt: skip
        (tmp_path / "files" / f"{name}.ipynb").write_bytes(notebook(SETUP, *cells))
    (tmp_path / "files" / "eve.ipynb").write_bytes(b"{")
    return tmp_path


def similar_main(place: Path) -> int:
    asked = ["similar", place, place / "files", "--out", place / "out"]
    return run_verb([str(one) for one in asked], {"similar": similar.similar})


def test_without_compare50_it_says_how_to_install_it(class_of_three, monkeypatch, capsys):
    monkeypatch.setenv("PATH", str(class_of_three))
    assert similar_main(class_of_three) == 2
    assert "pip install compare50" in capsys.readouterr().err


STAND_IN = """#!/bin/sh
# Stands in for compare50: writes what it was given into the folder behind -o.
mkdir "$2" && echo "$@" > "$2/index.html"
for last; do :; done
(cd "$(dirname "$last")" && find . -type f | sort && cat ada/*.py) > "$2/files.txt"
(cd "$6" && ls) > "$2/stubs.txt"
"""


def test_compare50_gets_the_answers_and_the_stubs(class_of_three, monkeypatch, capsys):
    bin = class_of_three / "bin"
    bin.mkdir()
    (bin / "compare50").write_text(STAND_IN)
    (bin / "compare50").chmod((bin / "compare50").stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{bin}{os.pathsep}{os.environ['PATH']}")
    assert similar_main(class_of_three) == 0
    assert "compares 2 students" in capsys.readouterr().out
    said = (class_of_three / "out" / "files.txt").read_text()
    assert said.splitlines()[:3] == ["./ada/count.py", "./ada/slope.py", "./bob/slope.py"]
    assert SLOPE in said
    assert (class_of_three / "out" / "stubs.txt").read_text() == "count.py\nslope.py\n"
    assert similar_main(class_of_three) == 2
    assert "is there already" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("verb", "verbs"),
    [("workflow", VERBS), ("merge", VERBS), ("similar", {"similar": similar.similar})],
)
def test_help_has_an_example(verb, verbs, capsys):
    with pytest.raises(SystemExit):
        main([verb, "--help"], verbs)
    assert f"python -m classroom {verb} week3" in capsys.readouterr().out
