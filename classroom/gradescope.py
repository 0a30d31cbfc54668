"""Gradescope: its results.json, and the zip with which it grades each submission in a container.

In the container the same code grades the same way: extract, observe in a sandbox, judge outside.
"""

import io
import json
import os
import sys
import zipfile
from pathlib import Path
from typing import Any

from classroom.environment import ROOT
from classroom.grading import GRADED, Grade, grade_files
from classroom.intake import collect
from classroom.messages import Stop
from classroom.programs import whynone_files
from classroom.sandbox import Sandbox
from classroom.teacher import Teacher

# What cannot be read from the places where Gradescope puts it is not graded there either.
PLACE = Path("/autograder")
PACKAGES = ("tensorflow", "keras", "numpy", "pyyaml", "rich")

SETUP = """#!/usr/bin/env bash
# Runs once, when Gradescope builds the image.
set -e
apt-get update && apt-get install -y bubblewrap python3 python3-venv
python3 -m venv /opt/grader
/opt/grader/bin/pip install -r /autograder/source/requirements.txt
"""
RUN = """#!/usr/bin/env bash
# Runs for each submission.
cd /autograder/source
PYTHONPATH=/autograder/source:/autograder/source/solutions \\
  /opt/grader/bin/python -m classroom.gradescope
"""


def results(grade: Grade) -> dict[str, Any]:
    """What Gradescope shows and records of a grade.

    A task is one test: its points, and what its public probes gave. What needs attention has no
    score, so that nobody takes it for zero points.
    """
    if grade.state != GRADED:
        text = f"This could not be graded by itself; your teacher will look at it. {grade.reason}"
        return {"output": text, "output_format": "text", "visibility": "visible", "tests": []}
    tests = [
        {
            "name": task.name,
            "score": task.points,
            "max_score": task.possible,
            "output": "\n".join(
                [task.headline, *(f"{label}: {sentence}" for label, sentence in task.lines)]
            ),
            "output_format": "text",
            "visibility": "visible",
        }
        for task in grade.tasks
    ]
    unsafe = "" if grade.sandboxed else "Graded without a sandbox."
    return {
        "score": grade.points,
        "output": unsafe,
        "output_format": "text",
        "visibility": "visible",
        "tests": tests,
    }


def autograder_zip(teacher: Teacher) -> bytes:
    """The zip to upload under *Configure Autograder*; equal assignments give equal bytes."""
    key = teacher.common.read_bytes()
    teacher.key()  # refuses what is no key
    files: dict[str, str | bytes] = {"setup.sh": SETUP, "run_autograder": RUN, "key.json": key}
    for file in sorted((ROOT / "classroom").glob("*.py")):
        files[f"classroom/{file.name}"] = file.read_bytes()
    files |= {f"solutions/{path}": text for path, text in whynone_files().items()}
    files["requirements.txt"] = requirements()
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in sorted(files):
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.create_system = 3  # the same on every system
            entry.compress_type = zipfile.ZIP_DEFLATED
            mode = 0o755 if name in ("setup.sh", "run_autograder") else 0o644
            entry.external_attr = (0o100000 | mode) << 16
            archive.writestr(entry, files[name])
    return made.getvalue()


def requirements() -> str:
    """The pins that grading needs, out of the repository's own."""
    lines = ROOT.joinpath("requirements.txt").read_text(encoding="utf-8").splitlines()
    pins = [line.split(" #")[0].rstrip() for line in lines]
    found = [pin for pin in pins if pin.split("==")[0] in PACKAGES]
    return "\n".join(dict.fromkeys(found)) + "\n"


def main(place: Path = PLACE, sandbox: Sandbox | None = None) -> int:
    """Grade the one submission of this container and write its results.json."""
    os.umask(0o077)
    try:
        key, _ = Teacher(place / "source").key()
        intake = collect(place / "submission")
        files = [part for one in intake.submissions for part in one.files]
        if not files:
            why = "; ".join(f"{name}: {reason}" for name, reason in intake.refused)
            raise Stop(f"There is no .ipynb, .md or .py in what was handed in. {why}".strip())
        with sandbox or Sandbox(hide=(place,)) as here:
            found = results(grade_files(files, key, here))
    except Stop as stop:
        found = results(Grade("needs_attention", str(stop), "", 0.0))
    (place / "results").mkdir(exist_ok=True)
    text = json.dumps(found, indent=1, ensure_ascii=False)
    (place / "results" / "results.json").write_text(text + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
