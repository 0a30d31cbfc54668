"""Every kind of model × mode × dtype policy: is `value_and_gradients` right?

    python -m tests.capture_matrix

runs all cells and writes data/activation_matrix.json, from which a lesson's table is made.
test_intermediate_activations.py runs the same cells, but for the few that take long.
"""

import functools
import itertools
import json
import math

import keras
import numpy as np
import tensorflow as tf

from solutions.intermediate_activations import layer_paths, value_and_gradients
from tests.capture_models import KINDS, data, target
from tests.records import write_data

MODES = ("eager", "tf.function", "XLA")
POLICIES = ("float32", "mixed_float16")
# The largest error, as a part of the largest element of the reference. Float16 has 11 bits, so
# about 5e-4 an operation; a gradient that is of the wrong thing is off by far more.
BOUNDS = {"float32": 1e-5, "mixed_float16": 5e-3}
RECORD = "activation_matrix.json"


def in_mode(mode, function):
    """Return the function as eager code, as a `tf.function` or compiled by XLA."""
    return function if mode == "eager" else tf.function(function, jit_compile=mode == "XLA")


@functools.cache
def built(kind, policy):
    """Return the model, in the dtype policy, with weights from a fixed seed."""
    before = keras.config.dtype_policy()
    keras.config.set_dtype_policy(policy)
    keras.utils.set_random_seed(3)
    try:
        model = KINDS[kind].build()
        model(data(KINDS[kind].x))  # Keras notes in the layers that they were called
        return model
    finally:
        keras.config.set_dtype_policy(before)


@functools.cache
def reference(kind, policy):
    """Return value, activations and gradients of the hand-written replay, in float64."""
    row, model, x = KINDS[kind], built(kind, policy), data(KINDS[kind].x)
    replay = functools.partial(row.replay, model=model) if row.heavy else row.replay
    weights = model.get_weights()
    weights = [tf.constant(weight, tf.float64) for weight in weights]
    if not row.heavy:
        x = keras.tree.map_structure(lambda a: tf.cast(a, tf.float64), x)
    return replay_gradients(replay, weights, x)


def replay_gradients(replay, weights, x):
    """Differentiate a replay with respect to zeros added at the layers, to weights and to x."""
    activations = {}

    def keep(path, value):
        activations.setdefault(path, []).append(value)
        return value

    replay(weights, x, keep)
    zeros = keras.tree.map_structure(tf.zeros_like, activations)
    with tf.GradientTape() as tape:
        sources = {"layers": zeros, "weights": weights, "inputs": x}
        tape.watch([leaf for leaf in keras.tree.flatten(sources) if tf.is_tensor(leaf)])
        value = replay_value(replay, weights, x, zeros)
    return value, activations, tape.gradient(value, sources)


def replay_value(replay, weights, x, deltas):
    """Return the target after `deltas[path][call]` was added to what each layer returns."""
    calls = {path: iter(per_call) for path, per_call in deltas.items()}

    def add(path, value):
        return keras.tree.map_structure(tf.add, value, next(calls[path]))

    return target(replay(weights, x, add))


def run(kind, mode, policy):
    """Return the largest relative error over everything that a cell of the matrix returns."""
    row, model, x = KINDS[kind], built(kind, policy), data(KINDS[kind].x)
    value, activations, gradients = reference(kind, policy)

    def capture(x):
        light = not row.heavy
        asked = {"weights": light, "inputs": light, "layers": row.layers}
        return value_and_gradients(model, x, target, **asked)

    before = attributes(model)
    got = in_mode(mode, capture)(x)
    assert attributes(model) == before, "the model was changed"
    pairs = [(got.value, value)]
    for path in row.layers:
        pairs += zip_trees(got.activations[path], activations[path])
        pairs += zip_trees(got.activation_gradients[path], gradients["layers"][path])
    if not row.heavy:
        chosen = row.trainable or range(len(gradients["weights"]))
        pairs += zip_trees([*got.weights.values()], [gradients["weights"][i] for i in chosen])
        pairs += zip_trees(got.inputs, gradients["inputs"])
    nones = [pair for pair in pairs if pair[0] is None]
    assert len(nones) == len(got.why_none), got.why_none
    assert all(expected is None for _, expected in nones)
    return max(error(*pair) for pair in pairs if pair[0] is not None)


def zip_trees(got, expected):
    # Keras prefers tuples where a replay has lists, so leaves are compared, and their number.
    return zip(keras.tree.flatten(got), keras.tree.flatten(expected), strict=True)


def error(got, expected):
    got, expected = np.asarray(got, np.float64), np.asarray(expected, np.float64)
    assert got.shape == expected.shape
    scale = np.abs(expected).max()
    assert scale > 1e-4, "a reference of zeros would prove nothing"
    return np.abs(got - expected).max() / scale


def attributes(model):
    """Return the attributes of the model and of every layer inside it, as identities."""
    return [
        {name: id(value) for name, value in vars(layer).items()}
        for layer in (model, *layer_paths(model).values())
    ]


def refusal(kind, mode, policy):
    """Return the message with which the layer is refused that this kind cannot give."""
    row, model, x = KINDS[kind], built(kind, policy), data(KINDS[kind].x)

    def capture(x):
        return value_and_gradients(model, x, target, layers=[row.refused])

    try:
        in_mode(mode, capture)(x)
    except ValueError as raised:
        return str(raised)
    raise AssertionError("the layer should have been refused")


def record():
    cells = []
    for kind, policy, mode in itertools.product(KINDS, POLICIES, MODES):
        found = run(kind, mode, policy)
        row = KINDS[kind]
        outcome = "right" if found < BOUNDS[policy] else "wrong"
        below = f"1e{max(-7, math.ceil(math.log10(found))):+03d}" if found else "1e-07"
        print(f"{kind:32} {policy:14} {mode:12} {outcome} {found:.1e}", flush=True)
        cell = {"kind": kind, "mode": mode, "policy": policy, "outcome": outcome, "below": below}
        if row.refused:
            assert row.refused in refusal(kind, mode, policy)
            cell["refused"] = row.refused
        cells.append(cell)
    text = {
        "about": "error of value, activations and gradients, relative to the largest element; "
        "`below` is the next power of ten. Made by `python -m tests.capture_matrix`.",
        "bounds": BOUNDS,
        "versions": {"keras": keras.__version__, "tensorflow": tf.__version__},
        "layers": {kind: list(row.layers) for kind, row in KINDS.items()},
        "cells": cells,
    }
    write_data(RECORD, json.dumps(text, indent=1, sort_keys=True) + "\n")


if __name__ == "__main__":
    record()
