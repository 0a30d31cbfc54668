"""From one question with a None in its answer to findings. No TensorFlow in here."""

from __future__ import annotations

from whynone import backward, causes, slices
from whynone.causes.case import Case, Clue, op_name
from whynone.findings import LESSONS, Finding
from whynone.paths import Link, Walk, ancestors, family
from whynone.recording import Ask, Departure, Place, Recording, Value, Wanted


def diagnose(record: Recording, ask: Ask, none: list[int]) -> list[Finding]:
    """The findings for the sources with numbers `none`, or for the error that `ask` raised."""
    if ask.error is not None:
        return _diagnose_error(record, ask)
    hard = _walk(record, ask)
    soft = None
    found = []
    for i in none:
        source = ask.sources[i] if i < len(ask.sources) else Wanted("the source")
        case = Case(ask, source, record, hard)
        clues = _asked(case)
        if not clues and source.value is not None and hard.reaches(source.value):
            clues = _along(case, len(none) > 50)
        elif not clues and source.value is not None:
            if soft is None:
                soft = _walk(record, ask, soft=True)
            case.soft = soft
            constant = causes.second_order.apart(case)
            if constant is not None:
                clues = [constant]  # how the weights in its formula came about is another story
            elif soft.reaches(source.value):
                case = Case(ask, source, record, soft)
                clues = _along(case, len(none) > 50)
        if not clues:
            clues = _apart(case)
        found += [_finding(case, clue) for clue in _distinct(clues)]
    return found


def _distinct(clues: list[Clue]) -> list[Clue]:
    """One call of the user's may break the chain several times inside a library: name it once."""
    kept: list[Clue] = []
    for clue in clues:
        left = [
            k
            for k in clues
            if k.cause == "left_tensorflow"
            and k is not clue
            and k.place is not None
            and clue.place is not None
            and (k.place.file, k.place.line) == (clue.place.file, clue.place.line)
        ]
        same = [
            k
            for k in kept
            if k.place == clue.place
            and k.place is not None
            and (k.place.column is not None or k.cause == clue.cause)
        ]
        if left and clue.cause != "derived_source":
            continue
        if not same:
            kept.append(clue)
    return kept


def diagnose_values(record: Recording, ask: Ask, kinds: frozenset[str]) -> list[Finding]:
    """Findings for gradients that exist and are zero or not finite (`ask.states`)."""
    found = []
    for kind, state, modules in (("zeros", "zero", causes.ZERO), ("nan", "nan", causes.NOT_FINITE)):
        chosen = [i for i, s in enumerate(ask.states) if s == state]
        if kind not in kinds or not chosen:
            continue
        walks = _value_walks(record, ask, kind)
        for i in chosen:
            source = ask.sources[i] if i < len(ask.sources) else Wanted("the source")
            case = Case(ask, source, record, walks[0])
            for clue in _value_clues(case, walks, modules):
                finding = _finding(case, clue)
                finding.result = kind
                found.append(finding)
    return found


def _value_walks(record: Recording, ask: Ask, kind: str) -> list[Walk]:
    def carries(link: Link) -> bool:
        return backward.carries(link, ask.steps)

    if kind == "nan":
        return [
            Walk(
                ask,
                record,
                lambda link: "nan" if backward.nan_link(link, ask.steps) else None,
                passable=carries,
            )
        ]
    return [
        Walk(
            ask,
            record,
            lambda link, test=test: "zeros_flat" if test(link, ask.steps, record.passes) else None,
            passable=carries,
        )
        for test in (backward.zero_link, backward.zero_suspect)
    ]


def _not_finite(case: Case, walk: Walk) -> Clue | None:
    """The operation that made the first value, or else the first gradient, that is not finite."""
    behind = [v.op for v in walk.values.values() if v.op is not None]
    made = sorted({op for op in behind if op.made_not_finite}, key=lambda op: op.time)
    went = [
        op
        for op in case.ask.kept
        if any(case.ask.steps[id(op)].breaks_down(i) for i in range(len(op.inputs)))
    ]
    for op in made + went:
        if not op.bodies and id(case.value) in ancestors(list(op.inputs)):
            return causes.nan.broken(case, op)
    return None


