"""The reference module of `left_tensorflow` against hand derivatives and moved inputs."""

import functools
import warnings

import keras
import numpy as np
import pytest
import tensorflow as tf
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from solutions.left_tensorflow import (
    call_numpy,
    finite_differences,
    first_broken_step,
    gradient_through_numpy,
    log_error_and_gradient,
    with_numpy_gradient,
)

LESSON = "Lesson: left_tensorflow."

numbers = st.floats(-3, 3, width=32)
shapes = array_shapes(max_dims=3, max_side=3)
points = arrays(np.float64, shapes, elements=numbers)
counts = st.floats(0, 50, width=32)


# --- log_error_and_gradient ---------------------------------------------------------------


@given(st.data())
def test_the_log_error_equals_the_formula_and_its_derivative_by_hand(data):
    shape = data.draw(shapes)
    truth = data.draw(arrays(np.float64, shape, elements=counts))
    guess = data.draw(arrays(np.float64, shape, elements=counts))
    error, gradient = log_error_and_gradient(tf.constant(truth), tf.constant(guess))
    apart = np.log(1 + guess) - np.log(1 + truth)
    np.testing.assert_allclose(error, np.sum(apart**2) / apart.size, atol=1e-12)
    np.testing.assert_allclose(gradient, 2 * apart / (1 + guess) / apart.size, atol=1e-12)
    assert gradient.shape == shape and gradient.dtype == tf.float64


def test_the_log_error_of_arrays_and_of_variables():
    guess = tf.Variable([1.0, 3.0])
    error, gradient = log_error_and_gradient(np.float32([1.0, 1.0]), guess)
    np.testing.assert_allclose(error, np.log(2) ** 2 / 2, rtol=1e-6)
    np.testing.assert_allclose(gradient, [0, np.log(2) / 4], rtol=1e-6)


def test_a_log_error_of_two_shapes_is_refused():
    with pytest.raises(ValueError) as caught:
        log_error_and_gradient(tf.ones((3,)), tf.ones((3, 1)))
    assert str(caught.value) == (
        "log_error_and_gradient(truth, guess) got the shapes (3,) and (3, 1). They would be "
        "broadcast, and each guess compared with several truths. Reshape one of them: "
        f"tf.reshape(guess, truth.shape). {LESSON}"
    )


# --- first_broken_step --------------------------------------------------------------------

STAYS = {
    "exp": tf.exp,
    "sum": tf.reduce_sum,
    "builtin sum": lambda y: sum([y, y]),
    "a NumPy number times a tensor": lambda y: np.float32(3) * y,
    "zero gradient": lambda y: tf.nn.relu(y - 100.0),
    "constant of an eager tensor": tf.constant,
    "identity": lambda y: y,
    "py_function": lambda y: tf.py_function(tf.square, [y], tf.float32),
    "graph": tf.function(lambda y: y * y),
}
LEAVES = {
    "np": np.square,
    "numpy": lambda y: y.numpy(),
    "float": lambda y: float(tf.reduce_sum(y)),
    "item": lambda y: tf.constant(y.numpy().item(0)),
    "constant with a shape": lambda y: tf.constant(y, shape=(1, *y.shape)),
    "variable": lambda y: tf.Variable(y),
    "constant of a variable": lambda y: tf.constant(tf.Variable(y)),
    "numpy_function": lambda y: tf.numpy_function(np.square, [y], tf.float32),
    "numpy_function in a graph": tf.function(
        lambda y: tf.numpy_function(np.square, [y], tf.float32)
    ),
    "convert_to_numpy": keras.ops.convert_to_numpy,
    "tf.data": lambda y: next(iter(tf.data.Dataset.from_tensors(y))),
    "stop": tf.stop_gradient,
    "argmax": lambda y: tf.cast(tf.argmax(y), tf.float32),
}


@pytest.mark.parametrize("name", STAYS)
def test_a_step_that_passes_a_gradient_is_not_named(name):
    assert first_broken_step([tf.sin, STAYS[name]], tf.constant([1.0, 2.0])) is None
    assert first_broken_step([STAYS[name], np.sin], tf.constant([1.0, 2.0])) == 1


