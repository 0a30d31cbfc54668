"""Recorded gradients against a training that NumPy does alone, in double precision."""

import importlib.util
import json
import math
import os
import subprocess
import sys
import time
import warnings

import keras
import numpy as np
import pytest
import tensorflow as tf

from classroom.environment import ROOT
from classroom.lessons import lesson_folder
from solutions import _recorder
from solutions.data_files import read_record
from solutions.gradients_while_training import (
    GradientRecorder,
    batch_norms,
    gradient_tap,
    gradients_during,
    merge_replicas,
    quiet_units,
    recording_step,
    revive,
    sunspots,
)
from tests.mirrored_recording import data, network

LESSON = "Lesson: gradients_while_training."
L = keras.layers
ROWS, BATCH, RATE = 21, 8, 0.1  # batches of 8, 8 and 5


def numpy_training(epochs=1, rows=ROWS, batch=BATCH, l2=0.0, activity=0.0, importance=None):
    """Train `network()` by hand and return each batch's gradients."""
    x, y = (v.astype("float64") for v in data(rows))
    importance = np.ones(rows) if importance is None else importance
    w, b, v, c = (weight.astype("float64") for weight in network().get_weights())
    found = []
    for _ in range(epochs):
        for first in range(0, rows, batch):
            inputs, labels = x[first : first + batch], y[first : first + batch]
            a = np.tanh(inputs @ w + b)
            d_b = 2 * (a @ v + c - labels) / labels.size
            d_b *= importance[first : first + batch, None]
            d_a = d_b @ v.T + 2 * activity * a / len(a)
            inner = d_a * (1 - a**2)
            weights = [inputs.T @ inner + 2 * l2 * w, inner.sum(0), a.T @ d_b, d_b.sum(0)]
            names = ["a/kernel", "a/bias", "b/kernel", "b/bias"]
            found.append({"a": d_a, "b": d_b, **dict(zip(names, weights, strict=True))})
            w, b, v, c = (old - RATE * d for old, d in zip((w, b, v, c), weights, strict=True))
    return found


def trained(recorder, model=None, rows=ROWS, epochs=1, optimizer=None, fit=None, **options):
    model = model or network()
    model.compile(optimizer or keras.optimizers.SGD(RATE), "mse", **options)
    x, y = data(rows)
    return fit_again(model, x, y, [recorder], epochs=epochs, **fit or {})


def fit_again(model, x, y, callbacks, **options):
    options = {"batch_size": BATCH, "shuffle": False, "verbose": 0, "epochs": 1} | options
    model.fit(x, y, callbacks=callbacks, **options)
    return model


def same(history, expected, reduce=lambda g: g, rtol=1e-5):
    assert history.keys() == expected[0].keys()
    for path, entries in history.items():
        assert len(entries) == len(expected)
        for ours, theirs in zip(entries, expected, strict=True):
            theirs = reduce(theirs[path])
            assert np.shape(ours) == np.shape(theirs)
            assert np.abs(ours - theirs).max() <= rtol * np.abs(theirs).max(), path


class OwnStep(keras.Sequential):
    def train_step(self, data):
        x, y = data
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(self(x, training=True) - y))
        gradients = tape.gradient(loss, self.trainable_variables)
        self.optimizer.apply_gradients(zip(gradients, self.trainable_variables, strict=True))
        return {"mine": loss}


class Elsewhere(keras.Sequential):
    """Asks for the gradients, and updates nothing."""

    def train_step(self, data):
        x, y = data
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(self(x) - y))
        tape.gradient(loss, self.trainable_variables)
        return {"loss": loss}


class Subclassed(keras.Model):
    def __init__(self):
        super().__init__()
        self.a, self.b = L.Dense(4, "tanh", name="a"), L.Dense(2, name="b")

    def call(self, x):
        return self.b(self.a(x))


def subclassed():
    model = Subclassed()
    model(data(1)[0])
    model.set_weights(network().get_weights())
    return model


MODES = {
    "graph": {},
    "XLA": {"jit_compile": True},
    "eager": {"run_eagerly": True},
    "two steps per execution": {"steps_per_execution": 2},
    "five steps per execution": {"steps_per_execution": 5, "jit_compile": False},
    "a scaled loss": {"optimizer": lambda: keras.optimizers.SGD(RATE, loss_scale_factor=64.0)},
    "clipped": {"optimizer": lambda: keras.optimizers.SGD(RATE, clipvalue=1e6)},
}


@pytest.mark.parametrize("mode", MODES)
def test_every_batch_equals_a_training_in_numpy(mode):
    options = dict(MODES[mode])
    optimizer = options.pop("optimizer", lambda: None)()
    recorder = GradientRecorder(["a", "b"], weights=True, reduce="full")
    model = trained(recorder, epochs=2, optimizer=optimizer, **options)
    same(recorder.history, numpy_training(epochs=2))
    assert recorder.batches == [(epoch, batch) for epoch in range(2) for batch in range(3)]
    assert recorder.last["a"].shape == (5, 4) and recorder.why_none == {}
    assert model.steps_per_execution == options.get("steps_per_execution", 1)


@pytest.mark.parametrize(
    ("reduce", "by_hand"),
    [
        ("norm", np.linalg.norm),
        ("mean", np.mean),
        (lambda g: tf.reduce_max(tf.abs(g), axis=0), lambda g: np.abs(g).max(0)),
    ],
    ids=["norm", "mean", "own"],
)
def test_what_is_kept_of_a_gradient(reduce, by_hand):
    recorder = GradientRecorder(["a", "b"], weights=True, reduce=reduce)
    trained(recorder)
    same(recorder.history, numpy_training(), by_hand, rtol=1e-4)


@pytest.mark.parametrize("kind", ["own train_step", "subclassed", "nested"])
def test_kinds_of_models(kind):
    paths = ["a", "b"]
    if kind == "own train_step":
        model = network(OwnStep)
    elif kind == "subclassed":
        model = subclassed()
    else:
        model = keras.Sequential(
            [keras.Input((3,)), keras.Sequential(network().layers, name="inner")]
        )
        paths = ["inner/a", "inner/b"]
    recorder = GradientRecorder(paths, reduce="full")
    trained(recorder, model)
    expected = [{p: g[p[-1]] for p in paths} for g in numpy_training()]
    same(recorder.history, expected)


class Batches(keras.utils.PyDataset):
    def __len__(self):
        return 3

    def __getitem__(self, n):
        return tuple(part[BATCH * n : BATCH * (n + 1)] for part in data(ROWS))


