"""The lessons as text: front matter, required parts, length, links, spelling, Markdown, style."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from classroom.environment import ROOT
from classroom.lessons import existing_slugs, front_matter, lesson_folder, title
from classroom.messages import Stop
from classroom.notebooks import digest, read_notebook, read_source

SLUGS = existing_slugs()
REQUIRED = ("symptom", "predict", "run", "why", "fix", "prove", "remember")
OPTIONAL = ("still_none", "old_answers")
WORDS, CELLS, CODE_COLUMNS = (800, 1800), 25, 79

MARKDOWN = [
    ROOT / "README.md",
    *sorted((ROOT / "lessons").rglob("*.md")),
    *sorted((ROOT / ".github").rglob("*.md")),
    *sorted((ROOT / "data").rglob("*.md")),
]
PYTHON_ROOMS = ("classroom", "solutions", "tests", "theme", "lessons")


def without_checkpoints(files):
    return [file for file in files if ".ipynb_checkpoints" not in file.parts]


def parts(lesson: Path) -> list[str]:
    return re.findall(r"^<!-- part: (\w+) -->$", lesson.read_text(), re.MULTILINE)


def missing_parts(found: list[str]) -> list[str]:
    return [part for part in REQUIRED if part not in found]


def body(file: Path) -> str:
    text = file.read_text()
    return text.split("\n---\n", 1)[1] if text.startswith("---\n") else text


def prose(file: Path) -> str:
    return re.sub(r"^```.*?^```$", "", body(file), flags=re.MULTILINE | re.DOTALL)


@pytest.fixture(params=SLUGS)
def lesson(request):
    return lesson_folder(request.param) / "lesson.md"


def test_the_front_matter_is_complete_and_its_slugs_are_known(lesson):
    matter = front_matter(lesson)
    assert set(matter["minutes"]) == {"reading", "exercises"}
    assert {"tensorflow", "keras"} <= set(matter["versions"])
    assert matter["answers"]


def test_the_versions_in_the_front_matter_are_the_pinned_ones(lesson):
    pins = (ROOT / "requirements.txt").read_text()
    for package, version in front_matter(lesson)["versions"].items():
        assert f"{package}=={version}" in pins


def test_no_required_part_is_missing(lesson):
    found = parts(lesson)
    assert not missing_parts(found), f"{lesson.parent.name} lacks: {missing_parts(found)}"
    assert set(found) <= {*REQUIRED, *OPTIONAL}
    order = [p for p in (*REQUIRED[:6], *OPTIONAL, REQUIRED[6]) if p in found]
    assert [p for p in found if p in order] == order


def test_a_missing_part_is_named():
    assert missing_parts(["symptom", "run", "why", "fix", "prove", "remember"]) == ["predict"]


def test_every_part_is_followed_by_a_heading_of_its_own_wording(lesson):
    for part, heading in re.findall(r"<!-- part: (\w+) -->\n+(.*)", lesson.read_text()):
        assert heading.startswith("## "), f"{lesson.parent.name}: part {part} has no heading"
        if part not in ("still_none", "old_answers", "remember"):
            assert heading[3:].strip().lower() not in ("symptom", "the symptom", "fix", "why", part)


def test_a_lesson_is_of_the_agreed_size(lesson):
    words = len(prose(lesson).split())
    cells = len(read_source(lesson).cells)
    assert WORDS[0] <= words <= WORDS[1], f"{lesson.parent.name}: {words} words"
    assert cells <= CELLS, f"{lesson.parent.name}: {cells} cells"


def test_the_prediction_offers_choices_and_explains_each(lesson):
    text = lesson.read_text().split("<!-- part: predict -->")[1].split("<!-- part:")[0]
    choices = re.findall(r"<details><summary>.*?</summary>\n\n(.*?)\n\n</details>", text, re.DOTALL)
    assert len(choices) >= 3 and text.count("<details>") == len(choices)
    assert all(len(explanation.split()) >= 6 for explanation in choices)


def test_code_fits_a_laptop(lesson):
    for cell in read_source(lesson).cells:
        if cell.cell_type == "code":
            for line in cell.source.splitlines():
                assert len(line) <= CODE_COLUMNS, f"{lesson.parent.name}: {line}"


@pytest.mark.parametrize("name", ["lesson", "exercise"])
@pytest.mark.parametrize("slug", SLUGS)
def test_markdown_and_notebook_agree(slug, name):
    source = lesson_folder(slug) / f"{name}.md"
    stored = read_notebook(source.with_suffix(".ipynb"))
    remedy = f"{source.parent.name}/{name}.ipynb is not what {name}.md makes: run `make sync`"
    assert digest(stored) == digest(read_source(source)) == stored.metadata["synced"], remedy


@pytest.mark.parametrize("name", ["lesson", "exercise"])
@pytest.mark.parametrize("slug", SLUGS)
def test_stored_outputs_are_clean(slug, name):
    stored = read_notebook(lesson_folder(slug) / f"{name}.ipynb")
    for cell in stored.cells:
        if cell.cell_type != "code":
            continue
        assert cell.execution_count, f"{slug}: {cell.id} was never run"
        assert "execution" not in cell.metadata
        assert not [t for t in cell.metadata.get("tags", []) if t.startswith("nbval")]
        for output in cell.outputs:
            assert output.output_type != "error" and output.get("name") != "stderr", cell.id
            text = str(output)
            assert "\x1b[" not in text and not re.search(r" at 0x[0-9a-f]{6}", text), cell.id
            assert not re.search(r"(?<![\w.:/])/(home|root|usr|tmp|work|Users)/", text), cell.id


@pytest.mark.parametrize(
    "file", without_checkpoints(MARKDOWN), ids=lambda f: str(f.relative_to(ROOT))
)
def test_relative_links_lead_somewhere(file):
    for target in re.findall(r"\]\(([^)\s]+)\)", prose(file)):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, fragment = target.partition("#")
        found = file.parent / path if path else file
        assert found.exists(), f"{file.name} links to {target}"
        if fragment and found.suffix == ".md":
            headings = re.findall(r"^#+ (.*)$", prose(found), re.MULTILINE)
            assert fragment in {heading_slug(h) for h in headings}, f"{file.name}: {target}"


def heading_slug(heading: str) -> str:
    return re.sub(r"\s+", "-", re.sub(r"[^\w\s-]", "", heading.lower()).strip())


def run(*command):
    done = subprocess.run(
        [sys.executable, "-m", *command], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_spelling():
    run("codespell_lib", *map(str, without_checkpoints(MARKDOWN)), *PYTHON_ROOMS)


def test_markdown_style():
    files = [str(file.relative_to(ROOT)) for file in without_checkpoints(MARKDOWN)]
    run("pymarkdown", "--config", "pyproject.toml", "scan", *files)


def test_ruff():
    run("ruff", "check", "--no-cache", ".")
    run("ruff", "format", "--no-cache", "--check", ".")


def test_dependencies_point_one_way():
    """solutions knows nobody; a reference module uses only earlier slugs."""
    from classroom.lessons import SLUGS as ORDER

    for file in (ROOT / "solutions").rglob("*.py"):
        text = file.read_text()
        assert not re.search(r"^\s*(from|import) (classroom|tests|theme)\b", text, re.MULTILINE)
        own = ORDER.index(file.stem) if file.stem in ORDER else len(ORDER)
        for used in re.findall(r"^\s*from solutions\.(\w+) import", text, re.MULTILINE):
            if used in ORDER:
                assert ORDER.index(used) < own, f"{file.name} uses the later {used}"
    for file in (ROOT / "classroom").rglob("*.py"):
        assert not re.search(r"^\s*(from|import) (tests|theme)\b", file.read_text(), re.MULTILINE)


def test_nothing_of_a_workplace_is_in_the_repository():
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True)
    if listed.returncode:
        pytest.skip("not a git checkout: there is no list of tracked files")
    pattern = re.compile(rf"/(?:{'work'}/main|{'root'}/|{'opt'}/dev|home/[a-z]+/)")
    for name in listed.stdout.splitlines():
        text = (ROOT / name).read_text(errors="ignore") if (ROOT / name).is_file() else ""
        assert not pattern.search(text), f"{name} holds a machine's path"


# --- bad input ------------------------------------------------------------------------------

GOOD = {
    "slug": "unwatched_tensor",
    "symptom": "s",
    "minutes": {"reading": 1, "exercises": 1},
    "needs": [],
    "answers": ["seed 000"],
    "versions": {"tensorflow": "1", "keras": "1"},
}


def write_lesson(folder: Path, matter, name="03_unwatched_tensor") -> Path:
    file = folder / name / "lesson.md"
    file.parent.mkdir(exist_ok=True)
    header = yaml.safe_dump({"jupyter": {"lesson": matter}})
    file.write_text(f"---\n{header}---\n\n# Title\n")
    return file


def test_good_front_matter_is_read(tmp_path):
    file = write_lesson(tmp_path, GOOD)
    assert front_matter(file) == GOOD and title(file) == "Title"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"slug": "unwatched_tensors"}, "unknown slug `unwatched_tensors`.*mean unwatched_tensor"),
        ({"needs": ["nothing_like_it_zz"]}, "unknown slug `nothing_like_it_zz`"),
        ({"slug": "outside_the_tape"}, "the folder disagrees"),
        ({"minutes": 3}, "`minutes` is missing or no dict"),
        ({"symptom": None}, "`symptom` is missing"),
    ],
)
def test_bad_front_matter_is_named(tmp_path, change, words):
    with pytest.raises(Stop, match=words):
        front_matter(write_lesson(tmp_path, {**GOOD, **change}))


def test_missing_front_matter_title_and_folder_are_named(tmp_path):
    file = write_lesson(tmp_path, GOOD)
    file.write_text("# Only text\n")
    with pytest.raises(Stop, match="no front matter"):
        front_matter(file)
    file.write_text("---\nauthor: me\n---\n")
    with pytest.raises(Stop, match="no `jupyter: lesson:`"):
        front_matter(file)
    with pytest.raises(Stop, match="no title"):
        title(file)
    with pytest.raises(Stop, match="no such lesson"):
        lesson_folder("nothing")
    (tmp_path / "05_unwatched_tensor").mkdir()
    with pytest.raises(Stop, match="05_unwatched_tensor: not a slug with its number"):
        existing_slugs(tmp_path)
