"""solutions/nested_models.py against hand derivatives, finite differences and what it refuses."""

import hypothesis.extra.numpy as hnp
import keras
import numpy as np
import pytest
import tensorflow as tf
from hypothesis import given, settings
from hypothesis import strategies as st

from solutions.nested_models import (
    flat_model,
    gradient_of_each_call,
    path_of,
    two_stage_gradient,
)

W_MIXED = np.array([[1.0, -1.0], [0.5, 2.0]])
W_FEATURES = np.array([[2.0, 1.0], [1.0, -1.0]])
W_SCORES = np.array([[1.0, -2.0], [3.0, 1.0]])
X = np.array([[1.0, 2.0], [2.0, -1.0]], "float32")
BY_HAND = [[2.0, 1.0], [5.0, -2.0]]  # relu' of [[7, -1], [3, 1.5]], times w_1, times W_FEATURES^T
TAIL = "Lesson: nested_models."


def dense(name, activation=None):
    return keras.layers.Dense(2, activation, use_bias=False, name=name)


def make_backbone():
    image = keras.Input((2,), name="image")
    features = dense("features", "relu")(dense("mixed", "relu")(image))
    return keras.Model(image, features, name="backbone")


def make_model(backbone=None, before=()):
    backbone = backbone or make_backbone()
    layers = [keras.Input((2,)), *before, backbone, dense("scores")]
    model = keras.Sequential(layers, name="outer")
    model.layers[-1].set_weights([W_SCORES])
    backbone.set_weights([W_MIXED, W_FEATURES])
    return model


def stale_backbone():
    backbone = keras.Sequential(name="backbone")
    for layer in (keras.Input((2,)), dense("mixed", "relu"), dense("features", "relu")):
        backbone.add(layer)
    return backbone


def first_score(y):
    return tf.reduce_sum(y[:, 0])


def message(error, function, *arguments):
    with pytest.raises(error) as caught:
        function(*arguments)
    return str(caught.value)


# --- path_of --------------------------------------------------------------------------------


def test_paths():
    model = make_model()
    outer = keras.Input((2,))
    whole = keras.Model(outer, dense("last")(model(outer)), name="whole")
    for root, name, path in [
        (model, "mixed", "backbone/mixed"),
        (model, "backbone", "backbone"),
        (model, "scores", "scores"),
        (whole, "mixed", "outer/backbone/mixed"),
    ]:
        assert path_of(root, name) == path


def test_a_name_that_nobody_has():
    assert message(ValueError, path_of, make_model(), "mixd") == (
        "path_of: 'outer' has no layer 'mixd', at no depth. Did you mean 'mixed'? "
        f"`model.summary(expand_nested=True)` shows them all. {TAIL}"
    )
    assert message(ValueError, path_of, make_model(), "zzzz") == (
        "path_of: 'outer' has no layer 'zzzz', at no depth. "
        f"`model.summary(expand_nested=True)` shows them all. {TAIL}"
    )


def test_the_nearest_names_are_suggested_once_each():
    image = keras.Input((2,))
    backbone = keras.Model(image, dense("mixed10")(dense("mixed9")(image)), name="backbone")
    outer = keras.Input((2,))
    model = keras.Model(outer, dense("mixed9")(backbone(outer)), name="outer")
    got = message(ValueError, path_of, model, "mixed1")
    assert "Did you mean 'mixed10' or 'mixed9'? `model" in got


def test_a_name_that_two_have():
    second = make_backbone()
    second.name = "other"
    inputs = keras.Input((2,))
    joined = keras.layers.Add()([make_backbone()(inputs), second(inputs)])
    model = keras.Model(inputs, joined, name="two")
    assert message(ValueError, path_of, model, "mixed") == (
        "path_of: 2 layers of 'two' are called 'mixed': backbone/mixed, other/mixed. A name is "
        f"unique within one model only. Use the path you mean. {TAIL}"
    )


# --- the gradient ---------------------------------------------------------------------------


def functional_outer(backbone):
    inputs = keras.Input((2,))
    model = keras.Model(inputs, dense("scores")(backbone(inputs)), name="outer")
    model.set_weights([W_MIXED, W_FEATURES, W_SCORES])
    return model


def no_input_outer(backbone):
    model = keras.Sequential([backbone, dense("scores")], name="outer")
    model(X)
    model.set_weights([W_MIXED, W_FEATURES, W_SCORES])
    return model


def frozen(backbone):
    backbone.trainable = False
    return make_model(backbone)