@pytest.mark.parametrize("name", LEAVES)
def test_the_step_that_leaves_is_named(name):
    steps = [tf.sin, tf.exp, LEAVES[name], tf.sin, np.square]
    for start in (0, 1, 2):
        assert first_broken_step(steps[start:], tf.constant([1.0, 2.0])) == 2 - start


@given(st.lists(st.booleans(), max_size=6))
def test_the_first_of_the_broken_steps_is_named(breaks):
    steps = [np.sin if broken else tf.sin for broken in breaks]
    expected = breaks.index(True) if True in breaks else None
    assert first_broken_step(steps, tf.constant([0.5])) == expected


def test_each_step_gets_the_value_of_the_one_before_and_none_runs_after_the_broken_one():
    seen = []

    def note(y):
        seen.append(y.numpy().tolist())
        return y + 1.0

    steps = [note, lambda y: tf.Variable(note(y)), note]
    assert first_broken_step(steps, np.float32([1.0, 2.0])) == 1
    assert seen == [[1, 2], [2, 3]]


def test_a_variable_that_a_step_hands_on_reaches_the_next_one_as_a_tensor():
    variable, classes = tf.Variable([1.0]), []

    def keep_class(y):
        classes.append(tf.is_tensor(y) and not isinstance(y, tf.Variable))
        return y * 2.0

    assert first_broken_step([keep_class, keep_class], variable) is None
    assert classes == [True, True]


def test_integers_are_refused_before_any_step_runs():
    with pytest.raises(TypeError, match=r"^first_broken_step: the source has dtype int32 and sha"):
        first_broken_step([lambda y: 1 / 0], tf.constant([1]))


# --- with_numpy_gradient, gradient_through_numpy, call_numpy ------------------------------

KERNEL = np.array([0.5, -1.0, 2.0])
BY_HAND = {  # function, backward, the Jacobian's transpose times u written anew
    "cube": (
        lambda x: x**3,
        lambda x, u: 3 * x**2 * u,
        lambda x, u: 3 * x * x * u,
    ),
    "sum of all": (
        np.sum,
        lambda x, u: np.full_like(x, u),
        lambda x, u: np.ones(x.shape) * u,
    ),
    "twice as long": (
        lambda x: np.concatenate([x.ravel(), x.ravel() ** 2]),
        lambda x, u: (u[: x.size] + 2 * x.ravel() * u[x.size :]).reshape(x.shape),
        lambda x, u: (
            np.split(u, 2)[0].reshape(x.shape) + 2 * x * np.split(u, 2)[1].reshape(x.shape)
        ),
    ),
}


@functools.cache
def wrapped_function(name, graph):
    wrapped = with_numpy_gradient(*BY_HAND[name][:2])
    if graph:
        return tf.function(wrapped, input_signature=[tf.TensorSpec(None, tf.float64)])
    return wrapped


@pytest.mark.parametrize("graph", [False, True])
@pytest.mark.parametrize("name", BY_HAND)
@given(x=points)
def test_the_gradient_is_the_backward_functions_in_eager_mode_and_in_a_graph(name, graph, x):
    function, _, by_hand = BY_HAND[name]
    x = tf.constant(x)
    with tf.GradientTape() as tape:
        tape.watch(x)
        value = wrapped_function(name, graph)(x)
        target = tf.reduce_sum(tf.sin(value))
    np.testing.assert_array_equal(value, function(x.numpy()))
    np.testing.assert_allclose(
        tape.gradient(target, x), by_hand(x.numpy(), np.cos(function(x.numpy()))), atol=1e-12
    )


@given(x=arrays(np.float64, st.integers(3, 8), elements=numbers))
def test_a_chain_through_numpy_equals_finite_differences(x):
    def smooth(x):
        return np.convolve(x, KERNEL, "same")

    def backward(x, upstream):
        return np.convolve(upstream, KERNEL[::-1], "same")

    gradient = gradient_through_numpy(smooth, backward, tf.tanh, tf.constant(x))
    step = 1e-6
    moved = [np.tanh(smooth(x + m)) - np.tanh(smooth(x - m)) for m in step * np.eye(x.size)]
    np.testing.assert_allclose(gradient, np.sum(moved, axis=1) / (2 * step), atol=1e-7)
    assert gradient.dtype == tf.float64


