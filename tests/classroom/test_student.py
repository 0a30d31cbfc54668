"""The student's zip in a folder of its own: `check` works there, and no answer can be found."""

import inspect
import io
import json
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import jupytext
import nbformat
import pytest
from whynone.by_hand import Step

from classroom.assignment import make_assignment
from classroom.environment import ROOT
from classroom.key import load_key
from classroom.masters import load_master
from classroom.observation import numbers
from classroom.programs import Source, probe_program
from classroom.quiet import QUIET
from classroom.seal import leaves
from classroom.stubs import task_of_cell

SLUGS = ["unwatched_tensor", "nested_models", "whynone"]

# Runs cells as a kernel does: in the notebook's folder, which comes first on the path. Nothing
# of the repository can be imported.
DRIVER = """
import json, linecache, sys
job = json.load(sys.stdin)
sys.path[:] = [path for path in sys.path if path not in job["hidden"]]
said, namespace = [], {"__name__": "__main__"}
for number, source in enumerate(job["cells"]):
    name = f"<cell {number}>"
    linecache.cache[name] = (len(source), None, source.splitlines(True), name)
    if source.startswith(("check(", "hint(")):
        result = eval(source, namespace)
        said.append([repr(result), result._repr_html_()])
    else:
        exec(compile(source, name, "exec"), namespace)
modules = [module for module in list(sys.modules.values()) if getattr(module, "__file__", None)]
ours = [m.__file__ for m in modules if m.__name__.split(".")[0] in job["ours"]]
print("\\n" + json.dumps([said, ours]))
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    out = tmp_path_factory.mktemp("class") / "week"
    make_assignment(SLUGS, out, secret="0123456789abcdef", title="Week 3")
    with zipfile.ZipFile(out / "student.zip") as archive:
        archive.extractall(out.parent / "unpacked")
    return out


@pytest.fixture(scope="module")
def unpacked(made):
    return made.parent / "unpacked" / "assignment"


@pytest.fixture(scope="module")
def key(made):
    return load_key(made / "teacher" / "key.json")


def bare_environ() -> dict[str, str]:
    """Without our paths; and other tests read every file there is, so no __pycache__ is made."""
    environ = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    return environ | QUIET | {"PYTHONDONTWRITEBYTECODE": "1"}


def run_cells(folder: Path, cells: list[str]) -> list[list[str]]:
    """What `check` and `hint` say, as text and as HTML, in this folder."""
    job = {"cells": cells, "hidden": [str(ROOT), str(ROOT / "solutions")]}
    job["ours"] = ["classroom", "whynone", "solutions"]
    done = subprocess.run(
        [sys.executable, "-c", DRIVER],
        input=json.dumps(job),
        cwd=folder,
        env=bare_environ(),
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    said, files = json.loads(done.stdout.splitlines()[-1])
    assert files and all(Path(file).is_relative_to(folder.parent) for file in files)
    return said


def code_cells(folder: Path) -> list[str]:
    notebook = nbformat.read(folder / f"{folder.name}.ipynb", as_version=4)
    return [cell.source for cell in notebook.cells if cell.cell_type == "code"]


def as_cell(function, task) -> str:
    """One of the bank's answers with the helpers that it needs."""
    source = Source((ROOT / spec_of(task)).read_text())
    name = function.__name__
    return source.cut({name} | source.needed(name)).replace(
        "from solutions import", "# from solutions import"
    )


def spec_of(task) -> Path:
    return load_master(task.slug).folder / "spec.py"


@pytest.mark.parametrize("slug", SLUGS)
def test_check_and_hint_work_with_the_zip_alone(unpacked, slug):
    """The notebook as handed out, then answers of the bank, right and wrong."""
    few = None if slug == SLUGS[0] else 1  # each is tried on every question, slowly sealed
    cells = code_cells(unpacked / slug)
    marks = ["·"] * len([cell for cell in cells if task_of_cell(cell)])
    for task in load_master(slug).tasks:
        bank = [("✓", right) for right in task.right[:few]]
        bank += [("✗", wrong.answer) for wrong in task.wrong[:few]]
        for mark, function in bank:
            cells += [as_cell(function, task), f'check({function.__name__}, task="{task.name}")']
            # The start of a repair task is one of its wrong answers, under another name.
            untouched = function is task.start
            marks.append("·✗" if untouched else mark)
        cells.append(f"hint({task.name})")
        marks.append("H")
    said = run_cells(unpacked / slug, cells)
    assert len(said) == len(marks)
    for (text, html), mark, cell in zip(said, marks, [c for c in cells if is_call(c)], strict=True):
        assert text[0] in mark, (cell, text)
        assert " points]" not in text + html
        assert "<div" in html


def is_call(cell: str) -> bool:
    return cell.startswith(("check(", "hint("))


FORGOT = """
def input_gradient(function, x):
    with tf.GradientTape() as tape:
        y = function(x)
    return tape.gradient(y, x)
"""
TRANSPOSED = """
def input_gradient(function, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    return tf.transpose(tape.gradient(y, x))[None]
"""


def test_a_none_is_explained_and_a_shape_is_named(unpacked):
    cells = [*code_cells(unpacked / "unwatched_tensor")]
    cells += [FORGOT, "check(input_gradient)", TRANSPOSED, "check(input_gradient)"]
    cells += ["check(lambda source: True, task='needs_watch')"]
    forgot, transposed, always = (text for text, _ in run_cells(unpacked / SLUGS[0], cells)[-3:])
    assert "came back None" in forgot and "expected  float32 of shape (3,)" in forgot
    assert "y = function(x)" in forgot and "never told to watch it" in forgot
    assert "read      the lesson unwatched_tensor" in forgot
    assert "The shape is (1, 3); expected (3,)." in transposed
    assert "is not what the docstring asks for" in always and "float" not in always.split("why")[1]


