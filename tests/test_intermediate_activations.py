"""The gradient at any layer's output: right in every cell of the matrix, or refused with reason."""

import collections
import contextlib
import dataclasses
import itertools
import threading

import hypothesis
import hypothesis.strategies as st
import keras
import numpy as np
import pytest
import tensorflow as tf

from solutions.atlas import recorded
from solutions.data_files import read_record
from solutions.intermediate_activations import (
    Gradients,
    activation_gradients,
    captured_gradients,
    draw_calls,
    input_gradients,
    layer_by_layer_gradient,
    layer_paths,
    sub_model_gradient,
    value_and_gradients,
    weight_gradients,
    weights_by_path,
)
from tests.capture_matrix import (
    BOUNDS,
    MODES,
    POLICIES,
    RECORD,
    attributes,
    built,
    error,
    in_mode,
    reference,
    refusal,
    replay_value,
    run,
)
from tests.capture_models import BATCH, FEATURES, KINDS, OUT, STEPS, UNITS, data, target

L = keras.layers
HEAVY_CELLS = [("eager", "float32"), ("tf.function", "float32")]
CELLS = [
    (kind, mode, policy)
    for kind, policy, mode in itertools.product(KINDS, POLICIES, MODES)
    if not KINDS[kind].heavy or (mode, policy) in HEAVY_CELLS
]


def tiny():
    """A model that was called, and data for it."""
    model, x = built("Sequential, from a list", "float32"), data("flat")
    return model, x


# The matrix


@pytest.mark.parametrize("kind, mode, policy", CELLS)
def test_cell_is_right(kind, mode, policy):
    assert run(kind, mode, policy) < BOUNDS[policy]


@pytest.mark.parametrize("mode", MODES)
def test_cell_in_a_loop_is_refused(mode):
    message = refusal("custom RNN cell, in a loop", mode, "float32")
    for part in ("'rnn/cell'", "inside a loop", ".unroll = True", "Lesson: "):
        assert part in message


def test_recorded_matrix_is_complete_and_all_right():
    record = read_record(RECORD)
    cells = {(c["kind"], c["mode"], c["policy"]): c["outcome"] for c in record["cells"]}
    assert cells == dict.fromkeys(itertools.product(KINDS, MODES, POLICIES), "right")
    assert record["layers"] == {kind: list(row.layers) for kind, row in KINDS.items()}


@pytest.mark.parametrize("kind", [kind for kind in KINDS if not KINDS[kind].heavy])
def test_oracle_agrees_with_finite_differences(kind):
    """Nudge every layer's output by ±1e-5 times a random direction, in float64."""
    row = KINDS[kind]
    weights = [tf.constant(w, tf.float64) for w in built(kind, "float32").get_weights()]
    x = keras.tree.map_structure(lambda a: tf.cast(a, tf.float64), data(row.x))
    _, activations, gradients = reference(kind, "float32")
    rng = np.random.default_rng(1)
    zeros = keras.tree.map_structure(tf.zeros_like, activations)
    for path in row.layers:
        direction = keras.tree.map_structure(lambda a: rng.normal(size=a.shape), activations[path])
        values = []
        for step in (1e-5, -1e-5):
            nudge = keras.tree.map_structure(lambda d, step=step: step * d, direction)
            values.append(replay_value(row.replay, weights, x, {**zeros, path: nudge}))
        slope = sum(
            float(tf.reduce_sum(gradient * d))
            for gradient, d in zip(
                keras.tree.flatten(gradients["layers"][path]),
                keras.tree.flatten(direction),
                strict=True,
            )
            if gradient is not None
        )
        assert float(values[0] - values[1]) / 2e-5 == pytest.approx(slope, rel=1e-6, abs=1e-7)


ACTIVATIONS = ("tanh", "sigmoid", "softplus", "linear", "gelu")


@hypothesis.settings(
    max_examples=8,
    deadline=None,
    derandomize=True,
    database=None,
    phases=[hypothesis.Phase.generate],
)
@hypothesis.given(
    plan=st.lists(
        st.tuples(st.integers(1, 4), st.sampled_from(ACTIVATIONS), st.booleans()),
        min_size=1,
        max_size=4,
    ),
    seed=st.integers(0, 1000),
)
def test_random_models_agree_with_finite_differences(plan, seed):
    """Layers called again (`again`) included; every call of every layer is nudged in float64."""
    keras.utils.set_random_seed(seed)
    model = Random(plan)
    x = tf.constant(np.random.default_rng(seed).normal(size=(2, 3)))
    model(x)
    got = value_and_gradients(model, x, target, layers="*")
    for path, per_call in got.activation_gradients.items():
        for call, gradient in enumerate(per_call):
            direction = np.random.default_rng(call).normal(size=gradient.shape)
            values = []
            for step in (1e-6, -1e-6):
                model.nudge = (path, call, step * direction)
                values.append(float(target(model(x))))
            slope = np.sum(gradient * direction)
            assert (values[0] - values[1]) / 2e-6 == pytest.approx(slope, rel=1e-5, abs=1e-6)


class Random(keras.Model):
    """Dense layers, some called twice; `nudge` is added to what one call of one layer returned."""

    def __init__(self, plan):
        super().__init__(dtype="float64")
        self.nudge = None
        self.steps = []
        for units, activation, again in plan:
            dense = L.Dense(units, activation, dtype="float64")
            extra = L.Dense(units, dtype="float64") if again else None
            self.steps.append([dense, extra])

    def call(self, x):
        for dense, extra in self.steps:
            x = self.nudged(dense(x), dense, 0)
            if extra is not None:
                x = self.nudged(extra(x), extra, 0) + x
                x = self.nudged(extra(x), extra, 1)
        return x

    def nudged(self, x, layer, call):
        here = self.nudge is not None and self.nudge[:2] == (layer.name, call)
        return x + self.nudge[2] if here else x


def attention():
    inputs = keras.Input((STEPS, FEATURES))
    attend = L.MultiHeadAttention(2, 3, name="attend")
    h, scores = attend(inputs, inputs, use_causal_mask=True, return_attention_scores=True)
    return keras.Model(inputs, {"h": L.LayerNormalization()(h), "scores": scores}), data("steps")


def masked_tokens():
    stack = [L.Embedding(7, 3, mask_zero=True), L.Bidirectional(L.GRU(3, return_sequences=True))]
    model = keras.Sequential([keras.Input((4,), dtype="int32"), *stack, L.LSTM(2), L.Dense(2)])
    return model, tf.constant([[1, 2, 0, 0], [3, 0, 0, 0]])


