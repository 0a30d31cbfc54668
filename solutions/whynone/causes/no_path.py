"""The target does not depend on the source."""

from whynone.causes.case import Case, Clue
from whynone.paths import watched
from whynone.recording import Place


def apart(case: Case) -> Clue:
    """Always answers: the last cause to be asked. Says what the target does depend on."""
    place = _target_place(case)
    if _swapped(case):
        return Clue(
            "no_path",
            case.ask.place,
            "target and source are the wrong way round",
            f"`{case.source.text}` was computed from `{case.target}`, not the other way round.",
            "Swap the two arguments: the target (the loss) comes first.",
        )
    notes = [(place, "the target, computed without the source")] if place else []
    uses = _uses(case)
    why = f"`{case.target}` does not depend on `{case.source.text}`."
    depends = _depends_on(case)
    if id(case.value) in case.target_history:
        why += " A traced function on the way is given it and returns nothing computed from it."
    elif depends:
        why += f" It depends on {depends}."
    elif case.target_values:
        why += " It depends on nothing that this tape watches."
    if not uses:
        why += f" Nothing that was recorded uses `{case.source.text}`."
        do = (
            "If it should matter, use it inside the `with` block; if not, leave it out of the "
            "sources, or pass `unconnected_gradients='zero'`."
        )
    else:
        last = max(uses, key=lambda op: op.time)
        do = (
            f"What was computed from `{case.source.text}` does not reach `{case.target}`: follow "
            "it from its last use on."
        )
        if last.place is not None:
            notes.append((last.place, "the source's last use"))
    return Clue("no_path", case.ask.place, "asked here", why, do, notes)


def _target_place(case: Case) -> Place | None:
    return next((v.place for v in case.target_values if v.place is not None), None)


def _swapped(case: Case) -> bool:
    return any(id(v) in case.source_history and v is not case.value for v in case.target_values)


def _uses(case: Case) -> list:
    value = case.value
    if value is None:
        return []
    return [op for op in case.record.recent if any(v is value for v in op.inputs)]


def _depends_on(case: Case) -> str:
    names = []
    for value in case.target_history.values():
        if value.variable is not None:
            names.append(value.variable.name)
        elif watched(value, case.session, case.tape, 1 << 60):
            names.append("a watched tensor")
    names = sorted(set(names))
    if len(names) > 4:
        return ", ".join(f"`{n}`" for n in names[:3]) + f" and {len(names) - 3} more"
    return ", ".join(n if n.startswith("a ") else f"`{n}`" for n in names)
