"""not_differentiable: surrogates against hand derivatives; the recorded table, asked again."""

import json

import keras
import numpy as np
import pytest
import tensorflow as tf
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from tensorflow.python.framework.ops import gradient_registry

from solutions.data_files import DATA, read_file, read_record
from solutions.not_differentiable import (
    LESSON,
    VERDICTS,
    gradient_straight_through,
    one_hot_choice,
    soft_f1,
    soft_f1_and_gradient,
    straight_through,
    tape_verdict,
)
from tests import record_op_gradients as recorder

numbers = st.floats(-50, 50, width=32)
points = arrays(np.float64, array_shapes(max_dims=3, max_side=4), elements=numbers)
shares = st.floats(0.0625, 1, width=32)

# --- tape_verdict -------------------------------------------------------------------------

VERDICT = {  # function, x, verdict
    "a value": (tf.exp, [0.0], "value"),
    "a value in one entry only": (lambda x: x[1], [1.0, 2.0, 3.0], "value"),
    "a negative value": (tf.negative, [1.0], "value"),
    "a value of several shapes": (lambda x: tf.tile(x, [3]), [1.0, 2.0], "value"),
    "a lookup's gradient": (lambda x: tf.gather(x, [0]), [1.0, 2.0], "value"),
    "zeros by a rule": (tf.sign, [1.0, -2.0], "zeros"),
    "zeros in a lookup": (lambda x: 0.0 * tf.gather(x, [0]), [1.0, 2.0], "zeros"),
    "no way": (tf.round, [1.0], "None"),
    "a constant": (lambda x: tf.constant(1.0), [1.0], "None"),
    "a plain number": (lambda x: 3.0, [1.0], "None"),
    "an integer": (tf.argmax, [1.0, 2.0], "None"),
    "a boolean": (lambda x: x > 0, [1.0, 2.0], "None"),
    "no rule": (lambda x: tf.unique(x).y, [1.0, 2.0], "LookupError"),
    "NaN": (lambda x: tf.sqrt(x * x), [0.0, 1.0], "NaN"),
    "inf": (tf.sqrt, [0.0, 1.0], "inf"),
    "minus infinity": (lambda x: -tf.sqrt(x), [0.0, 1.0], "inf"),
    "NaN beside inf": (
        lambda x: tf.sqrt(x[0]) + tf.sqrt(x[1] * x[1]),
        [0.0, 0.0],
        "NaN",
    ),
    "another precision": (lambda x: tf.cast(x, tf.float16), [1.0], "value"),
}


@pytest.mark.parametrize("name", VERDICT)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_each_verdict(name, dtype):
    function, x, verdict = VERDICT[name]
    assert tape_verdict(function, tf.constant(x, dtype)) == verdict
    assert verdict in VERDICTS


def test_arrays_variables_and_complex_sources_have_verdicts():
    assert tape_verdict(tf.exp, np.array([1.0])) == "value"
    assert tape_verdict(tf.exp, tf.Variable([1.0])) == "value"
    assert tape_verdict(tf.math.real, tf.constant([1 + 2j])) == "value"


def test_integers_have_no_verdict():
    with pytest.raises(TypeError, match=r"^tape_verdict: the source has dtype int32 and shape"):
        tape_verdict(tf.exp, tf.constant([1]))


def test_other_errors_are_not_hidden():
    with pytest.raises(ZeroDivisionError):
        tape_verdict(lambda x: 1 / 0, tf.constant([1.0]))
    with pytest.raises(KeyError):  # a LookupError, but of the function itself
        tape_verdict(lambda x: {}["x"], tf.constant([1.0]))


# --- straight_through, gradient_straight_through ------------------------------------------

HARD = {
    "round": (tf.round, np.round),
    "sign": (tf.sign, np.sign),
    "threshold": (lambda x: x > 0.5, lambda x: (x > 0.5).astype(float)),
    "integer": (lambda x: tf.cast(x, tf.int32), np.trunc),
    "square, which has a slope": (tf.square, np.square),
    "an array": (lambda x: np.floor(x), np.floor),
}


@pytest.mark.parametrize("name", HARD)
@given(x=points)
def test_the_value_is_the_functions_and_the_slope_is_one(name, x):
    function, by_numpy = HARD[name]
    tensor = tf.constant(x)
    with tf.GradientTape() as tape:
        tape.watch(tensor)
        value = straight_through(function, tensor)
        target = tf.sin(value)
    np.testing.assert_array_equal(value, by_numpy(x))
    assert value.dtype == tf.float64
    np.testing.assert_allclose(tape.gradient(target, tensor), np.cos(by_numpy(x)), atol=1e-12)


