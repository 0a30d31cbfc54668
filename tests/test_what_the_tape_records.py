"""The picture says what `tape.gradient` does, and listening changes nothing."""

# ruff: noqa: SIM117 (a tape's block inside record_tape reads as in the lessons)

import contextlib
import gc
import inspect
import itertools
import json
import pathlib
import re
import runpy
import weakref
import xml.etree.ElementTree as ET
from html import unescape

import keras
import numpy as np
import pytest
import tensorflow as tf
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from solutions.what_the_tape_records import (
    CAUSES,
    draw,
    gradient_is_none,
    record_tape,
    recorded_steps,
    walked_steps,
    watched_names,
)


@tf.custom_gradient
def doubled(x):
    return x * 2.0, lambda upstream: tf.convert_to_tensor(upstream) * 2.0


@tf.custom_gradient
def swallowed(x):
    return x * 2.0, lambda upstream: None


@tf.function
def traced(x):
    return tf.sin(x)


@tf.function
def traced_and_cut(x):
    return tf.stop_gradient(x) * 2.0


def as_float(x):
    return x if x.dtype == tf.float32 else tf.cast(x, tf.float32)


# Each takes two tensors of shape (2,) and gives one.
STEPS = {
    "multiply": lambda a, b: as_float(a) * as_float(b),
    "add": lambda a, b: as_float(a) + as_float(b),
    "sin": lambda a, b: tf.sin(as_float(a)),
    "reverse": lambda a, b: a[::-1],
    "halves": lambda a, b: tf.concat(tf.split(a, 2)[::-1], 0),
    "sorted": lambda a, b: tf.sort(a),
    "top_k": lambda a, b: tf.math.top_k(a, 2).values,
    "top_k_indices": lambda a, b: tf.math.top_k(a, 2).indices,
    "gather": lambda a, b: tf.gather(a, tf.argsort(b)),
    "where": lambda a, b: tf.where(as_float(a) > 0.0, as_float(a), as_float(b)),
    "to_int": lambda a, b: tf.cast(a, tf.int32),
    "round": lambda a, b: tf.round(as_float(a)),
    "stop": lambda a, b: tf.stop_gradient(a),
    "doubled": lambda a, b: doubled(as_float(a)),
    "swallowed": lambda a, b: swallowed(as_float(a)),
    "traced": lambda a, b: traced(as_float(a)),
    "traced_and_cut": lambda a, b: traced_and_cut(as_float(a)),
    "through_numpy": lambda a, b: tf.constant(a.numpy()),
    "identity": lambda a, b: tf.identity(a),
}
MOVES = st.one_of(
    st.tuples(st.sampled_from(sorted(STEPS)), st.integers(0, 4), st.integers(0, 8)),
    st.tuples(st.sampled_from(["multiply", "add"]), st.integers(0, 8), st.integers(0, 8)),
    st.tuples(st.just("watch"), st.integers(0, 8), st.integers(0, 1)),
    st.tuples(st.sampled_from(["stop_all", "reset"]), st.just(0), st.just(0)),
)
SIZES = ((0, 1), (4, 8), (1, 4), (0, 1))  # before, in the outer tape, in both, after
PARTS = st.tuples(*[st.lists(MOVES, min_size=low, max_size=high) for low, high in SIZES])


def run(parts, watched_at_once):
    """Play a random program around two nested persistent tapes; give back all it touched."""
    x, c = tf.constant([0.3, 1.7]), tf.constant([2.0, -1.0])
    w, frozen = tf.Variable([1.5, 0.5]), tf.Variable([0.7, 0.2], trainable=False)
    pool = [x, c, w, frozen]
    outer, inner = tf.GradientTape(persistent=True), tf.GradientTape(persistent=True)

    def value(n):
        thing = pool[-1 - n % len(pool)]  # mostly something new, so that chains grow
        return thing if isinstance(thing, tf.Tensor) else tf.convert_to_tensor(thing)

    def play(moves, active):
        for move, a, b in moves:
            if move in STEPS:
                pool.append(STEPS[move](value(a), value(b)))
            elif move == "watch" and active:
                active[b % len(active)].watch(pool[-1 - a % len(pool)])
            elif move == "reset" and active:
                active[-1].reset()
            elif move == "stop_all" and active:
                with active[-1].stop_recording():
                    pool.append(tf.cos(as_float(value(0))))

    play(parts[0], [])
    with outer:
        if watched_at_once:
            outer.watch(x)
        play(parts[1], [outer])
        with inner:
            inner.watch(x)
            play(parts[2], [outer, inner])
    play(parts[3], [])
    return pool, (outer, inner)