def _value_clues(case: Case, walks: list[Walk], modules: tuple) -> list[Clue]:
    if modules is causes.NOT_FINITE and case.value is not None:
        clue = _not_finite(case, walks[0])
        if clue is not None:
            return [clue]
    for walk in walks:
        if case.value is None or not walk.reaches(case.value):
            continue
        # Nearest to the target: the first operation whose backward step went wrong.
        for link, cause in reversed(walk.way_to(case.value)):
            if cause is None:
                continue
            for module in modules:
                judge = module.zero if hasattr(module, "zero") else module.broken
                clue = judge(case, link.op)
                if clue is not None:
                    return [clue]
    return []


def _walk(record: Recording, ask: Ask, soft: bool = False) -> Walk:
    case = Case(ask, Wanted(""), record, None)

    def judge(link: Link) -> str | None:
        for module in causes.LINKS:
            if module.breaks(link, case):
                return module.__name__.rpartition(".")[2]
        return None

    return Walk(ask, record, judge, soft, came_from=came_from)


def came_from(value: Value, departure: Departure) -> bool:
    """Before the tape was opened much is printed and logged: was it this that came back?

    Yes for an array of the same shape; else only if the source says so.
    """
    if value.shape and value.shape == departure.value.shape and value.differentiable:
        return True
    found = slices.departure_into(value.place)
    place = departure.place
    return (
        found is not None
        and place is not None
        and (found.file, found.line) == (place.file, place.line)
    )


def _asked(case: Case) -> list[Clue]:
    for module in causes.ASKED:
        clue = module.asked(case)
        if clue is not None:
            return [clue]
    return []


def _along(case: Case, many: bool = False) -> list[Clue]:
    """There is a way: name each thing that breaks it, nearest to the source first."""

    def start(link: Link) -> Clue | None:
        if link.recorder is None:
            return None
        for module in causes.STARTS:
            clue = module.starts(case, link)
            if clue is not None:
                return clue
        return None

    way = case.walk.way_to(case.value, lambda link: 1.0 if start(link) is not None else 0.0)
    if not way:
        return _itself(case)
    case.way = _drawn(case, way)
    clues = []
    opening = start(way[0][0])
    if opening is not None:
        clues.append(opening)
    opened = case.session.opened if case.session is not None else 0
    stored_before = any(
        _time(link) < opened or (link.op is not None and link.op.type == "MakeIterator")
        for link, _ in way
        if link.kind != "op"
    )
    for cause, run in _runs(way):
        if cause == "outside_tape" and stored_before:
            continue  # stored or copied before the tape was opened: that is the cause
        if cause == "outside_tape" and clues and clues[0].cause in ("unwatched", "watched_late"):
            clues.clear()  # a source used outside of the tape only: watching would not help
        clues.append(causes.BY_SLUG[cause].clue(run, case))
    if not many and any(cause for _, cause in way):
        for other in case.walk.other_ways(case.value):
            for cause, run in _runs(other):
                if cause == "outside_tape" and stored_before:
                    continue
                if cause not in {clue.cause for clue in clues}:
                    clues.append(causes.BY_SLUG[cause].clue(run, case))
    return clues or [_unknown(case, way)]


def _time(link: Link) -> int:
    return link.departure.time if link.departure is not None else link.op.time


def _unknown(case: Case, way: list[tuple[Link, str | None]]) -> Clue:
    """Every link looks whole, and still the tape returned None."""
    names = [op_name(link.op) for link, _ in way if link.op is not None]
    said = f"{', '.join(names[:3])}, …, {names[-1]}" if len(names) > 4 else ", ".join(names)
    return Clue(
        "unknown",
        case.ask.place,
        "None, and whynone cannot tell why",
        f"`{case.target}` was computed from `{case.source.text}` (through {said}), this "
        "tape was recording, and each of these operations should pass a gradient on.",
        "Ask for the gradient of the values in between, one after the other: the first "
        "one that is None lies just before the break.",
    )


def _drawn(case: Case, way: list[tuple[Link, str | None]], most: int = 7) -> list[dict]:
    """The way as parts of a picture: source, operations (broken or not), target."""
    parts = [{"text": case.source.text, "line": None, "broken": False}]
    for link, cause in way:
        if link.op is None and cause is None:
            continue
        name = op_name(link.op) if link.op is not None else "NumPy"
        place = link.op.place if link.op is not None else link.departure.place
        parts.append(
            {"text": name, "line": place.line if place else None, "broken": cause is not None}
        )
    parts.append({"text": case.target, "line": None, "broken": False})
    if len(parts) > most + 2:
        keep = [i for i, part in enumerate(parts) if part["broken"]][: most - 2]
        keep = sorted({0, 1, *keep, len(parts) - 2, len(parts) - 1})
        parts = [parts[i] for i in keep]
    return parts


