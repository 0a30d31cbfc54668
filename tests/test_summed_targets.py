"""summed_targets against hand derivatives, finite differences and every claim of its lesson."""

import logging
import re

import keras
import numpy as np
import pytest
import tensorflow as tf
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from tensorflow.python.eager.polymorphic_function import polymorphic_function

from solutions.data_files import read_record
from solutions.summed_targets import (
    examples_interact,
    gradients_per_example,
    jacobian_per_example,
    vector_jacobian_product,
)
from tests import record_summed_targets_cost as cost

NUMBERS = st.floats(-2.0, 2.0)
LESSON = " Lesson: summed_targets."
NO_PATH = (
    ": the tape returned None. No recorded operation leads from there to the value. Compute the "
    "value from it inside the function, with TensorFlow operations only." + LESSON
)
VJP = "vector_jacobian_product(function, x, vector)"
PER_EXAMPLE = "jacobian_per_example(function, x)"
OF_LOSSES = "gradients_per_example(losses, variables)"
INTERACT = "examples_interact(function, x)"


def raised(error, call):
    """The message of the error that the call raises."""
    with pytest.raises(error) as caught:
        call()
    assert type(caught.value) is error
    return str(caught.value)


def batch_message(called, x, value):
    return (
        f"{called}: x has shape {x} and function(x) {value}. The first axis of both counts the "
        "examples, and must be equally long. Give x a batch axis, and do not sum or average over "
        "it in the function." + LESSON
    )


def full_differences(function, x, step=1e-6):
    """The whole Jacobian, shape (*value, *x), by central differences."""
    columns = []
    for index in np.ndindex(*x.shape):
        moved = np.zeros_like(x)
        moved[index] = step
        rise = np.asarray(function(x + moved)) - np.asarray(function(x - moved))
        columns.append(rise / (2 * step))
    return np.moveaxis(columns, 0, -1).reshape(columns[0].shape + x.shape)


def diagonal(jacobian, value_rank):
    """The blocks of a whole Jacobian that pair an example with itself."""
    batch = range(jacobian.shape[0])
    return np.stack([np.take(jacobian[n], n, axis=value_rank - 1) for n in batch])


# --- vector_jacobian_product ----------------------------------------------------------------


@settings(max_examples=25, deadline=None)
@given(
    mix=hnp.arrays(np.float64, (2, 3), elements=NUMBERS),
    x=hnp.arrays(np.float64, 3, elements=NUMBERS),
    vector=hnp.arrays(np.float64, 2, elements=NUMBERS),
)
def test_the_product_is_v_times_the_jacobian_by_hand(mix, x, vector):
    product = vector_jacobian_product(lambda x: tf.linalg.matvec(mix, x**2), x, vector)
    assert product.dtype == tf.float64
    np.testing.assert_allclose(product, vector @ (mix * 2 * x), atol=1e-12)


def test_the_product_of_a_value_with_two_axes():
    x = np.array([[0.3, 1.2], [-0.7, 0.5], [1.0, 2.0]])
    vector = np.array([[1.0, -2.0, 0.5], [0.0, 3.0, 1.0], [2.0, 2.0, -1.0]])
    mix = np.array([[1.0, 2.0, -1.0], [0.5, 0.0, 3.0]])
    product = vector_jacobian_product(lambda x: tf.tanh(x @ mix), x, vector)
    by_hand = (vector * (1 - np.tanh(x @ mix) ** 2)) @ mix.T
    np.testing.assert_allclose(product, by_hand, rtol=1e-12)


def test_the_vector_may_be_a_list_of_integers_and_takes_the_values_dtype():
    product = vector_jacobian_product(lambda x: x**2, tf.constant([1.0, 2.0]), [3, -1])
    assert product.dtype == tf.float32 and product.numpy().tolist() == [6.0, -4.0]


def test_the_product_works_in_a_tf_function_that_does_not_know_the_batch():
    @tf.function(input_signature=[tf.TensorSpec([None, 2])] * 2)
    def traced(x, vector):
        return vector_jacobian_product(lambda x: x**3, x, vector)

    found = traced(tf.constant([[1.0, 2.0]]), tf.constant([[2.0, 1.0]]))
    assert found.numpy().tolist() == [[6.0, 12.0]]


