"""The exercise of `intermediate_activations`: probes, points, and what people write instead."""

from unittest import mock

import keras
import numpy as np
import tensorflow as tf

from classroom.spec import Probe, Task, Wrong
from solutions import intermediate_activations as reference

L = keras.layers

# --- the models that answers are tried on ---------------------------------------------------


def dense(units, name, activation=None):
    """A layer that begins with ones, so that a copy without its weights always looks the same."""
    return L.Dense(units, activation, kernel_initializer="ones", name=name)


def with_weights(model):
    """Small numbers, no two alike: 0.1, -0.2, 0.3, ..."""
    values, count = [], 0
    for weight in model.get_weights():
        numbers = np.arange(count + 1, count + 1 + weight.size)
        values.append((0.1 * numbers * (-1) ** (numbers + 1)).reshape(weight.shape))
        count += weight.size
    model.set_weights(values)
    return model


def stack():
    return [dense(3, "first", "tanh"), dense(2, "second", "sigmoid"), dense(2, "last")]


def listed():
    return with_weights(keras.Sequential([keras.Input((2,)), *stack()]))


def added():
    model = keras.Sequential([keras.Input((2,))])
    for layer in stack():
        model.add(layer)
    return with_weights(model)


def scaled_first():
    layers = [L.Rescaling(0.5, name="scale"), dense(3, "hidden", "tanh"), dense(1, "last")]
    return with_weights(keras.Sequential([keras.Input((2,)), *layers]))


def rows():
    return tf.constant([[1.0, 2.0], [-0.5, 1.5]])


def first_score(y):
    return tf.reduce_sum(y[:, 0] ** 2)


def log_of_sum(y):
    return tf.reduce_logsumexp(y)


STACK_PROBES = [
    Probe("a list of three layers", lambda: (listed(), rows(), first_score, "first")),
    Probe("built by .add()", lambda: (added(), rows(), log_of_sum, "second")),
    Probe("a Rescaling in front", lambda: (scaled_first(), rows(), first_score, "scale")),
]

# --- layer_by_layer_gradient ----------------------------------------------------------------


def keeps_every_output(model, x, target, name):
    outputs = {}
    with tf.GradientTape() as tape:
        tape.watch(x)
        for layer in model.layers:
            x = outputs[layer.name] = layer(x)
        value = target(x)
    return tape.gradient(value, outputs[name])


def records_the_tail_only(model, x, target, name):
    names = [layer.name for layer in model.layers]
    cut = names.index(name) + 1
    for layer in model.layers[:cut]:
        x = layer(x)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x
        for layer in model.layers[cut:]:
            y = layer(y)
        value = target(y)
    return tape.gradient(value, x)


def never_watched(model, x, target, name):
    with tf.GradientTape() as tape:
        y = x
        for layer in model.layers:
            y = layer(y)
            if layer.name == name:
                activation = y
        value = target(y)
    return tape.gradient(value, activation)


def runs_the_model_as_well(model, x, target, name):
    with tf.GradientTape() as tape:
        y = x
        for layer in model.layers:
            y = layer(y)
            if layer.name == name:
                activation = y
                tape.watch(activation)
        value = target(model(x))
    return tape.gradient(value, activation)


def asks_the_layer(model, x, target, name):
    with tf.GradientTape() as tape:
        value = target(model(x))
    return tape.gradient(value, model.get_layer(name).output)


def what_goes_in(model, x, target, name):
    with tf.GradientTape() as tape:
        y = x
        for layer in model.layers:
            if layer.name == name:
                activation = y
                tape.watch(activation)
            y = layer(y)
        value = target(y)
    return tape.gradient(value, activation)


def without_the_target(model, x, target, name):
    with tf.GradientTape() as tape:
        y = x
        for layer in model.layers:
            y = layer(y)
            if layer.name == name:
                activation = y
                tape.watch(activation)
    return tape.gradient(y, activation)


