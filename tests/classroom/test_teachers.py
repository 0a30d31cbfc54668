"""The page for teachers: its commands run in a small class, and print what stands there."""

import csv
import io
import re

import pytest

from classroom.key import load_key
from classroom.limits import Limits
from classroom.sandbox import docker_command
from classroom.spec import load_tasks
from tests.classroom.handing_in import needs_sandbox
from tests.classroom.walk import BLOCK, PAGE, TIMES, walk

TEXT = PAGE.read_text(encoding="utf-8")


def smaller(command: str) -> str:
    """Five students, who are all that `simulate` can do to a class; one set of numbers."""
    command = command.replace("--students 30", "--students 5")
    return f"{command} --variants 1" if " assign " in command else command


def alike(text: str) -> set[str]:
    """Its lines without numbers and without the students' own lines."""
    lines = [line for line in text.splitlines() if not line.startswith("  ")]
    return {re.sub(r"\d+(\.\d+)?", "#", line) for line in lines}


@pytest.fixture(scope="module")
def walked(tmp_path_factory):
    needs_sandbox()
    folder = tmp_path_factory.mktemp("walk")
    return folder, list(walk(TEXT, folder, smaller))


def test_every_command_prints_what_stands_on_the_page(walked):
    _, steps = walked
    assert len(steps) == len(BLOCK.findall(TEXT)) >= 10
    for step in steps:
        assert alike(step.printed) == alike(step.stands), step.command


def test_the_class_is_graded_and_given_back(walked):
    folder, _ = walked
    key = load_key(folder / "week1" / "teacher" / "key.json")
    table = (folder / "grades.csv").read_text(encoding="utf-8-sig")
    rows = {row["student"]: row for row in csv.DictReader(io.StringIO(table))}
    assert len(rows) == 6  # five, of whom one handed in nothing, and a stranger
    states = [row["state"] for row in rows.values()]
    assert (states.count("graded"), states.count("needs_attention")) == (4, 1)
    assert rows["bao02"]["state"] == "missing"
    assert rows["dmitri04"]["points"] == "6"
    assert rows["dmitri04"]["by hand"] == "yes"
    assert all(row["sandbox"] in ("yes", "") for row in rows.values())
    assert len(list((folder / "feedback").glob("*.html"))) == 5
    assert len(list((folder / "week1" / "students").iterdir())) == 5
    worksheet = csv.DictReader(io.StringIO((folder / "upload.csv").read_text()))
    for row in worksheet:
        own = next(r for r in rows.values() if r["name"] == row["Full name"])
        assert row["Grade"] == own["points"]
        assert float(row["Maximum grade"]) == key.points


def test_the_times_are_of_the_commands_on_the_page_and_below_ten_minutes():
    """With the clone and its environment: in the table or, if that has none, above it."""
    table = TIMES.search(TEXT)[0]
    rows = re.findall(r"\| `([\w. ]+)` \| ([\d.]+) \|", table)
    commands = [command.split()[3] for command, _ in BLOCK.findall(TEXT)]
    begun = ["git clone", ".venv"] if rows[0][0] == "git clone" else []
    assert [name for name, _ in rows] == [*begun, *commands]
    total = float(re.search(r"\| all of them \| (\d+) \|", table)[1])
    assert abs(total - sum(float(seconds) for _, seconds in rows)) < 1
    before = 0 if begun else int(re.search(r"about (\d+) s when nothing\s+else ran", TEXT)[1])
    assert total + before < 600


def as_said(minutes: float) -> str:
    hours, rest = divmod(round(minutes), 60)
    return f"{hours} h {rest} min" if hours else f"{rest} min"


def test_the_costs_follow_from_the_rates_above_them():
    """Two workers give these rates; a shard and a container have as much of a machine."""
    rates = re.search(r"at (\d+)\s+submissions a minute, and at (\d+) with `--warm`", TEXT)
    cold, warm = map(int, rates.groups())
    table = re.search(r"<!-- costs -->(.*)<!-- end of costs -->", TEXT, re.S)[1]
    rows = [line.strip("| ").split(" | ") for line in table.strip().splitlines()[2:]]
    each = 2 * 60 / cold
    assert [(worked_out, cost) for _, worked_out, cost in rows] == [
        (f"10,000 at {cold} a minute", as_said(10_000 / cold)),
        (f"10,000 at {warm} a minute", as_said(10_000 / warm)),
        (
            f"500 at {warm} a minute, in each job",
            f"{as_said(10_000 / 20 / warm)}, and the setting up",
        ),
        (
            f"10,000 times {each:.1f} s, two at a time being {cold} a minute",
            f"{as_said(10_000 * each / 60)} of containers",
        ),
    ]


def test_the_page_names_the_task_that_has_no_hidden_question():
    task = next(task for task in load_tasks("whynone") if task.name == "diagnosis_of")
    assert not task.hidden and f"`{task.name}`" in TEXT


def test_the_image_is_the_one_that_grading_starts():
    """Its name, and the interpreter that the container is told to start."""
    command = docker_command({}, Limits())
    assert f"docker build -t {command[command.index('python') - 1]} -" in TEXT
    pins = (PAGE.parent.parent / "requirements.txt").read_text()
    for pin in re.search(r"RUN pip install (.*)\\n", TEXT)[1].split():
        assert f"\n{pin} " in pins or f"\n{pin}\n" in pins
