"""`make sync`: idempotent, whole or not at all, and never over somebody's work."""

import re
import shutil
import subprocess
import sys

import nbformat
import pytest

from classroom import notebooks, sync
from classroom.environment import ROOT
from classroom.lessons import existing_slugs, lesson_folder
from classroom.messages import Stop
from classroom.notebooks import digest, execute, read_notebook, read_source, write_notebook
from classroom.spec import load_tasks
from classroom.stubs import stub

SLUG = "unwatched_tensor"

LESSON = """---
jupyter:
  kernelspec: {display_name: Python 3, language: python, name: python3}
---

# Title

```python
print("one", 1)
"two"
```
"""


def write(folder, text=LESSON, name="lesson.md"):
    file = folder / name
    file.write_text(text)
    return file


@pytest.fixture
def repository(tmp_path, monkeypatch):
    """A copy of the checkout with one lesson, for tests that write."""
    for room in ("classroom", "solutions"):
        shutil.copytree(ROOT / room, tmp_path / room, ignore=shutil.ignore_patterns("__pycache__"))
    folder = lesson_folder(SLUG)
    shutil.copytree(folder, tmp_path / "lessons" / folder.name)
    (tmp_path / "data").mkdir()
    shutil.copytree(ROOT / "lessons" / "atlas", tmp_path / "lessons" / "atlas")
    pages = [f"lessons/{name}.md" for name in ("index", "atlas", "errors", "glossary")]
    data = ("data/atlas.json", "lessons/symptoms.yml")
    for name in ("README.md", *pages, *data, "pyproject.toml", "requirements.txt"):
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def run_sync(repository, *slugs):
    command = [sys.executable, "-m", "classroom.sync", *slugs]
    return subprocess.run(command, cwd=repository, capture_output=True, text=True)


def snapshot(repository):
    files = [f for f in repository.rglob("*") if f.is_file() and "__pycache__" not in f.parts]
    return {f.relative_to(repository): f.read_bytes() for f in files}


def test_sync_in_a_copy_changes_no_byte(repository):
    before = snapshot(repository)
    done = run_sync(repository, SLUG)
    # The copy holds one lesson of several, so its maps and links are fewer; all else must be equal.
    assert done.returncode == 0, done.stderr
    after = snapshot(repository)
    changed = {str(f) for f in after if before.get(f) != after[f]}
    links = {f"lessons/{name}.md" for name in ("index", "atlas", "errors", "glossary")}
    links |= {file for file in changed if re.fullmatch(r"lessons/atlas/\w+\.md", file)}
    assert changed <= {"README.md", *links}, changed


def edit_exercise(repository, old, new):
    file = repository / "lessons" / lesson_folder(SLUG).name / "exercise.md"
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new, 1))


def test_an_answer_in_an_exercise_is_not_overwritten(repository):
    edit_exercise(repository, 'raise NotImplementedError("your turn")', "return source is None")
    before = snapshot(repository)
    done = run_sync(repository, SLUG)
    assert done.returncode == 2 and "holds an answer" in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1 and snapshot(repository) == before


def test_a_notebook_edited_alone_is_not_overwritten(repository):
    file = repository / "lessons" / lesson_folder(SLUG).name / "lesson.ipynb"
    file.write_text(file.read_text().replace("# Watch a tensor", "# I changed a tensor", 1))
    before = snapshot(repository)
    done = run_sync(repository, SLUG)
    assert done.returncode == 2 and "lesson.ipynb and lesson.md disagree" in done.stderr
    assert snapshot(repository) == before


def test_a_damaged_notebook_is_named_with_the_remedy(repository):
    file = repository / "lessons" / lesson_folder(SLUG).name / "lesson.ipynb"
    file.write_text(file.read_text()[:200])
    before = snapshot(repository)
    done = run_sync(repository, SLUG)
    assert done.returncode == 2 and "lesson.ipynb is damaged" in done.stderr
    assert "make sync" in done.stderr and snapshot(repository) == before


def test_an_unknown_slug_stops_before_anything_runs(repository):
    done = run_sync(repository, "unwatched_tensr")
    assert done.returncode == 2 and "Did you mean unwatched_tensor" in done.stderr


def test_a_missing_kernel_is_named(tmp_path):
    file = write(tmp_path, LESSON.replace("name: python3", "name: julia-9"))
    with pytest.raises(Stop, match="the kernel `julia-9` is not here"):
        read_source(file)


def test_a_failing_cell_is_named_and_nothing_is_written(tmp_path):
    file = write(tmp_path, LESSON.replace('"two"', "1 / 0"))
    with pytest.raises(Stop, match="ZeroDivisionError"):
        execute(read_source(file), tmp_path)
    assert list(tmp_path.iterdir()) == [file]