def test_a_tensor_a_variable_and_an_array_may_go_through_numpy():
    for x in (tf.constant([2.0]), tf.Variable([2.0]), keras.Variable([2.0]), np.float32([2.0])):
        gradient = gradient_through_numpy(np.square, lambda x, u: 2 * x * u, tf.square, x)
        np.testing.assert_allclose(gradient, [32.0])  # (x**4)' = 4 x**3
    variable = tf.Variable([2.0])
    with tf.GradientTape() as tape:
        value = with_numpy_gradient(np.square, lambda x, u: 2 * x * u)(variable)
    np.testing.assert_allclose(tape.gradient(value, variable), [4.0])


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_the_dtype_of_the_tensor_is_kept_whatever_numpy_returns(dtype):
    def in_float64(x):
        return np.float64(x) * 2

    x = tf.constant([1.0, 2.0], dtype)
    with tf.GradientTape() as tape:
        tape.watch(x)
        value = with_numpy_gradient(in_float64, lambda x, u: np.float64(u) * 2)(x)
    gradient = tape.gradient(value, x)
    assert value.dtype == gradient.dtype == x.dtype
    np.testing.assert_array_equal(gradient, [2, 2])
    assert call_numpy(lambda a, b: a + b, x, tf.constant([1.0, 1.0], dtype)).dtype == x.dtype


def test_numpy_gets_arrays_and_the_first_tensors_dtype_decides():
    classes = []

    def note(a, b):
        classes.extend([type(a), type(b)])
        return a[0] + b[0]

    total = call_numpy(note, tf.constant([1.0]), tf.constant([2.0], tf.float64))
    assert total.dtype == tf.float32 and float(total) == 3
    assert classes == [np.ndarray, np.ndarray]


def test_the_second_derivative_is_none():
    square = with_numpy_gradient(np.square, lambda x, u: 2 * x * u)
    x = tf.constant([3.0])
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            value = square(x)
        slope = inner.gradient(value, x)
    assert float(slope[0]) == 6 and outer.gradient(slope, x) is None


def test_a_backward_function_of_another_shape_is_an_error_with_a_remedy():
    x = tf.constant([[1.0, 2.0, 3.0]])
    with pytest.raises(ValueError) as caught:
        gradient_through_numpy(np.square, lambda x, u: np.sum(2 * x * u, axis=1), tf.sin, x)
    assert str(caught.value) == (
        "with_numpy_gradient(function, backward): backward(x, upstream) returned the shape (1,) "
        "for an x of shape (1, 3). A gradient has one entry for each entry of x: multiply by "
        f"upstream, then sum over what the function added. {LESSON}"
    )


def test_in_a_graph_another_shape_is_an_error_too_and_the_right_one_is_known():
    @tf.function
    def slope(x, backward):
        with tf.GradientTape() as tape:
            tape.watch(x)
            value = with_numpy_gradient(np.square, backward)(x)
        gradient = tape.gradient(value, x)
        assert gradient.shape == (2,)
        return gradient

    x = tf.constant([1.0, 2.0])
    np.testing.assert_array_equal(slope(x, lambda x, u: 2 * x * u), [2, 4])
    with pytest.raises(tf.errors.InvalidArgumentError, match="not compatible with expected shape"):
        slope(x, lambda x, u: np.sum(u))


def test_integers_have_no_gradient_through_numpy():
    with pytest.raises(TypeError, match=r"^with_numpy_gradient: the source has dtype int64"):
        gradient_through_numpy(np.square, lambda x, u: u, tf.sin, tf.constant([1], tf.int64))


# --- finite_differences -------------------------------------------------------------------


@given(x=points)
def test_finite_differences_equal_derivatives_by_hand(x):
    np.testing.assert_allclose(finite_differences(np.sin, x), np.cos(x), atol=1e-8)
    by_tensorflow = finite_differences(lambda x: tf.reduce_sum(x) ** 2, x)
    np.testing.assert_allclose(by_tensorflow, np.full(x.shape, 2 * x.sum()), atol=1e-6)
    assert by_tensorflow.dtype == np.float64


