"""`solutions.outside_the_tape` against hand derivatives and finite differences, errors included.

The last part runs what the lesson's table and text claim about TensorFlow itself.
"""

import keras
import numpy as np
import pytest
import tensorflow as tf
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from solutions.outside_the_tape import (
    column_gradient,
    part_gradient,
    same_pass_gradient,
    step_gradients,
)

LESSON = "Lesson: outside_the_tape."
KERNEL = np.array([[1.0, -1.0], [0.5, 2.0]])
X = np.array([[1.0, 2.0], [0.0, 1.0], [3.0, 1.0]])
few = settings(max_examples=25, deadline=None)
numbers = st.floats(-2.0, 2.0)


def differences(function, x, step=1e-6):
    """Central differences of a float64 NumPy function of an array, one entry at a time."""
    x = np.asarray(x, np.float64)
    gradient = np.zeros_like(x)
    for place in np.ndindex(x.shape):
        move = np.zeros_like(x)
        move[place] = step
        gradient[place] = (function(x + move) - function(x - move)) / (2 * step)
    return gradient


def dense_model(*layers, dtype="float64"):
    """A Sequential of one Dense layer with KERNEL and a bias, and of what follows it."""
    dense = keras.layers.Dense(
        2, kernel_regularizer=keras.regularizers.L2(0.1), dtype=dtype, name="dense"
    )
    model = keras.Sequential([keras.Input((2,), dtype=dtype), dense, *layers], name="net")
    model.layers[0].set_weights([KERNEL, np.array([0.25, -0.5])])
    return model


def mean_square(labels, outputs):
    return tf.reduce_mean((outputs - labels) ** 2)


# --- step_gradients -----------------------------------------------------------------------


@few
@given(
    arrays.arrays(np.float64, (2, 2), elements=numbers),
    arrays.arrays(np.float64, 2, elements=numbers),
    arrays.arrays(np.float64, (3, 2), elements=numbers),
)
def test_step_gradients_are_those_of_the_batch_and_the_penalty(kernel, bias, labels):
    model = dense_model()
    model.set_weights([kernel, bias])

    def total_at(kernel, bias):
        return np.mean((X @ kernel + bias - labels) ** 2) + 0.1 * np.sum(kernel**2)

    total, (by_kernel, by_bias) = step_gradients(model, mean_square, X, labels)
    assert total.shape == ()
    np.testing.assert_allclose(total, total_at(kernel, bias), rtol=1e-6)
    numeric = (
        differences(lambda k: total_at(k, bias), kernel),
        differences(lambda b: total_at(kernel, b), bias),
    )
    np.testing.assert_allclose(by_kernel, numeric[0], rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(by_bias, numeric[1], rtol=1e-4, atol=1e-6)


def test_step_gradients_has_no_penalty_to_add_where_the_model_has_none():
    model = keras.Sequential([keras.Input((1,)), keras.layers.Dense(1, use_bias=False)])
    model.set_weights([np.array([[3.0]])])
    total, (gradient,) = step_gradients(model, mean_square, np.array([[2.0]]), np.array([[1.0]]))
    assert (float(total), gradient.numpy().tolist()) == (25.0, [[20.0]])  # (3·2 - 1)², 2·5·2


def test_step_gradients_trains_it_calls_the_model_in_training_mode():
    model = dense_model(keras.layers.BatchNormalization(dtype="float64"))
    step_gradients(model, mean_square, X, np.zeros((3, 2)))
    moving_mean = model.layers[1].moving_mean.numpy()
    np.testing.assert_allclose(moving_mean, 0.01 * (X @ KERNEL + [0.25, -0.5]).mean(axis=0))


def test_step_gradients_passes_labels_first_as_keras_losses_do():
    model = dense_model(dtype="float32")
    loss_function = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    total, gradients = step_gradients(model, loss_function, X, np.array([1, 0, 0]))
    logits = X @ KERNEL + [0.25, -0.5]
    shares = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    slope = (shares - [[0, 1], [1, 0], [1, 0]]) / 3
    np.testing.assert_allclose(gradients[0], X.T @ slope + 0.2 * KERNEL, rtol=1e-4)
    np.testing.assert_allclose(gradients[1], slope.sum(axis=0), rtol=1e-4)
    entropy = -np.log(shares[np.arange(3), [1, 0, 0]]).mean()
    np.testing.assert_allclose(total, entropy + 0.1 * np.sum(KERNEL**2), rtol=1e-5)


def test_step_gradients_refuses_a_loss_that_is_no_scalar():
    with pytest.raises(ValueError) as caught:
        step_gradients(dense_model(), lambda y, z: (y - z)[:, 0] ** 2, X, np.zeros((3, 2)))
    assert str(caught.value) == (
        "step_gradients: loss_function returned a tensor of shape (3,). The model's penalties can "
        "be added once to one number only. Return the mean of the batch: tf.reduce_mean(...). "
        + LESSON
    )


def test_step_gradients_names_the_weights_that_the_loss_does_not_use():
    early = dense_model()(X)
    with pytest.raises(ValueError) as caught:
        step_gradients(dense_model(), lambda y, _: mean_square(y, early), X, np.zeros((3, 2)))
    # The kernel has a gradient, that of its penalty.
    assert str(caught.value) == (
        "step_gradients: the gradient came back None for net/dense/bias. Inside the block the loss "
        "was not computed from these weights. Let loss_function use the outputs it is given, with "
        f"TensorFlow operations, and nothing computed earlier. {LESSON}"
    )


def test_step_gradients_lists_every_weight_without_a_gradient():
    model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(2, name="alone")])
    with pytest.raises(ValueError, match=r"None for \S*alone/kernel, \S*alone/bias\. Inside"):
        step_gradients(model, lambda y, z: np.mean(z.numpy() ** 2), X, None)