SOURCES = {
    "tf.data": lambda: tf.data.Dataset.from_tensor_slices(data(ROWS)).batch(BATCH),
    "PyDataset": Batches,
    "generator": lambda: (Batches()[n] for n in range(3)),
}


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.filterwarnings("ignore:Your `PyDataset` class should call", "ignore:Your input ran")
def test_batches_from_elsewhere(source):
    model, recorder = network(), GradientRecorder(["a", "b"], weights=True, reduce="full")
    model.compile(keras.optimizers.SGD(RATE), "mse", steps_per_execution=2)
    model.fit(SOURCES[source](), shuffle=False, verbose=0, callbacks=[recorder])
    same(recorder.history, numpy_training())
    assert recorder.batches == [(0, 0), (0, 1), (0, 2)]


def test_the_gradient_is_of_the_whole_loss():
    """With weighted rows, a weight's regularizer, and an activity's, which is of the output."""
    model, importance = network(), np.linspace(0, 3, ROWS)
    model.get_layer("a").kernel.regularizer = keras.regularizers.L2(0.1)
    model.get_layer("a").activity_regularizer = keras.regularizers.L2(0.2)
    recorder = GradientRecorder(["a", "b"], weights=True, reduce="full")
    trained(recorder, model, fit={"sample_weight": importance})
    same(recorder.history, numpy_training(l2=0.1, activity=0.2, importance=importance))


@pytest.mark.parametrize(("steps", "recorded"), [(1, [1, 2, 3]), (2, [2, 3])])
def test_logs_come_through_and_arrive_after_the_record(steps, recorded):
    seen = []

    class Looking(keras.callbacks.Callback):
        def on_train_batch_end(self, batch, logs=None):
            seen.append((sorted(logs), len(recorder.batches)))

    recorder = GradientRecorder("a")
    model = network(OwnStep)
    model.compile(keras.optimizers.SGD(RATE), "mse", steps_per_execution=steps)
    fit_again(model, *data(ROWS), [Looking(), recorder])
    assert seen == [(["mine"], n) for n in recorded]


def test_a_layer_called_twice_has_a_list_for_each_call():
    start = keras.Input((2,))
    twice = L.Dense(2, name="twice")
    model = keras.Model(start, twice(twice(start)))
    model.set_weights([np.array([[1.0, 2.0], [0.0, -1.0]]), np.zeros(2)])
    model.compile(keras.optimizers.SGD(0.0), "mse")
    recorder = GradientRecorder("twice", reduce="full")
    x = np.array([[1.0, 3.0]], "float32")
    model.fit(x, x, verbose=0, callbacks=[recorder])
    kernel = twice.kernel.numpy()
    last = (x @ kernel @ kernel - x) * 2 / 2
    np.testing.assert_allclose(recorder.history["twice[1]"][0], last)
    np.testing.assert_allclose(recorder.history["twice[0]"][0], last @ kernel.T)


def test_several_outputs_and_masks_come_through():
    start = keras.Input((4, 1))
    masked = L.Masking(name="masking")(start)
    rows, state = L.SimpleRNN(3, return_sequences=True, return_state=True, name="rnn")(masked)
    model = keras.Model(start, L.Dense(1)(L.Concatenate()([rows[:, -1], state])))
    model.compile(keras.optimizers.SGD(0.1), "mse")
    x = np.array([[[1.0], [2.0], [0.0], [0.0]]], "float32")  # two steps are masked
    plain = keras.models.clone_model(model)
    plain.set_weights(model.get_weights())
    plain.compile(keras.optimizers.SGD(0.1), "mse")
    recorder = GradientRecorder(["masking", "rnn"], reduce="full")
    y = np.ones((1, 1), "float32")
    model.fit(x, y, verbose=0, callbacks=[recorder])
    plain.fit(x, y, verbose=0)
    assert {p: g[0].shape for p, g in recorder.history.items()} == {
        "masking": (1, 4, 1),
        "rnn[0][0]": (1, 4, 3),
        "rnn[0][1]": (1, 3),
    }
    assert not recorder.history["masking"][0][0, 2:].any()
    for ours, theirs in zip(model.get_weights(), plain.get_weights(), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-6)


def test_below_a_frozen_layer_there_is_a_gradient_too():
    model = network()
    model.get_layer("a").trainable = False
    recorder = GradientRecorder("a", weights=True, reduce="full")
    trained(recorder, model, rows=BATCH)
    first = numpy_training()[0]
    same(recorder.history, [{p: first[p] for p in ("a", "b/kernel", "b/bias")}])


def test_gradients_of_several_passes_through_one_output_are_added():
    class Twice(keras.Sequential):
        def train_step(self, data):
            x, y = data
            with tf.GradientTape(persistent=True) as tape:
                loss = tf.reduce_mean(tf.square(self(x) - y))
            gradients = tape.gradient(loss, self.trainable_variables)
            again = tape.gradient(loss, self.trainable_variables)
            gradients = [g + 0 * h for g, h in zip(gradients, again, strict=True)]
            self.optimizer.apply(gradients, self.trainable_variables)
            return {"loss": loss}

    recorder = GradientRecorder("a", reduce="full")
    trained(recorder, network(Twice))
    same(recorder.history, [{"a": 2 * g["a"]} for g in numpy_training()])


def test_an_embeddings_gradient_is_a_whole_matrix():
    model = keras.Sequential([keras.Input((2,)), L.Embedding(4, 1, name="e"), L.Flatten()])
    model.compile(keras.optimizers.SGD(0.0), "mse")
    recorder = GradientRecorder((), weights=True, reduce="full")
    model.set_weights([np.zeros((4, 1))])
    model.fit(np.array([[1, 1], [3, 1]]), np.ones((2, 2)), verbose=0, callbacks=[recorder])
    (gradient,) = recorder.history["e/embeddings"]
    np.testing.assert_allclose(gradient[:, 0], [0, -1.5, 0, -0.5])


def test_a_weight_that_is_updated_twice_has_a_list_for_each_time():
    class Again(OwnStep):
        def train_step(self, data):
            super().train_step(data)
            return super().train_step(data)

    recorder = GradientRecorder((), weights=True, reduce="full")
    trained(recorder, network(Again), rows=BATCH)
    once, twice = numpy_training(rows=BATCH, epochs=2)
    names = [path for path in once if "/" in path]
    expected = {f"{p}[{n}]": g[p] for n, g in enumerate([once, twice]) for p in names}
    same(recorder.history, [expected])


def test_a_step_with_optimizers_of_its_own():
    class Two(keras.Sequential):
        def train_step(self, data):
            x, y = data
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(tf.square(self(x) - y))
            a, b = self.layers
            gradients = tape.gradient(loss, [a.trainable_variables, b.trainable_variables])
            other.apply(gradients[0], a.trainable_variables)
            (self.optimizer or other_yet).apply(gradients[1], b.trainable_variables)
            return {"loss": loss}

    other, other_yet = keras.optimizers.SGD(RATE), keras.optimizers.SGD(RATE)
    recorder = GradientRecorder(["a"], weights=True, reduce="full")
    trained(recorder, network(Two))
    kept = ("a", "b/kernel", "b/bias")
    same(recorder.history, [{path: g[path] for path in kept} for g in numpy_training()])
    assert recorder.why_none == dict.fromkeys(["a/kernel", "a/bias"], _recorder.NOT_UPDATED)
    without, recorder = network(Two), GradientRecorder("a", reduce="full")
    without.compile(optimizer=None)
    other = keras.optimizers.SGD(RATE)
    fit_again(without, *data(ROWS), [recorder])
    same(recorder.history, [{"a": g["a"]} for g in numpy_training()])


