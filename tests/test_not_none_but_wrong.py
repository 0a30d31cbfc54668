"""The reference module of `not_none_but_wrong` against NumPy in float64 and hand derivatives."""

import keras
import numpy as np
import pytest
import tensorflow as tf
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from solutions.left_tensorflow import finite_differences
from solutions.not_none_but_wrong import (
    cross_entropy_gradient,
    entropy_gradient,
    scaled_step,
    verdict,
    verdicts_along,
    where_safe,
)

LESSON = "Lesson: not_none_but_wrong."

sizes = st.tuples(st.integers(1, 4), st.integers(1, 4))


def softmax_in_numpy(logits):
    powers = np.exp(logits - logits.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


def refused_as_integer(called, shape):
    return (
        f"{called}: the source has dtype int32 and shape {shape}. Integers and booleans have no "
        "gradient, and a tape returns None for them. Convert before the tape watches: "
        "x = tf.cast(x, tf.float32). Lesson: unwatched_tensor."
    )


# --- cross_entropy_gradient ---------------------------------------------------------------


@given(data=st.data(), shape=sizes, scale=st.sampled_from([1.0, 30.0, 1000.0]))
def test_cross_entropy_and_its_gradient_by_hand_for_logits_of_any_size(data, shape, scale):
    """The derivative by hand is (sum(labels) * softmax - labels) / rows."""
    numbers = st.floats(-1, 1, width=32)
    logits = scale * data.draw(arrays(np.float64, shape, elements=numbers))
    labels = data.draw(arrays(np.float64, shape, elements=st.floats(0, 2, width=32)))
    loss, gradient = cross_entropy_gradient(tf.constant(logits), tf.constant(labels))
    peak = logits.max(axis=1, keepdims=True)
    logs = logits - peak - np.log(np.exp(logits - peak).sum(axis=1, keepdims=True))
    by_hand = labels.sum(axis=1, keepdims=True) * softmax_in_numpy(logits) - labels
    np.testing.assert_allclose(loss, -(labels * logs).sum() / shape[0], atol=1e-9)
    np.testing.assert_allclose(gradient, by_hand / shape[0], atol=1e-9)
    assert gradient.dtype == tf.float64 and loss.shape == ()


def test_cross_entropy_equals_finite_differences():
    logits = np.array([[0.5, -1.0, 2.0], [3.0, 0.25, -0.5]])
    labels = np.array([[0.0, 1.0, 0.0], [0.5, 0.0, 0.25]])
    moved = finite_differences(lambda z: cross_entropy_gradient(z, labels)[0], logits)
    np.testing.assert_allclose(cross_entropy_gradient(logits, labels)[1], moved, atol=1e-8)


def test_a_padded_row_adds_nothing():
    logits = tf.constant([[200.0, -170.0], [5.0, 1.0]])
    loss, gradient = cross_entropy_gradient(logits, tf.constant([[0.0, 1.0], [0.0, 0.0]]))
    np.testing.assert_allclose(loss, 185)
    np.testing.assert_allclose(gradient, [[0.5, -0.5], [0, 0]])


def test_cross_entropy_refuses_class_numbers():
    with pytest.raises(ValueError) as caught:
        cross_entropy_gradient(tf.zeros((2, 3)), tf.constant([0, 1]))
    assert str(caught.value) == (
        "cross_entropy_gradient(logits, labels) got logits of shape (2, 3) and labels of shape "
        "(2,). Each class of each row needs its label: turn class numbers into rows with "
        f"tf.one_hot(labels, 3). {LESSON}"
    )


def test_cross_entropy_refuses_integers():
    with pytest.raises(TypeError) as caught:
        cross_entropy_gradient(tf.constant([[1, 2]]), tf.constant([[0, 1]]))
    assert str(caught.value) == refused_as_integer("cross_entropy_gradient", "(1, 2)")


# --- where_safe ---------------------------------------------------------------------------

# A function that is infinite or undefined at 0, and its derivative elsewhere.
AT_ZERO = {
    "sqrt": (tf.sqrt, np.sqrt, lambda x: 0.5 / np.sqrt(x)),
    "log": (tf.math.log, np.log, lambda x: 1 / x),
    "reciprocal": (lambda x: 1.0 / x, lambda x: 1 / x, lambda x: -1 / x**2),
    "power": (lambda x: x**0.25, lambda x: x**0.25, lambda x: 0.25 * x**-0.75),
    "rsqrt": (tf.math.rsqrt, lambda x: x**-0.5, lambda x: -0.5 * x**-1.5),
}


def gradient_of(function, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        value = function(x)
    return value, tape.gradient(value, x)


@pytest.mark.parametrize("jit", [False, True], ids=["eager", "XLA"])
@pytest.mark.parametrize("name", AT_ZERO)
def test_where_safe_has_the_derivative_where_allowed_and_zero_elsewhere(name, jit):
    function, value_by_hand, derivative = AT_ZERO[name]
    x = np.array([0.0, 0.5, 0.0, 4.0])
    by_tape = gradient_of
    if jit:
        by_tape = tf.function(gradient_of, jit_compile=True, autograph=False)
    value, gradient = by_tape(
        lambda x: where_safe(x > 0, function, x, otherwise=-3.0), tf.constant(x)
    )
    np.testing.assert_allclose(value, [-3, value_by_hand(0.5), -3, value_by_hand(4.0)])
    np.testing.assert_allclose(gradient, [0, derivative(0.5), 0, derivative(4.0)])
    assert value.dtype == tf.float64


def test_where_safe_gives_the_function_the_safe_number():
    seen = []
    where_safe([True, False], lambda x: seen.append(x.numpy().tolist()) or x, [2.0, 7.0])
    where_safe([True, False], lambda x: seen.append(x.numpy().tolist()) or x, [2.0, 7.0], 5.0)
    assert seen == [[2, 1], [2, 5]]
    np.testing.assert_array_equal(where_safe([True, False], tf.identity, [2.0, 7.0]), [2, 0])


def test_the_safe_number_matters_to_a_check_of_numerics_only():
    def shifted_log(safe):
        x = tf.constant([1.0, 3.0])
        return gradient_of(lambda x: where_safe(x > 1, lambda y: tf.math.log(y - 1), x, safe), x)

    for safe in (1.0, 2.0):
        np.testing.assert_allclose(shifted_log(safe)[1], [0, 0.5])
    tf.debugging.enable_check_numerics()
    try:
        np.testing.assert_allclose(shifted_log(2.0)[1], [0, 0.5])
        with pytest.raises(tf.errors.InvalidArgumentError, match='executing op "Log"'):
            shifted_log(1.0)
    finally:
        tf.debugging.disable_check_numerics()


def test_where_safe_refuses_what_is_no_comparison():
    with pytest.raises(TypeError) as caught:
        where_safe(tf.constant([1.0, 0.0]), tf.sqrt, tf.constant([1.0, 0.0]))
    assert str(caught.value) == (
        "where_safe(allowed, function, x): allowed has dtype float32. It says for each entry "
        f"whether the function may see it: pass a comparison, x > 0. {LESSON}"
    )
    with pytest.raises(TypeError) as caught:
        where_safe([True], tf.identity, tf.constant([1]))
    assert str(caught.value) == refused_as_integer("where_safe", "(1,)")


# --- entropy_gradient ---------------------------------------------------------------------


@given(arrays(np.float64, sizes, elements=st.sampled_from([0.0, 1e-9, 0.1, 0.25, 0.5, 1.0])))
def test_entropy_and_its_gradient_by_hand(p):
    entropy, gradient = entropy_gradient(tf.constant(p))
    logs = np.array([[np.log(q) if q > 0 else 0.0 for q in row] for row in p])
    np.testing.assert_allclose(entropy, -np.sum(p * logs, axis=1), atol=1e-12)
    np.testing.assert_allclose(gradient, np.where(p > 0, -logs - 1, 0), rtol=1e-9)
    assert gradient.dtype == tf.float64


def test_entropy_of_arrays_in_float32_and_not_of_integers():
    entropy, gradient = entropy_gradient(np.float32([[0.5, 0.5], [1.0, 0.0]]))
    np.testing.assert_allclose(entropy, [np.log(2), 0], rtol=1e-6)
    np.testing.assert_allclose(gradient, [[np.log(2) - 1] * 2, [-1, 0]], rtol=1e-6)
    with pytest.raises(TypeError) as caught:
        entropy_gradient(tf.constant([[0, 1]]))
    assert str(caught.value) == refused_as_integer("entropy_gradient", "(1, 2)")


# --- verdict, verdicts_along --------------------------------------------------------------

WORDS = {
    "None": [None],
    "zeros": [tf.zeros((2, 2)), tf.constant([-0.0, 0.0]), tf.constant(0.0)],
    "value": [tf.constant([0.0, -1e-30]), tf.constant([1.0, -1.0])],
    "inf": [tf.constant([np.inf, 0.0]), tf.constant(-np.inf)],
    "NaN": [tf.constant([1.0, np.nan]), tf.constant([np.inf, np.nan])],
}


@pytest.mark.parametrize("word", WORDS)
def test_verdict(word):
    assert [verdict(gradient) for gradient in WORDS[word]] == [word] * len(WORDS[word])


def test_verdict_of_a_lookup_s_gradient():
    slices = tf.IndexedSlices(tf.constant([[1.0], [-1.0]]), tf.constant([0, 1]), (3, 1))
    assert verdict(slices) == "value"
    assert verdict(tf.IndexedSlices(tf.zeros((1, 1)), tf.constant([0]), (3, 1))) == "zeros"


def double(x):
    return 2.0 * x


CHAINS = {
    "healthy": ([double, tf.square], [1.0, 2.0], ["value", "value"]),
    "dead relu": ([double, tf.nn.relu, double], [-1.0], ["zeros", "zeros", "value"]),
    "root at zero": ([tf.square, tf.sqrt], [0.0], ["NaN", "inf"]),
    "cut": ([double, tf.round, double], [1.5], ["None", "None", "value"]),
    "lookup": ([double, lambda x: tf.gather(x, [0])], [1.0, 2.0], ["value", "value"]),
    "identity in Python": ([lambda x: x, tf.square], [3.0], ["value", "value"]),
    "one step": ([tf.sign], [3.0], ["zeros"]),
    "no step": ([], [3.0], []),
}


@pytest.mark.parametrize("name", CHAINS)
def test_verdicts_along_a_chain(name):
    steps, x, words = CHAINS[name]
    assert verdicts_along(steps, x) == words


def test_verdicts_along_refuses_integers():
    with pytest.raises(TypeError) as caught:
        verdicts_along([double], tf.constant([1, 2]))
    assert str(caught.value) == refused_as_integer("verdicts_along", "(2,)")


# --- scaled_step --------------------------------------------------------------------------


def squared_error(labels, outputs):
    return tf.reduce_mean((outputs - labels) ** 2)


def loss_scaling(scale):
    return lambda: keras.optimizers.LossScaleOptimizer(
        keras.optimizers.SGD(0.1), initial_scale=scale
    )


OPTIMIZERS = {
    "SGD": lambda: keras.optimizers.SGD(0.1),
    "scaled by 2**15": loss_scaling(2.0**15),
    "scaled by 4": loss_scaling(4.0),
}


@pytest.mark.parametrize("name", OPTIMIZERS)
@settings(max_examples=5, deadline=None)
@given(w=arrays(np.float64, (2, 1), elements=st.floats(-2, 2, width=32)))
def test_a_step_goes_down_the_true_gradient_by_hand(name, w):
    model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1)])
    model.set_weights([w, np.array([0.5])])
    x, labels = np.array([[1.0, 2.0], [3.0, -1.0]]), np.array([[0.0], [1.0]])
    loss, (kernel, bias) = scaled_step(
        model, OPTIMIZERS[name](), squared_error, tf.constant(x, tf.float32), np.float32(labels)
    )
    error = x @ w + 0.5 - labels
    np.testing.assert_allclose(loss, np.mean(error**2), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(kernel, w - 0.1 * x.T @ error, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(bias, [0.5 - 0.1 * error.sum()], rtol=1e-4, atol=1e-5)
    np.testing.assert_array_equal(model.get_weights()[0], kernel)


def test_a_step_calls_the_model_for_training():
    model = keras.Sequential([keras.Input((1,)), keras.layers.Dense(1), keras.layers.Dropout(0.9)])
    seen = []

    class Asked(keras.layers.Layer):
        def call(self, x, training=None):
            seen.append(training)
            return x

    model.add(Asked())
    seen.clear()
    scaled_step(model, keras.optimizers.SGD(0.1), squared_error, tf.ones((1, 1)), tf.ones((1, 1)))
    assert seen == [True]


def test_an_optimizer_without_scale_loss_is_refused():
    class Plain:
        pass

    with pytest.raises(TypeError) as caught:
        scaled_step(None, Plain(), squared_error, None, None)
    assert str(caught.value) == (
        "scaled_step: the optimizer is a Plain without `scale_loss`. Every Keras 3 optimizer has "
        "one, and it decides whether the loss is scaled. Pass such a one, keras.optimizers.SGD() "
        f"for instance. {LESSON}"
    )


# --- what else the lesson says ------------------------------------------------------------


def test_the_fused_loss_of_keras_gives_a_padded_row_a_gradient():
    logits, padding = tf.constant([[0.1, 0.9]]), tf.zeros((1, 2))
    loss = keras.losses.CategoricalCrossentropy(from_logits=True)
    value, gradient = gradient_of(lambda z: loss(padding, z), logits)
    assert value == 0
    np.testing.assert_allclose(gradient, softmax_in_numpy(logits.numpy()), rtol=1e-6)


def test_compile_wraps_the_optimizer_under_mixed_float16():
    before = keras.config.dtype_policy()
    keras.config.set_dtype_policy("mixed_float16")
    try:
        model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1)])
        model.compile("sgd", "mse")
    finally:
        keras.config.set_dtype_policy(before)
    assert isinstance(model.optimizer, keras.optimizers.LossScaleOptimizer)
    assert float(model.optimizer.scale_loss(1.0)) == 2**15 == 32768


