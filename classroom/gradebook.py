"""The gradebook: one SQLite file to which rows are added, and in which none is changed.

A regrade, an override and its withdrawal are new rows; what counts is the last one. One attempt is
one transaction, so a grader that is killed leaves either the whole row or none, and the next run
goes on with the submissions that have no row.
"""

import dataclasses
import datetime
import json
import sqlite3
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from classroom.grading import GRADED, Grade, ProbeGrade, TaskGrade
from classroom.messages import Stop

VERSION = 1
SCHEMA = f"""
CREATE TABLE attempts (
    id INTEGER PRIMARY KEY,
    student TEXT NOT NULL,  -- the roster's id, or how the folder or zip named it
    label TEXT NOT NULL,
    known INTEGER NOT NULL,  -- 0: nobody in the roster matched
    sha256 TEXT NOT NULL,  -- of what was handed in
    key TEXT NOT NULL,  -- SHA-256 of the key it was judged by
    round INTEGER NOT NULL,  -- 0 for the first grading, then one more for each regrade
    late INTEGER,  -- NULL: nothing says so
    grade TEXT NOT NULL,  -- classroom.grading.Grade as JSON
    at TEXT NOT NULL,
    UNIQUE (student, sha256, key, round)
);
CREATE TABLE overrides (
    id INTEGER PRIMARY KEY,
    student TEXT NOT NULL,
    task TEXT NOT NULL,  -- '' for the sum
    points REAL,  -- NULL: what was graded counts
    comment TEXT NOT NULL,
    at TEXT NOT NULL
);
CREATE TRIGGER attempts_stay BEFORE UPDATE ON attempts
    BEGIN SELECT RAISE(ABORT, 'append only'); END;
CREATE TRIGGER attempts_kept BEFORE DELETE ON attempts
    BEGIN SELECT RAISE(ABORT, 'append only'); END;
CREATE TRIGGER attempts_once BEFORE INSERT ON attempts  -- INSERT OR REPLACE fires no DELETE
    WHEN EXISTS (SELECT 1 FROM attempts WHERE id = NEW.id
        OR (student, sha256, key, round) = (NEW.student, NEW.sha256, NEW.key, NEW.round))
    BEGIN SELECT RAISE(IGNORE); END;
CREATE TRIGGER overrides_once BEFORE INSERT ON overrides
    WHEN EXISTS (SELECT 1 FROM overrides WHERE id = NEW.id)
    BEGIN SELECT RAISE(IGNORE); END;
CREATE TRIGGER overrides_stay BEFORE UPDATE ON overrides
    BEGIN SELECT RAISE(ABORT, 'append only'); END;
CREATE TRIGGER overrides_kept BEFORE DELETE ON overrides
    BEGIN SELECT RAISE(ABORT, 'append only'); END;
PRAGMA user_version = {VERSION};
"""


@dataclass(frozen=True)
class Row:
    """What counts for one student: the last attempt, and the overrides that stand."""

    student: str
    label: str
    known: bool
    sha256: str
    key: str
    round: int
    late: bool | None
    grade: Grade
    overrides: dict[str, tuple[float | None, str]]  # task, or "" → points and comment

    @property
    def points(self) -> float | None:
        """The sum that counts; None while the submission needs attention."""
        total = self.overrides.get("", (None, ""))[0]
        if total is not None:
            return total
        if self.grade.state != GRADED:
            return None
        return round(sum(self.task_points(task.name) for task in self.grade.tasks), 2)

    def task_points(self, name: str) -> float:
        """The points of one task: the override's if there is one, else the graded ones."""
        by_hand = self.overrides.get(name, (None, ""))[0]
        graded = next(task.points for task in self.grade.tasks if task.name == name)
        return graded if by_hand is None else by_hand

    @property
    def comment(self) -> str:
        """The comments of the overrides that stand, in one line."""
        said = {task: text for task, (_, text) in self.overrides.items() if text}
        return "; ".join(f"{task}: {text}" if task else text for task, text in said.items())