def sequential(backbone):
    layers = [keras.Input((2,)), dense("mixed", "relu"), dense("features", "relu")]
    model = make_model(keras.Sequential(layers, name=backbone.name))
    np.testing.assert_array_equal(flat_model(model)(X), model(X))
    return model


@pytest.mark.parametrize(
    "build", [make_model, functional_outer, no_input_outer, frozen, sequential]
)
def test_two_stages_give_the_hand_derivative(build):
    model = build(make_backbone())
    got = two_stage_gradient(model, X, first_score, "backbone/mixed")
    np.testing.assert_array_equal(got, BY_HAND)
    assert got.dtype == tf.float32
    np.testing.assert_array_equal(gradient_of_each_call(model, X, first_score, "mixed"), [BY_HAND])


def test_layers_before_the_nested_model_and_several_after():
    model = keras.Sequential(
        [
            keras.Input((2,)),
            keras.layers.Rescaling(2.0),
            make_backbone(),
            keras.layers.Rescaling(3.0),
            dense("scores"),
        ]
    )
    model.set_weights([W_MIXED, W_FEATURES, W_SCORES])
    got = two_stage_gradient(model, X / 2, first_score, "backbone/mixed")
    np.testing.assert_array_equal(got, 3 * np.array(BY_HAND))


def test_a_layer_without_weights_up_to_it():
    image = keras.Input((2,), name="image")
    half = keras.layers.Rescaling(0.5, name="half")(image)
    backbone = keras.Model(image, dense("mixed")(half), name="backbone")
    model = keras.Sequential([keras.Input((2,)), backbone, dense("scores")])
    model.set_weights([W_MIXED, W_SCORES])
    got = two_stage_gradient(model, X, first_score, "backbone/half")
    np.testing.assert_array_equal(got, [W_MIXED @ W_SCORES[:, 0]] * 2)


def test_whole_numbers_go_in_and_are_not_watched(monkeypatch):
    image = keras.Input((2,), dtype="int32")
    rows = keras.layers.Embedding(3, 2, name="rows")(image)
    backbone = keras.Model(image, dense("mixed")(rows), name="backbone")
    model = keras.Sequential([keras.Input((2,), dtype="int32"), backbone, dense("scores")])
    tokens = np.array([[0, 2]], "int32")
    # TensorFlow would log a complaint about the watch of an integer.
    monkeypatch.setattr(tf.GradientTape, "watch", lambda tape, tensor: watched.append(tensor))
    watched = []
    got = two_stage_gradient(model, tokens, lambda y: tf.reduce_sum(y[..., 0]), "backbone/rows")
    assert not watched
    mixed, scores = model.get_weights()[1:]
    np.testing.assert_allclose(got, [[mixed @ scores[:, 0]] * 2], rtol=1e-5)


numbers = st.floats(-2, 2, width=32).map(lambda n: round(n, 2))


@settings(max_examples=20, deadline=None)
@given(
    x=hnp.arrays("float32", (3, 2), elements=numbers),
    weights=st.lists(hnp.arrays("float32", (2, 2), elements=numbers), min_size=3, max_size=3),
)
def test_all_ways_agree_with_finite_differences(x, weights):
    SMOOTH.set_weights(weights)
    first, second, last = np.asarray(weights, "float64")
    h = np.tanh(x.astype("float64") @ first)

    def tail(h):
        return np.sum((np.tanh(h @ second) @ last) ** 2)

    moved = np.zeros((3, 2))
    for place in np.ndindex(3, 2):
        nudge = np.zeros((3, 2))
        nudge[place] = 1e-5
        moved[place] = (tail(h + nudge) - tail(h - nudge)) / 2e-5

    def squares(y):
        return tf.reduce_sum(y**2)

    stages = two_stage_gradient(SMOOTH, x, squares, "backbone/mixed")
    [captured] = gradient_of_each_call(SMOOTH, x, squares, "mixed")
    with tf.GradientTape() as tape:
        mixed, y = SMOOTH_FLAT(tf.constant(x))
        value = squares(y)
    for got in stages, captured, tape.gradient(value, mixed):
        np.testing.assert_allclose(got, moved, rtol=1e-3, atol=1e-3)


def smooth():
    image = keras.Input((2,))
    features = dense("features", "tanh")(dense("mixed", "tanh")(image))
    backbone = keras.Model(image, features, name="backbone")
    return keras.Sequential([keras.Input((2,)), backbone, dense("scores")], name="smooth")


SMOOTH = smooth()
FLAT = flat_model(SMOOTH)
SMOOTH_FLAT = keras.Model(FLAT.inputs, [FLAT.get_layer("mixed").output, FLAT.outputs[0]])