@pytest.mark.parametrize("vector", [2.0, [1.0, 1.0], [[1.0], [1.0], [1.0]], np.ones((2, 3))])
def test_a_vector_of_another_shape_is_refused_although_it_could_be_stretched(vector):
    x, shape = tf.ones((3, 2)), tf.constant(vector).shape
    said = raised(ValueError, lambda: vector_jacobian_product(tf.square, x, vector))
    assert said == (
        f"{VJP}: function(x) has shape (3, 2) and vector {shape}. Each element of the value needs "
        "its own number; some operations would stretch another shape silently, others would "
        "refuse it. Say what you mean: tf.broadcast_to(vector, (3, 2))." + LESSON
    )


def test_the_product_names_a_missing_path():
    x = tf.ones(2)
    assert raised(ValueError, lambda: vector_jacobian_product(lambda x: tf.ones(2), x, x)) == (
        VJP + NO_PATH
    )


@pytest.mark.parametrize(
    ("called", "ask"),
    [
        (VJP, lambda x: vector_jacobian_product(lambda x: x, x, x)),
        (PER_EXAMPLE, lambda x: jacobian_per_example(lambda x: x, x)),
        (INTERACT, lambda x: examples_interact(lambda x: x, x)),
    ],
)
def test_integers_are_refused(called, ask):
    said = raised(TypeError, lambda: ask(np.array([[1, 2], [3, 4]])))
    assert said.startswith(f"{called}: the source has dtype int64 and shape (2, 2).")


# --- jacobian_per_example -------------------------------------------------------------------

FUNCTIONS = {
    "two outputs": ((3, 2), lambda x: tf.stack([tf.sin(x[:, 0]) * x[:, 1], x[:, 0] ** 2], 1)),
    "one number": ((3, 2), lambda x: tf.exp(x[:, 0]) * x[:, 1]),
    "more outputs than inputs": ((2, 1), lambda x: tf.concat([x, x**2, x**3], 1)),
    "images to rows": ((2, 2, 3), lambda x: tf.reduce_sum(x**3, axis=2)),
    "rows to images": ((2, 3), lambda x: tf.stack([x, x**2], axis=1)),
    "numbers to numbers": ((4,), lambda x: tf.sin(x)),
    "one example": ((1, 2), tf.square),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_jacobian_of_each_example_against_finite_differences(name):
    shape, function = FUNCTIONS[name]
    x = np.random.default_rng(0).normal(size=shape)
    value_rank = function(x).shape.rank
    found = tf.function(lambda x: jacobian_per_example(function, x))(x)
    assert found.dtype == tf.float64
    assert found.shape == function(x).shape + x.shape[1:]
    expected = diagonal(full_differences(function, x), value_rank)
    np.testing.assert_allclose(found, expected, rtol=1e-7, atol=1e-8)


def test_the_jacobian_of_each_example_without_a_known_batch_and_of_an_array_in_eager_mode():
    def function(x):
        return tf.stack([x[:, 0] * x[:, 1], x[:, 0]], axis=1)

    expected = [[[2.0, 1.0], [1.0, 0.0]], [[4.0, 3.0], [1.0, 0.0]]]
    x = np.array([[1.0, 2.0], [3.0, 4.0]], "float32")
    signature = [tf.TensorSpec([None, 2])]
    traced = tf.function(lambda x: jacobian_per_example(function, x), input_signature=signature)
    assert traced(x).numpy().tolist() == expected
    assert jacobian_per_example(function, x).numpy().tolist() == expected


@pytest.mark.parametrize("called", [PER_EXAMPLE, INTERACT])
@pytest.mark.parametrize(
    ("function", "shape", "value"),
    [
        (tf.reduce_sum, (3, 2), "()"),
        (lambda x: tf.reduce_mean(x, axis=0), (3, 2), "(2,)"),
        (lambda x: x[:2], (3, 2), "(2, 2)"),
        (lambda x: x, (), "()"),
        (lambda x: x[None], (), "(1,)"),
    ],
)
def test_a_value_without_the_batch_axis_is_named(called, function, shape, value):
    ask = jacobian_per_example if called == PER_EXAMPLE else examples_interact
    said = raised(ValueError, lambda: ask(function, tf.ones(shape)))
    assert said == batch_message(called, shape, value)


def test_a_missing_path_is_named_where_batch_jacobian_returns_zeros():
    x = tf.ones((2, 3))
    with tf.GradientTape() as tape:
        tape.watch(x)
        value = tf.ones((2, 4))
    assert tape.batch_jacobian(value, x).numpy().tolist() == np.zeros((2, 4, 3)).tolist()
    for called, ask in ((PER_EXAMPLE, jacobian_per_example), (INTERACT, examples_interact)):
        said = raised(ValueError, lambda ask=ask: ask(lambda x: tf.ones((2, 4)), x))
        assert said == called + NO_PATH


# --- gradients_per_example ------------------------------------------------------------------


def test_each_examples_gradient_of_a_least_squares_loss_by_hand():
    x, slope = np.array([[1.0, 2.0], [0.0, -1.5], [3.0, 0.5], [0.0, 0.0]]), np.array([0.7, -1.2])
    weight, shift = tf.Variable(slope), tf.Variable(0.5, dtype=tf.float64)

    def losses():
        return (tf.linalg.matvec(x, weight) + shift) ** 2

    found = gradients_per_example(losses, [weight, shift])
    residual = x @ slope + 0.5
    np.testing.assert_allclose(found[0], 2 * residual[:, None] * x, atol=1e-12)
    np.testing.assert_allclose(found[1], 2 * residual, atol=1e-12)
    assert [gradient.dtype for gradient in found] == [tf.float64] * 2


def test_each_examples_gradient_of_a_keras_model_is_that_of_the_example_alone():
    keras.utils.set_random_seed(0)
    model = keras.Sequential(
        [keras.Input((3,)), keras.layers.Dense(4, activation="tanh"), keras.layers.Dense(2)]
    )
    x, labels = tf.random.normal((5, 3)), tf.constant([0, 1, 1, 0, 1])
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True, reduction="none")
    variables = model.trainable_variables
    found = tf.function(lambda: gradients_per_example(lambda: loss(labels, model(x)), variables))()
    for n in range(5):
        with tf.GradientTape() as tape:
            value = loss(labels[n : n + 1], model(x[n : n + 1]))
        alone = tape.gradient(value, variables)
        for ours, theirs in zip(found, alone, strict=True):
            np.testing.assert_allclose(ours[n], theirs, atol=1e-6)


