"""Gradients that exist and are wrong: zeros, NaN, and numbers of the wrong size.

A gradient is a product of local derivatives. One factor of 0 makes it zero, a factor of infinity
times 0 makes it NaN, and a factor that nobody divides out again makes it too large.
"""

from collections.abc import Callable, Sequence

import keras
import numpy as np
import tensorflow as tf

from solutions.unwatched_tensor import require_floating

LESSON = "Lesson: not_none_but_wrong."


def cross_entropy_gradient(logits: tf.Tensor, labels: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
    """Mean over the rows of `-sum(labels * log(softmax(logits)))`, and its gradient.

    Both stay finite and true for logits of any size. A row whose labels are all zero, padding
    say, adds 0 to the loss and has a gradient of 0. Formula of the logarithm:
    `log(softmax(z)) = z - max(z) - log(sum(exp(z - max(z))))`.

    Args:
        logits: floating-point tensor of shape (rows, classes).
        labels: the same shape and dtype; a row holds the weights of the classes.

    Returns:
        The loss, a scalar, and its gradient with respect to `logits`, in the shape of `logits`.

    Raises:
        TypeError: `logits` is not floating-point.
        ValueError: the shapes differ.
    """
    logits, labels = tf.convert_to_tensor(logits), tf.convert_to_tensor(labels)
    require_floating(logits, "cross_entropy_gradient")
    if logits.shape != labels.shape:
        raise ValueError(
            f"cross_entropy_gradient(logits, labels) got logits of shape {tuple(logits.shape)} and "
            f"labels of shape {tuple(labels.shape)}. Each class of each row needs its label: turn "
            f"class numbers into rows with tf.one_hot(labels, {logits.shape[-1]}). {LESSON}"
        )
    with tf.GradientTape() as tape:
        tape.watch(logits)
        per_row = -tf.reduce_sum(labels * tf.nn.log_softmax(logits), axis=-1)
        loss = tf.reduce_mean(per_row)
    return loss, tape.gradient(loss, logits)


def where_safe(
    allowed: tf.Tensor,
    function: Callable[[tf.Tensor], tf.Tensor],
    x: tf.Tensor,
    safe: float = 1.0,
    otherwise: float = 0.0,
) -> tf.Tensor:
    """`function(x)` where `allowed`, `otherwise` elsewhere, and a gradient of 0 elsewhere.

    The function never sees the entries that are not allowed: it gets `safe` in their place. A
    `tf.where` around `function(x)` alone would multiply 0 by their infinite derivative.

    Args:
        allowed: boolean tensor of the shape of `x`.
        function: acts on each entry by itself, such as `tf.sqrt` or `tf.math.log`.
        x: floating-point tensor.
        safe: what the function gets for the others. The result is the same for any number; one
            at which the function is finite keeps `tf.debugging.enable_check_numerics` quiet.
        otherwise: the value of the entries that are not allowed.

    Returns:
        Tensor of the shape and dtype of `x`.

    Raises:
        TypeError: `x` is not floating-point, or `allowed` is not boolean.
    """
    x, allowed = tf.convert_to_tensor(x), tf.convert_to_tensor(allowed)
    require_floating(x, "where_safe")
    if allowed.dtype != tf.bool:
        raise TypeError(
            f"where_safe(allowed, function, x): allowed has dtype {allowed.dtype.name}. It says "
            f"for each entry whether the function may see it: pass a comparison, x > 0. {LESSON}"
        )
    inside = tf.where(allowed, x, tf.constant(safe, x.dtype))
    return tf.where(allowed, function(inside), tf.constant(otherwise, x.dtype))


def entropy_gradient(probabilities: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
    """Entropy `-sum(p * log(p))` of each row, and the gradient of their sum.

    A probability of 0 adds 0 to the entropy, the limit of `p * log(p)`; its gradient is set to 0.

    Args:
        probabilities: floating-point tensor of shape (rows, classes), entries from 0 to 1.

    Returns:
        Tensors of shape (rows,) and (rows, classes). The gradient is `-log(p) - 1` where p > 0.

    Raises:
        TypeError: `probabilities` is not floating-point.
    """
    probabilities = tf.convert_to_tensor(probabilities)
    require_floating(probabilities, "entropy_gradient")
    with tf.GradientTape() as tape:
        tape.watch(probabilities)
        terms = where_safe(probabilities > 0, lambda p: p * tf.math.log(p), probabilities)
        entropy = -tf.reduce_sum(terms, axis=-1)
    return entropy, tape.gradient(entropy, probabilities)


def verdicts_along(steps: Sequence[Callable[[tf.Tensor], tf.Tensor]], x: tf.Tensor) -> list[str]:
    """In a word, the gradient of `sum(last value)` with respect to the input of each step.

    Read the answer from its end: the step at which "value" turns into something else is where
    the gradient is lost.

    Args:
        steps: functions of one tensor each, in the order in which they are applied.
        x: floating-point tensor, the first step's input.

    Returns:
        A word for each step: "None"; "NaN" or "inf" if an entry is (NaN first); "zeros" if every
        entry is zero; else "value".

    Raises:
        TypeError: `x` is not floating-point.
    """
    x = tf.convert_to_tensor(x)
    require_floating(x, "verdicts_along")
    inputs = []
    with tf.GradientTape() as tape:
        tape.watch(x)
        for step in steps:
            inputs.append(x)
            x = step(x)
    return [verdict(gradient) for gradient in tape.gradient(x, inputs)]


def verdict(gradient: tf.Tensor | tf.IndexedSlices | None) -> str:
    """What a gradient is, in a word: "None", "NaN", "inf", "zeros" or "value"."""
    if gradient is None:
        return "None"
    numbers = tf.convert_to_tensor(gradient).numpy()
    if np.isnan(numbers).any():
        return "NaN"
    if np.isinf(numbers).any():
        return "inf"
    return "value" if numbers.any() else "zeros"


def scaled_step(
    model: keras.Model,
    optimizer: keras.optimizers.Optimizer,
    loss_function: Callable[[tf.Tensor, tf.Tensor], tf.Tensor],
    x: tf.Tensor,
    labels: tf.Tensor,
) -> tuple[tf.Tensor, list[tf.Tensor]]:
    """One training step with an optimizer that may scale the loss, and the weights after it.

    A `LossScaleOptimizer` divides the gradients by its scale before it applies them, so they have
    to be gradients of the scaled loss. Any other Keras optimizer leaves the loss as it is.

    Args:
        model: a Keras model, called with `training=True`.
        optimizer: a Keras optimizer.
        loss_function: takes `(labels, outputs)` and returns a scalar.
        x: one batch, as the model takes it.
        labels: what `loss_function` takes.

    Returns:
        The loss itself, unscaled, and the new values of `model.trainable_variables`.

    Raises:
        TypeError: the optimizer has no `scale_loss`.
    """
    if not hasattr(optimizer, "scale_loss"):
        raise TypeError(
            f"scaled_step: the optimizer is a {type(optimizer).__name__} without `scale_loss`. "
            "Every Keras 3 optimizer has one, and it decides whether the loss is scaled. Pass "
            f"such a one, keras.optimizers.SGD() for instance. {LESSON}"
        )
    weights = model.trainable_variables
    with tf.GradientTape() as tape:
        loss = loss_function(labels, model(x, training=True))
        scaled = optimizer.scale_loss(loss)
    optimizer.apply(tape.gradient(scaled, weights), weights)
    return loss, [tf.convert_to_tensor(weight) for weight in weights]
