"""The picture of the tape, stepped through: it agrees with the recording, by keys and buttons."""

import json
import re
from html import unescape

import nbformat
import pytest

from classroom.environment import ROOT
from classroom.lessons import PARTS, lesson_folder
from solutions.what_the_tape_records import draw, record_tape
from tests.browsing import bring_drawings_in

PAGE = "03_unwatched_tensor/lesson.html"


def recorded():
    """The lesson's first picture once more, from a recording made here."""
    import keras
    import tensorflow as tf

    layer = keras.layers.Dense(1)
    layer.build((None, 2))
    x = tf.constant([[3.0, 1.0]])
    with record_tape() as recording, tf.GradientTape():
        score = layer(x)
    picture = draw(recording, score, x)
    return recording, picture


def test_the_story_agrees_with_the_recording(chromium, address):
    recording, picture = recorded()
    page = chromium.new_page()
    page.goto(f"{address}/{PAGE}")
    story = json.loads(page.locator("svg.tape-picture metadata").first.text_content())
    words = [op.word for op in recording.ops if op.kind != "ReadVariableOp"]
    assert [text.split()[0] for kind, _, _, text in story if kind == "recorded"] == words
    back = [text for kind, _, _, text in story if kind == "back"]
    assert not picture.intact and back == words[::-1] and story[-1][0] == "lost"
    page.close()


def stories(notebook) -> list[tuple[list, set[str]]]:
    """What the recordings in a stored notebook tell, step by step; the lines of code before it."""
    told, lines = [], set()
    for cell in nbformat.read(notebook, as_version=4).cells:
        if cell.cell_type == "code":
            lines = lines | {line.strip() for line in cell.source.splitlines()}
        for output in cell.get("outputs", ()):
            drawing = output.get("data", {}).get("image/svg+xml", "")
            for text in re.findall("<metadata>(.*?)</metadata>", drawing, re.DOTALL):
                told.append((json.loads(unescape(text)), lines))
    return told


TOLD = {
    f"{notebook.parent.name}/{notebook.stem}.html": told
    for notebook in sorted((ROOT / "lessons").glob("*/*.ipynb"))
    if (told := stories(notebook))
}


@pytest.mark.parametrize("place", TOLD)
def test_every_recording_is_stepped_through_by_keyboard(chromium, address, place):
    """Those in the page, and the large ones that come into it."""
    page = chromium.new_page()
    page.goto(f"{address}/{place}")
    bring_drawings_in(page)
    pictures, groups = page.locator("svg:has(metadata)"), page.locator(".tape-steps")
    assert pictures.count() == groups.count() == len(TOLD[place])
    for n, (story, lines) in enumerate(TOLD[place]):
        picture, group = pictures.nth(n), groups.nth(n)
        slider, said = group.locator("input"), group.locator(".tape-said")
        slider.focus()
        for number, (kind, box, code, text) in enumerate(story, 1):
            page.keyboard.press("ArrowRight")
            words = said.inner_text()
            assert words.startswith(f"{number} / {len(story)}")
            assert text.replace("`", "") in words, kind
            now = picture.locator(".now")
            assert now.count() == 1 and now.get_attribute("data-box") == str(box)
            lit = page.evaluate("[...CSS.highlights.get('tape-line') ?? []].map(String).join()")
            assert lit.strip() == (code if code in lines else ""), f"step {number}"
        assert picture.locator("g[data-box].yet").count() == 0  # in the end all has happened
    page.close()


def test_the_lessons_that_teach_the_tape_all_have_one():
    first, *_ = PARTS.values()
    assert {f"{lesson_folder(slug).name}/lesson.html" for slug in first} <= set(TOLD)


def test_the_buttons_step_and_stop_at_both_ends(chromium, address):
    page = chromium.new_page()
    page.goto(f"{address}/{PAGE}")
    steps = page.locator(".tape-steps").first
    start, back, on = (steps.locator("button").nth(n) for n in range(3))
    slider = steps.locator("input")
    assert start.is_disabled() and back.is_disabled()
    on.click()
    on.click()
    assert slider.input_value() == "2"
    first = page.locator("svg.tape-picture").first
    assert first.locator("g[data-box].yet").count() == 0  # both of its operations have run
    back.click()
    assert slider.input_value() == "1" and first.locator("g[data-box].yet").count() == 1
    for _ in range(int(slider.get_attribute("max")) - 1):
        on.click()
    assert on.is_disabled()
    start.click()
    assert slider.input_value() == "0" and first.locator(".now, .yet, .walked").count() == 0
    page.close()


def test_without_a_script_the_whole_picture_stands_there(chromium, address):
    context = chromium.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{address}/{PAGE}")
    assert page.locator("svg.tape-picture").first.is_visible()
    assert page.locator(".tape-steps").count() == 0
    context.close()


LARGE = "13_not_differentiable/lesson.html"


@pytest.mark.parametrize("opened_from", ["a disk", "a host without the file"])
def test_a_large_drawing_that_cannot_come_in_stays_a_picture(chromium, address, site, opened_from):
    page = chromium.new_page()
    problems = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    if opened_from == "a disk":
        page.goto(f"{site.as_uri()}/{LARGE}")
    else:
        page.route("**/*_drawing_*.svg", lambda route: route.fulfill(status=404))
        page.goto(f"{address}/{LARGE}")
    drawing = page.locator("img.drawing").first
    drawing.scroll_into_view_if_needed()
    page.wait_for_timeout(300)
    assert page.locator("img.drawing").count() >= 1 and drawing.get_attribute("alt")
    if opened_from == "a disk":
        assert drawing.evaluate("image => image.naturalWidth") > 100
    assert problems == []
    page.close()