def stacked_cells():
    inputs = keras.Input((STEPS, FEATURES))
    cells = [L.LSTMCell(3, name="low"), L.GRUCell(2, reset_after=False, name="high")]
    return keras.Model(inputs, L.RNN(cells, unroll=True, return_state=True)(inputs)), data("steps")


def directions_apart():
    inputs = keras.Input((STEPS, FEATURES))
    both = L.Bidirectional(L.LSTM(2, return_state=True), merge_mode=None)
    return keras.Model(inputs, both(inputs)), data("steps")


def moving_pictures():
    inputs = keras.Input((3, 4, 4, 2))
    h = L.ConvLSTM2D(2, 3, return_sequences=True)(inputs)
    h = L.TimeDistributed(keras.Sequential([L.Flatten(), L.Dense(2)]))(h)
    return keras.Model(inputs, h), tf.random.stateless_normal((1, 3, 4, 4, 2), (1, 2))


OTHERS = [attention, masked_tokens, stacked_cells, directions_apart, moving_pictures]


@pytest.mark.parametrize("build", OTHERS)
def test_other_models_agree_with_finite_differences(build):
    """Every tensor that every call of every layer returned is nudged in float64."""
    before = keras.config.floatx(), keras.config.dtype_policy()
    keras.config.set_floatx("float64"), keras.config.set_dtype_policy("float64")
    keras.utils.set_random_seed(2)
    try:
        model, x = build()
    finally:
        keras.config.set_floatx(before[0]), keras.config.set_dtype_policy(before[1])
    model(x)
    got, checked = value_and_gradients(model, x, target, layers="*"), 0
    assert error(got.value, target(model(x))) < 1e-12
    for path, per_call in got.activation_gradients.items():
        layer = layer_paths(model)[path]
        for call, gradients in enumerate(per_call):
            for place, gradient in enumerate(keras.tree.flatten(gradients)):
                if gradient is None:
                    continue
                direction = np.random.default_rng(call).normal(size=gradient.shape)
                values = []
                for step in (1e-5, -1e-5):
                    with nudged(layer, call, place, step * direction):
                        values.append(float(target(model(x))))
                slope = np.sum(gradient * direction)
                assert (values[0] - values[1]) / 2e-5 == pytest.approx(slope, rel=1e-5, abs=1e-7)
                checked += 1
    assert checked >= 4


@contextlib.contextmanager
def nudged(layer, call, place, delta):
    """Within, `delta` is added to one tensor of what one call of the layer returns."""
    numbers, plain = itertools.count(), layer.call

    def call_and_nudge(*args, **kwargs):
        leaves = keras.tree.flatten(outputs := plain(*args, **kwargs))
        if next(numbers) == call:
            mask = getattr(leaves[place], "_keras_mask", None)
            leaves[place] = leaves[place] + delta
            leaves[place]._keras_mask = mask
        return keras.tree.pack_sequence_as(outputs, leaves)

    vars(layer)["call"] = call_and_nudge
    try:
        yield
    finally:
        del vars(layer)["call"]


# What is returned


def test_a_weight_that_was_made_untrainable_and_thawed_later():
    class Scale(keras.layers.Layer):
        def build(self, shape):
            self.factor = self.add_weight(shape=(2,), initializer="ones", trainable=False)

        def call(self, x):
            return x * self.factor

    layer = Scale()
    model = keras.Sequential([keras.Input((2,)), layer])
    layer.factor.trainable = True
    assert not layer.factor.value.trainable  # why no tape would watch it by itself
    found = weight_gradients(model, tf.constant([[3.0, -2.0]]), tf.reduce_sum)
    np.testing.assert_array_equal(*found.values(), [3.0, -2.0])


def test_names_and_paths():
    assert list(layer_paths(built("custom RNN cell, unrolled", "float32")))[1:] == [
        "rnn",
        "rnn/cell",
        "head",
    ]
    nested = layer_paths(built("nested twice", "float32"))
    assert nested["middle/inner/first"] is nested["middle/inner"].get_layer("first")
    assert list(nested).index("middle") < list(nested).index("middle/inner/first")


def test_weights_of_equal_names_keep_apart():
    """Two towers whose layers have equal names: Keras gives two of their weights one path."""

    def tower(name):
        inputs = keras.Input((FEATURES,))
        return keras.Model(inputs, L.Dense(2, name="dense")(inputs), name=name)

    class Towers(keras.Model):
        def __init__(self):
            super().__init__()
            self.a, self.b = tower("a"), tower("b")

        def call(self, x):
            return self.a(x) + 2 * self.b(x)

    model, x = Towers(), data("flat")
    model(x)
    assert len({weight.path for weight in model.weights}) == 2
    got = weight_gradients(model, x, tf.reduce_sum)
    assert list(got) == ["a/dense/kernel", "a/dense/bias", "b/dense/kernel", "b/dense/bias"]
    assert np.allclose(got["b/dense/bias"], 2 * got["a/dense/bias"])
    assert [weight.shape for weight in weights_by_path(model).values()] == [
        gradient.shape for gradient in got.values()
    ]


def test_thin_functions_return_one_thing_each():
    model, x = tiny()
    everything = value_and_gradients(model, x, target, inputs=True, layers=["first"])
    assert isinstance(everything, Gradients)
    for path, gradient in weight_gradients(model, x, target).items():
        assert error(everything.weights[path], gradient) == 0
    assert error(everything.inputs, input_gradients(model, x, target)) == 0
    (gradient,) = activation_gradients(model, x, target, "first")["first"]
    assert error(everything.activation_gradients["first"][0], gradient) == 0
    assert value_and_gradients(model, x, target).inputs is None


def test_a_tf_function_may_return_it():
    model, x = tiny()
    got = tf.function(lambda x: value_and_gradients(model, x, target, layers="*"))(x)
    assert isinstance(got, Gradients)
    assert "input_layer" in next(iter(got.why_none))
    assert not tf.is_symbolic_tensor(got.activation_gradients["first"][0])


def test_target_may_use_autograph():
    model, x = tiny()

    def branching(y):
        if tf.reduce_sum(y) > 0:  # noqa: SIM108 (the statement that AutoGraph converts)
            value = tf.reduce_sum(y)
        else:
            value = -tf.reduce_sum(y)
        return value

    got = tf.function(lambda x: value_and_gradients(model, x, branching).value)(x)
    assert float(got) == pytest.approx(abs(float(tf.reduce_sum(model(x)))), rel=1e-6)


