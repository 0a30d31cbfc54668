"""`solutions.variables_and_state` against hand derivatives and finite differences, errors included.

The last part runs what the lesson's text and table claim about TensorFlow and Keras themselves.
"""

import keras
import numpy as np
import pytest
import tensorflow as tf
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from solutions.variables_and_state import (
    gradient_descent,
    maml_gradients,
    truncated_backpropagation,
    untracked_variables,
)

LESSON = "Lesson: variables_and_state."
few = settings(max_examples=25, deadline=None)
numbers = st.floats(-2.0, 2.0)
X = np.array([[1.0, 2.0], [0.0, -1.0], [3.0, 1.0]])
Y = np.array([1.0, 0.5, -1.0])


def differences(function, x, step=1e-6):
    """Central differences of a float64 NumPy function of an array, one entry at a time."""
    x = np.asarray(x, np.float64)
    gradient = np.zeros_like(x)
    for place in np.ndindex(x.shape):
        move = np.zeros_like(x)
        move[place] = step
        gradient[place] = (function(x + move) - function(x - move)) / (2 * step)
    return gradient


def float64_variable(value, **options):
    return tf.Variable(value, dtype=tf.float64, **options)


def no_variable(what, kind):
    return (
        f"{what} is a {kind}, no variable. Arithmetic on a variable, such as w - rate * g, makes a "
        "tensor, which no tape watches by itself and nobody can assign to. Make the variable once "
        f"with tf.Variable, and change it with assign or assign_sub. {LESSON}"
    )


def no_gradient(called, missing, total, what):
    return (
        f"{called}: the gradient came back None for variable {missing} of {total}. In this call, "
        f"{what} was not computed from it, or came by way of an assign, or the variable is not "
        "trainable. Compute it anew from the variables at each call, and carry new values as "
        f"tensors. {LESSON}"
    )


# --- gradient_descent ---------------------------------------------------------------------