@settings(max_examples=50, deadline=None, derandomize=True,
          suppress_health_check=list(HealthCheck))  # fmt: skip
@given(PARTS, st.booleans())
def test_the_picture_is_intact_exactly_when_the_gradient_is_there(parts, at_once):
    with record_tape() as recording:
        pool, tapes = run(parts, at_once)
    targets = [t for t in pool[4:] if t.dtype == tf.float32]
    if not targets:
        return
    for target, source, tape in itertools.product(targets[-3:], pool[:3] + pool[-6:], tapes):
        there = tape.gradient(target, source) is not None
        try:
            picture = draw(recording, target, source, names={}, tape=tape)
        except ValueError as refused:
            assert "that no operation inside" in str(refused)
            assert not there or target is source
            continue
        assert picture.intact == there, picture.text
        assert (picture.cause is None) == there
        assert picture.text.count("\n") < 20
        ET.fromstring(picture.svg)


def broken(recording, tape, target, source, names=None):
    gradient = tape.gradient(target, source)
    picture = draw(recording, target, source, names=names)
    assert gradient is None and not picture.intact
    return picture


def test_unwatched_names_the_line_and_the_lesson():
    x = tf.constant(3.0)
    with record_tape() as recording:
        with tf.GradientTape() as tape:
            y = x * x
    picture = broken(recording, tape, y, x, {"x": x, "y": y})
    assert picture.cause == "unwatched"
    assert picture.text.splitlines() == [
        "The path from x to y breaks at `y = x * x`: nothing it uses is watched. "
        "tape.gradient(y, x) gives None.",
        "Call `tape.watch` on the source before this line. Lesson: unwatched_tensor.",
        "1. source: x; tensor () float32; not watched.",
        "2. target: y = x * x; * gives () float32; not recorded: nothing it uses is watched; "
        "uses 1 (broken link).",
    ]


def test_watched_late_outside_and_stopped_are_told_apart():
    x = tf.constant(3.0)
    with record_tape() as recording:
        with tf.GradientTape(persistent=True) as tape:
            late = x * 2.0
            tape.watch(x)
            y = x * x
            with tape.stop_recording():
                stopped = y + 1.0
        outside = y + 2.0
    for target, cause in ((late, "watched_late"), (stopped, "recording_stopped"),
                          (outside, "outside_tape")):  # fmt: skip
        assert broken(recording, tape, target, x).cause == cause
    assert "watched too late" in draw(recording, late, x).text
    assert draw(recording, y, x).intact


def test_a_late_watch_is_in_time_for_a_line_recorded_for_another_reason():
    x, w = tf.constant(3.0), tf.Variable(2.0)
    with record_tape() as recording:
        with tf.GradientTape() as tape:
            y = x * w
            tape.watch(x)
    assert tape.gradient(y, x) == 2.0
    assert draw(recording, y, x).intact


def test_a_watch_between_gives_a_part_of_the_gradient_and_the_picture_says_which():
    x, w = tf.constant(3.0), tf.Variable(2.0)
    with record_tape() as recording:
        with tf.GradientTape() as tape:
            square = x * x
            y = x * w + square
            tape.watch(x)
    assert tape.gradient(y, x) == 2.0  # not 8: the square was never recorded
    picture = draw(recording, y, x)
    assert picture.intact and picture.text.splitlines()[1] == (
        "Another way breaks at `square = x * x`: `tape.watch` came after this line. The gradient "
        "leaves that part out."
    )


def test_a_tape_keeps_a_recorded_operations_inputs_until_it_has_answered():
    for persistent, watched, kept in ((False, True, [True, False, False]),
                                      (True, True, [True, True, False]),
                                      (False, False, [False, False, False])):  # fmt: skip
        x = tf.constant(3.0)
        with tf.GradientTape(persistent=persistent) as tape:
            if watched:
                tape.watch(x)
            h = x * 2.0
            y = h * h
        look = weakref.ref(h)
        del h
        seen = [look() is not None]
        tape.gradient(y, x)
        seen.append(look() is not None)
        del tape
        seen.append(look() is not None)
        assert seen == kept


