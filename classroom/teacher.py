"""The teacher's folder, as `assign` makes it: the keys, and the gradebook that grading adds."""

import argparse
import hashlib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from classroom.key import Key, load_key
from classroom.messages import Stop
from classroom.roster import Student, read_roster

BOOK = "gradebook.sqlite"


@dataclass(frozen=True)
class Teacher:
    """A folder with key.json, and with keys/<student>.json where each has numbers of their own."""

    folder: Path

    @property
    def book(self) -> Path:
        return self.folder / BOOK

    def key_file(self, student: str) -> Path:
        own = self.folder / "keys" / f"{student}.json"
        # A label that is no id of the roster may hold anything; it names no file.
        return own if own.parent == self.folder / "keys" and own.exists() else self.common

    @property
    def common(self) -> Path:
        return self.folder / "key.json"

    def key(self, student: str = "") -> tuple[Key, str]:
        """The student's key, else the common one, and its SHA-256.

        Raises:
            Stop: the file is no readable key.
        """
        return read_key(self.key_file(student) if student else self.common)


@cache
def read_key(file: Path) -> tuple[Key, str]:
    key = load_key(file)
    return key, hashlib.sha256(file.read_bytes()).hexdigest()


def teacher_of(folder: Path) -> Teacher:
    """The teacher's part of what `assign` wrote; the folder `teacher` itself does too.

    Raises:
        Stop: there is no key.
    """
    for place in (folder / "teacher", folder):
        if (place / "key.json").is_file():
            return Teacher(place)
    raise Stop(f"{folder}: no assignment. Name the folder that `python -m classroom assign` made.")


def form(verb: str, description: str, examples: str) -> argparse.ArgumentParser:
    """The options that every verb about a class has: the assignment, and its roster."""
    made = argparse.ArgumentParser(
        prog=f"python -m classroom {verb}",
        description=description,
        epilog=f"examples:\n{examples}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    made.add_argument("assignment", type=Path, help="the folder that `assign` made")
    return made


def add_roster(made: argparse.ArgumentParser) -> None:
    made.add_argument("--roster", type=Path, help="CSV with a column `id`; see classroom/roster.py")


def add_gradebook(made: argparse.ArgumentParser) -> None:
    made.add_argument("--gradebook", type=Path, help="by default in the assignment's folder")


def roster_of(options: argparse.Namespace) -> tuple[Student, ...]:
    return read_roster(options.roster) if options.roster else ()
