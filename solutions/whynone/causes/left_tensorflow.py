"""A value became a NumPy array or a Python number, and came back as a constant."""

from whynone import slices
from whynone.causes.case import Case, Clue, first_op
from whynone.paths import Link
from whynone.recording import Place

_DO = (
    "Keep the tensor: leave the conversion out and use TensorFlow's functions "
    "(`tf.reduce_mean` for `np.mean`)."
)
_SOURCE = (
    "Make it a `tf.Variable`, or a tensor that the tape watches, and compute the target from that."
)


def breaks(link: Link, case: Case) -> bool:
    return link.op.type in ("PyFunc", "PyFuncStateless", "tf.constant")


def clue(run: list[Link], case: Case) -> Clue:
    op = first_op(run)
    if op is not None and op.type == "tf.constant":
        return _left(case, op.place, [])
    if op is not None:
        return Clue(
            "left_tensorflow",
            op.place,
            "NumPy runs here, and no tape sees into it",
            "`numpy_function` hands the value to NumPy, and a tape records tensor operations only.",
            "Write it with TensorFlow operations, or give it a gradient with `tf.custom_gradient`.",
        )
    link = run[0]
    came_back = link.start.place
    notes = [(came_back, "and came back as a constant here")] if came_back else []
    return _left(case, link.departure.place, notes)


def _left(case: Case, place: Place | None, notes: list) -> Clue:
    here = (place.file, place.line) if place is not None else None
    notes = [note for note in notes if (note[0].file, note[0].line) != here]
    return Clue(
        "left_tensorflow",
        place,
        "the value left TensorFlow here",
        f"`{case.target}` was computed from a NumPy or Python value, and a tape records "
        "tensor operations only.",
        _DO,
        notes,
    )


def asked(case: Case) -> Clue | None:
    """The target (or the source) is no tensor at all."""
    for wanted in [*case.ask.targets, case.source]:
        if wanted.kind == "python" and wanted.python_type != "builtins.NoneType":
            left = slices.departure(case.ask.place, wanted.expression)
            python_type = wanted.python_type.removeprefix("builtins.")
            is_source = left is None and wanted is case.source
            return Clue(
                "left_tensorflow",
                left or case.ask.place,
                "this is no tensor" if is_source else "the value left TensorFlow here",
                f"`{wanted.text}` is a {python_type}, not a tensor: a tape records tensor "
                "operations only.",
                _SOURCE if is_source else _DO,
            )
    return None


def apart(case: Case) -> Clue | None:
    """No hook saw the value leave (NumPy reads memory directly): look for it in the source."""
    if case.value is None:
        return None
    for value in constants(case):
        place = value.place
        found = slices.departure_into(place)
        if found is not None and plausible(case, value, found):
            return _left(case, found, [(place, "and came back as a constant here")])
    return None


def constants(case: Case) -> list:
    leaves = [
        v
        for v in case.target_history.values()
        if v.op is None and v.origin in ("numpy", "python", "unknown") and v.place
    ]
    return sorted(leaves, key=lambda v: -v.time)


def plausible(case: Case, value, found: Place) -> bool:
    """Something was computed from the source before the constant appeared; or nothing ever was."""
    source = case.value
    if not any(source in op.inputs for op in case.record.recent):
        opened = case.session.opened if case.session is not None else 0
        name = slices.root_name(case.source.expression)
        return value.time > opened and slices.may_hold(found, name)
    for op in reversed(case.record.recent):
        if op.time < source.time:
            break
        if op.time < value.time and any(v is source for v in op.inputs):
            return True
    return False
