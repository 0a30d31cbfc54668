"""A target that is not a scalar: its gradient is a sum, and how to get the summands.

A tape walks back once and returns one number for each element of the source. If the target has
several elements, their derivatives are added: the result is `v @ J`, with the Jacobian
`J[i, j] = dy[i] / dx[j]` and a vector `v` of ones. The functions below choose `v`, or keep the
rows of `J` apart.
"""

from collections.abc import Callable, Sequence

import tensorflow as tf

from solutions.unwatched_tensor import backing_variable, require_floating

LESSON = "Lesson: summed_targets."


def vector_jacobian_product(
    function: Callable[[tf.Tensor], tf.Tensor], x: tf.Tensor, vector: tf.Tensor
) -> tf.Tensor:
    """Gradient of `sum(vector * function(x))` with respect to `x`: each output has its weight.

    Args:
        function: a differentiable function of one tensor; its value may have any shape.
        x: floating-point tensor or array of any shape.
        vector: a number for each element of `function(x)`, of exactly its shape.

    Returns:
        Tensor of the shape and dtype of `x`.

    Raises:
        TypeError: `x` is not floating-point.
        ValueError: `vector` has another shape than the value, or the value does not depend on `x`.
    """
    called = "vector_jacobian_product(function, x, vector)"
    x = tf.convert_to_tensor(x)
    require_floating(x, called)
    with tf.GradientTape() as tape:
        tape.watch(x)
        value = function(x)
    vector = tf.cast(vector, value.dtype)
    if not vector.shape.is_compatible_with(value.shape):
        raise ValueError(
            f"{called}: function(x) has shape {value.shape} and vector {vector.shape}. Each "
            "element of the value needs its own number; some operations would stretch another "
            "shape silently, others would refuse it. Say what you mean: "
            f"tf.broadcast_to(vector, {value.shape}). {LESSON}"
        )
    return require_path(tape.gradient(value, x, output_gradients=vector), called)


def jacobian_per_example(function: Callable[[tf.Tensor], tf.Tensor], x: tf.Tensor) -> tf.Tensor:
    """Jacobian of each example's outputs with respect to the same example's inputs.

    Right if no example influences another one's output; `examples_interact` tells. Call it inside
    a `tf.function`: in eager mode a graph is built anew at each call.

    Args:
        function: maps a batch to a batch of the same length.
        x: floating-point tensor or array of shape (batch, *inputs).

    Returns:
        Tensor of shape (batch, *outputs, *inputs) and of the dtype of `x`.

    Raises:
        TypeError: `x` is not floating-point.
        ValueError: the value's first axis is not that of `x`, or the value does not depend on `x`.
    """
    called = "jacobian_per_example(function, x)"
    x = tf.convert_to_tensor(x)
    require_floating(x, called)
    numbers = x.shape.rank == 1  # batch_jacobian wants two axes of source and target
    source = x[:, None] if numbers else x
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(source)
        value = function(source[:, 0] if numbers else source)
        require_batch(value, x, called)
        flat = tf.reshape(value, [tf.shape(value)[0], -1])
    require_path(tape.gradient(flat, source), called)  # batch_jacobian would return zeros
    jacobian = tape.batch_jacobian(flat, source)
    return tf.reshape(jacobian, tf.concat([tf.shape(value), tf.shape(x)[1:]], axis=0))


def gradients_per_example(
    losses: Callable[[], tf.Tensor], variables: Sequence[tf.Variable]
) -> list[tf.Tensor]:
    """Gradient of each example's loss with respect to the variables, not summed over the batch.

    Call it inside a `tf.function`, and mind the memory: the result is batch times as large as the
    variables.

    Args:
        losses: takes no arguments; returns one loss for each example, shape (batch,).
        variables: trainable `tf.Variable`s or Keras variables that the losses depend on.

    Returns:
        For each variable a tensor of shape (batch, *variable.shape) and the variable's dtype.

    Raises:
        ValueError: the losses' shape is not (batch,), or they do not depend on a variable.
    """
    called = "gradients_per_example(losses, variables)"
    with tf.GradientTape() as tape:
        values = losses()
    if values.shape.rank != 1:
        raise ValueError(
            f"{called}: losses() has shape {values.shape}, not (batch,). A mean or a sum over the "
            "batch cannot be taken apart again. Keep one loss for each example: "
            f'reduction="none" in a Keras loss, axis=-1 in a tf.reduce function. {LESSON}'
        )
    jacobians = tape.jacobian(values, [backing_variable(variable) for variable in variables])
    for variable, jacobian in zip(variables, jacobians, strict=True):
        require_path(jacobian, f"{called}, variable {variable.name!r}")
    return jacobians


def examples_interact(function: Callable[[tf.Tensor], tf.Tensor], x: tf.Tensor) -> bool:
    """Whether an example's output depends on another example of the batch, at this `x`.

    Computes the whole Jacobian, batch squared times one example's: try it on a few examples.

    Args:
        function: maps a batch to a batch of the same length.
        x: floating-point tensor or array of shape (batch, *inputs), two examples at least.

    Returns:
        True if a derivative across two examples is not zero (NaN counts as not zero).

    Raises:
        TypeError: `x` is not floating-point.
        ValueError: fewer than two examples, the value's first axis is not that of `x`, or the
            value does not depend on `x`.
    """
    called = "examples_interact(function, x)"
    x = tf.convert_to_tensor(x)
    require_floating(x, called)
    with tf.GradientTape() as tape:
        tape.watch(x)
        value = function(x)
    require_batch(value, x, called)
    batch = x.shape[0]
    if batch < 2:
        raise ValueError(
            f"{called}: x has shape {x.shape}. One example has nobody to interact with. Pass two "
            f"different examples at least. {LESSON}"
        )
    jacobian = require_path(tape.jacobian(value, x), called)
    blocks = tf.reshape(jacobian, [batch, -1, batch, x[0].shape.num_elements()])
    touched = tf.reduce_any(blocks != 0, axis=[1, 3])
    return bool(tf.reduce_any(touched & ~tf.eye(batch, dtype=tf.bool)))


def require_path(gradient: tf.Tensor | None, called: str) -> tf.Tensor:
    """The gradient, or a ValueError if it is None."""
    if gradient is None:
        raise ValueError(
            f"{called}: the tape returned None. No recorded operation leads from there to the "
            "value. Compute the value from it inside the function, with TensorFlow operations "
            f"only. {LESSON}"
        )
    return gradient


def require_batch(value: tf.Tensor, x: tf.Tensor, called: str) -> None:
    """Raise a ValueError unless the value has a first axis of the length of that of `x`."""
    same = value.shape.rank and x.shape.rank and value.shape[:1].is_compatible_with(x.shape[:1])
    if not same:
        raise ValueError(
            f"{called}: x has shape {x.shape} and function(x) {value.shape}. The first axis of "
            "both counts the examples, and must be equally long. Give x a batch axis, and do not "
            f"sum or average over it in the function. {LESSON}"
        )