def test_a_terminal_can_check_the_markdown(unpacked):
    done = subprocess.run(
        [sys.executable, "check.py", "whynone/whynone.md"],
        cwd=unpacked,
        env=bare_environ(),
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1 and done.stdout.count("is waiting for you") == 3, done.stderr


def test_the_zip_is_a_folder_with_a_readme_pins_and_data(unpacked):
    for slug in SLUGS:
        written = jupytext.read(unpacked / slug / f"{slug}.md")
        cells = [c.source for c in written.cells if c.cell_type == "code"]
        assert cells == code_cells(unpacked / slug)
    assert (unpacked / "whynone" / "programs" / "nested.py").exists()
    assert not (unpacked / "whynone" / "brighten.py").exists()  # the lesson's, not the exercise's
    readme = (unpacked / "README.md").read_text()
    for word in ("# Week 3", "JupyterLab", "VS Code", "Colab", "check.py", "Hand in", "4 points"):
        assert word in readme
    pins = (unpacked / "requirements.txt").read_text().splitlines()
    assert any(line.startswith("tensorflow==") for line in pins)
    repository = (ROOT / "requirements.txt").read_text()
    assert all(line in repository for line in pins)


def test_no_link_leads_out_of_the_zip(unpacked):
    for file in unpacked.glob("*/*.md"):
        for target in re.findall(r"\]\(([^)]+)\)", file.read_text()):
            assert target.startswith("https://"), (file.name, target)


def test_two_zips_of_one_key_are_equal_and_name_no_machine(made, key):
    from classroom.student import student_zip

    masters = [load_master(slug) for slug in SLUGS]
    packed = student_zip(key, masters)
    assert packed == (made / "student.zip").read_bytes()
    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        assert {entry.date_time for entry in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
    assert str(ROOT).encode() not in packed and str(made.parent).encode() not in packed


# --- no answer in it ----------------------------------------------------------------------


def lines(text: str) -> set[str]:
    """A source's lines of more than 25 characters, but for comments and imports."""
    found = {line.strip().strip("\"',()") for line in text.splitlines()}
    return {s for s in found if len(s) > 25 and not s.startswith(("#", "from ", "import "))}


def answers_of(master) -> set[str]:
    """The lines of the reference and of the specification that say how to solve a task."""
    module = sys.modules[master.tasks[0].function.__module__]
    return lines(Path(module.__file__).read_text()) | lines((master.folder / "spec.py").read_text())


def allowed_for(master) -> str:
    """What a student may read: stubs and text, probes, hints; and what is no task's own code."""
    texts = [cell.source for cell in master.notebook.cells]
    texts.append(inspect.getsource(Step))  # the last exercise imports it
    for task in master.tasks:
        texts += [*task.hints, *(probe.label for probe in task.probes)]
        texts += [probe_program(probe, task) for probe in task.probes]
    ours = [*(ROOT / "classroom").glob("*.py"), *(ROOT / "solutions" / "whynone").rglob("*.py")]
    ours += (ROOT / "solutions").glob("_capture*.py")
    ours += [ROOT / "solutions" / "intermediate_activations.py"]  # nested_models imports from it
    texts += [file.read_text() for file in ours if file.name != "by_hand.py"]
    return "\n".join(texts)


def everything_in(unpacked: Path) -> str:
    texts = [file.read_text() for file in sorted(unpacked.rglob("*")) if file.is_file()]
    tasks = json.loads((unpacked / "lib" / "classroom" / "tasks.json").read_text())
    texts += [str(value) for value in strings(tasks)]  # without JSON's escapes
    return "\n".join(texts)


def strings(value):
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            yield from strings(item)
    else:
        yield value


@pytest.mark.parametrize("slug", SLUGS)
def test_no_line_of_an_answer_is_in_the_zip(unpacked, slug):
    master, text = load_master(slug), everything_in(unpacked)
    allowed = allowed_for(master)
    secret = {line for line in answers_of(master) if line not in allowed}
    assert len(secret) > 50
    assert not {line for line in secret if line in text}


def test_the_grep_would_find_an_answer(unpacked):
    """The check above is not blind: with a right answer in a file it does not pass."""
    master = load_master("unwatched_tensor")
    text = everything_in(unpacked) + as_cell(master.tasks[2].right[0], master.tasks[2])
    allowed = allowed_for(master)
    secret = {line for line in answers_of(master) if line not in allowed}
    assert {line for line in secret if line in text}


def test_no_expected_number_and_no_hidden_question_is_in_the_zip(unpacked, key):
    text = everything_in(unpacked)
    looked_for = 0
    for task in key.tasks:
        for probe in task.probes:
            for leaf in leaves(probe.expected):
                found = numbers(leaf).ravel() if leaf["kind"] == "tensor" else []
                for number in found:
                    if abs(number * 64) % 1:  # 0.25 or 3 may stand anywhere
                        looked_for += 1
                        for form in (float(number).hex(), f"{number:.6g}", repr(float(number))):
                            assert len(form) < 6 or form not in text, (task.name, form)
            if probe.group == "hidden" and probe.vary is not None:
                assert str(probe.vary) not in text
            elif probe.group == "hidden":  # one that the lesson wrote
                assert probe.program.splitlines()[-1] not in text
        for wrong in task.wrong:
            assert wrong.why not in text and wrong.do not in text
    assert looked_for > 50
