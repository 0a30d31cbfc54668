"""Gradients whose whole chain, from source to target, is computed while the tape records.

A `tf.GradientTape` records operations between entering and leaving its block. Whatever is
computed before, after or in another call is a constant to it, however it came about.
"""

from collections.abc import Callable, Sequence
from typing import Any

import keras
import tensorflow as tf

from solutions.unwatched_tensor import input_gradient, require_floating

LESSON = "Lesson: outside_the_tape."


def step_gradients(
    model: keras.Model,
    loss_function: Callable[[tf.Tensor, tf.Tensor], tf.Tensor],
    x: tf.Tensor,
    labels: tf.Tensor,
) -> tuple[tf.Tensor, list[tf.Tensor]]:
    """Total loss of one training batch, and its gradient for every trainable weight.

    Args:
        model: a Keras model, called with `training=True`; its `losses` (regularisation
            penalties, say) are added to the batch's loss.
        loss_function: takes `(labels, outputs)` and returns a scalar.
        x: one batch, as the model takes it.
        labels: what `loss_function` takes.

    Returns:
        The scalar total, and a list in the order and shapes of `model.trainable_variables`.

    Raises:
        ValueError: the loss is no scalar, or does not depend on some of the weights.
    """
    with tf.GradientTape() as tape:
        loss = tf.convert_to_tensor(loss_function(labels, model(x, training=True)))
        require_scalar(loss)
        total = tf.add_n([loss, *model.losses])
    gradients = tape.gradient(total, model.trainable_variables)
    missing = [
        v.path for v, g in zip(model.trainable_variables, gradients, strict=True) if g is None
    ]
    if missing:
        raise ValueError(
            f"step_gradients: the gradient came back None for {', '.join(missing)}. Inside the "
            "block the loss was not computed from these weights. Let loss_function use the outputs "
            f"it is given, with TensorFlow operations, and nothing computed earlier. {LESSON}"
        )
    return total, gradients


def column_gradient(
    model: Callable[[tf.Tensor], tf.Tensor], x: tf.Tensor, column: int
) -> tf.Tensor:
    """Gradient of `sum(model(x)[..., column])`, one column of the output, with respect to `x`.

    Args:
        model: a differentiable function of one tensor, such as a Keras model.
        x: floating-point tensor or array of any shape.
        column: an index of the output's last axis (a class, a channel).

    Returns:
        Tensor of the shape and dtype of `x`.

    Raises:
        IndexError: the output has no such column.
        TypeError, ValueError: as `input_gradient`.
    """
    return input_gradient(
        lambda x: entry(model(x), (..., column), f"column_gradient: there is no column {column!r}"),
        x,
    )


def part_gradient(function: Callable[[tf.Tensor], tf.Tensor], x: tf.Tensor, part: Any) -> tf.Tensor:
    """Gradient of `sum(function(x))` with respect to `x[part]`, the rest of `x` held fixed.

    Args:
        function: a differentiable function of the whole of `x`.
        x: floating-point tensor or array of any shape.
        part: what you would write in the brackets of `x[...]`: an integer, a slice, a tuple.

    Returns:
        Tensor of the shape and dtype of `x[part]`.

    Raises:
        IndexError: `x` has no such part.
        TypeError, ValueError: as `input_gradient`.
    """
    x = tf.convert_to_tensor(x)
    entry(x, part, f"part_gradient: there is no x[{part!r}]")
    return input_gradient(function, x)[part]


def same_pass_gradient(
    layers: Sequence[Callable[[tf.Tensor], tf.Tensor]], x: tf.Tensor, number: int
) -> tuple[tf.Tensor, tf.Tensor]:
    """Output of `layers[number]`, and the gradient of `sum(last output)` with respect to it.

    Each layer is called once: the activation is the one from which the last output was computed.

    Args:
        layers: differentiable functions of one tensor, applied one after the other.
        x: the first layer's input.
        number: an index of `layers`, from 0.

    Returns:
        Two tensors of the shape and dtype of the layer's output.

    Raises:
        IndexError: there is no such layer.
        TypeError: the layer's output is no floating-point tensor.
        ValueError: the last output does not depend on it through recorded operations.
    """
    if not 0 <= number < len(layers):
        raise IndexError(
            f"same_pass_gradient: there is no layers[{number}] in a list of {len(layers)}. "
            f"Count from 0 to {len(layers) - 1}. {LESSON}"
        )
    value = x
    with tf.GradientTape() as tape:
        for place, layer in enumerate(layers):
            value = layer(value)
            if place == number:
                activation = value
                require_tensor(activation, number)
                tape.watch(activation)  # it may not depend on any variable
    gradient = tape.gradient(value, activation)
    if gradient is None:
        raise ValueError(
            f"same_pass_gradient: the gradient at layers[{number}] came back None. A layer after "
            "it did not compute its output from its argument by recorded operations. Use the "
            f"argument itself, and TensorFlow operations only. {LESSON}"
        )
    return activation, gradient


def require_scalar(loss: tf.Tensor) -> None:
    """Raise a ValueError unless the loss is one number."""
    if loss.shape.rank != 0:
        raise ValueError(
            f"step_gradients: loss_function returned a tensor of shape {tuple(loss.shape)}. The "
            "model's penalties can be added once to one number only. Return the mean of the "
            f"batch: tf.reduce_mean(...). {LESSON}"
        )


def entry(tensor: tf.Tensor, part: Any, complaint: str) -> tf.Tensor:
    """`tensor[part]`, or an IndexError that begins with `complaint` and names the shape."""
    try:
        return tensor[part]
    except (tf.errors.InvalidArgumentError, TypeError, ValueError) as error:
        raise IndexError(
            f"{complaint}; the tensor's shape is {tuple(tensor.shape)}. Ask for an integer or a "
            f"slice inside that shape; Python counts from 0. {LESSON}"
        ) from error


def require_tensor(output: object, number: int) -> None:
    """Raise a TypeError unless a layer's output is one floating-point tensor."""
    if not tf.is_tensor(output):
        raise TypeError(
            f"same_pass_gradient: layers[{number}] returned a {type(output).__name__}, no tensor. "
            "A tape watches one tensor at a time and cannot follow arrays. Let the layer return "
            f"one tensor, made by TensorFlow operations. {LESSON}"
        )
    require_floating(output, "same_pass_gradient")
