"""Measure what gradients and Jacobians cost, eager and traced, and keep the figures in data/.

    python -m tests.record_summed_targets_cost

Each figure is a ratio of processor times (which other programs disturb little): this way of
asking, over one `tape.gradient` of the same mode with respect to the same sources. Both are the
least of several rounds, taken in turns.
"""

import json
import os
import platform
import sys
import time
from collections.abc import Callable

os.environ.update(TF_CPP_MIN_LOG_LEVEL="3", CUDA_VISIBLE_DEVICES="-1")

import keras
import tensorflow as tf

from tests.records import write_data

RECORD = "summed_targets_cost.json"
SIZES = {"batch": 32, "inputs": 256, "hidden": 128, "outputs": 10}
ROUNDS = {"tf.function": 40, "eager": 4}
IN_A_ROW = 5  # timed calls of one function, in each round


def ways(batch: int, inputs: int, hidden: int, outputs: int) -> dict[str, dict[str, Callable]]:
    """The measured functions, by what they differentiate with respect to; the baseline first."""
    keras.utils.set_random_seed(0)
    model = keras.Sequential(
        [
            keras.Input((inputs,)),
            keras.layers.Dense(hidden, activation="tanh"),
            keras.layers.Dense(hidden, activation="tanh"),
            keras.layers.Dense(outputs),
        ]
    )
    x = tf.random.normal((batch, inputs))
    variables = model.trainable_variables

    def forward(persistent=False):
        tape = tf.GradientTape(persistent=persistent, watch_accessed_variables=False)
        with tape:
            tape.watch(x)
            y = model(x)
            columns = [y[:, k] for k in range(outputs)] if persistent else None
        return tape, y, columns

    def input_gradient():
        tape, y, _ = forward()
        return tape.gradient(y, x)

    def weighted():
        tape, y, _ = forward()
        return tape.gradient(y, x, output_gradients=tf.ones_like(y))

    def one_gradient_an_output():
        tape, _, columns = forward(persistent=True)
        return tf.stack([tape.gradient(column, x) for column in columns], axis=1)

    def batch_jacobian():
        tape, y, _ = forward()
        return tape.batch_jacobian(y, x)

    def jacobian():
        tape, y, _ = forward()
        return tape.jacobian(y, x)

    def losses():
        with tf.GradientTape() as tape:
            value = tf.reduce_sum(model(x) ** 2, axis=1)
        return tape, value

    def weights_gradient():
        tape, value = losses()
        return tape.gradient(value, variables)

    def one_tape_an_example():
        rows = []
        for n in range(batch):
            with tf.GradientTape() as tape:
                value = tf.reduce_sum(model(x[n : n + 1]) ** 2)
            rows.append(tape.gradient(value, variables))
        return [tf.stack(column) for column in zip(*rows, strict=True)]

    def jacobian_of_losses():
        tape, value = losses()
        return tape.jacobian(value, variables)

    return {
        "input": {
            "gradient": input_gradient,
            "gradient, output_gradients": weighted,
            "one gradient for each output": one_gradient_an_output,
            "batch_jacobian": batch_jacobian,
            "jacobian": jacobian,
        },
        "weights": {
            "gradient": weights_gradient,
            "one tape for each example": one_tape_an_example,
            "jacobian of the losses": jacobian_of_losses,
        },
    }


def least(functions: dict[str, Callable], rounds: int) -> dict[str, float]:
    """Processor seconds of each function's cheapest call; the functions take turns."""
    best = dict.fromkeys(functions, float("inf"))
    for _ in range(rounds):
        for name, function in functions.items():
            function()  # not timed: whoever comes after a large result finds a cold cache
            for _ in range(IN_A_ROW):
                start = time.process_time()
                tf.nest.map_structure(lambda tensor: tensor.numpy(), function())
                best[name] = min(best[name], time.process_time() - start)
    return best


def measure(sizes: dict[str, int], rounds: dict[str, int]) -> list[dict]:
    """One row for each way of asking.

    Returns:
        Dicts with `of` ("input" or "weights"), `what`, `numbers` (how many numbers come back) and
        the ratios under "tf.function" and "eager".
    """
    rows = []
    for of, functions in ways(**sizes).items():
        modes = {
            "eager": functions,
            "tf.function": {name: tf.function(call) for name, call in functions.items()},
        }
        seconds = {}
        for mode, calls in modes.items():
            results = {name: call() for name, call in calls.items()}  # traced and warmed up
            seconds[mode] = least(calls, rounds[mode])
        for name in functions:
            numbers = sum(int(tf.size(tensor)) for tensor in tf.nest.flatten(results[name]))
            ratios = {
                mode: round(taken[name] / taken["gradient"], 1) for mode, taken in seconds.items()
            }
            rows.append({"of": of, "what": name, "numbers": numbers, **ratios})
    return rows


def record(sizes: dict[str, int], rounds: dict[str, int]) -> dict:
    """The figures, and on what they were measured."""
    return {
        "tensorflow": tf.__version__,
        "keras": keras.__version__,
        "python": platform.python_version(),
        "machine": f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores, no GPU",
        "sizes": sizes,
        "rounds": rounds,
        "rows": measure(sizes, rounds),
    }


def main() -> int:
    write_data(RECORD, json.dumps(record(SIZES, ROUNDS), indent=1) + "\n")
    print(f"{RECORD}: written")
    return 0


if __name__ == "__main__":
    sys.exit(main())
