"""What do the gradients at every layer's output cost, on top of those of the weights?

    python -m tests.bench_activations [--quick] [--parts LSTM memory]

The floor is one loss and `tape.gradient(loss, trainable_variables)`. Each way is timed in turn
with the floor in one process, and the ratio is the median over the pairs. The full run takes about
half an hour on two cores and writes data/bench_activations.json; --parts renews some of its rows,
and --quick only prints. PyTorch with hooks and JAX with perturbations are measured on the same
networks where they are installed (`pip install torch jax`), each against its own floor.
"""

import argparse
import functools
import importlib.metadata
import importlib.util
import json
import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import keras
import numpy as np
import tensorflow as tf

from solutions.data_files import read_record
from solutions.intermediate_activations import value_and_gradients
from tests.records import write_data

ROOT = Path(__file__).parents[1]
RECORD = "bench_activations.json"
L = keras.layers
MODES = ("eager", "tf.function", "XLA")
OTHERS = {"torch": "PyTorch with hooks", "jax": "JAX with perturbations"}
NETWORKS = {
    "MLP": {"x": (64, 256), "layers": 5},
    "CNN": {"x": (32, 32, 32, 3), "layers": 8},
    "LSTM": {"x": (32, 40, 32), "layers": 3},
    "InceptionV3": {"x": (4, 75, 75, 3), "layers": 313},
}


def example(network, scale=1):
    """Return inputs and labels from a fixed seed; `scale` multiplies the batch."""
    batch, *rest = NETWORKS[network]["x"]
    rng = np.random.default_rng(0)
    x = rng.normal(size=(batch * scale, *rest)).astype("float32")
    return x, rng.integers(0, 10, size=(batch * scale,))


def build(network):
    keras.utils.set_random_seed(0)
    if network == "MLP":
        stack = [keras.Input((256,)), *(L.Dense(512, "relu") for _ in range(4)), L.Dense(10)]
    elif network == "CNN":
        stack = [keras.Input((32, 32, 3))]
        for filters in (32, 64):
            stack += [L.Conv2D(filters, 3, activation="relu") for _ in range(2)]
            stack += [L.MaxPooling2D()]
        stack += [L.Flatten(), L.Dense(10)]
    elif network == "LSTM":
        stack = [keras.Input((40, 32)), L.LSTM(64, return_sequences=True), L.LSTM(64), L.Dense(10)]
    else:
        base = keras.applications.InceptionV3(
            weights=None, include_top=False, input_shape=(75, 75, 3)
        )
        stack = [keras.Input((75, 75, 3)), base, L.GlobalAveragePooling2D(), L.Dense(10)]
    return keras.Sequential(stack)


def loss(labels, logits):
    return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits))


# The ways


def floor(model):
    variables = [v.value for v in model.trainable_variables]

    def step(x, labels):
        with tf.GradientTape() as tape:
            value = loss(labels, model(x, training=True))
        return value, tape.gradient(value, variables)

    return step


def capture(model):
    def step(x, labels):
        got = value_and_gradients(
            model, x, functools.partial(loss, labels), layers="*", training=True
        )
        return got.value, got

    return step


def with_activations(model):
    """Return a forward pass that gives a list of activations, and the output, as recipes do."""
    if all(layer.__class__ is not keras.Model for layer in model.layers):
        stages = list(model.layers)
    else:  # the eleven blocks of InceptionV3 by a sub-model, the rest layer by layer
        base, *stages = model.layers
        mixed = [layer.output for layer in base.layers if layer.name.startswith("mixed")]
        base = keras.Model(base.inputs, mixed)

    def forward(x):
        activations = []
        if len(stages) < len(model.layers):
            activations += base(x, training=True)
            x = activations[-1]
        for stage in stages:
            x = stage(x)
            activations.append(x)
        return activations, x

    return forward


def persistent(model):
    """One persistent tape, asked once for each layer."""
    forward, variables = with_activations(model), [v.value for v in model.trainable_variables]

    def step(x, labels):
        with tf.GradientTape(persistent=True) as tape:
            activations, y = forward(x)
            value = loss(labels, y)
        gradients = [tape.gradient(value, activation) for activation in activations]
        return value, tape.gradient(value, variables), gradients

    return step


def rerun(model):
    """The whole forward pass again for each layer, each with its own tape."""
    forward, base = with_activations(model), floor(model)
    layers = len(forward(model_input(model))[0])

    def step(x, labels):
        value, weights = base(x, labels)
        gradients = []
        for k in range(layers):
            with tf.GradientTape() as tape:
                activations, y = forward(x)
                again = loss(labels, y)
            gradients.append(tape.gradient(again, activations[k]))
        return value, weights, gradients

    return step


def model_input(model):
    return tf.zeros((1, *model.input_shape[1:]))


WAYS = {"capture": capture, "persistent tape": persistent, "pass repeated": rerun}
PARTS = [*NETWORKS, "others", "memory"]


# Timing


@dataclass(frozen=True)
class Timing:
    floor_ms: float
    way_ms: float
    ratio: float
    pairs: int


def compare(base: Callable[[], object], way: Callable[[], object], pairs: int) -> Timing:
    """Time two functions in turn; every other pair in the other order.

    `pairs` is the least number; quick functions are timed more often, for about twenty seconds.
    """
    for function in (base, way, base, way):
        start = time.perf_counter()
        function()  # tracing, compiling, first allocations
        taken = time.perf_counter() - start
    if pairs >= 30:
        pairs = min(300, max(pairs, round(10 / taken)))
    times = {base: [], way: []}
    for i in range(pairs):
        for function in (base, way) if i % 2 else (way, base):
            start = time.perf_counter()
            function()
            times[function].append(1000 * (time.perf_counter() - start))
    ratios = [b / a for a, b in zip(times[base], times[way], strict=True)]
    return Timing(
        round(statistics.median(times[base]), 3),
        round(statistics.median(times[way]), 3),
        round(statistics.median(ratios), 3),
        pairs,
    )


