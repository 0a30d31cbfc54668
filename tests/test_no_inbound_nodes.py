"""no_inbound_nodes: reference functions against NumPy and moved activations; prose."""

import keras
import numpy as np
import pytest
import tensorflow as tf
from hypothesis import example, given, settings
from hypothesis import strategies as st

from solutions.no_inbound_nodes import (
    hidden_state_gradients,
    output_and_activation,
    rnn_output_gradient,
    weight_and_rnn_output_gradients,
)

X = [[[1.0], [2.0], [3.0]], [[2.0], [0.0], [1.0]]]
Y = [[1.5], [1.0]]


class LeakyCell(keras.layers.Layer):
    def __init__(self, units, remembers=True):
        super().__init__()
        self.units = self.state_size = units
        self.remembers = remembers

    def build(self, input_shape):
        self.kernel = self.add_weight(shape=(input_shape[-1], self.units), name="kernel")
        self.keep = self.add_weight(shape=(self.units,), name="keep")

    def call(self, inputs, states):
        state = tf.matmul(inputs, self.kernel)
        if self.remembers:
            state += self.keep * states[0]
        return state, [state]


class Tank(keras.Model):
    def __init__(self, rnn, outputs=1, dtype=None):
        super().__init__(dtype=dtype)
        self.rnn = rnn
        self.out = keras.layers.Dense(outputs, dtype=dtype)

    def call(self, inputs):
        return self.out(self.rnn(inputs))


def leaky_tank(**cell):
    model = Tank(keras.layers.RNN(LeakyCell(2, **cell)))
    model(tf.constant(X))
    numbers = [[[1.0, 1.0]], [0.5, 1.0], [[2.0], [-1.0]], [0.0]]
    model.set_weights([np.array(n) for n in numbers])
    return model


def mean_square(y_true, y_pred):
    return tf.reduce_mean((y_pred - y_true) ** 2)


def lopsided(y_true, y_pred):
    """A loss that is not symmetric in its arguments, and no scalar."""
    return tf.sin(y_pred) * y_true + y_pred**2


def question():
    return leaky_tank(), mean_square, tf.constant(X), tf.constant(Y)


# --- by hand --------------------------------------------------------------------------------
# levels: 1 → 2.5 → 4.25 and 1 → 3 → 6; 2 → 1 → 1.5 and 2 → 2 → 3. Output 2·first − second:
# 2.5 and 0, that is 1 too much and 1 too little; the mean's derivative is 2·(±1)/2 = ±1.

BY_HAND = [[2.0, -1.0], [-2.0, 1.0]]
BY_HAND_EACH_STEP = [
    [[0.5, -1.0], [1.0, -1.0], [2.0, -1.0]],
    [[-0.5, 1.0], [-1.0, 1.0], [-2.0, 1.0]],
]


def test_output_and_activation_by_hand():
    output, activation = output_and_activation(leaky_tank(), X)
    np.testing.assert_array_equal(output, [[2.5], [0.0]])
    np.testing.assert_array_equal(activation, [[4.25, 6.0], [1.5, 3.0]])


def test_gradients_by_hand():
    np.testing.assert_array_equal(rnn_output_gradient(*question()), BY_HAND)
    np.testing.assert_array_equal(hidden_state_gradients(*question()), BY_HAND_EACH_STEP)
    weights, activation = weight_and_rnn_output_gradients(*question())
    np.testing.assert_array_equal(activation, BY_HAND)
    # kernel: Σ dL/dh · ∂h/∂k; the levels are linear in k, so ∂h/∂k = h / k with k = 1.
    expected = [[[5.5, -3.0]], [2.0, 0.0], [[2.75], [3.0]], [0.0]]
    for got, want in zip(weights, expected, strict=True):
        np.testing.assert_array_equal(got, want)


def test_one_pass_only():
    model = leaky_tank()
    passes = []
    run = model.rnn.call
    model.rnn.call = lambda *args, **kwargs: passes.append(1) or run(*args, **kwargs)
    for function in (rnn_output_gradient, weight_and_rnn_output_gradients):
        function(model, mean_square, X, Y)
    output_and_activation(model, X)
    assert len(passes) == 3


def test_arrays_and_lists_will_do():
    model = leaky_tank()
    for x in (X, np.array(X, "float32")):
        np.testing.assert_array_equal(rnn_output_gradient(model, mean_square, x, Y), BY_HAND)
        steps = hidden_state_gradients(model, mean_square, x, Y)
        np.testing.assert_array_equal(steps, BY_HAND_EACH_STEP)


def test_a_model_that_was_never_built():
    model = Tank(keras.layers.RNN(LeakyCell(2)))
    weights, activation = weight_and_rnn_output_gradients(model, mean_square, X, Y)
    assert [tuple(w.shape) for w in weights] == [(1, 2), (2,), (2, 1), (1,)]
    assert activation.shape == (2, 2)


def test_a_frozen_layer_has_no_weights_in_the_list_but_its_activation_has_a_gradient():
    model = leaky_tank()
    model.rnn.trainable = False
    weights, activation = weight_and_rnn_output_gradients(model, mean_square, X, Y)
    assert [tuple(w.shape) for w in weights] == [(2, 1), (1,)]
    np.testing.assert_array_equal(activation, BY_HAND)


