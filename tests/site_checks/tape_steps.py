"""The picture of the tape, stepped through: it agrees with the recording, by keys and buttons."""

import json

from solutions.what_the_tape_records import draw, record_tape

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


def test_the_steps_agree_with_the_recording(chromium, address):
    recording, picture = recorded()
    page = chromium.new_page()
    page.goto(f"{address}/{PAGE}")
    steps = page.locator(".tape-steps").first
    slider, said = steps.locator("input"), steps.locator(".tape-said")
    story = json.loads(page.locator("svg.tape-picture metadata").first.text_content())
    words = [op.word for op in recording.ops if op.kind != "ReadVariableOp"]
    assert [text.split()[0] for kind, _, _, text in story if kind == "recorded"] == words
    back = [text for kind, _, _, text in story if kind == "back"]
    assert not picture.intact and back == words[::-1] and story[-1][0] == "lost"

    slider.focus()
    for number, (kind, box, code, text) in enumerate(story, 1):
        page.keyboard.press("ArrowRight")
        assert said.inner_text().startswith(f"{number} / {len(story)}")
        assert text.replace("`", "") in said.inner_text(), kind
        now = page.locator("svg.tape-picture").first.locator(".now")
        assert now.count() == 1 and now.get_attribute("data-box") == str(box)
        if code:
            lit = page.evaluate("[...CSS.highlights.get('tape-line')].map(String).join()")
            assert lit.strip() == code
    faint = page.locator("svg.tape-picture").first.locator("g[data-box].yet")
    assert faint.count() == 0  # at the end everything has happened
    page.close()


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