def test_each_examples_gradient_of_an_embedding_is_dense():
    layer = keras.layers.Embedding(4, 2)
    layer.build()
    ids = tf.constant([[0, 1], [1, 1]])
    (found,) = gradients_per_example(lambda: tf.reduce_sum(layer(ids), [1, 2]), [layer.embeddings])
    counts = np.array([[1.0, 1, 0, 0], [0, 2, 0, 0]])
    assert found.numpy().tolist() == np.repeat(counts[..., None], 2, axis=2).tolist()


@pytest.mark.parametrize(
    ("reduce", "shape"), [(tf.reduce_mean, "()"), (lambda y: y[:, None], "(2, 1)")]
)
def test_losses_that_are_no_vector_are_refused(reduce, shape):
    weight = tf.Variable([1.0, 2.0])
    said = raised(ValueError, lambda: gradients_per_example(lambda: reduce(weight**2), [weight]))
    assert said == (
        f"{OF_LOSSES}: losses() has shape {shape}, not (batch,). A mean or a sum over the batch "
        "cannot be taken apart again. Keep one loss for each example: "
        'reduction="none" in a Keras loss, axis=-1 in a tf.reduce function.' + LESSON
    )


def test_a_variable_that_the_losses_do_not_use_is_named():
    used, unused = tf.Variable([1.0, 2.0]), tf.Variable(1.0, name="unused")
    said = raised(ValueError, lambda: gradients_per_example(lambda: used**2, [used, unused]))
    assert said == f"{OF_LOSSES}, variable 'unused:0'{NO_PATH}"


# --- examples_interact ----------------------------------------------------------------------


@pytest.mark.parametrize("place", [(0, 1), (2, 0), (1, 2), None])
def test_rows_of_a_matrix_product_interact_where_the_matrix_is_not_diagonal(place):
    mix = np.diag([1.0, 0.0, -2.0])
    if place:
        mix[place] = -1e-9
    answer = examples_interact(lambda x: mix @ x, np.ones((3, 2)))
    assert answer is (place is not None)


