"""The lesson `whynone`: its miniature against plain enumeration, its programs against the tool."""

import contextlib
import re
import runpy

import keras
import numpy as np
import pytest
import tensorflow as tf
import whynone
from hypothesis import given
from hypothesis import strategies as st
from whynone import observe
from whynone.by_hand import Step, diagnosis_of, first_break, lines_behind

from classroom.environment import ROOT
from classroom.lessons import lesson_folder

FOLDER = lesson_folder("whynone")
PROGRAMS = {"nested", "training_loop", "second_order", "state", "symbolic"}
NAMES = [f"t{number}" for number in range(7)]


@pytest.fixture(autouse=True)
def stopped():
    yield
    observe.stop()


@st.composite
def recordings(draw):
    """A random recording: each step reads some earlier names, or the sources x and y."""
    steps = []
    for number in range(draw(st.integers(1, 7))):
        known = ["x", "y", *NAMES[:number]]
        read = draw(st.lists(st.sampled_from(known), min_size=1, max_size=3, unique=True))
        broken = draw(st.sampled_from([None, None, "stop_gradient", "left_tensorflow"]))
        steps.append(Step(draw(st.integers(1, 9)), NAMES[number], tuple(read), broken))
    return steps


def ways(recording, target, source):
    """Every way from source to target, written out as a list of steps."""
    if target == source:
        return [[]]
    maker = next((step for step in recording if step.made == target), None)
    if maker is None:
        return []
    return [[*way, maker] for name in maker.read for way in ways(recording, name, source)]


@given(recordings())
def test_lines_behind_are_those_whose_removal_would_be_missed(recording):
    """A step is behind the target exactly if some chain of steps leads from it there."""
    for target in (step.made for step in recording):
        wanted = [step.line for step in recording if ways(recording, target, step.made)]
        assert lines_behind(recording, target) == wanted


@given(recordings(), st.sampled_from(["x", "y", "t0", "z"]))
def test_first_break_agrees_with_all_ways_written_out(recording, source):
    for step in recording:
        found = ways(recording, step.made, source)
        got = first_break(recording, step.made, source)
        if not found:
            assert got == ("no_path", step.line)
        elif any(all(link.broken is None for link in way) for way in found):
            assert got is None
        else:
            cut = {link.made for way in found for link in way if link.broken}
            first = next(link for link in recording if link.made in cut)
            assert got == (first.broken, first.line)


