"""Two gradients of one value: with respect to the weights, and with respect to the input.

The sources decide. A gradient with respect to a layer's weights has the weights' shapes, sums over
the batch, and says how to change the model. A gradient with respect to the input has the input's
shape, one row for each example, and says which numbers of it moved the value.
"""

from collections.abc import Callable

import keras
import tensorflow as tf

LESSON = "Lesson: weights_or_inputs."


def named_layer_gradients(
    model: keras.Model,
    layer_name: str,
    x: tf.Tensor,
    target: Callable[[tf.Tensor], tf.Tensor],
) -> list[tf.Tensor]:
    """Gradients of `sum(target(model(x)))` with respect to one layer's trainable weights.

    Args:
        model: a Keras model; it may be unbuilt, its first call is this one.
        layer_name: the name of one of `model.layers`.
        x: a batch of inputs.
        target: function of the model's output, a loss or a score; its value may have any shape.

    Returns:
        A tensor for each of the layer's `trainable_variables`, in their order and shapes, without
        a batch axis.

    Raises:
        ValueError: no layer has this name (raised by Keras, which lists the names), the layer
            has no trainable weights, or the value does not depend on one of them.
    """
    layer = model.get_layer(layer_name)
    with tf.GradientTape() as tape:
        value = target(model(x))
    variables = layer.trainable_variables  # after the call, which may have built them
    if not variables:
        raise ValueError(
            f"named_layer_gradients(model, {layer_name!r}, …): the list of trainable weights of "
            f"this {type(layer).__name__} layer is empty. Layers such as Flatten have none, and "
            "`trainable = False` hides those of a layer that has some. Name another layer, or "
            f"set `trainable = True`. {LESSON}"
        )
    gradients = tape.gradient(value, variables)
    for variable, gradient in zip(variables, gradients, strict=True):
        if gradient is None:
            raise ValueError(
                f"named_layer_gradients(model, {layer_name!r}, …): the tape returned None for "
                f"{variable.name!r}, of shape {tuple(variable.shape)}. No recorded operation "
                "leads from it to the target. Compute the target from the model's output, with "
                f"TensorFlow operations only. {LESSON}"
            )
    return [tf.convert_to_tensor(gradient) for gradient in gradients]  # an Embedding's is sparse


def gradient_wrt_input(
    model: keras.Model,
    x: tf.Tensor,
    target: Callable[[tf.Tensor], tf.Tensor],
) -> tf.Tensor:
    """Gradient of `sum(target(model(x)))` with respect to the input `x`, not to the weights.

    Args:
        model: a Keras model with one input.
        x: floating-point batch of inputs, a tensor or an array.
        target: function of the model's output, a loss or a score; its value may have any shape.

    Returns:
        One tensor of the shape and dtype of `x`, batch axis included.

    Raises:
        TypeError: `x` is not floating-point.
        ValueError: the value does not depend on `x` through recorded operations.
    """
    x = tf.convert_to_tensor(x)
    if not x.dtype.is_floating:
        raise TypeError(
            f"gradient_wrt_input(model, x, target): x has dtype {x.dtype.name} and shape "
            f"{tuple(x.shape)}. A tape returns None for integers: they have no gradient. Convert "
            f"first: x = tf.cast(x, tf.float32). {LESSON}"
        )
    with tf.GradientTape() as tape:
        tape.watch(x)
        value = target(model(x))
    gradient = tape.gradient(value, x)
    if gradient is None:
        raise ValueError(
            "gradient_wrt_input(model, x, target): the tape returned None, although x was "
            f"watched. No recorded operation leads from x, of shape {tuple(x.shape)}, to the "
            "target. Compute the target from the model's output, with TensorFlow operations "
            f"only. {LESSON}"
        )
    return gradient


def saliency_map(model: keras.Model, images: tf.Tensor, class_index: int) -> tf.Tensor:
    """How strongly each pixel moves the score of one class: max over channels of |d score/d pixel|.

    Section 3 of Simonyan, Vedaldi and Zisserman, arXiv:1312.6034.

    Args:
        model: maps images to class scores (batch, classes), before any softmax.
        images: floating-point tensor (batch, height, width, channels).
        class_index: the class, counted from 0.

    Returns:
        Tensor (batch, height, width) of the dtype of `images`, not negative.

    Raises:
        TypeError: `images` is not floating-point.
        ValueError: `images` has not four axes, or the model has no such class.
    """
    images = tf.convert_to_tensor(images)
    if images.shape.rank != 4:
        raise ValueError(
            f"saliency_map(model, images, {class_index}): images has shape "
            f"{tuple(images.shape)}. Four axes are needed: (batch, height, width, channels). Add "
            f"the missing one, for a single image by images[tf.newaxis]. {LESSON}"
        )

    def score(scores: tf.Tensor) -> tf.Tensor:
        if not 0 <= class_index < scores.shape[-1]:
            raise ValueError(
                f"saliency_map(model, images, {class_index}): the model returned scores of shape "
                f"{tuple(scores.shape)}. Its classes are 0 to {scores.shape[-1] - 1}; pick one of "
                f"them. {LESSON}"
            )
        return scores[:, class_index]

    return tf.reduce_max(tf.abs(gradient_wrt_input(model, images, score)), axis=-1)


def descent_step(
    model: keras.Model,
    x: tf.Tensor,
    target: Callable[[tf.Tensor], tf.Tensor],
    learning_rate: float,
) -> tuple[tf.Tensor, tf.Tensor]:
    """One step of plain gradient descent, in place, on the model's trainable weights.

    Each weight moves by -learning_rate times its gradient of `sum(target(model(x)))`. `x` stays.

    Args:
        model: a Keras model.
        x: a batch of inputs.
        target: function of the model's output, usually a loss; its value may have any shape.
        learning_rate: the length of the step, positive.

    Returns:
        `sum(target(model(x)))` before the step and after it, two scalars.

    Raises:
        ValueError: the model has no trainable weights, or the value depends on none of them.
    """
    with tf.GradientTape() as tape:
        before = tf.reduce_sum(target(model(x)))
    weights = model.trainable_variables
    gradients = tape.gradient(before, weights)
    if all(gradient is None for gradient in gradients):
        raise ValueError(
            f"descent_step(model, x, target, {learning_rate}): the model has {len(weights)} "
            "trainable weights, and the tape returned a gradient for none of them, so there is no "
            "step to take. Unfreeze a layer, or compute the target from the model's output, with "
            f"TensorFlow operations only. {LESSON}"
        )
    keras.optimizers.SGD(learning_rate).apply_gradients(zip(gradients, weights, strict=True))
    return before, tf.reduce_sum(target(model(x)))
