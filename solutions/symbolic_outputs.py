"""Symbolic tensors of a Keras model, and how to get values and gradients out of them.

`layer.output`, `model.outputs[0]` and whatever is computed from these are KerasTensors: they
describe a computation and hold no values, so a tape has nothing to differentiate. A model whose
outputs are such tensors is a function: it turns data into their values.

The functions run the model in inference mode.
"""

from collections.abc import Callable, Sequence
from typing import Any

import keras
import numpy as np
import tensorflow as tf

LESSON = "Lesson: symbolic_outputs."
WITH_VALUES = (tf.Tensor, tf.Variable, keras.Variable, np.ndarray, np.generic)


def tensor_kind(tensor: object) -> str:
    """Whether a tensor holds values, will hold them when its function runs, or never does.

    Args:
        tensor: a tensor, a variable, an array or a KerasTensor.

    Returns:
        "value" for an eager tensor, a variable or an array; "traced" for a tensor of a graph that
        a `tf.function` traces; "symbolic" for a KerasTensor.

    Raises:
        TypeError: it is none of these.
    """
    if isinstance(tensor, keras.KerasTensor):
        return "symbolic"
    if not isinstance(tensor, WITH_VALUES):
        raise TypeError(
            f"tensor_kind(tensor) got a {type(tensor).__name__}. It tells tensors, variables, "
            f"arrays and KerasTensors apart; ask for each entry of a list by itself. {LESSON}"
        )
    return "traced" if tf.is_symbolic_tensor(tensor) else "value"


def values_at(model: keras.Model, outputs: Any, x: Any) -> Any:
    """Values of a model's symbolic tensors for one batch. Replaces `K.function`.

    Args:
        model: a functional model, or a Sequential that knows its inputs.
        outputs: a KerasTensor computed from `model.inputs`, or a list or dict of them.
        x: what the model is called with: a tensor or array, or a list of them.

    Returns:
        Tensors in the structure of `outputs`.

    Raises:
        TypeError: the model has no `inputs`, or an output is not symbolic.
        ValueError: an output does not follow from the inputs, or `x` has too few or many entries.
    """
    flat = keras.tree.flatten(outputs)
    for output in flat:
        require_symbolic(output, "values_at")
    values = sub_model(model, flat, "values_at")(batch(model, x, "values_at"))
    return keras.tree.pack_sequence_as(outputs, keras.tree.flatten(values))


def gradient_function(
    model: keras.Model, target: keras.KerasTensor, sources: Sequence[keras.KerasTensor]
) -> Callable[[Any], tuple[tf.Tensor, list[tf.Tensor]]]:
    """A function of data that gives the target's value and its gradients.

    Replaces `K.gradients` (or `tf.gradients`) followed by `K.function`. Make it once and call it
    often: each making adds a model.

    Args:
        model: a functional model, or a Sequential that knows its inputs.
        target: a KerasTensor such as `model.outputs[0][:, 1]`; the gradient is that of its sum.
        sources: floating-point KerasTensors: outputs of layers, or entries of `model.inputs`.

    Returns:
        A function of `x` (a tensor or array, or a list with one for each of `model.inputs`) that
        returns `(value, gradients)`: the target's value, and for each source a tensor of its
        shape and dtype. It raises a ValueError if the target does not depend on a source.

    Raises:
        TypeError: the model has no `inputs`, a tensor is not symbolic, or a source's dtype has no
            gradient.
        ValueError: the target or a source does not follow from the inputs.
    """
    for tensor in (target, *sources):
        require_symbolic(tensor, "gradient_function")
    for source in sources:
        require_floating(source)
    outputs = sub_model(model, [target, *sources], "gradient_function")

    def value_and_gradients_at(x):
        x = batch(model, x, "gradient_function")
        with tf.GradientTape() as tape:
            # Up to a source there may be no weights, and then nothing else is watched.
            tape.watch([entry for entry in x if entry.dtype.is_floating])
            value, *values = keras.tree.flatten(outputs(x))
        gradients = tape.gradient(value, values)
        require_gradients(gradients, sources)
        return value, gradients

    return value_and_gradients_at


def class_score_gradient(model: keras.Model, name: str, index: int, x: Any) -> tf.Tensor:
    """Gradient of one class's score with respect to an inner layer's output.

    Args:
        model: a functional model, or a Sequential that knows its inputs, that returns scores of
            shape (batch, classes).
        name: the layer's name.
        index: the number of the class.
        x: tensor or array that the model is called with.

    Returns:
        Tensor of the shape and dtype of the layer's output; the scores of the batch are summed.

    Raises:
        TypeError: the model has no `inputs`.
        ValueError: no such layer or class, or the score does not depend on the layer.
    """
    require_inputs(model, "class_score_gradient")
    score = model.outputs[0][:, place(index, model.outputs[0], "class_score_gradient")]
    _, (gradient,) = gradient_function(model, score, [model.get_layer(name).output])(x)
    return gradient


