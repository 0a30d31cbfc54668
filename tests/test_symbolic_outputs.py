"""symbolic_outputs: reference functions against NumPy and moved values; the record; prose."""

import keras
import numpy as np
import pytest
import tensorflow as tf
from hypothesis import example, given, settings
from hypothesis import strategies as st

from solutions.atlas import recorded
from solutions.symbolic_outputs import (
    class_score_gradient,
    filter_gradient,
    gradient_function,
    tensor_kind,
    values_at,
)

LEAVES = [[3.0, 1.0], [2.0, 1.0]]
W_HIDDEN = np.array([[0.5, -0.5], [-0.5, 2.0]])
W_SPECIES = np.array([[2.0, -1.0, 0.0], [-1.0, 2.0, 1.0]])


def leaf_model():
    leaf = keras.Input((2,), name="leaf")
    hidden = keras.layers.Dense(2, "relu", use_bias=False, name="hidden")
    species = keras.layers.Dense(3, "sigmoid", use_bias=False, name="species")
    model = keras.Model(leaf, species(hidden(leaf)))
    model.set_weights([W_HIDDEN, W_SPECIES])
    return model


def hidden_of(model):
    return model.get_layer("hidden").output


class OwnCall(keras.Model):
    def call(self, inputs):
        return inputs


# --- by hand --------------------------------------------------------------------------------
# hidden: (1, 0.5) and (0.5, 1); species 1: σ(0) = 0.5 and σ(1.5) = 0.8176 with slope 0.1491.


def test_class_score_by_hand():
    got = class_score_gradient(leaf_model(), "hidden", 1, LEAVES)
    p = 1 / (1 + np.exp(-np.array([[0.0], [1.5]])))
    np.testing.assert_allclose(got, p * (1 - p) * W_SPECIES[:, 1], rtol=1e-6)
    assert got.dtype == tf.float32


def test_the_class_number_may_be_numpys_or_count_from_the_end():
    model = leaf_model()
    wanted = class_score_gradient(model, "hidden", 2, LEAVES)
    for index in (np.argmax([0.1, 0.2, 0.7]), np.int32(2), -1):
        got = class_score_gradient(model, "hidden", index, LEAVES)
        np.testing.assert_array_equal(got, wanted)
    first = class_score_gradient(model, "hidden", -3, LEAVES)
    np.testing.assert_array_equal(first, class_score_gradient(model, "hidden", 0, LEAVES))


def test_filter_by_hand():
    response, gradient = filter_gradient(leaf_model(), "hidden", 1, LEAVES)
    assert response.numpy() == 0.75  # the mean of 0.5 and 1
    np.testing.assert_array_equal(gradient, [[-0.25, 1.0], [-0.25, 1.0]])
    np.testing.assert_array_equal(filter_gradient(leaf_model(), "hidden", -1, LEAVES)[1], gradient)


def test_values_by_hand_in_the_structure_of_the_outputs():
    model = leaf_model()
    hidden, score = hidden_of(model), model.outputs[0][:, 1]
    values = [[1.0, 0.5], [0.5, 1.0]]
    np.testing.assert_array_equal(values_at(model, hidden, LEAVES), values)
    (alone,) = values_at(model, [hidden], LEAVES)
    np.testing.assert_array_equal(alone, values)
    both = values_at(model, {"score": score, "parts": (hidden, model.inputs[0])}, LEAVES)
    assert list(both) == ["score", "parts"]
    np.testing.assert_allclose(both["score"], [0.5, 0.81757448], rtol=1e-6)
    np.testing.assert_array_equal(both["parts"][0], values)
    np.testing.assert_array_equal(both["parts"][1], LEAVES)


def test_one_making_many_calls_and_the_models_own_weights():
    model = leaf_model()
    run = gradient_function(model, model.outputs[0][:, 1], [hidden_of(model)])
    value, gradients = run(LEAVES)
    assert isinstance(gradients, list) and value.shape == (2,)
    np.testing.assert_allclose(run(LEAVES[:1])[1][0], [[-0.25, 0.5]])
    model.set_weights([W_HIDDEN, 2 * W_SPECIES])
    np.testing.assert_allclose(run(LEAVES[:1])[1][0], [[-0.5, 1.0]])


