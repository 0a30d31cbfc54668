"""The loss's gradient with respect to an RNN's output, in a model that has no `layer.output`.

A layer has an `output` only where it was called on a `keras.Input`; that output holds no values.
A subclassed model calls its layers on values, inside `call`, so here its layers are called one by
one: then the activation has a name, and a tape can be asked for it.

The functions expect a model with two layers, `model.rnn` and `model.out`, whose `call` is
`out(rnn(x))`. They run both layers in inference mode.
"""

from collections.abc import Callable

import keras
import tensorflow as tf

LESSON = "Lesson: no_inbound_nodes."


def output_and_activation(model: keras.Model, x: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
    """One forward pass in two parts: `activation = model.rnn(x)`, `output = model.out(activation)`.

    Args:
        model: a model with two layers, `model.rnn` and `model.out`.
        x: floating-point tensor or array, (batch, time, features).

    Returns:
        output: what `model.out` made of this very activation, (batch, outputs).
        activation: what `model.rnn` returned, (batch, units).

    Raises:
        TypeError: the model lacks one of the two layers.
    """
    require_parts(model, "output_and_activation")
    activation = model.rnn(tf.convert_to_tensor(x))
    return model.out(activation), activation


def rnn_output_gradient(
    model: keras.Model, loss_function: Callable, x: tf.Tensor, y: tf.Tensor
) -> tf.Tensor:
    """Gradient of `loss_function(y, output)` with respect to the output of `model.rnn`.

    Args:
        model: a model with two layers, `model.rnn` and `model.out`.
        loss_function: `loss_function(y_true, y_pred)`, differentiable; a value that is not a
            scalar is summed.
        x: floating-point tensor or array, (batch, time, features).
        y: what the loss compares the output with.

    Returns:
        Tensor of the activation's shape and dtype, (batch, units).

    Raises:
        TypeError: the model lacks one of the two layers.
        ValueError: the loss does not depend on the activation through recorded operations.
    """
    require_parts(model, "rnn_output_gradient")
    return weight_and_rnn_output_gradients(model, loss_function, x, y)[1]


def weight_and_rnn_output_gradients(
    model: keras.Model, loss_function: Callable, x: tf.Tensor, y: tf.Tensor
) -> tuple[list[tf.Tensor], tf.Tensor]:
    """Gradients for an optimizer and for the output of `model.rnn`, from one backward pass.

    Args:
        model: a model with two layers, `model.rnn` and `model.out`.
        loss_function: `loss_function(y_true, y_pred)`, differentiable; a value that is not a
            scalar is summed.
        x: floating-point tensor or array, (batch, time, features).
        y: what the loss compares the output with.

    Returns:
        weights: a list, one gradient for each of `model.trainable_variables`, in their order.
        activation: tensor of the shape and dtype of the output of `model.rnn`, (batch, units).

    Raises:
        TypeError: the model lacks one of the two layers.
        ValueError: the loss does not depend on the activation through recorded operations.
    """
    require_parts(model, "weight_and_rnn_output_gradients")
    with tf.GradientTape() as tape:
        output, activation = output_and_activation(model, x)
        loss = loss_function(y, output)
    weights, gradient = tape.gradient(loss, [model.trainable_variables, activation])
    require_gradient(gradient)
    return weights, gradient


def hidden_state_gradients(
    model: keras.Model, loss_function: Callable, x: tf.Tensor, y: tf.Tensor
) -> tf.Tensor:
    """Gradient of the loss with respect to what the RNN's cell returned at each time step.

    All that follows from a step counts: the later steps were computed from it.

    Args:
        model: a model with two layers, `model.rnn` and `model.out`; the RNN reads forwards and
            returns its last output.
        loss_function: `loss_function(y_true, y_pred)`, differentiable; a value that is not a
            scalar is summed.
        x: floating-point tensor or array, (batch, time, features), with at least one step.
        y: what the loss compares the output with.

    Returns:
        Tensor of shape (batch, time, units) and the activation's dtype. Its last step is
        `rnn_output_gradient`.

    Raises:
        TypeError: the model lacks one of the two layers, or `model.rnn` is no `keras.layers.RNN`.
        ValueError: `x` is not a batch of sequences, the RNN returns its whole sequence or reads
            backwards, or the loss does not depend on the activation.
    """
    require_parts(model, "hidden_state_gradients")
    require_plain_rnn(model.rnn)
    x = tf.convert_to_tensor(x)
    if x.shape.rank != 3 or x.shape[1] == 0:
        raise ValueError(
            f"hidden_state_gradients: x has shape {tuple(x.shape)}. The time steps are taken from "
            "its second axis, so it must be (batch, time, features) with at least one step. For "
            f"one sequence of numbers: x[tf.newaxis, :, tf.newaxis]. {LESSON}"
        )
    states = model.rnn.get_initial_state(x.shape[0])
    steps = []
    with tf.GradientTape() as tape:
        for inputs in tf.unstack(x, axis=1):
            step, states = model.rnn.cell(inputs, states)
            steps.append(step)
        loss = loss_function(y, model.out(step))
    gradients = tape.gradient(loss, steps)
    require_gradient(gradients[-1])
    # A cell that ignores its state cuts the earlier steps off: no influence, so zero.
    pairs = zip(gradients, steps, strict=True)
    return tf.stack([tf.zeros_like(s) if g is None else g for g, s in pairs], axis=1)


def require_parts(model: keras.Model, called: str) -> None:
    """Raise a TypeError unless the model has both layers."""
    for name in ("rnn", "out"):
        if not callable(getattr(model, name, None)):
            raise TypeError(
                f"{called}: the {type(model).__name__} has no layer `{name}`. The pass is made in "
                "two parts, `model.rnn` and `model.out`. Give your layers these names in "
                f"`__init__`, or copy this function and call your own layers in it. {LESSON}"
            )


def require_plain_rnn(rnn: keras.Layer) -> None:
    """Raise unless the layer runs one cell forwards and returns the output of its last step."""
    if not isinstance(rnn, keras.layers.RNN):
        raise TypeError(
            f"hidden_state_gradients: `model.rnn` is a {type(rnn).__name__}. Its steps are "
            "repeated one by one with `model.rnn.cell`, which a keras.layers.RNN (SimpleRNN, GRU, "
            f"LSTM) has. For a wrapper, call the function for the RNN inside it. {LESSON}"
        )
    for option in ("return_sequences", "return_state", "go_backwards"):
        if getattr(rnn, option):
            raise ValueError(
                f"hidden_state_gradients: the RNN was made with {option}=True. Its steps are "
                "repeated here one by one, first to last, and `model.out` gets the last output "
                f"alone. Make the RNN with {option}=False. {LESSON}"
            )


def require_gradient(gradient: tf.Tensor | None) -> None:
    """Raise a ValueError if the tape found no path from the loss to the activation."""
    if gradient is None:
        raise ValueError(
            "The gradient of the loss with respect to the RNN's output is None. No recorded "
            "operation leads from the activation to loss_function(y, output). Use the second "
            "argument inside the loss function, and TensorFlow or Keras operations only. "
            f"{LESSON}"
        )