def test_half_precision_loses_small_gradients():
    def half(x, scale):
        h = tf.cast(x, tf.float16)
        return tf.cast(h * h * tf.cast(1e-4, tf.float16), tf.float32) * scale

    x = tf.constant(1e-4)
    assert gradient_of(lambda x: half(x, 1.0), x)[1] == 0
    scaled = gradient_of(lambda x: half(x, 2.0**12), x)[1] / 2**12
    np.testing.assert_allclose(scaled, 2e-8, rtol=1e-3)


def test_one_nan_spreads_by_clip_by_global_norm():
    clipped, _ = tf.clip_by_global_norm([tf.constant([np.nan, 1.0]), tf.constant([2.0])], 1.0)
    assert all(np.isnan(gradient).all() for gradient in clipped)


def test_bilinear_resizing_has_no_second_derivative():
    """None without a skip connection; with one, the rest of the sum."""
    image = tf.constant([[[1.0], [2.0]], [[3.0], [4.0]]])

    def second(score):
        with tf.GradientTape() as outer:
            outer.watch(image)
            _, gradient = gradient_of(score, image)
            penalty = tf.reduce_sum(gradient**2)
        return outer.gradient(penalty, image)

    def resized(x):
        return tf.reduce_sum(tf.image.resize(x, (4, 4)) ** 3)

    assert second(resized) is None
    with_skip = second(lambda x: resized(x) + tf.reduce_sum(x**3))
    first = gradient_of(lambda x: resized(x) + tf.reduce_sum(x**3), image)[1]
    np.testing.assert_allclose(with_skip, 12 * image * first, rtol=1e-5)  # skip's curvature only


