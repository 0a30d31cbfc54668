"""How `GradientRecorder` gets at the gradients that `fit` computes and throws away.

For the time of one training step, the chosen layers are tapped by `_capture`, and what each returns
passes through `tap`. Whatever tape the step uses, its backward pass then hands over the
gradient at that place. The weights' gradients are those that the step gives to the optimizer.
"""

import contextlib
import numbers
import threading
import warnings
from collections.abc import Callable

import keras
import tensorflow as tf

from solutions._capture import Capture, carry_notes, differentiable
from solutions._capture_errors import refuse

OVERHEAD = 128  # bytes that an array takes besides its numbers
LESSON = "Lesson: gradients_while_training."
NOT_REACHED = (
    "no backward pass of the training step reached it: the loss does not depend on it, an "
    "operation without a derivative stands between, or nothing is trainable, so that the step asks "
    "for no gradient"
)
NOT_FLOATING = "it returned no floating-point tensor, and only those have gradients"
NOT_UPDATED = (
    "the training step gave `self.optimizer` no gradient of it: the loss does not depend on it, or "
    "another optimizer updates it"
)


def tap(x: tf.Tensor, tell: Callable[[tf.Tensor], None], *anchors: tf.Tensor) -> tf.Tensor:
    """`gradient_tap`, which a tape follows, too, if it watches one of the anchors."""

    def forward(x, *anchors):
        def backward(gradient):
            tell(tf.convert_to_tensor(gradient))  # below a `tf.gather` it is an IndexedSlices
            return gradient, *map(tf.zeros_like, anchors)

        return tf.identity(x), backward

    return tf.custom_gradient(forward)(x, *anchors)


class StepCapture(Capture):
    """Taps layers while a training step runs, and keeps the gradients its tapes send back."""

    def __init__(self, layers, anchor):
        super().__init__(self, layers)  # it is its own tape, which needs to watch nothing
        self.anchor = anchor
        self.told = {}  # (layer, call, place in the call's outputs) → gradients, one a pass
        self.weights = []  # (variable, gradient), as given to the optimizer
        self.loss_scaled = False

    def watch(self, tensors):
        pass

    def keep(self, layer, outputs):
        kept = super().keep(layer, outputs)
        if kept is outputs:  # not asked for, or out of reach
            return outputs
        call = len(self.calls[id(layer)]) - 1
        places = keras.tree.flatten_with_path(kept)
        leaves = [self._tapped(leaf, (id(layer), call, place)) for place, leaf in places]
        return keras.tree.pack_sequence_as(kept, leaves)

    def _tapped(self, leaf, key):
        if not differentiable(leaf):
            return leaf
        told = self.told[key] = []
        copy = tap(leaf, told.append, self.anchor.value())
        carry_notes(leaf, copy)
        return copy

    def activation_gradients(self, paths, wanted, named, missing):
        """Return `{key: gradient}` and `{key: why there is none}`.

        A key is the layer's path, with `[call]` and the place in its outputs if there are more.
        """
        places = {path: [key for key in self.told if key[0] == id(paths[path])] for path in wanted}
        missing = {
            path: missing.get(path) or self.reason(paths[path]) or (not keys and NOT_FLOATING)
            for path, keys in places.items()
        }
        refuse(named, missing)
        found, why_none = {}, {path: reason for path, reason in missing.items() if reason}
        for path, keys in places.items():
            for key in keys:
                label = path if len(keys) == 1 else f"{path}{_brackets(key)}"
                if self.told[key]:
                    found[label] = tf.add_n(self.told[key])
                else:
                    why_none[label] = NOT_REACHED
            if path in named and keys and not any(self.told[key] for key in keys):
                refuse([path], {path: NOT_REACHED})
        return found, why_none

    def weight_gradients(self, names):
        """Return `{path: gradient}` for the variables named in `{id: path}`, and why others miss.

        A variable that was updated several times has a path for each update, with `[number]`.
        """
        if not self.weights:
            raise ValueError(
                f"GradientRecorder(weights=True) saw no gradient of a weight: this `train_step` "
                f"gave none to `self.optimizer`. Call `self.optimizer.apply(gradients, "
                f"self.trainable_variables)` in it, or record layers only. {LESSON}"
            )
        updates = {path: [] for path in names.values()}
        for variable, gradient in self.weights:
            if gradient is None or id(variable) not in names:
                continue
            if getattr(gradient, "graph", None) is not self.graph:
                raise ValueError(
                    f"GradientRecorder(weights=True): this `train_step` gives its optimizer the "
                    f"gradients inside a `tf.function` or loop of its own, out of which they "
                    f"cannot be handed. Take that `tf.function` away: `fit` compiles the whole "
                    f"step. {LESSON}"
                )
            # An embedding's gradient is an IndexedSlices.
            updates[names[id(variable)]].append(tf.convert_to_tensor(gradient))
        found = {
            path if len(gradients) == 1 else f"{path}[{n}]": gradient
            for path, gradients in updates.items()
            for n, gradient in enumerate(gradients)
        }
        return found, {path: NOT_UPDATED for path, gradients in updates.items() if not gradients}


