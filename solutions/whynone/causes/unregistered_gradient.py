"""TensorFlow has no gradient function for an operation on the path."""

import re

from whynone.causes.case import Case, Clue, first_op, op_name
from whynone.paths import Link


def breaks(link: Link, case: Case) -> bool:
    both = link.start.differentiable and link.end.differentiable
    return both and case.record.passes(link.op, link.input) == "unregistered"


def clue(run: list[Link], case: Case) -> Clue:
    op = first_op(run)
    return _clue(op.place, op_name(op))


def raised(case: Case, error: BaseException) -> Clue | None:
    if not isinstance(error, LookupError):
        return None
    found = re.search(r"(?:op type: |has no entry for: )(\w+)", str(error))
    if not found:
        return None
    name = found.group(1)
    ops = [v.op for v in case.target_history.values() if v.op is not None and v.op.type == name]
    ops = sorted(ops, key=lambda op: op.time)
    return _clue(ops[0].place if ops else case.ask.place, name)


def _clue(place, name: str) -> Clue:
    return Clue(
        "unregistered_gradient",
        place,
        f"{name} has no gradient in TensorFlow",
        f"TensorFlow has no gradient function for the operation {name}.",
        "Write the computation with other operations, or give it a gradient with "
        "`tf.custom_gradient`.",
    )