def test_what_passes_no_gradient_on_is_named():
    x, w = tf.constant([3.0, 1.0]), tf.Variable(1.0)
    state, frozen = tf.Variable(1.0), tf.Variable(2.0, trainable=False)
    with record_tape() as recording:
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            cases = {
                "not_differentiable": tf.round(x) * w,
                "integer_dtype": tf.cast(tf.cast(x, tf.int32), tf.float32) * w,
                "stop_gradient": tf.stop_gradient(x) * w,
                "variable_state": state.assign(tf.reduce_sum(x)) * 2.0,
                "no_path": tf.constant(x.numpy()) * w,
                "custom_gradient": swallowed(x) * w,
            }
            first = x[0]
            unregistered = tf.unique(x).y * w
            fixed = frozen * w
    for cause, target in cases.items():
        assert broken(recording, tape, target, x).cause == cause
    assert broken(recording, tape, fixed, frozen).cause == "non_trainable"
    assert broken(recording, tape, cases["stop_gradient"], first).cause == "derived_source"
    assert draw(recording, unregistered, x).cause == "unregistered_gradient"
    with pytest.raises(LookupError):
        tape.gradient(unregistered, x)


def test_two_calls_of_a_layer_are_told_from_a_source_made_by_the_way():
    first, last = keras.layers.Dense(2, name="first"), keras.layers.Dense(1, name="last")
    lstm = keras.layers.LSTM(2, return_state=True, unroll=True, name="lstm")
    x = tf.ones((1, 2))
    with record_tape() as recording:
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            hidden = first(x)
            side = first(x)[0]
            other = last(first(x))
            _, h, c = lstm(x[None])
            row = x[0]
    cases = [(other, hidden, "other_call"), (other, side, "derived_source"),
             (other, row, "derived_source"), (h, hidden, "derived_source"),
             (c, h, "derived_source")]  # fmt: skip
    for target, source, cause in cases:
        picture = broken(recording, tape, target, source)
        assert picture.cause == cause
        assert picture.text.splitlines()[1].endswith("Lesson: outside_the_tape.")


def test_a_line_recorded_for_other_inputs_is_not_said_to_use_nothing_watched():
    x, w = tf.constant(3.0), tf.Variable(2.0)
    with record_tape() as recording:
        with tf.GradientTape(persistent=True) as tape:
            y = x * w
    picture = broken(recording, tape, y, x, {"x": x, "y": y})
    assert picture.cause == "unwatched"
    assert "at `y = x * w`: recorded for other inputs; x is not watched." in picture.text
    assert "* gives () float32; recorded for other inputs; x is not watched;" in picture.text
    assert "other inputs; the source is not" in broken(recording, tape, y, x, {}).text


def test_every_output_of_an_operation_is_followed():
    x = tf.constant([1.0, 2.0])
    with record_tape() as recording:
        with tf.GradientTape() as tape:
            tape.watch(x)
            _, high = tf.split(x, 2)
            y = high * 3.0
    assert tape.gradient(y, x) is not None
    assert draw(recording, y, x).intact


def test_a_spent_tape_and_a_persistent_one():
    x = tf.constant(3.0)
    with record_tape() as recording:
        for persistent in (False, True):
            with tf.GradientTape(persistent=persistent) as tape:
                tape.watch(x)
                y = x * x
            tape.gradient(y, x)
            if not persistent:
                spent = y
        tape.gradient(y, x)
    assert "This tape is spent" in draw(recording, spent, x).text
    assert "was called 2 times and may be called again" in draw(recording, y, x).text


def test_second_order_is_seen_by_the_outer_tape():
    x = tf.constant(3.0)
    with record_tape() as recording:
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = x * x * x
            dx = inner.gradient(y, x)
        assert outer.gradient(dx, x) == 18.0
    assert draw(recording, dx, x).intact
    assert not draw(recording, dx, x, tape=inner).intact


