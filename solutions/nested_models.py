"""The gradient at a layer of a model that is itself a layer of another model.

A nested model has two plans: the one it was built on, and its call inside the outer model. A
layer's `output` belongs to the first, so no model from the outer inputs can reach it. Three ways
lead there: run the pass in two stages, build one flat model, or capture the tensor in the pass.

The functions are for eager code and run in inference mode.
"""

import difflib
from collections.abc import Callable
from typing import Any

import keras
import numpy as np
import tensorflow as tf

from solutions.intermediate_activations import activation_gradients, layer_paths

LESSON = "Lesson: nested_models."

Target = Callable[[tf.Tensor], tf.Tensor]  # from the model's output to a scalar


def path_of(model: keras.Model, name: str) -> str:
    """Path of the only layer called `name`, at any depth: the names on the way, joined by `/`.

    Args:
        model: a built model; its layers may be models, and so may theirs.
        name: the layer's name, without a path, such as `"mixed10"`.

    Returns:
        Such as `"inception_v3/mixed10"`; just the name if `model` owns the layer itself.

    Raises:
        ValueError: no layer has this name, or several have it.
    """
    paths = layer_paths(model)
    found = [path for path, layer in paths.items() if layer.name == name]
    if not found:
        raise ValueError(
            f"path_of: {model.name!r} has no layer {name!r}, at no depth. "
            f"{did_you_mean(name, [layer.name for layer in paths.values()])}"
            f"`model.summary(expand_nested=True)` shows them all. {LESSON}"
        )
    if len(found) > 1:
        raise ValueError(
            f"path_of: {len(found)} layers of {model.name!r} are called {name!r}: "
            f"{', '.join(found)}. A name is unique within one model only. Use the path you mean. "
            f"{LESSON}"
        )
    return found[0]


def two_stage_gradient(model: keras.Model, x: tf.Tensor, target: Target, path: str) -> tf.Tensor:
    """Gradient at a layer of a nested model: first the nested model, then what follows it.

    Args:
        model: a built stack: each of `model.layers` takes what the one before it returned. One of
            them is a functional or Sequential model with one output.
        x: tensor or array that the model is called with.
        target: maps the model's output to the scalar to differentiate.
        path: `"nested/layer"`, the names of the nested model and of one of its layers.

    Returns:
        Tensor of the shape and dtype of that layer's output.

    Raises:
        ValueError: the path leads nowhere, the layers in a row do not give what the model gives,
            or the target is not a scalar or does not depend on the layer.
        TypeError: the first name of the path is not a functional or Sequential model.
    """
    before, inner, name, after = split_at(model, path)
    two_outputs = with_inner_output(inner, name, path)
    y = tf.convert_to_tensor(x)
    with tf.GradientTape() as tape:
        for layer in before:
            y = layer(y)
        if y.dtype.is_floating:
            tape.watch(y)  # up to the layer there may be no weights to watch
        activation, y = two_outputs(y)
        for layer in after:
            y = layer(y)
        value = target(y)
    require_same_output(y, model(x), model)
    require_scalar(value)
    return require_gradient(tape.gradient(value, activation), path)


def flat_model(model: keras.Sequential) -> keras.Model:
    """One model without the box: the layers of a nested model, then those that follow it.

    Args:
        model: a Sequential whose first layer is a functional or Sequential model.

    Returns:
        A functional model with the same layers, the same weights and the same outputs. In it,
        `get_layer` finds the inner layers, and their `output` is connected to its `inputs`.

    Raises:
        TypeError: `model` is no Sequential, or its first layer is not such a model.
    """
    if not isinstance(model, keras.Sequential):
        raise TypeError(
            f"flat_model: {model.name!r} is a {type(model).__name__}, whose layers need not stand "
            "in a row. Call the layers that follow the nested model yourself: "
            f"`keras.Model(nested.inputs, head(nested.outputs[0]))`. {LESSON}"
        )
    inner, *rest = called_layers(model)
    require_plan(inner, "flat_model")
    y = inner.outputs[0]
    for layer in rest:
        y = layer(y)
    return keras.Model(inner.inputs[0], y, name=f"{model.name}_flat")


def gradient_of_each_call(
    model: keras.Model, x: tf.Tensor | list[tf.Tensor], target: Target, name: str
) -> list[tf.Tensor]:
    """Gradients at the outputs of a layer that sits at any depth, one for each call of it.

    Args:
        model: any built model. It may call a nested model twice.
        x: what the model is called with: a tensor or array, or a list of them.
        target: maps the model's output to the scalar to differentiate.
        name: the layer's name, without a path; no second layer has it.

    Returns:
        A list of tensors of the layer's output shape, in the order of the calls.

    Raises:
        ValueError: no layer has this name or several have it, or the target is not a scalar or
            does not depend on the layer.
    """
    path = path_of(model, name)
    return activation_gradients(model, x, target, path)[path]


