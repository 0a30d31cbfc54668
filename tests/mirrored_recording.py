"""Run by tests/test_gradients_while_training.py: one process, two logical CPUs, JSON on stdout.

The runtime's logical devices must be set before TensorFlow starts, so this has its own process.
"""

import json
import sys
import warnings

import keras
import numpy as np
import tensorflow as tf

from solutions.gradients_while_training import GradientRecorder, merge_replicas, recording_step

L = keras.layers


def data(rows):
    """The first rows of some that are always the same."""
    rng = np.random.default_rng(5)
    x, y = rng.normal(size=(24, 3)), rng.normal(size=(24, 2))
    return x[:rows].astype("float32"), y[:rows].astype("float32")


def network(kind=keras.Sequential):
    model = kind([keras.Input((3,)), L.Dense(4, "tanh", name="a"), L.Dense(2, name="b")])
    rng = np.random.default_rng(6)
    model.set_weights([rng.normal(size=w.shape) for w in model.get_weights()])
    return model


def compiled(strategy, kind=keras.Sequential, **options):
    with strategy.scope():
        model = network(kind)
        model.compile(keras.optimizers.SGD(0.1), "mse", **options)
    return model


def fitted(model, callback, rows, batch=8):
    x, y = data(rows)
    model.fit(x, y, batch_size=batch, epochs=1, shuffle=False, verbose=0, callbacks=[callback])


def recorded(strategy, rows, options=None, **arguments):
    recorder = GradientRecorder(["a", "b"], weights=True, **arguments)
    fitted(compiled(strategy, **options or {}), recorder, rows)
    return {path: [np.array(g).tolist() for g in v] for path, v in recorder.history.items()}


class Returning(keras.Sequential):
    def train_step(self, data):
        x, y = data
        with tf.GradientTape() as tape:
            hidden = self.layers[0](x)
            loss = tf.reduce_mean((self.layers[1](hidden) - y) ** 2)
        return {"gradient": tape.gradient(loss, hidden)}


def in_the_logs(strategy):
    kept = []
    keep = keras.callbacks.LambdaCallback(
        on_train_batch_end=lambda batch, logs: kept.append(np.array(logs["gradient"]).tolist())
    )
    fitted(compiled(strategy, Returning), keep, 8)
    return kept[0]


def own_loop(strategy, mixed=False):
    """The recording step in `strategy.run`, each replica with its half of eight rows."""
    x, y = data(8)
    with strategy.scope():
        model = network()
        model.layers[0].kernel.regularizer = keras.regularizers.L2(0.1)
        optimizer = keras.optimizers.SGD(0.1)
        step = recording_step(
            model, lambda y, p: tf.reduce_sum((y - p) ** 2) / 16, optimizer, ["a"]
        )

    @tf.function
    def run(x, y):
        return strategy.run(step, args=(x, y))

    def share(values):
        return strategy.experimental_distribute_values_from_function(
            lambda context: tf.constant(np.split(values, 2)[context.replica_id_in_sync_group])
        )

    found = []
    for _ in range(2):
        value, gradients = run(share(x), share(y))
        per_replica = strategy.experimental_local_results(gradients["a"][0])
        values = strategy.experimental_local_results(value)
        found.append(
            {
                "loss": [float(v) for v in values],
                "a": [replica.numpy().tolist() for replica in per_replica],
            }
        )
    return {"steps": found, "kernel": model.layers[0].kernel.numpy().tolist()}


def merged_by_hand():
    """What `merge_replicas` makes of two halves' gradients, without any strategy."""
    x, y = data(8)
    model = network()
    rows, weights = [], []
    for half_x, half_y in zip(np.split(x, 2), np.split(y, 2), strict=True):
        with tf.GradientTape() as tape:
            hidden = model.layers[0](half_x)
            loss = tf.reduce_sum((model.layers[1](hidden) - half_y) ** 2) / 16
        gradients = tape.gradient(loss, [hidden, model.layers[0].kernel])
        rows.append(gradients[0])
        weights.append(gradients[1])
    return [g.numpy().tolist() for g in merge_replicas(rows, weights)]


def outside_run(strategy):
    """A tape in the strategy's scope, but outside `strategy.run`."""
    model = compiled(strategy)
    x, y = data(8)
    with strategy.scope():
        try:
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean((model(x) - y) ** 2)
            tape.gradient(loss, model.trainable_variables)
        except Exception as error:
            return [type(error).__name__, str(error)[:200]]
    return ["no error", ""]


def main():
    cpu = tf.config.list_physical_devices("CPU")[0]
    tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 2)
    tf.get_logger().setLevel("ERROR")
    warnings.simplefilter("ignore")
    strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
    found = {
        "full": recorded(strategy, 21, reduce="full"),
        "norm": recorded(strategy, 16, {"steps_per_execution": 2}, reduce="norm"),
        "logs": in_the_logs(strategy),
        "loop": own_loop(strategy),
        "merged": merged_by_hand(),
        "outside": outside_run(strategy),
    }
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    main()
