"""`python -m classroom feedback` and `report`: a page for each student, and one on the class.

Each page is one HTML file that loads nothing: no script, no font, no picture from elsewhere. What
a student wrote is escaped, and a content security policy forbids everything but our own style.
Equal gradebooks give equal bytes.
"""

import argparse
import base64
import hashlib
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable
from html import escape
from pathlib import Path

from classroom.feedback import markup
from classroom.files import write_text
from classroom.grade_class import main as run_verb
from classroom.grade_class import open_book
from classroom.gradebook import Row
from classroom.grading import GRADED, TaskGrade
from classroom.intake import printable
from classroom.key import Key
from classroom.messages import Stop
from classroom.roster import Student
from classroom.teacher import add_gradebook, add_roster, form, roster_of, teacher_of

# Windows takes a file of such a name for a device, whatever its ending is.
PORTS = (f"{port}{n}" for port in ("com", "lpt") for n in range(10))
DEVICES = {"con", "prn", "aux", "nul", *PORTS}
STYLE = """
:root { color-scheme: light dark; --ink: #1b1f24; --paper: #fff; --line: #8a939d;
  --soft: #eef1f4; --bar: #1f5fa8; --right: #1b6e2c; --wrong: #a61b1b; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8eaed; --paper: #16191d; --line: #8a939d;
  --soft: #252a30; --bar: #7db4f0; --right: #7fd492; --wrong: #ff9b93; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1.5rem; max-width: 50rem; font: 1rem/1.5 system-ui, sans-serif;
  color: var(--ink); background: var(--paper); overflow-wrap: break-word; }
h1 { font-size: 1.5rem; line-height: 1.25; } h2 { font-size: 1.2rem; margin: 2rem 0 .5rem; }
section { break-inside: avoid; }
code { font: .92em/1.4 ui-monospace, monospace; background: var(--soft); padding: 0 .25em; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .3em 1em; margin: .6em 0; }
dt { font-weight: 600; } dd { margin: 0; min-width: 0; }
table { border-collapse: collapse; width: 100%; } caption { text-align: left; }
th, td { text-align: left; vertical-align: top; padding: .3em .6em .3em 0;
  border-bottom: 1px solid var(--line); }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; }
.mark { font-weight: 700; } .right { color: var(--right); } .wrong { color: var(--wrong); }
.scroll { overflow-x: auto; }
svg { width: 100%; height: auto; display: block; } svg text { fill: var(--ink); font-size: 13px; }
svg .bar { fill: var(--bar); } svg .track { fill: var(--soft); stroke: var(--line); }
@media (max-width: 30rem) { dl { grid-template-columns: 1fr; } }
@media print { :root { --ink: #000; --paper: #fff; --soft: #eee; --bar: #444; --right: #000;
  --wrong: #000; } body { max-width: none; padding: 0; } }
"""


def page(title: str, body: str) -> str:
    """A whole HTML page; `title` is plain text, `body` is HTML."""
    digest = hashlib.sha256(STYLE.encode()).digest()
    style = f"sha256-{base64.b64encode(digest).decode()}"
    policy = f"default-src 'none'; style-src '{style}'; base-uri 'none'; form-action 'none'"
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{text(title)}</title>\n<style>{STYLE}</style>\n</head>\n"
        f"<body>\n<main>\n<h1>{text(title)}</h1>\n{body}\n</main>\n</body>\n</html>\n"
    )


def text(content: str) -> str:
    """Escaped, and without what changes the direction of writing or cannot be shown."""
    return escape(printable(content))


def sentence(content: str) -> str:
    """Escaped like `text`; what stands in backticks becomes code."""
    return markup(printable(content))


def file_name(student: str) -> str:
    """A name for a student's file: the id, or for a label that is no file's name a safe one."""
    device = student.partition(".")[0].lower() in DEVICES
    if re.fullmatch(r"\w[\w.@-]{0,99}", student) and len(student.encode()) <= 200 and not device:
        return student
    plain = re.sub(r"[^\w-]+", "_", student).strip("_")[:60].encode()[:120].decode(errors="ignore")
    return f"{plain or 'student'}-{hashlib.sha256(student.encode()).hexdigest()[:8]}"