# --- column_gradient ----------------------------------------------------------------------


@few
@given(arrays.arrays(np.float64, (3, 2), elements=numbers), st.integers(-3, 2))
def test_column_gradient_is_that_of_one_softmax_score(x, column):
    weights = np.array([[1.0, -1.0, 0.5], [0.0, 2.0, -0.5]])

    def score_at(x):
        powers = np.exp(x @ weights)
        return np.sum((powers / powers.sum(axis=1, keepdims=True))[:, column])

    by_tape = column_gradient(lambda x: tf.nn.softmax(x @ weights), x, column)
    np.testing.assert_allclose(by_tape, differences(score_at, x), rtol=1e-4, atol=1e-7)


def test_column_gradient_takes_the_last_axis_of_any_rank():
    x = tf.reshape(tf.range(1.0, 13.0), (2, 3, 2))
    expected = np.zeros((2, 3, 2))
    expected[..., 1] = 2 * x.numpy()[..., 1]
    np.testing.assert_allclose(column_gradient(tf.square, x, 1), expected)
    assert column_gradient(tf.square, tf.constant([3.0, 4.0]), 0).numpy().tolist() == [6.0, 0.0]


@pytest.mark.parametrize("column", [2, -3, 0.5, "1"])
def test_column_gradient_says_which_columns_there_are(column):
    with pytest.raises(IndexError) as caught:
        column_gradient(dense_model(dtype="float32"), tf.constant(X, tf.float32), column)
    assert str(caught.value) == (
        f"column_gradient: there is no column {column!r}; the tensor's shape is (3, 2). Ask for an "
        f"integer or a slice inside that shape; Python counts from 0. {LESSON}"
    )


def test_column_gradient_refuses_an_integer_image_and_a_cut_chain():
    with pytest.raises(TypeError, match="dtype uint8"):
        column_gradient(lambda x: tf.cast(x, tf.float32), tf.ones((1, 2), tf.uint8), 0)
    with pytest.raises(ValueError, match="returned None"):
        column_gradient(tf.round, tf.ones((1, 2)), 0)


# --- part_gradient ------------------------------------------------------------------------


def centred(x):
    return tf.reduce_sum((x - tf.reduce_mean(x, axis=0)) ** 3)


