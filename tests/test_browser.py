"""As a new user would: the lessons in JupyterLab, driven in a real browser."""

import os
import shutil
import subprocess
import sys
import time
import urllib.request

import nbformat
import pytest

from classroom.commands import free_port, lab_command
from classroom.environment import LAB_OVERRIDES
from classroom.lessons import lesson_folder
from classroom.quiet import QUIET
from tests.browsing import browser, screenshot

pytestmark = [pytest.mark.browser, pytest.mark.timeout(900)]

FOLDER = lesson_folder("unwatched_tensor")
TOKEN = "for-this-test-only"
PATIENCE = 240_000  # milliseconds: a kernel imports TensorFlow while other tests use the cores

WRONG = """def input_gradient(function, x):
    x = tf.convert_to_tensor(x)
    with tf.GradientTape() as tape:
        value = function(x)
        tape.watch(x)
    return tape.gradient(value, x)"""
RIGHT = WRONG.replace("        tape.watch(x)\n", "").replace(
    "        value", "        tape.watch(x)\n        value"
)


def clear_outputs(file):
    """Without stored outputs, outputs that are seen later can only come from a run."""
    notebook = nbformat.read(file, as_version=4)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    nbformat.write(notebook, file)


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    """JupyterLab on a copy of the lesson, started as `make lessons` starts it."""
    home = tmp_path_factory.mktemp("home")
    folder = home / "lessons"
    shutil.copytree(FOLDER, folder / FOLDER.name)
    for stored in folder.rglob("*.ipynb"):
        clear_outputs(stored)
    settings = home / "settings"
    settings.mkdir()
    (settings / "overrides.json").write_text(LAB_OVERRIDES)
    port = free_port(8900)
    command = lab_command(sys.executable, folder, port, TOKEN)
    command += ["--no-browser", f"--LabApp.app_settings_dir={settings}"]
    environ = {**os.environ, **QUIET, "HOME": str(home), "JUPYTER_CONFIG_DIR": str(home)}
    log = (home / "log").open("w")
    server = subprocess.Popen(command, env=environ, stdout=log, stderr=log)
    address = f"http://127.0.0.1:{port}"
    try:
        for _ in range(120):
            try:
                urllib.request.urlopen(f"{address}/api?token={TOKEN}", timeout=2)
                break
            except OSError:
                assert server.poll() is None, (home / "log").read_text()
                time.sleep(1)
        yield address, folder / FOLDER.name
    finally:
        server.terminate()
        server.wait(30)


@pytest.fixture
def page():
    with browser() as chromium:
        context = chromium.new_context(viewport={"width": 1280, "height": 900})
        opened = context.new_page()
        opened.set_default_timeout(PATIENCE)
        yield opened


def open_notebook(page, lab, name):
    address, _ = lab
    page.goto(f"{address}/lab/tree/{FOLDER.name}/{name}?token={TOKEN}&reset")
    page.locator(".jp-Notebook .jp-Cell").first.wait_for()
    page.get_by_text("Python 3 (ipykernel) | Idle").wait_for()


def run_menu(page, item):
    page.get_by_role("menuitem", name="Run", exact=True).click()
    page.get_by_role("menuitem", name=item, exact=True).click()


def save(page):
    page.keyboard.press("Control+s")
    time.sleep(2)


@pytest.mark.parametrize("name", ["lesson.ipynb", "lesson.md"])
def test_a_lesson_opens_as_a_notebook_in_either_form_and_runs(page, lab, name):
    stored = lab[1] / "lesson.ipynb"
    clear_outputs(stored)
    open_notebook(page, lab, name)
    screenshot(page, f"lab-{name}")
    run_menu(page, "Run All Cells")
    for _ in range(120):
        time.sleep(2)
        save(page)
        notebook = nbformat.read(stored, as_version=4)
        code = [cell for cell in notebook.cells if cell.cell_type == "code"]
        if all(cell.execution_count for cell in code) and code[-1].outputs:
            break
    outputs = [output for cell in code for output in cell.outputs]
    assert code[-1].execution_count, "the last cell never ran"
    assert not [o for o in outputs if o.output_type == "error" or o.get("name") == "stderr"]
    original = nbformat.read(FOLDER / "lesson.ipynb", as_version=4)
    stored = [o for c in original.cells if c.cell_type == "code" for o in c.outputs]
    assert shown(outputs) == shown(stored)
    screenshot(page, f"lab-{name}-run")


def shown(outputs):
    """What a reader sees: all text of the streams, and the pictures' data."""
    text = "".join(output.get("text", "") for output in outputs)
    return text, [output.data for output in outputs if "data" in output]


def answer(page, text):
    """Put an answer into the first task's cell, run it and the check below it."""
    cell = page.locator(".jp-CodeCell", has_text="# TASK: input_gradient").first
    cell.locator(".cm-content").click()
    page.keyboard.press("Control+a")
    page.keyboard.insert_text("# TASK: input_gradient\n" + text)
    page.keyboard.press("Shift+Enter")
    page.keyboard.press("Shift+Enter")


def test_an_exercise_answers_a_wrong_and_a_right_answer(page, lab):
    open_notebook(page, lab, "exercise.ipynb")
    imports = page.locator(".jp-CodeCell", has_text="from classroom import check").first
    imports.locator(".cm-content").click()
    page.keyboard.press("Shift+Enter")
    answer(page, WRONG)
    feedback = page.locator(".jp-RenderedHTMLCommon[data-mime-type='text/html'] [role=status]")
    feedback.filter(has_text="does not reach back").first.wait_for()
    screenshot(page, "exercise-wrong")
    said = feedback.filter(has_text="does not reach back").first.inner_text()
    assert "input_gradient is not there yet" in said and "None" in said
    answer(page, RIGHT)
    feedback.filter(has_text="right on 3 probes").first.wait_for()
    screenshot(page, "exercise-right")
    assert "[4 of 4 points]" in feedback.filter(has_text="right on 3 probes").first.inner_text()
