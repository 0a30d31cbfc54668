"""Gradients at the output of an RNN: what it returned, each of its steps, its initial state.

What an RNN returns is a copy, made after the last step: nothing inside the loop was computed from
it. The gradient with respect to the copy is partial, it counts what follows the layer. The
gradient with respect to a step's state is total, it counts the later steps as well.

Throughout, `target` maps what the RNN (or the model) returns to the scalar to differentiate, and
the layers run in inference mode.
"""

from collections.abc import Callable, Sequence
from typing import Any

import keras
import tensorflow as tf

from solutions import _capture_errors as errors
from solutions.intermediate_activations import layer_paths, value_and_gradients

LESSON = "Lesson: recurrent_outputs."


def returned_gradients(
    rnn: keras.layers.RNN, x: tf.Tensor, target: Callable[..., tf.Tensor]
) -> list[tf.Tensor]:
    """Partial gradients with respect to each tensor that one call of an RNN returns.

    Args:
        rnn: an RNN such as an LSTM, or a wrapper such as Bidirectional. A stateful one moves on.
        x: tensor or array, (batch, time, features).
        target: called with the returned tensors as its arguments: `target(output)`, or with
            `return_state=True` such as `target(output, h, c)`.

    Returns:
        One tensor for each returned tensor, of its shape and dtype: how the target changes with
        this one while the others stay. Zeros for one that the target does not use.

    Raises:
        ValueError: the target is not a scalar, or uses none of them.
    """
    with tf.GradientTape() as tape:
        # In eager code the returned tensors may be computed from one another; the copies are not.
        returned = [tf.identity(tensor) for tensor in keras.tree.flatten(rnn(x))]
        tape.watch(returned)
        value = value_of(target, returned)
    gradients = tape.gradient(value, returned)
    require_some(gradients, "returned_gradients", "what the RNN returned")
    return or_zeros(gradients, returned)


def time_step_gradients(
    rnn: keras.layers.RNN, x: tf.Tensor, target: Callable[..., tf.Tensor]
) -> tf.Tensor:
    """Total gradient with respect to what the RNN's cell returned at each time step.

    A tensor of zeros, the probe, is added to each step's output, and to the state that is the
    same tensor. Its gradient is the step's. This works inside a loop, for any number of steps.

    Args:
        rnn: a built SimpleRNN, GRU, LSTM or RNN of a cell of your own. A stateful one starts from
            its present states and keeps them.
        x: tensor or array, (batch, time, features).
        target: called with what `rnn(x)` returns, as its arguments.

    Returns:
        Tensor of shape (batch, time, units), in the order of the steps of `x`. Other states, such
        as an LSTM's `c`, are held fixed at the step itself; the later steps follow.

    Raises:
        TypeError: `rnn` is no `keras.layers.RNN`.
        ValueError: the RNN was never called, `x` is not a batch of sequences, the target is not a
            scalar or does not depend on the steps.
    """
    require_built_rnn(rnn, "time_step_gradients")
    mask = getattr(x, "_keras_mask", None)  # what a Masking layer says about its output
    x = tf.cast(x, rnn.compute_dtype)
    if x.shape.rank != 3:
        raise ValueError(
            f"time_step_gradients: x has shape {tuple(x.shape)}. The probe needs a batch of "
            "sequences of vectors, (batch, time, features). For one sequence of numbers: "
            f"x[tf.newaxis, :, tf.newaxis]. {LESSON}"
        )
    cell = ProbedCell(rnn.cell, getattr(rnn.cell, "output_size", rnn.state_size[0]))
    probed = keras.layers.RNN(
        cell,
        return_sequences=rnn.return_sequences,
        return_state=rnn.return_state,
        go_backwards=rnn.go_backwards,
        zero_output_for_mask=rnn.zero_output_for_mask,
        dtype=rnn.dtype_policy,
    )
    batch, steps, _ = tf.unstack(tf.shape(x))
    start = rnn.states if rnn.stateful else rnn.get_initial_state(batch)
    probe = tf.zeros([batch, steps, cell.output_size], x.dtype)
    with tf.GradientTape() as tape:
        tape.watch(probe)
        x_and_probe = tf.concat([x, probe], axis=-1)
        returned = probed(x_and_probe, initial_state=start, mask=mask)
        value = value_of(target, returned)
    gradient = tape.gradient(value, probe)
    require_some([gradient], "time_step_gradients", "the steps of the RNN")
    return gradient


class ProbedCell:
    """An RNN cell around another: its input is the other's input and, behind it, the probe."""

    def __init__(self, cell: Any, units: int):
        self.cell, self.state_size, self.output_size = cell, cell.state_size, units
        self.compute_dtype = cell.compute_dtype

    def __call__(self, inputs: tf.Tensor, states: Any) -> tuple[tf.Tensor, Any]:
        """One step: (batch, features + units) and the states in, output and states out."""
        output, states = self.cell(inputs[:, : -self.output_size], states)
        moved = output + inputs[:, -self.output_size :]
        # A cell that hands its output on as its state returns one tensor in two places.
        return moved, keras.tree.map_structure(lambda s: moved if s is output else s, states)

    call = __call__  # an RNN asks for this name