def test_finite_differences_equal_tensorflows_own():
    def function(x):
        return x[1:] * tf.exp(x[:-1])

    x = np.array([0.5, -1.0, 2.0])
    _, numeric = tf.test.compute_gradient(function, [x])
    np.testing.assert_allclose(finite_differences(function, x), numeric[0].sum(axis=0), atol=1e-5)


@given(x=st.floats(-2, 2), step=st.sampled_from([0.5, 0.25, 1e-3]))
def test_the_step_is_taken_up_and_down(x, step):
    """For a cube the central difference is 3x² + h², exactly."""
    seen = finite_differences(lambda x: x**3, np.array([x]), step)
    np.testing.assert_allclose(seen, [3 * x**2 + step**2], atol=1e-8)


def test_the_default_step_is_a_millionth():
    seen = []
    finite_differences(lambda x: seen.append(x[0]) or x, [1.0])
    assert seen == [1 + 1e-6, 1 - 1e-6]


@pytest.mark.parametrize("x", [[1, -2], np.float32([1, -2]), np.array([1, -2]), [1.0, -2.0]])
def test_lists_and_integers_become_float64_and_are_left_as_they_are(x):
    before = np.array(x)
    np.testing.assert_allclose(finite_differences(np.square, x), [2, -4], atol=1e-8)
    np.testing.assert_array_equal(x, before)


def test_a_number_gives_a_number():
    assert finite_differences(np.square, 3.0).shape == ()
    np.testing.assert_allclose(finite_differences(np.square, 3.0), 6, atol=1e-8)


def test_float32_is_refused_since_the_step_drowns():
    with pytest.raises(TypeError) as caught:
        finite_differences(lambda x: tf.cast(x, tf.float32), [1.0], step=1e-5)
    assert str(caught.value) == (
        "finite_differences(function, x): function returned float32 for a float64 array. A step of "
        f"1e-05 drowns in the rounding of float32. Compute in float64 throughout. {LESSON}"
    )


# --- what the lesson says in prose --------------------------------------------------------


def in_a_graph(python):
    return tf.function(python, autograph=False)(tf.constant([1.0, 2.0]))


@pytest.mark.parametrize(
    ("python", "error", "text"),
    [
        (lambda y: np.abs(y), NotImplementedError, "Cannot convert a symbolic tf.Tensor"),
        (lambda y: y.numpy(), AttributeError, "'SymbolicTensor' object has no attribute 'numpy'"),
        (lambda y: tf.constant(y), TypeError, ""),  # the false alarm
    ],
)
def test_tracing_complains_about_what_asks_for_numbers(python, error, text):
    with pytest.raises(error) as caught:
        in_a_graph(python)
    assert text in str(caught.value)


@pytest.mark.parametrize(
    "python",
    [
        lambda y: tf.numpy_function(np.square, [y], tf.float32),
        lambda y: next(iter(tf.data.Dataset.from_tensors(y))),
    ],
)
def test_tracing_overlooks_numpy_function_and_pipelines(python):
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        value = tf.function(python, autograph=False)(x)
    assert tape.gradient(value, x) is None


def test_the_texts_that_people_meet():
    x = tf.Variable([1.0])
    with tf.GradientTape() as tape:
        target = np.mean(x * x)
    with pytest.raises(AttributeError, match=r"'numpy\.float32' object has no attribute '_id'"):
        tape.gradient(target, x)
    with pytest.raises(ValueError, match="No gradients provided for any variable"):
        keras.optimizers.SGD().apply_gradients([(None, x)])


def test_a_numpy_loss_in_fit_raises_the_symbolic_error():
    model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1)])
    model.compile("sgd", loss=lambda truth, guess: np.mean(np.square(truth - guess)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(NotImplementedError, match=r"Cannot convert a symbolic tf\.Tensor"):
            model.fit(np.ones((2, 2)), np.ones((2, 1)), verbose=0)


def test_predict_is_an_array_and_the_call_is_not():
    model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1)])
    x = tf.constant([[1.0, 2.0]])
    assert first_broken_step([lambda x: model.predict(x, verbose=0)], x) == 0
    assert first_broken_step([model], x) is None


def test_py_function_with_numpy_gives_a_zero_without_a_shape():
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        value = tf.py_function(np.square, [x], tf.float32)
    gradient = tape.gradient(value, x)
    assert gradient.shape == () and float(gradient) == 0
