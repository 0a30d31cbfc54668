"""How `intermediate_activations` gets hold of a layer's output while the model runs."""

import contextlib
import threading
from collections.abc import Iterator

import keras
import tensorflow as tf


class Capture:
    """Keeps what the chosen layers return while a model runs in this thread, call by call."""

    def __init__(self, tape, layers):
        self.tape = tape
        self.layers = {id(layer): layer for layer in layers}
        self.calls = {key: [] for key in self.layers}
        self.elsewhere = set()  # the layers that ran in another graph than the pass itself
        self.graph = None if tf.executing_eagerly() else tf.compat.v1.get_default_graph()

    @contextlib.contextmanager
    def taps(self) -> Iterator[None]:
        """Tap the layers. Afterwards each is as before, also when the model raised."""
        tapped = []
        captures = _this_thread.__dict__.setdefault("captures", [])
        captures.append(self)
        try:
            for layer in self.layers.values():
                _Tap.open(layer)
                tapped.append(layer)
            yield
        finally:
            captures.remove(self)
            for layer in tapped:
                _Tap.close(layer)

    def keep(self, layer, outputs):
        """Return the outputs for the model to go on with: identities that this capture holds."""
        if id(layer) not in self.layers:
            return outputs
        single = tf.is_tensor(outputs)  # nearly always; a structure's handling takes its time
        leaves = [outputs] if single else keras.tree.flatten(outputs)
        if any(getattr(t, "graph", None) is not self.graph for t in leaves if tf.is_tensor(t)):
            self.elsewhere.add(id(layer))
            return outputs
        leaves = [_identity(leaf) for leaf in leaves]
        self.tape.watch([leaf for leaf in leaves if differentiable(leaf)])
        outputs = leaves[0] if single else keras.tree.pack_sequence_as(outputs, leaves)
        self.calls[id(layer)].append(outputs)
        return outputs

    def reason(self, layer) -> str | None:
        """Why the pass left nothing to differentiate for this layer, or None if all is well."""
        if id(layer) in self.elsewhere:
            return (
                "its output was computed inside another graph (a `tf.while_loop`, `tf.cond`, "
                "`tf.map_fn` or inner `tf.function`), and a tensor of that graph cannot be handed "
                "out. Return it from the loop or function as a part of the layer's output, or run "
                "eagerly: `tf.config.run_functions_eagerly(True)`"
            )
        if not self.calls[id(layer)]:
            return (
                "the forward pass never called it. Ask for a layer that the model does call for "
                "this input and this `training`; a layer whose parent reaches past its `call` "
                "(quantized, or a fused kernel) cannot be captured"
            )
        return None


_this_thread = threading.local()  # .captures: those open in this thread
_lock = threading.Lock()  # held only while a tap is put in or taken out


class _Tap:
    """Stands in for a layer's `call`, for every thread, as long as any capture needs it."""

    def __init__(self, layer):
        self.layer, self.call, self.users = layer, layer.call, 0
        self.own = vars(layer).get("call")  # what somebody else had put there, if anything

    def __call__(self, *args, **kwargs):
        outputs = self.call(*args, **kwargs)
        for capture in getattr(_this_thread, "captures", ()):
            outputs = capture.keep(self.layer, outputs)
        return outputs

    @staticmethod
    def open(layer):
        with _lock:
            # Written past `__setattr__`, in which Keras tracks what a layer is given.
            tap = vars(layer).get("call")
            if not isinstance(tap, _Tap):
                tap = vars(layer)["call"] = _Tap(layer)
            tap.users += 1

    @staticmethod
    def close(layer):
        with _lock:
            tap = vars(layer)["call"]
            tap.users -= 1
            if not tap.users and tap.own is None:
                del vars(layer)["call"]
            elif not tap.users:
                vars(layer)["call"] = tap.own


def _identity(leaf):
    if not tf.is_tensor(leaf):
        return leaf
    # The raw operation takes half the time of `tf.identity`, which also takes composite tensors.
    copy = tf.raw_ops.Identity(input=leaf) if isinstance(leaf, tf.Tensor) else tf.identity(leaf)
    if getattr(leaf, "_keras_mask", None) is not None:
        copy._keras_mask = leaf._keras_mask  # a Masking layer's message to those that follow
    return copy


def differentiable(leaf) -> bool:
    """Whether the leaf is a tensor or variable of a dtype that has derivatives."""
    dtype = getattr(leaf, "dtype", None)
    return isinstance(dtype, tf.DType) and (dtype.is_floating or dtype.is_complex)