def cell_gradients(
    model: keras.Model, x: tf.Tensor, target: Callable[[Any], tf.Tensor], path: str
) -> list[Any]:
    """Partial gradients of each step of an RNN anywhere in a model, unrolled for this one pass.

    Args:
        model: any built Keras model with the RNN in it.
        x: what the model is called with; the number of time steps is known.
        target: called with the model's output.
        path: the RNN's path, a key of `layer_paths(model)`, such as `"encoder/lstm"`.

    Returns:
        One entry for each call of the cell, in the order in which the steps were read. Its
        structure is that of what the cell returns, such as `(output, [h, c])`: a gradient for
        each place. Where output and state are one tensor, their sum is the step's total gradient.
        Zeros for a place that the target does not depend on.

    Raises:
        TypeError: the layer is no `keras.layers.RNN`.
        ValueError: no layer has this path, or what `value_and_gradients` refuses.
    """
    paths = layer_paths(model)
    errors.choose(path, paths)
    rnn = paths[path]
    require_rnn(rnn, "cell_gradients")
    cell = f"{path}/{rnn.cell.name}"
    before, rnn.unroll = rnn.unroll, True
    try:
        found = value_and_gradients(model, x, target, weights=False, layers=cell)
    finally:
        rnn.unroll = before
    steps, gradients = found.activations[cell], found.activation_gradients[cell]
    flat = or_zeros(keras.tree.flatten(gradients), keras.tree.flatten(steps))
    return keras.tree.pack_sequence_as(steps, flat)


def initial_state_gradients(
    rnn: keras.layers.RNN,
    x: tf.Tensor,
    target: Callable[..., tf.Tensor],
    states: Sequence[tf.Tensor],
) -> list[tf.Tensor]:
    """Gradients with respect to the states that an RNN starts from.

    Args:
        rnn: a SimpleRNN, GRU, LSTM or RNN of a cell of your own. A stateful one moves on.
        x: tensor or array, (batch, time, features).
        target: called with what the RNN returns, as its arguments.
        states: the states to start from, each (batch, units): one for a SimpleRNN or GRU, `h` and
            `c` for an LSTM.

    Returns:
        One tensor for each state, of its shape and the layer's compute dtype. Zeros for a state
        that the target does not depend on.

    Raises:
        TypeError: `rnn` is no `keras.layers.RNN`.
        ValueError: the RNN has another number of states, the target is not a scalar or does not
            depend on the states.
    """
    require_rnn(rnn, "initial_state_gradients")
    # `[h, c]` is a list already; a single tensor is one state and not a list of rows.
    states = [tf.cast(state, rnn.compute_dtype) for state in keras.tree.flatten(states)]
    number = len(keras.tree.flatten(rnn.state_size))
    if len(states) != number:
        raise ValueError(
            f"initial_state_gradients got {len(states)} states, and {rnn.name!r} starts from "
            f"{number}: one for a SimpleRNN or GRU, `[h, c]` for an LSTM. "
            f"`rnn.get_initial_state(batch)` shows what they look like. {LESSON}"
        )
    with tf.GradientTape() as tape:
        tape.watch(states)
        returned = rnn(x, initial_state=keras.tree.pack_sequence_as(rnn.state_size, states))
        value = value_of(target, returned)
    gradients = tape.gradient(value, states)
    require_some(gradients, "initial_state_gradients", "the states it started from")
    return or_zeros(gradients, states)


def value_of(target: Callable[..., tf.Tensor], returned: Any) -> tf.Tensor:
    """The target's value for what an RNN returned; raise unless it is a floating-point scalar."""
    errors.check_target(target)
    return errors.checked_value(target(*keras.tree.flatten(returned)))


def or_zeros(
    gradients: Sequence[tf.Tensor | None], tensors: Sequence[tf.Tensor]
) -> list[tf.Tensor]:
    """The gradients, with zeros for None: what a target does not use does not move it."""
    pairs = zip(gradients, tensors, strict=True)
    return [tf.zeros_like(tensor) if found is None else found for found, tensor in pairs]


def require_some(gradients: Sequence[tf.Tensor | None], called: str, what: str) -> None:
    """Raise a ValueError if every gradient is None."""
    if all(gradient is None for gradient in gradients):
        raise ValueError(
            f"{called}: the tape returned None. The target was not computed from {what}: compute "
            "it from the arguments that it is called with, by TensorFlow operations that have "
            f"derivatives. {LESSON}"
        )


def require_rnn(rnn: Any, called: str) -> None:
    """Raise a TypeError unless the layer is an RNN with a cell."""
    if not isinstance(rnn, keras.layers.RNN):
        raise TypeError(
            f"{called}: {getattr(rnn, 'name', rnn)!r} is a {type(rnn).__name__}, and only a "
            "keras.layers.RNN (SimpleRNN, GRU, LSTM) has a cell that runs once a time step. For a "
            f"Bidirectional or TimeDistributed layer, pass the RNN inside it. {LESSON}"
        )


def require_built_rnn(rnn: Any, called: str) -> None:
    """Raise unless the layer is an RNN that has its weights."""
    require_rnn(rnn, called)
    if not rnn.built:
        raise ValueError(
            f"{called}: {rnn.name!r} was never called, so its weights do not exist yet. Call it "
            f"once on data of the right shape: rnn(x). {LESSON}"
        )