def test_rows_that_are_picked_out_of_an_output():
    """The gradient that arrives below a `tf.gather` is an IndexedSlices."""

    class Picking(keras.Sequential):
        def train_step(self, data):
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(tf.square(tf.gather(self(data[0]), [0, 0, 1])))
            gradients = tape.gradient(loss, self.trainable_variables)
            self.optimizer.apply(gradients, self.trainable_variables)
            return {"loss": loss}

    model, recorder = network(Picking), GradientRecorder("b", reduce="full")
    output = model(data(BATCH)[0]).numpy()
    trained(recorder, model, rows=BATCH)
    times = np.array([2, 1, 0, 0, 0, 0, 0, 0])[:, None]
    np.testing.assert_allclose(recorder.last["b"], 2 * times * output, rtol=1e-5)
    told = []
    with tf.GradientTape() as tape:
        x = tf.Variable([1.0, 2.0])
        y = tf.reduce_sum(tf.gather(gradient_tap(x * 1.0, told.append), [1]))
    tape.gradient(y, x)
    np.testing.assert_array_equal(told[0], [0, 1])


class Times(L.Layer):
    def __init__(self, factor, **options):
        super().__init__(**options)
        self.factor = factor

    def call(self, x):
        return self.factor * x


@pytest.mark.parametrize("factor", [1e-30, 1e-20, 1e20])
@pytest.mark.parametrize("jit_compile", [True, False])
def test_the_norm_of_a_gradient_that_vanishes_or_explodes(factor, jit_compile):
    """Its squares are no float32."""
    model = keras.Sequential([keras.Input((2,)), Times(1.0, name="a"), Times(factor), L.Dense(1)])
    model.layers[-1].set_weights([np.array([[3.0], [4.0]]), np.zeros(1)])
    model.compile(keras.optimizers.SGD(0.0), "mae", jit_compile=jit_compile)
    recorder = GradientRecorder("a")
    model.fit(np.ones((1, 2)), -np.ones((1, 1)), verbose=0, callbacks=[recorder])
    np.testing.assert_allclose(recorder.last["a"], 5 * factor, rtol=1e-6)


def test_the_norm_of_a_complex_gradient():
    np.testing.assert_allclose(_recorder.norm(tf.constant([3 + 4j, -12j])), 13)


# --- mixed precision ------------------------------------------------------------------------


def half_precision(kind=keras.Sequential):
    layers = [L.Dense(4, "tanh", name="a", dtype="mixed_float16"), L.Dense(2, name="b")]
    model = kind([keras.Input((3,)), *layers])
    model.set_weights(network().get_weights())
    return model


@pytest.mark.parametrize("growth", [2, 2000])
def test_mixed_precision_gives_true_gradients_while_the_scale_changes(growth):
    optimizer = keras.mixed_precision.LossScaleOptimizer(
        keras.optimizers.SGD(RATE), initial_scale=256.0, dynamic_growth_steps=growth
    )
    recorder = GradientRecorder(["a", "b"], weights=True, reduce="full")
    model = trained(recorder, half_precision(), epochs=2, optimizer=optimizer)
    assert (model.optimizer.dynamic_scale.numpy() > 256) == (growth == 2)
    same(recorder.history, numpy_training(epochs=2), rtol=2e-2)
    assert {g.dtype for entries in recorder.history.values() for g in entries} == {
        np.dtype("float32")
    }


def test_half_precision_without_a_scale_is_recorded_in_single():
    model = keras.Sequential([keras.Input((3,)), L.Dense(2, name="a", dtype="mixed_bfloat16")])
    recorder = GradientRecorder("a", reduce="full")
    trained(recorder, model, rows=BATCH)
    assert recorder.last["a"].dtype == np.float32 and recorder.last["a"].any()


def test_a_scale_that_no_gradient_goes_through_is_not_missed():
    optimizer = keras.mixed_precision.LossScaleOptimizer(keras.optimizers.SGD(1.0))
    recorder = GradientRecorder("a", reduce="full")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        trained(recorder, network(Elsewhere), rows=BATCH, optimizer=optimizer)
    same(recorder.history, [{"a": numpy_training()[0]["a"]}])


def test_a_forgotten_scale_loss_is_announced_and_the_gradient_is_true():
    optimizer = keras.mixed_precision.LossScaleOptimizer(keras.optimizers.SGD(1.0))
    recorder = GradientRecorder("a", reduce="full")
    with pytest.warns(UserWarning, match="did not call `self.optimizer.scale_loss") as caught:
        model = trained(recorder, network(OwnStep), rows=BATCH, optimizer=optimizer)
    assert str(caught[0].message) == (
        "This `train_step` did not call `self.optimizer.scale_loss(loss)`, but its optimizer "
        "divides every gradient by the loss scale, so that the updates are too small by that "
        f"factor. Scale the loss before `tape.gradient`. {LESSON}"
    )
    expected = numpy_training()[0]
    same(recorder.history, [{"a": expected["a"]}])
    moved = network().get_weights()[2] - model.get_weights()[2]
    np.testing.assert_allclose(moved * 2**15, expected["b/kernel"], rtol=0.05)


# --- what is left behind --------------------------------------------------------------------


def test_the_model_is_as_it_was():
    recorder = GradientRecorder(["a"], weights=True)
    model = network()
    model.compile(keras.optimizers.SGD(RATE), "mse")
    model.make_train_function()
    plain = model.train_function
    fit_again(model, *data(ROWS), [recorder])
    assert model.train_function is plain and "train_step" not in vars(model)
    assert "call" not in vars(model.get_layer("a"))
    assert not {"apply", "scale_loss"} & vars(model.optimizer).keys()
    assert _recorder._this_thread.step is None


def test_what_somebody_else_has_put_there_stays():
    model, seen = network(), []
    model.compile(keras.optimizers.SGD(RATE), "mse")
    train_step, apply = model.train_step, model.optimizer.apply

    def seen_step(data):
        seen.append("step")
        return train_step(data)

    def seen_apply(*args):
        seen.append("apply")
        return apply(*args)

    vars(model)["train_step"], vars(model.optimizer)["apply"] = seen_step, seen_apply
    recorder = GradientRecorder("a", weights=True, reduce="full")
    fit_again(model, *data(BATCH), [recorder])
    assert seen[:2] == ["step", "apply"]
    assert model.train_step is seen_step and model.optimizer.apply is seen_apply
    first = numpy_training()[0]
    same(recorder.history, [{path: first[path] for path in first if path != "b"}])