def test_inside_a_tf_function():
    model = leaf_model()
    run = gradient_function(model, model.outputs[0][:, 1], [hidden_of(model), *model.inputs])
    wanted, got = run(LEAVES), tf.function(run)(tf.constant(LEAVES))
    for a, b in zip(keras.tree.flatten(wanted), keras.tree.flatten(got), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-6)


def test_without_sources_there_is_a_value():
    model = leaf_model()
    value, gradients = gradient_function(model, model.outputs[0][:, 1], [])(LEAVES)
    np.testing.assert_allclose(value, [0.5, 0.81757448], rtol=1e-6)
    assert gradients == []


def test_inference_mode():
    x = keras.Input((2,))
    hidden = keras.layers.Dropout(0.5, name="hidden")(x)
    model = keras.Model(x, hidden)
    np.testing.assert_array_equal(filter_gradient(model, "hidden", 0, [[3.0, 1.0]])[1], [[1.0, 0]])


def test_a_layer_without_weights_up_to_it_and_whole_numbers_as_data():
    layers = [keras.layers.Rescaling(0.5, name="hidden"), keras.layers.Dense(2, name="scores")]
    model = keras.Sequential([keras.Input((2,)), *layers])
    model.set_weights([np.array([[1.0, -2.0], [0.5, 1.0]]), np.zeros(2)])
    for x in ([[3, 1]], np.array([[3, 1]]), np.array([[3.0, 1.0]]), tf.constant([[3.0, 1.0]])):
        np.testing.assert_array_equal(class_score_gradient(model, "hidden", 1, x), [[-2.0, 1.0]])
        run = gradient_function(model, model.outputs[0][:, 0], model.inputs)
        np.testing.assert_array_equal(run(x)[1][0], [[0.5, 0.25]])


def test_whole_numbers_as_the_models_input():
    layers = [keras.layers.Embedding(3, 2, name="words"), keras.layers.Flatten()]
    model = keras.Sequential([keras.Input((2,), dtype="int32"), *layers])
    got = class_score_gradient(model, "words", 3, [[2, 0]])
    np.testing.assert_array_equal(got, [[[0.0, 0.0], [0.0, 1.0]]])


def test_whole_numbers_are_not_watched(monkeypatch):
    """A tape logs a warning for each."""
    watched = []
    monkeypatch.setattr(tf.GradientTape, "watch", lambda tape, entries: watched.extend(entries))
    numbers, ids = keras.Input((2,)), keras.Input((2,), dtype="int32")
    hidden = keras.layers.Dense(2, name="hidden")(numbers)
    model = keras.Model([numbers, ids], hidden + keras.layers.Flatten()(ids))
    gradient_function(model, model.outputs[0], [hidden])([tf.ones((1, 2)), tf.ones((1, 2))])
    assert [entry.dtype for entry in watched] == [tf.float32]


def two_inputs():
    a, b = keras.Input((2,), name="a"), keras.Input((2,), name="b")
    weighted = keras.ops.multiply(a, b)
    return keras.Model([a, b], weighted)


def test_several_inputs():
    model = two_inputs()
    run = gradient_function(model, model.outputs[0], model.inputs)
    a, b = np.array([[1.0, 2.0]]), tf.constant([[3.0, 4.0]])
    value, (by_a, by_b) = run([a, b])
    np.testing.assert_array_equal(value, [[3.0, 8.0]])
    np.testing.assert_array_equal(by_a, b)
    np.testing.assert_array_equal(by_b, a)
    np.testing.assert_array_equal(run((a, b))[0], value)
    np.testing.assert_array_equal(run(([[1, 2]], b))[0], value)
    np.testing.assert_array_equal(values_at(model, model.outputs[0], [a, b]), value)