def test_a_model_is_one_box_a_layer_and_long_ones_are_shortened():
    x = tf.ones((2, 3))
    layers = [keras.layers.Dense(3, activation="relu", name=f"d{n}") for n in range(20)]
    model = keras.Sequential([keras.Input((3,)), *layers])
    with record_tape() as recording:
        with tf.GradientTape() as tape:
            tape.watch(x)
            loss = tf.reduce_mean(model(x))
    picture = draw(recording, loss, x)
    assert picture.intact and tape.gradient(loss, x) is not None
    assert "2. d0 (layer); matmul, bias_add, relu gives (2, 3) float32; recorded" in picture.text
    steps = [line for line in picture.text.splitlines() if re.match(r"\d+\. ", line)]
    assert len(steps) <= 12
    # 20 layers and the mean are 21 steps; what is not drawn is counted.
    assert f"\N{HORIZONTAL ELLIPSIS} {21 - (len(steps) - 2)} more steps" in picture.text


@pytest.mark.parametrize("used", [0, 1])
def test_of_several_outputs_the_picture_shows_the_one_that_goes_on(used):
    x = tf.reshape(tf.range(6.0), (2, 3))
    with record_tape() as recording:
        with tf.GradientTape() as tape:
            tape.watch(x)
            parts = tf.split(x, [1, 2], axis=1)  # of shapes (2, 1) and (2, 2)
            y = tf.reduce_sum(parts[used])
            logits = tf.nn.sparse_softmax_cross_entropy_with_logits([0, 2], x)
    assert f"split_v gives (2, {used + 1}) float32" in draw(recording, parts[used], x).text
    assert f"split_v gives (2, {used + 1}) float32" in " ".join(
        words for _, _, _, words in story(draw(recording, y, x))
    ).replace("\N{RIGHTWARDS ARROW}", "gives")
    # Its second output is meant for the backward pass and has the logits' shape.
    assert "_with_logits gives (2,) float32" in draw(recording, logits, x).text
    assert logits.shape == tape.gradient(logits, x).shape[:1]


def test_a_function_is_one_box_with_its_name():
    x = tf.constant([1.0, 2.0])
    with record_tape() as recording:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = traced(x)
    picture = draw(recording, y, x)
    assert "tf.function traced" in picture.text
    assert picture.intact and tape.gradient(y, x) is not None


def test_the_svg_is_the_same_every_time_and_says_what_the_text_says():
    pictures = []
    for _ in range(2):
        x = tf.constant([1.0, 2.0])
        with record_tape() as recording:
            with tf.GradientTape() as tape:
                tape.watch(x)
                small = x < 2.0
                y = tf.where(small, x, -x)
            z = y & y if y.dtype == tf.bool else y + 1.0
        pictures.append((draw(recording, z, x), recording.to_dict()))
    assert pictures[0] == pictures[1]
    picture, plain = pictures[0]
    assert json.loads(json.dumps(plain))["ops"][0]["code"] == "small = x < 2.0"
    root = ET.fromstring(picture.svg)
    tag = "{http://www.w3.org/2000/svg}"
    assert root.get("role") == "img" and float(root.get("width")) <= 760
    assert root.find(f"{tag}title").text == picture.text.splitlines()[0]
    assert root.find(f"{tag}desc").text == picture.text
    assert picture._repr_mimebundle_() == {
        "image/svg+xml": picture.svg, "text/plain": picture.text}  # fmt: skip
    assert str(picture) == picture.text and "0x" not in picture.svg
    assert tape.gradient(z, x) is None


def test_a_recording_as_plain_data():
    x = tf.constant([1.0, 2.0])
    with record_tape() as recording, tf.GradientTape() as tape:
        tape.watch(x)
        x * 2.0
    plain = json.loads(json.dumps(recording.to_dict()))
    tensor = {"dtype": "float32", "variable": False, "name": ""}
    shapes = ([2], [], [2])
    assert plain["tensors"] == [{"number": n, "shape": s, **tensor} for n, s in enumerate(shapes)]
    assert plain["watches"] == [{"tensor": 0, "tape": 0, "at": 0, "explicit": True}]
    tape = {"persistent": False, "entered_at": 0, "exited_at": 1, "gradient_calls": 0}
    assert plain["tapes"] == [tape]
    (op,) = plain["ops"]
    assert op.pop("line") > 0
    assert op == {
        "kind": "Mul", "inputs": [0, 1], "outputs": [2], "code": "x * 2.0", "layer": "",
        "tapes": {"0": "recorded"}, "watched": {"0": [True, False]}, "passes": [True, True],
        "registered": True, "custom": False,
    }  # fmt: skip


