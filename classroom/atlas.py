"""The atlas: the headers of the specimens, and the pages made from data/atlas.json.

A specimen is a script in lessons/atlas/. Its docstring says in the first line what is done, then
`key: value` lines. The record holds a copy of these headers, so that pages need the record alone.
"""

import ast
import json
import re
from pathlib import Path

from whynone.vocabulary import CAUSES

from classroom.environment import ROOT
from classroom.lessons import SLUGS, existing_slugs, lesson_folder, nearest, title
from classroom.messages import Stop
from solutions.atlas import RECORD, in_order, neighbours, outcome_of, short, span

SPECIMENS = ROOT / "lessons" / "atlas"
SEEDS = ("000", "002", "003", "004")

# What each kind of specimen must say, besides `lesson`; `cause` is always allowed.
KINDS = {
    "seed": {"seed", "claim", "expect"},  # a code block or a claim of one of the four forum pages
    "recipe": {"claim", "expect"},  # what is passed on elsewhere
    "broken": {"cause"},  # a cause of whynone's vocabulary
    "fixed": {"cause"},  # the same, repaired
    "mistake": set(),  # what else goes wrong
}

SYMBOLS = {  # symptom: its sign in the matrix, and what it means
    "value": ("✓", "a value"),
    "None": ("∅", "`None`"),
    "some None": ("½", "a list, some of it `None`"),
    "empty": ("[]", "an empty list"),
    "zeros": ("0", "zeros"),
    "NaN": ("N", "NaN"),
    "symbolic": ("◇", "a tensor without values"),
    "error": ("!", "an exception"),
}
CHANGED = "▸"

VERDICTS = ("held", "broke", "came true", "at times", "never")
WORDS = {
    "held": "So it is, in every release.",
    "broke": "So it was; it is not so any more.",
    "came true": "So it is today; it was not so in older releases.",
    "at times": "So it is in some releases.",
    "never": "It is so in none of the releases.",
}


def specimens(folder: Path = SPECIMENS) -> dict[str, dict[str, str]]:
    """The headers of all specimens, by name: title, lesson, kind, and what the kind asks for.

    Raises:
        Stop: a header lacks a key, has an unknown one, or a script does not end with one print.
    """
    return {file.stem: header(file) for file in sorted(folder.glob("*.py"))}


def header(file: Path) -> dict[str, str]:
    """One specimen's header, checked."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    text = ast.get_docstring(tree, clean=False) or ""  # an empty first line stays the first
    first, _, rest = text.partition("\n")
    pairs = [line.partition(": ")[::2] for line in rest.splitlines() if line]
    matter = {"title": first.strip(), **dict(pairs)}

    def stop(what: str) -> Stop:
        return Stop(f"lessons/atlas/{file.name}: {what} Copy the header of another specimen.")

    if not first.strip():
        raise stop("no docstring whose first line says what is done.")
    if matter.get("kind") not in KINDS:
        raise stop(f"`kind:` must be one of {', '.join(KINDS)}.")
    wanted = {"title", "lesson", "kind"} | KINDS[matter["kind"]]
    if wanted - set(matter) or set(matter) - wanted - {"cause"}:
        keys = sorted(wanted.symmetric_difference(matter) - {"cause"} or {"cause"})
        raise stop(f"missing, or one too many: `{'`, `'.join(keys)}`.")
    if matter["lesson"] not in SLUGS:
        raise stop(f"unknown lesson `{matter['lesson']}`. {nearest(matter['lesson'], SLUGS)}")
    if "cause" in matter and matter["cause"] not in CAUSES:
        raise stop(f"unknown cause `{matter['cause']}`. {nearest(matter['cause'], list(CAUSES))}")
    if "seed" in matter and matter["seed"] not in SEEDS:
        raise stop(f"unknown seed `{matter['seed']}`.")
    prints = [n for n in ast.walk(tree) if isinstance(n, ast.Call) and is_print(n)]
    if len(prints) != 1 or len(prints[0].args) != 1:
        raise stop("a specimen has one `print(…)` with one argument: its outcome.")
    return matter


def is_print(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Name) and call.func.id == "print"


# --- reading the record -----------------------------------------------------------------------


def read(record: Path = RECORD) -> dict:
    return json.loads(record.read_text(encoding="utf-8"))


def symptom(outcome: str) -> str:
    """Which of `SYMBOLS` an outcome is."""
    if outcome == "None" or re.fullmatch(r"list \[None(, None)*\]", outcome):
        return "None"
    if outcome.startswith("list ["):
        if outcome == "list []":
            return "empty"
        if "symbolic" in outcome:
            return "symbolic"
        return "some None" if re.search(r"[\[ ]None[,\]]", outcome) else "value"
    for kind in ("zeros", "NaN", "symbolic"):
        if outcome.startswith(kind):
            return kind
    return "value" if re.match(r"(value|IndexedSlices|an? \w+$)", outcome) else "error"


def held(expected: str, outcome: str) -> bool:
    """Whether a claim's `expect:` is what came: a symptom, or the beginning of the outcome."""
    return symptom(outcome) == expected or outcome.startswith(expected)