def test_a_sure_softmax_has_no_gradient_where_its_logit_has_one():
    x = tf.constant([[200.0, 0.0]])
    assert not np.any(gradient_of(lambda x: tf.nn.softmax(x)[:, 0], x)[1])
    np.testing.assert_array_equal(gradient_of(lambda x: 1.0 * x[:, 0], x)[1], [[1, 0]])


def test_the_clipped_loss_that_zeros_come_with():
    loss = keras.losses.CategoricalCrossentropy()
    value = loss(tf.constant([[1.0, 0.0]]), tf.constant([[0.0, 1.0]]))
    assert round(float(value), 1) == 16.1 == round(-np.log(1e-7), 1)


def test_sqrt_grad_answers_a_zero_with_a_zero():
    assert tf.raw_ops.SqrtGrad(y=0.0, dy=0.0) == 0
    assert np.isinf(tf.raw_ops.SqrtGrad(y=0.0, dy=1.0))


def test_the_sum_of_a_softmax_is_flat_up_to_rounding():
    _, gradient = gradient_of(
        lambda x: tf.reduce_sum(tf.nn.softmax(x)), tf.constant([1.0, 2.0, 3.0])
    )
    assert np.abs(gradient).max() < 1e-6


def test_pixels_from_0_to_1_bring_even_the_book_s_formula_back_to_life():
    images = tf.constant([[200.0, 30.0, 90.0], [10.0, 240.0, 120.0]]) / 255
    weights = tf.constant([[-1.0, 1.0], [1.0, 0.0], [0.0, 0.0]])

    def book_loss(weights):
        logs = tf.math.log(tf.nn.softmax(images @ weights) + 1e-10)
        return -tf.reduce_mean(tf.reduce_sum(tf.eye(2) * logs, axis=1))

    by_formula = softmax_in_numpy((images @ weights).numpy()) - np.eye(2)
    expected = images.numpy().T @ by_formula / 2
    np.testing.assert_allclose(gradient_of(book_loss, weights)[1], expected, rtol=1e-5)
