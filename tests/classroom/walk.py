"""Runs the commands of the page for teachers, in the order in which they stand there.

    python -m tests.classroom.walk

runs them as they are, in an empty folder, and writes what they print and how long they take into
the page. Run it on an idle machine.
"""

import re
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from classroom.commands import CLASS
from classroom.environment import ROOT
from classroom.quiet import QUIET
from tests.classroom.stand_in import ENVIRON

PAGE = ROOT / "lessons" / "teachers.md"
BLOCK = re.compile(r"```console\n\$ (?P<command>.*)\n(?P<output>(?:(?!```).*\n)*)```")
TIMES = re.compile(r"(<!-- times -->\n)(?:.*?\n)??(<!-- end of times -->)", re.S)


@dataclass(frozen=True)
class Step:
    """One command of the page: what stands below it, and what it printed when it was run."""

    command: str
    stands: str
    printed: str
    seconds: float


def walk(text: str, folder: Path, change: Callable[[str], str] = str) -> Iterator[Step]:
    """Run each command in `folder`; `change` may make it a smaller one."""
    for block in BLOCK.finditer(text):
        words = shlex.split(change(block["command"]))
        assert words[:3] == ["python", "-m", "classroom"], block["command"]
        module = CLASS[words[3]][0].split()  # what the command starts, once there is .venv
        began = time.monotonic()
        done = subprocess.run(
            [sys.executable, "-m", *module, *words[4:]],
            cwd=folder, env={**ENVIRON, **QUIET}, capture_output=True, text=True,
        )  # fmt: skip
        assert done.returncode == 0, f"{block['command']}\n{done.stdout}{done.stderr}"
        seconds = time.monotonic() - began
        yield Step(block["command"], block["output"], done.stdout, seconds)


def main() -> None:
    text = PAGE.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        steps = []
        for step in walk(text, Path(folder)):
            print(f"{step.seconds:6.1f} s  {step.command}", file=sys.stderr, flush=True)
            steps.append(step)
    printed = iter(steps)
    text = BLOCK.sub(lambda b: f"```console\n$ {b['command']}\n{next(printed).printed}```", text)
    rows = [f"| `{step.command.split()[3]}` | {step.seconds:.1f} |" for step in steps]
    rows.append(f"| all of them | {sum(step.seconds for step in steps):.0f} |")
    table = "\n".join(["", "| Command | Seconds |", "| --- | ---: |", *rows, "", ""])
    text = TIMES.sub(lambda found: found[1] + table + found[2], text)
    PAGE.write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