def of(points: float | None, possible: float) -> str:
    return f"{points:g} of {possible:g} points" if points is not None else "no points yet"


# A student's page


def student_page(row: Row, key: Key, name: str = "") -> str:
    """The feedback for one student: points, and what the public questions gave. Nothing hidden."""
    body = [f"<p>For {text(name or row.student)}</p>"]
    total_by_hand = row.overrides.get("", (None, ""))
    if row.grade.state != GRADED:
        body.append(
            "<p>This could not be graded by itself. Your teacher will look at it; nothing is lost."
            f"</p>\n<dl><dt>why</dt><dd>{sentence(row.grade.reason)}</dd></dl>"
        )
    if row.points is not None:
        body.append(f"<p><strong>{of(row.points, row.grade.possible or key.points)}</strong></p>")
    if total_by_hand[0] is not None:
        body.append("<p>Your teacher has set this sum by hand.</p>")
    if total_by_hand[1]:
        body.append(f"<p>Your teacher writes: {text(total_by_hand[1])}</p>")
    if row.late:
        body.append("<p>Handed in after the due time.</p>")
    body += [task_section(task, row, key) for task in row.grade.tasks]
    if row.grade.tasks:
        body.append(
            "<p>Each task is also asked questions that are not shown here, with other numbers.</p>"
        )
    return page(f"Feedback: {key.title}", "\n".join(body))


def task_section(task: TaskGrade, row: Row, key: Key) -> str:
    points = row.task_points(task.name)
    by_hand, comment = row.overrides.get(task.name, (None, ""))
    asked = key.task(task.name)
    public = [probe for probe in task.probes if probe.group == "public"]
    right = sum(probe.right for probe in public)
    done = task.points == task.possible
    mark = "✓" if done else "✗"
    parts = [
        f'<section aria-label="{text(task.name)}">',
        f"<h2><code>{text(task.name)}</code>: {of(points, task.possible)}</h2>",
        f"<p>{sentence(asked.title)}</p>" if asked else "",
        f'<p><span class="mark {"right" if done else "wrong"}" aria-hidden="true">{mark}</span> '
        f"{sentence(task.headline)}</p>",
        f"<p>Of the {len(public)} questions that <code>check</code> asks too, {right} "
        f"{'was' if right == 1 else 'were'} answered rightly.</p>",
    ]
    if task.lines:
        rows = "".join(f"<dt>{text(a)}</dt><dd>{sentence(b)}</dd>" for a, b in task.lines)
        parts.append(f"<dl>{rows}</dl>")
    if by_hand is not None:
        parts.append(f"<p>Set by your teacher; graded were {task.points:g}.</p>")
    if comment:
        parts.append(f"<p>Your teacher writes: {text(comment)}</p>")
    return "\n".join(part for part in [*parts, "</section>"] if part)


# The class


def class_page(rows: list[Row], key: Key, roster: tuple[Student, ...] = ()) -> str:
    """The teacher's page: points of each task, misconceptions by frequency, who needs attention."""
    scores = [row.points for row in rows if row.points is not None]
    missing = [s for s in roster if s.id not in {row.student for row in rows}]
    names = {student.id: student.name for student in roster}
    mean = f", on average {sum(scores) / len(scores):.1f} of {key.points:g}" if scores else ""
    late = sum(bool(row.late) for row in rows)
    body = [
        f"<p>{len(rows)} handed in, {late} late; {len(scores)} have points{mean}.</p>",
        attention(rows, missing, names),
        "<h2>How the points are spread</h2>",
        histogram(scores, key.points),
        "<h2>Points for each task</h2>",
        tasks_plot(rows, key),
        "<h2>Misconceptions</h2>",
        misconceptions(rows, key),
        "<h2>Everybody</h2>",
        everybody(rows, key, names),
    ]
    return page(f"Class: {key.title}", "\n".join(body))


