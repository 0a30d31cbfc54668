"""The reference module of `unwatched_tensor` against hand derivatives and finite differences."""

import keras
import numpy as np
import pytest
import tensorflow as tf
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from solutions.unwatched_tensor import (
    backing_variable,
    gradients_of_chosen,
    input_gradient,
    needs_watch,
    require_floating,
)

LESSON = "Lesson: unwatched_tensor."

numbers = st.floats(-3, 3, width=32)
points = arrays(np.float64, array_shapes(max_dims=3, max_side=3), elements=numbers)

# Functions beside their derivatives, written by hand.
BY_HAND = {
    "polynomial": (lambda x: x**3 - 2 * x, lambda x: 3 * x**2 - 2),
    "sine": (lambda x: tf.sin(x), np.cos),
    "logistic": (tf.sigmoid, lambda x: np.exp(-x) / (1 + np.exp(-x)) ** 2),
    "scalar": (lambda x: tf.reduce_sum(x * x), lambda x: 2 * x),
}


@pytest.mark.parametrize("name", BY_HAND)
@given(x=points)
def test_input_gradient_equals_the_derivative_by_hand(name, x):
    function, derivative = BY_HAND[name]
    gradient = input_gradient(function, x)
    assert gradient.dtype == tf.float64 and gradient.shape == x.shape
    np.testing.assert_allclose(gradient, derivative(x), rtol=1e-9, atol=1e-9)


@given(x=arrays(np.float64, (2, 3), elements=numbers))
def test_input_gradient_of_a_network_equals_finite_differences(x):
    kernel = np.array([[0.5, -1.0], [2.0, 0.25], [-0.75, 1.5]])

    def network(values):
        return tf.reduce_sum(tf.tanh(values @ kernel), axis=1)

    step, numeric = 1e-6, np.zeros_like(x)
    for index in np.ndindex(*x.shape):
        moved = np.zeros_like(x)
        moved[index] = step
        up, down = network(x + moved), network(x - moved)
        numeric[index] = float(tf.reduce_sum(up - down)) / (2 * step)
    np.testing.assert_allclose(input_gradient(network, x), numeric, atol=1e-7)


def test_a_variable_as_input_and_a_keras_model_as_function():
    model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1)])
    model.set_weights([np.array([[2.0], [-3.0]]), np.array([0.5])])
    gradient = input_gradient(model, tf.constant([[1.0, 4.0], [0.0, 0.0]]))
    np.testing.assert_array_equal(gradient, [[2, -3], [2, -3]])
    np.testing.assert_array_equal(input_gradient(lambda x: x * x, tf.Variable([3.0])), [6])


def test_no_path_from_the_input_is_an_error_with_a_remedy():
    with pytest.raises(ValueError) as caught:
        input_gradient(lambda x: tf.constant(1.0) * 2, tf.constant(1.0))
    assert str(caught.value) == (
        "input_gradient(function, x): the tape returned None, although x was watched. "
        "No recorded operation leads from x to function(x). Use the argument itself inside "
        f"the function, and TensorFlow operations only. {LESSON}"
    )


def integer_message(called, dtype, shape):
    return (
        f"{called}: the source has dtype {dtype} and shape {shape}. "
        "Integers and booleans have no gradient, and a tape returns None for them. "
        f"Convert before the tape watches: x = tf.cast(x, tf.float32). {LESSON}"
    )


@pytest.mark.parametrize("dtype", ["uint8", "int32", "int64", "bool"])
def test_integers_are_refused_by_each_function_under_its_name(dtype):
    x = tf.zeros((2, 3), dtype)
    calls = {
        "input_gradient": lambda: input_gradient(lambda x: x, x),
        "needs_watch": lambda: needs_watch(x),
        "gradients_of_chosen": lambda: gradients_of_chosen(lambda: x, [x]),
    }
    for name, call in calls.items():
        with pytest.raises(TypeError) as caught:
            call()
        assert str(caught.value) == integer_message(name, dtype, "(2, 3)")


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64", "complex64"])
def test_what_has_a_gradient_passes(dtype):
    assert require_floating(tf.zeros(2, dtype), "anything") is None


SOURCES = {
    "constant": lambda: tf.constant(1.0),
    "float64 constant": lambda: tf.zeros((2, 2), tf.float64),
    "variable": lambda: tf.Variable(1.0),
    "not trainable": lambda: tf.Variable(1.0, trainable=False),
    "keras variable": lambda: keras.Variable(1.0),
    "keras not trainable": lambda: keras.Variable(1.0, trainable=False),
}


@pytest.mark.parametrize("name", SOURCES)
def test_needs_watch_says_what_a_tape_does(name):
    """The oracle is a tape that is told nothing."""
    source = SOURCES[name]()
    with tf.GradientTape() as tape:
        value = tf.convert_to_tensor(source) * 2.0
    assert needs_watch(source) is (tape.gradient(value, source) is None)


@pytest.mark.parametrize(("source", "name"), [(1.0, "float"), (np.ones(2), "ndarray")])
def test_needs_watch_refuses_what_no_tape_watches(source, name):
    with pytest.raises(TypeError) as caught:
        needs_watch(source)
    assert str(caught.value) == (
        f"needs_watch(source) got a {name}. A tape can watch a tensor or a "
        f"variable; convert numbers and arrays with tf.constant first. {LESSON}"
    )


@given(w=arrays(np.float64, 3, elements=numbers), x=arrays(np.float64, 3, elements=numbers))
def test_gradients_of_chosen_equal_the_derivatives_by_hand(w, x):
    variable, tensor = tf.Variable(w), tf.constant(x)
    frozen = tf.Variable(np.float64(2.0), trainable=False)
    gradients = gradients_of_chosen(
        lambda: frozen**2 * variable**2 * tensor, [variable, tensor, frozen]
    )
    np.testing.assert_allclose(gradients[0], 8 * w * x)
    np.testing.assert_allclose(gradients[1], 4 * w**2)
    np.testing.assert_allclose(gradients[2], np.sum(4 * w**2 * x), atol=1e-12)


def test_gradients_of_chosen_takes_keras_variables_and_says_none_for_an_unused_source():
    used, unused = keras.Variable([1.0, 2.0]), tf.Variable(5.0)
    gradients = gradients_of_chosen(lambda: used * used, [used, unused])
    np.testing.assert_array_equal(gradients[0], [2, 4])
    assert gradients[1] is None


def test_gradients_of_chosen_watches_nothing_else(monkeypatch):
    other, chosen, tapes = tf.Variable(3.0), tf.constant(2.0), []

    class Tape(tf.GradientTape):
        def __init__(self, *args, **kwargs):
            super().__init__(*args, **kwargs)
            tapes.append(self)

    monkeypatch.setattr(tf, "GradientTape", Tape)
    assert float(gradients_of_chosen(lambda: other * chosen, [chosen])[0]) == 3
    assert len(tapes) == 1 and tapes[0].watched_variables() == ()


def test_backing_variable_unwraps_keras_variables_only():
    keras_variable, variable, tensor = keras.Variable(1.0), tf.Variable(1.0), tf.constant(1.0)
    assert isinstance(backing_variable(keras_variable), tf.Variable)
    assert backing_variable(variable) is variable and backing_variable(tensor) is tensor
