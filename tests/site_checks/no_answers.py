"""What the site must not hold: answers of the exercises, hidden questions, keys, expected values.

A lesson shows its reference functions, and each reference module has a page and a download. So
these lines are left out below, except on the exercises' own pages, which hold nothing of them.
"""

import html
import inspect
import io
import json
import re
import zipfile
from functools import cache

import pytest

from classroom.bounded import observe_call
from classroom.checking import inside_folder
from classroom.environment import ROOT
from classroom.lessons import existing_slugs, lesson_folder
from classroom.observation import is_numeric, numbers
from classroom.programs import probe_program
from classroom.seal import leaves
from classroom.spec import load_tasks
from classroom.stubs import stub

NAMES = {"spec.py", "key.json", "tasks.json", "secret.txt"}  # a specification, a key, a zip's tasks
HEX = re.compile(r"\b0x[01]\.[0-9a-f]+p[+-]\d")  # how a key writes a float
SHORT = 25  # characters; a shorter line may stand anywhere


def words_of(name: str, content: bytes) -> str:
    """A file's text as a reader sees it; of a notebook its cells, of a zip all its files."""
    if name.endswith(".zip"):
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            return "\n".join(words_of(entry, archive.read(entry)) for entry in archive.namelist())
    text = content.decode("utf-8", "ignore")
    if name.endswith(".html"):
        return html.unescape(re.sub(r"<[^>]*>", "", text))
    if name.endswith((".ipynb", ".json")):
        return "\n".join(strings(json.loads(text)))
    return text


def strings(value) -> list[str]:
    """Every text in a JSON value; a list of lines is one text."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, list) and value and all(isinstance(item, str) for item in value):
        return ["".join(value)]
    inner = value.values() if isinstance(value, dict) else value if type(value) is list else ()
    return [text for item in inner for text in strings(item)]


@pytest.fixture(scope="module")
def texts(site) -> dict[str, str]:
    kinds = (".html", ".ipynb", ".json", ".md", ".txt", ".py", ".js", ".zip", ".csv", ".yml")
    return {
        file.relative_to(site).as_posix(): words_of(file.name, file.read_bytes())
        for file in sorted(site.rglob("*"))
        if file.suffix in kinds
    }


def of_exercises(texts: dict[str, str]) -> dict[str, str]:
    return {name: text for name, text in texts.items() if re.search(r"/exercise\.\w+$", name)}


def lines(text: str) -> set[str]:
    """The lines that say something: long ones, without comments, imports and quotation marks."""
    found = {re.sub(r"^\w+=", "", line.strip()).strip("\"',()") for line in text.splitlines()}
    return {s for s in found if len(s) > SHORT and not s.startswith(("#", "from ", "import "))}


@cache
def written_for_readers() -> str:
    """The sources of what the site shows by design."""
    files = [*ROOT.glob("lessons/**/*.md"), *ROOT.glob("solutions/**/*.py"), *ROOT.glob("*.md")]
    files += [*ROOT.glob("lessons/*/*.py"), *ROOT.glob("lessons/*/*/*.py")]
    texts = [file.read_text("utf-8") for file in files if file.name != "spec.py"]
    hints = [hint for slug in existing_slugs() for task in load_tasks(slug) for hint in task.hints]
    return "\n".join(texts + hints)


def found(secret: set[str], texts: dict[str, str]) -> set[tuple[str, str]]:
    return {(name, line) for name, text in texts.items() for line in secret if line in text}


def bank_of(slug: str) -> set[str]:
    """The lines of a specification that are on no page by design: answers, messages, questions."""
    written = lines((lesson_folder(slug) / "spec.py").read_text("utf-8"))
    return {line for line in written if line not in written_for_readers()}


def body_of(function) -> set[str]:
    return lines(inspect.getsource(function))


def digits_of(slug: str) -> set[str]:
    """Expected numbers with so many digits that they stand nowhere by chance."""
    made = set()
    with inside_folder(lesson_folder(slug)):
        for task in load_tasks(slug):
            for probe in [*task.probes, *task.hidden]:
                for leaf in leaves(observe_call(task.function, probe.arguments(), 60.0)):
                    values = numbers(leaf).ravel() if is_numeric(leaf) else ()
                    made |= {f"{value:.6g}" for value in values if abs(value * 64) % 1}
    return {digits for digits in made if len(digits.strip("-0.")) >= 6 and "e" not in digits}


@pytest.mark.parametrize("slug", existing_slugs())
def test_no_answer_of_an_exercise_and_no_hidden_question(texts, slug):
    secret = bank_of(slug)
    assert len(secret) > 50
    assert not found(secret, texts)
    for task in load_tasks(slug):
        last = {probe_program(probe, task).splitlines()[-1] for probe in task.hidden}
        assert not found(last, texts)


@pytest.mark.parametrize("slug", existing_slugs())
def test_an_exercise_s_page_holds_no_reference_and_no_expected_number(texts, slug):
    pages = {k: v for k, v in of_exercises(texts).items() if k.split("/")[0][3:] == slug}
    assert len(pages) >= 2
    handed_out = "\n".join(part for t in load_tasks(slug) for part in (stub(t), *t.hints))
    handed_out += handed_out.replace("`", "")  # as a hint's code stands on the page
    for task in load_tasks(slug):
        secret = {line for line in body_of(task.function) if line not in handed_out}
        assert not found(secret, pages)
    assert not found(digits_of(slug), pages)


def test_no_file_of_a_teacher_and_no_key_s_float(site, texts):
    assert not [f for f in site.rglob("*") if f.name in NAMES or f.suffix in (".sqlite", ".pkl")]
    assert not [name for name, text in texts.items() if HEX.search(text)]


def test_an_answer_would_be_seen(texts):
    """None of the checks above is blind."""
    task, digits = load_tasks("unwatched_tensor")[1], digits_of("summed_targets")
    for planted, secret in (
        (inspect.getsource(task.right[1]), bank_of(task.slug)),
        (task.wrong[0].why, bank_of(task.slug)),
        (probe_program(task.hidden[-1], task), {probe_program(task.hidden[-1], task).strip()}),
        (inspect.getsource(task.function), body_of(task.function)),
        (f"It is {min(digits)}.", digits),
    ):
        page = "<p>" + html.escape(planted) + "</p>"
        assert found(secret, {"page": words_of("page.html", page.encode())})
    assert HEX.search(json.dumps({"values": [(0.1).hex()]}))
