"""What watching costs: `python -m tests.whynone.cost` prints time and memory ratios.

Time: a healthy training loop of a small CNN, with and without whynone, in turns in one process;
the smallest of several rounds counts, which is least disturbed by what else the machine does.
Memory: peak resident memory of one process each, on a CNN of ten layers with large activations.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import sys
import time
from collections.abc import Callable


def training_step(traced: bool) -> Callable[[], None]:
    """One step of a small CNN on a batch of 32 images of 28 by 28 pixels."""
    import keras
    import tensorflow as tf

    keras.utils.set_random_seed(0)
    model = keras.Sequential(
        [
            keras.Input((28, 28, 1)),
            keras.layers.Conv2D(16, 3, activation="relu"),
            keras.layers.MaxPooling2D(),
            keras.layers.Conv2D(32, 3, activation="relu"),
            keras.layers.MaxPooling2D(),
            keras.layers.Flatten(),
            keras.layers.Dense(10),
        ]
    )
    optimizer = keras.optimizers.Adam()
    loss_function = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    images = tf.random.normal((32, 28, 28, 1), seed=1)
    labels = tf.constant([i % 10 for i in range(32)])

    def step() -> None:
        with tf.GradientTape() as tape:
            loss = loss_function(labels, model(images, training=True))
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))

    return tf.function(step) if traced else step


def seconds(step: Callable[[], None], steps: int) -> float:
    """Processor time of this process for so many steps: other processes do not count."""
    start = time.process_time()
    for _ in range(steps):
        step()
    return time.process_time() - start


def time_ratio(traced: bool, rounds: int = 5, steps: int = 20) -> float:
    """Time with whynone over time without it."""
    from whynone import explain

    plain_step = training_step(traced)
    seconds(plain_step, 3)
    with explain(report=None):
        watched_step = training_step(traced)
        seconds(watched_step, 3)
    plain, watched = [], []
    for _ in range(rounds):
        plain.append(seconds(plain_step, steps))
        with explain(report=None):
            watched.append(seconds(watched_step, steps))
    for name, times in (("plain", plain), ("watched", watched)):
        fastest, middle = 1e3 * min(times) / steps, 1e3 * statistics.median(times) / steps
        print(f"  {name}: {fastest:.2f} ms a step (median {middle:.2f})")
    return min(watched) / min(plain)


def memory_step() -> None:
    """Three eager steps of ten convolutions on eight images of 128 by 128 pixels."""
    import keras
    import tensorflow as tf

    keras.utils.set_random_seed(0)
    layers = [keras.layers.Conv2D(16, 3, padding="same", activation="relu") for _ in range(10)]
    images = tf.random.normal((8, 128, 128, 3))
    for _ in range(3):
        with tf.GradientTape() as tape:
            x = images
            for layer in layers:
                x = layer(x)
            loss = tf.reduce_mean(x**2)
        tape.gradient(loss, [layer.kernel for layer in layers])
        del x, loss


def peak_memory(watched: bool) -> int:
    """Peak resident memory, beyond that of an imported TensorFlow, in kB; in a forked process."""
    reader, writer = os.pipe()
    if os.fork() == 0:
        from whynone import explain

        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        if watched:
            with explain(report=None):
                memory_step()
        else:
            memory_step()
        used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
        os.write(writer, str(used).encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        used = int(pipe.read())
    os.wait()
    return used


def memory_ratio() -> float:
    """Peak memory of activations with whynone over that without it."""
    plain, watched = peak_memory(False), peak_memory(True)
    print(f"  plain {plain / 1024:.0f} MB, watched {watched / 1024:.0f} MB")
    return watched / plain


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", nargs="*", default=["memory", "eager", "traced"])
    chosen = parser.parse_args().what
    import tensorflow  # noqa: F401  before any fork, so that it is imported once

    if "memory" in chosen:
        print("memory:", round(memory_ratio(), 3))
    if "eager" in chosen:
        print("eager:", round(time_ratio(traced=False), 3))
    if "traced" in chosen:
        print("traced:", round(time_ratio(traced=True), 3))


if __name__ == "__main__":
    sys.exit(main())