def test_each_call_has_its_own_gradient():
    backbone = make_backbone()
    backbone.set_weights([W_MIXED, W_FEATURES])
    left, right = keras.Input((2,)), keras.Input((2,))
    gap = keras.layers.Subtract()([backbone(left), backbone(right)])
    model = keras.Model([left, right], gap)
    one, two = gradient_of_each_call(model, [X, X[::-1]], first_score, "mixed")
    np.testing.assert_array_equal(one, [[2.0, 1.0], [2.0, 1.0]])
    np.testing.assert_array_equal(two, [[-2.0, -1.0], [-2.0, -1.0]])


# --- the flat model -------------------------------------------------------------------------


def test_the_flat_model_shares_layers_and_weights():
    model = make_model()
    flat = flat_model(model)
    assert [layer.name for layer in flat.layers] == ["image", "mixed", "features", "scores"]
    assert flat.name == "outer_flat"
    assert flat.get_layer("mixed") is model.get_layer("backbone").get_layer("mixed")
    assert flat.get_layer("scores") is model.get_layer("scores")
    np.testing.assert_array_equal(flat(X), model(X))
    model.set_weights([2 * w for w in model.get_weights()])
    np.testing.assert_array_equal(flat(X), model(X))


def test_the_flat_model_keeps_the_order_of_what_follows():
    after = [keras.layers.Rescaling(3.0), keras.layers.ReLU()]
    model = keras.Sequential([keras.Input((2,)), make_backbone(), dense("scores"), *after])
    model.set_weights([W_MIXED, W_FEATURES, W_SCORES])
    np.testing.assert_array_equal(flat_model(model)(X), [[21.0, 0.0], [22.5, 0.0]])


def test_the_flat_model_wants_a_stack():
    assert message(TypeError, flat_model, functional_outer(make_backbone())) == (
        "flat_model: 'outer' is a Functional, whose layers need not stand in a row. Call the "
        "layers that follow the nested model yourself: "
        f"`keras.Model(nested.inputs, head(nested.outputs[0]))`. {TAIL}"
    )


def test_the_flat_model_wants_a_nested_model_first():
    model = make_model(before=[keras.layers.Rescaling(1.0, name="scale")])
    assert message(TypeError, flat_model, model) == no_plan("flat_model", "scale", "Rescaling")


# --- what it refuses ------------------------------------------------------------------------


def no_plan(called, name, kind):
    return (
        f"{called}: '{name}' is a {kind}, without a plan of its own that a second model could be "
        "built from. Only functional models have one, and Sequential models that know their "
        f"input. `activation_gradients` needs none. {TAIL}"
    )


class Subclassed(keras.Model):
    def __init__(self):
        super().__init__(name="boxed")
        self.mixed = dense("mixed", "relu")

    def call(self, inputs):
        return self.mixed(inputs)


def test_a_nested_model_without_a_plan():
    model = keras.Sequential([keras.Input((2,)), Subclassed(), dense("scores")])
    got = message(TypeError, two_stage_gradient, model, X, first_score, "boxed/mixed")
    assert got == no_plan("two_stage_gradient", "boxed", "Subclassed")
    got = message(TypeError, two_stage_gradient, model, X, first_score, "scores/mixed")
    assert got == no_plan("two_stage_gradient", "scores", "Dense")
    assert gradient_of_each_call(model, X, first_score, "mixed")[0].shape == (2, 2)


@pytest.mark.parametrize(("path", "count"), [("mixed", 1), ("outer/backbone/mixed", 3)])
def test_a_path_that_has_not_two_names(path, count):
    got = message(ValueError, two_stage_gradient, make_model(), X, first_score, path)
    assert got == (
        f"two_stage_gradient: the path {path!r} has {count} names, and two stages need two: the "
        "nested model's and the layer's. `activation_gradients` takes any path; "
        f"`path_of(model, name)` finds it. {TAIL}"
    )


@pytest.mark.parametrize(
    ("path", "words"),
    [
        (
            "backbon/mixed",
            "'outer' has no layer 'backbon' of its own. Did you mean 'backbone'? Its layers are "
            "'backbone', 'scores'.",
        ),
        (
            "backbone/zzzz",
            "'backbone' has no layer 'zzzz' of its own. Its layers are 'image', 'mixed', "
            "'features'.",
        ),
    ],
)
def test_a_path_that_leads_nowhere(path, words):
    got = message(ValueError, two_stage_gradient, make_model(), X, first_score, path)
    assert got == f"two_stage_gradient: {words} {TAIL}"