def test_a_list_with_the_one_input():
    wanted = class_score_gradient(leaf_model(), "hidden", 1, LEAVES)
    got = class_score_gradient(leaf_model(), "hidden", 1, [np.array(LEAVES)])
    np.testing.assert_array_equal(got, wanted)


# --- NumPy and finite differences -----------------------------------------------------------


def finite_differences(function, at, step=1e-5):
    gradient = np.zeros_like(at)
    for where in np.ndindex(at.shape):
        nudge = np.zeros_like(at)
        nudge[where] = step
        gradient[where] = (function(at + nudge) - function(at - nudge)) / (2 * step)
    return gradient


@example((1, 1, 1, 1), 0)
@settings(max_examples=12, deadline=None)
@given(st.tuples(*(st.integers(1, most) for most in (3, 3, 3, 4))), st.integers(0, 2**32 - 1))
def test_against_numpy_in_float64(sizes, seed):
    """tanh layer, tanh layer, and the first added to the second: the layers are no stack."""
    rows, features, units, classes = sizes
    random = np.random.default_rng(seed)
    w, m, s = (random.normal(size=n) for n in ((features, units), (units, units), (units, classes)))
    x, index = random.normal(size=(rows, features)), int(random.integers(classes))
    options = {"use_bias": False, "dtype": "float64"}
    inputs = keras.Input((features,), dtype="float64")
    hidden = keras.layers.Dense(units, "tanh", name="hidden", **options)(inputs)
    middle = keras.layers.Dense(units, "tanh", name="middle", **options)(hidden)
    joined = keras.layers.Add(dtype="float64")([hidden, middle])
    model = keras.Model(inputs, keras.layers.Dense(classes, name="scores", **options)(joined))
    model.set_weights([w, m, s])

    def scores(h):
        return (h + np.tanh(h @ m)) @ s

    h = np.tanh(x @ w)
    wanted = finite_differences(lambda h: scores(h)[:, index].sum(), h)
    got = class_score_gradient(model, "hidden", index, x)
    assert got.dtype == tf.float64
    np.testing.assert_allclose(got, wanted, rtol=1e-6, atol=1e-7)

    def spread(h):
        return np.sum(scores(h) ** 2, axis=-1) - scores(h)[:, index]

    output = model.outputs[0]
    target = keras.ops.sum(output**2, axis=-1) - output[:, index]
    value, (by_hidden, by_x) = gradient_function(model, target, [hidden, inputs])(x)
    np.testing.assert_allclose(value, spread(h), rtol=1e-9, atol=1e-12)
    wanted = finite_differences(lambda h: spread(h).sum(), h)
    np.testing.assert_allclose(by_hidden, wanted, rtol=1e-6, atol=1e-6)
    wanted = finite_differences(lambda x: spread(np.tanh(x @ w)).sum(), x)
    np.testing.assert_allclose(by_x, wanted, rtol=1e-6, atol=1e-6)

    unit = units - 1
    response, gradient = filter_gradient(model, "middle", unit, x)

    def mean(x):
        return np.tanh(np.tanh(x @ w) @ m)[:, unit].mean()

    np.testing.assert_allclose(response, mean(x), rtol=1e-9)
    np.testing.assert_allclose(gradient, finite_differences(mean, x), rtol=1e-6, atol=1e-8)


def test_filters_of_a_convolution_against_numpy():
    random = np.random.default_rng(3)
    kernel, picture = random.normal(size=(2, 2, 1, 4)), random.normal(size=(2, 4, 3, 1))
    inputs = keras.Input((4, 3, 1), dtype="float64")
    layer = keras.layers.Conv2D(4, 2, activation="tanh", use_bias=False, dtype="float64", name="c")
    model = keras.Model(inputs, layer(inputs))  # 3 rows, 2 columns, 4 filters
    model.set_weights([kernel])
    for index in range(4):

        def mean(picture, index=index):
            k = kernel[:, :, 0, index]
            p = picture[..., 0]
            parts = (p[:, i : 3 + i, j : 2 + j] * k[i, j] for i in (0, 1) for j in (0, 1))
            return np.tanh(sum(parts)).mean()

        response, gradient = filter_gradient(model, "c", index, picture)
        np.testing.assert_allclose(response, mean(picture), rtol=1e-9)
        np.testing.assert_allclose(gradient, finite_differences(mean, picture), atol=1e-8)