@few
@given(start=numbers, goal=numbers, rate=st.floats(0.0, 0.9), steps=st.integers(0, 5))
def test_descent_on_a_parabola_shrinks_the_distance_by_one_factor(start, goal, rate, steps):
    w = float64_variable(start)
    losses = gradient_descent(lambda: (w - goal) ** 2, [w], rate, steps)
    distance = (start - goal) * (1 - 2 * rate) ** np.arange(steps + 1)
    assert len(losses) == steps and all(loss.shape == () for loss in losses)
    np.testing.assert_allclose(losses, distance[:-1] ** 2, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(w, goal + distance[-1], rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("kind", [float64_variable, lambda v: keras.Variable(v, dtype="float64")])
def test_descent_changes_all_variables_at_once_whatever_their_kind(kind):
    slope, bias = kind(np.array([2.0, -1.0])), kind(0.5)

    def loss_function():
        return tf.reduce_mean((tf.linalg.matvec(X, tf.convert_to_tensor(slope)) + bias - Y) ** 2)

    losses = gradient_descent(loss_function, (slope, bias), 0.05, 3)
    a, b, expected = np.array([2.0, -1.0]), 0.5, []
    for _ in range(3):
        error = X @ a + b - Y
        expected.append(np.mean(error**2))
        a, b = a - 0.05 * 2 * X.T @ error / 3, b - 0.05 * 2 * error.mean()
    np.testing.assert_allclose(losses, expected, rtol=1e-6)
    np.testing.assert_allclose(slope.numpy(), a, rtol=1e-6)
    np.testing.assert_allclose(bias.numpy(), b, rtol=1e-6)


def test_descent_refuses_a_tensor_among_the_variables():
    w = tf.Variable(3.0)
    with pytest.raises(TypeError) as caught:
        gradient_descent(lambda: w**2, [w, w - 0.1], 0.1, 1)
    assert str(caught.value) == no_variable("gradient_descent: variables[1]", "EagerTensor")
    assert w.numpy() == 3.0


def test_descent_names_the_variables_that_the_loss_does_not_use_and_changes_none():
    w, v, constant = tf.Variable(3.0), tf.Variable(2.0), tf.Variable(1.0, trainable=False)
    with pytest.raises(ValueError) as caught:
        gradient_descent(lambda: constant * w**2, [v, w, constant], 0.1, 1)
    assert str(caught.value) == no_gradient("gradient_descent", "0, 2", 3, "loss_function()")
    assert [w.numpy(), v.numpy(), constant.numpy()] == [3.0, 2.0, 1.0]


# --- maml_gradients -----------------------------------------------------------------------


@few
@given(w=numbers, support=numbers, query=numbers, rate=st.floats(0.0, 1.0), a=st.floats(0.1, 2.0))
def test_maml_on_parabolas_is_the_chain_rule(w, support, query, rate, a):
    weight = float64_variable(w)
    loss, (gradient,) = maml_gradients(
        lambda weights, goal: a * (weights[0] - goal) ** 2, [weight], support, query, rate
    )
    fast = w - rate * 2 * a * (w - support)
    np.testing.assert_allclose(loss, a * (fast - query) ** 2, rtol=1e-9, atol=1e-12)
    by_hand = 2 * a * (fast - query) * (1 - 2 * a * rate)
    np.testing.assert_allclose(gradient, by_hand, rtol=1e-9, atol=1e-9)
    assert weight.numpy() == w


@few
@given(arrays.arrays(np.float64, 2, elements=numbers), numbers)
def test_maml_with_two_weights_moves_as_the_weights_move(slope, bias):
    def loss_function(weights, batch):
        x, y = batch
        return tf.reduce_mean(tf.exp((tf.linalg.matvec(x, weights[0]) + weights[1] - y) / 4))

    def after_one_step(a, b):
        e = np.exp((X @ a + b - Y) / 4) / 12  # each example's slope: exp' / 4 / 3 examples
        a, b = a - 0.1 * X.T @ e, b - 0.1 * e.sum()
        return np.mean(np.exp((-X @ a + b - 1.0) / 4))

    weights = (float64_variable(slope), float64_variable(bias))
    loss, gradients = maml_gradients(loss_function, weights, (X, Y), (-X, np.ones(3)), 0.1)
    np.testing.assert_allclose(loss, after_one_step(slope, bias), rtol=1e-6)
    numeric = differences(lambda a: after_one_step(a, bias), slope)
    np.testing.assert_allclose(gradients[0], numeric, rtol=1e-4, atol=1e-6)
    numeric = differences(lambda b: after_one_step(slope, b), bias)
    np.testing.assert_allclose(gradients[1], numeric, rtol=1e-4, atol=1e-6)


def test_maml_hands_over_lists_first_of_the_variables_then_of_tensors():
    seen = []

    def loss_function(weights, batch):
        seen.append((weights, batch))
        return weights[0] ** 2 * batch

    weight = tf.Variable(3.0)
    maml_gradients(loss_function, (weight,), tf.constant(1.0), tf.constant(2.0), 0.5)
    (first, support), (second, query) = seen
    assert type(first) is list and first[0] is weight and float(support) == 1.0
    assert type(second) is list and tf.is_tensor(second[0]) and float(query) == 2.0
    assert float(second[0]) == 0.0  # 3 - 0.5·6


def test_maml_takes_keras_variables_and_a_model_called_with_tensors():
    model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1, use_bias=False)])
    model.set_weights([np.array([[1.0], [-2.0]])])

    def loss_function(weights, x):
        return tf.reduce_sum(model.stateless_call(weights, [], x)[0])

    x, z = tf.constant([[1.0, 2.0]]), tf.constant([[0.5, -1.0]])
    loss, (gradient,) = maml_gradients(loss_function, model.trainable_variables, x, z, 0.25)
    assert float(loss) == pytest.approx(0.5 * 0.75 + 2.5)  # weights 1 - 0.25, -2 - 0.5
    np.testing.assert_allclose(gradient, [[0.5], [-1.0]])  # a linear loss: no second derivative


