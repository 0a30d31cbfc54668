"""Operations without a useful derivative, and what to use in their place.

What a tape answers for about 200 operations was recorded in `data/op_gradients.json`.
"""

from collections.abc import Callable

import numpy as np
import tensorflow as tf

from solutions.unwatched_tensor import require_floating

LESSON = "Lesson: not_differentiable."
VERDICTS = ("value", "zeros", "None", "LookupError", "NaN", "inf")


def tape_verdict(function: Callable[[tf.Tensor], tf.Tensor], x: tf.Tensor) -> str:
    """What a tape gives for the gradient of `sum(function(x))` with respect to `x`, in a word.

    Args:
        function: takes one tensor; its value (integers, booleans) is cast to the dtype of `x`.
        x: floating-point tensor or array of any shape.

    Returns:
        "None"; "LookupError" if the tape raises one; "NaN" or "inf" if an entry of the gradient
        is (NaN first); "zeros" if every entry is zero; else "value".

    Raises:
        TypeError: `x` is not floating-point.
    """
    x = tf.convert_to_tensor(x)
    require_floating(x, "tape_verdict")
    with tf.GradientTape() as tape:
        tape.watch(x)
        value = tf.cast(function(x), x.dtype)
    try:
        gradient = tape.gradient(value, x)
    except LookupError:
        return "LookupError"
    if gradient is None:
        return "None"
    gradient = np.asarray(tf.convert_to_tensor(gradient))
    if np.isnan(gradient).any():
        return "NaN"
    if np.isinf(gradient).any():
        return "inf"
    return "value" if gradient.any() else "zeros"


def straight_through(function: Callable[[tf.Tensor], tf.Tensor], x: tf.Tensor) -> tf.Tensor:
    """`function(x)`, with the gradient of `x` itself: a straight-through estimator.

    Source: Bengio, Léonard and Courville (2013), https://arxiv.org/abs/1308.3432.

    Args:
        function: keeps the shape, and need not be differentiable: `tf.round`, a threshold.
        x: floating-point tensor or array of any shape, with finite entries.

    Returns:
        The values of `function(x)`, in the dtype of `x`.

    Raises:
        TypeError: `x` is not floating-point.
        ValueError: `function(x)` has another shape than `x`.
    """
    x = tf.convert_to_tensor(x)
    require_floating(x, "straight_through")
    value = tf.convert_to_tensor(function(x))
    if value.shape != x.shape:
        raise ValueError(
            f"straight_through(function, x): function(x) has the shape {value.shape} for an x of "
            f"shape {x.shape}. Its gradient is handed on entry by entry, so the shapes must agree. "
            "Use a function that keeps the shape: tf.one_hot of the argmax instead of the argmax, "
            f"for instance. {LESSON}"
        )
    nothing = x - tf.stop_gradient(x)  # exactly zero; its derivative is one
    return tf.stop_gradient(tf.cast(value, x.dtype)) + nothing


def gradient_straight_through(
    function: Callable[[tf.Tensor], tf.Tensor],
    tail: Callable[[tf.Tensor], tf.Tensor],
    x: tf.Tensor,
) -> tuple[tf.Tensor, tf.Tensor]:
    """`tail(function(x))` and its gradient for `x`, as if the derivative of `function` were one.

    Args:
        function: keeps the shape of `x`; its own derivative, if it has one, is not used.
        tail: a differentiable function of what `function` returns; summed if it is no scalar.
        x: floating-point tensor or array of any shape, with finite entries.

    Returns:
        value: `tail(function(x))`.
        gradient: of the shape and dtype of `x`; the tail's gradient at `function(x)`.

    Raises:
        TypeError: `x` is not floating-point.
        ValueError: `function(x)` has another shape than `x`.
    """
    x = tf.convert_to_tensor(x)
    with tf.GradientTape() as tape:
        tape.watch(x)
        value = tail(straight_through(function, x))
    return value, tape.gradient(value, x)


def one_hot_choice(logits: tf.Tensor) -> tf.Tensor:
    """One-hot of the largest logit of each row, with the gradient of the row's softmax.

    Args:
        logits: floating-point tensor of shape (..., classes).

    Returns:
        Tensor of the shape and dtype of `logits`: a one at the (first) largest, zeros elsewhere.

    Raises:
        TypeError: `logits` are not floating-point.
    """
    logits = tf.convert_to_tensor(logits)
    require_floating(logits, "one_hot_choice")

    def choose(probabilities):
        return tf.one_hot(tf.argmax(logits, axis=-1), logits.shape[-1])

    return straight_through(choose, tf.nn.softmax(logits))


def soft_f1(truth: tf.Tensor, probability: tf.Tensor) -> tf.Tensor:
    """The F1 score with expected counts in place of counts: 2 Σtp / (Σt + Σp).

    For probabilities that are all 0 or 1 it is the F1 score itself.

    Args:
        truth: zeros and ones, or probabilities, of any shape and dtype.
        probability: floating-point tensor of the same shape, between 0 and 1.

    Returns:
        Scalar of the dtype of `probability`; 0 if both are zero throughout.

    Raises:
        TypeError: `probability` is not floating-point.
        ValueError: the two shapes differ.
    """
    truth, probability = tf.convert_to_tensor(truth), tf.convert_to_tensor(probability)
    if not probability.dtype.is_floating:
        raise TypeError(
            f"soft_f1(truth, probability): probability has dtype {probability.dtype.name}. Labels "
            "that were already chosen have no gradient. Pass the model's probabilities, as they "
            f"are before the threshold or the argmax. {LESSON}"
        )
    if truth.shape != probability.shape:
        raise ValueError(
            f"soft_f1(truth, probability) got the shapes {truth.shape} and {probability.shape}. "
            "They would be broadcast, and each truth counted several times. Reshape one of them: "
            f"tf.reshape(truth, probability.shape). {LESSON}"
        )
    truth = tf.cast(truth, probability.dtype)
    hits = tf.reduce_sum(truth * probability)
    return tf.math.divide_no_nan(2 * hits, tf.reduce_sum(truth) + tf.reduce_sum(probability))


def soft_f1_and_gradient(truth: tf.Tensor, probability: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
    """The F1 score with expected counts, and its gradient for the probabilities.

    The score is 2 Σ truth · probability / (Σ truth + Σ probability).

    Args:
        truth: zeros and ones, of any shape and dtype.
        probability: floating-point tensor of the same shape, between 0 and 1.

    Returns:
        score: scalar of the dtype of `probability`.
        gradient: of the shape and dtype of `probability`.

    Raises:
        TypeError: `probability` is not floating-point.
        ValueError: the two shapes differ.
    """
    probability = tf.convert_to_tensor(probability)
    with tf.GradientTape() as tape:
        tape.watch(probability)
        score = soft_f1(truth, probability)
    return score, tape.gradient(score, probability)