@pytest.mark.parametrize(
    ("function", "shape", "expected"),
    [
        (tf.tanh, (2, 2), False),
        (lambda x: tf.reduce_sum(x, axis=[1, 2]), (3, 2, 2), False),
        (lambda x: tf.nn.softmax(x, axis=0), (3, 2), True),
        (lambda x: tf.nn.softmax(x, axis=1), (3, 2), False),
        (lambda x: tf.cumsum(x, axis=0), (2, 2), True),
        (lambda x: x / tf.norm(x, axis=0) * np.nan, (2, 1), True),
        (lambda x: x, (3,), False),
    ],
)
def test_interaction_over_the_batch_axis_only(function, shape, expected):
    x = np.arange(1.0, 1 + np.prod(shape)).reshape(shape)
    assert examples_interact(function, x) is expected


def test_batch_normalization_interacts_while_training_only():
    layer = keras.layers.BatchNormalization()
    x = tf.constant([[1.0, 2.0], [3.0, 1.0], [0.0, 5.0]])
    assert examples_interact(lambda x: layer(x, training=True), x)
    assert not examples_interact(lambda x: layer(x, training=False), x)


def test_one_example_alone_is_refused():
    said = raised(ValueError, lambda: examples_interact(tf.tanh, tf.ones((1, 2))))
    assert said == (
        f"{INTERACT}: x has shape (1, 2). One example has nobody to interact with. Pass two "
        "different examples at least." + LESSON
    )


# --- claims of the lesson -------------------------------------------------------------------

LAST = tf.constant([[1.0, -1.0], [2.0, 3.0], [0.5, 0.5]])
X = tf.constant([[1.0, 2.0], [3.0, 1.0]])
MIX = tf.constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])


def ask(method, function, x=X, persistent=False, **options):
    with tf.GradientTape(persistent=persistent) as tape:
        tape.watch(x)
        value = function(x)
    return getattr(tape, method)(value, x, **options)


def test_a_vector_target_is_summed():
    h1 = tf.constant([[1.0, 2.0, 1.0]])
    assert ask("gradient", lambda h: h @ LAST, h1).numpy().tolist() == [[0.0, 5.0, 1.0]]


def test_another_shape_of_output_gradients_is_stretched_or_refused():
    stretched = ask("gradient", tf.square, output_gradients=tf.constant([[2.0]]))
    assert stretched.numpy().tolist() == (4 * X).numpy().tolist()
    with pytest.raises(tf.errors.InvalidArgumentError):
        ask("gradient", lambda x: x @ MIX, output_gradients=tf.constant([[2.0]]))


def test_a_slice_taken_after_the_block_is_none():
    with tf.GradientTape() as tape:
        tape.watch(X)
        y = X @ MIX
    assert tape.gradient(y[:, 0], X) is None


@pytest.mark.parametrize(
    ("function", "said"),
    [
        (lambda x: tf.reduce_sum(x, axis=1), r"Shape \(2,\) must have rank at least 2"),
        (lambda x: tf.reduce_mean(x @ MIX, axis=0, keepdims=True), "Need first dimension of targ"),
    ],
)
def test_what_batch_jacobian_wants(function, said):
    with pytest.raises(ValueError, match=said):
        ask("batch_jacobian", function)


def test_a_weight_is_no_source_of_batch_jacobian():
    weight = tf.Variable(MIX[:, :1])
    with tf.GradientTape() as tape:
        y = tf.ones((3, 2)) @ weight
    with pytest.raises(ValueError, match="Need first dimension of target shape"):
        tape.batch_jacobian(y, weight)


@pytest.mark.parametrize("traced", [False, True])
@pytest.mark.parametrize(
    ("method", "error", "said"),
    [
        ("batch_jacobian", RuntimeError, "GradientTape must be created with persistent=True"),
        ("jacobian", ValueError, "Encountered an exception while vectorizing the jacobian"),
    ],
)
def test_parallel_iterations_needs_a_persistent_tape(method, error, said, traced):
    def limited(persistent):
        return ask(method, lambda x: x @ MIX, persistent=persistent, parallel_iterations=2)

    call = tf.function(limited) if traced else limited
    with pytest.raises(error, match=said):
        call(False)
    assert np.array_equal(call(True), ask(method, lambda x: x @ MIX))