def test_maml_names_the_loss_that_does_not_depend_on_the_weights():
    w, v = tf.Variable(3.0), tf.Variable(1.0)
    with pytest.raises(ValueError) as caught:
        maml_gradients(lambda weights, _: weights[0] ** 2, [w, v], None, None, 0.1)
    assert str(caught.value) == no_gradient("maml_gradients", "1", 2, "the support loss")

    def only_the_first_call(weights, query):
        return w**2 if query is None else tf.constant(1.0)

    with pytest.raises(ValueError) as caught:
        maml_gradients(only_the_first_call, [w], None, 1.0, 0.1)
    assert str(caught.value) == no_gradient("maml_gradients", "0", 1, "the query loss")


def test_maml_refuses_tensors_as_weights():
    with pytest.raises(TypeError) as caught:
        maml_gradients(lambda weights, _: weights[0] ** 2, [np.ones(2)], None, None, 0.1)
    assert str(caught.value) == no_variable("maml_gradients: weights[0]", "ndarray")


# --- truncated_backpropagation ------------------------------------------------------------


def unrolled(write, keep, state, inputs):
    """The recurrent cell of the tests in NumPy: total loss and last state."""
    total = 0.0
    for x in inputs:
        state = np.tanh(state @ keep + x * write)
        total += np.sum(state**2)
    return total, state


