"""Gradients of every batch while a model trains: in `fit`, in a loop, on several replicas.

`fit` computes gradients in a compiled function and throws them away; a callback sees the loss and
the metrics only. `GradientRecorder` has the compiled step return them as well.
"""

import warnings
from collections.abc import Callable, Iterable

import keras
import numpy as np
import tensorflow as tf

from solutions import _capture_errors as errors
from solutions import _recorder
from solutions._recorder import LESSON
from solutions.data_files import read_file
from solutions.intermediate_activations import layer_paths, value_and_gradients, weights_by_path

__all__ = [
    "GradientRecorder",
    "batch_norms",
    "gradient_tap",
    "gradients_during",
    "merge_replicas",
    "quiet_units",
    "recording_step",
    "revive",
    "sunspots",
]


def gradient_tap(x: tf.Tensor, tell: Callable[[tf.Tensor], None]) -> tf.Tensor:
    """Return `x`; every backward pass through it hands its gradient to `tell`, and goes on.

    Args:
        x: floating-point tensor.
        tell: called with the gradient, a tensor of the shape and dtype of `x`.

    Returns:
        Tensor of the shape, dtype and values of `x`.
    """
    return _recorder.tap(x, tell)


def gradients_during(step: Callable[[], object], layer: keras.Layer) -> list[tf.Tensor]:
    """Gradients for what a layer returns, from the backward passes that `step` makes itself.

    Args:
        step: calls the layer, and asks a tape of its own for gradients.
        layer: returns one floating-point tensor. It is left as it was.

    Returns:
        The gradients, in the order in which the backward passes come by: of two calls in a row
        the second one's is first.
    """
    call, own, told = layer.call, vars(layer).get("call"), []
    layer.call = lambda *args, **kwargs: gradient_tap(call(*args, **kwargs), told.append)
    try:
        step()
    finally:
        del layer.call
        if own is not None:
            layer.call = own
    return told


def batch_norms(
    hidden: keras.Layer, out: keras.Layer, batches: list[tuple[tf.Tensor, tf.Tensor]]
) -> list[tf.Tensor]:
    """Norm of the gradient for a layer's output, for each batch, from one compiled step.

    Args:
        hidden: the layer whose output is meant.
        out: the layer after it. The loss is the mean of `(out(hidden(x)) - y) ** 2`.
        batches: pairs `x`, `y`; the last may be smaller.

    Returns:
        A scalar tensor a batch: the square root of the sum of the gradient's squares.
    """

    @tf.function
    def step(x, y):
        with tf.GradientTape() as tape:
            activation = hidden(x)
            tape.watch(activation)
            loss = tf.reduce_mean((out(activation) - y) ** 2)
        return tf.norm(tape.gradient(loss, activation))

    return [step(x, y) for x, y in batches]