def verdict(matter: dict[str, str], outcomes: list[str]) -> str:
    """Of a claim, over the releases from old to new: held, broke, came true, never, or at times."""
    truths = [held(matter["expect"], outcome) for outcome in outcomes]
    if all(truths):
        return "held"
    if not any(truths):
        return "never"
    if truths[-1]:
        return "came true" if truths == sorted(truths) else "at times"
    return "broke" if truths == sorted(truths, reverse=True) else "at times"


def spans(releases: set[str], all_releases: list[str]) -> str:
    """ "2.0 to 2.15, 2.21": the runs of these among all releases."""
    marks = {name: str(name in releases) for name in all_releases if " " not in name}
    runs = [span(run) for run, inside in neighbours(marks) if inside == "True"]
    return ", ".join([*runs, *(short(name) for name in in_order(releases) if " " in name)])


# --- the pages --------------------------------------------------------------------------------


def legend() -> str:
    """What the signs of the matrix mean, as Markdown."""
    rows = ["| Sign | The program printed |", "| --- | --- |"]
    rows += [f"| {sign} | {meaning} |" for sign, meaning in SYMBOLS.values()]
    rows[-1] = rows[-1].replace("an exception", "nothing: it ended with an exception")
    rows.append(f"| {CHANGED} | (before a sign) something else than in the release to the left |")
    return "\n".join(rows)


def releases_table(record: Path = RECORD) -> str:
    """The releases with their companions, and those that were not run."""
    rows = ["| TensorFlow | Keras | NumPy | Python | Run on |", "| --- | --- | --- | --- | --- |"]
    for name, of in read(record)["releases"].items():
        if "not_run" in of:
            rows.append(f"| {name} | not run: {of['not_run']} | | | |")
        else:
            cells = name, of["keras"], of["numpy"], of["python"], of["date"]
            rows.append(f"| {' | '.join(cells)} |")
    return "\n".join(rows)


def matrix(record: Path = RECORD) -> str:
    """One row a specimen, one column a release; a table for each lesson, which its head names."""
    data = read(record)
    names = list(data["rows"])
    blocks = []
    for slug in SLUGS:
        rows = [
            f"| [{plain(matter['title'])}](atlas/{slug}.md#{name}) "
            f"| {' | '.join(signs(data, name))} |"
            for name, matter in data["specimens"].items()
            if matter["lesson"] == slug
        ]
        if rows:
            columns = " | ".join(short(name).replace(" ", "<br>") for name in names)
            head = f"| {heading(slug)} | {columns} |"
            blocks.append("\n".join([head, "| --- |" + " --- |" * len(names), *rows]))
    return "\n\n".join(blocks)


def signs(data: dict, specimen: str) -> list[str]:
    """One specimen's row of signs; a mark where the outcome is not that of the release before."""
    cells, before = [], None
    for name, rows in data["rows"].items():
        outcome = outcome_of(rows[specimen])
        changed = before not in (None, outcome) and " " not in name
        cells.append((CHANGED if changed else "") + SYMBOLS[symptom(outcome)][0])
        before = outcome
    return cells


def heading(slug: str, prefix: str = "") -> str:
    """A link from lessons/ to the lesson, or its slug alone where it has not been written."""
    if slug not in existing_slugs():
        return f"`{slug}`"
    lesson = lesson_folder(slug) / "lesson.md"
    return f"[{title(lesson)}]({prefix}{lesson.parent.name}/lesson.md)"


