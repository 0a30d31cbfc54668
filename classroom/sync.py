"""`make sync`: everything generated, from its one source. A second run changes no byte.

| what                    | source                                                 |
|-------------------------|--------------------------------------------------------|
| stub cells, exercise.md | the reference functions, through the exercise's spec.py |
| lesson.ipynb            | lesson.md, executed                                    |
| exercise.ipynb          | exercise.md, executed with its stubs untouched         |
| the maps of lessons     | the lessons' front matter                              |
| the tree of symptoms    | lessons/symptoms.yml                                   |
| tables of errors.md     | data/atlas.json                                        |
| atlas.md, atlas/SLUG.md | data/atlas.json, and the programs in lessons/atlas/    |
| table of glossary.md    | whynone's vocabulary                                   |
"""

import hashlib
import re
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from tempfile import TemporaryDirectory

from classroom.atlas import legend, lesson_pages, matrix, releases_table, seeds_table
from classroom.environment import ROOT, say
from classroom.lessons import PARTS, existing_slugs, front_matter, lesson_folder, title
from classroom.messages import Stop
from classroom.notebooks import (
    execute,
    read_notebook,
    read_source,
    refuse_if_edited,
    write_notebook,
    write_text,
)
from classroom.quiet import import_tensorflow, quiet_kernels
from classroom.reference import causes_table, errors_table, silent_table
from classroom.spec import load_tasks
from classroom.stubs import MARK, stub, task_of_cell
from classroom.symptoms import first_steps, symptoms_tree

AT_ONCE = 2  # kernels; each holds a TensorFlow of about 500 MB

CODE_CELL = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def sync(slugs: list[str]) -> list[Path]:
    """Regenerate these lessons (all, if none is named) and the maps; return the changed files.

    Raises:
        Stop: a source is broken, or a generated file holds edits that would be lost.
    """
    for slug in slugs:
        lesson_folder(slug)  # an unknown slug stops before anything is written
    slugs = [slug for slug in existing_slugs() if not slugs or slug in slugs]
    jobs = [file for slug in slugs for file in sources(slug)]
    for source in jobs:
        if source.name == "lesson.md":
            front_matter(source)
        refuse_if_edited(source.with_suffix(".ipynb"), read_source(source))
    import_tensorflow()  # the specifications need it; its log lines would hide ours
    texts = [pair for slug in slugs for pair in with_stubs(slug)]
    texts += with_tables()
    changed = [file for file, text in texts if write_text(text, file)]
    with TemporaryDirectory() as folder:
        quiet_kernels(Path(folder))
        changed += make_notebooks(jobs)
    return changed


def make_notebooks(jobs: list[Path]) -> list[Path]:
    """Execute these sources, a few at once, and return the notebooks that changed."""
    changed = []
    with ThreadPoolExecutor(AT_ONCE) as pool:
        running = {pool.submit(make_notebook, source): source for source in jobs}
        for number, done in enumerate(as_completed(running), start=1):
            file = running[done].with_suffix(".ipynb")
            new = done.result()
            say(f"[{number}/{len(jobs)}] {file.parent.name}/{file.name}{' *' if new else ''}")
            if new:
                changed.append(file)
    return changed


def sources(slug: str) -> Iterator[Path]:
    for name in ("lesson.md", "exercise.md"):
        file = lesson_folder(slug) / name
        if file.exists():
            yield file


def make_notebook(source: Path) -> bool:
    notebook = read_source(source)
    stubs = {task_of_cell(c.source): c.source for c in notebook.cells if c.cell_type == "code"}
    stubs.pop(None, None)
    if stubs:  # an editor that saves the notebook keeps this, so that answers can be told apart
        notebook.metadata["stubs"] = {name: fingerprint(cell) for name, cell in stubs.items()}
    execute(notebook, source.parent)
    return write_notebook(notebook, source.with_suffix(".ipynb"))


