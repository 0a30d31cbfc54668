"""The gradient of a target with respect to any layer's output, whatever the kind of model.

How it works: for the time of one forward pass, each chosen layer's `call` is replaced by one that
returns `tf.identity` of every tensor the layer returns. The rest of the model uses that identity,
so its gradient is the partial derivative with respect to this output of this call. One tape
records the pass and is asked once, for the weights, the inputs and the activations together.
"""

import itertools
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import keras
import tensorflow as tf

from solutions import _capture_errors as errors
from solutions._capture import Capture, differentiable
from solutions._tape_picture import Box, Picture, layered, svg_of

Tree = Any  # a tensor, or lists, tuples and dicts of tensors
Target = Callable[[Tree], tf.Tensor]  # from the model's output to a scalar


@dataclass(frozen=True)
class Gradients:
    """What one forward and one backward pass gave. A `tf.function` may return it.

    Attributes:
        value: the target's value, a scalar.
        weights: `{"block/dense/kernel": gradient}`, one entry a trainable weight, shaped like the
            weight. (The gradient of an embedding's matrix is a `tf.IndexedSlices`.)
        inputs: the gradients in the structure of `x`, or None if they were not asked for.
        activations: `{"block/dense": [first call's output, second call's output, ...]}`, with None
            for what is not a tensor.
        activation_gradients: the target's gradients, in the structure of `activations`. They are
            partial: a tensor that a layer returns in two places (an RNN cell's output, which is
            its state too) has a gradient for each place, and the two add up.
        why_none: one sentence for each gradient above that is None, under its path, and for each
            layer that a pattern matched but that could not be captured.
    """

    value: tf.Tensor
    weights: dict[str, Any]
    inputs: Tree
    activations: dict[str, list[Tree]]
    activation_gradients: dict[str, list[Tree]]
    why_none: dict[str, str]

    # These two let `tf.function` return a Gradients.
    def __tf_flatten__(self):
        *tensors, why_none = vars(self).values()
        return tuple(why_none.items()), tuple(tensors)

    @classmethod
    def __tf_unflatten__(cls, metadata, components):
        return cls(*components, dict(metadata))


def layer_paths(model: keras.Layer) -> dict[str, keras.Layer]:
    """Return every layer inside `model` under its path, such as `"inception_v3/mixed10"`.

    Parents come before their children; wrapped layers and RNN cells are included. A layer that
    two others share has two paths. Siblings of one name are told apart: `"dense#1"`, `"dense#2"`.
    """
    errors.check_model(model)
    paths = {}

    def visit(layer, prefix, above):
        # Keras has a public list of inner layers for models only, not for wrappers and cells.
        inner = layer._flatten_layers(include_self=False, recursive=False)
        if not inner:
            return
        count, seen = Counter(child.name for child in inner), Counter()
        for child in inner:
            seen[child.name] += 1
            suffix = f"#{seen[child.name]}" if count[child.name] > 1 else ""
            path = f"{prefix}{child.name}{suffix}"
            if id(child) not in above:
                paths[path] = child
                visit(child, f"{path}/", above | {id(child)})

    visit(model, "", {id(model)})
    return paths


def value_and_gradients(
    model: keras.Layer,
    x: Tree,
    target: Target,
    *,
    weights: bool = True,
    inputs: bool = False,
    layers: str | Iterable[str] = (),
    training: bool = False,
) -> Gradients:
    """Return the target's value and its gradients, from one forward and one backward pass.

    Args:
        model: any built Keras model, or layer.
        x: what the model is called with: a tensor or array, or a structure of them.
        target: maps the model's output to the scalar to differentiate.
        weights: whether to return the gradients of the trainable weights.
        inputs: whether to return those of `x`.
        layers: paths from `layer_paths`, or patterns such as `"*"` and `"block_*/conv"`. A path
            that cannot be captured is an error; a pattern takes what it can, and `why_none`
            names the rest.
        training: passed on to the model.

    Raises:
        TypeError: `model`, `x` or `target` is something that has no gradient at all.
        ValueError: the model was never built, a path is unknown, a layer is out of reach, or the
            target is not a scalar or does not depend on what was asked for.
    """
    paths = layer_paths(model)
    errors.check_built(model)
    errors.check_target(target)
    x = errors.as_tensors(x)
    named, wanted = errors.choose(layers, paths)
    missing = errors.obstacles(model, paths) if wanted else {}
    errors.refuse(named, missing)
    unbuilt = {path: layer for path, layer in paths.items() if not layer.built}
    by_path = _weights_by_path(model, paths) if weights else {}
    variables = {path: weight.value for path, weight in by_path.items()}
    errors.check_replica(variables)

    # Without `weights` there is less to record. A weight that was made untrainable is a variable
    # that no tape watches by itself, also after Keras was told that it is trainable.
    with tf.GradientTape(watch_accessed_variables=weights) as tape:
        tape.watch([v for v in variables.values() if not v.trainable])
        tape.watch([leaf for leaf in keras.tree.flatten(x) if inputs and differentiable(leaf)])
        capture = Capture(tape, [paths[path] for path in wanted if path not in missing])
        try:
            with capture.taps():
                y = model(x, training=training)
        except (TypeError, ValueError) as error:
            errors.explain_failed_pass(error, model, paths)
            raise
        errors.check_all_built(unbuilt)
        missing = {path: missing.get(path) or capture.reason(paths[path]) for path in wanted}
        errors.refuse(named, missing)
        value = errors.checked_value(target(y))

    sources = {
        "weights": variables,
        "inputs": x if inputs else (),
        "layers": {path: capture.calls[id(paths[path])] for path in wanted if not missing[path]},
    }
    found = _gradients(tape, value, sources)
    why_none = {path: reason for path, reason in missing.items() if reason}
    why_none |= errors.explain(sources, found, model, paths, named)
    return Gradients(
        value=value,
        weights=found["weights"],
        inputs=found["inputs"] if inputs else None,
        activations=sources["layers"],
        activation_gradients=found["layers"],
        why_none=why_none,
    )