def _runs(way: list[tuple[Link, str | None]]) -> list[tuple[str, list[Link]]]:
    """Neighbouring links broken by one family of causes, together."""
    runs: list[tuple[str, list[Link]]] = []
    previous = None
    for link, cause in way:
        if cause is not None:
            if family(cause) == family(previous):
                runs[-1][1].append(link)
                if cause == "second_order":
                    runs[-1] = (
                        cause,
                        [link for link in runs[-1][1] if link.recorder.during is not None],
                    )
            else:
                runs.append((cause, [link]))
        if link.op is not None or link.kind != "op":
            previous = cause
    return runs


def _itself(case: Case) -> list[Clue]:
    """The target is the source: a gradient of ones, unless it was not on the tape."""
    if any(v is case.value for v in case.target_values):
        place = case.value.place or case.ask.place
        return [
            Clue(
                "unwatched",
                place,
                "both the target and the source",
                f"`{case.source.text}` is the target itself, and the tape does not know it.",
                f"Call `tape.watch({case.source.text})` inside the `with` block.",
            )
        ]
    return []


def _apart(case: Case) -> list[Clue]:
    for module in causes.APART:
        clue = module.apart(case)
        if clue is None:
            continue
        if clue.parent is None:
            return [clue]
        # The tensor that the source was made from may have a broken way of its own.
        walk = case.walk if case.walk.reaches(clue.parent) else case.soft
        if walk is None or clue.parent.dtype == "resource":
            return [clue]
        whole = Wanted(case.source.text, clue.parent, expression="")
        further = _along(Case(case.ask, whole, case.record, walk))
        return [clue, *[other for other in further if other.cause != "unknown"]]
    return []


def _diagnose_error(record: Recording, ask: Ask) -> list[Finding]:
    case = Case(
        ask,
        ask.sources[0] if ask.sources else Wanted("the sources"),
        record,
        Walk(ask, record, lambda link: None),
    )
    for module in causes.RAISED:
        raised = getattr(module, "raised", None)
        clue = raised(case, ask.error) if raised else None
        if clue is not None:
            finding = _finding(case, clue)
            finding.result = type(ask.error).__name__
            return [finding]
    if isinstance(ask.error, (AttributeError, TypeError)):
        for source in ask.sources or [Wanted("")]:
            case.source = source
            clue = causes.left_tensorflow.asked(case)
            if clue is not None:
                finding = _finding(case, clue)
                finding.result = type(ask.error).__name__
                return [finding]
    return []


def diagnose_uncaught(error: BaseException, place: Place | None) -> list[Finding]:
    """Findings for an exception that ended the program outside of any tape's method."""
    for module in causes.UNCAUGHT:
        clue = module.uncaught(error, place)
        if clue is not None:
            where = clue.place
            return [
                Finding(
                    clue.cause,
                    where.file if where else "",
                    where.line if where else None,
                    "",
                    "",
                    clue.why,
                    clue.do,
                    label=clue.label,
                    gradient_file=where.file if where else "",
                    gradient_line=where.line if where else None,
                    lesson=LESSONS.get(clue.cause, ""),
                    result=type(error).__name__,
                )
            ]
    return []


def _finding(case: Case, clue: Clue) -> Finding:
    asked = case.ask.place
    place = clue.place or asked or Place("", 0)
    one_line = place.end_line in (None, place.line)
    return Finding(
        cause=clue.cause,
        file=place.file,
        line=place.line or None,
        column=None if place.column is None else place.column + 1,
        end_column=(None if place.end_column is None or not one_line else place.end_column + 1),
        gradient_file=asked.file if asked else "",
        gradient_line=asked.line if asked else None,
        source=case.source.text,
        target=case.target,
        message=clue.why,
        fix=clue.do,
        label=clue.label,
        way=case.way,
        lesson=LESSONS.get(clue.cause, ""),
        notes=[{"file": p.file, "line": p.line, "text": text} for p, text in clue.notes if p],
    )
