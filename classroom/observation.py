"""Reads observations (see observe.py) without TensorFlow: numbers, and a text for a learner."""

import math
import re
from typing import Any

import numpy as np

Observation = dict[str, Any]

# re.ASCII: other scripts' digits are digits to `\d`, and not to float.fromhex
DTYPE = re.compile(r"(b?float|u?int|complex)\d{1,3}(_\w{1,12})?|bool|str\d*|object", re.ASCII)
HEX = re.compile(r"-?0x[01](\.[0-9a-f]{1,14})?p[+-]\d{1,4}|-?inf|nan", re.ASCII)
LONGEST, LARGEST_INT, DEEPEST = 100_000, 2**64, 8
MOST_PLACES = 2**48  # of a shape, its zeros aside


def valid(seen: Any, depth: int = 0) -> bool:
    """Whether this is an observation that the functions of this module and the judge can read.

    Observations come out of a sandbox where a student's code may have written them: any JSON may
    come. What is valid has only the keys of its kind, of bounded size.
    """
    if type(seen) is not dict or type(seen.get("kind")) is not str or depth > DEEPEST:
        return False
    kind, keys = seen["kind"], set(seen) - {"kind"}
    if kind == "none":
        return not keys
    if kind in ("bool", "int", "str", "float"):
        return keys == {"value"} and valid_value(kind, seen["value"])
    if kind == "tensor":
        return keys == {"shape", "dtype", "values"} and valid_tensor(seen)
    if kind == "symbolic":
        return keys == {"shape", "dtype"} and valid_dtype(seen) and valid_shape(seen, (None,))
    if kind == "sequence":
        items = seen.get("items")
        return keys == {"items"} and type(items) is list and all(valid(i, depth + 1) for i in items)
    if kind == "mapping":
        items = seen.get("items")
        return (
            keys == {"items"}
            and type(items) is dict
            and all(valid(item, depth + 1) for item in items.values())
        )
    if kind == "exception":
        return keys == {"type", "message"} and is_text(seen["type"]) and is_text(seen["message"])
    if kind == "other":  # of an array that is too large the shape is said as well
        if keys == {"type", "shape", "dtype"}:
            return is_text(seen["type"]) and valid_dtype(seen) and valid_shape(seen)
        return keys == {"type"} and is_text(seen["type"])
    return False


def valid_value(kind: str, value: Any) -> bool:
    if kind == "float":
        return type(value) is str and is_hex_float(value)
    if type(value).__name__ != kind:
        return False
    return kind != "int" or abs(value) <= LARGEST_INT


def is_hex_float(text: str) -> bool:
    try:
        return HEX.fullmatch(text) is not None and float.fromhex(text) is not None
    except OverflowError:
        return False


def valid_tensor(seen: Observation) -> bool:
    values = seen["values"]
    if not (valid_dtype(seen) and valid_shape(seen) and type(values) is list):
        return False
    if len(values) != math.prod(seen["shape"]) or len(values) > LONGEST:
        return False
    if math.prod(n or 1 for n in seen["shape"]) > MOST_PLACES:  # NumPy refuses (0, 2**40, 2**40)
        return False
    if seen["dtype"].startswith(("float", "bfloat")):
        return all(valid_value("float", value) for value in values)
    if seen["dtype"].startswith(("int", "uint", "bool")):
        return all(valid_value("int", value) for value in values)
    return all(type(value) is str for value in values)


def valid_dtype(seen: Observation) -> bool:
    return type(seen["dtype"]) is str and DTYPE.fullmatch(seen["dtype"]) is not None


def valid_shape(seen: Observation, besides: tuple = ()) -> bool:
    shape = seen["shape"]
    return (
        type(shape) is list
        and len(shape) <= 32
        and all(n in besides or (type(n) is int and 0 <= n <= 2**40) for n in shape)
    )


def is_text(value: Any) -> bool:
    return type(value) is str and len(value) <= 1000


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