@pytest.mark.parametrize("name", HARD)
@given(x=points)
def test_gradient_straight_through_is_the_tails_slope_where_the_value_was_taken(name, x):
    function, by_numpy = HARD[name]
    value, gradient = gradient_straight_through(function, tf.sin, x)
    np.testing.assert_allclose(value, np.sin(by_numpy(x)), atol=1e-12)
    np.testing.assert_allclose(gradient, np.cos(by_numpy(x)), atol=1e-12)
    assert gradient.shape == x.shape and gradient.dtype == tf.float64


def test_in_a_graph_too():
    @tf.function
    def slope(x):
        return gradient_straight_through(tf.round, tf.square, x)

    value, gradient = slope(tf.constant([0.2, 1.7]))
    np.testing.assert_array_equal(value, [0, 4])
    np.testing.assert_array_equal(gradient, [0, 4])


@pytest.mark.parametrize(
    "call", [straight_through, lambda f, x: gradient_straight_through(f, f, x)]
)
def test_another_shape_is_refused(call):
    with pytest.raises(ValueError) as caught:
        call(tf.argmax, tf.ones((2, 3)))
    assert str(caught.value) == (
        "straight_through(function, x): function(x) has the shape (3,) for an x of shape (2, 3). "
        "Its gradient is handed on entry by entry, so the shapes must agree. Use a function that "
        "keeps the shape: tf.one_hot of the argmax instead of the argmax, for instance. "
        f"{LESSON}"
    )
    with pytest.raises(TypeError, match=r"^straight_through: the source has dtype int32"):
        call(tf.identity, tf.constant([1]))


# --- one_hot_choice -----------------------------------------------------------------------


@given(arrays(np.float64, st.tuples(st.integers(1, 3), st.integers(1, 4)), elements=numbers))
def test_the_largest_is_chosen_and_the_softmax_lends_its_slope(logits):
    weights = np.cos(np.arange(logits.size)).reshape(logits.shape)
    tensor = tf.constant(logits)
    with tf.GradientTape() as tape:
        tape.watch(tensor)
        choice = one_hot_choice(tensor)
        target = tf.reduce_sum(choice * weights)
    np.testing.assert_array_equal(choice, np.eye(logits.shape[1])[logits.argmax(axis=1)])
    power = np.exp(logits - logits.max(axis=1, keepdims=True))
    p = power / power.sum(axis=1, keepdims=True)
    by_hand = p * (weights - (p * weights).sum(axis=1, keepdims=True))
    np.testing.assert_allclose(tape.gradient(target, tensor), by_hand, atol=1e-12)


def test_a_choice_keeps_shape_and_dtype_and_takes_the_first_of_equals():
    for dtype in ("float16", "float32", "float64"):
        choice = one_hot_choice(tf.zeros((2, 1, 3), dtype))
        assert choice.dtype == dtype
        np.testing.assert_array_equal(choice, [[[1, 0, 0]], [[1, 0, 0]]])
    np.testing.assert_array_equal(one_hot_choice(np.array([1.0, 3.0])), [0, 1])
    # the softmax rounds these two to the same number; the logits still differ
    np.testing.assert_array_equal(one_hot_choice([200.0, -200.0, -199.0]), [1, 0, 0])
    np.testing.assert_array_equal(one_hot_choice(tf.constant([1.0, 1.0 + 1.2e-7])), [0, 1])
    with pytest.raises(TypeError, match=r"^one_hot_choice: the source has dtype int64"):
        one_hot_choice(np.array([1, 2]))


# --- soft_f1 ------------------------------------------------------------------------------


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1))
def test_of_decisions_it_is_the_f1_score(pairs):
    hits = sum(truth and guess for truth, guess in pairs)
    alarms = sum(guess and not truth for truth, guess in pairs)
    missed = sum(truth and not guess for truth, guess in pairs)
    if hits:
        precision, recall = hits / (hits + alarms), hits / (hits + missed)
        expected = 2 * precision * recall / (precision + recall)
    else:
        expected = 0.0
    truth, guess = np.array(pairs).T
    np.testing.assert_allclose(soft_f1(truth, guess.astype(float)), expected, atol=1e-12)