def _brackets(key):
    _, call, place = key
    return "".join(f"[{step!r}]" for step in (call, *place))


_this_thread = threading.local()  # .step: the StepCapture of the replica that runs in this thread


@contextlib.contextmanager
def current(step: StepCapture):
    """Within, what this thread's optimizer is given belongs to this step."""
    _this_thread.step = step
    try:
        with step.taps():
            yield
    finally:
        _this_thread.step = None


@contextlib.contextmanager
def overheard(optimizer):
    """Within, the current step hears what the optimizer is given, and whether it scales a loss."""

    def apply(grads, trainable_variables=None):
        variables = trainable_variables
        if variables is None:
            variables = optimizer._trainable_variables
        step = getattr(_this_thread, "step", None)
        if step:
            grads, variables = list(grads), list(variables)
            step.weights += zip(variables, grads, strict=True)
        return methods["apply"](grads, trainable_variables)

    def scale_loss(loss):
        step = getattr(_this_thread, "step", None)
        if step:
            step.loss_scaled = True
        return methods["scale_loss"](loss)

    if optimizer is None:  # the step has its own
        yield
        return
    methods = {"apply": optimizer.apply, "scale_loss": optimizer.scale_loss}
    own = {name: vars(optimizer).get(name) for name in methods}
    # Written past `__setattr__`, in which Keras tracks what an optimizer is given.
    vars(optimizer).update(apply=apply, scale_loss=scale_loss)
    try:
        yield
    finally:
        for name, method in own.items():
            if method is None:
                del vars(optimizer)[name]
            else:
                vars(optimizer)[name] = method


@contextlib.contextmanager
def single_steps(model):
    """Within, the model's train function runs one batch a call. Gives how many it would run."""
    steps = model.steps_per_execution
    if steps == 1:
        yield 1
        return
    model.steps_per_execution = 1
    try:
        yield steps
    finally:
        model.steps_per_execution = steps


def unscaled(gradient, scale):
    """The gradient in at least float32, divided by the factor of the loss."""
    if gradient.dtype in (tf.float16, tf.bfloat16):
        gradient = tf.cast(gradient, tf.float32)
    return gradient if scale is None else gradient / tf.cast(scale, gradient.dtype)


def loss_scale(optimizer):
    """The factor by which this optimizer scales losses, as a tensor, or None."""
    scales = isinstance(optimizer, keras.mixed_precision.LossScaleOptimizer)
    if scales or getattr(optimizer, "loss_scale_factor", None):
        return tf.convert_to_tensor(optimizer.scale_loss(tf.ones(())))
    return None


def warn_unscaled():
    warnings.warn(
        f"This `train_step` did not call `self.optimizer.scale_loss(loss)`, but its optimizer "
        f"divides every gradient by the loss scale, so that the updates are too small by that "
        f"factor. Scale the loss before `tape.gradient`. {LESSON}",
        stacklevel=2,
    )


def norm(gradient):
    """The square root of the sum of all squares, in float64."""
    size = tf.abs(gradient)
    size = tf.cast(size, tf.float32) if size.dtype.size < 4 else size
    squares = tf.cast(tf.reduce_sum(tf.square(size)), tf.float64)
    # A gradient that vanishes, 1e-20 say, has squares below any float32: double precision, but
    # only then, since it costs a few per cent of a convolutional network's step.
    return tf.sqrt(
        tf.cond(
            (squares > 1e-20) & (squares < 1e30),
            lambda: squares,
            lambda: tf.reduce_sum(tf.square(tf.cast(size, tf.float64))),
        )
    )


