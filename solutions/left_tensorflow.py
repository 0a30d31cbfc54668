"""Values that leave TensorFlow: find where, and give a NumPy function a gradient of its own.

A tape records TensorFlow operations. What NumPy or Python computes in between is not recorded,
and comes back as a constant.
"""

from collections.abc import Callable, Sequence

import numpy as np
import tensorflow as tf

from solutions.unwatched_tensor import require_floating

LESSON = "Lesson: left_tensorflow."


def log_error_and_gradient(truth: tf.Tensor, guess: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
    """Mean of `(log(1 + truth) - log(1 + guess))**2`, and its gradient with respect to `guess`.

    Args:
        truth: floating-point tensor of any shape, entries above -1.
        guess: the same shape and dtype.

    Returns:
        The error, a scalar tensor, and its gradient, a tensor of the shape of `guess`.

    Raises:
        ValueError: the shapes differ.
    """
    truth, guess = tf.convert_to_tensor(truth), tf.convert_to_tensor(guess)
    if truth.shape != guess.shape:
        raise ValueError(
            f"log_error_and_gradient(truth, guess) got the shapes {tuple(truth.shape)} and "
            f"{tuple(guess.shape)}. They would be broadcast, and each guess compared with several "
            f"truths. Reshape one of them: tf.reshape(guess, truth.shape). {LESSON}"
        )
    with tf.GradientTape() as tape:
        tape.watch(guess)
        error = tf.reduce_mean(tf.square(tf.math.log1p(truth) - tf.math.log1p(guess)))
    return error, tape.gradient(error, guess)


def first_broken_step(steps: Sequence[Callable], x: tf.Tensor) -> int | None:
    """The place in `steps` of the first one that passes no gradient on.

    Each step alone gets a tape, its input is watched, and its value goes to the next one.

    Args:
        steps: functions of one tensor each, in the order in which they are applied.
        x: floating-point tensor, the first step's input.

    Returns:
        The index of the first step that gives no tensor, or a tensor whose gradient with respect
        to the step's input is None. None if there is no such step.

    Raises:
        TypeError: `x` is not floating-point.
    """
    x = tf.convert_to_tensor(x)
    require_floating(x, "first_broken_step")
    for index, step in enumerate(steps):
        with tf.GradientTape() as tape:
            tape.watch(x)
            value = step(x)
        if not tf.is_tensor(value) or tape.gradient(value, x) is None:
            return index
        x = tf.convert_to_tensor(value)
    return None


def with_numpy_gradient(
    function: Callable[[np.ndarray], np.ndarray],
    backward: Callable[[np.ndarray, np.ndarray], np.ndarray],
) -> Callable[[tf.Tensor], tf.Tensor]:
    """A NumPy function as a TensorFlow function with the gradient that `backward` computes.

    The result works in eager mode and in a `tf.function`. It can be differentiated once: what
    `backward` computes is itself not recorded.

    Args:
        function: takes an array, returns an array; the two shapes may differ.
        backward: takes the same array and `upstream`, the gradient with respect to the
            function's value, in its shape. Returns the gradient with respect to the array.

    Returns:
        A function of one floating-point tensor. Its value has the tensor's dtype.

    Raises:
        TypeError: when called, if the tensor is not floating-point.
        ValueError: when differentiated, if `backward` gives another shape than the array's.
    """

    @tf.custom_gradient
    def differentiable(x: tf.Tensor):
        def gradient(upstream: tf.Tensor) -> tf.Tensor:
            result = call_numpy(backward, x, upstream)
            if not result.shape.is_compatible_with(x.shape):
                raise ValueError(
                    f"with_numpy_gradient(function, backward): backward(x, upstream) returned the "
                    f"shape {tuple(result.shape)} for an x of shape {tuple(x.shape)}. A gradient "
                    "has one entry for each entry of x: multiply by upstream, then sum over what "
                    f"the function added. {LESSON}"
                )
            return tf.ensure_shape(result, x.shape)

        return call_numpy(function, x), gradient

    def checked(x: tf.Tensor) -> tf.Tensor:
        x = tf.convert_to_tensor(x)
        require_floating(x, "with_numpy_gradient")
        return differentiable(x)

    return checked


def gradient_through_numpy(
    function: Callable[[np.ndarray], np.ndarray],
    backward: Callable[[np.ndarray, np.ndarray], np.ndarray],
    after: Callable[[tf.Tensor], tf.Tensor],
    x: tf.Tensor,
) -> tf.Tensor:
    """Gradient of `sum(after(function(x)))` with respect to `x`, where `function` is NumPy's.

    Args:
        function: takes an array, returns an array; the two shapes may differ.
        backward: takes the same array and `upstream`, the gradient with respect to the
            function's value, in its shape. Returns the gradient with respect to the array.
        after: TensorFlow operations on one tensor.
        x: floating-point tensor.

    Returns:
        Tensor of the shape and dtype of `x`.

    Raises:
        TypeError: `x` is not floating-point.
        ValueError: `backward` gives another shape than that of `x`.
    """
    x = tf.convert_to_tensor(x)
    with tf.GradientTape() as tape:
        tape.watch(x)
        value = after(with_numpy_gradient(function, backward)(x))
    return tape.gradient(value, x)


def call_numpy(function: Callable[..., np.ndarray], *tensors: tf.Tensor) -> tf.Tensor:
    """The value of a NumPy function, in the dtype of the first tensor; nothing is recorded."""
    dtype = tensors[0].dtype

    def in_that_dtype(*arrays: np.ndarray) -> np.ndarray:
        return np.asarray(function(*arrays), dtype.as_numpy_dtype)

    return tf.numpy_function(in_that_dtype, tensors, dtype)


def finite_differences(
    function: Callable[[np.ndarray], object], x: np.ndarray, step: float = 1e-6
) -> np.ndarray:
    """Gradient of `sum(function(x))` by moving each entry of `x` a step up and a step down.

    Central differences: `(f(x + h) - f(x - h)) / 2h`, with an error of the order of `h**2`.

    Args:
        function: takes a float64 array of the shape of `x`, returns a float64 array or tensor.
        x: array of any shape.
        step: the `h` above.

    Returns:
        A float64 array of the shape of `x`.

    Raises:
        TypeError: the function's value is not float64.
    """
    x = np.array(x, np.float64)
    gradient = np.zeros_like(x)
    for index in np.ndindex(*x.shape):
        move = np.zeros_like(x)
        move[index] = step
        up, down = (np.asarray(function(moved)) for moved in (x + move, x - move))
        if up.dtype != np.float64:
            raise TypeError(
                f"finite_differences(function, x): function returned {up.dtype.name} for a float64 "
                f"array. A step of {step:g} drowns in the rounding of {up.dtype.name}. Compute in "
                f"float64 throughout. {LESSON}"
            )
        gradient[index] = np.sum(up - down) / (2 * step)
    return gradient
