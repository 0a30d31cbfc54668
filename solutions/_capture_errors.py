"""What `intermediate_activations` refuses or explains: each message says why, and what to do."""

import difflib
import fnmatch
import inspect
import itertools
from collections.abc import Iterable

import keras
import numpy as np
import tensorflow as tf

from solutions._capture import differentiable

LESSON = "Lesson: intermediate_activations."
_STARRED = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)

NO_PATH = (
    "the target does not depend on it, as far as the tape can see: what follows does not use it, "
    "an operation without a derivative (`tf.stop_gradient`, an integer, a value that left "
    "TensorFlow) stands between, or it was computed where a tape does not look (inside a "
    "`tf.custom_gradient`, `tf.recompute_grad` or `tf.vectorized_map`)"
)


def check_model(model):
    if not isinstance(model, keras.Layer):
        raise TypeError(
            f"A Keras model or layer was expected and {type(model).__name__} was passed. Only "
            f"Keras layers can be listed and captured. Pass the model itself, not a function "
            f"around it. {LESSON}"
        )


def as_tensors(x):
    """Return `x` with tensors for its arrays."""
    leaves = keras.tree.flatten(x) if isinstance(x, (list, tuple)) else ()
    if leaves and all(isinstance(leaf, (bool, int, float, complex, str)) for leaf in leaves):
        raise TypeError(
            f"`x` is a {type(x).__name__} of plain Python values, which a model takes for as many "
            f"inputs. Pass one array, `np.array(x)`, or one tensor, `tf.constant(x)`. {LESSON}"
        )
    return keras.tree.map_structure(_as_tensor, x)


def _as_tensor(leaf):
    if isinstance(leaf, keras.KerasTensor):
        raise TypeError(
            f"`x` holds the KerasTensor {leaf.name!r}, which describes a tensor and has no value, "
            f"so nothing can be computed from it. Pass data: an array or a tensor of shape "
            f"{tuple(leaf.shape)}. Lesson: symbolic_outputs."
        )
    if leaf is None or isinstance(leaf, (tf.RaggedTensor, tf.SparseTensor)):
        return leaf
    try:
        return tf.convert_to_tensor(leaf)
    except (TypeError, ValueError) as error:
        raise TypeError(
            f"`x` holds a {type(leaf).__name__}, from which TensorFlow makes no tensor. Pass "
            f"arrays or tensors, alone or in lists, tuples and dicts; of a dataset, one batch, "
            f"`next(iter(dataset))`; of rows that differ in length, a `tf.ragged.constant`. "
            f"{LESSON}"
        ) from error


def check_replica(variables):
    """Refuse variables that exist once a replica, where no replica is running."""
    copies = (isinstance(v, tf.distribute.DistributedValues) for v in variables.values())
    if tf.distribute.in_cross_replica_context() and any(copies):
        raise ValueError(
            f"This was called inside `strategy.scope()`, where each weight stands for its copies "
            f"on all replicas and has no gradient of its own. Call it after the `with` block, or "
            f"in a function that `strategy.run` calls. {LESSON}"
        )


def explain_failed_pass(error, model, paths):
    """Raise again with reason and way out, if it is known why the model could not run."""
    parameters = inspect.signature(model.call).parameters.values()
    several = [p.name for p in parameters if p.default is p.empty and p.kind not in _STARRED]
    if len(several) > 1:
        raise TypeError(
            f"`call` of {model.name!r} needs {', '.join(map(repr, several))}, and `x` is passed as "
            f"one argument, the first. Wrap it in a model whose `call(self, x)` hands the parts "
            f"on, such as `self.inner(x[0], x[1])`, and pass `x` as a list. {LESSON}"
        ) from error
    inside = {model.name: model, **paths}
    remat = [path for path, layer in inside.items() if getattr(layer, "_remat_mode", None)]
    if remat and not tf.executing_eagerly() and "custom_gradient" in str(error):
        raise ValueError(
            f"The layer {remat[0]!r} was built under `keras.RematScope`, and inside a "
            f"`tf.function` no layer can be recomputed that is called with a keyword: `training`. "
            f"Build the model without that scope; or leave the `tf.function`, or pass "
            f"`training=None`, and ask for layers that are not recomputed. {LESSON}"
        ) from error


def check_target(target):
    if not callable(target):
        raise TypeError(
            f"`target` is {target!r:.60} and must be callable: a function from the model's output "
            f"to a scalar, such as `lambda y: loss(labels, y)` or `lambda y: y[0, 3]`. {LESSON}"
        )


def check_built(model):
    if not model.built:
        raise ValueError(
            f"The model {model.name!r} was never built, so its weights do not exist yet. Call it "
            f"once on data of the right shape, `model(x)`, or give it an `Input`. {LESSON}"
        )


