"""Seals an expected observation: `check` can still tell right from wrong, a reader cannot see it.

Kinds of containers, shapes and dtypes stay readable. Values become one slow, salted digest over
buckets: the real line is stretched so that the tolerance `atol + rtol·|v|` has length 1 everywhere,
t(v) = sign(v)·ln(1 + rtol·|v|/atol)/rtol, and cut into buckets of length 8. Of two ways to cut,
half a bucket apart, that one is taken which has the expected value away from the edges: a right
answer, within the tolerance, falls into the same bucket. That choice, one bit a number, is all
that is written down of a value.

A seal keeps an answer from being read. It cannot keep True or False, a small integer or a short
name from being found by trying: the digest only makes each try slow.
"""

import hashlib
import json
from collections.abc import Iterator
from typing import Any

import numpy as np

from classroom.observation import Observation, is_numeric, numbers, shape_text, show

BUCKET = 8.0  # in tolerances
COST = {"n": 2**14, "r": 8, "p": 1}  # of scrypt: 16 MB and some 50 ms a try
PLAIN = ("none", "bool", "int", "float", "str", "exception")  # shown by no more than that


def seal(expected: Observation, rtol: float, atol: float, salt: str) -> Observation:
    """The observation without its values: kind "sealed".

    Args:
        expected: what observe.py returned for the right answer.
        rtol: relative tolerance, as in the probe.
        atol: absolute tolerance.
        salt: any text; equal salts and values give equal digests.
    """
    parts = list(leaves(expected))
    shifts = "".join(shifts_of(leaf, rtol, atol) for leaf in parts)
    sealed = {"kind": "sealed", "outline": outline(expected), "shifts": shifts}
    sealed |= {"rtol": rtol, "atol": atol, "salt": salt}
    return sealed | {"text": text(sealed["outline"]), "digest": digest(expected, sealed)}


def difference(sealed: Observation, got: Observation) -> str | None:
    """None if the values are those that were sealed; else one sentence on what differs."""
    problem = outline_difference(sealed["outline"], got)
    if problem:
        return problem
    if digest(got, sealed) == sealed["digest"]:
        return None
    if got["kind"] != "tensor":
        return f"{show(got)} is not what the docstring asks for on this question."
    values = numbers(got) if is_numeric(got) else np.zeros(0)
    if np.isnan(values).any():
        return "Shape and dtype are right, but some values are NaN."
    if values.size and not values.any():
        return "Shape and dtype are right, but every value is zero."
    return "Shape and dtype are right; values differ."


def outline(seen: Observation) -> Any:
    """What may be read: containers, shapes, dtypes. Of numbers, names and None nothing."""
    if seen["kind"] == "sequence":
        return {"kind": "sequence", "items": [outline(item) for item in seen["items"]]}
    if seen["kind"] == "mapping":
        return {"kind": "mapping", "items": {k: outline(v) for k, v in seen["items"].items()}}
    if seen["kind"] in PLAIN:
        return {"kind": "plain"}
    return {key: seen[key] for key in ("kind", "shape", "dtype", "type") if key in seen}


def outline_difference(shape: Any, got: Observation) -> str | None:
    if got["kind"] == "exception" and shape["kind"] != "plain":
        return f"{show(got)} came instead of {text(shape)}."
    if shape["kind"] in ("sequence", "mapping"):
        return container_difference(shape, got)
    if shape["kind"] == "plain":
        return None
    if shape["kind"] != "tensor" or not is_numeric(got):
        same = shape == outline(got)
        return None if same else f"Expected {text(shape)}; got {show(got)}."
    has = list(numbers(got).shape)
    if has != shape["shape"]:
        turned = len(has) > 1 and has[::-1] == shape["shape"]
        hint = " (transposed)" if turned else ""
        return f"The shape is {tuple(has)}{hint}; expected {shape_text(shape)}."
    dtype = got.get("dtype", "")
    if "float" in dtype and "float" in shape["dtype"] and dtype != shape["dtype"]:
        return f"The dtype is {dtype}; expected {shape['dtype']}."
    return None


def container_difference(shape: Any, got: Observation) -> str | None:
    if got["kind"] != shape["kind"]:
        return f"Expected {text(shape)}; got {show(got)}."
    ours, theirs = shape["items"], got["items"]
    if shape["kind"] == "sequence":
        ours, theirs = dict(enumerate(ours)), dict(enumerate(theirs))
    if set(ours) != set(theirs):
        return f"Expected entries {list(ours)}; got {list(theirs)}."
    for key, inner in ours.items():
        problem = outline_difference(inner, theirs[key])
        if problem:
            return f"Entry {key!r}: {problem}"
    return None


def text(shape: Any) -> str:
    """The outline in words."""
    if shape["kind"] == "sequence":
        return f"[{', '.join(map(text, shape['items']))}]"
    if shape["kind"] == "mapping":
        return "{" + ", ".join(f"{k!r}: {text(v)}" for k, v in shape["items"].items()) + "}"
    if shape["kind"] == "tensor":
        return f"{shape['dtype']} of shape {shape_text(shape)}"
    return "what the docstring says" if shape["kind"] == "plain" else show(shape)


def leaves(seen: Observation) -> Iterator[Observation]:
    if seen["kind"] == "sequence":
        for item in seen["items"]:
            yield from leaves(item)
    elif seen["kind"] == "mapping":
        for key in sorted(seen["items"]):
            yield from leaves(seen["items"][key])
    else:
        yield seen


def stretched(leaf: Observation, rtol: float, atol: float) -> np.ndarray:
    """t(v) in buckets, for each number of a leaf."""
    rtol, atol = max(rtol, 1e-12), max(atol, 1e-12)
    values = np.ravel(numbers(leaf))
    return np.sign(values) * np.log1p(rtol / atol * np.abs(values)) / rtol / BUCKET


def shifts_of(leaf: Observation, rtol: float, atol: float) -> str:
    """For each number "0", or "1" if its buckets begin half a bucket earlier."""
    if not is_numeric(leaf):
        return "0"
    inside = np.mod(np.nan_to_num(stretched(leaf, rtol, atol)), 1.0)
    return "".join("0" if 0.25 <= number < 0.75 else "1" for number in inside)


def digest(seen: Observation, sealed: Observation) -> str:
    """The slow digest over the buckets of all numbers and the other leaves as they are."""
    shifts, parts = iter(sealed["shifts"]), []
    for leaf in leaves(seen):
        if is_numeric(leaf):
            found = stretched(leaf, sealed["rtol"], sealed["atol"])
            shifted = [n + int(next(shifts, "0")) / 2 for n in found]
            parts.append([int(np.floor(n)) if np.isfinite(n) else str(n) for n in shifted])
        else:
            next(shifts, None)
            said = (leaf.get(key) for key in ("value", "values", "type"))
            parts.append([leaf["kind"], next((s for s in said if s is not None), None)])
    message = json.dumps(parts, ensure_ascii=False).encode()
    return hashlib.scrypt(message, salt=sealed["salt"].encode(), **COST, dklen=16).hex()