class GradientRecorder(keras.callbacks.Callback):
    """Records the gradients of each batch of `fit`, with respect to layers' outputs and weights.

        recorder = GradientRecorder("hidden")
        model.fit(x, y, callbacks=[recorder])
        recorder.history["hidden"]  # one array a batch

    A gradient is the one that the model's `train_step` computes, your own included, from the same
    backward pass; what `model.optimizer` scales a loss by is divided out again. If a step asks for
    several gradients through one output, they are added: for a gradient penalty, the inner tape's,
    too. Under a `tf.distribute` strategy the replicas' rows follow one another and their weights'
    gradients are added. While it records, `steps_per_execution` batches are run one by one, so that
    none is missed. (`MultiWorkerMirroredStrategy`: `fit` of Keras 3.15 fails there by itself; see
    `recording_step`.) Training goes on as without it, up to rounding, and between two batches, or
    after a `fit` that broke off, the model is as ever.

    Args:
        layers: paths from `layer_paths`, or patterns such as `"*"` and `"block_*/conv"`. A path
            that cannot be recorded is an error; for a pattern's, `why_none` says why.
        weights: whether to record the gradients of the trainable weights, too, as the optimizer
            gets them: before it clips.
        reduce: what to keep of a gradient. `"norm"`: the square root of the sum of its squares;
            `"mean"`: the mean of all its elements; `"full"`: all of it; or your own function of
            TensorFlow operations.
        limit: how many bytes `history` may take. Beyond it the oldest tenth is forgotten; a
            warning says so, once. `math.inf` for no limit.

    Attributes:
        history: `{path: [array, …]}`, an array a batch; each `fit` begins anew. A layer that is
            called several times in a step has a list for each, `"path[0]"`, `"path[1]"`; so has
            one with several outputs. A weight's path ends in its name, `"hidden/kernel"`; if a
            step updates it several times, there is a list for each, `"hidden/kernel[0]"`.
        batches: `[(epoch, batch), …]`, both counted from 0, for the entries of each list.
        why_none: why there is no gradient, by path.

    Raises (at once, when training begins, or at the first batch):
        TypeError, ValueError: an argument is none of the above, the model is not built, a path is
            unknown or out of reach, or nothing is left to record.
        RuntimeError: another recorder takes part in the same `fit`.
    """

    def __init__(
        self,
        layers: str | Iterable[str] = "*",
        *,
        weights: bool = False,
        reduce: str | Callable[[tf.Tensor], tf.Tensor] = "norm",
        limit: int = 64 * 2**20,
    ):
        super().__init__()
        _recorder.check_arguments(reduce, limit)
        several = isinstance(layers, Iterable) and not isinstance(layers, str)
        self.layers = list(layers) if several else layers
        self.weights, self.limit = weights, limit
        self.reduce = _recorder.REDUCE.get(reduce, reduce) if isinstance(reduce, str) else reduce
        self.scalars = reduce in ("norm", "mean")
        self.history, self.batches, self.why_none = {}, [], {}
        self.recorded, self.epoch = None, 0

    @property
    def last(self) -> dict[str, np.ndarray]:
        """The newest batch's entries, by path."""
        return {path: entries[-1] for path, entries in self.history.items()}

    # What Keras calls

    def on_train_begin(self, logs=None):
        model = self.model
        self.history, self.batches, self.bytes, self.announced = {}, [], 0, False
        plain = _plain(model)
        if self.recorded is None or self.recorded.plain is not plain:
            self._choose(model)
            self.recorded = _Recorded(self, plain, self._compiled(model))

    def on_train_batch_begin(self, batch, logs=None):
        model = self.model
        if model.train_function is not self.recorded.plain:
            model.train_function = _plain(model)
            raise RuntimeError(
                f"GradientRecorder finds that something else took its place in this `fit`: another "
                f"GradientRecorder, or a call of `compile` by another callback. Give one recorder "
                f"all layers, and compile before `fit`. {LESSON}"
            )
        self.batch = batch
        model.train_function = self.recorded  # for one call, so that whatever breaks leaves nothing

    def on_epoch_begin(self, epoch, logs=None):
        self.epoch = epoch

    # Before the first batch

    def _choose(self, model):
        _recorder.check_step(model)
        self.paths = layer_paths(model)
        # A model whose `train_step` calls its parts is never built itself.
        if not any(layer.built for layer in self.paths.values()):
            errors.check_built(model)
        self.named, self.wanted = errors.choose(self.layers, self.paths)
        self.missing = errors.obstacles(model, self.paths)
        errors.refuse(self.named, self.missing)
        self.names = {}
        if self.weights:
            for path, weight in weights_by_path(model).items():
                self.names |= {id(weight): path, id(weight.value): path}
        with model.distribute_strategy.scope():
            self.anchor = tf.Variable(0.0)  # trainable, so every tape follows what it goes into

    def _compiled(self, model):
        """A train function that returns the logs and the record, made the way Keras makes its."""
        plain, own_step = model.train_function, vars(model).get("train_step")
        # Written past `__setattr__`, in which Keras tracks what a model is given.
        vars(model)["train_step"] = self._recorded_step(model.train_step)
        try:
            model.make_train_function(force=True)
            return model.train_function
        finally:
            model.train_function = plain
            if own_step is None:
                del vars(model)["train_step"]
            else:
                vars(model)["train_step"] = own_step

    # The training step

    def _recorded_step(self, train_step):
        def step_and_record(data):
            optimizer = self.model.optimizer
            scale = _recorder.loss_scale(optimizer)  # before the optimizer may change it
            layers = [self.paths[path] for path in self.wanted if path not in self.missing]
            step = _recorder.StepCapture(layers, self.anchor)
            with _recorder.current(step):
                logs = train_step(data)
            if scale is not None and not step.loss_scaled:
                scale = None
                if step.weights:
                    _recorder.warn_unscaled()
            return logs, self._record(step, scale)

        return step_and_record

    def _record(self, step, scale):
        """What is returned from the compiled step for one batch: `{path: array}`, or one array."""
        found, self.why_none = step.activation_gradients(
            self.paths, self.wanted, self.named, self.missing
        )
        found = _recorder.rows_of_all(found)
        if self.weights:
            weights, missing = step.weight_gradients(self.names)
            found |= _recorder.sum_of_all(weights)
            self.why_none |= missing
        if not found:
            raise ValueError(_recorder.nothing_found(self.layers, self.why_none))
        record = {
            path: _recorder.reduced(self.reduce, _recorder.unscaled(gradient, scale))
            for path, gradient in found.items()
        }
        if not self.scalars:
            return record
        # One array leaves the compiled step faster than many numbers.
        return {"\n".join(record): tf.stack([tf.cast(v, "float32") for v in record.values()])}

    def _keep(self, record):
        """Append one batch's arrays to the history, within the limit."""
        arrays = {path: np.asarray(value) for path, value in record.items()}
        if self.scalars:
            ((paths, values),) = arrays.items()
            arrays = dict(zip(paths.split("\n"), values, strict=True))
        size = sum(array.nbytes + _recorder.OVERHEAD for array in arrays.values())
        if size > self.limit:
            raise ValueError(_recorder.batch_too_large(size, self.limit))
        if self.history and arrays.keys() != self.history.keys():
            raise ValueError(_recorder.other_paths(self.history, arrays))
        while self.bytes + size > self.limit:
            self._forget()
        for path, array in arrays.items():
            self.history.setdefault(path, []).append(array)
        self.batches.append((self.epoch, self.batch))
        self.bytes += size
        self.batch += 1

    def _forget(self):
        count = -(-len(self.batches) // 10)
        if not self.announced:
            warnings.warn(_recorder.limit_reached(len(self.batches), self.limit), stacklevel=2)
            self.announced = True
        for entries in self.history.values():
            self.bytes -= sum(array.nbytes + _recorder.OVERHEAD for array in entries[:count])
            del entries[:count]
        del self.batches[:count]


def _plain(model):
    """The model's train function, also if a recorder's was put there and never called."""
    function = model.train_function
    return function.plain if isinstance(function, _Recorded) else function


class _Recorded:
    """A model's `train_function` for one call in which a recorder takes part."""

    def __init__(self, recorder, plain, function):
        self.recorder, self.plain, self.function = recorder, plain, function

    def __call__(self, iterator):
        if not isinstance(iterator, (tf.data.Iterator, tf.distribute.DistributedIterator)):
            return self.plain(iterator)  # of another callback's `train_on_batch`, not of `fit`
        recorder, logs = self.recorder, None
        model = recorder.model
        model.train_function = self.plain
        try:
            with _recorder.overheard(model.optimizer), _recorder.single_steps(model) as steps:
                for _ in range(steps):
                    logs, record = self.function(iterator)
                    recorder._keep(record)
        except (StopIteration, tf.errors.OutOfRangeError):
            if logs is None:  # the data ended before this call, which Keras wants to know
                raise
        return logs


def recording_step(
    model: keras.Model,
    loss: Callable[[tf.Tensor, tf.Tensor], tf.Tensor],
    optimizer: keras.optimizers.Optimizer,
    layers: str | Iterable[str],
) -> Callable[[tf.Tensor, tf.Tensor], tuple[tf.Tensor, dict]]:
    """Return a training step for a loop of your own: `step(x, y)` gives the loss and gradients.

    The step updates the weights. Its gradients are `{path: [gradient of the first call's output,
    …]}`, in at least float32, without the factor of a scaled loss. Compile it: `tf.function(step)`.
    In `strategy.run` every replica returns the whole batch's.

    Args:
        model: a built model.
        loss: from labels and the model's output to a scalar. Under a strategy it is the replica's
            share: divide by the size of the whole batch.
        optimizer: as for `fit`.
        layers: paths or patterns, as in `layer_paths`.
    """
    errors.check_built(model)
    weights = weights_by_path(model)
    optimizer.build(model.trainable_variables)  # a compiled function may create no variables

    def step(x, y):
        replicas = tf.distribute.get_strategy().num_replicas_in_sync

        def target(y_pred):
            share = sum(model.losses) / replicas if model.losses else 0.0
            return optimizer.scale_loss(loss(y, y_pred) + share)

        scale = _recorder.loss_scale(optimizer)
        got = value_and_gradients(model, x, target, layers=layers, training=True)
        optimizer.apply([got.weights[path] for path in weights], list(weights.values()))
        value = _recorder.sum_of_all(_recorder.unscaled(got.value, scale))
        gradients = _recorder.rows_of_all(got.activation_gradients)
        return value, tf.nest.map_structure(
            lambda g: g if g is None else _recorder.unscaled(g, scale), gradients
        )

    return step


def merge_replicas(rows: list[tf.Tensor], weights: list[tf.Tensor]) -> tuple[tf.Tensor, tf.Tensor]:
    """Put together what replicas computed, each from its share of a batch and of its mean loss.

    Each replica divides by the size of the *whole* batch, so that the shares of the loss add up.

    Args:
        rows: for each replica the gradient for a layer's output, of shape (its rows, units).
        weights: for each replica the gradient for one weight.

    Returns:
        What a single process would have got from the whole batch: the gradient for the layer's
        output, of shape (all rows, units), and the one for the weight, shaped like one of them.
    """
    return tf.concat(rows, axis=0), tf.add_n(weights)


def quiet_units(gradients: list[np.ndarray]) -> list[int]:
    """Which units of a layer got no gradient at all, in any row of any batch.

    Args:
        gradients: one array a batch, of shape (rows, units). The batches may differ in size.

    Returns:
        The units' numbers in rising order.

    Raises:
        ValueError: no batch was recorded yet.
    """
    if not len(gradients):
        raise ValueError(
            f"quiet_units([]) has no batch to look at, and from nothing every unit looks quiet. "
            f'Record at least one epoch with `reduce="full"` first. {LESSON}'
        )
    shape = np.shape(next(iter(gradients)))
    if len(shape) < 2:
        raise ValueError(
            f"quiet_units(gradients): its first element has the shape {shape}, and rows and units "
            f'were expected. Pass the list of one layer, recorded with `reduce="full"`. {LESSON}'
        )
    rows = [np.reshape(batch, (-1, shape[-1])) for batch in gradients]
    largest = np.max([np.abs(batch).max(axis=0, initial=0) for batch in rows], axis=0)
    return [int(unit) for unit in np.flatnonzero(largest == 0)]


def revive(before: keras.layers.Dense, after: keras.layers.Dense, units: list[int], seed: int):
    """Give units of the layer `before` a new start, without a change of what `after` returns.

    A unit's incoming weights are drawn anew, from Glorot's uniform distribution; its bias and its
    outgoing weights become 0. (As "ReDo" does: Sokar et al., 2023, arXiv:2302.12902.)

    Args:
        before: the layer that has the units, whose outputs `after` gets through a ReLU.
        after: the layer that follows.
        units: the units' numbers.
        seed: of the new weights.
    """
    kernel, *bias = before.get_weights()
    outgoing, *rest = after.get_weights()
    fresh = keras.initializers.GlorotUniform(seed)(kernel.shape)
    kernel[:, units] = keras.ops.convert_to_numpy(fresh)[:, units]
    for values in bias:  # one, or none
        values[units] = 0.0
    outgoing[units] = 0.0
    before.set_weights([kernel, *bias])
    after.set_weights([outgoing, *rest])


def sunspots() -> tuple[np.ndarray, np.ndarray]:
    """Return the years, int64 of shape (309,), and each year's sunspots, float64 (309,).

    Raises:
        FileNotFoundError, ValueError: the file is missing or changed; how to restore it.
    """
    lines = read_file("sunspots.csv").decode().splitlines()[1:]
    years, numbers = zip(*(line.split(",") for line in lines), strict=True)
    return np.array(years, "int64"), np.array(numbers, "float64")
