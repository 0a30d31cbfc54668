"""The first gradient was not recorded by an outer tape, or does not vary."""

from whynone.causes.case import Case, Clue, first_op
from whynone.paths import Link


def breaks(link: Link, case: Case) -> bool:
    return link.recorder.during is not None and case.session not in link.recorder.sessions


def clue(run: list[Link], case: Case) -> Clue:
    inner = run[0].recorder.during
    if inner.tape is case.tape:
        do = (
            "Use two tapes, one inside the other, and ask the inner one for the first gradient "
            "inside the outer `with` block."
        )
        why = "The first gradient was computed by this same tape, outside of its `with` block."
    else:
        do = "Indent this line, so that it runs inside the outer tape's `with` block."
        why = "The first gradient was computed while the outer tape was not recording."
    return Clue(
        "second_order",
        inner.place or first_op(run).place,
        "the first gradient, computed outside the outer tape",
        why,
        do,
    )


def apart(case: Case) -> Clue | None:
    """The target is a gradient that has no link to the source: it is constant in the source."""
    inner = None
    for value in case.target_history.values():
        inner = value.result_of or (value.op.during if value.op is not None else None)
        if inner is not None:
            break
    if inner is None:
        return None
    involved = any(w.value is case.value for w in inner.sources)
    if not involved and case.value is not None:
        from whynone.paths import ancestors

        involved = id(case.value) in ancestors(
            [w.value for w in inner.targets if w.value is not None]
        )
    if not involved:
        return None
    return Clue(
        "second_order",
        inner.place,
        "this gradient does not vary with the source",
        f"`{case.target}` comes from a first gradient whose formula does not contain "
        f"`{case.source.text}`, so its derivative with respect to it is zero everywhere; "
        "TensorFlow returns None for that.",
        "Expected for a linear function. Pass `unconnected_gradients='zero'` to get zeros.",
    )
