"""The gradebook as other programs read it: their tables, their JSON, their zips."""

import contextlib
import csv
import io
import json
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from classroom.export import FORMULA, csv_text, export, guarded, number, table
from classroom.grade_class import main as run_verb
from classroom.gradebook import Gradebook
from classroom.gradescope import autograder_zip, results
from classroom.gradescope import main as gradescope_main
from classroom.grading import Grade
from classroom.key import save_key
from classroom.teacher import Teacher
from tests.classroom.handing_in import COUNT, KEY, SLOPE, needs_sandbox, notebook, shared_sandbox
from tests.classroom.stand_in import grade_it, make_class


def main(*arguments) -> int:
    return run_verb(["export", *map(str, arguments)], {"export": export})


@pytest.fixture
def place(tmp_path):
    """Eight students: s00 15 points, s01 9, s02 5, s03 needs attention; s04 to s07 likewise."""
    make_class(tmp_path / "week3", 8)
    (tmp_path / "week3" / "files" / "s05.py").unlink()
    grade_it(tmp_path / "week3")
    return tmp_path / "week3"


def read(file: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(file.read_bytes().decode("utf-8-sig"), newline="")))


# Generic


def test_the_table_has_a_row_for_everybody(place, capsys):
    out = place / "grades.csv"
    assert main(place, "--out", out, "--roster", place / "roster.csv") == 0
    rows = {row["student"]: row for row in read(out)}
    assert {who: row["points"] for who, row in rows.items()} == {
        "s00": "15", "s01": "9", "s02": "5", "s03": "",
        "s04": "15", "s05": "", "s06": "5", "s07": "",
    }  # fmt: skip
    assert rows["s01"]["slope"] == "4" and rows["s01"]["count"] == "5"
    assert rows["s03"]["state"] == "needs_attention" and rows["s03"]["reason"]
    assert rows["s05"]["state"] == "missing"
    for who in ("s03", "s05"):  # nobody may take an empty cell for a zero
        assert not any(rows[who][c] for c in ("points", "possible", "slope", "count"))


def test_each_column_says_what_its_name_says(place):
    """Byte for byte, so that a column that moves or turns round is seen."""
    with Gradebook(place / "teacher" / "gradebook.sqlite") as book:
        row = next(row for row in book.rows() if row.student == "s01")
        book.add("s01", row.grade, key=row.key, label="s01", late=True, round=1)
        book.add("zed", row.grade, key=row.key, label="zed", known=False, late=False)
        book.override("zed", 0, "copied", task="slope")
        book.override("zed", None, "see me")
    assert main(place, "--out", place / "g.csv", "--roster", place / "roster.csv") == 0
    text = (place / "g.csv").read_bytes().decode()
    assert text.startswith("\ufeffstudent,name,state,points,possible,slope,count,late,in roster,")
    lines = text.splitlines()
    assert [line.split(",")[0] for line in lines[1:]] == [*(f"s{n:02d}" for n in range(8)), "zed"]
    assert lines[0].endswith(",by hand,comment,reason,attempt,sandbox,sha256")
    assert lines[1].startswith("s00,Student 0,graded,15,15,10,5,,yes,no,,,1,yes,")
    assert lines[2] == f"s01,Student 1,graded,9,15,4,5,yes,yes,no,,,2,yes,{row.sha256}"
    assert lines[4].startswith("s03,Student 3,needs_attention,,,,,,yes,no,,The file is damaged.,1,")
    assert lines[6] == "s05,Student 5,missing,,,,,,,,,,,,"
    assert lines[9] == f"zed,,graded,5,15,0,5,no,no,yes,slope: copied; see me,,1,yes,{row.sha256}"


def test_two_gradings_give_the_same_bytes(tmp_path):
    made = []
    for name in ("one", "two"):
        place = tmp_path / name
        make_class(place, 8)
        grade_it(place, workers=3 if name == "one" else 1)  # rows are added in another order
        assert main(place, "--out", place / "grades.csv") == 0
        made.append((place / "grades.csv").read_bytes())
    assert made[0] == made[1]


def test_without_a_sandbox_every_row_is_marked(place):
    with Gradebook(place / "teacher" / "gradebook.sqlite") as book:
        book.add("zed", Grade("graded", "", "x", 0.0, sandboxed=False), key="k")
        assert [line[-2] for line in table(book.rows())][-1] == "NO"


@pytest.mark.parametrize(
    "text",
    [
        "=1+1", "+cmd|'/C calc'!A0", "-2+3", "@SUM(A1)", " =1", "\xa0=1",
        "＝1", "＋1", "－1", "＠A1", "﹦1", "\u200b=1", "\ufeff=1", "\u3000=1", "\x0b=1", "\0=1",
        "\u2028 \u202e=1",
    ],
)  # fmt: skip
def test_formulas_are_guarded(text):
    assert guarded(text) == "'" + text
    assert not guarded(text).startswith(FORMULA)


