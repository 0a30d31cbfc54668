"""`python -m classroom similar`: which answers are alike, by compare50, if it is installed.

Likeness is a reason to ask, never a proof: short tasks have few right answers.
"""

import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from classroom import extract
from classroom.grade_class import main as run_verb
from classroom.intake import Intake, collect
from classroom.key import Key
from classroom.messages import Stop
from classroom.report import file_name
from classroom.teacher import add_roster, form, roster_of, teacher_of

INSTALL = """compare50 is not installed. It needs older packages than TensorFlow has, so give it an
environment of its own and put that on the PATH:
  python -m venv compare50-env
  compare50-env/bin/pip install compare50
  PATH="$PWD/compare50-env/bin:$PATH" python -m classroom similar …"""


def command() -> tuple[list[str], dict[str, str]]:
    """How compare50 is started here, and the environment for it.

    Raises:
        Stop: it is not installed.
    """
    if importlib.util.find_spec("compare50"):
        return [sys.executable, "-m", "compare50"], dict(os.environ)
    found = shutil.which("compare50")
    if not found:
        raise Stop(INSTALL)
    # Its script starts whatever `python3` comes first.
    own = os.path.dirname(os.path.realpath(found))
    return [found], {**os.environ, "PATH": f"{own}{os.pathsep}{os.environ.get('PATH', '')}"}


def write_answers(intake: Intake, key: Key, folder: Path) -> int:
    """A folder for each student, in it a file for each task that is filled in; how many students.

    What cannot be read is left out: grading says why.
    """
    number = 0
    for submission in intake.submissions:
        found: dict[str, str] = {}
        for name, data in submission.files:
            try:
                read = extract.answers(data, name, key)
            except Stop:
                continue
            found |= {task: read.answers[task] for task in read.filled}
        if found:
            place = folder / file_name(submission.student or submission.label)
            place.mkdir(parents=True)
            for task, source in found.items():
                (place / f"{task}.py").write_text(source + "\n", encoding="utf-8")
            number += 1
    return number


def similar(arguments: list[str]) -> None:
    made = form(
        "similar",
        "Compare what was handed in, student with student, by compare50. The stubs, and the "
        "cells that everybody has, do not count.",
        "  python -m classroom similar week3 moodle.zip --roster roster.csv --out similar\n",
    )
    made.add_argument("submissions", type=Path, help="a folder, or the zip that the LMS gave you")
    add_roster(made)
    made.add_argument("--out", type=Path, required=True, help="the folder that compare50 makes")
    made.add_argument("--pairs", type=int, default=50, help="how many (default %(default)s)")
    options = made.parse_args(arguments)
    start, environ = command()
    if options.out.exists():
        raise Stop(f"{options.out} is there already. Name a new folder, or move that one away.")
    key, _ = teacher_of(options.assignment).key()
    intake = collect(options.submissions, roster_of(options))
    with tempfile.TemporaryDirectory() as scratch:
        place, stubs = Path(scratch, "students"), Path(scratch, "stubs")
        place.mkdir()
        stubs.mkdir()
        for task in key.tasks:
            (stubs / f"{task.name}.py").write_text(task.stub + "\n", encoding="utf-8")
        number = write_answers(intake, key, place)
        if number < 2:
            raise Stop(f"{number} students have answers that can be read; two are needed.")
        folders = sorted(str(folder) for folder in place.iterdir())
        asked = [*start, "-o", str(options.out), "-n", str(options.pairs), "-d", str(stubs)]
        done = subprocess.run([*asked, "--", *folders], env=environ)
    if done.returncode or not options.out.exists():
        raise Stop(f"compare50 ended with {done.returncode}; its own words are above.")
    print(f"{options.out}/index.html compares {number} students.")


if __name__ == "__main__":
    sys.exit(run_verb(["similar", *sys.argv[1:]], {"similar": similar}))