def test_second_derivative_through_an_outer_tape():
    """d²/dx² of sum(y³) for y = 2x is 6·y·2² = 48x."""
    model = keras.Sequential([keras.Input((1,)), L.Dense(1, use_bias=False, name="double")])
    model.set_weights([np.array([[2.0]])])
    x = tf.constant([[3.0]])
    with tf.GradientTape() as outer:
        outer.watch(x)
        first = input_gradients(model, x, lambda y: tf.reduce_sum(y**3))
    assert float(outer.gradient(first, x)[0, 0]) == pytest.approx(48 * 3.0)


def test_training_is_passed_on():
    model = keras.Sequential([keras.Input((4,)), L.Dropout(0.5, name="drop")])
    x = tf.ones((8, 4))
    (kept,) = value_and_gradients(model, x, target, layers=["drop"]).activations["drop"]
    (some,) = value_and_gradients(model, x, target, layers=["drop"], training=True).activations[
        "drop"
    ]
    assert np.all(kept == x) and not np.all(some == x)


def test_a_mask_is_passed_on():
    """A model's output carries the mask that a layer inside it set: the identity must too."""
    inner = keras.Sequential([keras.Input((STEPS, FEATURES)), L.Masking(name="mask")], name="inner")
    model = keras.Sequential([keras.Input((STEPS, FEATURES)), inner, L.LSTM(UNITS, name="lstm")])
    x = data("steps") * [[[1.0], [1.0], [0.0], [0.0]]]
    got = value_and_gradients(model, x, target, layers=["inner/mask", "inner"])
    assert error(got.value, target(model(x))) == 0
    for (gradient,) in got.activation_gradients.values():
        assert np.all(gradient[:, 2:] == 0) and np.all(gradient[:, :2] != 0)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("own_layer", [False, True])
@pytest.mark.parametrize("activation", ["softmax", "sigmoid"])
def test_cross_entropy_goes_on_from_the_logits(activation, own_layer, mode):
    """With a probability of 1e-20 Keras's loss is 46, and from the probability it would be 16."""
    last = [L.Rescaling(1.0, name="logits"), L.Activation(activation, name="end")]
    last = last if own_layer else [L.Dense(2, activation, kernel_initializer="identity")]
    model = keras.Sequential([keras.Input((2,)), *last])
    x, labels = tf.constant([[46.0, 0.0], [1.0, 2.0]]), tf.constant([[0.0, 1.0], [0.0, 1.0]])
    softmax = activation == "softmax"
    loss = keras.losses.CategoricalCrossentropy if softmax else keras.losses.BinaryCrossentropy

    def capture(x, layers=()):
        asked = {"weights": not own_layer, "inputs": True, "layers": layers}
        return value_and_gradients(model, x, lambda y: loss()(labels, y), **asked)

    plain, got = (in_mode(mode, lambda x, a=a: capture(x, a))(x) for a in ((), "*"))
    logits = np.float64(x)
    p = np.exp(logits) / np.exp(logits).sum(-1, keepdims=True) if softmax else expit(logits)
    expected = (p - labels) / (2 if softmax else 4)
    assert error(got.value, plain.value) < 1e-6 and got.value > 10
    assert error(got.inputs, expected) < 1e-5
    assert got.activation_gradients[model.layers[-1].name] == [None]
    assert "go on from the logits" in got.why_none[f"{model.layers[-1].name}[0]"]
    if own_layer:
        assert error(got.activation_gradients["logits"][0], expected) < 1e-5


def expit(x):
    return 1 / (1 + np.exp(-x))


@dataclasses.dataclass
class Pair:
    """What a layer may return, and Keras does not look into."""

    left: tf.Tensor
    right: tf.Tensor


class Returns(L.Layer):
    """Multiplies by a weight of threes, and returns what `wrap` makes of that."""

    def __init__(self, wrap, unwrap):
        super().__init__(name="returns")
        self.wrap, self.unwrap = wrap, unwrap

    def build(self, shape):
        self.threes = self.add_weight(shape=shape[-1:], initializer=keras.initializers.Constant(3))

    def call(self, x):
        return self.wrap(x * self.threes, self.threes)


class Unwraps(keras.Model):
    def __init__(self, returns):
        super().__init__()
        self.returns = returns

    def call(self, x):
        return x * self.returns.unwrap(self.returns(x))


WRAPPINGS = {
    "a weight": (lambda y, w: w, tf.convert_to_tensor),
    "a weight's variable": (lambda y, w: w.value, tf.convert_to_tensor),
    "ragged": (lambda y, w: tf.RaggedTensor.from_tensor(y), lambda r: r.to_tensor(shape=(None, 5))),
    "beside what is no tensor": (lambda y, w: {"y": y, "s": ["text", Pair]}, lambda d: d["y"]),
    "sparse": (lambda y, w: tf.sparse.from_dense(y), tf.sparse.to_dense),
    "an object": (lambda y, w: Pair(y, w), lambda pair: pair.left),
}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("kind", WRAPPINGS)
def test_layers_that_return_other_things_than_tensors(kind, mode):
    """y = x · 3x, or 3x if the weight itself is returned; what is no tensor goes on as it is."""
    if mode == "XLA" and kind in ("ragged", "sparse"):
        pytest.skip("XLA has no shapes that depend on values")
    model, x = Unwraps(Returns(*WRAPPINGS[kind])), data("flat")
    model(x)

    def capture(x):
        return value_and_gradients(model, x, tf.reduce_sum, inputs=True, layers="*")

    got = in_mode(mode, capture)(x)
    weight = kind.startswith("a weight")
    assert error(got.inputs, 3 * tf.ones_like(x) if weight else 6 * x) < 1e-6
    (gradient,) = got.activation_gradients["returns"]
    if kind == "sparse":
        assert gradient is None and "SparseTensor" in got.why_none["returns[0]"]
    elif kind == "an object":
        assert got.activations["returns"] == [None] and "not a tensor" in got.why_none["returns[0]"]
    else:
        gradient = gradient["y"] if isinstance(gradient, dict) else gradient
        gradient = gradient.to_tensor() if kind == "ragged" else gradient
        assert error(gradient, tf.reduce_sum(x, 0) if weight else x) < 1e-6
    if kind == "beside what is no tensor":
        assert got.activations["returns"][0]["s"] == [None, None]
        assert list(got.why_none) == ["returns[0]['s'][0]", "returns[0]['s'][1]"]


@pytest.mark.parametrize("mode", MODES)
def test_quantized_layers(mode):
    """The gradient for a quantized layer's output is that of what follows, which is not."""
    model, x = KINDS["Sequential, from a list"].build(), data("flat")
    model.get_layer("first").quantize("int8")
    model(x)
    w, b = model.get_layer("second").get_weights()
    before = attributes(model)
    got = in_mode(mode, lambda x: value_and_gradients(model, x, squares, layers=["first"]))(x)
    assert attributes(model) == before
    expected = 2 * (got.activations["first"][0] @ w + b) @ w.T
    assert error(got.activation_gradients["first"][0], expected) < 1e-5