@pytest.mark.parametrize("jit_compile", [True, False])
def test_training_is_the_same_with_and_without_the_recorder(jit_compile):
    def weights_after(callback):
        keras.utils.set_random_seed(1)
        layers = [L.Dense(4, "tanh"), L.BatchNormalization(), L.Dropout(0.5), L.Dense(2)]
        model = keras.Sequential([keras.Input((3,)), *layers])
        fit = {"shuffle": True, "validation_split": 0.2}
        return trained(callback, model, epochs=3, jit_compile=jit_compile, fit=fit).get_weights()

    plain = weights_after(keras.callbacks.Callback())
    recorded = weights_after(GradientRecorder(weights=True))
    for ours, theirs in zip(recorded, plain, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-6, atol=1e-7)


def test_a_fit_begins_anew_and_is_not_traced_again():
    traced = []

    class Counting(OwnStep):
        def train_step(self, data):
            traced.append(1)
            return super().train_step(data)

    recorder = GradientRecorder("a", reduce="full")
    model = trained(recorder, network(Counting), rows=BATCH)
    first = recorder.history["a"][0]
    count = len(traced)
    fit_again(model, *data(BATCH), [recorder])
    assert len(traced) == count and recorder.batches == [(0, 0)]
    assert not np.allclose(recorder.history["a"][0], first)
    model.compile(keras.optimizers.SGD(RATE), "mse")
    fit_again(model, *data(BATCH), [recorder])
    assert len(traced) > count and recorder.batches == [(0, 0)]


def test_one_recorder_can_go_from_model_to_model():
    recorder = GradientRecorder("a", reduce="full")
    trained(recorder)
    trained(recorder)
    same(recorder.history, [{"a": g["a"]} for g in numpy_training()])


class Breaking(keras.callbacks.Callback):
    def on_train_batch_end(self, batch, logs=None):
        raise KeyboardInterrupt


def test_a_fit_that_breaks_off_leaves_nothing_that_records():
    recorder, model = GradientRecorder("a", reduce="full"), network()
    model.compile(keras.optimizers.SGD(RATE), "mse")
    model.make_train_function()
    plain = model.train_function
    with pytest.raises(KeyboardInterrupt):
        fit_again(model, *data(ROWS), [recorder, Breaking()])
    assert len(recorder.batches) == 1 and model.train_function is plain
    model.set_weights(network().get_weights())
    fit_again(model, *data(ROWS), [])
    assert len(recorder.batches) == 1
    model.set_weights(network().get_weights())
    other = GradientRecorder("b", reduce="full")
    fit_again(model, *data(ROWS), [other])
    same(other.history, [{"b": g["b"]} for g in numpy_training()])
    assert len(recorder.batches) == 1


def test_a_record_that_breaks_off_leaves_nothing_that_records():
    model = network()
    model.compile(keras.optimizers.SGD(RATE), "mse")
    model.make_train_function()
    plain = model.train_function
    with pytest.raises(ValueError, match="One batch of gradients takes"):
        fit_again(model, *data(ROWS), [GradientRecorder("a", limit=0)])
    assert model.train_function is plain


def test_training_on_a_batch_meanwhile_is_not_recorded():
    class Between(keras.callbacks.Callback):
        def on_train_batch_begin(self, batch, logs=None):
            self.model.train_on_batch(*data(2))

        def on_train_batch_end(self, batch, logs=None):
            self.model.train_on_batch(*data(2))

    recorder = GradientRecorder("a", reduce="full")
    model = network()
    model.compile(keras.optimizers.SGD(RATE), "mse")
    fit_again(model, *data(ROWS), [recorder, Between()])
    assert [len(gradient) for gradient in recorder.history["a"]] == [8, 8, 5]


def test_later_training_is_not_recorded():
    recorder = GradientRecorder("a")
    model = trained(recorder)
    model.train_on_batch(*data(2))
    model.evaluate(*data(ROWS), verbose=0, callbacks=[recorder])
    model.predict(data(ROWS)[0], verbose=0, callbacks=[recorder])
    fit_again(model, *data(ROWS), [])
    assert len(recorder.batches) == 3


def test_validation_is_not_recorded():
    recorder = GradientRecorder("a", reduce="full")
    trained(recorder, fit={"validation_data": data(5)}, steps_per_execution=2)
    same(recorder.history, [{"a": g["a"]} for g in numpy_training()])


# --- the limit ------------------------------------------------------------------------------


def test_the_history_stays_within_its_limit_and_says_so_once():
    size = 4 + _recorder.OVERHEAD
    recorder = GradientRecorder("a", limit=20 * size)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        trained(recorder, epochs=10)
    said = [str(w.message) for w in caught if "GradientRecorder" in str(w.message)]
    assert said == [
        f"GradientRecorder's history has reached its limit of {20 * size:,} bytes after 20 "
        "batches. From now on the oldest tenth is forgotten each time it is full; `batches` says "
        f'which are left. To keep all, raise `limit` or use `reduce="norm"`. {LESSON}'
    ]
    assert len(recorder.history["a"]) == len(recorder.batches) == 20
    assert recorder.batches[0] == (3, 1) and recorder.batches[-1] == (9, 2)
    everything = GradientRecorder("a")
    trained(everything, epochs=10)
    np.testing.assert_allclose(recorder.history["a"], everything.history["a"][-20:])


def test_each_fit_has_the_whole_limit_and_its_own_warning():
    def fit(epochs):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            fit_again(model, *data(ROWS), [recorder], epochs=epochs)
        return ["its limit" in str(w.message) for w in caught].count(True)

    recorder, model = GradientRecorder("a", limit=9 * (4 + _recorder.OVERHEAD)), network()
    model.compile(keras.optimizers.SGD(RATE), "mse")
    assert [fit(3), fit(3), fit(4), fit(4)] == [0, 0, 1, 1]


def test_a_batch_that_is_larger_than_the_limit_is_an_error():
    with pytest.raises(ValueError) as caught:
        trained(GradientRecorder("a", reduce="full", limit=200))
    assert str(caught.value) == (
        f"One batch of gradients takes {8 * 4 * 4 + 128:,} bytes, more than `limit` (200 bytes) "
        'allows for the whole history. Record fewer layers, use `reduce="norm"`, or raise '
        f"`limit`. {LESSON}"
    )
    trained(GradientRecorder("a", reduce="full", limit=8 * 4 * 4 + 128))


# --- what cannot be recorded ----------------------------------------------------------------