def test_jacobians_in_an_eager_loop_bring_a_warning_about_retracing(caplog, monkeypatch):
    # TensorFlow warns twice in a process, and other tests may have had their turn, or have
    # silenced it.
    manager = polymorphic_function._frequent_tracing_detector_manager
    monkeypatch.setattr(manager, "_detectors", {})
    caplog.set_level(logging.WARNING, logger="tensorflow")
    log = logging.getLogger("tensorflow")
    log.addHandler(caplog.handler)
    try:
        for _ in range(6):
            ask("batch_jacobian", lambda x: x @ MIX)
    finally:
        log.removeHandler(caplog.handler)
    said = "\n".join(record.getMessage() for record in caplog.records)
    assert re.search(r"<function pfor\.<locals>\.f at .*> triggered tf\.function retracing", said)


def test_one_walk_carries_any_number_of_outputs_where_a_loop_has_one_each():
    def products(function):
        operations = tf.function(function).get_concrete_function().graph.get_operations()
        return sum("MatMul" in operation.type for operation in operations)

    def loop(mix):
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(X)
            columns = tf.unstack(X @ mix, axis=1)
        return [tape.gradient(column, X) for column in columns]

    for outputs in (3, 9):
        mix = tf.ones((2, outputs))
        assert products(lambda mix=mix: loop(mix)) == 1 + outputs
        both = ("batch_jacobian", "jacobian")
        for method in both:
            assert products(lambda m=method, mix=mix: ask(m, lambda x: x @ mix)) < 4


# --- the recorded costs ---------------------------------------------------------------------


def test_the_record_shows_what_the_lesson_reads_from_it():
    record = read_record(cost.RECORD)
    assert record["sizes"] == cost.SIZES and record["rounds"] == cost.ROUNDS
    rows = {(row["of"], row["what"]): row for row in record["rows"]}
    rows_apart = rows["input", "batch_jacobian"]
    loop = rows["input", "one gradient for each output"]
    full = rows["input", "jacobian"]
    assert rows_apart["tf.function"] < record["sizes"]["outputs"] / 2
    assert rows_apart["eager"] > 3 * loop["eager"] > 3
    assert full["numbers"] == record["sizes"]["batch"] * rows_apart["numbers"]
    assert full["tf.function"] > 4 * rows_apart["tf.function"]


def test_the_record_can_be_made_again():
    tiny = {"batch": 3, "inputs": 2, "hidden": 2, "outputs": 2}
    made = cost.record(tiny, {"tf.function": 1, "eager": 1})
    stored = read_record(cost.RECORD)
    assert made.keys() == stored.keys()
    names = [[(row["of"], row["what"]) for row in each["rows"]] for each in (made, stored)]
    assert names[0] == names[1]
    numbers = {row["what"]: row["numbers"] for row in made["rows"] if row["of"] == "input"}
    assert numbers["gradient"] == 3 * 2 and numbers["jacobian"] == (3 * 2) ** 2
    assert numbers["batch_jacobian"] == numbers["one gradient for each output"] == 3 * 2 * 2


def test_the_measured_ways_agree():
    for of, functions in cost.ways(3, 4, 5, 2).items():
        found = {name: call() for name, call in functions.items()}
        if of == "input":
            rows = found["batch_jacobian"]
            np.testing.assert_allclose(found["one gradient for each output"], rows, atol=1e-6)
            np.testing.assert_allclose(diagonal(found["jacobian"], 2), rows, atol=1e-6)
            np.testing.assert_allclose(found["gradient"], tf.reduce_sum(rows, 1), atol=1e-6)
            weighted = found["gradient, output_gradients"]
            np.testing.assert_allclose(weighted, found["gradient"], atol=1e-6)
        else:
            trio = (found["one tape for each example"], found["jacobian of the losses"])
            for alone, each, summed in zip(*trio, found["gradient"], strict=True):
                np.testing.assert_allclose(alone, each, atol=1e-5)
                np.testing.assert_allclose(tf.reduce_sum(each, 0), summed, atol=1e-5)