@few
@given(
    arrays.arrays(np.float64, 2, elements=numbers),
    arrays.arrays(np.float64, (2, 2), elements=numbers),
    arrays.arrays(np.float64, 2, elements=numbers),
    arrays.arrays(np.float64, st.integers(1, 4), elements=numbers),
)
def test_backpropagation_goes_through_all_steps(write, keep, start, inputs):
    by_write, by_keep = float64_variable(write), float64_variable(keep)
    memory = float64_variable(start, trainable=False)

    def step(state, x):
        state = tf.tanh(tf.linalg.matvec(by_keep, state, transpose_a=True) + x * by_write)
        return state, tf.reduce_sum(state**2)

    total, gradients, returned = truncated_backpropagation(
        step, memory, inputs, [by_write, by_keep]
    )
    assert returned is memory
    expected, last = unrolled(write, keep, start, inputs)
    np.testing.assert_allclose(total, expected, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(memory, last, rtol=1e-9, atol=1e-12)
    numeric = (
        differences(lambda w: unrolled(w, keep, start, inputs)[0], write),
        differences(lambda k: unrolled(write, k, start, inputs)[0], keep),
    )
    np.testing.assert_allclose(gradients[0], numeric[0], rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(gradients[1], numeric[1], rtol=1e-4, atol=1e-6)


def average(w):
    def step(state, x):
        state = 0.5 * state + x * w
        return state, state**2

    return step


def test_the_next_chunk_begins_where_this_one_ended_and_is_a_constant_to_it():
    w, memory = tf.Variable(2.0), keras.Variable(4.0, trainable=False)
    total, (gradient,), _ = truncated_backpropagation(average(w), memory, [3.0], [w])
    assert (float(total), float(gradient), memory.numpy()) == (64.0, 48.0, 8.0)
    total, (gradient,), _ = truncated_backpropagation(average(w), memory, [1.0], [w])
    assert (float(total), float(gradient), memory.numpy()) == (36.0, 12.0, 6.0)  # 2·6·1


def test_a_trainable_memory_gets_the_gradient_of_the_first_state():
    w, memory = tf.Variable(2.0), tf.Variable(4.0)
    _, (by_memory,), _ = truncated_backpropagation(average(w), memory, iter([3.0]), [memory])
    assert float(by_memory) == 8.0  # 2·8·0.5


@pytest.mark.parametrize("inputs", [[], iter(())])
def test_backpropagation_needs_an_input(inputs):
    w, memory = tf.Variable(2.0), tf.Variable(4.0)
    with pytest.raises(ValueError) as caught:
        truncated_backpropagation(average(w), memory, inputs, [w])
    assert str(caught.value) == (
        "truncated_backpropagation: inputs is empty, so there is no loss. Give it at least one "
        f"input; a generator is empty after its first use. {LESSON}"
    )


def test_backpropagation_refuses_a_state_of_another_shape():
    w, memory = tf.Variable(2.0), tf.Variable([4.0, 4.0])
    with pytest.raises(ValueError) as caught:
        truncated_backpropagation(
            lambda state, x: (tf.reduce_sum(state), w * x), memory, [1.0], [w]
        )
    assert str(caught.value) == (
        "truncated_backpropagation: step returned a state of shape (), and memory has shape (2,). "
        "A variable keeps its shape. Return the next state first and the loss second, the state in "
        f"the shape it came in. {LESSON}"
    )
    assert memory.numpy().tolist() == [4.0, 4.0]


def test_backpropagation_names_a_variable_that_is_not_used_and_keeps_the_memory():
    w, v, memory = tf.Variable(2.0), tf.Variable(1.0), tf.Variable(4.0)
    with pytest.raises(ValueError) as caught:
        truncated_backpropagation(average(w), memory, [1.0], [w, v])
    assert str(caught.value) == no_gradient(
        "truncated_backpropagation", "1", 2, "the sum of the losses"
    )
    assert memory.numpy() == 4.0


def test_backpropagation_refuses_what_is_no_variable():
    w = tf.Variable(2.0)
    with pytest.raises(TypeError) as caught:
        truncated_backpropagation(average(w), 4.0, [1.0], [w])
    assert str(caught.value) == no_variable("truncated_backpropagation: memory", "float")
    with pytest.raises(TypeError) as caught:
        truncated_backpropagation(average(w), tf.Variable(4.0), [1.0], [w, w * 1])
    assert str(caught.value) == no_variable(
        "truncated_backpropagation: variables[1]", "EagerTensor"
    )


# --- untracked_variables ------------------------------------------------------------------


class Reads(keras.layers.Layer):
    """A layer whose function reads what it is given, out of Keras's sight."""

    def __init__(self, *hidden):
        super().__init__()
        self.function = lambda x: sum(v * x for v in hidden)

    def call(self, x):
        return self.function(x)


def test_untracked_variables_come_in_the_order_of_their_making():
    first, second = tf.Variable(1.0), tf.Variable(1.0)
    inside = keras.Variable(1.0)
    found = untracked_variables(Reads(inside, second, first), tf.ones((1, 2)))
    assert [v is w for v, w in zip(found, (first, second, inside.value), strict=True)] == [True] * 3


def test_a_frozen_layer_and_moving_statistics_are_tracked():
    frozen = keras.layers.Dense(1, trainable=False)
    lost = tf.Variable(2.0)
    model = keras.Sequential([frozen, keras.layers.BatchNormalization(), Reads(lost)])
    found = untracked_variables(model, tf.ones((2, 2)))  # not built before
    assert len(found) == 1 and found[0] is lost
    assert untracked_variables(frozen, tf.ones((2, 2))) == []


def test_an_untracked_variable_that_is_not_trainable_is_not_found():
    assert untracked_variables(Reads(tf.Variable(1.0, trainable=False)), tf.ones((1, 1))) == []


def test_untracked_variables_wants_a_keras_layer():
    with pytest.raises(TypeError) as caught:
        untracked_variables(tf.sin, tf.ones((1, 1)))
    assert str(caught.value) == (
        "untracked_variables(model, x) got a function, no Keras model. Its list of variables is "
        f"what is compared. Pass a Keras model or layer first. {LESSON}"
    )


# --- what the lesson says about TensorFlow and Keras --------------------------------------


def test_assign_passes_no_gradient_eagerly_and_in_a_function():
    w, memory = tf.Variable(2.0), tf.Variable(0.0)
    trainable = tf.Variable(0.0, trainable=True)

    def gradients(place):
        with tf.GradientTape(persistent=True) as tape:
            read_back = place.assign(w * 3.0)
            later = place * 2.0
        return tape.gradient(read_back, w), tape.gradient(later, w), later

    for place in (memory, trainable):
        for call in (gradients, tf.function(gradients)):
            *nothing, later = call(place)
            assert nothing == [None, None] and float(later) == 12.0


def test_a_rebound_name_can_be_watched_but_the_variable_stays_behind():
    variable = tf.Variable(3.0)
    w = variable - 0.4
    with tf.GradientTape() as tape:
        tape.watch(w)
        loss = (w - 1.0) ** 2
    assert float(tape.gradient(loss, w)) == pytest.approx(3.2)
    assert variable.numpy() == 3.0


def test_minus_equals():
    w, k = tf.Variable(3.0), keras.Variable(3.0)
    with pytest.raises(RuntimeError, match=r"`variable -= value` with .* is not supported"):
        w -= 1.0
    before = k
    k -= 1.0
    assert tf.is_tensor(k) and before.numpy() == 3.0


def test_what_is_no_variable_cannot_be_assigned_to_or_optimised():
    with pytest.raises(AttributeError, match="EagerTensor' object has no attribute 'assign_sub"):
        tf.zeros(2).assign_sub(tf.ones(2))
    optimizer = keras.optimizers.SGD(0.1)
    with pytest.raises(AttributeError, match="EagerTensor' object has no attribute '_unique_id'"):
        optimizer.apply_gradients([(tf.ones(2), tf.zeros(2))])
    with pytest.raises(AttributeError, match="'SGD' object has no attribute 'minimize'"):
        optimizer.minimize(lambda: 1.0, [])
    w = tf.Variable([1.0, 2.0])
    optimizer.apply_gradients([(tf.ones(2), w)])
    np.testing.assert_allclose(w, [0.9, 1.9])


def test_unconnected_gradients_and_a_keras_variable():
    dense = keras.layers.Dense(1, use_bias=False)
    x = tf.ones((1, 2))
    dense(x)

    def ask(value, source, how):
        with tf.GradientTape() as tape:
            y = value()
        return tape.gradient(y, source, unconnected_gradients=how)

    def used():
        return dense(x)

    def unused():
        return x * 2

    for how in ("zero", tf.UnconnectedGradients.ZERO):
        with pytest.raises(AttributeError, match="'str' object has no attribute '_type_enum'"):
            ask(unused, dense.kernel, how)
        assert ask(unused, dense.kernel.value, how).numpy().tolist() == [[0.0], [0.0]]
        assert ask(used, dense.kernel, how).numpy().tolist() == [[1.0], [1.0]]


@pytest.mark.filterwarnings("ignore")
def test_start_state_of_a_stateful_rnn():
    rnn = keras.layers.SimpleRNN(2, stateful=True)
    x, start = tf.ones((1, 3, 1)), tf.constant([[0.5, -0.5]])
    rnn(x)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(start)
        rnn.states[0].assign(start)
        by_assign = rnn(x)
        by_argument = rnn(x, initial_state=start)
    assert tape.gradient(by_assign, start) is None
    assert tape.gradient(by_argument, start).shape == (1, 2)


def test_a_clone_has_variables_of_its_own():
    model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1)])
    clone = keras.models.clone_model(model)
    with tf.GradientTape() as tape:
        y = clone(tf.ones((1, 2)))
    assert tape.gradient(y, model.trainable_variables) == [None, None]