@pytest.mark.parametrize("text", ["", "Ada", "-5", "+3.25", "2026-01-01", "a=b", "100%", "it's"])
def test_what_is_no_formula_stays(text):
    assert guarded(text) == text


@pytest.mark.parametrize("separator", [";", "\t", "\r", "\n", "\r\n", "; "])
def test_no_separator_of_another_program_begins_a_formula(separator):
    """Where the comma is the decimal sign, a spreadsheet cuts at `;`, quotation marks or not."""
    text = f"x{separator}=1+1{separator}y{separator}＝A1{separator}-5"
    line = csv_text([[guarded(text), guarded(f"{separator}=1")]])
    for cell in re.split(r"[;\t\r\n,]", line.replace('"', "")):
        assert not cell.strip().startswith(("=", "＝")), line
    assert f"{separator}-5" in guarded(text)


def test_names_comments_and_reasons_in_the_table_are_guarded(place):
    roster = place / "roster.csv"
    roster.write_text(roster.read_text().replace("Student 1,", '"=HYPERLINK(""x"")",'))
    assert run_override(place, "s02", "=1+1") == 0
    assert main(place, "--out", place / "g.csv", "--roster", roster) == 0
    cells = [cell for row in read(place / "g.csv") for cell in row.values()]
    assert '\'=HYPERLINK("x")' in cells and "'=1+1" in cells
    assert not any(cell.startswith(FORMULA) for cell in cells)


def run_override(place: Path, student: str, comment: str) -> int:
    from classroom.grade_class import main

    return main(["override", str(place), student, "--comment", comment])


def test_cells_with_quotes_commas_and_line_ends_come_back():
    rows = [["a", 'say "hi", \r\n you', "é"], ["", "x", "y"]]
    assert list(csv.reader(io.StringIO(csv_text(rows), newline=""))) == rows


@pytest.mark.parametrize(
    ("points", "cell"), [(None, ""), (0.0, "0"), (10.0, "10"), (2.345, "2.35"), (1 / 3, "0.33")]
)
def test_points_as_cells(points, cell):
    assert number(points) == cell


# Moodle and Canvas

MOODLE = """\ufeffIdentifier,"Full name","ID number","Email address",Status,Grade,"Maximum grade",\
"Grade can be changed","Last modified (grade)","Feedback comments"\r
"Participant 4000","Student 0",,s00@example.org,"Submitted for grading",,{most},Yes,"-",\r
"Participant 9999",=cmd(),,s01@example.org,"Submitted for grading",,{most},Yes,-,\r
"Participant 4003","Student 3",,x@example.org,Submitted,7.00,{most},Yes,-,old\r
"Participant 1","Not here",,nobody@example.org,"No submission",-,{most},Yes,-,\r
"""


def test_moodle_s_worksheet_is_filled_in_and_else_left(place, capsys):
    (place / "in.csv").write_text(MOODLE.format(most="15.00"), newline="")
    run_override(place, "s00", "=well, done")
    into = ("--as", "moodle", "--into", place / "in.csv", "--out", place / "up.csv")
    assert main(place, *into, "--roster", place / "roster.csv") == 0
    text = (place / "up.csv").read_bytes().decode()
    assert text.startswith("\ufeffIdentifier,") and text.count("\r\n") == 5
    first, by_mail, attention, other = read(place / "up.csv")
    assert (first["Grade"], first["Feedback comments"]) == ("15", "'=well, done")
    assert first["Status"] == "Submitted for grading" and first["Maximum grade"] == "15.00"
    assert by_mail["Grade"] == "9"  # another number, so found by the address
    assert by_mail["Full name"] == "'=cmd()"
    assert attention["Grade"] == "7.00"  # needs attention: what stands there stays
    assert other["Grade"] == "-"  # nothing to write, and no formula to guard against
    said = capsys.readouterr().out
    assert "3 students, 1 of them without points" in said
    assert "In no row of" in said and "s02, s04, s06, s07" in said


def test_no_points_are_written_as_such_and_a_twin_gets_nothing(place, capsys):
    """s00 has 0 by hand; two in the roster have s01's address; nobody can be told by a dash."""
    with Gradebook(place / "teacher" / "gradebook.sqlite") as book:
        book.override("s00", 0, "")
    roster = place / "roster.csv"
    roster.write_text(roster.read_text().replace("s02@example.org", "S01@example.org"))
    (place / "in.csv").write_text(MOODLE.format(most='"15,00"'), newline="")
    into = ("--as", "moodle", "--into", place / "in.csv", "--out", place / "up.csv")
    assert main(place, *into, "--roster", roster) == 0
    first, twin, attention, _ = read(place / "up.csv")
    assert first["Grade"] == "0" and first["Maximum grade"] == "15,00"
    assert twin["Grade"] == "" and attention["Feedback comments"] == "old"
    assert "s01, s02, s04" in capsys.readouterr().out


