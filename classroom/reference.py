"""The tables of the reference pages, lessons/errors.md and lessons/glossary.md, as Markdown."""

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from whynone.findings import LESSONS
from whynone.vocabulary import CAUSES

from classroom.atlas import code, cut, heading, plain, read, spans, symptom
from classroom.lessons import SLUGS
from solutions.atlas import RECORD, outcome_of

SHOWN = 110  # characters of a text: enough to find it, and texts that begin alike are one row
SILENT = {"None": "None", "empty": "[]", "zeros": "zeros", "NaN": "NaN"}  # no healthy gradient


def errors_table(record: Path = RECORD) -> str:
    """The exceptions and warnings: each exact text once, with its releases and lessons."""
    releases: dict[str, set[str]] = defaultdict(set)  # by text
    led: dict[tuple[str, str], set[str]] = defaultdict(set)  # what led to it, by text and lesson
    for release, matter, outcome, warned in outcomes(record):
        texts = [] if matter["kind"] == "recipe" else warned  # of a recipe: that it is deprecated
        texts = [cut(f"Warning: {text}", SHOWN) for text in texts]
        if symptom(outcome) == "error":
            texts.append(cut(outcome, SHOWN))
        for text in texts:
            releases[text].add(release)
            led[text, matter["lesson"]].add(plain(matter["title"]))
    every = list(read(record)["rows"])
    rows = ["| The text | TensorFlow | What led to it, and the lesson |", "| --- | --- | --- |"]
    for text in sorted(releases):
        lessons = "<br>".join(
            f"{'; '.join(sorted(led[text, slug]))}: {heading(slug)}"
            for slug in SLUGS
            if (text, slug) in led
        )
        rows.append(f"| {code(text)} | {spans(releases[text], every)} | {lessons} |")
    return "\n".join(rows)


def silent_table(record: Path = RECORD) -> str:
    """What raises nothing and warns of nothing: a gradient that is None, zero or NaN."""
    found: dict[tuple, set[str]] = defaultdict(set)
    for release, matter, outcome, warned in outcomes(record):
        if symptom(outcome) in SILENT and not warned:
            place = list(SILENT).index(symptom(outcome)), SLUGS.index(matter["lesson"])
            found[(*place, plain(matter["title"]))].add(release)
    every = list(read(record)["rows"])
    rows = ["| You get | What led to it | TensorFlow | Lesson |", "| --- | --- | --- | --- |"]
    for (gave, lesson, done), releases in sorted(found.items()):
        gave = list(SILENT.values())[gave]
        rows.append(f"| `{gave}` | {done} | {spans(releases, every)} | {heading(SLUGS[lesson])} |")
    return "\n".join(rows)


def causes_table() -> str:
    """The causes, by the names that the feedback and `whynone` use."""
    rows = ["| Cause | What it means | Lesson |", "| --- | --- | --- |"]
    rows += [
        f"| `{cause}` | {CAUSES[cause]} | {heading(LESSONS[cause])} |" for cause in sorted(CAUSES)
    ]
    return "\n".join(rows)


def outcomes(record: Path) -> Iterator[tuple[str, dict, str, list[str]]]:
    """Release, header, outcome and warnings of each row; not of repairs, nor of the seeds' claims.

    What the claims lead to are the mistakes and recipes that have programs of their own.
    """
    data = read(record)
    for release, rows in data["rows"].items():
        for name, row in rows.items():
            matter = data["specimens"][name]
            if matter["kind"] not in ("fixed", "seed"):
                yield release, matter, outcome_of(row), [] if isinstance(row, str) else row[1:]