@given(st.lists(st.tuples(st.integers(0, 1), shares), min_size=1, max_size=6))
def test_its_gradient_equals_finite_differences(pairs):
    truth = np.array([t for t, _ in pairs])
    p = np.array([float(p) for _, p in pairs])

    def score(p):
        return 2 * (truth * p).sum() / (truth.sum() + p.sum())

    seen, gradient = soft_f1_and_gradient(truth, tf.constant(p))
    np.testing.assert_allclose(seen, score(p), atol=1e-12)
    step = 1e-6
    moved = [(score(p + m) - score(p - m)) / (2 * step) for m in step * np.eye(p.size)]
    np.testing.assert_allclose(gradient, moved, rtol=1e-3, atol=1e-4 / p.sum())
    assert seen.dtype == gradient.dtype == tf.float64 and gradient.shape == p.shape


def test_nothing_to_find_and_nothing_found_is_zero():
    score, gradient = soft_f1_and_gradient([0, 0], tf.zeros(2))
    assert float(score) == 0 and gradient.numpy().tolist() == [0, 0]
    assert soft_f1([0.0], np.zeros(1, np.float16)).dtype == tf.float16


@pytest.mark.parametrize("call", [soft_f1, soft_f1_and_gradient])
def test_labels_and_shapes_are_refused(call):
    with pytest.raises(TypeError) as caught:
        call([0, 1], tf.argmax([[1.0, 2.0], [2.0, 1.0]], axis=1))
    assert str(caught.value) == (
        "soft_f1(truth, probability): probability has dtype int64. Labels that were already chosen "
        "have no gradient. Pass the model's probabilities, as they are before the threshold or the "
        f"argmax. {LESSON}"
    )
    with pytest.raises(ValueError) as caught:
        call(tf.ones((3,)), tf.ones((3, 1)))
    assert str(caught.value) == (
        "soft_f1(truth, probability) got the shapes (3,) and (3, 1). They would be broadcast, and "
        "each truth counted several times. Reshape one of them: tf.reshape(truth, "
        f"probability.shape). {LESSON}"
    )


# --- the recorded table -------------------------------------------------------------------

ON_PURPOSE = {  # a gradient that is no slope of the value, by design
    "tf.grad_pass_through(tf.round)(x)",
    "tf.quantization.fake_quant_with_min_max_args(x)",
    "tf.quantization.quantize_and_dequantize_v2(x)",
}
OTHER_PATH = {  # the derivative of the sample at fixed quantile, not at fixed random numbers
    "tf.random.gamma([], alpha=x)",
}
LONGER_STEP = {"tf.cast(x, tf.float16)": 1 / 8}  # its value is rounded to three digits


@pytest.fixture(scope="module")
def table():
    return read_record("op_gradients.json")


def test_a_tape_still_gives_what_was_recorded(table):
    assert table["tensorflow"] == tf.__version__ and table["keras"] == keras.__version__
    assert table["inputs"] == recorder.INPUTS
    seen = {row["op"]: row for row in recorder.rows()}
    assert {row["op"]: row for row in table["ops"]} == seen


def test_the_table_is_large_sorted_and_uses_known_words(table):
    names = [row["op"] for row in table["ops"]]
    assert len(names) >= 100 and names == sorted(set(names))
    assert {row["gives"] for row in table["ops"]} == set(VERDICTS)
    assert {row["at"] for row in table["ops"]} == set(table["inputs"])
    assert recorder.as_text(table).encode() == read_file("op_gradients.json")
    assert json.loads(recorder.as_text(table)) == table


def test_the_readme_of_data_knows_the_file(table):
    readme = (DATA / "README.md").read_text(encoding="utf-8")
    assert f"{len(table['ops'])} common operations" in readme


def test_every_recorded_value_is_the_slope_that_finite_differences_find(table):
    for row in table["ops"]:
        if row["gives"] not in ("value", "zeros") or row["op"] in OTHER_PATH:
            continue
        function = recorder.repeatable(row["op"], recorder.OPERATIONS[row["at"]][row["op"]])
        x = np.array(table["inputs"][row["at"]])
        way = np.sin(1.0 + np.arange(x.size).reshape(x.shape))
        if row["at"] == "matrix":  # some take a symmetric matrix, and read one half of it
            way = way + way.T
        tensor, step = tf.constant(x, tf.float32), LONGER_STEP.get(row["op"], 1 / 128)
        with tf.GradientTape() as tape:
            tape.watch(tensor)
            value = function(tensor)
        by_tape = np.sum(np.asarray(tf.convert_to_tensor(tape.gradient(value, tensor))) * way)
        up, down = (
            np.sum(np.asarray(function(tf.constant(x + s * way, tf.float32)), np.float64))
            for s in (step, -step)
        )
        slope = (up - down) / (2 * step)
        off = abs(by_tape - slope) / max(0.1, abs(slope))
        if row["op"] in ON_PURPOSE or row["op"] == "tf.py_function(np.square, [x], …)":
            assert off > 0.1, row
        else:
            assert off < 0.03, (row, by_tape, slope)