# --- three kinds ----------------------------------------------------------------------------


def test_tensor_kind():
    model = leaf_model()
    fixed = keras.layers.Dense(3)(keras.Input(batch_shape=(2, 2)))
    for symbol in (hidden_of(model), model.outputs[0][:, 1], keras.ops.sum(fixed), fixed):
        assert tensor_kind(symbol) == "symbolic"
    kernel = model.layers[1].kernel
    values = (model(tf.constant(LEAVES)), kernel, tf.Variable(1.0), np.ones(2), np.float32(1.0))
    for value in values:
        assert tensor_kind(value) == "value"
    seen = []

    @tf.function
    def trace(x):
        seen.extend(tensor_kind(t) for t in (x, model(x), kernel))
        return x

    assert tensor_kind(trace(tf.constant(LEAVES))) == "value"
    assert seen == ["traced", "traced", "value"]


@pytest.mark.parametrize(("thing", "name"), [(3.0, "float"), ([tf.ones(2)], "list")])
def test_tensor_kind_of_something_else(thing, name):
    with pytest.raises(TypeError) as caught:
        tensor_kind(thing)
    assert str(caught.value) == (
        f"tensor_kind(tensor) got a {name}. It tells tensors, variables, arrays and KerasTensors "
        "apart; ask for each entry of a list by itself. Lesson: symbolic_outputs."
    )


# --- what cannot work -----------------------------------------------------------------------

ANY = keras.Input((2,))
CALLS = {
    "values_at": lambda model: values_at(model, ANY, LEAVES),
    "gradient_function": lambda model: gradient_function(model, ANY, [ANY]),
    "class_score_gradient": lambda model: class_score_gradient(model, "hidden", 1, LEAVES),
    "filter_gradient": lambda model: filter_gradient(model, "hidden", 1, LEAVES),
}


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("kind", [OwnCall, keras.Sequential])
def test_a_model_without_inputs(name, kind):
    with pytest.raises(TypeError) as caught:
        CALLS[name](kind())
    assert str(caught.value) == (
        f"{name}: the {kind.__name__} has no `inputs`. It was never built, or its class has a "
        "`call` of its own, which runs on values and leaves no symbolic tensors. Start a "
        "Sequential with `keras.Input`; call the layers of a class yourself. "
        "Lesson: no_inbound_nodes."
    )


@pytest.mark.parametrize(
    ("thing", "said"), [(tf.ones((1, 2)), "EagerTensor, shape (1, 2),"), (None, "NoneType")]
)
def test_values_where_descriptions_are_needed(thing, said):
    model = leaf_model()
    score = model.outputs[0]
    asked = {
        "values_at": lambda: values_at(model, [score, thing], LEAVES),
        "gradient_function": lambda: gradient_function(model, thing, [score]),
    }
    asked |= {"gradient_function ": lambda: gradient_function(model, score, [score, thing])}
    for name, ask in asked.items():
        with pytest.raises(TypeError) as caught:
            ask()
        assert str(caught.value) == (
            f"{name.strip()} got the type {said} where it needs a symbolic tensor, which says "
            "what to compute: `layer.output`, or `model.outputs[0][:, 1]`. Data goes in as `x`. "
            "Lesson: symbolic_outputs."
        )


def test_an_integer_source():
    layers = [keras.layers.Embedding(3, 2, name="words"), keras.layers.Flatten()]
    model = keras.Sequential([keras.Input((2,), dtype="int32", name="ids"), *layers])
    with pytest.raises(TypeError) as caught:
        filter_gradient(model, "words", 1, [[2, 0]])
    assert str(caught.value) == (
        "gradient_function: the source 'ids' has dtype int32. Integers and booleans have no "
        "gradient. Take the output of the first layer that makes floating-point numbers of it, "
        "an embedding, say. Lesson: symbolic_outputs."
    )