def test_embedding_weights_and_activations():
    model = keras.Sequential([keras.Input((2,), dtype="int32"), L.Embedding(5, 3, name="embed")])
    tokens = tf.constant([[1, 4]])
    got = value_and_gradients(model, tokens, tf.reduce_sum, layers=["embed"])
    assert isinstance(got.weights["embed/embeddings"], tf.IndexedSlices)
    rows = tf.convert_to_tensor(got.weights["embed/embeddings"])[:, 0]
    assert rows.numpy().tolist() == [0, 1, 0, 0, 1]
    assert np.all(got.activation_gradients["embed"][0] == 1)


# One pass, and the model left as it was


def test_every_layer_is_called_once():
    counts = collections.Counter()

    class Counting(L.Dense):
        def call(self, x):
            counts[self.name] += 1
            return super().call(x)

    inputs = keras.Input((FEATURES,))
    h = Counting(UNITS, name="a")(inputs)
    model = keras.Model(inputs, Counting(OUT, name="b")(h))
    for mode in MODES:
        counts.clear()
        in_mode(mode, lambda x: value_and_gradients(model, x, target, inputs=True, layers="*"))(
            data("flat")
        )
        assert counts == {"a": 1, "b": 1}, mode


@pytest.mark.parametrize(
    "kind", ["functional", "nested twice", "LSTM returning its state", "custom RNN cell, unrolled"]
)
def test_graph_is_the_floor_and_one_identity_a_tensor(kind):
    row, model, x = KINDS[kind], built(kind, "float32"), data(KINDS[kind].x)

    def floor(x):
        with tf.GradientTape() as tape:
            value = target(model(x, training=False))
        return tape.gradient(value, [v.value for v in model.trainable_variables])

    def capture(x):
        got = value_and_gradients(model, x, target, layers=row.layers)
        captured.append(len(keras.tree.flatten(got.activations)))
        return list(got.weights.values())  # as the floor: what is returned gets an Identity too

    def operations(function):
        graph = tf.function(function).get_concrete_function(x).graph
        counts = collections.Counter(op.type for op in graph.get_operations())
        for inner in graph._functions.values() if hasattr(graph, "_functions") else ():
            counts.update(node.op for node in inner.cached_definition.node_def)
        return counts

    captured = []
    expected, found = operations(floor), operations(capture)
    assert found - expected == collections.Counter(Identity=captured[0])
    assert expected - found == collections.Counter()


def test_model_still_saves_and_loads(tmp_path):
    model, x = built("functional inside Sequential", "float32"), data("flat")
    value_and_gradients(model, x, target, layers="*")
    model.save(tmp_path / "model.keras")
    model.export(tmp_path / "exported", verbose=False)
    assert error(keras.saving.load_model(tmp_path / "model.keras")(x), model(x)) < 1e-6
    assert error(tf.saved_model.load(tmp_path / "exported").serve(x), model(x)) < 1e-6


class Failing(L.Layer):
    fail = False

    def call(self, x):
        if self.fail:
            raise RuntimeError("on purpose")
        return x


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("where", ["model", "target"])
def test_exception_leaves_the_model_as_it_was(mode, where):
    layer = Failing(name="failing")
    model = keras.Sequential([keras.Input((FEATURES,)), L.Dense(2, name="dense"), layer])
    x = data("flat")
    model(x)
    layer.fail = where == "model"
    before = attributes(model)

    def failing(y):
        raise RuntimeError("on purpose")

    with pytest.raises(RuntimeError, match="on purpose"):
        in_mode(mode, lambda x: value_and_gradients(model, x, failing, layers="*").value)(x)
    assert attributes(model) == before
    layer.fail = False
    assert value_and_gradients(model, x, target, layers=["failing"]).activations


def test_a_call_that_somebody_else_replaced_is_kept():
    model, x = tiny()
    first = model.get_layer("first")
    vars(first)["call"] = own = lambda x, **_: tf.zeros((x.shape[0], UNITS))
    try:
        got = value_and_gradients(model, x, target, weights=False, layers=["first"])
        assert np.all(got.activations["first"][0] == 0)
        assert vars(first)["call"] is own
    finally:
        del vars(first)["call"]


def test_captured_gradients_keeps_a_call_that_somebody_else_replaced():
    model, x = tiny()
    first = model.get_layer("first")
    first.call = own = lambda x, **_: tf.zeros((x.shape[0], UNITS))
    try:
        captured_gradients(model, x, target, first)
        assert vars(first)["call"] is own
    finally:
        del first.call


class Meeting(L.Layer):
    """Makes threads wait for each other in the middle of the forward pass."""

    def __init__(self, **options):
        super().__init__(**options)
        self.barrier = None

    def call(self, x):
        if self.barrier is not None:
            self.barrier.wait(timeout=30)
        return 3 * x