REDUCE = {"norm": norm, "mean": tf.reduce_mean, "full": tf.identity}


def check_arguments(reduce, limit):
    if not callable(reduce) and reduce not in list(REDUCE):
        raise ValueError(
            f"GradientRecorder(reduce={reduce!r}): that is none of {', '.join(map(repr, REDUCE))}. "
            f"Choose one, or pass a function of TensorFlow operations from a gradient to what "
            f"should be kept, such as `lambda g: tf.reduce_max(tf.abs(g), axis=0)`. {LESSON}"
        )
    if not isinstance(limit, numbers.Real):
        raise TypeError(
            f"GradientRecorder(limit={limit!r}): `limit` is the number of bytes that the history "
            f"may take. Pass a number, such as 64 * 2**20, or `math.inf` for no limit. {LESSON}"
        )


def reduced(reduce, gradient):
    """What is kept of a gradient, which must be a tensor to leave the compiled step."""
    try:
        kept = reduce(gradient)
    except (AttributeError, NotImplementedError) as error:  # of NumPy, or of `.numpy()`
        kept = error
    if not tf.is_tensor(kept):
        raise TypeError(
            f"GradientRecorder's `reduce` gave {kept!r:.80}, which is not a tensor, and only "
            f"tensors leave a compiled step. It must be made of TensorFlow operations and return "
            f"one tensor, such as `lambda g: tf.reduce_max(tf.abs(g), axis=0)`. {LESSON}"
        ) from (kept if isinstance(kept, Exception) else None)
    return kept


def check_step(model):
    own_function = isinstance(model.train_step, tf.types.experimental.PolymorphicFunction)
    if own_function and not tf.config.functions_run_eagerly():
        raise ValueError(
            f"The `train_step` of {model.name!r} is a `tf.function`, and a tensor of its own graph "
            f"cannot be handed out. Take the `tf.function` away: `fit` compiles the step by "
            f"itself. {LESSON}"
        )


def rows_of_all(gradients):
    """Gradients for outputs, in any structure, with the replicas' rows one after the other."""
    context = tf.distribute.get_replica_context()
    if context.num_replicas_in_sync == 1:
        return gradients
    # Every replica takes part in every exchange, in one order: that of `tf.nest`.
    return tf.nest.map_structure(
        lambda g: g if g is None else context.all_gather(g, axis=0), gradients
    )


def sum_of_all(gradients):
    """Gradients for weights, or shares of a loss, in any structure, added up over the replicas."""
    context = tf.distribute.get_replica_context()
    if context.num_replicas_in_sync == 1:
        return gradients
    return context.all_reduce(tf.distribute.ReduceOp.SUM, gradients)


def nothing_found(layers, why_none):
    reasons = [*why_none.values(), "no layer has this path"]
    why = NOT_REACHED if NOT_REACHED in reasons else reasons[0]
    return (
        f"GradientRecorder({layers!r}) has nothing to record: {why}. Ask for layers that the loss "
        f"depends on, or for weights with `weights=True`. {LESSON}"
    )


def batch_too_large(size, limit):
    return (
        f"One batch of gradients takes {size:,} bytes, more than `limit` ({limit:,} bytes) allows "
        f'for the whole history. Record fewer layers, use `reduce="norm"`, or raise `limit`. '
        f"{LESSON}"
    )


def limit_reached(batches, limit):
    return (
        f"GradientRecorder's history has reached its limit of {limit:,} bytes after {batches} "
        f"batches. From now on the oldest tenth is forgotten each time it is full; `batches` says "
        f'which are left. To keep all, raise `limit` or use `reduce="norm"`. {LESSON}'
    )


def other_paths(history, arrays):
    differ = ", ".join(sorted(history.keys() ^ arrays.keys()))
    return (
        f"This batch's gradients are not for the same places as those before: {differ}. The "
        f"`train_step` takes another way through the model for some batches. Record only layers "
        f"that every batch passes. {LESSON}"
    )