PARTS = [0, -1, slice(1, None), (slice(None), 1), (2, 0), (..., slice(None, None, 2)), ()]


@few
@given(arrays.arrays(np.float64, (3, 2), elements=numbers), st.sampled_from(PARTS))
def test_part_gradient_moves_this_part_alone(x, part):
    def with_part(values):
        changed = x.copy()
        changed[part] = values
        return np.sum((changed - changed.mean(axis=0)) ** 3)

    by_tape = part_gradient(centred, x, part)
    assert by_tape.shape == x[part].shape and by_tape.dtype == tf.float64
    np.testing.assert_allclose(by_tape, differences(with_part, x[part]), rtol=1e-4, atol=1e-6)


def test_part_gradient_takes_nested_lists_too():
    gradient = part_gradient(tf.square, [[1.0, 2.0], [3.0, 4.0]], (slice(None), 1))
    assert gradient.numpy().tolist() == [4.0, 8.0]


@pytest.mark.parametrize("part", [3, (0, 5), (0, 0, 0), 1.0, "row", True])
def test_part_gradient_says_which_shape_has_no_such_part(part):
    with pytest.raises(IndexError) as caught:
        part_gradient(centred, X, part)
    assert str(caught.value) == (
        f"part_gradient: there is no x[{part!r}]; the tensor's shape is (3, 2). Ask for an integer "
        f"or a slice inside that shape; Python counts from 0. {LESSON}"
    )


def test_part_gradient_does_not_call_the_function_for_a_part_that_is_not_there():
    calls = []
    with pytest.raises(IndexError):
        part_gradient(calls.append, X, 7)
    assert calls == []


def test_part_gradient_refuses_integers_and_a_cut_chain():
    with pytest.raises(TypeError, match="dtype int64"):
        part_gradient(centred, np.array([[1, 2]]), 0)
    with pytest.raises(ValueError, match="returned None"):
        part_gradient(tf.round, X, 0)


# --- same_pass_gradient -------------------------------------------------------------------

CHAIN = [np.tanh, lambda x: x @ KERNEL, np.sin, lambda x: x**2]
LAYERS = [tf.tanh, lambda x: x @ KERNEL, tf.sin, tf.square]