def attention(rows: list[Row], missing: list[Student], names: dict[str, str]) -> str:
    found = [(shown(row, names), row.grade.reason) for row in rows if row.points is None]
    found += [(shown(r, names), "is in no row of the roster") for r in rows if not r.known]
    found += [(shown(r, names), "graded without a sandbox") for r in rows if not r.grade.sandboxed]
    found += [(shown(r, names), note) for r in rows for note in r.grade.notes]
    found += [(student.shown, "handed in nothing") for student in missing]
    title = "<h2>Who needs attention</h2>\n"
    if not found:
        return f"{title}<p>Nobody.</p>"
    lines = [f"<tr><td>{text(who)}</td><td>{sentence(why)}</td></tr>" for who, why in found]
    return title + table(("Student", "Why"), lines, "Submissions that a person should look at")


def shown(row: Row, names: dict[str, str]) -> str:
    return names.get(row.student) or row.student


def misconceptions(rows: list[Row], key: Key) -> str:
    """Recognised wrong answers by how many students gave them, and whynone's causes."""
    found = Counter(
        (task.name, task.misconception or "", task.cause or "")
        for row in rows
        for task in row.grade.tasks
        if task.misconception or task.cause
    )
    if not found:
        return "<p>No wrong answer was one of those that the exercises know.</p>"
    whys = {(task.name, w.idea): w.why for task in key.tasks for w in task.wrong}
    ordered = sorted(found.items(), key=lambda item: (-item[1], item[0]))
    labels = [(f"{name}: {idea or cause}", number) for (name, idea, cause), number in ordered]
    lines = [
        f'<tr><td class="n">{number}</td><td><code>{text(name)}</code></td>'
        f"<td>{sentence(whys.get((name, idea), idea))}</td><td>{text(cause)}</td></tr>"
        for (name, idea, cause), number in ordered
    ]
    heads = ("Students", "Task", "Misconception", "Cause")
    return bars(labels[:12], len(rows), "The most frequent misconceptions") + table(
        heads, lines, "Misconceptions by how many students have them", numeric=(0,)
    )


def everybody(rows: list[Row], key: Key, names: dict[str, str]) -> str:
    lines = []
    for row in rows:
        by_task = {task.name: row.task_points(task.name) for task in row.grade.tasks}
        cells = [f"{by_task[t.name]:g}" if t.name in by_task else "" for t in key.tasks]
        total = "" if row.points is None else f"{row.points:g}"
        late = "late" if row.late else ""
        numbers = "".join(f'<td class="n">{cell}</td>' for cell in (*cells, total))
        lines.append(f"<tr><td>{text(shown(row, names))}</td>{numbers}<td>{late}</td></tr>")
    heads = ("Student", *(task.name for task in key.tasks), "Sum", "")
    numeric = tuple(range(1, len(key.tasks) + 2))
    return table(heads, lines, "Points of each student", numeric)


def table(
    heads: Iterable[str], lines: list[str], caption: str, numeric: tuple[int, ...] = ()
) -> str:
    cells = "".join(
        f'<th scope="col"{" class=n" if n in numeric else ""}>{text(head)}</th>'
        if head
        else "<td></td>"
        for n, head in enumerate(heads)
    )
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{text(caption)}">'
        f"<table><caption>{text(caption)}</caption>"
        f"<thead><tr>{cells}</tr></thead><tbody>{''.join(lines)}</tbody></table></div>"
    )


# Plots: SVG by hand, as three kinds of bars need no library, and equal data give equal bytes.


def bars(labels: list[tuple[str, float]], most: float, title: str, unit: str = "") -> str:
    """Horizontal bars, each below its label; the text beside says the same as the bar."""
    step, width = 46, 640
    height = step * len(labels) + 4
    drawn = []
    for n, (label, value) in enumerate(labels):
        y = n * step
        long = width * min(value / most, 1) if most else 0
        short = label if len(label) <= 84 else label[:83] + "…"
        drawn.append(
            f'<text x="0" y="{y + 14}">{text(short)}</text>'
            f'<rect class="track" x="0.5" y="{y + 20}" width="{width}" height="16"/>'
            f'<rect class="bar" x="0.5" y="{y + 20}" width="{long:.1f}" height="16"/>'
            f'<text x="{width + 8}" y="{y + 33}">{value:g}{unit}</text>'
        )
    said = "; ".join(f"{label}: {value:g}{unit}" for label, value in labels)
    return svg(720, height, title, said, drawn)