@pytest.mark.parametrize("most", ["100", "100.00", '"100,00"'])
def test_another_maximum_is_refused_or_converted(place, capsys, most):
    (place / "in.csv").write_text(MOODLE.format(most=most), newline="")
    into = ("--as", "moodle", "--into", place / "in.csv", "--out", place / "up.csv")
    assert main(place, *into, "--roster", place / "roster.csv") == 2
    assert "maximum is 100, the assignment's 15" in capsys.readouterr().err
    assert not (place / "up.csv").exists()
    assert main(place, *into, "--roster", place / "roster.csv", "--scale") == 0
    assert [row["Grade"] for row in read(place / "up.csv")][:2] == ["100", "60"]  # 15 and 9 of 15


@pytest.mark.parametrize("most", ["", "-", "0.00"])
def test_without_a_maximum_the_assignments_own_counts(place, most):
    (place / "in.csv").write_text(MOODLE.format(most=most), newline="")
    into = ("--as", "moodle", "--into", place / "in.csv", "--out", place / "up.csv")
    assert main(place, *into, "--roster", place / "roster.csv") == 0
    assert [row["Grade"] for row in read(place / "up.csv")][:2] == ["15", "9"]


CANVAS = """Student,ID,SIS User ID,SIS Login ID,Section,Week 2 (88),Week 3 (99),Final Score
    Points Possible,,,,,10,15.0,(read only)
"0, Student",100,,,A,3,,50
"1, Student",555,,s01,A,4,,60
"Student, Test",7,,,A,,,
"""


def test_canvas_s_gradebook_has_one_column_filled_in(place, capsys):
    (place / "in.csv").write_text(CANVAS)
    into = ("--as", "canvas", "--into", place / "in.csv", "--out", place / "up.csv")
    assert main(place, *into, "--roster", place / "roster.csv") == 2
    assert "Say --column" in capsys.readouterr().err
    assert main(place, *into, "--roster", place / "roster.csv", "--column", "Week 4") == 2
    assert "0 columns 'Week 4': Student, ID," in capsys.readouterr().err
    assert main(place, *into, "--roster", place / "roster.csv", "--column", "Week 3") == 0
    expected = CANVAS.replace("A,3,,50", "A,3,15,50").replace("A,4,,60", "A,4,9,60")
    assert list(csv.reader(io.StringIO((place / "up.csv").read_text()))) == list(
        csv.reader(io.StringIO(expected))
    )


def test_canvas_s_maximum_may_stand_below_another_row_and_be_another(place, capsys):
    """Canvas puts `Manual Posting` above it where a column is not posted by itself."""
    head, rest = CANVAS.split("\n", 1)
    text = f"{head}\n,,,,,,Manual Posting,\n{rest.replace('10,15.0', '10,30')}"
    twice = text.replace("Week 2 (88)", "Week 3 (88)")
    into = ("--as", "canvas", "--into", place / "in.csv", "--out", place / "up.csv")
    column = ("--roster", place / "roster.csv", "--column", "Week 3")
    (place / "in.csv").write_text(text)
    assert main(place, *into, *column) == 2
    assert "maximum is 30, the assignment's 15" in capsys.readouterr().err
    assert main(place, *into, *column, "--scale") == 0
    assert [row["Week 3 (99)"] for row in read(place / "up.csv")][2:] == ["30", "18", ""]
    (place / "in.csv").write_text(twice)
    assert main(place, *into, *column, "--scale") == 2
    assert "2 columns 'Week 3'" in capsys.readouterr().err


def test_columns_may_have_other_names(place):
    (place / "in.csv").write_text("User=name,Note,Remark\ns01\nS06,,\n")
    run_override(place, "s06", "see me")
    into = ("--as", "moodle", "--into", place / "in.csv", "--out", place / "up.csv")
    columns = ("--match", "User=name=id", "--column", "Note", "--comments", "Remark")
    assert main(place, *into, *columns) == 0
    assert (place / "up.csv").read_text() == "User=name,Note,Remark\ns01,9,\nS06,5,see me\n"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--as", "moodle"], "name it by --into"),
        (["--as", "moodle", "--into", "none.csv"], "cannot be read"),
        (["--as", "moodle", "--into", "empty.csv"], "is empty"),
        (["--as", "moodle", "--into", "bare.csv"], "no column Identifier"),
        (["--as", "moodle", "--into", "bare.csv", "--match", "x"], "COLUMN=FIELD"),
    ],
)
def test_what_is_missing_is_named(place, monkeypatch, capsys, arguments, says):
    monkeypatch.chdir(place)
    Path("empty.csv").write_text("")
    Path("bare.csv").write_text("Name,Grade\nAda,\n")
    assert main(".", *arguments, "--out", "up.csv") == 2
    assert says in capsys.readouterr().err and not Path("up.csv").exists()