class Stopped(keras.Model):
    def __init__(self):
        super().__init__()
        self.a, self.b = L.Dense(4, name="a"), L.Dense(2, name="b")

    def call(self, x):
        return self.b(tf.stop_gradient(self.a(x)))


def stopped():
    model = Stopped()
    model(data(1)[0])
    return model


def test_the_loss_goes_on_from_the_logits_while_it_is_recorded():
    """With a probability of 1e-20 Keras's loss is 46, and from the probability it would be 16."""
    x, labels = np.array([[46.0, 0.0]], np.float32), np.array([[0.0, 1.0]], np.float32)
    losses, recorder = [], GradientRecorder("*")
    for callbacks in ([], [recorder]):
        last = L.Dense(2, "softmax", kernel_initializer="identity", name="end")
        model = keras.Sequential([keras.Input((2,)), L.Rescaling(1.0, name="scaled"), last])
        model.compile("sgd", "categorical_crossentropy")
        fitted = model.fit(x, labels, verbose=0, callbacks=callbacks)
        losses.append(fitted.history["loss"][0])
    assert losses[0] > 40 and losses[1] == pytest.approx(losses[0])
    assert recorder.history["scaled"][0] == pytest.approx(np.sqrt(2))  # of p - y, which is (1, -1)


def test_a_layer_without_a_gradient_is_an_error_by_name_and_a_note_by_pattern():
    with pytest.raises(ValueError) as caught:
        trained(GradientRecorder("a"), stopped())
    assert str(caught.value).startswith(
        f"The output of layer 'a' cannot be captured: {_recorder.NOT_REACHED}."
    )
    recorder = GradientRecorder("*")
    trained(recorder, stopped())
    assert list(recorder.history) == ["b"] and recorder.why_none == {"a": _recorder.NOT_REACHED}


def test_nothing_left_to_record_is_an_error():
    with pytest.raises(ValueError) as caught:
        trained(GradientRecorder("a*"), stopped())
    assert str(caught.value) == (
        f"GradientRecorder('a*') has nothing to record: {_recorder.NOT_REACHED}. Ask for layers "
        f"that the loss depends on, or for weights with `weights=True`. {LESSON}"
    )
    with pytest.raises(ValueError, match=r"GradientRecorder\(\[\]\) has nothing.*no layer has"):
        trained(GradientRecorder(()), network())


def test_a_layer_that_returns_whole_numbers():
    start = keras.Input((3,))
    whole = L.Lambda(lambda x: tf.cast(x > 0, tf.int32), name="whole")(start)
    both = L.Concatenate(name="both")([start, L.Lambda(lambda x: tf.cast(x, tf.float32))(whole)])
    model = keras.Model(start, L.Dense(2, name="b")(both))
    with pytest.raises(ValueError) as caught:
        trained(GradientRecorder(["whole", "b"]), model)
    assert str(caught.value).startswith(
        f"The output of layer 'whole' cannot be captured: {_recorder.NOT_FLOATING}."
    )
    recorder = GradientRecorder(["w*", "b"])
    trained(recorder, model)
    assert list(recorder.history) == ["b"]
    assert recorder.why_none == {"whole": _recorder.NOT_FLOATING}


def test_a_model_in_which_nothing_is_trainable():
    model = network()
    model.trainable = False
    with pytest.warns(UserWarning), pytest.raises(ValueError) as caught:
        trained(GradientRecorder("*"), model)
    assert str(caught.value).startswith(
        f"GradientRecorder('*') has nothing to record: {_recorder.NOT_REACHED}."
    )
    assert "nothing is trainable" in _recorder.NOT_REACHED


@pytest.mark.parametrize("layers", ["a", "*", ()])
def test_a_model_that_is_not_built(layers):
    model = keras.Sequential([L.Dense(4, name="a"), L.Dense(2)])
    with pytest.raises(ValueError, match=r"was never built.*Call it once on data"):
        trained(GradientRecorder(layers, weights=True), model)
    with pytest.raises(ValueError, match=r"was never built.*Call it once on data"):
        recording_step(model, lambda y, p: p, keras.optimizers.SGD(), layers)


def test_a_model_that_is_never_called_itself():
    class Parts(keras.Model):
        def __init__(self):
            super().__init__()
            self.front, self.back = (keras.Sequential([layer]) for layer in network().layers)

        def train_step(self, data):
            x, y = data
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(tf.square(self.back(self.front(x)) - y))
            gradients = tape.gradient(loss, self.trainable_variables)
            self.optimizer.apply(gradients, self.trainable_variables)
            return {"loss": loss}

    recorder, model = GradientRecorder("*/*", weights=True, reduce="full"), Parts()
    names = {layer.name: part.name for part in (model.front, model.back) for layer in part.layers}
    for part, size in ((model.front, 3), (model.back, 4)):
        part.build((None, size))
    trained(recorder, model)
    expected = [
        {f"{names[path[0]]}/{path}": gradient for path, gradient in g.items()}
        for g in numpy_training()
    ]
    same(recorder.history, expected)


def test_unknown_paths_and_things_that_are_no_paths():
    with pytest.raises(ValueError, match="No layer of this model has the path 'c'"):
        trained(GradientRecorder("c"))
    with pytest.raises(TypeError, match="holds a Dense, and layers are asked for by their path"):
        trained(GradientRecorder([network().layers[0]]))
    with pytest.raises(TypeError, match="holds a Dense, and layers are asked for by their path"):
        trained(GradientRecorder(network().layers[0]))
    with pytest.raises(TypeError, match="holds a NoneType"):
        trained(GradientRecorder(None))


def test_a_cell_inside_a_loop_cannot_be_recorded_until_it_is_unrolled():
    def model():
        return keras.Sequential([keras.Input((3, 1)), L.RNN(L.SimpleRNNCell(2, name="cell"))])

    def trained_on(model):
        recorder = GradientRecorder(f"{model.layers[0].name}/cell")
        model.compile(keras.optimizers.SGD(RATE), "mse")
        model.fit(np.ones((2, 3, 1)), np.ones((2, 2)), verbose=0, callbacks=[recorder])
        return recorder.history

    with pytest.raises(ValueError, match="runs its cell inside a loop"):
        trained_on(model())
    unrolled = model()
    unrolled.layers[0].unroll = True
    # The first two outputs are used as the next step's state only, and the last state is not.
    keys = {key.split("/")[-1] for key in trained_on(unrolled)}
    assert keys == {"cell[0][1][0]", "cell[1][1][0]", "cell[2][0]"}


def test_a_step_that_gives_the_optimizer_nothing():
    with pytest.raises(ValueError) as caught:
        trained(GradientRecorder("a", weights=True), network(Elsewhere))
    assert str(caught.value) == (
        "GradientRecorder(weights=True) saw no gradient of a weight: this `train_step` gave none "
        "to `self.optimizer`. Call `self.optimizer.apply(gradients, self.trainable_variables)` in "
        f"it, or record layers only. {LESSON}"
    )
    recorder = GradientRecorder("a", reduce="full")
    trained(recorder, network(Elsewhere), rows=BATCH)
    same(recorder.history, [{"a": numpy_training()[0]["a"]}])