LAYER_BY_LAYER = Task(
    function=reference.layer_by_layer_gradient,
    kind="write",
    minutes=8,
    points=5,
    probes=STACK_PROBES,
    hints=(
        "If you call the layers yourself, where is the output of the layer called `name`?",
        "Loop over `model.layers` inside the block: each takes what the one before returned. When "
        "`layer.name == name`, keep the tensor. Must the tape be told about it?",
        "`y = layer(y)`, then `if layer.name == name: activation = y; tape.watch(activation)`. "
        "After the loop `value = target(y)`.",
    ),
    right=[keeps_every_output, records_the_tail_only],
    wrong=[
        Wrong(
            never_watched,
            cause="unwatched",
            why="Nothing made the tape follow this activation. As a rule a weight in front of it "
            "does, but a Rescaling at the start has none, so the result is None there.",
            do="Call `tape.watch(activation)` as soon as the layer has returned it.",
            idea="Nothing made the tape follow",
        ),
        Wrong(
            runs_the_model_as_well,
            cause="other_call",
            why="`model(x)` calls every layer again. The value comes from that second pass, and "
            "your activation is from the loop.",
            do="Compute the value from the end of the loop: `target(y)`.",
            idea="comes from that second pass",
        ),
        Wrong(
            asks_the_layer,
            cause="symbolic",
            why="`layer.output` describes a call on a `keras.Input` and holds no values, so a tape "
            "has nothing to look up.",
            do="Call the layers yourself, and keep what the layer returned.",
            idea="holds no values",
        ),
        Wrong(
            what_goes_in,
            why="This is the gradient of what goes into the layer. The task asks for what comes "
            "out of it.",
            do="Keep the tensor after `y = layer(y)`, not before.",
            idea="what goes into the layer",
        ),
        Wrong(
            without_the_target,
            cause="summed",
            why="`target` is never called. A tape that is given the whole output answers for the "
            "sum of its numbers.",
            do="Compute `value = target(y)` inside the block, and differentiate that.",
            idea="`target` is never called",
        ),
    ],
)

# --- sub_model_gradient ---------------------------------------------------------------------


def the_recipe(model, x, target, name):
    activation = model.get_layer(name).output
    both = keras.Model(model.inputs, [activation, model.outputs[0]])
    with tf.GradientTape() as tape:
        tape.watch(x)
        activation, y = both(x)
        value = target(y)
    return tape.gradient(value, activation)


def keeps_every_symbol(model, x, target, name):
    inputs = tensor = keras.Input(x.shape[1:])
    tensors = {}
    for layer in model.layers:
        tensor = tensors[layer.name] = layer(tensor)
    both = keras.Model(inputs, {"activation": tensors[name], "y": tensor})
    with tf.GradientTape() as tape:
        tape.watch(x)
        got = both(x)
        value = target(got["y"])
    return tape.gradient(value, got["activation"])


def a_clone_with_its_weights(model, x, target, name):
    clone = keras.models.clone_model(model)
    clone.set_weights(model.get_weights())
    both = keras.Model(clone.inputs, [clone.get_layer(name).output, clone.outputs[0]])
    with tf.GradientTape() as tape:
        tape.watch(x)
        activation, y = both(x)
        value = target(y)
    return tape.gradient(value, activation)


def the_last_layers_output(model, x, target, name):
    activation = model.get_layer(name).output
    both = keras.Model(model.inputs, [activation, model.layers[-1].output])
    with tf.GradientTape() as tape:
        tape.watch(x)
        activation, y = both(x)
        value = target(y)
    return tape.gradient(value, activation)


def a_clone_without_its_weights(model, x, target, name):
    clone = keras.models.clone_model(model)
    both = keras.Model(clone.inputs, [clone.get_layer(name).output, clone.outputs[0]])
    with tf.GradientTape() as tape:
        tape.watch(x)
        activation, y = both(x)
        value = target(y)
    return tape.gradient(value, activation)


def the_models_output(model, x, target, name):
    both = keras.Model(model.input, [model.get_layer(name).output, model.output])
    with tf.GradientTape() as tape:
        tape.watch(x)
        activation, y = both(x)
        value = target(y)
    return tape.gradient(value, activation)


def listed_again(model, x, target, name):
    fresh = keras.Sequential([keras.Input(x.shape[1:]), *model.layers])
    both = keras.Model(fresh.inputs, [fresh.get_layer(name).output, fresh.outputs[0]])
    with tf.GradientTape() as tape:
        tape.watch(x)
        activation, y = both(x)
        value = target(y)
    return tape.gradient(value, activation)


def one_chain_unwatched(model, x, target, name):
    inputs = tensor = keras.Input(x.shape[1:])
    for layer in model.layers:
        tensor = layer(tensor)
        if layer.name == name:
            activation = tensor
    both = keras.Model(inputs, [activation, tensor])
    with tf.GradientTape() as tape:
        activation, y = both(x)
        value = target(y)
    return tape.gradient(value, activation)