def test_flags_set_later_change_lists_and_not_the_tape():
    class Constant(keras.layers.Layer):
        def build(self, shape):
            self.kernel = self.add_weight(shape=(2, 1), initializer="ones", trainable=False)

        def call(self, x):
            return x @ self.kernel

    def gradient(layer, source):
        with tf.GradientTape() as tape:
            y = layer(tf.ones((1, 2)))
        return tape.gradient(y, source)

    early = keras.layers.Dense(1, use_bias=False)
    early.trainable = False
    early.build((None, 2))
    assert early.trainable_variables == [] and gradient(early, early.kernel) is not None

    constant = Constant()
    constant.build((None, 2))
    assert gradient(constant, constant.kernel) is None
    constant.kernel.trainable = True
    assert len(constant.trainable_variables) == 1 and gradient(constant, constant.kernel) is None
    with tf.GradientTape() as tape:
        tape.watch(constant.kernel.value)
        y = constant(tf.ones((1, 2)))
    assert tape.gradient(y, constant.kernel).numpy().tolist() == [[1.0], [1.0]]


def test_a_model_or_a_value_may_be_the_argument_of_a_function_a_keras_variable_may_not():
    dense = keras.layers.Dense(1, use_bias=False)
    dense(tf.ones((1, 2)))

    @tf.function
    def by_variable(kernel):
        with tf.GradientTape() as tape:
            y = tf.ones((1, 2)) @ kernel
        return tape.gradient(y, kernel)

    @tf.function
    def by_model(model):
        with tf.GradientTape() as tape:
            y = model(tf.ones((1, 2)))
        return tape.gradient(y, model.trainable_variables)

    assert by_variable(dense.kernel) is None
    assert by_variable(dense.kernel.value).shape == (2, 1)
    assert by_model(dense)[0].shape == (2, 1)


