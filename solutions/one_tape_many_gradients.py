"""Several gradients from one recording: in one call, from a persistent tape, or one of the other.

A `tf.GradientTape` keeps the tensors that the way back will need. Unless it is persistent, its
first `gradient` (or `jacobian`) uses the record up, and the memory is free again.
"""

import weakref
from collections.abc import Callable, Sequence
from typing import Any

import tensorflow as tf

from solutions.unwatched_tensor import backing_variable, require_floating

LESSON = "Lesson: one_tape_many_gradients."
Step = Callable[[tf.Tensor], tf.Tensor]


def gradients_along(steps: Sequence[Step], x: tf.Tensor) -> list[tf.Tensor]:
    """Gradients of `sum(last output)` with respect to what each step receives, in one call.

    Args:
        steps: differentiable functions of one tensor (layers, say), applied one after the other.
        x: what the first step receives; floating-point, of any shape.

    Returns:
        For each step a tensor of the shape and dtype of its argument; the first is that of `x`.

    Raises:
        TypeError: `x`, or what a step returns, is no floating-point tensor.
        ValueError: a step's output does not depend on its argument through recorded operations.
    """
    value, received = tf.convert_to_tensor(x), []
    require_floating(value, "gradients_along")
    with tf.GradientTape() as tape:
        for place, step in enumerate(steps):
            tape.watch(value)
            received.append(value)
            value = step(value)
            require_tensor(value, f"gradients_along, the output of steps[{place}]")
    gradients = tape.gradient(value, received)
    broken = [place for place, gradient in enumerate(gradients) if gradient is None]
    if broken:
        raise ValueError(
            f"gradients_along: the gradient before steps[{broken[-1]}] came back None. That step "
            "did not compute its output from its argument by recorded operations. Use the argument "
            f"itself, and differentiable TensorFlow operations only. {LESSON}"
        )
    return gradients


def gradients_of_each(losses: Callable[[], dict[str, tf.Tensor]], sources: Any) -> dict[str, Any]:
    """Gradients of several losses, each for itself, from one forward pass.

    Args:
        losses: takes no arguments; returns each loss, a scalar, under its name.
        sources: a list or dict of floating-point tensors, `tf.Variable`s or Keras variables.

    Returns:
        For each loss's name its gradients, arranged as `sources`; None where it uses no such
        source.

    Raises:
        TypeError: `losses()` is no dict, or a source is not floating-point.
        ValueError: a loss is no scalar.
    """
    sources = tf.nest.map_structure(backing_variable, sources)
    with tf.GradientTape(persistent=True) as tape:
        for source in tf.nest.flatten(sources):
            require_tensor(source, "gradients_of_each")
            tape.watch(source)
        values = losses()
    require_scalars(values)
    return {name: tape.gradient(value, sources) for name, value in values.items()}


def gradient_penalty(critic: Any, x: tf.Tensor) -> tuple[tf.Tensor, list[tf.Tensor | None]]:
    """How far the critic's slopes are from length 1, and this penalty's own gradients.

    The penalty is `mean((length(d sum(critic(x)) / dx[i]) - 1)²)` over the examples `i`
    (Gulrajani et al. 2017, "Improved Training of Wasserstein GANs", equation 3).

    Args:
        critic: a Keras model or layer in which no example influences another one.
        x: floating-point tensor of shape (batch, *inputs).

    Returns:
        The scalar penalty, and a list in the order and shapes of `critic.trainable_variables`;
        None for a variable that does not change the slopes, as the last bias.

    Raises:
        TypeError: `x` is not floating-point.
        ValueError: `x` has no axis for the batch, or the critic's output does not depend on it.
    """
    x = tf.convert_to_tensor(x)
    require_floating(x, "gradient_penalty")
    if x.shape.rank == 0:
        raise ValueError(
            "gradient_penalty: x has shape (). The penalty is a mean over examples, and the first "
            f"axis of x counts them. Pass a batch: x[None], for instance. {LESSON}"
        )
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            inner.watch(x)
            scores = critic(x)
        slopes = inner.gradient(scores, x)
        if slopes is None:
            raise ValueError(
                "gradient_penalty: the slopes came back None. The critic did not compute its "
                "scores from x by recorded operations. Use the argument itself in the critic, and "
                f"TensorFlow operations only. {LESSON}"
            )
        squares = tf.reduce_sum(tf.reshape(slopes, [x.shape[0], -1]) ** 2, axis=1)
        lengths = tf.sqrt(squares + 1e-12)  # the derivative of sqrt is infinite at 0
        penalty = tf.reduce_mean((lengths - 1.0) ** 2)
    return penalty, outer.gradient(penalty, critic.trainable_variables)


def run_and_forget(steps: Sequence[Step], x: tf.Tensor) -> tuple[tf.Tensor, Callable[[], int]]:
    """Run the steps one after the other and hold on to the last output only. Eager mode.

    Args:
        steps: functions of one tensor that return a new tensor each.
        x: what the first step receives.

    Returns:
        The last output, and a function that counts how many of the other outputs are still in
        memory: because a tape keeps them, or somebody else does.

    Raises:
        TypeError: a step returned no tensor.
    """
    value, references = x, []
    for place, step in enumerate(steps):
        value = step(value)
        if not tf.is_tensor(value):
            raise TypeError(
                f"run_and_forget: steps[{place}] returned a {type(value).__name__}, no tensor. A "
                "tape keeps tensors only, so there is nothing to count. Let the step return one "
                f"tensor. {LESSON}"
            )
        references.append(weakref.ref(value))
    return value, lambda: sum(reference() is not None for reference in references[:-1])


def require_tensor(source: object, called: str) -> None:
    """Raise a TypeError unless the source is a floating-point tensor or variable."""
    if not tf.is_tensor(source):  # which a variable is, too
        raise TypeError(
            f"{called}: got a {type(source).__name__}. A tape can watch a tensor or a variable "
            f"only. Make it one with tf.constant(...), before it is used. {LESSON}"
        )
    require_floating(source, called)


def require_scalars(values: object) -> None:
    """Raise unless the losses are a dict of scalars."""
    if not isinstance(values, dict):
        raise TypeError(
            f"gradients_of_each: losses() returned a {type(values).__name__}, no dict. The "
            'gradients are handed back under the losses\' names. Return {"name": loss, ...}. '
            f"{LESSON}"
        )
    for name, value in values.items():
        shape = tuple(tf.convert_to_tensor(value).shape)
        if shape != ():
            raise ValueError(
                f"gradients_of_each: the loss {name!r} has shape {shape}. A tape would add up its "
                f"elements silently. Say which number you mean: tf.reduce_mean(...). {LESSON}"
            )