def filter_gradient(
    model: keras.Model, name: str, index: int, x: Any
) -> tuple[tf.Tensor, tf.Tensor]:
    """How much one filter of a layer responds, and the gradient of that with respect to `x`.

    Args:
        model: a functional model, or a Sequential that knows its inputs; one input.
        name: the layer's name.
        index: the number of the filter, or of the unit: a place on the last axis of the output.
        x: tensor or array that the model is called with.

    Returns:
        response: the mean of the layer's output over all places and the batch, for this filter.
        gradient: tensor of the shape of `x`.

    Raises:
        TypeError: the model has no `inputs`, or they are integers.
        ValueError: no such layer or filter.
    """
    require_inputs(model, "filter_gradient")
    output = model.get_layer(name).output
    response = keras.ops.mean(output[..., place(index, output, "filter_gradient")])
    response, (gradient,) = gradient_function(model, response, model.inputs)(x)
    return response, gradient


def place(index: int, symbol: keras.KerasTensor, called: str) -> int:
    """`index` as a Python integer (a KerasTensor takes no NumPy integer), within the last axis."""
    size = symbol.shape[-1]
    if size is not None and not -size <= index < size:
        raise ValueError(
            f"{called}: index {index} is not on the last axis of {tuple(symbol.shape)}. Count from "
            f"0 to {size - 1}. {LESSON}"
        )
    return int(index)


def batch(model: keras.Model, x: Any, called: str) -> list[tf.Tensor]:
    """`x` as one tensor for each of the model's inputs, in the input's dtype."""
    several = isinstance(x, (list, tuple)) and any(hasattr(entry, "shape") for entry in x)
    entries = list(x) if several else [x]
    if isinstance(x, dict) or len(entries) != len(model.inputs):
        names = ", ".join(symbol.name for symbol in model.inputs)
        given = f"a list of {len(x)}" if several else f"one {type(x).__name__}"
        raise ValueError(
            f"{called}: x is {given}, and the model has this number of inputs: "
            f"{len(model.inputs)} ({names}). Give a tensor for one input, a list of tensors in "
            f"this order for several. {LESSON}"
        )
    pairs = zip(entries, model.inputs, strict=True)
    return [tf.cast(entry, symbol.dtype) for entry, symbol in pairs]


def sub_model(model: keras.Model, outputs: Any, called: str) -> keras.Model:
    """A model with the inputs of `model` and other outputs."""
    require_inputs(model, called)
    try:
        return keras.Model(model.inputs, outputs)
    except ValueError as error:
        reason = str(error).splitlines()[0].rstrip(".")
        raise ValueError(
            f"{called}: Keras can make no model from `model.inputs` to what you asked for. It "
            f"says: {reason}. Is it from another model, or from a model inside this one? Those "
            "have a graph of their own. Lesson: nested_models."
        ) from error


def require_inputs(model: keras.Model, called: str) -> None:
    """Raise a TypeError unless the model has symbolic inputs."""
    try:
        _ = model.inputs
    except AttributeError as error:
        raise TypeError(
            f"{called}: the {type(model).__name__} has no `inputs`. It was never built, or its "
            "class has a `call` of its own, which runs on values and leaves no symbolic tensors. "
            "Start a Sequential with `keras.Input`; call the layers of a class yourself. "
            "Lesson: no_inbound_nodes."
        ) from error


def require_symbolic(tensor: object, called: str) -> None:
    """Raise a TypeError unless this is a KerasTensor."""
    if not isinstance(tensor, keras.KerasTensor):
        shape = f", shape {tuple(tensor.shape)}," if hasattr(tensor, "shape") else ""
        raise TypeError(
            f"{called} got the type {type(tensor).__name__}{shape} where it needs a symbolic "
            "tensor, which says what to compute: `layer.output`, or `model.outputs[0][:, 1]`. "
            f"Data goes in as `x`. {LESSON}"
        )


def require_floating(source: keras.KerasTensor) -> None:
    """Raise a TypeError unless the source's dtype can have a gradient."""
    if not tf.as_dtype(source.dtype).is_floating:
        raise TypeError(
            f"gradient_function: the source {source.name!r} has dtype {source.dtype}. Integers and "
            "booleans have no gradient. Take the output of the first layer that makes "
            f"floating-point numbers of it, an embedding, say. {LESSON}"
        )


def require_gradients(
    gradients: Sequence[tf.Tensor | None], sources: Sequence[keras.KerasTensor]
) -> None:
    """Raise a ValueError if the tape found no path from the target to a source."""
    for number, (gradient, source) in enumerate(zip(gradients, sources, strict=True)):
        if gradient is None:
            raise ValueError(
                f"gradient_function: the gradient with respect to sources[{number}] "
                f"({source.name!r}, shape {source.shape}) is None. The target was not computed "
                "from it. Either it does not use that layer, or both come from different calls of "
                "the layer: so it is in a Sequential that was built with .add() or loaded from a "
                "file. Lesson: intermediate_activations."
            )