SUB_MODEL = Task(
    function=reference.sub_model_gradient,
    kind="repair",
    minutes=10,
    points=5,
    probes=STACK_PROBES,
    start=the_recipe,
    hints=(
        "`model.get_layer(name).output` and `model.outputs[0]`: from which call of the layer is "
        "each, if the model was built by `.add()`?",
        "Do not ask for old notes. Make a `keras.Input`, call the layers of `model.layers` on it "
        "one after the other, and keep two of the tensors.",
        "`inputs = tensor = keras.Input(x.shape[1:])`, then in a loop `tensor = layer(tensor)`; "
        "keep it where `layer.name == name`; `keras.Model(inputs, [activation, tensor])`.",
    ),
    right=[keeps_every_symbol, a_clone_with_its_weights],
    wrong=[
        Wrong(
            the_recipe,
            cause="other_call",
            why="`layer.output` is from the first call of the layer. Each `.add()` called it "
            "again, and `model.outputs[0]` comes from the last call: two passes, so None.",
            do="Call the layers on one new `keras.Input`, and take both tensors from that chain.",
            idea="from the first call",
        ),
        Wrong(
            the_last_layers_output,
            cause="other_call",
            why="The last layer's `output` is the very tensor `model.outputs[0]`. The stale one is "
            "the other: the inner layer's `output`, from an earlier build.",
            do="Replace both: call the layers on one new `keras.Input` and keep two tensors.",
            idea="The stale one is the other",
        ),
        Wrong(
            a_clone_without_its_weights,
            why="A clone has the same layers and new weights, as they begin. This gradient is that "
            "of an untrained model.",
            do="Add `clone.set_weights(model.get_weights())`, or call the model's own layers on a "
            "new `keras.Input`.",
            idea="an untrained model",
        ),
        Wrong(
            the_models_output,
            cause="never_called",
            why="The Sequential as a whole was never called on a `keras.Input`, so `model.input` "
            "and `model.output` do not exist. Its layers were called, from within.",
            do="`model.inputs` and `model.outputs` exist; but here, make a new chain of calls.",
            idea="as a whole was never called",
        ),
        Wrong(
            listed_again,
            cause="disconnected_model",
            why="A new Sequential of the old layers calls them once more, but `layer.output` "
            "stays the first call's, and that hangs on the old `Input`.",
            do="Keep the tensors that the calls return, instead of asking the layer afterwards.",
            idea="hangs on the old `Input`",
        ),
        Wrong(
            one_chain_unwatched,
            cause="unwatched",
            why="The chain is right. With a Rescaling in front, no weight comes before the "
            "activation, and nothing else is watched.",
            do="Call `tape.watch(x)` before `both(x)`.",
            idea="no weight comes before",
        ),
    ],
)

# --- captured_gradients ---------------------------------------------------------------------


class Residual(keras.Model):
    """Adds what a layer returned to what it was given."""

    def __init__(self, inner):
        super().__init__()
        self.inner, self.last = inner, dense(2, "last")

    def call(self, x, training=False):
        return self.last(x + self.inner(x, training=training))


class Plain(L.Layer):
    """A layer of the simplest kind, that knows no `training`."""

    def build(self, shape):
        self.kernel = self.add_weight(shape=(shape[-1], 2), name="kernel")

    def call(self, x):
        return tf.tanh(tf.matmul(x, self.kernel))


def residual():
    model = Residual(keras.Sequential([Plain(name="plain")]))
    model(rows())
    return with_weights(model), rows(), first_score, model.inner.layers[0]


def twice():
    inputs, layer = keras.Input((2,)), dense(2, "twice", "tanh")
    model = keras.Model(inputs, dense(1, "last")(layer(layer(inputs))))
    return with_weights(model), rows(), first_score, layer


def nested():
    inner = keras.Sequential([keras.Input((2,)), *stack()], name="inner")
    model = keras.Sequential([keras.Input((2,)), inner, dense(1, "head")])
    return with_weights(model), rows(), log_of_sum, inner.layers[1]


def passes_through():
    """Dropout at inference returns the tensor that it was given: one tensor in two places."""
    model = Residual(L.Dropout(0.5, name="drop"))
    model(rows())
    return with_weights(model), rows(), first_score, model.inner


def patched_for_a_while(model, x, target, layer):
    call, kept = layer.call, []

    def tapped(*args, **options):
        kept.append(tf.identity(call(*args, **options)))
        tape.watch(kept[-1])
        return kept[-1]

    with tf.GradientTape() as tape, mock.patch.object(layer, "call", tapped):
        value = target(model(x))
    return tape.gradient(value, kept)


def adds_watched_zeros(model, x, target, layer):
    call, zeros = layer.call, []

    def tapped(*args, **options):
        output = call(*args, **options)
        zeros.append(tf.zeros_like(output))
        tape.watch(zeros[-1])
        return output + zeros[-1]

    layer.call = tapped
    with tf.GradientTape() as tape:
        value = target(model(x))
    del layer.call
    return tape.gradient(value, zeros)