def lesson_pages() -> list[tuple[Path, str]]:
    """For each lesson that has programs, lessons/atlas/SLUG.md and its text."""
    told = {matter["lesson"] for matter in read()["specimens"].values()}
    return [(SPECIMENS / f"{slug}.md", lesson_page(slug)) for slug in SLUGS if slug in told]


def lesson_page(slug: str, record: Path = RECORD) -> str:
    """lessons/atlas/SLUG.md: the lesson's specimens, their source and their outcomes."""
    data = read(record)
    parts = [
        f"# Programs: {slug}",
        f"What the programs of the lesson {heading(slug, '../')} do, release by release. Each is "
        "shown whole, and prints one outcome. All lessons together are in "
        "[the matrix](../atlas.md).",
    ]
    for name, matter in data["specimens"].items():
        if matter["lesson"] == slug:
            parts += [f"## `{name}`", about(matter, data, name), source(name)]
            parts.append(outcomes_table(data, name))
    return "\n\n".join(parts) + "\n"


def about(matter: dict[str, str], data: dict, name: str) -> str:
    """The title, and for a claim what was claimed and whether it held."""
    text = f"{plain(matter['title'])}."
    if "cause" in matter:
        text += f" Cause: `{matter['cause']}`{', repaired' if matter['kind'] == 'fixed' else ''}."
    if "claim" in matter:
        told = f"A forum page (seed {matter['seed']})" if "seed" in matter else "The recipe"
        said = WORDS[verdict(matter, outcomes(data, name))]
        text += f" {told} says: {plain(matter['claim'])} {said}"
    return text


def outcomes(data: dict, specimen: str) -> list[str]:
    """One specimen's outcomes, from old to new, each TensorFlow with its own Keras."""
    rows = data["rows"]
    return [outcome_of(rows[name][specimen]) for name in rows if " " not in name]


def source(name: str) -> str:
    file = SPECIMENS / f"{name}.py"
    if not file.exists():
        raise Stop(f"lessons/atlas/{name}.py is in data/atlas.json and not there: `make atlas`.")
    code = file.read_text(encoding="utf-8").split('"""', 2)[2]
    return f"```python\n{code.strip()}\n```"


def outcomes_table(data: dict, specimen: str) -> str:
    rows = ["| TensorFlow | Outcome |", "| --- | --- |"]
    found = {name: outcome_of(of[specimen]) for name, of in data["rows"].items()}
    plain = {name: outcome for name, outcome in found.items() if " " not in name}
    runs = [(span(run), outcome) for run, outcome in neighbours(plain)]
    runs += [(short(name), outcome) for name, outcome in found.items() if " " in name]
    rows += [f"| {releases} | {code(outcome)} |" for releases, outcome in runs]
    return "\n".join(rows)


def plain(text: str) -> str:
    """Text for Markdown, with the signs of program text escaped; backticks are meant."""
    return re.sub(
        r"(`[^`]*`)|([\[\]*<|]|__)",
        lambda found: found[1] or "".join(f"\\{sign}" for sign in found[2]),
        text,
    )


def cut(text: str, shown: int = 200) -> str:
    """A message's beginning; what follows mostly repeats the reader's own variables."""
    if len(text) <= shown:
        return text
    return f"{text[: shown + 1].rpartition(' ')[0] or text[:shown]} …"  # between two words


def code(text: str) -> str:
    """A code span for a table's cell; a message's own backticks are kept."""
    text = cut(text).replace("|", "\\|")
    return f"`` {text} ``" if "`" in text else f"`{text}`"


def seeds_table(record: Path = RECORD) -> str:
    """How the claims of the four forum pages fared."""
    data = read(record)
    rows = ["| Forum page | Claims | " + " | ".join(VERDICTS) + " |"]
    rows.append("| --- |" + " --: |" * (len(VERDICTS) + 1))
    total = []
    for seed in SEEDS:
        found = [
            verdict(matter, outcomes(data, name))
            for name, matter in data["specimens"].items()
            if matter.get("seed") == seed
        ]
        total += found
        rows.append(seed_row(f"seed {seed}", found))
    return "\n".join([*rows, seed_row("all", total)])


def seed_row(name: str, found: list[str]) -> str:
    counts = " | ".join(str(found.count(one)) for one in VERDICTS)
    return f"| {name} | {len(found)} | {counts} |"