def tasks_plot(rows: list[Row], key: Key) -> str:
    """For each task the mean of its points, in percent."""
    points = defaultdict(list)
    for row in rows:
        for task in row.grade.tasks:
            points[task.name].append(row.task_points(task.name) / task.possible)
    labels = [
        (t.name, round(100 * sum(points[t.name]) / len(points[t.name])) if points[t.name] else 0)
        for t in key.tasks
    ]
    return bars(labels, 100, "Points for each task, in percent of its maximum", " %")


def histogram(scores: list[float], possible: float, boxes: int = 10) -> str:
    """How many students have how many points, in tenths of the maximum."""
    counts = [0] * boxes
    for score in scores:
        counts[max(0, min(int(score / possible * boxes), boxes - 1))] += 1
    most = max(counts, default=0) or 1
    wide, tall = 68, 120
    drawn = []
    for n, count in enumerate(counts):
        high = tall * count / most
        middle = n * wide + wide / 2 + 20
        drawn.append(
            f'<rect class="bar" x="{n * wide + 24}" y="{20 + tall - high:.1f}" '
            f'width="{wide - 8}" height="{high:.1f}"/>'
            f'<text x="{middle:g}" y="{14 + tall - high:.1f}" text-anchor="middle">{count}</text>'
            f'<text x="{n * wide + 20:g}" y="{tall + 38}" text-anchor="middle">'
            f"{possible * n / boxes:g}</text>"
        )
    drawn.append(
        f'<text x="{boxes * wide + 20:g}" y="{tall + 38}" text-anchor="middle">{possible:g}</text>'
    )
    said = "; ".join(
        f"{possible * n / boxes:g} to {possible * (n + 1) / boxes:g} points: {count}"
        for n, count in enumerate(counts)
    )
    return svg(720, tall + 46, "How many students have how many points", said, drawn)


def svg(width: int, height: int, title: str, said: str, drawn: list[str]) -> str:
    return (
        f'<svg viewBox="0 0 {width} {height}" role="img" aria-label="{text(title)}">'
        f"<desc>{text(said)}</desc>{''.join(drawn)}</svg>"
    )


# The verbs


def feedback(arguments: list[str]) -> None:
    made = form(
        "feedback",
        "Write one HTML page for each student: points, and for each task what came back, why, and "
        "what to do. Nothing of the hidden questions is in it.",
        "  python -m classroom feedback week3 --roster roster.csv --out feedback\n",
    )
    made.add_argument("--dry-run", action="store_true", help="write nothing")
    options = read_options(made, arguments, "the folder to write into")
    names = {student.id: student.name for student in roster_of(options)}
    teacher = teacher_of(options.assignment)
    with open_book(options) as book:
        rows = book.rows()
    if not options.dry_run:
        make_folder(options.out)
        for row in rows:
            key, _ = teacher.key(row.student)
            made_page = student_page(row, key, names.get(row.student, ""))
            write_text(made_page, options.out / f"{file_name(row.student)}.html")
    dry = " Nothing was written (--dry-run)." if options.dry_run else ""
    print(f"{options.out}: {len(rows)} pages.{dry}")


def report(arguments: list[str]) -> None:
    made = form(
        "report",
        "Write one HTML page on the class, for the teacher: points of each task, misconceptions "
        "by frequency, who needs attention.",
        "  python -m classroom report week3 --roster roster.csv --out class.html\n",
    )
    options = read_options(made, arguments, "the file to write")
    key, _ = teacher_of(options.assignment).key()
    with open_book(options) as book:
        rows = book.rows()
    make_folder(options.out.parent)
    write_text(class_page(rows, key, roster_of(options)), options.out)
    print(f"{options.out}: {len(rows)} students.")


def read_options(
    made: argparse.ArgumentParser, arguments: list[str], out: str
) -> argparse.Namespace:
    """Parse a verb's arguments, with the options that both verbs have; `out` says what --out is."""
    made.add_argument("--out", type=Path, required=True, help=out)
    add_roster(made)
    add_gradebook(made)
    return made.parse_args(arguments)


def make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Stop(f"{folder} cannot be made a folder ({error.strerror}). Name another.") from error


VERBS = {"feedback": feedback, "report": report}

if __name__ == "__main__":
    sys.exit(run_verb(sys.argv[1:], VERBS))