def check_all_built(unbuilt):
    """Refuse a pass that created weights, because the tape was not told to watch those."""
    new = [path for path, layer in unbuilt.items() if layer.built and layer.trainable_weights]
    if new:
        raise ValueError(
            f"The layer {new[0]!r} was not built yet. This pass built it and so created its "
            f"weights, but did not follow them. They exist now: ask again. {LESSON}"
        )


def choose(layers, paths):
    """Return the paths that were named one by one, and those with all that patterns matched."""
    named, wanted = [], []
    one = isinstance(layers, str) or not isinstance(layers, Iterable)
    for path in [layers] if one else layers:
        if not isinstance(path, str):
            raise TypeError(
                f"`layers` holds a {type(path).__name__}, and layers are asked for by their path, "
                f"a string such as {next(iter(paths), 'dense')!r}. All paths are the keys of "
                f"`layer_paths(model)`. {LESSON}"
            )
        matches = [path] if path in paths else fnmatch.filter(paths, path) if "*" in path else []
        if not matches:
            raise ValueError(
                f"No layer of this model has the path {path!r}. {_did_you_mean(path, paths)}All "
                f"{len(paths)} paths are the keys of `layer_paths(model)`. {LESSON}"
            )
        named += [path] if path in paths else []
        wanted += matches
    return named, list(dict.fromkeys(wanted))


def _did_you_mean(path, paths):
    last = path.rsplit("/", 1)[-1]
    near = [p for p in paths if p.rsplit("/", 1)[-1].split("#")[0] == last][:3]
    near = near or difflib.get_close_matches(path, paths, n=3, cutoff=0.4)
    return f"Did you mean {' or '.join(map(repr, near))}? " if near else ""


def _chain(path, model, paths):
    """Return `[(name, layer)]` from the model down to the layer of this path."""
    parts = path.split("/")
    downwards = ["/".join(parts[: n + 1]) for n in range(len(parts))]
    return [(model.name, model), *((name, paths[name]) for name in downwards)]


def obstacles(model, paths):
    """Return `{path: reason}` for the layers known to be out of reach before the model runs."""
    reasons = {}
    for path, layer in paths.items():
        chain = _chain(path, model, paths)
        found = [_obstacle(*pair) for pair in itertools.pairwise(chain)]
        found.append(_own_obstacle(layer))
        if any(found):
            reasons[id(layer)] = next(filter(None, found))
    # By layer, not by path: a layer that is shared is out of reach under all its paths.
    return {path: reasons[id(layer)] for path, layer in paths.items() if id(layer) in reasons}


def _own_obstacle(layer):
    if isinstance(layer, keras.layers.InputLayer):
        return "an InputLayer is not called, it only describes the input. Ask with `inputs=True`"
    if not layer.built:
        return (
            "it is not built yet, so no call of the model has reached it so far. Call the model "
            "once; if that builds it, ask again, and if not, the model does not use this layer"
        )
    return None


def _obstacle(above, below):
    """Why nothing directly below this layer can be handed out, or None."""
    (name, layer), (_, child) = above, below
    if isinstance(layer, keras.layers.RNN) and child is layer.cell and not layer.unroll:
        return (
            f"{name!r} runs its cell inside a loop, and a tensor of one step cannot be handed "
            f"out of it. Set `.unroll = True` on {name!r} for this pass (the number of steps "
            f"must be fixed), or ask for {name!r} itself, built with `return_sequences=True`"
        )
    own_function = isinstance(layer.call, tf.types.experimental.PolymorphicFunction)
    if own_function and not tf.config.functions_run_eagerly():
        return (
            f"the `call` of {name!r} is a `tf.function` of its own, and a tensor inside its graph "
            f"cannot be handed out. Decorate the function that calls the model instead, or call "
            f"`tf.config.run_functions_eagerly(True)` for this pass"
        )
    return None


def refuse(named, missing):
    """Raise for the first path that was asked for by name and is out of reach."""
    for path in named:
        if missing.get(path):
            raise ValueError(
                f"The output of layer {path!r} cannot be captured: {missing[path]}. {LESSON}"
            )


def checked_value(value):
    if not tf.is_tensor(value):
        raise TypeError(
            f"`target` returned {value!r:.60} of {type(value)}, which is not a tensor, and only "
            f"what TensorFlow computes can be differentiated. Return a scalar tensor: no "
            f"`.numpy()`, no `float()`, no tuple. Lesson: left_tensorflow."
        )
    if not differentiable(value):
        raise ValueError(
            f"`target` returned a tensor of dtype {value.dtype.name}, which has no derivative: an "
            f"integer cannot change by a small amount. Return the score itself rather than its "
            f"index, or cast the labels. Lesson: not_differentiable."
        )
    if value.shape.rank != 0:
        raise ValueError(
            f"`target` returned a tensor of shape {value.shape}, and a tape would give the "
            f"gradient of the sum of its elements. Say what you mean: `tf.reduce_sum(...)`, "
            f"`tf.reduce_mean(...)` or one element. Lesson: summed_targets."
        )
    return value


