"""Turns what an answer returned into plain data: type, shape, dtype, values, None, exception.

A judge that only reads such observations need not trust the object that was returned: an
`__eq__` that is always true, say, never gets a word in.
"""

from typing import Any

import numpy as np
import tensorflow as tf

from classroom.observation import Observation

LARGEST = 100_000  # elements of one array that are kept
DEEPEST = 6  # levels of nested containers


def observe(value: Any, depth: int = 0) -> Observation:
    """Describe a value as JSON-able data; arrays' numbers are kept as float hex strings or ints.

    Returns a dict with `kind`: "none", "bool", "int", "float", "str", "tensor", "sequence",
    "mapping", "symbolic" or "other", and what belongs to that kind.
    """
    if value is None:
        return {"kind": "none"}
    if type(value) in (bool, int, str):
        return {"kind": type(value).__name__, "value": value}
    if type(value) in (float, np.float64):  # NumPy's is a float of Python's
        return {"kind": "float", "value": float(value).hex()}
    if isinstance(
        value, tf.IndexedSlices
    ):  # the gradient of a lookup: judged by what it adds up to
        value = tf.convert_to_tensor(value)
    if type(value).__name__ == "KerasTensor":
        return {"kind": "symbolic", "shape": list(value.shape), "dtype": str(value.dtype)}
    if isinstance(value, (tf.Tensor, tf.Variable, np.ndarray, np.generic)) or is_keras_variable(
        value
    ):
        return observe_array(value)
    if depth < DEEPEST and isinstance(value, (list, tuple)):  # Keras keeps lists as its own kind
        kind = list if isinstance(value, list) else tuple
        items = [observe(item, depth + 1) for item in kind.__iter__(value)]
        return {"kind": "sequence", "items": items}
    if depth < DEEPEST and isinstance(value, dict):
        items = {str(key): observe(item, depth + 1) for key, item in value.items()}
        return {"kind": "mapping", "items": items}
    return {"kind": "other", "type": type(value).__name__}


def is_keras_variable(value: Any) -> bool:
    return isinstance(getattr(value, "value", None), (tf.Variable, tf.Tensor))


def observe_array(value: Any) -> Observation:
    if is_keras_variable(value):
        value = value.value
    if isinstance(value, tf.Tensor) and not hasattr(value, "numpy"):
        return {"kind": "symbolic", "shape": list(value.shape), "dtype": value.dtype.name}
    array = np.asarray(value)
    seen = {"kind": "tensor", "shape": list(array.shape), "dtype": array.dtype.name}
    if array.size > LARGEST:
        return {**seen, "kind": "other", "type": f"array of {array.size} elements"}
    if array.dtype.kind == "f" or array.dtype.name == "bfloat16":
        seen["values"] = [float(number).hex() for number in array.ravel()]
    elif array.dtype.kind in "iub":
        seen["values"] = [int(number) for number in array.ravel()]
    else:
        seen["values"] = [str(item) for item in array.ravel()]
    return seen


def observe_exception(error: BaseException) -> Observation:
    """Describe an exception by its class and the first line of its message."""
    first = (str(error).strip().splitlines() or [""])[0]
    return {"kind": "exception", "type": type(error).__name__, "message": first[:300]}
