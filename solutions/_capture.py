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
        self.graph = _current_graph()

    @contextlib.contextmanager
    def taps(self) -> Iterator[None]:
        """Tap the layers. Afterwards each is as before, also when the model raised."""
        taps = []
        captures = _this_thread.__dict__.setdefault("captures", [])
        captures.append(self)
        try:
            for layer in self.layers.values():
                taps.append(_Tap.open(layer))
            yield
        finally:
            captures.remove(self)
            for tap in taps:
                tap.close()

    def keep(self, layer, outputs):
        """Return the outputs for the model to go on with: identities that this capture holds."""
        if id(layer) not in self.layers:
            return outputs
        if _current_graph() is not self.graph:
            self.elsewhere.add(id(layer))
            return outputs
        single = tf.is_tensor(outputs)  # nearly always; a structure's handling takes its time
        leaves = [outputs] if single else keras.tree.flatten(outputs)
        leaves = [_identity(leaf) for leaf in leaves]
        self.tape.watch([leaf for leaf in leaves if differentiable(leaf)])
        if single:
            kept = outputs = leaves[0]
        else:  # what is no tensor goes on to the model, but out of no `tf.function`
            tensors = [leaf if tf.is_tensor(leaf) else None for leaf in leaves]
            kept = keras.tree.pack_sequence_as(outputs, tensors)
            outputs = keras.tree.pack_sequence_as(outputs, leaves)
        self.calls[id(layer)].append(kept)
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
                "this input and this `training`. A layer inside a `tf.function` that was traced "
                "before can be captured after `tf.config.run_functions_eagerly(True)`; one that "
                "runs in another thread, or whose parent reaches past its `call` (a fused "
                "kernel), cannot"
            )
        return None


_this_thread = threading.local()  # .captures: those open in this thread
_lock = threading.Lock()  # held only while a tap is put in or taken out


def _current_graph():
    return None if tf.executing_eagerly() else tf.compat.v1.get_default_graph()


class _Tap:
    """Stands in for a layer's `call`, for every thread, as long as any capture needs it."""

    def __init__(self, layer, method):
        self.layer, self.method, self.call, self.users = layer, method, getattr(layer, method), 0
        self.own = vars(layer).get(method)  # what somebody else had put there, if anything

    def __call__(self, *args, **kwargs):
        outputs = self.call(*args, **kwargs)
        for capture in getattr(_this_thread, "captures", ()):
            outputs = capture.keep(self.layer, outputs)
        return outputs

    @staticmethod
    def open(layer):
        quantized = getattr(layer, "quantization_mode", None) is not None
        method = "quantized_call" if quantized else "call"
        with _lock:
            # Written past `__setattr__`, in which Keras tracks what a layer is given.
            tap = vars(layer).get(method)
            if not isinstance(tap, _Tap):
                tap = vars(layer)[method] = _Tap(layer, method)
            tap.users += 1
        return tap

    def close(self):
        with _lock:
            self.users -= 1
            if not self.users and self.own is None:
                del vars(self.layer)[self.method]
            elif not self.users:
                vars(self.layer)[self.method] = self.own


def _identity(leaf):
    if not tf.is_tensor(leaf):
        return leaf
    # The raw operation takes half the time of `tf.identity`, which also takes composite tensors.
    copy = tf.raw_ops.Identity(input=leaf) if isinstance(leaf, tf.Tensor) else tf.identity(leaf)
    carry_notes(leaf, copy)
    return copy


def carry_notes(tensor, copy):
    """Copy what Keras's layers note on a tensor for those that follow.

    These are the mask of a Masking layer, and the logits of a softmax or sigmoid, from which
    Keras's cross-entropies go on: from the probabilities, one below 1e-7 would give another loss.
    """
    for note in ("_keras_mask", "_keras_logits"):
        if getattr(tensor, note, None) is not None:
            setattr(copy, note, getattr(tensor, note))


def differentiable(leaf) -> bool:
    """Whether the leaf is a tensor or variable that a tape can differentiate by."""
    dtype = getattr(leaf, "dtype", None)
    able = isinstance(dtype, tf.DType) and (dtype.is_floating or dtype.is_complex)
    return able and not isinstance(leaf, tf.SparseTensor)
