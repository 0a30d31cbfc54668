"""The source, the target or a value between them has an integer or boolean dtype."""

from whynone.causes.case import Case, Clue, first_op
from whynone.paths import Link


def asked(case: Case) -> Clue | None:
    """The source itself cannot have a gradient."""
    value = case.value
    if case.source.kind in ("variable", "keras_variable"):
        return _variable(case)
    if value is None or value.dtype == "resource" or value.differentiable:
        return None
    place = value.place
    if place is None:
        uses = case.walk.into.get(id(value), ())
        place = next((link.op.place for _, link in uses if link.op is not None), case.ask.place)
    return _source(case, value.dtype, place)


def _source(case: Case, dtype: str, place) -> Clue:
    return Clue(
        "integer_dtype",
        place,
        f"this is {dtype}",
        f"`{case.source.text}` is {dtype}; only floating-point and complex values have gradients.",
        "Make it a float before the tape uses it: write `3.0` instead of `3`, or "
        "`tf.cast(..., tf.float32)` first and watch the result of the cast.",
    )


def _variable(case: Case) -> Clue | None:
    dtype = case.source.dtype
    if dtype.startswith(("int", "uint", "bool", "qint", "string")):
        uses = case.walk.into.get(id(case.value), ()) if case.value is not None else ()
        place = case.value.place if case.value is not None else None
        place = place or next((k.op.place for _, k in uses if k.op is not None), case.ask.place)
        return _source(case, dtype, place)
    return None


def breaks(link: Link, case: Case) -> bool:
    """A cast to an integer or boolean, or anything computed from one."""
    if link.end.differentiable:
        return link.op.type in ("Cast", "Bucketize") and not link.start.differentiable
    return True


def clue(run: list[Link], case: Case) -> Clue:
    op = first_op(run)
    dtype = run[0].start.dtype if not run[0].start.differentiable else run[0].end.dtype
    return Clue(
        "integer_dtype",
        op.place,
        f"the value becomes {dtype} here",
        f"Between `{case.source.text}` and `{case.target}` the value is {dtype}; integers "
        "and booleans carry no gradient, and casting back does not bring it back.",
        "Stay with floats on this path.",
    )