def test_a_notebook_has_outputs_and_neither_times_nor_random_ids(tmp_path):
    file = write(tmp_path)
    notebook = execute(read_source(file), tmp_path)
    target = tmp_path / "lesson.ipynb"
    assert write_notebook(notebook, target) and not write_notebook(notebook, target)
    stored = read_notebook(target)
    assert [cell.id for cell in stored.cells] == ["cell-00", "cell-01"]
    assert stored.cells[1].outputs[0].text == "one 1\n"
    assert stored.cells[1].outputs[1].data == {"text/plain": "'two'"}
    assert "execution" not in stored.cells[1].metadata
    assert stored.metadata["synced"] == digest(read_source(file))


def test_colours_are_stripped_from_outputs():
    output = nbformat.v4.new_output("stream", text="\x1b[31mred\x1b[0m")
    notebooks.clean_output(output)
    assert output.text == "red"


def test_texts_that_a_kernel_sends_in_pieces_are_one_output(tmp_path):
    lines = "import sys\nprint('a', end='')\nsys.stdout.flush()\nprint('b')\nsys.stdout.flush()"
    file = write(tmp_path, LESSON.replace('"two"', lines))
    cell = execute(read_source(file), tmp_path).cells[1]
    assert [output.text for output in cell.outputs] == ["one 1\nab\n"]


def test_a_file_is_replaced_whole(tmp_path):
    file = tmp_path / "a.txt"
    assert notebooks.write_text("é\n", file) and not notebooks.write_text("é\n", file)
    assert file.read_bytes() == "é\n".encode() and list(tmp_path.iterdir()) == [file]


def test_a_bare_mark_an_old_stub_and_an_answer_are_told_apart():
    new, old, answer = "# TASK: f\nnew", "# TASK: f\nold", "# TASK: f\nreturn 1"
    stored = sync.fingerprint(old)
    assert not sync.is_answer("# TASK: f", new, None)
    assert not sync.is_answer(new, new, None) and not sync.is_answer(old, new, stored)
    assert sync.is_answer(answer, new, stored) and sync.is_answer(answer, new, None)


def test_a_repair_stub_shows_the_broken_body_under_the_reference_docstring():
    task = next(t for t in load_tasks(SLUG) if t.kind == "repair")
    text = stub(task)
    assert text.startswith(f"# TASK: {task.name}\ndef {task.name}(")
    assert "Returns:" in text and "tape.watch" not in text and "GradientTape" in text


def test_the_maps_list_every_lesson_and_need_their_marks():
    table = sync.lesson_map("lessons/")
    assert table.count("/lesson.md)") == len(existing_slugs())
    with pytest.raises(Stop, match="the marks"):
        sync.between_marks("no marks", "map", "x", "README.md")
    marked = "a\n<!-- map: made by `make sync` -->\nold\n<!-- map: end -->\nb"
    assert re.search(r"-->\n\nnew\n\n<!--", sync.between_marks(marked, "map", "new", "f"))


def test_the_reference_pages_are_what_sync_makes_and_need_their_marks(tmp_path, monkeypatch):
    for file, text in sync.with_tables():
        assert file.read_text() == text, f"{file.name}: run `make sync`"
    (tmp_path / "lessons").mkdir()
    for name in (
        "README.md",
        *(f"lessons/{page.name}" for page in (sync.ROOT / "lessons").glob("*.md")),
    ):
        shutil.copy(sync.ROOT / name, tmp_path / name)
    (tmp_path / "lessons/errors.md").write_text("no marks")
    monkeypatch.setattr(sync, "ROOT", tmp_path)
    with pytest.raises(Stop, match=r"errors.md: the marks `<!-- errors: made"):
        sync.with_tables()


def test_nbval_fails_on_a_planted_wrong_output(tmp_path):
    """The replay compares outputs: a stored output that no run gives must fail."""
    notebook = execute(read_source(write(tmp_path)), tmp_path)
    write_notebook(notebook, tmp_path / "right.ipynb")
    notebook.cells[1].outputs[0].text = "one 2\n"
    write_notebook(notebook, tmp_path / "wrong.ipynb")
    ini = tmp_path / "pytest.ini"
    ini.write_text("[pytest]\n")
    command = [sys.executable, "-m", "pytest", "-c", str(ini), "--nbval", "-p", "no:cacheprovider"]
    done = subprocess.run(
        [*command, "-p", "tests.quiet_kernels", "-q", str(tmp_path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1 and "1 failed, 1 passed" in done.stdout, done.stdout
    assert "wrong.ipynb" in done.stdout and "one 2" in done.stdout