@pytest.mark.parametrize("change", [lambda y: 2 * y, lambda y: y + 0.01, lambda y: y[None]])
def test_layers_that_do_not_stand_in_a_row(change):
    class Twice(keras.Sequential):
        def call(self, inputs, training=None, mask=None):
            return change(super().call(inputs))

    twice = Twice([keras.Input((2,)), make_backbone(), dense("scores")], name="twice")
    twice.set_weights([W_MIXED, W_FEATURES, W_SCORES])
    got = message(ValueError, two_stage_gradient, twice, X, first_score, "backbone/mixed")
    assert got == (
        "two_stage_gradient: the layers of 'twice' in a row do not give what 'twice' gives. "
        "Something else happens between them (a residual, another order), so this gradient would "
        "be of another model. Use `activation_gradients`, which runs the model itself. "
        f"{TAIL}"
    )


def test_a_target_that_is_a_vector():
    got = message(
        ValueError, two_stage_gradient, make_model(), X, lambda y: y[:, 0], "backbone/mixed"
    )
    assert got == (
        "two_stage_gradient: `target` returned a tensor of shape (2,), and a tape would give the "
        "gradient of the sum of its elements. Return one number: `tf.reduce_sum(...)` or one "
        "element. Lesson: summed_targets."
    )


NONE = (
    "two_stage_gradient: the gradient at 'backbone/mixed' is None. Either the target does not "
    "depend on this layer, or the layer's `output` belongs to another wiring: a Sequential that "
    "was made with `.add()`, or loaded from a file, is wired more than once. Use "
    f"`activation_gradients`, which asks no layer for its `output`. {TAIL}"
)


def loaded_backbone(tmp_path):
    made = keras.Sequential(
        [keras.Input((2,)), dense("mixed", "relu"), dense("features", "relu")], name="backbone"
    )
    made.save(tmp_path / "backbone.keras")
    return keras.models.load_model(tmp_path / "backbone.keras")


@pytest.mark.parametrize("build", [lambda folder: stale_backbone(), loaded_backbone])
def test_a_backbone_that_is_wired_more_than_once(build, tmp_path):
    model = make_model(build(tmp_path))
    got = message(ValueError, two_stage_gradient, model, X, first_score, "backbone/mixed")
    assert got == NONE
    np.testing.assert_array_equal(gradient_of_each_call(model, X, first_score, "mixed"), [BY_HAND])


def test_a_layer_that_was_called_elsewhere_first():
    layers = [keras.Input((2,)), *make_backbone().layers[1:]]
    model = make_model(keras.Sequential(layers, name="backbone"))
    got = message(ValueError, two_stage_gradient, model, X, first_score, "backbone/mixed")
    assert got == (
        "two_stage_gradient: no second model can be made for 'backbone/mixed' (Output with path "
        "`0` is not connected to `inputs`). The layer was called elsewhere before 'backbone' "
        "called it, and its `output` belongs to that earlier call. Use `activation_gradients`, "
        f"which asks no layer for its `output`. {TAIL}"
    )
    np.testing.assert_array_equal(gradient_of_each_call(model, X, first_score, "mixed"), [BY_HAND])


def test_a_target_that_does_not_use_the_output():
    def nothing(y):
        return tf.constant(1.0)

    got = message(ValueError, two_stage_gradient, make_model(), X, nothing, "backbone/mixed")
    assert got == NONE


# --- the record, and what the lesson says -----------------------------------------------------


def test_what_the_table_says():
    model = make_model()
    backbone = model.get_layer("backbone")
    with pytest.raises(ValueError, match="No such layer: mixed"):
        model.get_layer("mixed")
    with pytest.raises(AttributeError, match="has never been called and thus has no defined"):
        _ = model.output
    with pytest.raises(ValueError, match="Output with path `0` is not connected to `inputs`"):
        keras.Model(model.inputs, [backbone.output, model.outputs[0]])
    inputs = keras.Input((2,))
    features = backbone(inputs)
    both = keras.Model(inputs, [features, model.layers[-1](features)])
    with tf.GradientTape() as tape:
        kept, y = both(tf.constant(X))
        value = first_score(y)
    np.testing.assert_array_equal(tape.gradient(value, kept), [W_SCORES[:, 0]] * 2)


def test_no_watch_is_none_where_no_weight_comes_first():
    image = keras.Input((2,))
    half = keras.layers.Rescaling(0.5)(image)
    both = keras.Model(image, [half, dense("mixed")(half)])
    found = []
    for watch in (False, True):
        x = tf.constant(X)
        with tf.GradientTape() as tape:
            if watch:
                tape.watch(x)
            activation, y = both(x)
            value = first_score(y)
        found.append(tape.gradient(value, activation))
    assert found[0] is None and found[1] is not None
