"""What does `GradientRecorder` add to `fit`, and what do the usual ways add?

    python -m tests.bench_training [--quick]

Each way is timed in turn with plain `fit` in one process, one epoch each time, every other pair in
the other order; the ratio is the median over the pairs, of processor time, which other programs on
the machine disturb less than the clock on the wall (the record has that ratio, too). What a first
`fit` needs for tracing is left out. The full run takes about five minutes on two cores and writes
data/bench_training.json; --quick only prints.
"""

import argparse
import json
import time
import warnings

import keras
import numpy as np
import tensorflow as tf

from solutions.gradients_while_training import GradientRecorder
from solutions.intermediate_activations import value_and_gradients
from tests.bench_activations import NETWORKS, build, example, machine
from tests.records import write_data

RECORD = "bench_training.json"
BATCHES = {"MLP": 20, "CNN": 5, "LSTM": 8}  # of one epoch: a quarter of a second
loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)


def layers_of(model):
    return [layer.name for layer in model.layers]


class Kept(keras.Sequential):
    """The usual way to eager gradients: a train_step of one's own that keeps them."""

    def train_step(self, data):
        x, y = data
        with tf.GradientTape() as tape:
            activations = []
            for layer in self.layers:
                x = layer(x, training=True) if layer._call_has_training_arg else layer(x)
                activations.append(x)
            value = loss(y, x)
        sources = [self.trainable_variables, activations]
        weights, self.kept = tape.gradient(value, sources)
        self.optimizer.apply(weights, self.trainable_variables)
        self.norms = [float(tf.norm(gradient)) for gradient in self.kept]
        return {"loss": value}


class Probe(keras.callbacks.Callback):
    """Another usual way: after each batch, forward and backward once more, on a fixed batch."""

    def __init__(self, x, y, jit_compile):
        super().__init__()
        self.x, self.y = tf.constant(x), tf.constant(y)
        self.jit_compile, self.norms = jit_compile, []
        self.step = None

    def on_train_batch_end(self, batch, logs=None):
        if self.step is None:
            model = self.model
            names = layers_of(model)

            @tf.function(jit_compile=self.jit_compile)
            def step(x, y):
                got = value_and_gradients(
                    model, x, lambda out: loss(y, out), weights=False, layers=names, training=True
                )
                calls = got.activation_gradients.values()
                return tf.stack([tf.norm(call[0]) for call in calls])

            self.step = step
        self.norms.append(self.step(self.x, self.y).numpy())


PAIRS = {"norms": 30, "full tensors": 30, "run_eagerly=True": 5, "probe batch": 15}


def prepare(network, mode, way):
    """Return a function that trains for one epoch."""
    x, y = example(network, scale=BATCHES[network])
    size = NETWORKS[network]["x"][0]
    model = build(network)
    if way == "run_eagerly=True":
        kept = Kept(model.layers)
        kept.build(model.input_shape)
        kept.set_weights(model.get_weights())
        model = kept
    eager = way == "run_eagerly=True"
    model.compile(
        keras.optimizers.SGD(0.01), loss, run_eagerly=eager, jit_compile=mode == "XLA" and not eager
    )
    callbacks = {
        "norms": lambda: [GradientRecorder(layers_of(model))],
        "full tensors": lambda: [GradientRecorder(layers_of(model), reduce="full")],
        "probe batch": lambda: [Probe(x[:size], y[:size], mode == "XLA")],
    }.get(way, list)()
    data = tf.data.Dataset.from_tensor_slices((x, y)).batch(size, drop_remainder=True)
    return lambda: model.fit(data, verbose=0, callbacks=callbacks)


def compare(base, way, pairs):
    """Time two functions in turn, and return medians: seconds of processor time, and ratios."""
    for function in (base, way, base, way):
        function()  # tracing, compiling, first allocations
    taken = {base: [], way: []}
    for i in range(pairs):
        for function in (base, way) if i % 2 else (way, base):
            start = time.process_time(), time.perf_counter()
            function()
            taken[function].append((time.process_time() - start[0], time.perf_counter() - start[1]))
    plain, other = np.array(taken[base]), np.array(taken[way])
    ratio, wall_ratio = np.median(other / plain, axis=0)
    return {
        "plain_ms": round(1000 * float(np.median(plain[:, 0])), 1),
        "way_ms": round(1000 * float(np.median(other[:, 0])), 1),
        "ratio": round(float(ratio), 3),
        "wall_ratio": round(float(wall_ratio), 3),
    }


def plan(quick):
    for network in ["MLP"] if quick else BATCHES:
        for mode in ["graph", "XLA"] if network == "MLP" and not quick else ["graph"]:
            yield network, mode


def measure(quick):
    rows = []
    for network, mode in plan(quick):
        plain = prepare(network, mode, "plain")
        for way in PAIRS:
            pairs = 5 if quick else PAIRS[way]
            found = compare(plain, prepare(network, mode, way), pairs)
            row = {
                "network": network,
                "mode": mode,
                "way": way,
                **found,
                "pairs": pairs,
                "batches": BATCHES[network],
            }
            rows.append(row)
            print(json.dumps(row), flush=True)
            keras.backend.clear_session()
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a small part, nothing written")
    options = parser.parse_args()
    warnings.simplefilter("ignore")  # the recorder announces its limit
    np.random.seed(0)
    result = {
        "about": "Processor time of one epoch of `fit` by ratio to plain `fit` in the same mode: "
        "median over interleaved pairs; wall_ratio is by the clock on the wall. "
        "Made by `python -m tests.bench_training`.",
        "machine": machine(),
        "networks": {name: NETWORKS[name] for name in BATCHES},
        "ratios": measure(options.quick),
    }
    if not options.quick:
        write_data(RECORD, json.dumps(result, indent=1, sort_keys=True) + "\n")


if __name__ == "__main__":
    main()