def with_stubs(slug: str) -> list[tuple[Path, str]]:
    """exercise.md and its text with the generated stubs.

    Raises:
        Stop: a stub's cell is missing, unknown, or holds somebody's answer.
    """
    file = lesson_folder(slug) / "exercise.md"
    if not file.exists():
        return []
    stubs = {task.name: stub(task) for task in load_tasks(slug)}
    text = file.read_text(encoding="utf-8")
    stored = stored_stubs(file.with_suffix(".ipynb"))
    seen = []

    def renew(match: re.Match) -> str:
        cell = match[1].rstrip("\n")
        name = task_of_cell(cell)
        if name is None:
            return match[0]
        if name not in stubs:
            raise Stop(f"{file.parent.name}/exercise.md: `{MARK}{name}` is in no spec.py.")
        seen.append(name)
        if is_answer(cell, stubs[name], stored.get(name)):
            raise Stop(
                f"{file.parent.name}/exercise.md: the cell of `{name}` holds an answer, which "
                f"`make sync` would overwrite. Keep a copy under another name and restore the file."
            )
        return f"```python\n{stubs[name]}\n```"

    renewed = CODE_CELL.sub(renew, text)
    missing = set(stubs) - set(seen)
    if missing:
        raise Stop(f"{file.parent.name}/exercise.md: no cell `{MARK}{min(missing)}`; add it.")
    return [(file, renewed)]


def is_answer(cell: str, new: str, stored: str | None) -> bool:
    """Whether a task's cell is neither a stub, as it is now or was last, nor a bare mark."""
    written = cell.strip()
    if written == new or (written.startswith(MARK) and "\n" not in written):
        return False
    return fingerprint(written) != stored


def stored_stubs(notebook: Path) -> dict[str, str]:
    """The fingerprints of the stubs that `make sync` last wrote, by task."""
    return dict(read_notebook(notebook).metadata.get("stubs", {})) if notebook.exists() else {}


def fingerprint(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def with_tables() -> list[tuple[Path, str]]:
    """The pages with generated parts, and their texts with those parts between their marks."""
    texts = []
    for name, tables in (
        ("README.md", {"map": lambda: lesson_map("lessons/")}),
        (
            "lessons/index.md",
            {"starts": first_steps, "tree": symptoms_tree, "map": lambda: lesson_map("")},
        ),
        (
            "lessons/atlas.md",
            {
                "legend": legend,
                "matrix": matrix,
                "seeds": seeds_table,
                "releases": releases_table,
            },
        ),
        ("lessons/errors.md", {"errors": errors_table, "silent": silent_table}),
        ("lessons/glossary.md", {"causes": causes_table}),
    ):
        file = ROOT / name
        text = file.read_text(encoding="utf-8")
        for mark, table in tables.items():
            text = between_marks(text, mark, table(), file.name)
        texts.append((file, text))
    return texts + lesson_pages()


def between_marks(text: str, name: str, block: str, file: str) -> str:
    begin, end = f"<!-- {name}: made by `make sync` -->", f"<!-- {name}: end -->"
    if begin not in text or end not in text:
        raise Stop(f"{file}: the marks `{begin}` and `{end}` are missing; put them back.")
    head, rest = text.split(begin, 1)
    return f"{head}{begin}\n\n{block}\n\n{end}{rest.split(end, 1)[1]}"


def lesson_map(prefix: str) -> str:
    """The table of symptoms and lessons, as Markdown; `prefix` is the way to lessons/."""
    rows = ["| You see | Lesson | Minutes |", "| --- | --- | --- |"]
    written = existing_slugs()
    for slug in (slug for part in PARTS.values() for slug in part if slug in written):
        lesson = lesson_folder(slug) / "lesson.md"
        matter = front_matter(lesson)
        minutes = matter["minutes"]
        link = f"[{title(lesson)}]({prefix}{lesson.parent.name}/lesson.md)"
        rows.append(
            f"| {matter['symptom']} | {link} | {minutes['reading']} + {minutes['exercises']} |"
        )
    return "\n".join(rows)


def main(arguments: list[str]) -> int:
    try:
        changed = sync(arguments)
    except Stop as stop:
        print(stop, file=sys.stderr)
        return 2
    say(f"{len(changed)} files changed." if changed else "Nothing changed.")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