def test_threads_do_not_see_each_other():
    """Two threads capture and one only calls the same model, all inside it at the same time."""
    inputs = keras.Input((FEATURES,))
    meeting = Meeting(name="meeting")
    h = meeting(L.Dense(UNITS, activation="tanh", name="before")(inputs))
    model = keras.Model(inputs, L.Dense(OUT, name="after")(h))
    xs = [data("flat") + shift for shift in (0.0, 1.0, 2.0)]
    layers = [["before", "meeting"], ["meeting", "after"], []]
    alone = [
        value_and_gradients(model, x, target, layers=names)
        for x, names in zip(xs, layers, strict=True)
    ]
    before = attributes(model)
    results = {}

    def work(i):
        results[i] = value_and_gradients(model, xs[i], target, layers=layers[i])

    meeting.barrier = threading.Barrier(3)
    threads = [threading.Thread(target=work, args=(i,)) for i in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    meeting.barrier = None
    assert attributes(model) == before
    for i, expected in enumerate(alone):
        assert error(results[i].value, expected.value) < 1e-6
        assert list(results[i].activations) == layers[i]
        for path in layers[i]:
            (got,), (once,) = (g.activation_gradients[path] for g in (results[i], expected))
            assert error(got, once) < 1e-6


def test_a_capture_inside_a_capture():
    """A layer that itself captures from a model which is being captured."""
    inner = keras.Sequential([keras.Input((FEATURES,)), L.Dense(2, name="dense")], name="inner")

    class Saliency(keras.Model):
        def __init__(self):
            super().__init__()
            self.inner = inner

        def call(self, x):
            return (
                input_gradients(self.inner, x, target)
                + activation_gradients(self.inner, x, tf.reduce_sum, "dense")["dense"][0][:, :1]
            )

    model, x = Saliency(), data("flat")
    model(x)
    got = value_and_gradients(model, x, target, layers=["inner/dense"])
    assert len(got.activations["inner/dense"]) == 2
    assert "call" not in vars(inner.get_layer("dense"))


# Bad input, and layers out of reach


def refused(match, exception=ValueError, **asked):
    """Assert that the call is refused with a message in which every part occurs."""
    model, x = asked.pop("model", None), asked.pop("x", None)
    model, x = (tiny()[0] if model is None else model), (tiny()[1] if x is None else x)
    with pytest.raises(exception) as raised:
        value_and_gradients(model, x, asked.pop("target", target), **asked)
    message = str(raised.value)
    for part in (*match, "Lesson: "):
        assert part in message, message
    return message


def test_unknown_paths():
    refused(["'frist'", "Did you mean 'first'", "layer_paths(model)"], layers=["frist"])
    refused(["'block*'", "3 paths"], layers="block*")
    nested = built("nested twice", "float32")
    refused(["Did you mean 'middle/inner/first'?"], model=nested, layers=["first"])
    layer = nested.get_layer("head")
    refused(["a Dense", "path"], TypeError, model=nested, layers=layer)
    refused(["a Dense", "path"], TypeError, model=nested, layers=[layer])


def test_two_layers_with_one_name():
    class Twins(keras.Model):
        def __init__(self):
            super().__init__()
            self.one, self.two = L.Dense(3, name="twin"), L.Dense(2, name="twin")

        def call(self, x):
            return self.two(self.one(x))

    model, x = Twins(), data("flat")
    model(x)
    assert list(layer_paths(model)) == ["twin#1", "twin#2"]
    refused(["Did you mean 'twin#1' or 'twin#2'"], model=model, layers=["twin"])
    got = value_and_gradients(model, x, target, layers=["twin#1", "twin#2"])
    assert [g[0].shape[-1] for g in got.activations.values()] == [3, 2]
    assert list(got.weights) == ["twin#1/kernel", "twin#1/bias", "twin#2/kernel", "twin#2/bias"]


def test_models_that_are_not_ready():
    never = keras.Sequential([L.Dense(3, name="dense")])
    refused(["never built", "model(x)"], model=never, layers=["dense"])

    class Half(keras.Model):
        def __init__(self):
            super().__init__()
            self.dense = L.Dense(3, name="dense")

        def build(self, shape):
            self.built = True

        def call(self, x):
            return self.dense(x)

    half = Half()
    half.build((None, FEATURES))
    refused(["'dense'", "not built yet", "Call the model once"], model=half, layers=["dense"])
    half = Half()
    half.build((None, FEATURES))
    refused(["'dense' was not built", "created its weights", "ask again"], model=half)
    assert len(weight_gradients(half, data("flat"), target)) == 2
    refused(["function was passed"], TypeError, model=lambda x: x)


@pytest.mark.filterwarnings("ignore:.* was called on layer")
def test_layers_that_were_not_reached():
    class Spare(keras.Model):
        def __init__(self):
            super().__init__(name="model")
            self.used, self.spare = L.Dense(3, name="used"), L.Dense(3, name="spare")
            self.new = L.Dense(3, name="new")

        def call(self, x, training=False):
            return self.spare(x) if training else self.used(x)

    model, x = Spare(), data("flat")
    model(x), model(x, training=True)
    refused(["'spare'", "never called it"], model=model, layers=["spare"])
    refused(["'new'", "not built yet"], model=model, layers=["new"])
    refused(
        ["InputLayer", "inputs=True"], layers=["input_layer*", next(iter(layer_paths(tiny()[0])))]
    )
    got = value_and_gradients(model, x, target, layers="*")
    assert list(got.activations) == ["used"]
    assert set(got.why_none) == {"spare", "new", "spare/kernel", "spare/bias"}
    assert got.weights["spare/kernel"] is None
    assert "does not depend" in got.why_none["spare/kernel"]


def test_targets_that_cannot_be_differentiated():
    refused(["shape (3, 3)", "sum"], target=lambda y: y)
    refused(["shape (3,)", "tf.reduce_sum"], target=lambda y: y[:, 1])
    refused(["int64", "no derivative"], target=lambda y: tf.argmax(y[0]))
    refused(["'float'", "not a tensor"], TypeError, target=lambda y: float(y[0, 0]))
    refused(["numpy.float32", "not a tensor"], TypeError, target=lambda y: y.numpy().sum())
    refused(["tuple", "not a tensor"], TypeError, target=lambda y: (y[0, 0], y[0, 1]))
    refused(["NoneType", "not a tensor"], TypeError, target=lambda y: None)
    refused(["'accuracy'", "must be callable"], TypeError, target="accuracy")


def test_targets_that_depend_on_nothing():
    constant = {"target": lambda y: tf.constant(1.0)}
    refused(["No gradient was found", "not connected"], **constant)
    refused(["No gradient was found"], **constant, layers=["first"], inputs=True)
    refused(
        ["layer 'first' is None", "does not depend"], **constant, layers=["first"], weights=False
    )
    refused(["`x` is None", "does not depend"], **constant, inputs=True, weights=False)
    multi, x = built("inputs and outputs in dicts", "float32"), data("two")
    extra = {"model": multi, "x": x, "target": lambda y: tf.reduce_sum(y["extra"])}
    refused(["layer 'score' is None", "does not depend"], **extra, layers=["score"])
    got = value_and_gradients(multi, x, extra["target"], layers="*", inputs=True)
    assert got.activation_gradients["score"] == [None]
    assert "does not depend" in got.why_none["score[0]"]
    assert "does not depend" in got.why_none["score/kernel"]
    assert got.inputs["left"] is None and "does not depend" in got.why_none["inputs['left']"]
    assert got.inputs["right"].shape == x["right"].shape


def test_numpy_integer_and_symbolic_inputs():
    model, x = tiny()
    expected = input_gradients(model, x, target)
    assert error(input_gradients(model, x.numpy(), target), expected) == 0
    double = input_gradients(model, x.numpy().astype(np.float64), target)
    assert double.dtype == tf.float64 and error(double, expected) < 1e-6
    pixels = np.ones((2, FEATURES), np.uint8)
    refused(["`x` is None", "uint8", "Cast it to a float"], x=pixels, inputs=True)
    assert weight_gradients(model, pixels, target)
    refused(["KerasTensor", "no value"], TypeError, x=model.inputs[0])

    left, right = keras.Input((2,), name="left"), keras.Input((2,), dtype="int32", name="right")
    h = L.Flatten(name="flat")(L.Embedding(5, 3, name="embed")(right))
    both = keras.Model([left, right], L.Concatenate()([left, h]))
    got = value_and_gradients(both, [x[:, :2], tf.ones((BATCH, 2), tf.int32)], target, inputs=True)
    assert got.inputs[0].shape == (BATCH, 2) and got.inputs[1] is None
    assert "int32" in got.why_none["inputs[1]"]


def test_inputs_of_which_no_tensor_is_made():
    refused(["list of plain Python values", "np.array(x)"], TypeError, x=[[1.0] * FEATURES])
    refused(["a tuple of plain Python values"], TypeError, x=("a text", "another"))
    dataset = tf.data.Dataset.from_tensors(1.0)
    refused(["BatchDataset", "next(iter(dataset))"], TypeError, x=dataset.batch(1))
    refused(["a generator", "arrays or tensors"], TypeError, x=(row for row in [1.0]))
    refused(["ndarray", "tf.ragged.constant"], TypeError, x=np.array([[1], [1, 2]], dtype=object))


def test_ragged_and_sparse_inputs():
    """Sums of rows of unequal lengths, weighted 2; and a sparse row through a Dense layer."""

    class Sums(keras.Model):
        def call(self, x):
            return 2 * tf.reduce_sum(x, axis=1)

    model, rows = Sums(), tf.ragged.constant([[1.0], [2.0, 3.0]])
    model(rows)
    assert input_gradients(model, rows, tf.reduce_sum).to_list() == [[2], [2, 2]]

    model = keras.Sequential([keras.Input((3,), sparse=True), L.Dense(2, name="dense")])
    x = tf.sparse.from_dense([[0.0, 2.0, 0.0]])
    got = value_and_gradients(model, x, tf.reduce_sum, layers=["dense"])
    kernel = tf.convert_to_tensor(got.weights["dense/kernel"])
    assert kernel.numpy().tolist() == [[0, 0], [2, 2], [0, 0]]
    assert np.all(got.activation_gradients["dense"][0] == 1)
    refused(["`x` is None", "SparseTensor", "to_dense"], model=model, x=x, inputs=True)


def test_models_that_take_several_arguments():
    class Two(keras.Model):
        def call(self, x, context):
            return x + context

    model, x = Two(name="two"), data("flat")
    model(x, x)
    for given in (x, [x, x], {"x": x, "context": x}):
        message = refused(["'two' needs 'x', 'context'", "one argument"], TypeError, model=model,
                          x=given)  # fmt: skip
    assert "self.inner(x[0], x[1])" in message


def test_weights_in_the_scope_of_a_strategy():
    with tf.distribute.MirroredStrategy(["/cpu:0"]).scope():
        model, x = KINDS["Sequential, from a list"].build(), data("flat")
        refused(["`strategy.scope()`", "`strategy.run`"], model=model, x=x, layers=["first"])
    assert weight_gradients(model, x, target)["first/kernel"].shape == (FEATURES, UNITS)


@pytest.mark.parametrize("mode", MODES)
def test_layers_inside_a_function_of_their_own(mode):
    class Compiled(keras.Model):
        def __init__(self):
            super().__init__(name="compiled")
            self.dense = L.Dense(2, name="dense")

        @tf.function
        def call(self, x):
            return self.dense(x)

    inner, x = Compiled(), data("flat")
    inputs = keras.Input((FEATURES,))
    model = keras.Model(inputs, inner(inputs))
    model(x)

    def capture(x, *layers):
        return in_mode(mode, lambda x: value_and_gradients(model, x, target, layers=layers))(x)

    with pytest.raises(ValueError, match=r"'compiled/dense'.*`tf.function` of its own"):
        capture(x, "compiled/dense")
    with pytest.raises(ValueError, match=r"'dense'.*the `call` of 'compiled' is a `tf.function`"):
        value_and_gradients(inner, x, target, layers=["dense"])
    outside = capture(x, "compiled").activation_gradients["compiled"][0]
    if mode == "eager":
        tf.config.run_functions_eagerly(True)
        try:
            inside = capture(x, "compiled/dense").activation_gradients["compiled/dense"][0]
        finally:
            tf.config.run_functions_eagerly(False)
        assert error(inside, outside) == 0


class Loop(keras.Model):
    """Applies its Dense layer three times in a `tf.while_loop`."""

    def __init__(self):
        super().__init__()
        self.dense = L.Dense(FEATURES, name="dense")

    def call(self, x):
        return tf.while_loop(
            lambda i, x: i < 3, lambda i, x: (i + 1, self.dense(x)), (0, x), maximum_iterations=3
        )[1]


@pytest.mark.parametrize("mode", MODES)
def test_layers_inside_a_loop(mode):
    model, x = Loop(), data("flat")
    model(x)
    capture = in_mode(mode, lambda x: value_and_gradients(model, x, target, layers=["dense"]))
    if mode == "eager":  # there a `tf.while_loop` is a Python loop
        assert len(capture(x).activations["dense"]) == 3
    else:
        with pytest.raises(ValueError, match=r"'dense' cannot be captured.*another graph"):
            capture(x)
        got = in_mode(mode, lambda x: value_and_gradients(model, x, target, layers="*"))(x)
        assert list(got.why_none) == ["dense"] and got.activations == {}
        assert got.weights["dense/kernel"].shape == (FEATURES, FEATURES)


@pytest.mark.parametrize("mode", MODES)
def test_layers_under_rematerialization(mode):
    class Block(L.Dense):
        def call(self, x):  # in a graph, RematScope does not allow an argument `training`
            return super().call(x)

    with keras.RematScope(mode="full"):
        block = Block(UNITS, activation="tanh", name="block")
    model = keras.Sequential([keras.Input((FEATURES,)), block, L.Dense(OUT, name="head")])
    x = data("flat")
    capture = in_mode(mode, lambda x: value_and_gradients(model, x, target, layers=["block"]))
    with pytest.raises(ValueError, match=r"'block' is None.*RematScope"):
        capture(x)
    got = in_mode(mode, lambda x: value_and_gradients(model, x, target, layers=["head"]))(x)
    with tf.GradientTape() as tape:
        value = target(model(x))
    expected = tape.gradient(value, [v.value for v in model.trainable_variables])
    for gradient, known in zip(got.weights.values(), expected, strict=True):
        assert error(gradient, known) < 1e-5


@pytest.mark.parametrize("mode", ["tf.function", "XLA"])
def test_rematerialization_of_a_layer_that_is_called_with_a_keyword(mode):
    with keras.RematScope(mode="full"):
        block = L.Dense(UNITS, activation="tanh", name="block")
    model = keras.Sequential([keras.Input((FEATURES,)), block, L.Dense(OUT, name="head")])

    def capture(x, training, *layers):
        asked = {"training": training, "layers": layers}
        return in_mode(mode, lambda x: value_and_gradients(model, x, target, **asked))(x)

    for layers in ([], ["head"], ["block"]):
        with pytest.raises(ValueError, match=r"layer 'block'.*RematScope.*`training=None`.*Lesson"):
            capture(data("flat"), False, *layers)
    got, eager = capture(data("flat"), None, "head"), weight_gradients(model, data("flat"), target)
    for path, gradient in got.weights.items():
        assert error(gradient, eager[path]) < 1e-5
    with pytest.raises(ValueError, match=r"'block' is None.*RematScope"):
        capture(data("flat"), None, "block")


class Around(keras.Model):
    """Calls its layer inside something."""

    def __init__(self, something, layer):
        super().__init__()
        self.inner = layer
        self.inner.build((None, FEATURES))
        self.inside = something(lambda x: self.inner(x))

    def call(self, x):
        return self.inside(x)


def a_branch(function):
    return lambda x: tf.cond(tf.reduce_sum(x) < 1e9, lambda: function(x), lambda: x)


AROUND = {
    "a branch": (a_branch, "another graph"),
    "a function": (tf.function, "traced before.*run_functions_eagerly"),
    "recompute_grad": (tf.recompute_grad, "is None.*does not look.*tf.recompute_grad"),
    "vectorized_map": (
        lambda function: lambda x: tf.vectorized_map(lambda row: function(row[None])[0], x),
        "another graph|is None.*tf.vectorized_map",
    ),
}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("what", AROUND)
@pytest.mark.parametrize("layer", [L.Dense, L.Dropout])  # Dropout returns what it was given
def test_layers_inside_something(layer, what, mode):
    something, reason = AROUND[what]
    units = {"units": FEATURES} if layer is L.Dense else {"rate": 0.5}
    model, x = Around(something, layer(name="layer", **units)), data("flat")
    model(x)
    capture = in_mode(mode, lambda x: value_and_gradients(model, x, target, inputs=True,
                                                          layers=["layer"]))  # fmt: skip
    if what == "a branch" and mode == "eager":  # there a `tf.cond` is a Python branch
        assert capture(x).activation_gradients["layer"][0].shape == x.shape
        return
    with pytest.raises(ValueError, match=f"'layer'.*({reason})"):
        capture(x)
    rest = in_mode(mode, lambda x: value_and_gradients(model, x, target, inputs=True, layers="*"))
    with tf.GradientTape() as tape:
        tape.watch(x)
        value = target(model(x))
    got = rest(x)
    assert error(got.inputs, tape.gradient(value, x)) < 1e-5
    assert any(path.startswith("layer") for path in got.why_none)


def test_the_way_out_for_a_cell_in_a_loop():
    model, x = built("custom RNN cell, in a loop", "float32"), data("steps")
    rnn = model.get_layer("rnn")
    rnn.unroll = True
    try:
        got = activation_gradients(model, x, target, "rnn/cell")["rnn/cell"]
    finally:
        rnn.unroll = False
    assert len(got) == STEPS  # (output, [state]) for each step
    expected = activation_gradients(model, x, target, "rnn")["rnn"][0]
    for step, (output, _) in enumerate(got):
        assert error(output, expected[:, step]) < 1e-6


# The three ways by hand, and the picture of the calls

ONE = data("flat")


def one_by_one(*layers):
    model = keras.Sequential([keras.Input((FEATURES,), name="start")], name="stack")
    for layer in layers:
        model.add(layer)
    return model


def by_hand(way, model, name, target=target, x=ONE):
    return way(model, x, target, name)


def hand_derivative():
    """A stack tanh(x U) W, built by .add(); d sum(y²) / dh = 2 y Wᵀ, in NumPy's float64."""
    model = one_by_one(
        L.Dense(UNITS, "tanh", name="first"), L.Dropout(0.5, name="drop"), L.Dense(OUT, name="last")
    )
    rng = np.random.default_rng(3)
    u, b, w, c = (rng.normal(size=weight.shape) for weight in model.get_weights())
    model.set_weights([u, b, w, c])
    y = np.tanh(ONE.numpy().astype("float64") @ u + b) @ w + c
    return model, 2 * y @ w.T


def squares(y):
    return tf.reduce_sum(y**2)


BY_NAME = [layer_by_layer_gradient, sub_model_gradient]


@pytest.mark.parametrize("way", BY_NAME)
def test_ways_by_name_agree_with_the_derivative_by_hand(way):
    model, expected = hand_derivative()
    for name in ("first", "drop"):
        assert error(by_hand(way, model, name, squares), expected) < 1e-5
        assert error(by_hand(way, model, name, squares, ONE.numpy()), expected) < 1e-5


def test_captured_gradients_agree_with_the_derivative_by_hand():
    model, expected = hand_derivative()
    (found,) = captured_gradients(model, ONE, squares, model.get_layer("first"))
    assert error(found, expected) < 1e-5


@pytest.mark.parametrize("way", BY_NAME)
def test_ways_by_name_for_a_functional_stack_without_weights_in_front(way):
    """y = 4 · (x / 2)², and the gradient with respect to the scaled x is 8 · (x / 2)."""
    inputs = keras.Input((FEATURES,))
    model = keras.Model(inputs, L.Rescaling(2.0)(L.Rescaling(0.5, name="scale")(inputs)))
    assert error(by_hand(way, model, "scale", squares), 8 * ONE / 2) < 1e-6
    pixels = np.arange(FEATURES, dtype="uint8")[None]
    assert error(by_hand(way, model, "scale", squares, pixels), 8 * pixels / 2) < 1e-6


@pytest.mark.parametrize("way", BY_NAME)
@pytest.mark.parametrize("extra", ["load", "pop"])
def test_ways_by_name_where_the_recipe_is_silent(way, extra, tmp_path):
    model = one_by_one(*[L.Dense(FEATURES, "tanh", name=name) for name in ("a", "b", "c")])
    if extra == "pop":
        model.pop()
    else:
        model.save(tmp_path / "model.keras")
        model = keras.saving.load_model(tmp_path / "model.keras")
    both = keras.Model(model.inputs, [model.get_layer("a").output, model.outputs[0]])
    with tf.GradientTape() as tape:
        a, y = both(ONE)
        value = squares(y)
    assert tape.gradient(value, a) is None
    (expected,) = activation_gradients(model, ONE, squares, "a")["a"]
    assert error(by_hand(way, model, "a", squares), expected) < 1e-6


class Adds(keras.Model):
    def __init__(self):
        super().__init__(name="adds")
        self.a = L.Dense(FEATURES, name="a")

    def call(self, x):
        return x + self.a(x)


def test_captured_gradients_of_two_calls_and_of_a_tensor_in_two_places():
    """y = d(d(x)) with d(x) = 2x gives 2 and 1; x + dropout(x), at inference, 1 (not 2)."""
    inputs = keras.Input((FEATURES,))
    double = L.Rescaling(2.0, name="double")
    model = keras.Model(inputs, double(double(inputs)))
    first, second = captured_gradients(model, ONE, tf.reduce_sum, double)
    assert np.all(first == 2) and np.all(second == 1)
    drop = L.Dropout(0.5)
    model = keras.Model(inputs, L.add([inputs, drop(inputs)]))
    (found,) = captured_gradients(model, ONE, tf.reduce_sum, drop)
    assert np.all(found == 1)


def test_captured_gradients_leaves_the_layer_as_it_was():
    model, x = tiny()
    before = attributes(model)
    captured_gradients(model, x, target, model.get_layer("first"))
    assert attributes(model) == before
    with pytest.raises(ValueError, match="incompatible"):
        captured_gradients(model, x[:, :1], target, model.get_layer("second"))
    assert attributes(model) == before


def raised(kind, function, *arguments):
    with pytest.raises(kind) as caught:
        function(*arguments)
    message = str(caught.value)
    assert message.endswith(" Lesson: intermediate_activations.")
    return message


@pytest.mark.parametrize("way", BY_NAME)
def test_ways_by_name_refuse_with_a_reason(way):
    model, _ = hand_derivative()
    message = raised(ValueError, way, model, ONE, squares, "frist")
    assert message.startswith(
        "'stack' has no layer 'frist' of its own. Did you mean 'first' or 'last'? "
    )
    assert "Its layers are 'first', 'drop', 'last'." in message

    inputs = keras.Input((FEATURES,))
    a = L.Dense(FEATURES, name="a")
    joins = keras.Model(inputs, L.Add(name="sum")([inputs, a(inputs)]), name="joins")
    message = raised(ValueError, way, joins, ONE, squares, "a")
    assert "layer 'sum' of 'joins' does not accept" in message and "is no stack" in message
    twice = keras.Model(inputs, a(a(inputs)), name="twice")
    message = raised(ValueError, way, twice, ONE, squares, "a")
    assert "one after the other, do not give what 'twice' gives" in message
    cut = one_by_one(L.Rescaling(1.0, name="a"), L.Lambda(tf.stop_gradient))
    message = raised(ValueError, way, cut, ONE, squares, "a")
    assert message.startswith("The gradient for the output of layer 'a' is None: the target does")
    with pytest.raises(ValueError, match="summed_targets"):
        way(model, ONE, lambda y: y, "first")


def test_ways_by_hand_and_a_subclassed_model():
    model = Adds()
    model(ONE)
    message = raised(ValueError, layer_by_layer_gradient, model, ONE, squares, "a")
    assert "do not give what 'adds' gives" in message
    for function in (lambda: sub_model_gradient(model, ONE, squares, "a"),
                     lambda: draw_calls(model, "a")):  # fmt: skip
        assert raised(TypeError, function).startswith("'adds' has no `inputs`: ")
    message = raised(ValueError, captured_gradients, model, ONE, squares, L.Dense(1, name="other"))
    assert message.startswith("The model never called 'other' for this input")
    with pytest.raises(ValueError, match=r"output of layer 'a' is None"):
        captured_gradients(model, ONE, lambda y: tf.reduce_sum(tf.stop_gradient(y)), model.a)
    with pytest.raises(ValueError, match="summed_targets"):
        captured_gradients(model, ONE, lambda y: y, model.a)


def test_picture_of_the_calls_tells_builds_apart():
    model = one_by_one(*[L.Dense(2, name=name) for name in "abc"])
    stale = draw_calls(model, "a")
    assert (stale.intact, stale.cause) == (False, "other_call")
    first, *lines = stale.text.splitlines()
    assert first == (
        "model.outputs[0] comes from start[0], a[2], b[1], c[0]. a.output is a[0]: another call."
    )
    assert set(lines) == {
        "start[0] uses nothing.",
        *(f"a[{call}] uses start[0]." for call in range(3)),
        *("b[0] uses a[1].", "b[1] uses a[2].", "c[0] uses b[1]."),
    }
    for words in ("a.output", "model.outputs[0]", "a[2]", first[:20]):
        assert words in stale.svg
    assert stale.svg.count('class="box bad') == 1
    assert stale.svg.count("output does not") == 3  # a[0], a[1] and b[0]
    listed = draw_calls(keras.Sequential([keras.Input((2,)), L.Dense(2, name="a")]), "a")
    assert 'class="box bad' not in listed.svg and "output does not" not in listed.svg
    assert (listed.intact, listed.cause) == (True, None) and "another" not in listed.text
    inputs = h = keras.Input((2,), name="start")
    for _ in range(30):  # 2³⁰ ways through these residuals: each call is visited once
        h = L.add([h, L.Dense(2)(h)])
    deep = keras.Model(inputs, L.Dense(1, name="head")(h))
    assert draw_calls(deep, "head").text.count(" uses ") == len(deep.layers)
    with pytest.raises(ValueError, match="has no layer 'z'"):
        draw_calls(model, "z")


def test_a_second_model_of_an_added_sequential_was_right_up_to_keras_2():
    old, *since = recorded("stale_node").values()
    assert old == "value [[1.0, 1.0]]" and set(since) == {"None"}


def test_recorded_costs_are_complete():
    costs = read_record("bench_activations.json")
    ours = {(row["network"], row["mode"]) for row in costs["ratios"] if row["way"] == "capture"}
    networks = ["MLP", "CNN", "LSTM", "InceptionV3"]
    assert ours == set(itertools.product(networks, ["eager", "tf.function", "XLA"]))
    assert min(row["pairs"] for row in costs["ratios"]) >= 30
    assert all(row["ratio"] < 1.2 for row in costs["ratios"] if row["way"] == "capture")
    assert {row["network"] for row in costs["memory"]} == {"CNN", "InceptionV3"}
