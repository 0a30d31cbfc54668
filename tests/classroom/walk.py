"""Runs the commands of the page for teachers, in the order in which they stand there.

    python -m tests.classroom.walk [--clone]

runs them as they are, in an empty folder, and writes what they print and how long they take into
the page. With --clone they run in a new clone and its own environment, of which it writes the
times, too: all that a teacher waits for. Run it on an idle machine.
"""

import argparse
import os
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
from classroom.environment import ROOT, environment_python
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


def walk(
    text: str, folder: Path, change: Callable[[str], str] = str, checkout: Path | None = None
) -> Iterator[Step]:
    """Run each command in `folder`; `change` may make it a smaller one.

    With a checkout, that one's code and environment run, else these here.
    """
    python, environ = sys.executable, {**ENVIRON, **QUIET}
    if checkout:
        python = environment_python(checkout / ".venv")
        environ["PYTHONPATH"] = f"{checkout}{os.pathsep}{checkout / 'solutions'}"
    for block in BLOCK.finditer(text):
        words = shlex.split(change(block["command"]))
        assert words[:3] == ["python", "-m", "classroom"], block["command"]
        module = CLASS[words[3]][0].split()  # what the command starts, once there is .venv
        began = time.monotonic()
        done = subprocess.run(
            [python, "-m", *module, *words[4:]],
            cwd=folder, env=environ, capture_output=True, text=True,
        )  # fmt: skip
        assert done.returncode == 0, f"{block['command']}\n{done.stdout}{done.stderr}"
        seconds = time.monotonic() - began
        yield Step(block["command"], block["output"], done.stdout, seconds)


def begin(checkout: Path) -> dict[str, float]:
    """Clone what is committed here and make its environment; how long each takes."""
    environ = {k: v for k, v in os.environ.items() if k not in ("VENV", "PYTHONPATH")}
    commands = {
        "git clone": ["git", "clone", "-q", str(ROOT), str(checkout)],
        ".venv": [sys.executable, "-m", "classroom", "assign", "--help"],
    }
    took = {}
    for name, command in commands.items():
        began = time.monotonic()
        cwd = checkout if checkout.exists() else None
        subprocess.run(command, cwd=cwd, env=environ, check=True, stdout=subprocess.DEVNULL)
        took[name] = time.monotonic() - began
    return took


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--clone", action="store_true", help="time a clone, too, and run in it")
    options = parser.parse_args()
    text = PAGE.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "class"
        checkout = Path(place) / "checkout" if options.clone else None
        folder.mkdir()
        begun = begin(checkout) if checkout else {}
        print(begun, file=sys.stderr, flush=True)
        steps = []
        for step in walk(text, folder, checkout=checkout):
            print(f"{step.seconds:6.1f} s  {step.command}", file=sys.stderr, flush=True)
            steps.append(step)
    printed = iter(steps)
    text = BLOCK.sub(lambda b: f"```console\n$ {b['command']}\n{next(printed).printed}```", text)
    times = [*begun.items(), *((step.command.split()[3], step.seconds) for step in steps)]
    rows = [f"| `{name}` | {seconds:.1f} |" for name, seconds in times]
    rows.append(f"| all of them | {sum(seconds for _, seconds in times):.0f} |")
    table = "\n".join(["", "| Command | Seconds |", "| --- | ---: |", *rows, "", ""])
    text = TIMES.sub(lambda found: found[1] + table + found[2], text)
    PAGE.write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