def test_a_dry_run_writes_nothing(place):
    for form in ("csv", "gradescope", "autograder"):
        assert main(place, "--as", form, "--out", place / "o", "--dry-run") == 0
    assert not (place / "o").exists()


# Gradescope


def test_a_results_json_for_each_student(place):
    assert main(place, "--as", "gradescope", "--out", place / "gs") == 0
    found = {p.parent.name: json.loads(p.read_text()) for p in (place / "gs").rglob("*.json")}
    assert len(found) == 7
    assert found["s01"]["score"] == 9
    assert [(t["name"], t["score"], t["max_score"]) for t in found["s01"]["tests"]] == [
        ("slope", 4, 10), ("count", 5, 5)
    ]  # fmt: skip
    assert "score" not in found["s03"] and "damaged" in found["s03"]["output"]
    assert {t["output_format"] for one in found.values() for t in one["tests"]} == {"text"}


def test_points_set_by_hand_reach_gradescope(place):
    with Gradebook(place / "teacher" / "gradebook.sqlite") as book:
        book.override("s01", 10, "a sign only", task="slope")
        book.override("s03", 7, "read on paper")
    assert main(place, "--as", "gradescope", "--out", place / "gs") == 0
    found = {p.parent.name: json.loads(p.read_text()) for p in (place / "gs").rglob("*.json")}
    assert (found["s01"]["score"], found["s01"]["output"]) == (15, "slope: a sign only")
    assert [test["score"] for test in found["s01"]["tests"]] == [10, 5]
    assert (found["s03"]["score"], found["s03"]["output"]) == (7, "Graded by hand.\nread on paper")


def test_what_students_wrote_is_plain_text_for_gradescope(place):
    with Gradebook(place / "teacher" / "gradebook.sqlite") as book:
        row = next(row for row in book.rows() if row.student == "s02")
    test = results(row.grade)["tests"][0]
    assert "<b>None</b>" in test["output"] and test["output_format"] == "text"


def test_the_autograder_zip_is_the_same_each_time_and_complete(tmp_path):
    save_key(KEY, tmp_path / "key.json")
    made = autograder_zip(Teacher(tmp_path))
    assert made == autograder_zip(Teacher(tmp_path))
    with zipfile.ZipFile(io.BytesIO(made)) as archive:
        archive.extractall(tmp_path / "source")
        modes = {info.filename: info.external_attr >> 16 & 0o777 for info in archive.infolist()}
    assert modes["run_autograder"] == modes["setup.sh"] == 0o755
    assert modes["key.json"] == 0o644
    pins = (tmp_path / "source" / "requirements.txt").read_text()
    assert "tensorflow==" in pins and "keras==" in pins and "jupyter" not in pins
    environ = {**os.environ, "PYTHONPATH": "source:source/solutions"}
    ask = "import classroom.gradescope as g; print(g.__file__); g.whynone_files()"
    done = subprocess.run(
        [sys.executable, "-P" if sys.version_info >= (3, 11) else "-B", "-c", ask],
        cwd=tmp_path, env=environ, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(str(tmp_path))


def test_a_container_grades_the_same_way(tmp_path):
    """What run_autograder calls, on folders as Gradescope lays them out."""
    needs_sandbox()
    (tmp_path / "source").mkdir()
    save_key(KEY, tmp_path / "source" / "key.json")
    (tmp_path / "submission").mkdir()
    (tmp_path / "submission" / "week3.ipynb").write_bytes(notebook(SLOPE, COUNT))
    sandbox = contextlib.nullcontext(shared_sandbox())
    assert gradescope_main(tmp_path, sandbox) == 0
    found = json.loads((tmp_path / "results" / "results.json").read_text())
    shared_sandbox().close()
    assert found["score"] == 15 and found["output"] == ""
    (tmp_path / "submission" / "week3.ipynb").unlink()
    assert gradescope_main(tmp_path, sandbox) == 0
    found = json.loads((tmp_path / "results" / "results.json").read_text())
    assert "score" not in found and "no .ipynb" in found["output"]


def test_help_has_an_example(capsys):
    with pytest.raises(SystemExit):
        main("--help")
    said = capsys.readouterr().out
    assert "python -m classroom export week3 --out grades.csv" in said
    assert "gradebook as what schools already use" in said.lower()
