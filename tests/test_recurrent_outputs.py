"""The reference module of `recurrent_outputs` against BPTT and replays in NumPy float64."""

import hypothesis.extra.numpy as hnp
import keras
import numpy as np
import pytest
import tensorflow as tf
from hypothesis import given, settings
from hypothesis import strategies as st

from solutions.atlas import recorded
from solutions.intermediate_activations import activation_gradients
from solutions.recurrent_outputs import (
    cell_gradients,
    initial_state_gradients,
    returned_gradients,
    time_step_gradients,
)

LESSON = "Lesson: recurrent_outputs."
UNITS, FEATURES = 2, 3
X = np.array(
    [
        [[0.5, 1.0, -0.5], [-1.0, 0.25, 0.0], [0.75, -0.5, 2.0], [0.0, 1.5, -1.0]],
        [[1.0, 0.0, 0.5], [0.5, 2.0, -0.25], [-1.0, 1.0, 0.25], [0.5, -0.75, 1.0]],
    ]
)
W = np.array([[1.0, -2.0], [0.5, 3.0], [-1.5, 1.0], [2.0, 0.25]])  # a weight for each step, unit


# --- an oracle that knows neither Keras nor tapes -------------------------------------------


def sigmoid(z):
    return 1.0 / (1.0 + np.exp(-z))


def simple_step(weights, x, states):
    kernel, recurrent, bias = weights
    return [np.tanh(x @ kernel + states[0] @ recurrent + bias)]


def lstm_step(weights, x, states):
    kernel, recurrent, bias = weights
    i, f, g, o = np.split(x @ kernel + states[0] @ recurrent + bias, 4, axis=-1)
    c = sigmoid(f) * states[1] + sigmoid(i) * np.tanh(g)
    return [sigmoid(o) * np.tanh(c), c]


def gru_step(weights, x, states):
    kernel, recurrent, (b_in, b_state) = weights
    xz, xr, xh = np.split(x @ kernel + b_in, 3, axis=-1)
    hz, hr, hh = np.split(states[0] @ recurrent + b_state, 3, axis=-1)
    z, r = sigmoid(xz + hz), sigmoid(xr + hr)
    return [z * states[0] + (1.0 - z) * np.tanh(xh + r * hh)]


KINDS = {
    "SimpleRNN": (keras.layers.SimpleRNN, simple_step, 1),
    "GRU": (keras.layers.GRU, gru_step, 1),
    "LSTM": (keras.layers.LSTM, lstm_step, 2),
}


def replay(step, weights, x, start, moved=None):
    """All steps' states, (number of states, time, batch, units); `moved` adds to outputs."""
    states, kept = [np.array(s) for s in start], []
    for t in range(x.shape[1]):
        states = step(weights, x[:, t], states)
        if moved is not None:
            states[0] = states[0] + moved[:, t]
        kept.append(states)
    return np.array(kept).swapaxes(0, 1)


def numeric(function, at):
    """Central differences of a scalar function of one float64 array."""
    found = np.zeros_like(at)
    for place in np.ndindex(*at.shape):
        nudge = np.zeros_like(at)
        nudge[place] = 1e-6
        found[place] = (function(at + nudge) - function(at - nudge)) / 2e-6
    return found


def make(kind, **options):
    layer = KINDS[kind][0](UNITS, dtype="float64", name="rnn", **options)
    layer.build((2, 4, FEATURES))
    values = np.sin(np.arange(200.0) * 1.3 + 1.0)
    weights, at = [], 0
    for weight in layer.trainable_weights:
        size = int(np.prod(weight.shape))
        weights.append(values[at : at + size].reshape(weight.shape))
        at += size
    layer.set_weights(weights)
    return layer, weights


def zeros(kind):
    return [np.zeros((2, UNITS))] * KINDS[kind][2]


def of_sequence(sequence, *_):
    """A target that weighs every step of a sequence, for tensors and arrays."""
    return (sequence**2 * W).sum() if isinstance(sequence, np.ndarray) else tf_sum(sequence)