def explain(sources, found, model, paths, named):
    """Return `{path: reason}` for every gradient that is None.

    Raise where nothing is left of something that was asked for.
    """
    gradients = keras.tree.flatten(found)
    if all(g is not None for g in gradients):
        return {}
    if sources["weights"] and all(g is None for g in gradients):
        raise ValueError(
            f"No gradient was found: the target is not connected to the weights of {model.name!r} "
            f"or to anything else asked for. It must be computed from the model's output, by "
            f"TensorFlow operations that have derivatives. {LESSON}"
        )
    why = {path: NO_PATH for path, gradient in found["weights"].items() if gradient is None}
    inputs = _reasons("inputs", sources["inputs"], found["inputs"], NO_PATH)
    if inputs and len(inputs) == len(keras.tree.flatten(found["inputs"])):
        raise ValueError(f"The gradient for `x` is None: {next(iter(inputs.values()))}. {LESSON}")
    why |= inputs
    for path, gradients in found["layers"].items():
        remat = _remat(model, path, paths)
        reasons = _reasons(path, sources["layers"][path], gradients, remat or NO_PATH)
        if path in named and len(reasons) == len(keras.tree.flatten(gradients)):
            raise ValueError(
                f"The gradient for the output of layer {path!r} is None: "
                f"{next(iter(reasons.values()))}. {LESSON}"
            )
        why |= reasons
    return why


def _reasons(label, sources, gradients, otherwise):
    reasons = {}
    leaves = keras.tree.flatten_with_path(sources)
    for (place, leaf), gradient in zip(leaves, keras.tree.flatten(gradients), strict=True):
        if gradient is None:
            key = label + "".join(f"[{step!r}]" for step in place)
            if not tf.is_tensor(leaf):
                reasons[key] = (
                    "it is not a tensor, nor a list, tuple or dict in which tensors are looked for"
                )
            elif isinstance(leaf, tf.SparseTensor):
                reasons[key] = (
                    "it is a SparseTensor, by which a tape cannot differentiate. Convert it with "
                    "`tf.sparse.to_dense` before the model is called, or ask for the layer that "
                    "makes it dense"
                )
            elif not differentiable(leaf):
                reasons[key] = (
                    f"its dtype is {leaf.dtype.name}, which has no derivative. Cast it to a float "
                    f"before the model is called, or, for token numbers, ask for the output of "
                    f"the embedding layer"
                )
            elif getattr(leaf, "_keras_logits", None) is not None:
                reasons[key] = (
                    f"{otherwise}. Keras's cross-entropies, too, go on from the logits that this "
                    f"softmax or sigmoid was given, not from what it returned. Ask for the layer "
                    f"that returns the logits; give the activation a layer of its own, if it has "
                    f"none"
                )
            else:
                reasons[key] = otherwise
    return reasons


def _remat(model, path, paths):
    if not any(getattr(layer, "_remat_mode", None) for _, layer in _chain(path, model, paths)):
        return None
    return (
        "it runs under `keras.RematScope`, which throws activations away and computes them a "
        "second time in the backward pass, out of this tape's sight. Build the model without "
        "that scope to look at its activations"
    )


def check_name(name, model):
    names = [layer.name for layer in model.layers]
    if name not in names:
        raise ValueError(
            f"{model.name!r} has no layer {name!r} of its own. {_did_you_mean(name, names)}Its "
            f"layers are {', '.join(map(repr, names))}. A layer that is further inside has a path: "
            f"see `activation_gradients`. {LESSON}"
        )


def check_inputs(model):
    if not getattr(model, "inputs", None):
        raise TypeError(
            f"{model.name!r} has no `inputs`: it was not made by calls on a `keras.Input`, so it "
            f"has no symbolic calls to make a second model from. Use `activation_gradients`, which "
            f"runs the model itself. {LESSON}"
        )


def not_in_a_row(layer, model):
    return (
        f"The layer {layer.name!r} of {model.name!r} does not accept what the layer before it "
        f"returned, so {model.name!r} is no stack: it joins, splits or skips. Use "
        f"`activation_gradients`, which runs the model itself. {LESSON}"
    )


def check_same_output(y, expected, model):
    if y.shape != expected.shape or not np.allclose(y, expected, rtol=1e-3, atol=1e-5):
        raise ValueError(
            f"The layers of {model.name!r}, one after the other, do not give what {model.name!r} "
            f"gives. Its `call` does something else between them (a residual, another order, a "
            f"function without a layer), so this gradient would be of another model. Use "
            f"`activation_gradients`, which runs the model itself. {LESSON}"
        )


def check_called(kept, layer):
    if not kept:
        raise ValueError(
            f"The model never called {layer.name!r} for this input, so there is no output to "
            f"differentiate by. Pass a layer that the model does call. {LESSON}"
        )


def checked_gradient(gradient, name):
    if gradient is None:
        raise ValueError(
            f"The gradient for the output of layer {name!r} is None: {NO_PATH}. {LESSON}"
        )
    return gradient
