"""Tiny models of every kind, each with its own forward pass written out by hand.

A replay is the oracle of the capture tests. It uses no Keras layer: plain TensorFlow operations on
the list `model.get_weights()`. Where the model has a layer to capture, the replay passes the value
through `add(path, value)`, which adds a zero. The gradient with respect to that zero is the
gradient with respect to the layer's output.
"""

import functools
import os
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import keras
import numpy as np
import tensorflow as tf

L = keras.layers
BATCH, STEPS, FEATURES, UNITS, OUT = 3, 4, 5, 4, 3


@dataclass(frozen=True)
class Kind:
    """One row of the matrix."""

    build: Callable[[], keras.Model]
    replay: Callable[..., tf.Tensor]  # (weights, x, add) -> the model's output
    layers: tuple[str, ...]  # the paths to capture
    x: Any = "flat"
    refused: str | None = None  # a path that must be refused
    trainable: tuple[int, ...] | None = None  # which of get_weights() are trainable; None: all
    heavy: bool = False


def data(shape: str):
    """Return the inputs of a kind, float32 from a fixed seed."""
    rng = np.random.default_rng(7)

    def draw(*size):
        return tf.constant(rng.normal(size=size), tf.float32)

    return {
        "flat": lambda: draw(BATCH, FEATURES),
        "steps": lambda: draw(BATCH, STEPS, FEATURES),
        "two": lambda: {"left": draw(BATCH, FEATURES), "right": draw(BATCH, 2)},
        "image": lambda: draw(1, 75, 75, 3),
    }[shape]()


def target(y):
    """A scalar in which every element of the output has its own weight, computed in float32."""
    total = 0.0
    for leaf in keras.tree.flatten(y):
        leaf = tf.cast(leaf, tf.float32) if leaf.dtype == tf.float16 else leaf
        factors = tf.cast(tf.linspace(0.5, 1.5, int(np.prod(leaf.shape))), leaf.dtype)
        total += tf.reduce_sum(tf.reshape(factors, leaf.shape) * leaf * (1 + leaf))
    return total


# The mathematics of the layers used, in whatever dtype the arguments have


def affine(x, kernel, bias):
    return tf.tensordot(x, kernel, 1) + bias


def two_dense(w, x, add, first="first", second="second"):
    h = add(first, tf.tanh(affine(x, w[0], w[1])))
    return add(second, affine(h, w[2], w[3]))


def lstm_steps(w, x, reverse=False):
    """Return the outputs of all steps, the last output and the last cell state."""
    kernel, recurrent, bias = w
    h = tf.zeros_like(x[:, 0, :1]) + tf.zeros(kernel.shape[1] // 4, x.dtype)
    c, outputs = h, []
    for t in range(x.shape[1])[:: -1 if reverse else 1]:
        i, f, g, o = tf.split(tf.matmul(x[:, t], kernel) + tf.matmul(h, recurrent) + bias, 4, -1)
        c = tf.sigmoid(f) * c + tf.sigmoid(i) * tf.tanh(g)
        h = tf.sigmoid(o) * tf.tanh(c)
        outputs.append(h)
    return tf.stack(outputs, 1), h, c


# The kinds


def sequential_list(name=None):
    first = L.Dense(UNITS, activation="tanh", name="first")
    return keras.Sequential(
        [keras.Input((FEATURES,)), first, L.Dense(OUT, name="second")], name=name
    )


def sequential_add():
    model = keras.Sequential()
    model.add(keras.Input((FEATURES,)))
    model.add(L.Dense(UNITS, activation="tanh", name="first"))
    model.add(L.Dense(OUT, name="second"))
    return model


def loaded(suffix):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, f"model{suffix}")
        sequential_add().save(path)
        return keras.saving.load_model(path, compile=False)


def functional():
    inputs = keras.Input((FEATURES,))
    h = L.Dense(FEATURES, activation="tanh", name="first")(inputs)
    h = L.Add(name="residual")([inputs, h])
    return keras.Model(inputs, L.Dense(OUT, name="second")(h))


def functional_replay(w, x, add):
    h = add("first", tf.tanh(affine(x, w[0], w[1])))
    return add("second", affine(add("residual", x + h), w[2], w[3]))


def multi():
    left, right = keras.Input((FEATURES,), name="left"), keras.Input((2,), name="right")
    a = L.Dense(UNITS, activation="tanh", name="left_dense")(left)
    b = L.Dense(UNITS, activation="tanh", name="right_dense")(right)
    h = L.Concatenate(name="both")([a, b])
    outputs = {"score": L.Dense(OUT, name="score")(h), "extra": L.Dense(1, name="extra")(b)}
    return keras.Model({"left": left, "right": right}, outputs)