def test_a_variable_without_a_word_keeps_its_own_name():
    v = tf.Variable(2.0, name="slope")
    with record_tape() as recording, tf.GradientTape():
        y = v * 3.0
    assert draw(recording, y, v, names={"y": y}).text.startswith("The path from slope to y is")
    (known,) = [tensor for tensor in recording.tensors if tensor.variable]
    assert (known.name, known.shape, known.dtype) == ("slope", (), "float32")


def test_a_tape_entered_before_the_recording_is_seen_from_its_first_call_on():
    x = tf.constant(3.0)
    with tf.GradientTape() as tape, record_tape() as recording:
        x * x
        tape.watch(x)
        y = x * x
    assert draw(recording, y, x).intact
    assert [found.entered_at for found in recording.tapes] == [1]


def test_listening_changes_no_value_and_leaves_nothing_behind():
    def work():
        keras.utils.set_random_seed(3)
        layers = [keras.layers.Dense(4), keras.layers.Dropout(0.5)]
        model = keras.Sequential([keras.Input((3,)), *layers])
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(model(tf.ones((2, 3)), training=True) ** 2)
        return [loss.numpy(), *[g.numpy() for g in tape.gradient(loss, model.trainable_variables)]]

    from tensorflow.python import pywrap_tfe
    from tensorflow.python.eager import record

    before = dict(tf.GradientTape.__dict__), dict(vars(record)), dict(vars(pywrap_tfe))
    plain = work()
    with record_tape():
        listened = work()
    for a, b in zip(plain, listened, strict=True):
        np.testing.assert_array_equal(a, b)
    with pytest.raises(ZeroDivisionError), record_tape(), tf.GradientTape():
        raise ZeroDivisionError
    after = dict(tf.GradientTape.__dict__), dict(vars(record)), dict(vars(pywrap_tfe))
    assert before == after
    with record_tape() as recording:
        pass
    tf.constant(1.0) + 1.0
    assert recording.ops == []


def test_no_tensor_is_kept_alive():
    with record_tape():
        with tf.GradientTape() as tape:
            y = tf.ones((3,)) * 2.0
        gone = weakref.ref(y)
        del y
        gc.collect()
        assert gone() is None
    dead = weakref.ref(tape)
    del tape
    gc.collect()
    assert dead() is None


def test_a_users_gradient_function_is_not_called_by_listening():
    calls = []

    @tf.custom_gradient
    def counted(x):
        return x * 2.0, lambda upstream: calls.append(1) or upstream

    x = tf.constant(1.0)
    with record_tape():
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = counted(x)
        assert calls == []
        tape.gradient(y, x)
    assert calls == [1]


def test_causes_are_the_projects_vocabulary():
    solutions = pathlib.Path(inspect.getfile(draw)).parent
    vocabulary = runpy.run_path(str(solutions / "whynone" / "vocabulary.py"))
    assert set(CAUSES) <= set(vocabulary["CAUSES"])


@contextlib.contextmanager
def refused(error, match):
    with pytest.raises(error, match=match) as caught:
        yield
    assert str(caught.value).rstrip().endswith(" Lesson: what_the_tape_records.")


def test_wrong_use_says_what_to_do():
    x, stranger = tf.constant(1.0), tf.constant(2.0)
    with record_tape() as recording:
        with refused(RuntimeError, match="inside another `record_tape"), record_tape():
            pass
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * x
    with refused(ValueError, match=r"a target of shape \(\)"):
        draw(recording, stranger, x)
    with refused(ValueError, match=r"a source of shape \(\)"):
        draw(recording, y, stranger)
    with refused(TypeError, match=r"numpy\.float32 as target"):
        draw(recording, y.numpy(), x)
    with refused(TypeError, match="KerasTensor as source"):
        draw(recording, y, keras.Input((2,)))
    with refused(ValueError, match="a tape that was not used"):
        draw(recording, y, x, tape=tf.GradientTape())
    with record_tape() as empty:
        pass
    with refused(ValueError, match="recording without operations"):
        draw(empty, y, x)
    with record_tape() as tapeless:
        z = x + 1.0
    with refused(ValueError, match="1 operations and no tape"):
        draw(tapeless, z, x)

    @tf.function
    def inside():
        with record_tape():
            pass

    with refused(RuntimeError, match=r"inside a tf\.function"):
        inside()