def _gradients(tape, value, sources):
    """`tape.gradient` for a structure in which some leaves cannot have a gradient."""
    leaves = keras.tree.flatten(sources)
    able = [differentiable(leaf) for leaf in leaves]
    found = iter(tape.gradient(value, list(itertools.compress(leaves, able))))
    return keras.tree.pack_sequence_as(sources, [next(found) if ok else None for ok in able])


def weight_gradients(
    model: keras.Layer, x: Tree, target: Target, *, training: bool = False
) -> dict[str, Any]:
    """Return `{path of the weight: gradient}` for the trainable weights of `model`."""
    return value_and_gradients(model, x, target, training=training).weights


def input_gradients(model: keras.Layer, x: Tree, target: Target, *, training: bool = False) -> Tree:
    """Return the gradients of the target with respect to `x`, in the structure of `x`."""
    return value_and_gradients(
        model, x, target, weights=False, inputs=True, training=training
    ).inputs


def activation_gradients(
    model: keras.Layer,
    x: Tree,
    target: Target,
    layers: str | Iterable[str],
    *,
    training: bool = False,
) -> dict[str, list[Tree]]:
    """Return `{path of the layer: [gradient of the first call's output, of the second's, ...]}`."""
    return value_and_gradients(
        model, x, target, weights=False, layers=layers, training=training
    ).activation_gradients


def weights_by_path(model: keras.Layer) -> dict[str, keras.Variable]:
    """Return the trainable weights of `model` under the path of the layer that owns each.

    Keras's own `weight.path` is the same for two weights when two nested models have layers of
    equal names; these keys are not.
    """
    return _weights_by_path(model, layer_paths(model))


def _weights_by_path(model, paths):
    owners = {}
    for prefix, layer in [("", model), *((f"{path}/", layer) for path, layer in paths.items())]:
        # What a layer itself owns; the public `trainable_weights` has its inner layers' too.
        for weight in (*layer._trainable_variables, *layer._non_trainable_variables):
            owners.setdefault(id(weight), f"{prefix}{weight.name}")
    trainable = model.trainable_weights
    count, seen, named = Counter(owners[id(weight)] for weight in trainable), Counter(), {}
    for weight in trainable:
        path = owners[id(weight)]
        seen[path] += 1
        named[f"{path}#{seen[path]}" if count[path] > 1 else path] = weight
    return named


# The three ways in a few lines each, for one layer and eager code. What is above does more.


def layer_by_layer_gradient(
    model: keras.Model, x: tf.Tensor, target: Target, name: str
) -> tf.Tensor:
    """Gradient with respect to one layer's output, by calling the layers one after the other.

    Args:
        model: a built stack: each of `model.layers` takes what the layer before it returned.
        x: tensor or array that the model is called with.
        target: maps the model's output to the scalar to differentiate.
        name: the name of one of `model.layers`.

    Returns:
        Tensor of the shape and dtype of that layer's output.

    Raises:
        ValueError: no layer has that name, the layers in a row do not give what the model gives,
            or the target does not depend on the layer.
    """
    errors.check_name(name, model)
    with tf.GradientTape() as tape:
        y = tf.convert_to_tensor(x)
        for layer in _called_layers(model):
            y = _call(layer, y, model)
            if layer.name == name:
                activation = y
                tape.watch(activation)
        value = errors.checked_value(target(y))
    errors.check_same_output(y, model(x), model)
    return errors.checked_gradient(tape.gradient(value, activation), name)