def test_a_layer_given_to_lambda_is_tracked_one_that_its_function_calls_is_not():
    inner = keras.layers.Dense(1)
    x = tf.ones((1, 2))
    direct, wrapped = keras.layers.Lambda(inner), keras.layers.Lambda(lambda x: inner(x))
    assert direct(x).shape == wrapped(x).shape
    assert (len(direct.variables), len(wrapped.variables)) == (2, 0)


def test_an_optimizer_as_the_inner_step_leaves_the_second_derivative_out():
    w, optimizer = tf.Variable(3.0), keras.optimizers.SGD(0.1)
    optimizer.build([w])
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            support_loss = (w - 1.0) ** 2
        optimizer.apply_gradients([(inner.gradient(support_loss, w), w)])
        query_loss = (w - 5.0) ** 2
    assert w.numpy() == pytest.approx(2.6)
    assert float(outer.gradient(query_loss, w)) == pytest.approx(-4.8)  # and not -3.84


def test_lost_variables_can_be_trained_if_they_are_handed_over():
    lost = tf.Variable(2.0)
    model = keras.Sequential([keras.Input((1,)), keras.layers.Dense(1), Reads(lost)])
    x = tf.ones((1, 1))
    variables = [*model.trainable_variables, *untracked_variables(model, x)]
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(model(x))
    gradients = tape.gradient(loss, variables)
    optimizer = keras.optimizers.SGD(0.5)
    optimizer.apply_gradients(zip(gradients, variables, strict=True))
    assert float(lost) == pytest.approx(2.0 - 0.5 * float(gradients[-1]))
    assert float(gradients[-1]) != 0.0


def test_frozen_batch_normalisation_uses_its_moving_statistics():
    norm = keras.layers.BatchNormalization(epsilon=0.0)
    x = tf.constant([[1.0], [3.0]])

    def output_and_gradient():
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = norm(x, training=True)
        return y.numpy().ravel(), tape.gradient(y, x).numpy().ravel()

    norm.build((None, 1))
    norm.trainable = False
    y, slope = output_and_gradient()
    np.testing.assert_allclose(y, [1.0, 3.0])  # mean 0, variance 1
    np.testing.assert_allclose(slope, [1.0, 1.0])
    norm.trainable = True
    y, slope = output_and_gradient()
    np.testing.assert_allclose(y, [-1.0, 1.0], rtol=1e-5)  # mean 2, variance 1
    np.testing.assert_allclose(slope, [0.0, 0.0], atol=1e-5)