def test_a_tensorflow_without_the_private_modules_is_named_and_nothing_stays_open(monkeypatch):
    from tensorflow.python.eager import core

    with monkeypatch.context() as without:
        without.delattr(core, "_FallbackException")
        with pytest.raises(RuntimeError) as caught, record_tape():
            pass
    assert str(caught.value) == (
        f"`record_tape()` found no way to listen to TensorFlow {tf.__version__}: module "
        "'tensorflow.python.eager.core' has no attribute '_FallbackException'. It uses private "
        "modules that exist in TensorFlow 2.16 to 2.21. Install one of these. "
        "Lesson: what_the_tape_records."
    )
    with record_tape() as recording:
        tf.constant(1.0) + 1.0
    assert len(recording.ops) == 1


# --- the rule, against tapes --------------------------------------------------------------

NAMES = ("x", "w", "c", "s0", "s1", "s2", "s3", "s4", "s5")
PROGRAMS = st.lists(
    st.lists(st.integers(0, 20), min_size=1, max_size=3), min_size=1, max_size=6
).map(lambda rows: [(f"s{n}", [NAMES[i % (3 + n)] for i in row]) for n, row in enumerate(rows)])


def play_steps(steps, watched):
    """Run a program of names with a real tape: its tensors, the tape, and which steps it walks."""
    walked = []

    def step(name):
        @tf.custom_gradient
        def add(*parts):
            def back(upstream):
                walked.append(name)
                return [upstream] * len(parts)

            return tf.add_n(parts), back

        return add

    values = {name: tf.constant(float(n + 1)) for n, name in enumerate(NAMES[:3])}
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([values[name] for name in watched])
        for result, inputs in steps:
            values[result] = step(result)(*[values[name] for name in inputs])
    return values, tape, walked


@settings(max_examples=60, deadline=None, derandomize=True)
@given(PROGRAMS, st.lists(st.sampled_from(NAMES[:3]), unique=True))
def test_the_rule_agrees_with_a_tape(steps, watched):
    with record_tape() as recording:
        values, tape, walked = play_steps(steps, watched)
    names = {recording._numbers.get(value._id): name for name, value in values.items()}
    real = [names[op.outputs[0]] for op in recording.ops
            if op.custom and op.tapes[0] == "recorded"]  # fmt: skip
    assert recorded_steps(steps, watched) == real
    target = steps[-1][0]
    for source in values:
        if source != target:
            there = tape.gradient(values[target], values[source]) is not None
            assert gradient_is_none(steps, watched, target, source) is not there
    walked.clear()
    tape.gradient(values[target], values["x"])
    assert sorted(walked_steps(steps, watched, target)) == sorted(walked)


def test_the_walk_begins_at_the_target_and_leaves_out_what_is_not_behind_it():
    steps = [("a", ["x"]), ("b", ["w"]), ("side", ["a"]), ("y", ["a", "b"]), ("after", ["y"])]
    assert recorded_steps(steps, ["x", "w"]) == ["a", "b", "side", "y", "after"]
    assert walked_steps(steps, ["x", "w"], "y") == ["y", "b", "a"]
    assert walked_steps(steps, ["x"], "y") == ["y", "a"]
    assert walked_steps(steps, [], "y") == walked_steps(steps, ["x"], "x") == []
    assert not gradient_is_none(steps, ["x"], "y", "a")
    assert gradient_is_none(steps, ["w"], "y", "a")
    assert gradient_is_none(steps, ["x"], "side", "b")


def test_watched_names_are_those_of_the_trainable_variables_that_were_read():
    b, a = tf.Variable(1.0, name="b"), tf.Variable(2.0, name="a")
    unread, frozen = tf.Variable(1.0, name="unread"), tf.Variable(1.0, False, name="frozen")
    assert watched_names(lambda: b * a + b * frozen) == ["a:0", "b:0"]
    assert watched_names(lambda: unread.shape) == []
    x = tf.constant(1.0)
    with tf.GradientTape() as tape:
        tape.watch([x, frozen])
    assert [v.name for v in tape.watched_variables()] == ["frozen:0"]  # a tensor is never there
    layer = keras.layers.Dense(1, name="d")
    layer.build((None, 2))
    layer.trainable = False
    assert watched_names(lambda: layer(tf.ones((1, 2)))) == ["d/bias:0", "d/kernel:0"]


