"""Compares two observations. Knows nothing of TensorFlow, and nothing of how they came about."""

import numpy as np

from classroom import seal
from classroom.observation import Observation, is_numeric, numbers, shape_text, show


def same(expected: Observation, got: Observation, rtol: float = 1e-5, atol: float = 1e-6) -> bool:
    """Whether `got` is the expected observation: kinds, shapes and values within the tolerance."""
    return difference(expected, got, rtol, atol) is None


def difference(expected: Observation, got: Observation, rtol: float, atol: float) -> str | None:
    """None if equal; else one sentence that says in which respect `got` differs."""
    if expected["kind"] == "sealed":
        return seal.difference(expected, got)
    if got["kind"] == "exception" or expected["kind"] == "exception":
        equal = got["kind"] == expected["kind"] and got["type"] == expected["type"]
        return None if equal else f"{show(got)} came instead of {show(expected)}."
    if is_numeric(expected) and is_numeric(got):
        return array_difference(expected, got, rtol, atol)
    if expected["kind"] != got["kind"]:
        return f"Expected {show(expected)}; got {show(got)}."
    if expected["kind"] in ("sequence", "mapping"):
        return container_difference(expected, got, rtol, atol)
    return None if expected == got else f"Expected {show(expected)}; got {show(got)}."


def container_difference(
    expected: Observation, got: Observation, rtol: float, atol: float
) -> str | None:
    ours, theirs = expected["items"], got["items"]
    if expected["kind"] == "sequence":
        ours, theirs = dict(enumerate(ours)), dict(enumerate(theirs))
    if list(ours) != list(theirs) and set(ours) != set(theirs):
        return f"Expected entries {list(ours)}; got {list(theirs)}."
    for key, item in ours.items():
        sentence = difference(item, theirs[key], rtol, atol)
        if sentence:
            return f"Entry {key!r}: {sentence}"
    return None


def array_difference(
    expected: Observation, got: Observation, rtol: float, atol: float
) -> str | None:
    ours, theirs = numbers(expected), numbers(got)
    if ours.shape != theirs.shape:
        hint = " (transposed)" if ours.T.shape == theirs.shape and ours.ndim > 1 else ""
        got_shape = shape_text(got) if got["kind"] == "tensor" else "() — a number"
        return f"The shape is {got_shape}{hint}; expected {ours.shape}."
    both_floats = "float" in expected.get("dtype", "") and "float" in got.get("dtype", "")
    if both_floats and expected["dtype"] != got["dtype"]:
        return f"The dtype is {got['dtype']}; expected {expected['dtype']}."
    if np.allclose(theirs, ours, rtol=rtol, atol=atol, equal_nan=True):
        return None
    if np.isnan(theirs).any() and not np.isnan(ours).any():
        return "Some values are NaN."
    if not theirs.any():
        return "Shape and dtype are right, but every value is zero."
    if np.allclose(theirs, -ours, rtol=rtol, atol=atol):
        return "Shape and dtype are right, but every sign is flipped."
    factor = constant_factor(ours, theirs)
    if factor is not None:
        return f"Shape and dtype are right, but every value is {factor:.4g} times the expected one."
    wrong = ~np.isclose(theirs, ours, rtol=rtol, atol=atol, equal_nan=True)
    return f"Shape and dtype are right; {int(wrong.sum())} of {wrong.size} values differ."


def constant_factor(ours: np.ndarray, theirs: np.ndarray) -> float | None:
    """The one number by which all of ours were multiplied to give theirs, if there is one."""
    where = np.abs(ours) > 1e-12
    if not where.any() or ours.size < 2 or np.abs(theirs[~where]).max(initial=0.0) > 1e-12:
        return None
    with np.errstate(all="ignore"):  # infinite, or not there: no factor then
        ratios = theirs[where] / ours[where]
    return float(ratios[0]) if np.allclose(ratios, ratios[0], rtol=1e-4) else None