@pytest.mark.parametrize(
    ("start", "reason"),
    [
        ("other", "Output with path `0` is not connected to `inputs`"),
        (
            "leaf",
            'The name "leaf" is used 2 times in the model. All operation names should be unique',
        ),
    ],
)
def test_a_description_of_another_model(start, reason):
    model, other = leaf_model(), keras.layers.Dense(2)(keras.Input((2,), name=start))
    asked = {
        "values_at": lambda: values_at(model, other, LEAVES),
        "gradient_function": lambda: gradient_function(model, other, []),
    }
    for name, ask in asked.items():
        with pytest.raises(ValueError) as caught:
            ask()
        assert str(caught.value) == (
            f"{name}: Keras can make no model from `model.inputs` to what you asked for. It says: "
            f"{reason}. Is it from another model, or from a model inside this one? Those have a "
            "graph of their own. Lesson: nested_models."
        )


def test_a_target_that_does_not_use_the_source():
    model = leaf_model()
    run = gradient_function(model, hidden_of(model), [model.inputs[0], model.outputs[0]])
    with pytest.raises(ValueError) as caught:
        run(LEAVES)
    assert str(caught.value) == (
        f"gradient_function: the gradient with respect to sources[1] ({model.outputs[0].name!r}, "
        "shape (None, 3)) is None. The target was not computed from it. Either it does not use "
        "that layer, or both come from different calls of the layer: so it is in a Sequential "
        "that was built with .add() or loaded from a file. Lesson: intermediate_activations."
    )


def test_a_sequential_built_with_add():
    model = keras.Sequential()
    for layer in (keras.Input((2,)), keras.layers.Dense(2, name="hidden"), keras.layers.Dense(3)):
        model.add(layer)
    with pytest.raises(ValueError, match=r"built with \.add\(\) or loaded from a file"):
        class_score_gradient(model, "hidden", 1, LEAVES)


@pytest.mark.parametrize("index", [3, -4])
def test_a_class_that_does_not_exist(index):
    with pytest.raises(ValueError) as caught:
        class_score_gradient(leaf_model(), "hidden", index, LEAVES)
    assert str(caught.value) == (
        f"class_score_gradient: index {index} is not on the last axis of (None, 3). Count from 0 "
        "to 2. Lesson: symbolic_outputs."
    )


def test_a_filter_that_does_not_exist():
    with pytest.raises(ValueError, match=r"^filter_gradient: index 2 is not on .* from 0 to 1\."):
        filter_gradient(leaf_model(), "hidden", 2, LEAVES)


def test_an_axis_of_unknown_length_is_left_to_keras():
    inputs = keras.Input((None,))
    model = keras.Model(inputs, keras.layers.Rescaling(2.0, name="twice")(inputs))
    response, gradient = filter_gradient(model, "twice", 2, [[1.0, 2.0, 3.0]])
    assert response.numpy() == 6.0
    np.testing.assert_array_equal(gradient, [[0.0, 0.0, 2.0]])


@pytest.mark.parametrize(
    ("x", "given"),
    [
        ([np.ones((1, 2))] * 3, "a list of 3"),
        ([tf.ones((1, 2))], "a list of 1"),
        (tf.ones((1, 2)), "one EagerTensor"),
        ({"a": np.ones((1, 2)), "b": np.ones((1, 2))}, "one dict"),
    ],
)
def test_as_many_entries_as_inputs(x, given):
    model = two_inputs()
    asked = {
        "values_at": lambda: values_at(model, model.outputs[0], x),
        "gradient_function": lambda: gradient_function(model, model.outputs[0], model.inputs)(x),
    }
    for name, ask in asked.items():
        with pytest.raises(ValueError) as caught:
            ask()
        assert str(caught.value) == (
            f"{name}: x is {given}, and the model has this number of inputs: 2 (a, b). Give a "
            "tensor for one input, a list of tensors in this order for several. "
            "Lesson: symbolic_outputs."
        )