def test_the_rule_says_what_it_cannot_read():
    lesson = " Lesson: what_the_tape_records."
    with pytest.raises(TypeError) as caught:
        watched_names(tf.constant(1.0))
    assert str(caught.value) == (
        "watched_names(function) got a EagerTensor, which was computed before any tape could "
        "listen. Give it the computation itself, as a function without arguments: "
        "watched_names(lambda: model(x))." + lesson
    )
    with pytest.raises(TypeError) as caught:
        recorded_steps([("y", "xw")], ["x"])
    assert str(caught.value) == (
        "The step 'y' has the string 'xw' as its inputs, which Python reads letter by letter. "
        "Write a list of names: ('y', ['xw'])." + lesson
    )
    for steps in ([("x", ["w"])], [("y", ["w"]), ("y", ["w"])], [("w", ["w"])]):
        with pytest.raises(ValueError) as caught:
            walked_steps(steps, ["x"], "y")
        assert str(caught.value) == (
            f"The step {steps[-1][0]!r} has the name of something that was there before. To a tape "
            "these are two tensors, whatever Python calls them. Give the new one a name of its own."
            + lesson
        )
    with pytest.raises(ValueError) as caught:
        gradient_is_none([("y", ["x"])], ["x"], "x", "x")
    assert str(caught.value) == (
        "gradient_is_none: target and source are both 'x'. By itself everything has the gradient "
        "1, recorded or not, so this says nothing about a tape. Name the tensor that the target "
        "was computed from." + lesson
    )
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        pass
    assert tape.gradient(x, x) == 1.0  # as the message says


def story(picture):
    """The steps that a picture carries for a page."""
    return json.loads(unescape(re.search("<metadata>(.*?)</metadata>", picture.svg)[1]))


def test_the_steps_of_an_intact_picture_are_the_recording_and_its_way_back():
    w, x = tf.Variable([[1.0, 2.0], [3.0, 4.0]]), tf.constant([[1.0, 2.0]])
    with record_tape() as recording, tf.GradientTape():
        h = tf.matmul(x, w)
        y = tf.reduce_sum(h**2)
    steps = story(draw(recording, y, w))
    words = [op.word for op in recording.ops]
    forward = [text.split(" ")[0] for kind, _, _, text in steps if kind == "recorded"]
    back = [text for kind, _, _, text in steps if kind == "back"]
    # A chain: what ran forward is walked in the opposite order.
    assert forward == words and back == words[::-1]
    middle = steps[len(words)]
    assert middle[0] == "asked" and middle[3] == "tape.gradient(y, w)"
    assert steps[-1][0] == "arrived" and steps[-1][3].endswith("gives a tensor.")
    lines = [code for kind, _, code, _ in steps if kind == "recorded"]
    assert lines[-1] == "y = tf.reduce_sum(h**2)"  # as it stands above


def test_the_steps_of_a_broken_picture_end_where_the_chain_breaks():
    w, x = tf.Variable([[1.0, 2.0], [3.0, 4.0]]), tf.constant([[1.0, 2.0]])
    with record_tape() as recording, tf.GradientTape():
        h = tf.matmul(x, w)
        y = tf.reduce_sum(tf.stop_gradient(h) * 2.0)
    steps = story(draw(recording, y, w))
    assert [kind for kind, *_ in steps][-2:] == ["asked", "lost"]  # nothing to walk back through
    assert next(text for kind, _, _, text in steps if kind == "passed by").startswith(
        "stop_gradient → (1, 2) float32: `stop_gradient` ends the path"
    )
    assert steps[-1][2] == "y = tf.reduce_sum(tf.stop_gradient(h) * 2.0)"
    steps = story(draw(recording, h, x))  # recorded for w: the walk comes as far as the matmul
    assert [text for kind, _, _, text in steps if kind == "back"] == ["matmul"]
    assert steps[-1][0] == "lost" and steps[-1][3].endswith("gives None.")