def tf_sum(sequence):
    return tf.reduce_sum(sequence**2 * W)


def total_by_replay(kind, weights, target, start=None, x=X):
    """The total derivative by each step's output: add to it, and run on."""
    step, start = KINDS[kind][1], start or zeros(kind)

    def value(moved):
        return target(replay(step, weights, x, start, moved)[0].swapaxes(0, 1))

    return numeric(value, np.zeros((2, x.shape[1], UNITS)))


def message(error, function, *arguments):
    with pytest.raises(error) as caught:
        function(*arguments)
    return str(caught.value)


@pytest.mark.parametrize("kind", KINDS)
def test_the_replay_is_the_layer(kind):
    layer, weights = make(kind, return_sequences=True)
    kept = replay(KINDS[kind][1], weights, X, zeros(kind))
    np.testing.assert_allclose(layer(X), kept[0].swapaxes(0, 1), rtol=1e-9)


# --- time_step_gradients ----------------------------------------------------------------------


@pytest.mark.parametrize("unroll", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_each_step_of_a_sequence_against_a_replay(kind, unroll):
    layer, weights = make(kind, return_sequences=True, unroll=unroll)
    found = time_step_gradients(layer, X, of_sequence)
    assert found.dtype == tf.float64
    np.testing.assert_allclose(found, total_by_replay(kind, weights, of_sequence), atol=1e-7)


@pytest.mark.parametrize("kind", KINDS)
def test_a_last_output_and_an_equal_state_move_together(kind):
    layer, weights = make(kind, return_state=True)
    found = time_step_gradients(layer, X, lambda y, h, *c: tf.reduce_sum(y * W[0] + h**2))
    expected = total_by_replay(kind, weights, lambda s: (s[:, -1] * W[0] + s[:, -1] ** 2).sum())
    np.testing.assert_allclose(found, expected, atol=1e-7)


@given(
    x=hnp.arrays(np.float64, (2, 4, FEATURES), elements=st.floats(-2, 2, width=32)),
    recurrent=hnp.arrays(np.float64, (UNITS, UNITS), elements=st.floats(-2, 2, width=32)),
)
@settings(max_examples=8)
def test_bptt_by_hand(x, recurrent):
    """The formula of the lesson, for a SimpleRNN whose sum of squares is differentiated."""
    layer, (kernel, _, bias) = make("SimpleRNN", return_sequences=True)
    layer.set_weights([kernel, recurrent, bias])
    states = replay(simple_step, [kernel, recurrent, bias], x, zeros("SimpleRNN"))[0]
    by_hand, after = [], np.zeros((2, UNITS))
    for h in states[::-1]:
        by_hand.insert(0, 2 * h + after)
        after = ((1 - h**2) * by_hand[0]) @ recurrent.T
    found = time_step_gradients(layer, x, lambda s: tf.reduce_sum(s**2))
    np.testing.assert_allclose(found, np.stack(by_hand, axis=1), rtol=1e-8, atol=1e-10)


def test_a_layer_that_reads_backwards_keeps_the_order_of_x():
    layer, weights = make("GRU", return_sequences=True, go_backwards=True)
    found = time_step_gradients(layer, X, of_sequence)
    as_read = total_by_replay("GRU", weights, of_sequence, x=X[:, ::-1])
    np.testing.assert_allclose(found, as_read[:, ::-1], atol=1e-7)


def test_a_stateful_layer_starts_from_its_states_and_keeps_them():
    layer, weights = make("LSTM", return_sequences=True, stateful=True)
    layer(X)
    start = [state.numpy() for state in layer.states]
    assert np.abs(start).min() > 0
    found = time_step_gradients(layer, X, of_sequence)
    expected = total_by_replay("LSTM", weights, of_sequence, start)
    np.testing.assert_allclose(found, expected, atol=1e-7)
    np.testing.assert_array_equal([state.numpy() for state in layer.states], start)


def test_masked_steps_are_skipped():
    """A masked step hands on the state before it, so what it would have returned is unused."""
    x = np.concatenate([X[:1, :2], np.zeros((1, 2, FEATURES))], axis=1)
    layer, weights = make("SimpleRNN")
    masked = keras.layers.Masking(dtype="float64")(x)
    found = time_step_gradients(layer, masked, lambda y: tf.reduce_sum(y**2))
    states = replay(simple_step, weights, x[:, :2], [np.zeros((1, UNITS))])[0]
    second = 2 * states[1]
    first = ((1 - states[1] ** 2) * second) @ weights[1].T
    np.testing.assert_allclose(found[0], [*first, *second, [0, 0], [0, 0]], rtol=1e-9)
    with tf.GradientTape() as tape:  # of the returned sequence, the last row is used all the same
        sequence = make("SimpleRNN", return_sequences=True)[0](masked)
        last = tf.reduce_sum(sequence[:, -1])
    rows = tape.gradient(last, sequence)[0]
    np.testing.assert_array_equal(rows, [[0, 0], [0, 0], [0, 0], [1, 1]])


def test_zero_output_for_mask_is_kept():
    x = np.concatenate([X[:1, :2], np.zeros((1, 2, FEATURES))], axis=1)
    cell = keras.layers.SimpleRNNCell(UNITS, dtype="float64")
    layer = keras.layers.RNN(
        cell, return_sequences=True, zero_output_for_mask=True, dtype="float64"
    )
    masked = keras.layers.Masking(dtype="float64")(x)
    layer(masked)
    found = time_step_gradients(layer, masked, lambda s: tf.reduce_sum(s[:, -1] + s[:, 1]))
    np.testing.assert_allclose(found[0, 1:], [[1, 1], [0, 0], [0, 0]])


class Scaled(keras.layers.Layer):
    """A cell whose output is not its state, of another width."""

    state_size, output_size = UNITS, 1

    def __init__(self):
        super().__init__(dtype="float64")
        self.built = True

    def call(self, inputs, states):
        state = states[0] * 0.5 + inputs[:, :UNITS]
        return state[:, :1] * 3.0, [state]


class Counting(keras.layers.Layer):
    """A leaky counter that returns its state as its output; no `output_size`."""

    state_size = UNITS

    def __init__(self):
        super().__init__(dtype="float64")
        self.built = True
        self.kept = []

    def call(self, inputs, states):
        state = states[0] * 0.5 + inputs[:, :UNITS]
        self.kept.append(state)
        return state, state


def test_an_output_that_is_no_state_moves_alone():
    layer = keras.layers.RNN(Scaled(), return_sequences=True, dtype="float64")
    layer(X)
    found = time_step_gradients(layer, X, lambda s: tf.reduce_sum(s * W[:, :1]))
    np.testing.assert_allclose(found, np.stack([W[:, :1]] * 2))


def test_a_cell_without_output_size():
    layer = keras.layers.RNN(Counting(), dtype="float64")
    layer(X)
    found = time_step_gradients(layer, X, lambda y: tf.reduce_sum(y))
    np.testing.assert_allclose(found[1, :, 0], [0.125, 0.25, 0.5, 1.0])


def test_stacked_cells_move_the_last_ones_output():
    cells = [keras.layers.LSTMCell(3), keras.layers.SimpleRNNCell(UNITS, activation=None)]
    layer = keras.layers.RNN(cells)
    layer(X)
    recurrent = np.array([[0.5, 0.0], [0.25, 0.5]])
    cells[1].set_weights([cells[1].get_weights()[0], recurrent, np.zeros(UNITS)])
    found = time_step_gradients(layer, X, lambda y: tf.reduce_sum(y))
    expected = [np.linalg.matrix_power(recurrent, n) @ [1.0, 1.0] for n in (3, 2, 1, 0)]
    np.testing.assert_allclose(found[0], expected, rtol=1e-5)


@pytest.mark.parametrize("jit", [False, True])
def test_in_a_graph_of_unknown_length(jit):
    layer, weights = make("LSTM")
    shape = (2, 4, FEATURES) if jit else (None, None, FEATURES)

    @tf.function(input_signature=[tf.TensorSpec(shape, tf.float64)], jit_compile=jit)
    def run(x):
        return time_step_gradients(layer, x, lambda y: tf.reduce_sum(y**2))

    expected = total_by_replay("LSTM", weights, lambda s: (s[:, -1] ** 2).sum())
    np.testing.assert_allclose(run(X), expected, atol=1e-7)
    if not jit:
        assert run(X[:1, :3]).shape == (1, 3, UNITS)


@pytest.mark.parametrize("stateful", [False, True])
def test_half_precision_and_arrays_of_other_dtypes(stateful):
    layer = keras.layers.GRU(UNITS, dtype="mixed_float16", stateful=stateful)
    layer(X)
    found = time_step_gradients(layer, X.astype("float32"), lambda y: tf.reduce_sum(y))
    assert found.dtype == tf.float16
    np.testing.assert_array_equal(found[:, -1], np.ones((2, UNITS)))


def test_what_time_step_gradients_refuses():
    layer, _ = make("SimpleRNN")
    assert message(ValueError, time_step_gradients, layer, X[0], tf.reduce_sum) == (
        "time_step_gradients: x has shape (4, 3). The probe needs a batch of sequences of vectors, "
        "(batch, time, features). For one sequence of numbers: x[tf.newaxis, :, tf.newaxis]. "
        + LESSON
    )
    fresh = keras.layers.SimpleRNN(UNITS, name="fresh")
    assert message(ValueError, time_step_gradients, fresh, X, tf.reduce_sum) == (
        "time_step_gradients: 'fresh' was never called, so its weights do not exist yet. Call it "
        f"once on data of the right shape: rnn(x). {LESSON}"
    )
    dense = keras.layers.Dense(1, name="dense")
    assert message(TypeError, time_step_gradients, dense, X, tf.reduce_sum) == refused(
        "time_step_gradients", "'dense' is a Dense"
    )
    assert message(
        ValueError, time_step_gradients, layer, X, lambda y: tf.constant(1.0)
    ) == nothing_found("time_step_gradients", "the steps of the RNN")


def refused(called, what):
    return (
        f"{called}: {what}, and only a keras.layers.RNN (SimpleRNN, GRU, LSTM) has a cell that "
        "runs once a time step. For a Bidirectional or TimeDistributed layer, pass the RNN inside "
        f"it. {LESSON}"
    )


def nothing_found(called, what):
    return (
        f"{called}: the tape returned None. The target was not computed from {what}: compute it "
        "from the arguments that it is called with, by TensorFlow operations that have "
        f"derivatives. {LESSON}"
    )


# --- returned_gradients -----------------------------------------------------------------------


def of_all(sequence, h, c):
    return tf.reduce_sum(sequence**2 * W) + tf.reduce_sum(h * c + c**2)


@pytest.mark.parametrize("unroll", [False, True])
@pytest.mark.parametrize("mode", ["eager", "graph"])
def test_partial_gradients_of_an_lstm_in_every_mode(mode, unroll):
    layer, _ = make("LSTM", return_sequences=True, return_state=True, unroll=unroll)
    sequence, h, c = (np.array(t) for t in layer(X))

    def run(x):
        return returned_gradients(layer, x, of_all)

    found = (run if mode == "eager" else tf.function(run))(tf.constant(X))
    for got, expected in zip(found, [2 * sequence * W, c, h + 2 * c], strict=True):
        np.testing.assert_allclose(got, expected, rtol=1e-9)


def test_without_copies_eager_and_graph_disagree():
    """What the lesson shows: in eager code the gradient at `c` has the path through `h`."""
    layer, _ = make("LSTM", return_state=True)

    def at_c(x):
        with tf.GradientTape() as tape:
            _, h, c = layer(x)
            value = tf.reduce_sum(h + c)
        return tape.gradient(value, c)

    _, h, c = (np.array(t) for t in layer(X))
    total = 1 + h / np.tanh(c) * (1 - np.tanh(c) ** 2)
    np.testing.assert_allclose(at_c(tf.constant(X)), total, rtol=1e-9)
    np.testing.assert_array_equal(tf.function(at_c)(tf.constant(X)), np.ones((2, UNITS)))
    layer.unroll = True  # no loop, so the path is there in both modes
    for run in (at_c, tf.function(lambda x: at_c(x))):
        np.testing.assert_allclose(run(tf.constant(X)), total, rtol=1e-9)


def test_what_the_target_does_not_use_has_zeros():
    layer, _ = make("LSTM", return_state=True, unroll=True)
    output, h, c = returned_gradients(layer, X, lambda output, h, c: 3.0 * tf.reduce_sum(h))
    np.testing.assert_array_equal([output, h, c], [np.full((2, 2), n) for n in (0, 3, 0)])
    assert output.dtype == tf.float64


def test_a_wrapper_and_a_single_output():
    inner, _ = make("SimpleRNN", return_state=True)
    both = keras.layers.Bidirectional(inner, dtype="float64")
    found = returned_gradients(both, X, lambda y, h, back: tf.reduce_sum(2.0 * y + 0.0 * h[0, 0]))
    assert [g.shape for g in found] == [(2, 4), (2, 2), (2, 2)]
    np.testing.assert_array_equal(found[0], np.full((2, 4), 2.0))
    layer, _ = make("GRU")
    (only,) = returned_gradients(layer, X, lambda y: tf.reduce_sum(y**2))
    np.testing.assert_allclose(only, 2 * np.array(layer(X)))


def test_what_returned_gradients_refuses():
    layer, _ = make("GRU")
    assert message(
        ValueError, returned_gradients, layer, X, lambda y: tf.constant(1.0)
    ) == nothing_found("returned_gradients", "what the RNN returned")
    assert "returned a tensor of shape (2, 2)" in message(
        ValueError, returned_gradients, layer, X, lambda y: y
    )
    assert "`target` is 3 and must be callable" in message(
        TypeError, returned_gradients, layer, X, 3
    )


# --- cell_gradients ---------------------------------------------------------------------------


def model_around(rnn, then=lambda y: y):
    inputs = keras.Input((4, FEATURES), dtype="float64")
    return keras.Model(inputs, then(rnn(inputs)))


@pytest.mark.parametrize("kind", KINDS)
def test_output_and_state_add_up_to_the_total(kind):
    layer, weights = make(kind, return_sequences=True)
    sequence = np.array(layer(X))
    found = cell_gradients(model_around(layer), X, of_sequence, "rnn")
    assert layer.unroll is False and len(found) == 4
    outputs = np.stack([output for output, _ in found], axis=1)
    np.testing.assert_allclose(outputs, 2 * sequence * W, rtol=1e-9)  # partial
    totals = np.stack([output + states[0] for output, states in found], axis=1)
    np.testing.assert_allclose(totals, total_by_replay(kind, weights, of_sequence), atol=1e-7)
    assert all(len(states) == KINDS[kind][2] for _, states in found)
    np.testing.assert_array_equal(found[-1][1], zeros(kind))  # no step uses the last state


def test_both_halves_of_a_bidirectional_layer():
    inner, _ = make("SimpleRNN", return_sequences=True)
    both = keras.layers.Bidirectional(inner, name="both", dtype="float64")
    model = model_around(both)

    def first_day(y):
        return tf.reduce_sum(y[:, 0])

    forward = cell_gradients(model, X, first_day, "both/forward_rnn")
    backward = cell_gradients(model, X, first_day, "both/backward_rnn")
    np.testing.assert_array_equal([output[0, 0] for output, _ in forward], [1, 0, 0, 0])
    np.testing.assert_array_equal([output[0, 0] for output, _ in backward], [0, 0, 0, 1])
    rows = activation_gradients(model, X, first_day, "both/backward_rnn")["both/backward_rnn"]
    np.testing.assert_array_equal(rows[0][0, :, 0], [0, 0, 0, 1])  # in the order of reading


def test_a_layer_that_was_unrolled_stays_so_and_an_error_leaves_no_trace():
    unrolled, _ = make("GRU", unroll=True)
    cell_gradients(model_around(unrolled), X, tf.reduce_sum, "rnn")
    assert unrolled.unroll is True
    layer, _ = make("GRU")
    with pytest.raises(ZeroDivisionError):
        cell_gradients(model_around(layer), X, lambda y: 1 / 0, "rnn")
    assert layer.unroll is False


def test_in_a_graph_the_cells_are_captured_too():
    layer, weights = make("LSTM")
    model = model_around(layer)
    run = tf.function(lambda x: cell_gradients(model, x, lambda y: tf.reduce_sum(y**2), "rnn"))
    totals = np.stack([output + states[0] for output, states in run(tf.constant(X))], axis=1)
    expected = total_by_replay("LSTM", weights, lambda s: (s[:, -1] ** 2).sum())
    np.testing.assert_allclose(totals, expected, atol=1e-7)


def test_what_cell_gradients_refuses():
    layer, _ = make("GRU")
    model = model_around(layer, keras.layers.Dense(1, name="head", dtype="float64"))
    assert message(TypeError, cell_gradients, model, X, tf.reduce_sum, "head") == refused(
        "cell_gradients", "'head' is a Dense"
    )
    said = message(ValueError, cell_gradients, model, X, tf.reduce_sum, "rn")
    assert said.startswith("No layer of this model has the path 'rn'. Did you mean 'rnn'")
    assert "returned a tensor of shape (2, 1)" in message(
        ValueError, cell_gradients, model, X, lambda y: y, "rnn"
    )


# --- initial_state_gradients --------------------------------------------------------------------

STARTS = [np.array([[0.5, -0.25], [0.75, 1.0]]), np.array([[-1.0, 0.5], [0.25, 0.0]])]


@pytest.mark.parametrize("stateful", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_start_states_against_a_replay(kind, stateful):
    layer, weights = make(kind, return_sequences=True, stateful=stateful)
    starts = STARTS[: KINDS[kind][2]]
    found = initial_state_gradients(layer, X, of_sequence, starts)
    assert len(found) == len(starts)

    def value(states):
        kept = replay(KINDS[kind][1], weights, X, states)
        return of_sequence(kept[0].swapaxes(0, 1))

    np.testing.assert_allclose(found, numeric(value, np.array(starts)), atol=1e-7)


def test_a_chunk_starts_where_the_last_one_ended():
    """The gradient at a chunk's start is the whole sequence's at the step before."""
    layer, weights = make("GRU")
    end = layer(X[:, :2])
    (found,) = initial_state_gradients(layer, X[:, 2:], lambda y: tf.reduce_sum(y**2), end)
    whole = total_by_replay("GRU", weights, lambda s: (s[:, -1] ** 2).sum())
    np.testing.assert_allclose(found, whole[:, 1], atol=1e-7)


def test_integers_become_floats_and_an_unused_state_has_zeros():
    layer, _ = make("LSTM", return_state=True)
    kernel, recurrent, bias = layer.get_weights()
    layer.set_weights([kernel, recurrent * 0.0, bias])
    ones = [tf.ones((2, UNITS), tf.int32)] * 2
    h, c = initial_state_gradients(layer, X, lambda y, h, c: tf.reduce_sum(c), ones)
    assert h.dtype == c.dtype == tf.float64 and not np.any(h) and np.all(c)

    class Forgets(Counting):
        state_size = (UNITS, UNITS)

        def call(self, inputs, states):
            return states[0], [states[0], inputs[:, :UNITS]]

    forgets = keras.layers.RNN(Forgets(), dtype="float64")
    kept, dropped = initial_state_gradients(forgets, X, lambda y: tf.reduce_sum(y), ones)
    np.testing.assert_array_equal([kept, dropped], [np.ones((2, 2)), np.zeros((2, 2))])


def test_stacked_cells_take_their_states_in_a_row():
    cells = [keras.layers.LSTMCell(3), keras.layers.SimpleRNNCell(UNITS, activation=None)]
    layer = keras.layers.RNN(cells)
    layer(X)
    states = [tf.zeros((2, 3)), tf.zeros((2, 3)), tf.zeros((2, UNITS))]
    found = initial_state_gradients(layer, X, lambda y: tf.reduce_sum(y), states)
    assert [g.shape for g in found] == [(2, 3), (2, 3), (2, UNITS)]
    recurrent = np.linalg.matrix_power(cells[1].get_weights()[1], 4)
    np.testing.assert_allclose(found[2][0], recurrent @ [1.0, 1.0], rtol=1e-4)


def test_what_initial_state_gradients_refuses():
    layer, _ = make("LSTM")
    assert message(ValueError, initial_state_gradients, layer, X, tf.reduce_sum, STARTS[:1]) == (
        "initial_state_gradients got 1 states, and 'rnn' starts from 2: one for a SimpleRNN or "
        "GRU, `[h, c]` for an LSTM. `rnn.get_initial_state(batch)` shows what they look like. "
        + LESSON
    )
    dense = keras.layers.Dense(1, name="dense")
    assert message(TypeError, initial_state_gradients, dense, X, tf.reduce_sum, STARTS) == refused(
        "initial_state_gradients", "'dense' is a Dense"
    )
    assert message(TypeError, initial_state_gradients, 3, X, tf.reduce_sum, STARTS) == refused(
        "initial_state_gradients", "3 is a int"
    )
    assert message(
        ValueError, initial_state_gradients, layer, X, lambda y: tf.constant(1.0), STARTS
    ) == nothing_found("initial_state_gradients", "the states it started from")


# --- what the lesson says -------------------------------------------------------------------------


def test_the_mean_over_time_gives_every_step_the_same_partial_gradient():
    layer, _ = make("SimpleRNN", return_sequences=True)
    pooled = keras.layers.GlobalAveragePooling1D(dtype="float64")
    (found,) = returned_gradients(layer, X, lambda s: tf.reduce_sum(pooled(s)))
    np.testing.assert_allclose(found, np.full((2, 4, UNITS), 0.25))


def test_an_eager_loop_calls_its_cell_once_more_than_there_are_steps():
    cell = Counting()
    layer = keras.layers.RNN(cell, dtype="float64")
    layer(X)
    cell.kept.clear()
    with tf.GradientTape() as tape:
        tape.watch(x := tf.constant(X))
        value = tf.reduce_sum(layer(x))
    gradients = tape.gradient(value, cell.kept)
    assert [g is None for g in gradients] == [True, False, False, False, False]
    cell.kept.clear()
    tf.function(layer)(x)
    assert len(cell.kept) == 2 and not hasattr(cell.kept[0], "numpy")


def test_an_unknown_length_cannot_be_unrolled():
    layer, _ = make("GRU", unroll=True)
    anything = tf.TensorSpec((None, None, FEATURES), tf.float64)
    said = message(ValueError, tf.function(layer).get_concrete_function, anything)
    assert "Cannot unroll a RNN if the time dimension is undefined" in said


def test_a_watched_start_state_that_is_not_handed_over_is_none():
    layer, _ = make("GRU", stateful=True)
    start = tf.constant(STARTS[0])
    with tf.GradientTape() as tape:
        tape.watch(start)
        early = layer(X)
        value = tf.reduce_sum(layer(X))
    assert tape.gradient(value, [start, early]) == [None, None]


def test_every_recorded_release_gave_zeros_at_the_earlier_steps():
    assert list(recorded("earlier_steps").values()) == ["zeros (1, 2, 2)"]