def ready(step, mode, x, labels):
    """Return a function without arguments that runs the step to its end."""
    if mode != "eager":
        step = tf.function(step, jit_compile=mode == "XLA", autograph=False)
    x, labels = tf.constant(x), tf.constant(labels)
    return lambda: step(x, labels)[0].numpy()


def plan(networks, quick):
    """Yield (network, mode, way, pairs)."""
    for network in networks:
        for mode in MODES:
            for way in WAYS:
                if network == "InceptionV3" and mode == "XLA" and way != "capture":
                    continue  # eleven backward passes through InceptionV3 compile for very long
                yield network, mode, way, 3 if quick else 30


# Peak memory: a fresh process runs one pass of one way


def peak_memory(network, mode, way):
    """Return by how many MB one pass raised the peak of this process's resident memory."""
    model = build(network)
    step = ready({"floor": floor, **WAYS}[way](model), mode, *example(network, scale=8))
    before = high_water()
    step()
    return round(high_water() - before)


def high_water():
    """Return the largest resident memory that this process has had, in MB."""
    status = Path("/proc/self/status")
    if status.exists():  # on Linux, getrusage would begin with the peak of the process before exec
        return int(status.read_text().split("VmHWM:")[1].split()[0]) / 2**10
    import resource  # not on Windows

    unit = 2**20 if sys.platform == "darwin" else 2**10  # bytes there, else KiB
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit


def in_a_process(*arguments):
    """Run a module of this repository and return the JSON value on its last line of output."""
    inherited = os.environ.get("PYTHONPATH", "")  # PyTorch and JAX may lie outside the environment
    environment = {**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{inherited}"}
    done = subprocess.run(
        [sys.executable, "-m", *arguments],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env=environment,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(done.stderr[-2000:])
    return json.loads(done.stdout.splitlines()[-1])


def machine():
    cpu = platform.processor() or platform.machine()
    if Path("/proc/cpuinfo").exists():
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        cpu = next((line.split(": ")[1] for line in lines if line.startswith("model name")), cpu)
    names = ["tensorflow", "keras", "numpy", *OTHERS]
    return {
        "cpu": cpu,
        "cores": os.cpu_count(),
        "system": platform.system(),
        "python": platform.python_version(),
        "versions": {
            name: importlib.metadata.version(name)
            for name in names
            if importlib.util.find_spec(name)
        },
    }


def measure(networks, quick):
    rows = []
    for network, mode, way, pairs in plan(networks, quick):
        model, (x, labels) = build(network), example(network)
        steps = (ready(make(model), mode, x, labels) for make in (floor, WAYS[way]))
        rows.append({"network": network, "mode": mode, "way": way} | vars(compare(*steps, pairs)))
        report(rows[-1])
    return rows


def measure_others(quick):
    rows = []
    for package, way in OTHERS.items():
        if not importlib.util.find_spec(package):
            print(f"{way}: skipped, `{package}` is not installed")
            continue
        for network in ["MLP"] if quick else ["MLP", "CNN", "LSTM"]:
            pairs = "3" if quick else "30"
            for row in in_a_process("tests.bench_other_frameworks", package, network, pairs):
                rows.append({"network": network, "way": way, **row})
                report(rows[-1])
    return rows


def report(row):
    print(
        f"{row['network']:12} {row['mode']:12} {row['way']:24} {row['ratio']:7.3f} × the floor "
        f"({row['floor_ms']} ms, {row['pairs']} pairs)",
        flush=True,
    )


def measure_memory(quick):
    rows = []
    for network in ["MLP"] if quick else ["CNN", "InceptionV3"]:
        for mode in MODES[:1] if quick else MODES[:2]:
            found = {
                way: in_a_process("tests.bench_activations", "--memory", network, mode, way)
                for way in ("floor", "capture")
            }
            rows.append(
                {
                    "network": network,
                    "mode": mode,
                    "floor_mb": found["floor"],
                    "capture_mb": found["capture"],
                }
            )
            print(f"{network:12} {mode:12} peak memory of one pass: {found} MB", flush=True)
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a small part, nothing written")
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=PARTS, help="renew only these")
    parser.add_argument("--memory", nargs=3, metavar=("NETWORK", "MODE", "WAY"))
    options = parser.parse_args()
    if options.memory:
        print(json.dumps(peak_memory(*options.memory)))
        return
    networks = [part for part in options.parts if part in NETWORKS]
    rows = measure(["MLP"] if options.quick else networks, options.quick)
    rows += measure_others(options.quick) if "others" in options.parts else []
    memory = measure_memory(options.quick) if "memory" in options.parts else []
    if options.quick:
        return
    old = read_record(RECORD)
    rows = [row for row in old["ratios"] if part_of(row) not in options.parts] + rows
    rows.sort(key=lambda row: (PARTS.index(part_of(row)), [*MODES, "jit"].index(row["mode"])))
    result = {
        "about": "Ratio to one loss and the gradients of its weights, in the same mode: median "
        "over interleaved pairs. Peak memory: what one first pass adds to a fresh process, at 8 "
        "times the batch. Made by `python -m tests.bench_activations`.",
        "machine": machine(),
        "networks": NETWORKS,
        "ratios": rows,
        "memory": memory or old["memory"],
    }
    write_data(RECORD, json.dumps(result, indent=1, sort_keys=True) + "\n")


def part_of(row):
    return row["network"] if row["way"] in WAYS else "others"


if __name__ == "__main__":
    main()