def test_first_break_agrees_with_a_real_tape():
    """The recording of a small program, written down, beside the gradients of that program."""
    x, y = tf.constant(2.0), tf.constant(3.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([x, y])
        a = tf.stop_gradient(x)
        b = a * y
        c = x * x
        d = b + c
    tensors = {"x": x, "y": y, "a": a, "b": b, "c": c, "d": d}
    recording = [
        Step(1, "a", ("x",), "stop_gradient"),
        Step(2, "b", ("a", "y")),
        Step(3, "c", ("x",)),
        Step(4, "d", ("b", "c")),
    ]
    for target in "abcd":
        for source in "xyabcd":
            none = tape.gradient(tensors[target], tensors[source]) is None
            # `a` as a source is a tensor nobody watches: stop_gradient made it.
            if source != "a":
                assert none == (first_break(recording, target, source) is not None)


def test_a_target_that_no_step_made_is_named():
    recording = [Step(1, "a", ("x",)), Step(2, "loss", ("a",))]
    for function, rest in ((lines_behind, ()), (first_break, ("x",))):
        with pytest.raises(ValueError) as raised:
            function(recording, "los", *rest)
        assert str(raised.value) == (
            "`los` was asked for, and no step of this recording made it; they made a, loss. Pass "
            "the target's name as it stands in `made`. Lesson: whynone."
        )
    with pytest.raises(ValueError, match="they made nothing"):
        lines_behind([], "loss")


def test_a_program_that_does_not_exist_is_named():
    with pytest.raises(ValueError) as raised:
        diagnosis_of("gan")
    assert str(raised.value) == (
        "diagnosis_of('gan'): there is no program of this name. The five are nested, "
        "training_loop, second_order, state, symbolic. Lesson: whynone."
    )


def ask_the_tool(name):
    with whynone.explain(report=None) as found, contextlib.suppress(Exception):
        runpy.run_path(str(FOLDER / name))
    return found


def test_there_are_five_programs():
    assert {file.stem for file in (FOLDER / "programs").glob("*.py")} == PROGRAMS


@pytest.mark.parametrize("name", sorted(PROGRAMS))
def test_the_tool_gives_the_answers_of_the_exercise(name):
    found = ask_the_tool(f"programs/{name}.py")
    assert {(finding.cause, finding.line) for finding in found} == {diagnosis_of(name)}
    assert {finding.file for finding in found} == {str(FOLDER / f"programs/{name}.py")}


# The repair of the named line alone: the oracle that does not ask the tool.
REPAIRS = {
    "nested": ("model(images, training=False)", "model.layers[-1](model.layers[-2](features))"),
    "training_loop": ("slope = slope - rate * d_slope", "slope.assign_sub(rate * d_slope)"),
    "second_order": ("slope = inner", "    slope = inner"),
    "state": ("self.state.assign(new)", "return new"),
    "symbolic": (
        'gradient = tape.gradient(loss, model.get_layer("hidden").output)',
        "both = keras.Model(model.inputs, [hidden, outputs])\n"
        "with tf.GradientTape() as tape:\n"
        "    value, logits = both(x)\n"
        "    loss = loss_function(labels, logits)\n"
        "gradient = tape.gradient(loss, value)",
    ),
}


def repaired(name):
    before, after = REPAIRS[name]
    lines = (FOLDER / f"programs/{name}.py").read_text().splitlines()
    at = diagnosis_of(name)[1] - 1
    assert before in lines[at], "the repair is not in the line that the answer names"
    lines[at] = lines[at].replace(before, after)
    if name == "second_order":  # what uses the first gradient has to come along
        lines[at + 1] = "    " + lines[at + 1]
    return "\n".join(lines)


@pytest.mark.parametrize("name", sorted(PROGRAMS))
def test_a_repair_of_the_named_line_brings_the_gradient_back(name, capsys):
    names = {"__name__": "__main__"}
    with whynone.explain(report=None) as found:
        exec(repaired(name), names)
    assert found == []
    gradients = names.get("gradients", names.get("gradient", names.get("d_slope")))
    assert all(gradient is not None for gradient in tf.nest.flatten(gradients))
    assert "True" not in capsys.readouterr().out


def test_the_lesson_s_program_is_cut_at_lines_13_and_19():
    found = ask_the_tool("brighten.py")
    assert [(finding.cause, finding.line) for finding in found] == [
        ("not_differentiable", 13),
        ("left_tensorflow", 19),
    ]


# --- what the lesson's table says about exceptions ------------------------------------------


def words_of(cause):
    table = (FOLDER / "lesson.md").read_text()
    row = re.search(r"^\| 1\. Did it raise\? \| (.*?) \| (.*?) \|$", table, re.MULTILINE)
    parts = row[1].removeprefix("its message holds: ").split("; ")
    said = dict(zip(row[2].split("; "), parts, strict=True))
    return said[f"`{cause}`"].strip("`")


def model():
    inputs = keras.Input((2,))
    return keras.Model(inputs, keras.layers.Dense(1)(keras.layers.Dense(2)(inputs)))


def raises_symbolic():
    network = model()
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(network(np.ones((1, 2))))
    tape.gradient(loss, network.layers[1].output)


def raises_never_called():
    return keras.Sequential([keras.layers.Dense(1)]).output


def raises_disconnected_model():
    keras.Model(model().inputs, model().outputs)


def raises_spent_tape():
    x = tf.Variable(1.0)
    with tf.GradientTape() as tape:
        y = x * x
    tape.gradient(y, x)
    tape.gradient(y, x)


@pytest.mark.parametrize(
    "function",
    [raises_symbolic, raises_never_called, raises_disconnected_model, raises_spent_tape],
)
def test_the_words_by_which_an_exception_is_known(function):
    words = words_of(function.__name__.removeprefix("raises_"))
    with pytest.raises(Exception, match=re.escape(words)) as raised:
        function()
    assert words in str(raised.value)


def test_the_drop_in_tape_reports_and_changes_nothing(capsys):
    """What the lesson says about `whynone.GradientTape` beside the extension and `explain`."""
    x = tf.constant([1.5, 2.5])
    results = []
    for maker in (tf.GradientTape, whynone.GradientTape):
        with maker(persistent=True) as tape:
            tape.watch(x)
            y, z = tf.floor(x), x * x
        results.append((tape.gradient(y, x), tape.gradient(z, x).numpy().tolist()))
    assert results[0] == results[1] == (None, [3.0, 5.0])
    assert "floor passes no gradient on" in capsys.readouterr().err


def test_the_exercise_s_table_names_the_lines_as_the_tool_does():
    """Causes and lines of the exercise's table, beside the table in the package's docstring."""
    rows = re.compile(r"^\| ([^|]*?) \| ([^|]*?) \|$", re.MULTILINE)
    tool = {}
    for causes, line in rows.findall(whynone.__doc__):
        tool.update(dict.fromkeys(causes.replace("`", "").split(", "), line))
    exercise = (FOLDER / "exercise.md").read_text().split("| cause | its line |")[1]
    told = {}
    for causes, line in rows.findall(exercise.split("\n\n")[0]):
        told.update(dict.fromkeys(causes.replace("`", "").split(", "), line))
    told.pop("---")
    assert len(told) == 15 and set(told) <= set(tool)
    for cause, line in told.items():
        assert same_line(line, tool[cause]), (cause, line, tool[cause])


def same_line(ours, theirs):
    first, second = (set(re.findall(r"[a-z]{4,}", text.lower())) for text in (ours, theirs))
    return len(first & second) >= len(first) / 2


def test_the_programs_carry_no_marks():
    for file in (FOLDER / "programs").glob("*.py"):
        assert "#" not in file.read_text() and str(ROOT) not in file.read_text()
