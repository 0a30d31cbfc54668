"""Reads observations (see observe.py) without TensorFlow: numbers, and a text for a learner."""

import math
from typing import Any

import numpy as np

Observation = dict[str, Any]


def numbers(seen: Observation) -> np.ndarray:
    """The values of a "tensor", "float", "int" or "bool" observation as a float64 array."""
    if seen["kind"] == "float":
        return np.float64(float.fromhex(seen["value"]))
    if seen["kind"] in ("int", "bool"):
        return np.float64(seen["value"])
    values = [float.fromhex(v) if isinstance(v, str) else float(v) for v in seen["values"]]
    return np.array(values, np.float64).reshape(seen["shape"])


def is_numeric(seen: Observation) -> bool:
    if seen["kind"] == "tensor":
        return not seen["dtype"].startswith(("str", "object", "complex"))
    return seen["kind"] in ("float", "int", "bool")


def show(seen: Observation, digits: int = 4) -> str:
    """A short text for a learner: what it is, its shape and dtype, its first values."""
    kind = seen["kind"]
    if kind == "none":
        return "None"
    if kind == "exception":
        return f"{seen['type']}: {seen['message']}"
    if kind == "symbolic":
        return f"a symbolic tensor (a description, no values) of shape {shape_text(seen)}"
    if kind == "other":
        return f"an object of type {seen['type']}"
    if kind == "str":
        return repr(seen["value"])
    if kind == "sequence":
        inside = ", ".join(show(item, digits) for item in seen["items"][:4])
        more = f", … {len(seen['items'])} in all" if len(seen["items"]) > 4 else ""
        return f"[{inside}{more}]"
    if kind == "mapping":
        inside = ", ".join(f"{k!r}: {show(v, digits)}" for k, v in list(seen["items"].items())[:4])
        more = f", … {len(seen['items'])} in all" if len(seen["items"]) > 4 else ""
        return f"{{{inside}{more}}}"
    if not is_numeric(seen):
        return f"{seen['dtype']} {shape_text(seen)}: {seen['values'][:4]}"
    flat = np.ravel(numbers(seen))
    values = " ".join(format_number(number, digits) for number in flat[:6])
    if flat.size > 6:
        values += " …"
    if kind != "tensor":
        return values
    return f"{seen['dtype']} of shape {shape_text(seen)}: {values}"


def shape_text(seen: Observation) -> str:
    return str(tuple(seen["shape"]))


def format_number(number: float, digits: int) -> str:
    if math.isfinite(number) and number == int(number) and abs(number) < 1e6:
        return str(int(number))
    return f"{number:.{digits}g}"