def multi_replay(w, x, add):
    # Keras lists this model's weights in the order right, left, extra, score.
    a = add("left_dense", tf.tanh(affine(x["left"], w[2], w[3])))
    b = add("right_dense", tf.tanh(affine(x["right"], w[0], w[1])))
    h = add("both", tf.concat([a, b], -1))
    return {
        "score": add("score", affine(h, w[6], w[7])),
        "extra": add("extra", affine(b, w[4], w[5])),
    }


class Subclassed(keras.Model):
    def __init__(self, units=UNITS, out=OUT, **options):
        super().__init__(**options)
        self.first = L.Dense(units, activation="tanh", name="first")
        self.second = L.Dense(out, name="second")

    def call(self, x):
        return self.second(self.first(x))


def subclassed():
    model = Subclassed()
    model(tf.zeros((1, FEATURES)))
    return model


def subclassed_inside():
    inputs = keras.Input((FEATURES,))
    h = Subclassed(out=UNITS, name="inner")(inputs)
    return keras.Model(inputs, L.Dense(OUT, name="head")(h))


def inner_and_head(w, x, add):
    h = add("inner", two_dense(w, x, add, "inner/first", "inner/second"))
    return add("head", affine(h, w[4], w[5]))


def functional_inside():
    inputs = keras.Input((FEATURES,))
    h = L.Dense(UNITS, activation="tanh", name="first")(inputs)
    inner = keras.Model(inputs, L.Dense(UNITS, name="second")(h), name="inner")
    return keras.Sequential([keras.Input((FEATURES,)), inner, L.Dense(OUT, name="head")])


def nested_twice():
    inner = sequential_list("inner")
    inputs = keras.Input((FEATURES,))
    middle = keras.Model(inputs, L.Dense(UNITS, name="mid")(inner(inputs)), name="middle")
    return keras.Sequential([keras.Input((FEATURES,)), middle, L.Dense(OUT, name="head")])


def nested_twice_replay(w, x, add):
    h = two_dense(w, x, add, "middle/inner/first", "middle/inner/second")
    h = add("middle/inner", h)
    h = add("middle", add("middle/mid", affine(h, w[4], w[5])))
    return add("head", affine(h, w[6], w[7]))


def shared():
    inputs = keras.Input((FEATURES,))
    twice = L.Dense(FEATURES, activation="tanh", name="twice")
    return keras.Model(inputs, L.Dense(OUT, name="head")(twice(twice(inputs))))


def shared_replay(w, x, add):
    h = add("twice", tf.tanh(affine(x, w[0], w[1])))
    h = add("twice", tf.tanh(affine(h, w[0], w[1])))
    return add("head", affine(h, w[2], w[3]))


def time_distributed():
    per_step = L.TimeDistributed(L.Dense(UNITS, activation="tanh", name="step"), name="wrapper")
    return keras.Sequential([keras.Input((STEPS, FEATURES)), per_step, L.Dense(OUT, name="head")])


def time_distributed_replay(w, x, add):
    steps = [add("wrapper/step", tf.tanh(affine(x[:, t], w[0], w[1]))) for t in range(STEPS)]
    return add("head", affine(add("wrapper", tf.stack(steps, 1)), w[2], w[3]))


def bidirectional():
    both = L.Bidirectional(L.LSTM(UNITS, return_sequences=True, name="lstm"), name="both")
    return keras.Sequential([keras.Input((STEPS, FEATURES)), both, L.Dense(OUT, name="head")])


def bidirectional_replay(w, x, add):
    forward = add("both/forward_lstm", lstm_steps(w[0:3], x)[0])
    backward = add("both/backward_lstm", lstm_steps(w[3:6], x, reverse=True)[0])
    h = add("both", tf.concat([forward, tf.reverse(backward, [1])], -1))
    return add("head", affine(h, w[6], w[7]))


def lstm_state():
    inputs = keras.Input((STEPS, FEATURES))
    lstm = L.LSTM(UNITS, return_sequences=True, return_state=True, name="lstm")
    sequence, h, c = lstm(inputs)
    total = L.Concatenate(name="all")([L.Flatten(name="flat")(sequence), h, c])
    return keras.Model(inputs, L.Dense(OUT, name="head")(total))


def lstm_state_replay(w, x, add):
    sequence, h, c = add("lstm", lstm_steps(w[0:3], x))
    total = tf.concat([add("flat", tf.reshape(sequence, (x.shape[0], -1))), h, c], -1)
    return add("head", affine(add("all", total), w[3], w[4]))


class MinimalCell(keras.Layer):
    """h' = u * h + (1 - u) * z with z = tanh(x W) and the gate u = sigmoid(z V)."""

    def __init__(self, units, **options):
        super().__init__(**options)
        self.state_size = self.output_size = units

    def build(self, shape):
        size = self.state_size
        self.kernel = self.add_weight(shape=(shape[-1], size), name="kernel")
        self.gate = self.add_weight(shape=(size, size), name="gate")

    def call(self, x, states):
        z = tf.tanh(tf.matmul(x, self.kernel))
        u = tf.sigmoid(tf.matmul(z, self.gate))
        h = u * states[0] + (1 - u) * z
        return h, [h]


