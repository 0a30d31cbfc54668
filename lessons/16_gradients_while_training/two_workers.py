"""Two processes train one network, and every batch's gradients are gathered from both.

    python two_workers.py

starts both on this machine and prints how far the gathered gradients are from those of a single
process. `start` and `finish` do it from your own program.
"""

import contextlib
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

WORKERS, BATCHES, ROWS, SECONDS = 2, 4, 16, 120
LAYERS = ("first", "second")


class Workers(list):
    """The running processes, and the folder in which they leave what they found."""

    def __init__(self, folder: Path):
        super().__init__()
        self.folder = folder

    def batches_done(self, worker: int) -> int:
        return len(list(self.folder.glob(f"{worker}.*.json")))

    def stop(self) -> None:
        for process in self:
            if process.poll() is None:
                process.kill()
            process.wait()


def start(folder: Path, batches: int = BATCHES) -> Workers:
    """Start the workers; each finds the others through the environment variable TF_CONFIG."""
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(WORKERS)]
        for free in sockets:
            free.bind(("127.0.0.1", 0))
        addresses = [f"127.0.0.1:{free.getsockname()[1]}" for free in sockets]
    workers = Workers(folder)
    for index in range(WORKERS):
        task = {"cluster": {"worker": addresses}, "task": {"type": "worker", "index": index}}
        quiet = {"TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": "-1"}
        with open(folder / f"{index}.log", "w") as log:
            process = subprocess.Popen(
                [sys.executable, __file__, "worker", str(index), str(folder), str(batches)],
                env={**os.environ, **quiet, "TF_CONFIG": json.dumps(task)},
                stdout=log,
                stderr=log,
            )
        workers.append(process)
    return workers


def finish(workers: Workers, seconds: float = SECONDS) -> list[dict]:
    """Wait for all workers and return what the first found, one dict a batch.

    A worker that is left alone waits for the others; so all are stopped as soon as one fails.

    Raises:
        RuntimeError: a worker ended before its time.
        TimeoutError: they did not end within so many seconds.
    """
    deadline = time.monotonic() + seconds
    try:
        while any(process.poll() is None for process in workers):
            for index, process in enumerate(workers):
                if process.poll():
                    raise RuntimeError(ended_early(workers, index))
            if time.monotonic() > deadline:
                raise TimeoutError(
                    f"The workers did not end within {seconds:g} seconds, and were stopped after "
                    f"{workers.batches_done(0)} batches. One may wait for an exchange in which "
                    f"another takes no part: each must make the same calls in the same order."
                )
            time.sleep(0.05)
        for index, process in enumerate(workers):
            if process.returncode:
                raise RuntimeError(ended_early(workers, index))
    finally:
        workers.stop()
    files = sorted(workers.folder.glob("0.*.json"))
    return [json.loads(file.read_text()) for file in files]


def ended_early(workers: Workers, index: int) -> str:
    code = workers[index].returncode
    how = f"was killed by signal {-code}" if code < 0 else f"ended with exit code {code}"
    log = (workers.folder / f"{index}.log").read_text().strip().splitlines()
    said = f" Its last line was: {log[-1][:300]}" if log and code > 0 else ""
    return (
        f"Worker {index} {how} after {workers.batches_done(index)} batches. The other waits for it "
        f"in the next exchange of gradients and cannot go on, so it was stopped too. Start both "
        f"again.{said}"
    )


def network():
    import keras
    import numpy as np

    dense = keras.layers.Dense
    layers = [dense(6, "tanh", name="first"), dense(4, "tanh", name="second"), dense(1)]
    model = keras.Sequential([keras.Input((11,)), *layers])
    for layer in model.layers:
        rows, columns = layer.kernel.shape
        i, j = np.indices((rows, columns))
        layer.set_weights([((3 * i + 5 * j) % 7 - 3) / 6, np.zeros(columns)])
    return model


def windows():
    """Eleven years of sunspots, to forecast the twelfth."""
    import numpy as np

    from solutions.gradients_while_training import sunspots

    numbers = (sunspots()[1] / 100).astype("float32")
    x = np.lib.stride_tricks.sliding_window_view(numbers, 11)[:-1]
    return x, numbers[11:, None]


def worker(index: int, folder: Path, batches: int) -> None:
    import tensorflow as tf

    strategy = tf.distribute.MultiWorkerMirroredStrategy()  # first: before TensorFlow does anything
    import keras

    from solutions.gradients_while_training import recording_step

    def loss(y, y_pred):  # this worker's share: divided by the rows of both
        return tf.reduce_sum(tf.square(y - y_pred)) / ROWS

    with strategy.scope():
        model = network()
        optimizer = keras.optimizers.SGD(0.05)
        step = recording_step(model, loss, optimizer, LAYERS)

    @tf.function
    def train(x, y):
        return strategy.run(step, args=(x, y))

    x, y = windows()
    share = ROWS // WORKERS
    for batch in range(batches):
        first = (batch * ROWS + index * share) % (len(x) - ROWS)
        mine = slice(first, first + share)
        value, found = train(tf.constant(x[mine]), tf.constant(y[mine]))
        kept = {path: gradients[0].numpy().tolist() for path, gradients in found.items()}
        write(folder / f"{index}.{batch:06}.json", {"loss": float(value), **kept})


def write(file: Path, value) -> None:
    draft = file.with_suffix(".draft")
    draft.write_text(json.dumps(value))
    draft.replace(file)


def single_process(batches: int = BATCHES) -> list[dict]:
    """The same training in this process, with the whole batch at once."""
    import keras
    import tensorflow as tf

    from solutions.intermediate_activations import value_and_gradients

    model, (x, y), found = network(), windows(), []
    optimizer = keras.optimizers.SGD(0.05)
    for batch in range(batches):
        rows = slice(batch * ROWS, (batch + 1) * ROWS)

        def loss(y_pred, labels=y[rows]):
            return tf.reduce_mean(tf.square(labels - y_pred))

        got = value_and_gradients(model, x[rows], loss, layers=LAYERS, training=True)
        optimizer.apply(list(got.weights.values()), model.trainable_variables)
        kept = {path: calls[0].numpy().tolist() for path, calls in got.activation_gradients.items()}
        found.append({"loss": float(got.value), **kept})
    return found


def largest_difference(found: list[dict], expected: list[dict]) -> float:
    """The largest difference of two recordings, relative to the largest gradient of the layer."""
    import numpy as np

    differences = []
    for ours, theirs in zip(found, expected, strict=True):
        for path in LAYERS:
            a, b = np.array(ours[path]), np.array(theirs[path])
            differences.append(np.abs(a - b).max() / np.abs(b).max())
    return float(max(differences))


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        found = finish(start(Path(folder)))
    expected = single_process()
    rows, units = len(found[0]["first"]), len(found[0]["first"][0])
    print(f"{len(found)} batches, gathered from {WORKERS} processes: {rows} rows of {units} units")
    close = largest_difference(found, expected) <= 1e-5
    print("equal to a single process to 1e-5:", close)


if __name__ == "__main__":
    if sys.argv[1:2] == ["worker"]:
        worker(int(sys.argv[2]), Path(sys.argv[3]), int(sys.argv[4]))
    else:
        main()