def sub_model_gradient(model: keras.Model, x: tf.Tensor, target: Target, name: str) -> tf.Tensor:
    """Gradient with respect to one layer's output, by a second model that has two outputs.

    Both outputs come from one new chain of calls, so it does not matter how the model was built.
    Every layer remembers the new call: if you ask often, build the second model once.

    Args:
        model: a built stack: each of `model.layers` takes what the layer before it returned.
        x: tensor or array that the model is called with.
        target: maps the model's output to the scalar to differentiate.
        name: the name of one of `model.layers`.

    Returns:
        Tensor of the shape and dtype of that layer's output.

    Raises:
        TypeError: the model has no `inputs` (a subclassed one, or one that was never built).
        ValueError: no layer has that name, the layers in a row do not give what the model gives,
            or the target does not depend on the layer.
    """
    errors.check_name(name, model)
    errors.check_inputs(model)
    inputs = y = keras.Input(batch_shape=model.inputs[0].shape, dtype=model.inputs[0].dtype)
    for layer in _called_layers(model):
        y = _call(layer, y, model)
        if layer.name == name:
            activation = y
    two_outputs = keras.Model(inputs, [activation, y])
    x = tf.cast(x, inputs.dtype)
    with tf.GradientTape() as tape:
        tape.watch(x)  # up to here there may be no weights, and then nothing else is watched
        activation, y = two_outputs(x)
        value = errors.checked_value(target(y))
    errors.check_same_output(y, model(x), model)
    return errors.checked_gradient(tape.gradient(value, activation), name)


def _called_layers(model):
    return [layer for layer in model.layers if not isinstance(layer, keras.layers.InputLayer)]


def _call(layer, y, model):
    try:
        return layer(y)
    except (TypeError, ValueError, NotImplementedError) as error:
        raise ValueError(errors.not_in_a_row(layer, model)) from error


def captured_gradients(
    model: keras.Model, x: tf.Tensor, target: Target, layer: keras.Layer
) -> list[tf.Tensor]:
    """Gradients with respect to the outputs of one layer, caught while the whole model runs.

    Args:
        model: any built model.
        x: tensor or array that the model is called with.
        target: maps the model's output to the scalar to differentiate.
        layer: a layer somewhere inside the model, that returns one tensor.

    Returns:
        One tensor for each call of the layer, in order, of its output's shape and dtype. Each is
        partial: it counts what this output goes into, not what else is made of the same numbers.

    Raises:
        ValueError: the model did not call the layer, or the target does not depend on it.
    """
    call, own, kept = layer.call, vars(layer).get("call"), []

    def call_and_keep(*args, **kwargs):
        output = tf.identity(call(*args, **kwargs))
        tape.watch(output)
        kept.append(output)
        return output

    with tf.GradientTape() as tape:
        layer.call = call_and_keep
        try:
            y = model(x)
        finally:
            if own is None:
                del layer.call
            else:
                layer.call = own
        value = errors.checked_value(target(y))
    errors.check_called(kept, layer)
    return [errors.checked_gradient(g, layer.name) for g in tape.gradient(value, kept)]


def draw_calls(model: keras.Model, name: str) -> Picture:
    """Draw every symbolic call of a model's layers, from the nodes that Keras keeps.

    Args:
        model: a Sequential or functional model with one output.
        name: the name of one of `model.layers`, whose `output` is marked.

    Returns:
        A picture for a notebook; its `text` says the same in words. `intact` tells whether the
        model's output is computed from the layer's `output`.

    Raises:
        TypeError: the model has no `inputs` (a subclassed one, or one that was never built).
        ValueError: no layer has that name.
    """
    errors.check_name(name, model)
    errors.check_inputs(model)
    calls = {}  # label → the box and the labels of the calls before it

    def visit(tensor):
        layer, call, _ = tensor._keras_history
        label = f"{layer.name}[{call}]"
        if label not in calls:
            before = layer._inbound_nodes[call].arguments.keras_tensors
            labels = [visit(t) for t in before]
            says = "" if label in behind else "the model's output does not use it"
            box = Box(label, [f"shape {tensor.shape}", says], leaf=True)
            calls[label] = (box, labels)
        return label

    behind = _labels_behind(model.outputs[0])
    for layer in model.layers:
        for node in layer._inbound_nodes:
            visit(node.output_tensors[0])
    source, target = visit(model.get_layer(name).output), visit(model.outputs[0])
    calls[source][0].lines[0] += f", {name}.output"
    calls[target][0].lines[0] += ", model.outputs[0]"
    calls[source][0].broken = source not in behind
    boxes = [box for box, _ in calls.values()]
    place = {label: n for n, label in enumerate(calls)}
    links = {
        (place[before], place[label]): "yes" if label in behind else "no"
        for label, (_, labels) in calls.items()
        for before in labels
    }
    verdict = (
        f"model.outputs[0] comes from {', '.join(label for label in calls if label in behind)}."
    )
    if source not in behind:
        verdict += f" {name}.output is {source}: another call."
    lines = [f"{label} uses {', '.join(used) or 'nothing'}." for label, (_, used) in calls.items()]
    text = "\n".join([verdict, *lines])
    svg = svg_of(*layered(boxes, links), [verdict], text)
    return Picture(svg, text, source in behind, None if source in behind else "other_call")


def _labels_behind(tensor):
    labels, todo = set(), [tensor]
    while todo:
        layer, call, _ = todo.pop()._keras_history
        label = f"{layer.name}[{call}]"
        if label not in labels:
            labels.add(label)
            todo += layer._inbound_nodes[call].arguments.keras_tensors
    return labels