def test_a_cell_without_memory_cuts_the_earlier_steps_off():
    got = hidden_state_gradients(leaky_tank(remembers=False), mean_square, X, Y).numpy()
    assert not got[:, :2].any()
    np.testing.assert_array_equal(got[:, 2], [[3.0, -1.5], [0.0, 0.0]])


# --- NumPy and finite differences -----------------------------------------------------------


def numpy_loss(weights, x, y, nudges):
    """A SimpleRNN, a dense layer and `lopsided`, with a nudge added to each step's state."""
    kernel, recurrent, bias, w, b = weights
    state = np.zeros((x.shape[0], bias.size))
    for t in range(x.shape[1]):
        state = np.tanh(x[:, t] @ kernel + state @ recurrent + bias) + nudges[:, t]
    output = state @ w + b
    return np.sum(np.sin(output) * y + output**2)


def finite_differences(function, at, step=1e-5):
    gradient = np.zeros_like(at)
    for place in np.ndindex(at.shape):
        nudge = np.zeros_like(at)
        nudge[place] = step
        gradient[place] = (function(at + nudge) - function(at - nudge)) / (2 * step)
    return gradient


@example((2, 1, 1, 1, 1), 0)  # a single step
@settings(max_examples=12, deadline=None)
@given(st.tuples(*(st.integers(1, most) for most in (3, 4, 2, 3, 2))), st.integers(0, 2**32 - 1))
def test_against_numpy_in_float64(sizes, seed):
    batch, time, features, units, outputs = sizes
    random = np.random.default_rng(seed)
    shapes = [(features, units), (units, units), (units,), (units, outputs), (outputs,)]
    weights = [random.normal(size=shape) for shape in shapes]
    x, y = random.normal(size=(batch, time, features)), random.normal(size=(batch, outputs))
    model = Tank(keras.layers.SimpleRNN(units, dtype="float64"), outputs, "float64")
    model.rnn.build(x.shape)
    model.out.build((batch, units))
    model.set_weights(weights)

    zero = np.zeros((batch, time, units))
    expected = finite_differences(lambda n: numpy_loss(weights, x, y, n), zero)
    steps = hidden_state_gradients(model, lopsided, x, y)
    assert steps.dtype == tf.float64
    np.testing.assert_allclose(steps, expected, rtol=1e-6, atol=1e-7)

    last = rnn_output_gradient(model, lopsided, x, y)
    assert last.dtype == tf.float64
    np.testing.assert_allclose(last, expected[:, -1], rtol=1e-6, atol=1e-7)

    of_weights, again = weight_and_rnn_output_gradients(model, lopsided, x, y)
    np.testing.assert_array_equal(again, last)
    for number, got in enumerate(of_weights):

        def moved(value, number=number):
            return numpy_loss([*weights[:number], value, *weights[number + 1 :]], x, y, zero)

        want = finite_differences(moved, weights[number])
        np.testing.assert_allclose(got, want, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("kind", [keras.layers.GRU, keras.layers.LSTM])
def test_other_cells_against_moved_states(kind):
    keras.utils.set_random_seed(7)
    model = Tank(kind(2, dtype="float64"), 2, "float64")
    x, y = np.array(X), np.array([[1.0, -2.0], [0.5, 3.0]])
    model(x)

    def loss(nudges):
        states = [np.zeros((2, 2)) for _ in range(1 if kind is keras.layers.GRU else 2)]
        for t in range(3):
            output, states = model.rnn.cell(tf.constant(x[:, t]), states)
            output += nudges[:, t]
            states = [output, *states[1:]]
        return np.sum(lopsided(y, model.out(output).numpy()))

    expected = finite_differences(loss, np.zeros((2, 3, 2)))
    got = hidden_state_gradients(model, lopsided, x, y)
    np.testing.assert_allclose(got, expected, rtol=1e-6, atol=1e-7)
    last = rnn_output_gradient(model, lopsided, x, y)
    np.testing.assert_allclose(last, expected[:, -1], rtol=1e-6, atol=1e-7)


# --- what cannot work -----------------------------------------------------------------------

CALLS = {
    "output_and_activation": lambda model: output_and_activation(model, X),
    "rnn_output_gradient": lambda model: rnn_output_gradient(model, mean_square, X, Y),
    "weight_and_rnn_output_gradients": lambda model: weight_and_rnn_output_gradients(
        model, mean_square, X, Y
    ),
    "hidden_state_gradients": lambda model: hidden_state_gradients(model, mean_square, X, Y),
}


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("missing", ["rnn", "out"])
def test_a_model_without_the_two_layers(name, missing):
    model = keras.Sequential()
    setattr(model, {"rnn": "out", "out": "rnn"}[missing], keras.layers.Dense(1))
    with pytest.raises(TypeError) as caught:
        CALLS[name](model)
    assert str(caught.value) == (
        f"{name}: the Sequential has no layer `{missing}`. The pass is made in two parts, "
        "`model.rnn` and `model.out`. Give your layers these names in `__init__`, or copy this "
        "function and call your own layers in it. Lesson: no_inbound_nodes."
    )


def test_an_attribute_that_is_no_layer():
    model = keras.Sequential()
    model.rnn, model.out = keras.layers.Dense(1), 3
    with pytest.raises(TypeError, match="has no layer `out`"):
        output_and_activation(model, X)


@pytest.mark.parametrize(
    "function",
    [rnn_output_gradient, weight_and_rnn_output_gradients, hidden_state_gradients],
)
def test_a_loss_that_does_not_use_the_output(function):
    def forgets(y_true, y_pred):
        return tf.reduce_sum(y_true)

    with pytest.raises(ValueError) as caught:
        function(leaky_tank(), forgets, X, Y)
    assert str(caught.value) == (
        "The gradient of the loss with respect to the RNN's output is None. No recorded operation "
        "leads from the activation to loss_function(y, output). Use the second argument inside "
        "the loss function, and TensorFlow or Keras operations only. Lesson: no_inbound_nodes."
    )


@pytest.mark.parametrize("shape", [(3, 1), (2, 3, 1, 1), (2, 0, 1)])
def test_x_is_no_batch_of_sequences(shape):
    with pytest.raises(ValueError) as caught:
        hidden_state_gradients(leaky_tank(), mean_square, np.zeros(shape, "float32"), Y)
    assert str(caught.value) == (
        f"hidden_state_gradients: x has shape {shape}. The time steps are taken from its second "
        "axis, so it must be (batch, time, features) with at least one step. For one sequence of "
        "numbers: x[tf.newaxis, :, tf.newaxis]. Lesson: no_inbound_nodes."
    )


@pytest.mark.parametrize("option", ["return_sequences", "return_state", "go_backwards"])
def test_an_rnn_that_does_not_return_its_last_output(option):
    model = Tank(keras.layers.SimpleRNN(2, **{option: True}))
    with pytest.raises(ValueError) as caught:
        hidden_state_gradients(model, mean_square, X, Y)
    assert str(caught.value) == (
        f"hidden_state_gradients: the RNN was made with {option}=True. Its steps are repeated here "
        "one by one, first to last, and `model.out` gets the last output alone. Make the RNN with "
        f"{option}=False. Lesson: no_inbound_nodes."
    )


def test_a_wrapper_has_no_cell():
    model = Tank(keras.layers.Bidirectional(keras.layers.SimpleRNN(2)))
    with pytest.raises(TypeError) as caught:
        hidden_state_gradients(model, mean_square, X, Y)
    assert str(caught.value) == (
        "hidden_state_gradients: `model.rnn` is a Bidirectional. Its steps are repeated one by one "
        "with `model.rnn.cell`, which a keras.layers.RNN (SimpleRNN, GRU, LSTM) has. For a "
        "wrapper, call the function for the RNN inside it. Lesson: no_inbound_nodes."
    )
    assert rnn_output_gradient(model, mean_square, X, Y).shape == (2, 4)  # needs no cell


# --- what the lesson's table says -----------------------------------------------------------


def test_an_activation_kept_by_call_is_none_behind_a_tf_function():
    class Keeps(Tank):
        def call(self, inputs):
            self.hidden = self.rnn(inputs)
            return self.out(self.hidden)

    model = Keeps(keras.layers.SimpleRNN(2))
    found = []
    for run in (model, tf.function(model)):
        with tf.GradientTape() as tape:
            loss = mean_square(tf.constant(Y), run(tf.constant(X)))
        found.append(tape.gradient(loss, model.hidden))
    assert found[0] is not None
    assert found[1] is None


def test_the_returned_sequence_hides_the_earlier_steps():
    model = leaky_tank()
    whole = keras.layers.RNN(model.rnn.cell, return_sequences=True)
    with tf.GradientTape() as tape:
        states = whole(tf.constant(X))
        loss = mean_square(tf.constant(Y), model.out(states[:, -1]))
    got = tape.gradient(loss, states).numpy()
    assert not got[:, :-1].any()
    np.testing.assert_array_equal(got[:, -1], BY_HAND)


def test_an_activation_from_before_the_block_needs_a_watch():
    model, found = leaky_tank(), []
    for watch in (False, True):
        hidden = model.rnn(tf.constant(X))
        with tf.GradientTape() as tape:
            if watch:
                tape.watch(hidden)
            loss = mean_square(tf.constant(Y), model.out(hidden))
        found.append(tape.gradient(loss, hidden))
    assert found[0] is None
    np.testing.assert_array_equal(found[1], BY_HAND)


def test_layers_called_one_by_one_run_in_inference_mode():
    model = Tank(keras.layers.SimpleRNN(4, dropout=0.9, seed=1))
    x = tf.ones((50, 3, 1))
    _, quiet = output_and_activation(model, x)
    np.testing.assert_array_equal(quiet[0], quiet[1])
    assert not np.allclose(model.rnn(x, training=True)[0], quiet[0])
    assert np.std(model(x, training=True)) > np.std(model(x)) == 0