def test_what_moves_is_told_from_what_stands_still():
    x = np.array([0.25, 1.25])
    assert recorder.moves(tf.exp, x) and recorder.moves(lambda x: -x[0], x)
    assert recorder.moves(tf.abs, np.zeros(1))  # a kink: the two sides cancel
    assert recorder.moves(tf.sqrt, np.zeros(1))  # no number on one side
    assert not recorder.moves(tf.round, x) and not recorder.moves(tf.shape, x)


# --- what the lesson says in prose --------------------------------------------------------

IMAGE = np.random.default_rng(0).random((1, 4, 6, 3)).astype(np.float32)


def test_a_registered_gradient_does_not_mean_differentiable():
    for op in ("ArgMax", "Round"):
        rule = gradient_registry.lookup(op)
        assert callable(rule) and rule(None, None) in (None, [None], [None, None])
    for op in ("Greater", "HSVToRGB"):
        assert gradient_registry.lookup(op) is None
    for op in ("Unique", "Lu", "ResizeArea", "RandomPoissonV2"):
        with pytest.raises(LookupError, match=f"gradient registry has no entry for: {op}"):
            gradient_registry.lookup(op)


def test_an_optimizer_refuses_none_and_applies_zeros():
    w = keras.Variable([1.0])
    optimizer = keras.optimizers.SGD(0.1)
    with pytest.raises(ValueError, match="No gradients provided for any variable"):
        optimizer.apply_gradients([(None, w)])
    optimizer.apply_gradients([(tf.zeros(1), w)])
    np.testing.assert_array_equal(w, [1.0])


def test_the_substitutes_for_operations_without_a_rule_compute_the_same():
    matrix = tf.constant([[2.0, 0.3, 0.1], [0.1, -1.0, 0.5], [0.2, 0.4, 3.0]])
    diagonal = tf.linalg.diag_part(tf.linalg.lu(matrix)[0])
    volume = tf.linalg.slogdet(matrix).log_abs_determinant
    np.testing.assert_allclose(np.log(np.abs(diagonal)).sum(), volume, rtol=1e-5)
    area = tf.image.resize(IMAGE, [2, 3], "area")
    np.testing.assert_allclose(tf.nn.avg_pool2d(IMAGE, 2, 2, "VALID"), area, rtol=1e-5)
    for substitute, x in [
        (lambda m: tf.linalg.slogdet(m)[1], matrix),
        (lambda image: tf.nn.avg_pool2d(image, 2, 2, "VALID"), IMAGE),
        (lambda rate: tf.reduce_sum([2.0, 3.0] * tf.math.log(rate) - rate), [1.5, 4.0]),
    ]:
        assert tape_verdict(substitute, tf.constant(x)) == "value"


def test_positions_by_one_hot_times_the_table_pass_a_gradient():
    table = tf.constant([[1.0, 4.0], [9.0, 5.0], [2.0, 2.0]])
    logits = tf.constant([[0.1, 0.7, 0.3]])
    np.testing.assert_array_equal(
        one_hot_choice(logits) @ table, tf.gather(table, tf.argmax(logits, axis=1))
    )
    assert tape_verdict(lambda x: one_hot_choice(x) @ table, logits) == "value"
    assert tape_verdict(lambda x: tf.gather(table, tf.argmax(x, axis=1)), logits) == "None"


def test_the_two_thirds_become_the_best_that_one_threshold_can_do():
    truth = np.array([0, 0, 1, 0, 1, 1])
    by_threshold = []
    for first_spam in range(7):
        guess = np.arange(6) >= first_spam
        by_threshold.append(2 * (truth * guess).sum() / (truth.sum() + guess.sum()))
    assert max(by_threshold) == pytest.approx(0.857, abs=1e-3)
    assert by_threshold[3] == pytest.approx(0.667, abs=1e-3)


def test_the_soft_losses_of_keras_have_a_gradient():
    truth, p = tf.constant([[0.0, 1.0]]), tf.constant([[0.3, 0.6]])
    for loss in (keras.losses.Dice(), keras.losses.BinaryCrossentropy()):
        assert tape_verdict(lambda p, loss=loss: loss(truth, p), p) == "value"
    for metric in (keras.metrics.F1Score(), keras.metrics.BinaryCrossentropy()):
        assert tape_verdict(lambda p, metric=metric: metric(truth, p), p) == "None"