def test_a_step_that_is_a_function_of_its_own():
    class Decorated(OwnStep):
        train_step = tf.function(OwnStep.train_step)

    with pytest.raises(ValueError) as caught:
        trained(GradientRecorder((), weights=True), network(Decorated))
    assert str(caught.value).startswith("The `train_step` of 'decorated")
    assert str(caught.value).endswith(
        "is a `tf.function`, and a tensor of its own graph cannot be handed out. Take the "
        f"`tf.function` away: `fit` compiles the step by itself. {LESSON}"
    )

    class Helped(OwnStep):
        def train_step(self, data):
            return tf.function(super().train_step)(data)

    with pytest.raises(ValueError) as caught:
        trained(GradientRecorder((), weights=True), network(Helped))
    assert str(caught.value) == (
        "GradientRecorder(weights=True): this `train_step` gives its optimizer the gradients "
        "inside a `tf.function` or loop of its own, out of which they cannot be handed. Take that "
        f"`tf.function` away: `fit` compiles the whole step. {LESSON}"
    )


def test_two_recorders_in_one_fit_are_an_error():
    model = network()
    model.compile(keras.optimizers.SGD(RATE), "mse")
    model.make_train_function()
    plain = model.train_function
    with pytest.raises(RuntimeError) as caught:
        fit_again(model, *data(ROWS), [GradientRecorder("a"), GradientRecorder("b")])
    assert str(caught.value) == (
        "GradientRecorder finds that something else took its place in this `fit`: another "
        "GradientRecorder, or a call of `compile` by another callback. Give one recorder all "
        f"layers, and compile before `fit`. {LESSON}"
    )
    assert model.train_function is plain


@pytest.mark.parametrize("limit", [None, "1 GB"])
def test_a_limit_that_is_no_number(limit):
    with pytest.raises(TypeError) as caught:
        GradientRecorder(limit=limit)
    assert str(caught.value) == (
        f"GradientRecorder(limit={limit!r}): `limit` is the number of bytes that the history may "
        f"take. Pass a number, such as 64 * 2**20, or `math.inf` for no limit. {LESSON}"
    )


def test_no_limit():
    recorder = GradientRecorder("a", limit=math.inf)
    trained(recorder)
    assert len(recorder.batches) == 3


@pytest.mark.parametrize(
    ("reduce", "said"),
    [
        (np.linalg.norm, "NotImplementedError("),
        (lambda g: g.numpy(), "AttributeError("),
        (lambda g: None, "None"),
        (lambda g: {"x": g}, "{'x': <tf.Tensor"),
    ],
)
def test_a_reduce_that_gives_no_tensor(reduce, said):
    with pytest.raises(TypeError) as caught:
        trained(GradientRecorder("a", reduce=reduce))
    assert str(caught.value).startswith(f"GradientRecorder's `reduce` gave {said}")
    assert str(caught.value).endswith(
        "which is not a tensor, and only tensors leave a compiled step. It must be made of "
        "TensorFlow operations and return one tensor, such as `lambda g: tf.reduce_max(tf.abs(g), "
        f"axis=0)`. {LESSON}"
    )


def test_an_unknown_reduce_is_named():
    with pytest.raises(ValueError, match=r"GradientRecorder\(reduce=\['norm'\]\)"):
        GradientRecorder(reduce=["norm"])
    with pytest.raises(ValueError) as caught:
        GradientRecorder(reduce="max")
    assert str(caught.value) == (
        "GradientRecorder(reduce='max'): that is none of 'norm', 'mean', 'full'. Choose one, or "
        "pass a function of TensorFlow operations from a gradient to what should be kept, such as "
        f"`lambda g: tf.reduce_max(tf.abs(g), axis=0)`. {LESSON}"
    )


def test_batches_that_go_another_way_are_an_error():
    recorder = GradientRecorder("a", reduce="full")
    trained(recorder, rows=BATCH)
    with pytest.raises(ValueError, match="not for the same places as those before: a, c\\. The"):
        recorder._keep({"c": tf.zeros(2)})


def test_variables_without_keras_around_them_are_known():
    class Backing(keras.Sequential):
        def train_step(self, data):
            x, y = data
            variables = [v.value for v in self.trainable_variables]
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(tf.square(self(x) - y))
            self.optimizer.apply(tape.gradient(loss, variables))
            return {"loss": loss}

    recorder = GradientRecorder("a", weights=True, reduce="full")
    model = network(Backing)
    optimizer = keras.optimizers.SGD(RATE)
    optimizer.build(model.trainable_variables)
    trained(recorder, model, optimizer=optimizer)
    same(recorder.history, [{p: g[p] for p in g if p != "b"} for g in numpy_training()])


# --- a loop of one's own --------------------------------------------------------------------


@pytest.mark.parametrize("scale", [None, 128.0])
def test_the_recording_step_equals_a_training_in_numpy(scale):
    model = network()
    model.get_layer("a").kernel.regularizer = keras.regularizers.L2(0.01)
    optimizer = keras.optimizers.SGD(RATE, loss_scale_factor=scale)
    step = tf.function(
        recording_step(model, lambda y, p: tf.reduce_mean((y - p) ** 2), optimizer, ["a", "b"])
    )
    x, y = data(ROWS)
    found, values = [], []
    kernels = []
    for first in range(0, ROWS, BATCH):
        kernels.append(model.get_weights())
        value, gradients = step(x[first : first + BATCH], y[first : first + BATCH])
        values.append(float(value))
        found.append({path: calls[0].numpy() for path, calls in gradients.items()})
    expected = numpy_training(l2=0.01)
    same({p: [g[p] for g in found] for p in "ab"}, [{p: g[p] for p in "ab"} for g in expected])
    w, b, v, c = kernels[-1]
    predicted = np.tanh(x[16:] @ w + b) @ v + c
    by_hand = np.mean((predicted - y[16:]) ** 2) + 0.01 * (w**2).sum()
    np.testing.assert_allclose(values[-1], by_hand, rtol=1e-5)


def test_the_recording_step_trains():
    """So dropout is on, and batch normalization learns."""
    keras.utils.set_random_seed(0)
    layers = [L.Dense(4, name="a"), L.BatchNormalization(name="norm"), L.Dropout(0.5), L.Dense(2)]
    model = keras.Sequential([keras.Input((3,)), *layers])
    step = recording_step(
        model, lambda y, p: tf.reduce_mean((y - p) ** 2), keras.optimizers.SGD(RATE), "norm"
    )
    _, gradients = step(*data(ROWS))
    dropped = np.mean(gradients["norm"][0].numpy() == 0)
    assert 0.2 < dropped < 0.8 and model.get_layer("norm").moving_mean.numpy().any()