def without_an_identity(model, x, target, layer):
    call, kept = layer.call, []

    def tapped(*args, **options):
        output = call(*args, **options)
        tape.watch(output)
        kept.append(output)
        return output

    with tf.GradientTape() as tape:
        layer.call = tapped
        value = target(model(x))
        del layer.call
    return tape.gradient(value, kept)


def keeps_a_copy(model, x, target, layer):
    call, kept = layer.call, []

    def tapped(*args, **options):
        output = call(*args, **options)
        kept.append(tf.identity(output))
        tape.watch(kept[-1])
        return output

    with tf.GradientTape() as tape:
        layer.call = tapped
        value = target(model(x))
        del layer.call
    return tape.gradient(value, kept)


def the_last_call(model, x, target, layer):
    call, kept = layer.call, {}

    def tapped(*args, **options):
        kept["output"] = output = tf.identity(call(*args, **options))
        tape.watch(output)
        return output

    with tf.GradientTape() as tape:
        layer.call = tapped
        value = target(model(x))
        del layer.call
    return [tape.gradient(value, kept["output"])]


def calls_the_layer_again(model, x, target, layer):
    with tf.GradientTape() as tape:
        value = target(model(x))
        activation = layer(x)
        tape.watch(activation)
    return [tape.gradient(value, activation)]


def differentiates_the_note(model, x, target, layer):
    with tf.GradientTape() as tape:
        value = target(model(x))
    return [tape.gradient(value, layer.output)]


def the_recipe_for_a_layer(model, x, target, layer):
    both = keras.Model(model.inputs, [layer.output, model.outputs[0]])
    with tf.GradientTape() as tape:
        activation, y = both(x)
        value = target(y)
    return [tape.gradient(value, activation)]


CAPTURED = Task(
    function=reference.captured_gradients,
    kind="write",
    minutes=15,
    points=7,
    probes=[
        Probe("a residual in a subclassed model", residual),
        Probe("a layer that is called twice", twice),
        Probe("a layer of an inner Sequential", nested),
        Probe("a Dropout that passes its input through", passes_through),
    ],
    hints=(
        "You cannot reach into the model while it runs. But what does the model run, when it "
        "comes to this layer?",
        "Put a function of your own in the place of `layer.call`: it calls the old one, makes a "
        "`tf.identity` of the result, has the tape watch that, keeps it, and returns it.",
        "`call = layer.call`, then inside the block `layer.call = tapped`, `y = model(x)`, and in "
        "a `finally`: `del layer.call`. `tape.gradient(target(y), kept)` takes the list.",
    ),
    right=[patched_for_a_while, adds_watched_zeros],
    wrong=[
        Wrong(
            without_an_identity,
            why="A Dropout at inference returns the tensor that it was given. The model uses that "
            "tensor in two places, and you get the gradient of both together.",
            do="Hand on a tensor of your own: `output = tf.identity(call(…))`.",
            idea="in two places",
        ),
        Wrong(
            keeps_a_copy,
            cause="derived_source",
            why="You kept a copy and handed on the original. The rest of the model never used "
            "your copy, so its gradient is None.",
            do="Return the very tensor that you keep.",
            idea="never used your copy",
        ),
        Wrong(
            the_last_call,
            why="Each call overwrites the one before. Of a layer that is called twice, only the "
            "last output is left.",
            do="Collect the outputs in a list, `kept.append(output)`, and pass the list.",
            idea="overwrites the one before",
        ),
        Wrong(
            calls_the_layer_again,
            cause="other_call",
            why="`layer(x)` is one more call, beside the model. The value was computed from the "
            "model's own call.",
            do="Catch the output while the model runs: put a function in the place of "
            "`layer.call`.",
            idea="one more call, beside the model",
        ),
        Wrong(
            differentiates_the_note,
            cause="symbolic",
            why="`layer.output`, where it exists at all, is a note about a call on a "
            "`keras.Input`. It has no values that a tape could know.",
            do="Catch the tensor that the layer returns while the model runs on `x`.",
            idea="a note about a call",
        ),
        Wrong(
            the_recipe_for_a_layer,
            cause="other_call",
            why="A second model is made of symbolic calls. A subclassed model has none, those of "
            "an inner model hang on another `Input`, and `layer.output` knows one call only.",
            do="Let the model itself run, and catch the output: replace `layer.call` for the time "
            "of the pass.",
            idea="is made of symbolic calls",
        ),
    ],
)

TASKS = [LAYER_BY_LAYER, SUB_MODEL, CAPTURED]