@few
@given(arrays.arrays(np.float64, (3, 2), elements=numbers), st.integers(0, 3))
def test_same_pass_gradient_is_that_of_the_tail(x, number):
    def run(layers, value):
        for layer in layers:
            value = layer(value)
        return value

    activation, gradient = same_pass_gradient(LAYERS, tf.constant(x), number)
    head = run(CHAIN[: number + 1], x)
    numeric = differences(lambda a: np.sum(run(CHAIN[number + 1 :], a)), head)
    np.testing.assert_allclose(activation, head, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(gradient, numeric, rtol=1e-4, atol=1e-6)


def test_same_pass_gradient_runs_each_layer_once_in_order():
    calls = []

    def layer(number):
        return lambda x: calls.append(number) or x * number

    activation, gradient = same_pass_gradient([layer(2), layer(3), layer(5)], tf.constant(1.0), 1)
    assert calls == [2, 3, 5]
    assert (float(activation), float(gradient)) == (6.0, 5.0)


def test_same_pass_gradient_belongs_to_one_draw_of_the_dropout_mask():
    dropout = keras.layers.Dropout(0.5, seed=1)
    x = tf.ones((4, 8))
    activation, gradient = same_pass_gradient(
        [lambda x: dropout(x, training=True), lambda x: x**2 / 2], x, 0
    )
    assert set(activation.numpy().ravel()) == {0.0, 2.0}
    np.testing.assert_array_equal(gradient, activation)  # the derivative of a²/2 is a


@pytest.mark.parametrize("number", [-1, 2, 5])
def test_same_pass_gradient_says_how_many_layers_there_are(number):
    with pytest.raises(IndexError) as caught:
        same_pass_gradient([tf.sin, tf.exp], tf.constant(1.0), number)
    assert str(caught.value) == (
        f"same_pass_gradient: there is no layers[{number}] in a list of 2. Count from 0 to 1. "
        + LESSON
    )


def test_same_pass_gradient_refuses_a_layer_that_returns_no_tensor():
    with pytest.raises(TypeError) as caught:
        same_pass_gradient([tf.sin, lambda x: (x, x), lambda x: x[0]], tf.constant(1.0), 1)
    assert str(caught.value) == (
        "same_pass_gradient: layers[1] returned a tuple, no tensor. A tape watches one tensor at "
        "a time and cannot follow arrays. Let the layer return one tensor, made by TensorFlow "
        f"operations. {LESSON}"
    )


def test_same_pass_gradient_refuses_an_integer_activation():
    with pytest.raises(TypeError, match=r"^same_pass_gradient: the source has dtype int64"):
        same_pass_gradient([tf.argmax, lambda x: x], tf.constant([1.0, 2.0]), 0)


def test_same_pass_gradient_says_that_a_later_layer_cut_the_chain():
    with pytest.raises(ValueError) as caught:
        same_pass_gradient([tf.sin, lambda x: tf.constant(x.numpy())], tf.constant(1.0), 0)
    assert str(caught.value) == (
        "same_pass_gradient: the gradient at layers[0] came back None. A layer after it did not "
        "compute its output from its argument by recorded operations. Use the argument itself, "
        f"and TensorFlow operations only. {LESSON}"
    )


# --- what the lesson says about TensorFlow ------------------------------------------------


def test_none_for_what_is_computed_in_the_call_of_gradient():
    x = tf.constant([[1.0, 2.0]])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x**2
    for late in (-y, y[:, 0], tf.reduce_sum(y), tf.sin(x)):
        assert tape.gradient(late, x) is None
    assert tape.gradient(y, x).numpy().tolist() == [[2.0, 4.0]]


@pytest.mark.parametrize(
    "derive", [lambda x: x[0], lambda x: x[None], lambda x: tf.reshape(x, [-1]), tf.identity]
)
def test_none_for_a_source_made_from_the_one_that_was_used(derive):
    x = tf.constant([[1.0, 2.0]])
    with tf.GradientTape() as tape:
        tape.watch(x)
        source = derive(x)
        tape.watch(source)
        y = x**2
    assert tape.gradient(y, source) is None


def test_none_from_the_second_step_on_where_a_result_was_kept():
    weight, kept = tf.Variable(3.0), []
    seen = []
    for _ in range(3):
        with tf.GradientTape() as tape:
            kept = kept or [weight**2]
            loss = kept[0] * 2.0
        seen.append(tape.gradient(loss, weight))
    assert [g if g is None else float(g) for g in seen] == [12.0, None, None]


def test_none_for_the_parameter_of_an_object_that_computed_with_it_when_it_was_made():
    class Normal:
        def __init__(self, place):
            self.place = tf.identity(place)

        def log_density(self, x):
            return -0.5 * (x - self.place) ** 2

    place = tf.Variable(1.0)
    early = Normal(place)
    with tf.GradientTape(persistent=True) as tape:
        by_early = early.log_density(3.0)
        by_fresh = Normal(place).log_density(3.0)
    assert tape.gradient(by_early, place) is None
    assert float(tape.gradient(by_fresh, place)) == 2.0


def test_none_at_layer_output_of_a_model_built_with_add():
    model = keras.Sequential()
    for layer in (keras.Input((2,)), keras.layers.Dense(2, name="inner"), keras.layers.Dense(1)):
        model.add(layer)
    both = keras.Model(model.inputs, [model.get_layer("inner").output, model.outputs[0]])
    with tf.GradientTape() as tape:
        inner, out = both(tf.ones((1, 2)))
    assert tape.gradient(out, inner) is None


def test_only_links_between_source_and_target_must_be_inside():
    weight = tf.Variable(2.0)
    prepared = tf.constant(3.0) * 10.0  # before: does not depend on the weight
    with tf.GradientTape() as tape:
        y = weight * prepared
    error = float(y) - 50.0  # after: nothing of the loss depends on it
    assert (float(tape.gradient(y, weight)), error) == (30.0, 10.0)