# --- taps and small functions ---------------------------------------------------------------


def test_a_tap_changes_nothing_and_tells():
    told, x = [], tf.constant([1.0, -2.0], tf.float64)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(gradient_tap(x**2, told.append) ** 3)
    gradient = tape.gradient(y, x)
    np.testing.assert_allclose(gradient, 6 * x.numpy() ** 5)
    np.testing.assert_allclose(told, [3 * x.numpy() ** 4])
    assert told[0].dtype == tf.float64


def test_a_tap_is_followed_for_its_anchor_and_adds_nothing_to_it():
    told, anchor = [], tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = _recorder.tap(tf.constant(3.0), told.append, anchor.value()) ** 2 + anchor
    assert tape.gradient(y, anchor).numpy() == 1.0
    assert [t.numpy() for t in told] == [6.0]


def test_gradients_during_a_step_come_last_call_first():
    layer = L.Dense(1, kernel_initializer="ones", use_bias=False)
    w, x = tf.Variable([[2.0]]), tf.constant([[3.0]])

    def step():
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(layer(layer(x @ w) * 5.0) ** 2)
        tape.gradient(y, w)

    found = gradients_during(step, layer)
    assert [g.numpy().item() for g in found] == [60.0, 300.0]
    assert "call" not in vars(layer)
    with pytest.raises(ZeroDivisionError):
        gradients_during(lambda: 1 / 0, layer)
    assert "call" not in vars(layer)
    layer.call = own = lambda x: 7.0 * x
    assert [g.numpy().item() for g in gradients_during(step, layer)] == [2940.0, 102900.0]
    assert layer.call is own


def test_batch_norms_equal_numpy():
    model, (x, y) = network(), data(ROWS)
    cuts = [slice(0, 8), slice(8, 16), slice(16, 21)]
    found = batch_norms(*model.layers, [(tf.constant(x[c]), tf.constant(y[c])) for c in cuts])
    w, b, v, c = model.get_weights()
    for norm, cut in zip(found, cuts, strict=True):
        d = 2 * (np.tanh(x[cut] @ w + b) @ v + c - y[cut]) / y[cut].size
        np.testing.assert_allclose(norm, np.linalg.norm(d @ v.T), rtol=1e-5)


def test_quiet_units():
    batches = [np.array([[0.0, 1.0, 0.0], [0.0, -1.0, 0.0]]), np.array([[0.0, 0.0, 1e-30]])]
    assert quiet_units(batches) == [0] and quiet_units(batches[:1]) == [0, 2]
    assert all(type(unit) is int for unit in quiet_units(batches))
    images = [np.zeros((1, 2, 2, 3)), np.zeros((0, 2, 2, 3))]
    images[0][0, 1, 0, 1] = -1.0
    assert quiet_units(images) == [0, 2]
    for norms, shape in [([np.float32(0.5)], ()), ({"a": batches}, ())]:
        with pytest.raises(ValueError) as caught:
            quiet_units(norms)
        assert str(caught.value) == (
            f"quiet_units(gradients): its first element has the shape {shape}, and rows and units "
            f'were expected. Pass the list of one layer, recorded with `reduce="full"`. {LESSON}'
        )
    with pytest.raises(ValueError) as caught:
        quiet_units([])
    assert str(caught.value) == (
        "quiet_units([]) has no batch to look at, and from nothing every unit looks quiet. Record "
        f'at least one epoch with `reduce="full"` first. {LESSON}'
    )


@pytest.mark.parametrize("bias", [True, False])
def test_revived_units_keep_the_output_and_can_learn(bias):
    before = L.Dense(3, name="before")
    after = L.Dense(2, use_bias=bias, name="after")
    model = keras.Sequential([keras.Input((4,)), before, L.ReLU(), after])
    before.set_weights([np.ones((4, 3)), np.array([0.5, -100.0, -100.0])])
    x = np.random.default_rng(0).uniform(size=(6, 4)).astype("float32")
    expected = model(x).numpy()
    revive(before, after, [1, 2], seed=3)
    np.testing.assert_allclose(model(x), expected, rtol=1e-6)
    kernel, biases = before.get_weights()
    np.testing.assert_array_equal(kernel[:, 0], 1)
    fresh = keras.initializers.GlorotUniform(3)((4, 3))
    np.testing.assert_array_equal(kernel[:, 1:], fresh[:, 1:])
    np.testing.assert_array_equal(biases, [0.5, 0, 0])
    np.testing.assert_array_equal(after.get_weights()[0][1:], 0)
    again = L.Dense(3)
    again.build((None, 4))
    revive(again, after, [1, 2], seed=3)
    np.testing.assert_array_equal(again.get_weights()[0][:, 1:], kernel[:, 1:])
    plain = L.Dense(3, use_bias=False)
    plain.build((None, 4))
    revive(plain, after, [1, 2], seed=3)
    np.testing.assert_array_equal(plain.get_weights()[0][:, 1:], kernel[:, 1:])


def test_the_sunspots_are_those_of_the_file():
    years, numbers = sunspots()
    np.testing.assert_array_equal(years, np.arange(1700, 2009))
    assert numbers.shape == (309,) and (numbers[0], numbers[-1]) == (5.0, 2.9)
    assert numbers.max() == numbers[years == 1957][0] == 190.2


# --- replicas -------------------------------------------------------------------------------


def test_merged_replicas_are_what_one_process_computes():
    rows, weight = merge_replicas(
        [tf.constant([[1.0, 2.0]]), tf.constant([[3.0, 4.0], [5.0, 6.0]])],
        [tf.constant([1.0]), tf.constant([10.0])],
    )
    np.testing.assert_array_equal(rows, [[1, 2], [3, 4], [5, 6]])
    np.testing.assert_array_equal(weight, [11])


def environment(**more):
    path = os.pathsep.join([str(ROOT), str(ROOT / "solutions")])
    quiet = {"TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": "-1", "PYTHONPATH": path}
    return {**os.environ, **quiet, **more}


@pytest.fixture(scope="module")
def mirrored():
    command = [sys.executable, "-m", "tests.mirrored_recording"]
    done = subprocess.run(
        command, cwd=ROOT, env=environment(), capture_output=True, text=True, timeout=200
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout)


def test_two_devices_record_what_one_process_does(mirrored):
    # The last batch, of 5 rows, is cut into 3 and 2, and Keras weights the two parts alike.
    full = {path: [np.array(g) for g in v[:2]] for path, v in mirrored["full"].items()}
    same(full, numpy_training()[:2])
    norms = {path: [np.array(g) for g in v] for path, v in mirrored["norm"].items()}
    same(norms, numpy_training(rows=16), np.linalg.norm)