def custom_cell(unroll):
    rnn = L.RNN(MinimalCell(UNITS, name="cell"), return_sequences=True, unroll=unroll, name="rnn")
    return keras.Sequential([keras.Input((STEPS, FEATURES)), rnn, L.Dense(OUT, name="head")])


def custom_cell_replay(w, x, add, cell="rnn/cell"):
    h, outputs = tf.zeros((x.shape[0], UNITS), x.dtype), []
    for t in range(STEPS):
        z = tf.tanh(tf.matmul(x[:, t], w[0]))
        u = tf.sigmoid(tf.matmul(z, w[1]))
        h = u * h + (1 - u) * z
        output, (h,) = add(cell, (h, [h])) if cell else (h, [h])
        outputs.append(output)
    return add("head", affine(add("rnn", tf.stack(outputs, 1)), w[2], w[3]))


def frozen():
    model = sequential_list()
    model.get_layer("first").trainable = False
    return model


def inception():
    base = keras.applications.InceptionV3(
        weights=None, include_top=False, input_shape=(75, 75, 3), name="inception_v3"
    )
    for layer in base.layers:
        if isinstance(layer, L.Conv2D):  # untrained, the signal would fade in 94 layers of ReLU
            layer.kernel.assign(layer.kernel * 1.6)
    head = L.Dense(OUT, name="head")
    return keras.Sequential(
        [keras.Input((75, 75, 3)), base, L.GlobalAveragePooling2D(name="pool"), head]
    )


def inception_replay(w, x, add, model):
    # The part before the layer is run by a sub-model, Keras's own way; the part after, by hand.
    base = model.get_layer("inception_v3")
    before = keras.Model(base.inputs, base.get_layer("mixed10").output)
    h = add("inception_v3/mixed10", tf.cast(before(x), tf.float64))
    h = add("inception_v3", h)
    return add("head", affine(add("pool", tf.reduce_mean(h, (1, 2))), w[-2], w[-1]))


FLAT = ("first", "second")
KINDS = {
    "Sequential, from a list": Kind(sequential_list, two_dense, FLAT),
    "Sequential, by .add()": Kind(sequential_add, two_dense, FLAT),
    "loaded from .keras": Kind(functools.partial(loaded, ".keras"), two_dense, FLAT),
    "loaded from .h5": Kind(functools.partial(loaded, ".h5"), two_dense, FLAT),
    "functional": Kind(functional, functional_replay, ("first", "residual", "second")),
    "inputs and outputs in dicts": Kind(
        multi, multi_replay, ("left_dense", "right_dense", "both", "score", "extra"), "two"
    ),
    "subclassed": Kind(subclassed, two_dense, FLAT),
    "subclassed inside functional": Kind(
        subclassed_inside, inner_and_head, ("inner/first", "inner/second", "inner", "head")
    ),
    "functional inside Sequential": Kind(
        functional_inside, inner_and_head, ("inner/first", "inner/second", "inner", "head")
    ),
    "nested twice": Kind(
        nested_twice,
        nested_twice_replay,
        ("middle/inner/first", "middle/inner/second", "middle/inner", "middle/mid", "middle"),
    ),
    "shared layer, called twice": Kind(shared, shared_replay, ("twice", "head")),
    "layer inside TimeDistributed": Kind(
        time_distributed, time_distributed_replay, ("wrapper/step", "wrapper", "head"), "steps"
    ),
    "layer inside Bidirectional": Kind(
        bidirectional,
        bidirectional_replay,
        ("both/forward_lstm", "both/backward_lstm", "both", "head"),
        "steps",
    ),
    "LSTM returning its state": Kind(
        lstm_state, lstm_state_replay, ("lstm", "flat", "all", "head"), "steps"
    ),
    "custom RNN cell, unrolled": Kind(
        functools.partial(custom_cell, True),
        custom_cell_replay,
        ("rnn/cell", "rnn", "head"),
        "steps",
    ),
    "custom RNN cell, in a loop": Kind(
        functools.partial(custom_cell, False),
        functools.partial(custom_cell_replay, cell=None),
        ("rnn", "head"),
        "steps",
        refused="rnn/cell",
    ),
    "frozen layers": Kind(frozen, two_dense, FLAT, trainable=(2, 3)),
    "InceptionV3 inside Sequential": Kind(
        inception,
        inception_replay,
        ("inception_v3/mixed10", "inception_v3", "pool", "head"),
        "image",
        heavy=True,
    ),
}
