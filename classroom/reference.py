"""The tables of the reference pages, lessons/errors.md and lessons/glossary.md, as Markdown."""

import json
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from whynone.findings import LESSONS
from whynone.vocabulary import CAUSES

from classroom.environment import ROOT
from classroom.lessons import SLUGS, existing_slugs, lesson_folder, title

ERRORS = ROOT / "data" / "errors.json"
SILENT = ("None", "[]", "zeros", "NaN")  # what is no exception, and no healthy gradient
SHOWN = 200  # characters of a message; what follows repeats the reader's own variables


def errors_table(record: Path = ERRORS) -> str:
    """The exceptions and warnings: each exact text once, with its releases and lessons."""
    releases: dict[str, set[str]] = defaultdict(set)  # by text
    led: dict[tuple[str, str], set[str]] = defaultdict(set)  # what led to it, by text and lesson
    for release, done, outcome in outcomes(record):
        texts = [f"Warning: {text}" for text in outcome.get("warned", [])]
        if "raised" in outcome:
            texts.append(f"{outcome['raised']}: {outcome['said']}")
        for text in texts:
            releases[text].add(release)
            led[text, outcome["lesson"]].add(done)
    rows = ["| The text | TensorFlow | What led to it, and the lesson |", "| --- | --- | --- |"]
    for text in sorted(releases):
        lessons = "<br>".join(
            f"{'; '.join(sorted(led[text, slug]))}: {lesson_link(slug)}"
            for slug in SLUGS
            if (text, slug) in led
        )
        rows.append(f"| {code(text)} | {in_order(releases[text])} | {lessons} |")
    return "\n".join(rows)


def silent_table(record: Path = ERRORS) -> str:
    """What raises nothing and warns of nothing: a gradient that is None, zero or NaN."""
    found: dict[tuple, set[str]] = defaultdict(set)
    for release, done, outcome in outcomes(record):
        if outcome.get("gave") in SILENT and "warned" not in outcome:
            place = SILENT.index(outcome["gave"]), SLUGS.index(outcome["lesson"])
            found[(*place, done)].add(release)
    rows = ["| You get | What led to it | TensorFlow | Lesson |", "| --- | --- | --- | --- |"]
    for (gave, lesson, done), releases in sorted(found.items()):
        link = lesson_link(SLUGS[lesson])
        rows.append(f"| `{SILENT[gave]}` | {done} | {in_order(releases)} | {link} |")
    return "\n".join(rows)


def causes_table() -> str:
    """The causes, by the names that the feedback and `whynone` use."""
    rows = ["| Cause | What it means | Lesson |", "| --- | --- | --- |"]
    rows += [
        f"| `{cause}` | {CAUSES[cause]} | {lesson_link(LESSONS[cause])} |"
        for cause in sorted(CAUSES)
    ]
    return "\n".join(rows)


def outcomes(record: Path) -> Iterator[tuple[str, str, dict]]:
    """Release, what was done, what came of it: one for each snippet and release."""
    for answer in json.loads(record.read_text(encoding="utf-8")):
        release = ".".join(answer["tensorflow"].split(".")[:2])
        for done, outcome in answer["outcomes"].items():
            yield release, done, outcome


def in_order(releases: set[str]) -> str:
    return ", ".join(sorted(releases, key=lambda r: [int(number) for number in r.split(".")]))


def lesson_link(slug: str) -> str:
    """A link from lessons/, or the slug alone where the lesson has not been written."""
    if slug not in existing_slugs():
        return f"`{slug}`"
    lesson = lesson_folder(slug) / "lesson.md"
    return f"[{title(lesson)}]({lesson.parent.name}/lesson.md)"


def code(text: str) -> str:
    """A code span; a message's own backticks are kept."""
    text = text if len(text) <= SHOWN else f"{text[:SHOWN].rstrip()} …"
    return f"`` {text} ``" if "`" in text else f"`{text}`"