def test_a_dict_for_one_input():
    with pytest.raises(ValueError, match=r"x is one dict, and .* inputs: 1 \(leaf\)"):
        values_at(model := leaf_model(), hidden_of(model), {"leaf": LEAVES})


# --- what the lesson says of other releases --------------------------------------------------


def test_no_recipe_of_the_forum_pages_gave_a_gradient_in_any_recorded_release():
    programs = [
        "seed000_gradient_of_output",
        "seed000_gradient_of_output_with_input",
        "seed000_persistent_weights_and_output",
        "seed003_output_as_source",
        "seed004_question",
        "seed004_watch_input",
        "symbolic_source",
        "symbolic_target",
        "watch_symbolic",
    ]
    for program in programs:
        for releases, outcome in recorded(program).items():
            nothing = set(outcome) <= set("list [None, None]")
            assert nothing or "Error: " in outcome, (program, releases)
    assert next(iter(recorded("symbolic_source").values())) == "None"
    assert list(recorded("symbolic_source_fixed").values()) == ["value [[1.0, 1.0]]"]


def test_graph_mode_worked_up_to_keras_2():
    for program in ("grad_cam_kfunction_graph_mode", "tf_gradients_graph_mode"):
        outcomes = recorded(program)
        assert outcomes["2.0 to 2.15"].startswith("value [")
        assert all("A KerasTensor cannot" in o for r, o in outcomes.items() if r != "2.0 to 2.15")
    (outcome,) = recorded("backend_gradients").values()
    assert outcome.startswith("RuntimeError: tf.gradients is not supported when eager execution")


# --- what the lesson says -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("do", "error", "said"),
    [
        (lambda m, t: t.watch(hidden_of(m)), ValueError, "Passed in object <KerasTensor"),
        (lambda m, t: t.gradient(m(np.array(LEAVES)), hidden_of(m)), AttributeError, "'_id'"),
        (lambda m, t: t.gradient(m.output, m.trainable_weights), AttributeError, "'_id'"),
        (lambda m, t: tf.reduce_sum(m.output), ValueError, "A KerasTensor cannot be used as input"),
        (lambda m, t: m.output[:, np.argmax([0, 1])], ValueError, "Unsupported key type for array"),
        (lambda m, t: tf.gradients(m.output, m.input), RuntimeError, "tf.gradients is not"),
        (lambda m, t: keras.backend.function, AttributeError, "no attribute 'function'"),
        (lambda m, t: keras.optimizers.SGD().get_gradients, AttributeError, "'get_gradients'"),
    ],
)
def test_the_errors_of_the_table(do, error, said):
    with tf.GradientTape() as tape, pytest.raises(error) as caught:
        do(leaf_model(), tape)
    assert said in str(caught.value)


def test_a_sequential_has_outputs_and_no_output():
    model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(3)])
    with pytest.raises(AttributeError, match="has never been called"):
        _ = model.output
    assert model.outputs[0].shape == (None, 3)


def test_a_second_run_is_none():
    model, x = leaf_model(), tf.constant(LEAVES)
    inner = keras.Model(model.inputs, hidden_of(model))
    with tf.GradientTape() as tape:
        hidden, score = inner(x), model(x)[:, 1]
    assert tape.gradient(score, hidden) is None


def test_the_second_model_copies_no_weight():
    model = leaf_model()
    both = keras.Model(model.inputs, [hidden_of(model), model.outputs[0]])
    assert [id(w) for w in both.weights] == [id(w) for w in model.weights]


def test_the_tape_does_not_clip_and_the_optimizer_does():
    weight = tf.Variable(1.0)
    optimizer = keras.optimizers.SGD(0.1, clipvalue=0.01)
    with tf.GradientTape() as tape:
        loss = 5.0 * weight
    gradient = tape.gradient(loss, weight)
    optimizer.apply_gradients([(gradient, weight)])
    assert gradient.numpy() == 5.0
    np.testing.assert_allclose(weight.numpy(), 1.0 - 0.1 * 0.01)