def called_layers(model: keras.Model) -> list[keras.Layer]:
    """The model's own layers, without those that only describe its inputs."""
    return [layer for layer in model.layers if not isinstance(layer, keras.layers.InputLayer)]


def split_at(
    model: keras.Model, path: str
) -> tuple[list[keras.Layer], keras.Model, str, list[keras.Layer]]:
    """The layers before the nested model, the nested model, the layer's name, the layers after."""
    nested, *inside = path.split("/")
    if len(inside) != 1:
        raise ValueError(
            f"two_stage_gradient: the path {path!r} has {len(inside) + 1} names, and two stages "
            "need two: the nested model's and the layer's. `activation_gradients` takes any path; "
            f"`path_of(model, name)` finds it. {LESSON}"
        )
    layers = called_layers(model)
    names = [layer.name for layer in layers]
    require_name(nested, names, model)
    place = names.index(nested)
    inner = layers[place]
    require_plan(inner, "two_stage_gradient")
    require_name(inside[0], [layer.name for layer in inner.layers], inner)
    return layers[:place], inner, inside[0], layers[place + 1 :]


def with_inner_output(inner: keras.Model, name: str, path: str) -> keras.Model:
    """The nested model once more, with two outputs: its layer's and its own."""
    outputs = [inner.get_layer(name).output, inner.outputs[0]]
    try:
        return keras.Model(inner.inputs, outputs)
    except ValueError as error:
        raise ValueError(
            f"two_stage_gradient: no second model can be made for {path!r} ({error}). The layer "
            f"was called elsewhere before {inner.name!r} called it, and its `output` belongs to "
            "that earlier call. Use `activation_gradients`, which asks no layer for its `output`. "
            f"{LESSON}"
        ) from error


def did_you_mean(name: str, names: list[str]) -> str:
    """A sentence with the nearest names, or nothing."""
    near = difflib.get_close_matches(name, dict.fromkeys(names), n=3)
    return f"Did you mean {' or '.join(map(repr, near))}? " if near else ""


def require_name(name: str, names: list[str], model: keras.Model) -> None:
    """Raise a ValueError unless the model itself has a layer of that name."""
    if name not in names:
        raise ValueError(
            f"two_stage_gradient: {model.name!r} has no layer {name!r} of its own. "
            f"{did_you_mean(name, names)}Its layers are {', '.join(map(repr, names))}. {LESSON}"
        )


def require_plan(inner: Any, called: str) -> None:
    """Raise a TypeError unless the layer is a model that knows its inputs and outputs."""
    if not (isinstance(inner, keras.Model) and getattr(inner, "inputs", None)):
        raise TypeError(
            f"{called}: {inner.name!r} is a {type(inner).__name__}, without a plan of its own that "
            "a second model could be built from. Only functional models have one, and Sequential "
            f"models that know their input. `activation_gradients` needs none. {LESSON}"
        )


def require_same_output(y: tf.Tensor, expected: tf.Tensor, model: keras.Model) -> None:
    """Raise a ValueError unless both stages together give what the model gives."""
    if y.shape != expected.shape or not np.allclose(y, expected, rtol=1e-3, atol=1e-5):
        raise ValueError(
            f"two_stage_gradient: the layers of {model.name!r} in a row do not give what "
            f"{model.name!r} gives. Something else happens between them (a residual, another "
            "order), so this gradient would be of another model. Use `activation_gradients`, which "
            f"runs the model itself. {LESSON}"
        )


def require_scalar(value: tf.Tensor) -> None:
    """Raise a ValueError unless the target returned one number."""
    if value.shape.rank != 0:
        raise ValueError(
            f"two_stage_gradient: `target` returned a tensor of shape {tuple(value.shape)}, and a "
            "tape would give the gradient of the sum of its elements. Return one number: "
            "`tf.reduce_sum(...)` or one element. Lesson: summed_targets."
        )


def require_gradient(gradient: tf.Tensor | None, path: str) -> tf.Tensor:
    """Return the gradient, or raise a ValueError if it is None."""
    if gradient is None:
        raise ValueError(
            f"two_stage_gradient: the gradient at {path!r} is None. Either the target does not "
            "depend on this layer, or the layer's `output` belongs to another wiring: a Sequential "
            "that was made with `.add()`, or loaded from a file, is wired more than once. Use "
            f"`activation_gradients`, which asks no layer for its `output`. {LESSON}"
        )
    return gradient
