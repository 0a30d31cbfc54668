"""What the gradients looked like while a tape worked backwards: only for `--also zeros,nan`.

Each step of the backward pass says, for one operation, whether the gradients that came in and
those that went out were fine, all zero, or not finite. Nothing here imports TensorFlow.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from whynone.paths import Link
from whynone.recording import Op

SATURATING = frozenset(
    [
        "Relu",
        "Relu6",
        "Elu",
        "Selu",
        "Softplus",
        "Sigmoid",
        "Tanh",
        "Softmax",
        "LogSoftmax",
        "Minimum",
        "Maximum",
        "ClipByValue",
        "SelectV2",
        "Select",
        "SoftmaxCrossEntropyWithLogits",
        "SparseSoftmaxCrossEntropyWithLogits",
        "Erf",
    ]
)
FLAT = frozenset(["Sign", "Round", "Rint", "Floor", "Ceil", "FloorDiv", "FloorMod"])
TINY = 1e-6


def state(array: Any) -> str:
    """ "none", "nan" (not finite), "zero" or "fine" for one gradient as a NumPy array."""
    if array is None:
        return "none"
    values = np.asarray(array)
    if values.size == 0 or values.dtype.kind not in "fc":
        return "fine" if values.dtype.kind not in "fcV" or values.size else "zero"
    if not np.isfinite(values).all():
        return "nan"
    return "fine" if values.any() else "zero"


def size(array: Any) -> float:
    """The largest absolute value; 0 for nothing."""
    values = np.asarray(array)
    return float(np.abs(values).max()) if values.size and values.dtype.kind in "fc" else 0.0


@dataclass
class BackStep:
    """The backward step of one operation."""

    op: Op
    came: list[str]
    went: list[str]
    vanished: list[bool]

    def kills(self, input: int) -> bool:
        """A gradient came in, and what went out to this input is zero (or next to it)."""
        alive = any(c in ("fine", "nan") for c in self.came)
        return (
            alive
            and input < len(self.went)
            and (self.went[input] == "zero" or self.vanished[input])
        )

    def breaks_down(self, input: int) -> bool:
        """Finite gradients came in, and what went out is not finite."""
        finite = all(c != "nan" for c in self.came)
        return finite and input < len(self.went) and self.went[input] == "nan"


def step_of(op: Op, came: list[Any], went: list[Any]) -> BackStep:
    """Judge one step from its gradients, given as NumPy arrays or None."""
    largest = max((size(c) for c in came if c is not None), default=0.0)
    vanished = [
        g is not None and op.type in SATURATING and 0 <= size(g) < TINY * largest for g in went
    ]
    return BackStep(op, [state(c) for c in came], [state(g) for g in went], vanished)


def suspicious(op_type: str) -> bool:
    """Inside a traced function no values are seen: can this operation make a gradient zero?"""
    return op_type in FLAT or op_type in SATURATING


def zero_link(link: Link, steps: dict[int, BackStep], passes: Any) -> bool:
    """Does this link turn a gradient into zeros?"""
    if link.op is None:
        return False
    if link.outer is None:
        step = steps.get(id(link.op))
        return step is not None and step.kills(link.input)
    step = steps.get(id(link.outer))
    if step is None or not any(step.kills(i) for i in range(len(step.went))):
        return False
    return link.op.type in FLAT or passes(link.op, link.input) is False


def zero_suspect(link: Link, steps: dict[int, BackStep], passes: Any) -> bool:
    """Like `zero_link`; inside a traced function also what may be saturated."""
    if zero_link(link, steps, passes):
        return True
    step = steps.get(id(link.outer)) if link.outer is not None else None
    return (
        step is not None
        and any(step.kills(i) for i in range(len(step.went)))
        and (link.op is not None and link.op.type in SATURATING)
    )


def carries(link: Link, steps: dict[int, BackStep]) -> bool:
    """Can a gradient come through this link at all?"""
    if not link.end.differentiable:
        return False
    step = steps.get(id(link.op)) if link.op is not None and link.outer is None else None
    return step is None or link.input >= len(step.went) or step.went[link.input] != "none"


def nan_link(link: Link, steps: dict[int, BackStep]) -> bool:
    """Does a gradient become infinite or NaN at this link?"""
    if link.op is None:
        return False
    step = steps.get(id(link.outer or link.op))
    if step is None or not any(step.breaks_down(i) for i in range(len(step.went))):
        return False
    if link.outer is None:
        return step.breaks_down(link.input)
    return link.op.type in (
        "Sqrt",
        "Rsqrt",
        "Log",
        "Pow",
        "RealDiv",
        "Reciprocal",
        "Inv",
        "Log1p",
        "Acos",
        "Asin",
        "Div",
        "Xlogy",
        "DivNoNan",
    )