class Gradebook:
    """An open gradebook. Use it in a `with` block."""

    def __init__(self, file: Path, *, create: bool = False) -> None:
        """Open a gradebook, or make a new one.

        Raises:
            Stop: the file is missing, no gradebook, or of another version.
        """
        if not create and not file.exists():
            raise Stop(f"{file}: no such gradebook. `python -m classroom grade …` makes one.")
        try:
            self.database = sqlite3.connect(file, timeout=60, isolation_level=None)
            self.database.execute("PRAGMA synchronous = FULL")
            with self.transaction():
                version = self.database.execute("PRAGMA user_version").fetchone()[0]
                if version == 0 and not self.tables():
                    for statement in statements(SCHEMA):
                        self.database.execute(statement)
                elif version != VERSION or "attempts" not in self.tables():
                    raise Stop(f"{file} is no gradebook of version {VERSION}. Name another file.")
        except sqlite3.DatabaseError as error:
            raise Stop(f"{file} cannot be used as a gradebook ({error}).") from error

    def __enter__(self) -> "Gradebook":
        return self

    def __exit__(self, *_) -> None:
        self.database.close()

    def transaction(self) -> "Transaction":
        return Transaction(self.database)

    def tables(self) -> set[str]:
        rows = self.database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        return {name for (name,) in rows}

    def rounds(self, student: str, sha256: str, key: str) -> int:
        """How often this very submission was graded by this very key."""
        asked = "SELECT COUNT(*) FROM attempts WHERE student = ? AND sha256 = ? AND key = ?"
        return self.database.execute(asked, (student, sha256, key)).fetchone()[0]

    def add(
        self,
        student: str,
        grade: Grade,
        *,
        key: str,
        label: str = "",
        known: bool = True,
        late: bool | None = None,
        round: int = 0,
    ) -> bool:
        """Add one attempt; False, and no row, if this round of it is there already."""
        row = (student, label or student, int(known), grade.sha256, key, round)
        row += (None if late is None else int(late), grade_to_json(grade), now())
        with self.transaction():
            done = self.database.execute(
                "INSERT OR IGNORE INTO attempts "
                "(student, label, known, sha256, key, round, late, grade, at) "
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                row,
            )
        return done.rowcount == 1

    def override(self, student: str, points: float | None, comment: str, task: str = "") -> None:
        """Let these points count for a task, or for the sum, with a comment for the student.

        None as points leaves what was graded; without a comment it withdraws an override.

        Raises:
            Stop: the student or the task has no attempt, or the points are out of range.
        """
        row = next((row for row in self.rows() if row.student == student), None)
        if row is None:
            raise Stop(f"{student!r} has no submission in this gradebook.")
        tasks = {found.name: found.possible for found in row.grade.tasks}
        if task and task not in tasks:
            raise Stop(f"{student!r} has no task {task!r}. Tasks: {', '.join(tasks) or 'none'}.")
        most = tasks[task] if task else row.grade.possible or None
        if points is not None and not (points >= 0 and (most is None or points <= most)):
            raise Stop(f"{points:g} points are out of range: from 0 to {most or 'the sum'}.")
        with self.transaction():
            self.database.execute(
                "INSERT INTO overrides (student, task, points, comment, at) VALUES (?, ?, ?, ?, ?)",
                (student, task, points, comment, now()),
            )

    def rows(self) -> list[Row]:
        """What counts, a row for each student, in the order of their ids."""
        found: dict[str, dict[str, tuple[float | None, str]]] = {}
        asked = "SELECT student, task, points, comment FROM overrides ORDER BY id"
        for student, task, points, comment in self.database.execute(asked):
            standing = found.setdefault(student, {})
            standing[task] = (points, comment)
            if points is None and not comment:
                del standing[task]
        asked = (
            "SELECT student, label, known, sha256, key, round, late, grade FROM attempts "
            "WHERE id IN (SELECT MAX(id) FROM attempts GROUP BY student) ORDER BY student"
        )
        return [
            Row(
                student,
                label,
                bool(known),
                sha256,
                key,
                number,
                None if late is None else bool(late),
                grade_from_json(grade),
                found.get(student, {}),
            )
            for student, label, known, sha256, key, number, late, grade in self.database.execute(
                asked
            )
        ]

    def merge(self, other: "Gradebook") -> tuple[int, int, int]:
        """Add another gradebook's rows; one transaction.

        Returns:
            How many attempts and overrides were added, and how many attempts were left out as
            they are older than the student's that counts here.
        """
        fields = "student, label, known, sha256, key, round, late, grade, at"
        attempts = other.database.execute(f"SELECT {fields} FROM attempts ORDER BY id").fetchall()
        said = "student, task, points, comment, at"
        overrides = other.database.execute(f"SELECT {said} FROM overrides ORDER BY id").fetchall()
        with self.transaction():
            asked = "SELECT student, MAX(at) FROM attempts GROUP BY student"
            newest = dict(self.database.execute(asked))
            known = set(self.database.execute(f"SELECT {said} FROM overrides"))
            asked = "SELECT student, sha256, key, round FROM attempts"
            there = set(self.database.execute(asked))
            new = [row for row in attempts if (row[0], row[3], row[4], row[5]) not in there]
            added = [row for row in new if row[-1] >= newest.get(row[0], "")]
            self.database.executemany(
                f"INSERT INTO attempts ({fields}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", added
            )
            by_hand = [row for row in overrides if row not in known]
            self.database.executemany(
                f"INSERT INTO overrides ({said}) VALUES (?, ?, ?, ?, ?)", by_hand
            )
        return len(added), len(by_hand), len(new) - len(added)

    def attempts(self) -> list[tuple]:
        """Every attempt ever added, as (student, label, known, sha256, key, round, late, grade)."""
        asked = "SELECT student, label, known, sha256, key, round, late, grade FROM attempts"
        return list(self.database.execute(f"{asked} ORDER BY id"))


class Transaction:
    """All or nothing; the write lock is taken at once, so that two graders wait for each other."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self.database = database

    def __enter__(self) -> None:
        self.database.execute("BEGIN IMMEDIATE")

    def __exit__(self, kind: Any, *_) -> None:
        self.database.execute("COMMIT" if kind is None else "ROLLBACK")


def statements(script: str) -> list[str]:
    """The statements of a script one by one: `executescript` would commit the transaction."""
    found, held = [], ""
    for line in script.splitlines(True):
        held += line
        if sqlite3.complete_statement(held):
            found.append(held)
            held = ""
    return found


def grade_to_json(grade: Grade) -> str:
    return json.dumps(dataclasses.asdict(grade), ensure_ascii=False, sort_keys=True)


def grade_from_json(text: str) -> Grade:
    read = json.loads(text)
    tasks = tuple(
        TaskGrade(
            **{
                **task,
                "probes": tuple(ProbeGrade(**probe) for probe in task["probes"]),
                "lines": tuple((label, sentence) for label, sentence in task["lines"]),
            }
        )
        for task in read["tasks"]
    )
    return Grade(**{**read, "tasks": tasks, "notes": tuple(read["notes"])})


def now() -> str:
    return datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds")