def test_a_last_batch_that_is_shared_unevenly_is_the_one_that_trained(mirrored):
    last = np.array(mirrored["full"]["b"][-1])
    one_process = numpy_training()[-1]["b"]
    shares = np.repeat([3, 2], [3, 2])[:, None]
    np.testing.assert_allclose(last, one_process * 5 / (2 * shares), rtol=1e-5)


def test_logs_are_averaged_over_the_devices(mirrored):
    whole = numpy_training()[0]["a"]
    halves = np.split(2 * whole, 2)
    assert np.shape(mirrored["logs"]) == (4, 4)
    np.testing.assert_allclose(mirrored["logs"], sum(halves) / 2, rtol=1e-5)


def test_a_loop_on_two_devices_gives_each_the_whole_batch(mirrored):
    expected = numpy_training(rows=8, epochs=2, l2=0.1)
    for found, right in zip(mirrored["loop"]["steps"], expected, strict=True):
        for replica in found["a"]:
            np.testing.assert_allclose(replica, right["a"], rtol=1e-5, atol=1e-7)
        assert found["loss"][0] == found["loss"][1]
    w = network().get_weights()[0]
    loss = mirrored["loop"]["steps"][0]["loss"][0]
    x, y = data(8)
    first, b, v, c = network().get_weights()
    predicted = np.tanh(x @ first + b) @ v + c
    np.testing.assert_allclose(loss, np.mean((predicted - y) ** 2) + 0.1 * (w**2).sum(), rtol=1e-5)
    moved = w - RATE * sum(g["a/kernel"] for g in expected)
    np.testing.assert_allclose(mirrored["loop"]["kernel"], moved, rtol=1e-5)


def test_merged_halves_equal_the_whole(mirrored):
    rows, kernel = mirrored["merged"]
    np.testing.assert_allclose(rows, numpy_training()[0]["a"], rtol=1e-5)
    np.testing.assert_allclose(kernel, numpy_training()[0]["a/kernel"], rtol=1e-5, atol=1e-7)


def test_a_tape_outside_strategy_run_is_an_error(mirrored):
    kind, words = mirrored["outside"]
    assert kind == "ValueError" and "outside the replica context" in words


# --- two processes --------------------------------------------------------------------------


@pytest.fixture(scope="module")
def script():
    file = lesson_folder("gradients_while_training") / "two_workers.py"
    spec = importlib.util.spec_from_file_location("two_workers", file)
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


@pytest.fixture
def in_path(monkeypatch):
    monkeypatch.setenv("PYTHONPATH", environment()["PYTHONPATH"])


def test_two_processes_gather_what_one_computes(script, tmp_path, in_path):
    found = script.finish(script.start(tmp_path), seconds=150)
    expected = script.single_process()
    assert np.shape(found[0]["first"]) == (16, 6) and len(found) == 4
    assert script.largest_difference(found, expected) <= 1e-5
    for ours, theirs in zip(found, expected, strict=True):
        np.testing.assert_allclose(ours["loss"], theirs["loss"], rtol=1e-5)
    second = [json.loads(file.read_text()) for file in sorted(tmp_path.glob("1.*.json"))]
    assert second == found
    assert script.largest_difference(found, expected[::-1]) > 1e-3


def test_a_worker_that_dies_is_named_and_nothing_hangs(script, tmp_path, in_path):
    workers = script.start(tmp_path, batches=1_000_000)
    begun = time.monotonic()
    while workers.batches_done(1) < 3:
        assert workers[1].poll() is None and time.monotonic() - begun < 150
        time.sleep(0.05)
    workers[1].kill()
    killed = time.monotonic()
    with pytest.raises(RuntimeError, match=r"Worker 1 was killed by signal 9 after \d+ batches\."):
        script.finish(workers)
    assert time.monotonic() - killed < 20
    assert all(process.poll() is not None for process in workers)


def sleeping(script, folder, *codes):
    workers = script.Workers(folder)
    for index, code in enumerate(codes):
        (folder / f"{index}.log").write_text("first\nlast words\n")
        workers.append(subprocess.Popen([sys.executable, "-c", code]))
    return workers


def test_a_worker_that_fails_and_workers_that_take_too_long(script, tmp_path):
    forever = "import time; time.sleep(600)"
    workers = sleeping(script, tmp_path, forever, "raise SystemExit(3)")
    with pytest.raises(RuntimeError) as caught:
        script.finish(workers)
    assert str(caught.value) == (
        "Worker 1 ended with exit code 3 after 0 batches. The other waits for it in the next "
        "exchange of gradients and cannot go on, so it was stopped too. Start both again. Its "
        "last line was: last words"
    )
    workers = sleeping(script, tmp_path, forever, forever)
    with pytest.raises(TimeoutError, match=r"did not end within 0\.2 seconds, and were stopped"):
        script.finish(workers, seconds=0.2)
    assert all(process.poll() is not None for process in workers)


def test_fit_with_two_workers_fails_without_any_recorder(script, tmp_path):
    """If this fails, Keras has mended it, and the lesson should say so."""
    import socket

    free = [socket.socket() for _ in range(2)]
    for s in free:
        s.bind(("127.0.0.1", 0))
    addresses = [f"127.0.0.1:{s.getsockname()[1]}" for s in free]
    for s in free:
        s.close()
    command = [sys.executable, "-m", "tests.multi_worker_fit"]
    workers = []
    for index in range(2):
        task = {"cluster": {"worker": addresses}, "task": {"type": "worker", "index": index}}
        workers.append(
            subprocess.Popen(
                [*command, str(tmp_path / str(index))],
                cwd=ROOT,
                env=environment(TF_CONFIG=json.dumps(task)),
                stderr=subprocess.DEVNULL,
            )
        )
    try:
        for worker in workers:
            worker.wait(timeout=150)
    finally:
        for worker in workers:
            worker.kill()
            worker.wait()
    for index in range(2):
        said = (tmp_path / str(index)).read_text()
        assert said.startswith("ValueError: Attempt to convert a value (PerReplica:"), said


# --- what the lesson claims -----------------------------------------------------------------


def test_the_recorded_costs_are_what_the_lesson_says():
    rows = read_record("bench_training.json")["ratios"]
    ways = {row["way"] for row in rows}
    assert ways == {"norms", "full tensors", "run_eagerly=True", "probe batch"}
    for row in rows:
        limit = {"norms": 1.15, "full tensors": 1.4}.get(row["way"])
        assert limit is None or (row["ratio"] <= limit and row["pairs"] >= 30), row
        assert limit is not None or row["ratio"] > 1.4, row


def test_old_ways_are_gone():
    with pytest.raises(TypeError, match="write_grads"):
        keras.callbacks.TensorBoard(write_grads=True)
    assert not hasattr(keras.backend, "gradients")
