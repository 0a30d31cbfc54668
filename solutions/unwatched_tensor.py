"""Gradients with respect to tensors: what `tf.GradientTape` watches, and what you must ask for.

A tape watches a trainable `tf.Variable` by itself, when the variable is read. It watches a plain
tensor only when told, and only from that moment on (`tf.GradientTape.watch`).
"""

from collections.abc import Callable, Sequence

import tensorflow as tf

LESSON = "Lesson: unwatched_tensor."


def input_gradient(function: Callable[[tf.Tensor], tf.Tensor], x: tf.Tensor) -> tf.Tensor:
    """Gradient of `sum(function(x))` with respect to `x`.

    Args:
        function: a differentiable function of one tensor; its value may have any shape.
        x: floating-point tensor or array of any shape.

    Returns:
        Tensor of the shape and dtype of `x`.

    Raises:
        TypeError: `x` is not floating-point.
        ValueError: the value does not depend on `x` through recorded operations.
    """
    x = tf.convert_to_tensor(x)
    require_floating(x, "input_gradient")
    with tf.GradientTape() as tape:
        tape.watch(x)
        value = function(x)
    gradient = tape.gradient(value, x)
    if gradient is None:
        raise ValueError(
            "input_gradient(function, x): the tape returned None, although x was watched. "
            "No recorded operation leads from x to function(x). Use the argument itself inside "
            f"the function, and TensorFlow operations only. {LESSON}"
        )
    return gradient


def needs_watch(source: object) -> bool:
    """Whether a tape must be told to watch this source before it is used.

    Args:
        source: a tensor, a `tf.Variable` or a Keras variable.

    Returns:
        False for a trainable variable, which a tape watches by itself when it is read; True for
        a tensor, and for a variable that was created with `trainable=False`.

    Raises:
        TypeError: the source's dtype has no gradient, or it is neither tensor nor variable.
    """
    source = backing_variable(source)
    if not isinstance(source, (tf.Tensor, tf.Variable)):
        raise TypeError(
            f"needs_watch(source) got a {type(source).__name__}. A tape can watch a tensor or a "
            f"variable; convert numbers and arrays with tf.constant first. {LESSON}"
        )
    require_floating(source, "needs_watch")
    return not (isinstance(source, tf.Variable) and source.trainable)


def gradients_of_chosen(
    function: Callable[[], tf.Tensor], sources: Sequence[tf.Tensor | tf.Variable]
) -> list[tf.Tensor | None]:
    """Gradients of `sum(function())` with respect to these sources, watching nothing else.

    Args:
        function: takes no arguments and uses the sources.
        sources: floating-point tensors, `tf.Variable`s or Keras variables.

    Returns:
        For each source a tensor of its shape and dtype, or None if the value does not use it.

    Raises:
        TypeError: a source is not floating-point.
    """
    sources = [backing_variable(source) for source in sources]
    with tf.GradientTape(watch_accessed_variables=False) as tape:
        for source in sources:
            require_floating(source, "gradients_of_chosen")
            tape.watch(source)
        value = function()
    return tape.gradient(value, sources)


def backing_variable(source: object) -> object:
    """The `tf.Variable` inside a Keras 3 variable, which `tape.watch` refuses; else the source."""
    inner = getattr(source, "value", None)
    return inner if isinstance(inner, tf.Variable) else source


def require_floating(source: tf.Tensor | tf.Variable, called: str) -> None:
    """Raise a TypeError unless the source's dtype can have a gradient."""
    dtype = tf.as_dtype(source.dtype)
    if not (dtype.is_floating or dtype.is_complex):
        raise TypeError(
            f"{called}: the source has dtype {dtype.name} and shape {tuple(source.shape)}. "
            "Integers and booleans have no gradient, and a tape returns None for them. "
            f"Convert before the tape watches: x = tf.cast(x, tf.float32). {LESSON}"
        )
