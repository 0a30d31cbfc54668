"""The picture of a recorded tape: boxes, links, the words under them, and the SVG.

`picture` draws a `Path` of `solutions.what_the_tape_records`; it runs no TensorFlow operation.
"""

import dataclasses
import itertools
import json
import re
from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from solutions.what_the_tape_records import Path, Tensor

RECORDED = "recorded"  # what an operation says of a tape, if not one of these:

# Cause (the project's vocabulary) → the words in a box, what to do, the lesson.
CAUSES: dict[str, tuple[str, str, str]] = {
    "outside_tape": (
        "computed outside the tape's block",
        "Move this line into the `with tf.GradientTape()` block.",
        "outside_the_tape",
    ),
    "recording_stopped": (
        "recording was stopped or reset",
        "Move this line out of `tape.stop_recording()`, or after `tape.reset()`.",
        "one_tape_many_gradients",
    ),
    "unwatched": (
        "nothing it uses is watched",
        "Call `tape.watch` on the source before this line.",
        "unwatched_tensor",
    ),
    "watched_late": (
        "`tape.watch` came after this line",
        "Call `tape.watch` before this line.",
        "unwatched_tensor",
    ),
    "non_trainable": (
        "the variable is not trainable",
        "Call `tape.watch` on the variable before this line, or create it trainable.",
        "variables_and_state",
    ),
    "integer_dtype": (
        "an integer or boolean dtype",
        "Stay in a floating dtype from source to target.",
        "not_differentiable",
    ),
    "stop_gradient": (
        "`stop_gradient` ends the path",
        "Remove `stop_gradient` if this path should count.",
        "not_differentiable",
    ),
    "custom_gradient": (
        "the custom gradient returned None",
        "Return a tensor for this input from the custom gradient.",
        "left_tensorflow",
    ),
    "not_differentiable": (
        "passes no gradient on",
        "Replace this operation by a differentiable one.",
        "not_differentiable",
    ),
    "unregistered_gradient": (
        "TensorFlow has no gradient for it",
        "Replace this operation: `tape.gradient` raises a LookupError here.",
        "not_differentiable",
    ),
    "variable_state": (
        "no gradient passes an `assign`",
        "Use the new value itself instead of assigning it to a variable.",
        "variables_and_state",
    ),
    "derived_source": (
        "the source was made from a tensor that the target uses",
        "Ask for the gradient of that tensor, or compute the target from the source.",
        "outside_the_tape",
    ),
    "other_call": (
        "the target comes from another call of the layer that made the source",
        "Take the source and the target from one call.",
        "outside_the_tape",
    ),
    "no_path": (
        "the target was not computed from the source",
        "Compute the target from the source, with TensorFlow operations only.",
        "left_tensorflow",
    ),
}


@dataclasses.dataclass
class Box:
    """One box of a picture: some operations, or a tensor that none of them made."""

    title: str
    lines: list[str]
    ops: list[int] = dataclasses.field(default_factory=list)
    roles: list[str] = dataclasses.field(default_factory=list)
    broken: bool = False
    leaf: bool = False
    rank: int = 0


@dataclasses.dataclass
class Picture:
    """A drawing of a recording. `text` says in words what `svg` shows.

    `intact`: `tape.gradient(target, source)` gives a tensor. `cause`: why not, one of `CAUSES`.
    """

    svg: str
    text: str
    intact: bool
    cause: str | None

    def __str__(self) -> str:
        return self.text

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        return {"image/svg+xml": self.svg, "text/plain": self.text}


Links = dict[tuple[int, int], str]  # (from box, to box) → "yes", "no" or "break"


def picture(path: "Path", called: dict[int, str]) -> Picture:
    """Draw a path; `called` has names for tensors by their numbers."""
    boxes, links = layered(*_boxes(path, called))
    verdict = _verdict(path, called)
    text = _text(boxes, links, verdict)
    svg = svg_of(boxes, links, verdict, text, steps(path, boxes, _call(path, called), verdict[0]))
    return Picture(svg, text, path.intact, path.cause)


Step = tuple[str, int, str, str]  # what happens, in which box, the line of code, the words for it


def steps(path: "Path", boxes: list[Box], call: str, verdict: str) -> list[Step]:
    """The picture's story, for a page that tells it step by step.

    First each operation as it ran ("recorded" or "passed by"), then `tape.gradient` ("asked") and
    its way back, operation by operation ("back"), to the source ("arrived") or the break ("lost").
    """
    home = {k: n for n, box in enumerate(boxes) for k in box.ops}
    roles = {role: n for n, box in enumerate(boxes) for role in box.roles}
    told: list[Step] = []
    for k in sorted(home):
        op, status = path.r.ops[k], path.status(k)
        cause = "stop_gradient" if path.breaks.get(k) == "stop_gradient" else status
        made = _arrow(path, k)
        why = "" if status == RECORDED else f": {CAUSES[cause][0]}"
        told.append(("passed by" if why else RECORDED, home[k], op.code, f"{op.word}{made}{why}"))
    told.append(("asked", roles["target"], "", call))
    for k in sorted(path.walked() & home.keys(), reverse=True):
        told.append(("back", home[k], path.r.ops[k].code, path.r.ops[k].word))
    if path.intact:
        told.append(("arrived", roles["source"], "", verdict))
    else:
        first = next((k for k in path.breaks if k in home), None)
        where = roles["source"] if first is None else home[first]
        told.append(("lost", where, "" if first is None else path.r.ops[first].code, verdict))
    return told


def _boxes(path: "Path", called: dict[int, str]) -> tuple[list[Box], Links]:
    """The boxes, the source first, and the links between them."""
    r, end = path.r, len(path.r.ops)
    chosen = set(path.between)
    if not path.between and path.target != path.source:
        chosen |= path.behind_target | set(path.forward[:4]) | {path.maker(path.source, end)}
        chosen.discard(None)
    groups: list[Box] = []
    key = broken = None
    for k in sorted(chosen):
        op = r.ops[k]
        new = (op.layer or (op.file, op.line), "" if op.layer and path.intact else path.status(k))
        why = path.breaks.get(k)
        if groups and key and {r.ops[j].kind for j in groups[-1].ops} == {"ReadVariableOp"}:
            key = new if key[0] == new[0] else key  # a read belongs to what follows
        if new != key or (why != broken and (why or RECORDED in new)):
            broken = why
            groups.append(Box(f"{op.layer} (layer)" if op.layer else op.code, []))
        groups[-1].ops.append(k)
        key = None if {path.source, path.target} & set(op.outputs) else new
    groups = _collapse(groups, path)
    home = {k: box for box in groups for k in box.ops}
    watched = {w.tensor for w in r.watches}

    def lost(number: int) -> bool:
        """Without a link to the source, a constant may be what the source's value went into."""
        return not path.between and "float" in r.tensors[number].dtype

    source = Box(_name(path, path.source, called), [], roles=["source"], leaf=True)
    source.lines = [_kind(path, path.source), _watched(path, path.source)]
    leaves: dict[int, Box] = {path.source: source}
    found: list[tuple[Box, Box, str]] = []
    for box in groups:
        _describe(box, path, called)
        for k in box.ops:
            for used, i in enumerate(r.ops[k].inputs):
                reader, position = k, used
                maker = None if i == path.source else path.maker(i, k)
                read = maker is not None and r.ops[maker].kind == "ReadVariableOp"
                if read and maker not in home and i not in called and not r.ops[k].layer:
                    reader, position, i = maker, 0, r.ops[maker].inputs[0]
                    maker = path.maker(i, reader)
                if maker in home:
                    before = home[maker]
                elif i in leaves:
                    before = leaves[i]
                elif i in called or (
                    maker is None and (r.tensors[i].variable or i in watched or lost(i))
                ):
                    before = leaves[i] = Box(_name(path, i, called), [], leaf=True)
                    before.lines = [_kind(path, i), _watched(path, i)]
                else:
                    continue  # a constant without a name, say
                why = path.why_not(reader, position)
                on_path = i == path.source or maker in path.between
                if maker is not None and r.ops[maker].assigns:
                    why = "variable_state"  # the value passes through the state, no gradient
                mark = "yes" if not why else "break" if on_path and k in path.breaks else "no"
                found.append((before, box, mark))
    if path.maker(path.source, end) in home:
        found.append((home[path.maker(path.source, end)], source, "yes"))
    final = source if path.target == path.source else home.get(path.maker(path.target, end))
    if final is None:
        final = leaves.setdefault(path.target, Box(_name(path, path.target, called), [], leaf=True))
        final.lines = [_kind(path, path.target), "a constant: no operation made it"]
    final.roles.append("target")

    # Leaves that say the same about the same boxes share one box.
    merged: dict[Any, Box] = {}
    stands_for: dict[int, Box] = {}
    for number, leaf in leaves.items():
        consumers = frozenset(id(b) for a, b, _ in found if a is leaf)
        alike = number if leaf.roles else (consumers, leaf.lines[1])
        first = merged.setdefault(alike, leaf)
        stands_for[id(leaf)] = first
        if first is not leaf:
            first.title += f", {leaf.title}" if leaf.title not in first.title else ""
            first.lines[0] = re.sub(r"^(tensor|variable)s?\b.*", r"\1s", first.lines[0])
    boxes = list(merged.values()) + groups
    if len(boxes) > 12:
        boxes = [b for b in boxes if b.roles or not b.leaf]
    place = {id(box): n for n, box in enumerate(boxes)}
    links: Links = {}
    for before, after, mark in found:
        a, b = place.get(id(stands_for.get(id(before), before))), place.get(id(after))
        if a is not None and b is not None and a != b:
            links[a, b] = max(mark, links.get((a, b), ""), key=["", "no", "yes", "break"].index)
    return boxes, links


def _collapse(groups: list[Box], path: "Path") -> list[Box]:
    """At most 12 boxes: the first, the last and the breaks stay, runs between become one box."""
    if len(groups) <= 11:
        return groups
    first_break = next(iter(path.breaks), None)
    kept: list[Box] = []
    for n, box in enumerate(groups):
        stays = n < 3 or n >= len(groups) - 3 or first_break in box.ops
        if stays or not kept or not kept[-1].lines:
            kept.append(box)
            box.lines = [] if stays else ["1"]
        else:
            kept[-1].ops += box.ops
            kept[-1].lines = [str(int(kept[-1].lines[0]) + 1)]
    for box in kept:
        if box.lines:
            box.title = f"\N{HORIZONTAL ELLIPSIS} {box.lines[0]} more steps"
    return kept


def _describe(box: Box, path: "Path", called: dict[int, str]) -> None:
    """Say in a box which operations ran, what came out, and whether it was recorded."""
    ops = [path.r.ops[k] for k in box.ops]
    words: dict[str, int] = {}
    for op in ops:
        if op.kind != "ReadVariableOp" or len(ops) == 1:
            words[op.word] = words.get(op.word, 0) + 1
    listed = [w if n == 1 else f"{w} (\N{MULTIPLICATION SIGN}{n})" for w, n in words.items()]
    more = f" and {len(listed) - 3} more" if len(listed) > 4 else ""
    shown = ", ".join(listed[: 3 if more else None]) + more
    box.lines = [shown + next(filter(None, (_arrow(path, k) for k in reversed(box.ops))), "")]
    status = {path.status(k) for k in box.ops}
    first = next((k for k in box.ops if k in path.breaks), None)
    why = path.breaks.get(first)
    box.broken = why is not None
    if why and _for_others(path, first):
        box.lines.append(_words(path, first, called))
    elif status == {RECORDED} or (RECORDED in status and path.intact):
        box.lines.append("recorded" + (f", but {CAUSES[why][0]}" if why else ""))
    elif RECORDED in status:
        box.lines.append("recorded in part" + (f": {CAUSES[why][0]}" if why else ""))
    elif why == "stop_gradient":
        box.lines.append(CAUSES[why][0])
    else:
        why = why or ("variable_state" if ops[0].assigns else next(iter(status)))
        box.lines.append(f"not recorded: {CAUSES[why][0]}")


def _for_others(path: "Path", k: int) -> bool:
    """Whether operation k breaks the path although other inputs had it recorded."""
    return path.breaks[k] == "unwatched" and path.status(k) == RECORDED


def _words(path: "Path", k: int, called: dict[int, str]) -> str:
    """Why the path breaks at operation k."""
    if _for_others(path, k):
        source = called.get(path.source) or path.r.tensors[path.source].name or "the source"
        return f"recorded for other inputs; {source} is not watched"
    return CAUSES[path.breaks[k]][0]


def _arrow(path: "Path", k: int) -> str:
    """What came out of operation k: an arrow, a shape and a dtype. Nothing, of an assignment."""
    made = path.shown(k)
    return f" \N{RIGHTWARDS ARROW} {_shape(made)}" if made else ""


def _shape(tensor: "Tensor") -> str:
    return f"{tensor.shape} {tensor.dtype}"


def _kind(path: "Path", number: int) -> str:
    known = path.r.tensors[number]
    return f"{'variable' if known.variable else 'tensor'} {_shape(known)}"


def _name(path: "Path", number: int, called: dict[int, str]) -> str:
    known = path.r.tensors[number]
    kind = "variable" if known.variable else "tensor"
    if path.maker(number, len(path.r.ops)) is None and not known.variable:
        kind = "constant"
    return called.get(number) or known.name or kind


def _watched(path: "Path", number: int) -> str:
    """What the tape knew about a tensor, and from when on."""
    r, tape = path.r, path.tape
    watch = next((w for w in r.watches if w.tensor == number and w.tape == tape), None)
    used = [k for k, op in enumerate(r.ops) if number in op.inputs and number not in op.outputs]
    maker = path.maker(number, len(r.ops))
    if watch and watch.explicit:
        late = [k for k in used if path.breaks.get(k) == "watched_late"]
        return "watched too late" if late else "watched"
    if watch:
        return "watched (a trainable variable)"
    if maker is not None and path.status(maker) == RECORDED and number in r.ops[maker].outputs:
        return "followed (made from something watched)"
    return "not watched"


def _ends(path: "Path", called: dict[int, str]) -> tuple[str, str]:
    """The names of target and source."""
    target, source = (_name(path, n, called) for n in (path.target, path.source))
    return (target, source) if target != source else ("target", "source")  # two without a name


def _call(path: "Path", called: dict[int, str]) -> str:
    return "tape.gradient({}, {})".format(*_ends(path, called))


def _verdict(path: "Path", called: dict[int, str]) -> list[str]:
    """The sentences under the picture: what comes back, why, what to do, where to read."""
    target, source = _ends(path, called)
    call = _call(path, called)
    tape = path.r.tapes[path.tape]
    first = next(iter(path.breaks), None)
    if path.intact:
        said = [f"The path from {source} to {target} is intact: {call} gives a tensor."]
        if first is not None:
            said.append(
                f"Another way breaks at `{path.r.ops[first].code}`: {_words(path, first, called)}. "
                "The gradient leaves that part out."
            )
    else:
        words, cure, lesson = CAUSES[path.cause]
        comes = "raises a LookupError" if path.cause == "unregistered_gradient" else "gives None"
        where = f" at `{path.r.ops[first].code}`" if first is not None else ""
        kind = "breaks" if path.breaks else "does not exist"
        words = words if first is None else _words(path, first, called)
        said = [
            f"The path from {source} to {target} {kind}{where}: {words}. {call} {comes}.",
            f"{cure} Lesson: {lesson}.",
        ]
    if tape.gradient_calls and not tape.persistent:
        said.append(
            "This tape is spent: it is not persistent and `gradient` was called once. A second "
            "call raises a RuntimeError. Lesson: one_tape_many_gradients."
        )
    elif tape.persistent:
        times = {0: "", 1: " was called once and"}.get(
            tape.gradient_calls, f" was called {tape.gradient_calls} times and"
        )
        said.append(f"This tape is persistent: `gradient`{times} may be called again.")
    return said


def _text(boxes: list[Box], links: Links, verdict: list[str]) -> str:
    """The picture as a numbered list in time order."""
    said = list(verdict)
    for n, box in enumerate(boxes):
        used = [f"{a + 1}" + (" (broken link)" if m == "break" else "") for (a, b), m in
                sorted(links.items()) if b == n]  # fmt: skip
        uses = [f"uses {', '.join(used)}"] if used else []
        role = "".join(f"{r}: " for r in box.roles)
        said.append(f"{n + 1}. {role}" + "; ".join([box.title, *box.lines, *uses]) + ".")
    return "\n".join(said).replace(" \N{RIGHTWARDS ARROW}", " gives")


STYLE = """
.tape-picture{font:13px system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
.tape-picture{max-width:100%;height:auto}
.tape-picture .card{fill:#f6f5f1;stroke:#b9b6ab}
.tape-picture .box{fill:#fff;stroke:#1d5f9e;stroke-width:1.5}
.tape-picture .off{stroke:#6b675c;stroke-dasharray:5 4}
.tape-picture .bad{stroke:#b03a00;stroke-width:2.5;stroke-dasharray:7 4}
.tape-picture .end{stroke-width:3}
.tape-picture text{fill:#23221e}
.tape-picture .code{font:600 13px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
.tape-picture .role{font-weight:700;font-size:11px;letter-spacing:.08em}
.tape-picture .why{font-weight:600}
.tape-picture .bad-text{fill:#9a3200;font-weight:700}
.tape-picture .link{fill:none;stroke:#1d5f9e;stroke-width:2}
.tape-picture .tip{fill:#1d5f9e}
.tape-picture .gone{stroke:#6b675c;stroke-dasharray:5 4}
.tape-picture .gone-tip{fill:#6b675c}
.tape-picture .cut{stroke:#b03a00;stroke-dasharray:7 4}
.tape-picture .cut-tip{fill:#b03a00}
.tape-picture .cross{fill:#f6f5f1;stroke:#b03a00;stroke-width:2.5}
.tape-picture .eye{fill:none;stroke:#1d5f9e;stroke-width:1.8}
.tape-picture .pupil{fill:#1d5f9e}
@media (prefers-color-scheme:dark){
.tape-picture .card,.tape-picture .cross{fill:#24262b}
.tape-picture .card{stroke:#565a63}
.tape-picture .box{fill:#2e3138;stroke:#86bdf3}
.tape-picture .off,.tape-picture .gone{stroke:#a9a79f}
.tape-picture .bad,.tape-picture .cut,.tape-picture .cross{stroke:#ffad7a}
.tape-picture text{fill:#ecebe6}
.tape-picture .bad-text{fill:#ffad7a}
.tape-picture .link,.tape-picture .eye{stroke:#86bdf3}
.tape-picture .tip,.tape-picture .pupil{fill:#86bdf3}
.tape-picture .gone{stroke:#a9a79f}.tape-picture .cut{stroke:#ffad7a}
.tape-picture .gone-tip{fill:#a9a79f}.tape-picture .cut-tip{fill:#ffad7a}
}"""
_WIDE, _GAP, _PAD = 232, 16, 16  # a box, between boxes, around them


def _wrap(text: str, columns: int, rows: int = 3, code: bool = False) -> list[str]:
    """Break a line at spaces outside shapes, code also behind ( and comma."""
    pieces = re.findall(r"[^ (,]*[ (,]?" if code else r"(?:\([\d, ]*\)|[^ ])+ ?", text)
    out = [""]
    for piece in pieces:
        if out[-1] and len((out[-1] + piece).rstrip()) > columns:
            out.append("")
        out[-1] += piece
    out = [line[i : i + columns] for line in out for i in range(0, len(line.rstrip()), columns)]
    if len(out) > rows:
        out = [*out[: rows - 1], out[rows - 1][: columns - 1] + "\N{HORIZONTAL ELLIPSIS}"]
    return [line.rstrip() for line in out]


def layered(boxes: list[Box], links: Links) -> tuple[list[Box], Links]:
    """Rank by longest path, a leaf just above the first box that uses it; sort by rank."""
    for _ in boxes:
        for a, b in links:
            boxes[b].rank = max(boxes[b].rank, boxes[a].rank + 1)
    fed = {b for _, b in links}
    for n, box in enumerate(boxes):
        after = [boxes[b].rank for a, b in links if a == n]
        if box.leaf and after and n not in fed:
            box.rank = min(after) - 1

    def side(n: int) -> bool:
        return boxes[n].leaf and not boxes[n].roles

    order = sorted(range(len(boxes)), key=lambda n: (boxes[n].rank, side(n), n))
    place = {old: new for new, old in enumerate(order)}
    return [boxes[n] for n in order], {(place[a], place[b]): m for (a, b), m in links.items()}


def svg_of(
    boxes: list[Box],
    links: Links,
    verdict: list[str],
    text: str,
    steps: list[Step] | None = None,
) -> str:
    """The drawing; with `steps`, they are in it as data, and boxes and links can be found."""
    rows = [list(row) for _, row in itertools.groupby(range(len(boxes)), lambda n: boxes[n].rank)]
    across = max(len(row) for row in rows)
    far = any(boxes[b].rank > boxes[a].rank + 1 for a, b in links)  # needs room at the edge
    width = max(across * (_WIDE + _GAP) - _GAP, 340) + 2 * _PAD + (52 if far else 0)
    y, drawn, place = _PAD + 0.0, [], {}
    for row in rows:
        tall = 0.0
        left = (width - len(row) * (_WIDE + _GAP) + _GAP) / 2
        for column, n in enumerate(row):
            x = left + column * (_WIDE + _GAP)
            parts, height = _draw_box(boxes[n], x, y)
            drawn += [f'<g data-box="{n}">', *parts, "</g>"] if steps else parts
            place[n] = (x, y, height)
            tall = max(tall, height)
        y += tall + 40
    y -= 22
    lines = [
        f'<g data-link="{a} {b}">{drawing}</g>' if steps else drawing
        for (a, b), mark in sorted(links.items())
        for drawing in [_draw_link(place, a, b, mark, width)]
    ]
    story = json.dumps(steps, ensure_ascii=False, separators=(",", ":")) if steps else ""
    room = width - 2 * _PAD  # bold letters are wider
    said = [
        (line, n)
        for n, sentence in enumerate(verdict)
        for line in _wrap(sentence, int(room / (7 if n else 8)), 9)
    ]
    foot = []
    for line, n in said:
        y += 18
        style = "why" if n == 0 else "say"
        foot.append(f'<text class="{style}" x="{_PAD}" y="{y:g}">{escape(line)}</text>')
    height, scale = y + _PAD, min(1.0, 760 / width)
    return "\n".join([
        '<svg xmlns="http://www.w3.org/2000/svg" class="tape-picture" role="img" '
        f'width="{width * scale:g}" height="{height * scale:g}" '
        f'viewBox="0 0 {width:g} {height:g}">',
        f"<title>{escape(verdict[0])}</title>", f"<desc>{escape(text)}</desc>",
        f"<style>{STYLE}</style>",
        *([f"<metadata>{escape(story)}</metadata>"] if steps else []),
        f'<rect class="card" x=".5" y=".5" width="{width - 1:g}" height="{height - 1:g}" rx="8"/>',
        *lines, *drawn, *foot, "</svg>",
    ])  # fmt: skip


def _draw_box(box: Box, x: float, y: float) -> tuple[list[str], float]:
    down, texts = y + 6.0, []
    if box.roles:
        down += 14
        role = " AND ".join(box.roles).upper()
        texts.append(f'<text class="role" x="{x + 12:g}" y="{down:g}">{role}</text>')
    for line in _wrap(box.title, 26, code=not box.leaf and "(layer)" not in box.title):
        down += 17
        texts.append(f'<text class="code" x="{x + 12:g}" y="{down:g}">{escape(line)}</text>')
    eye = box.leaf and box.lines[1].startswith(("watched", "followed"))
    for n, line in enumerate(box.lines):
        style, sign = "say", ""
        if n == 1 and not box.leaf:
            sign = "\N{CHECK MARK} " if line == "recorded" else "\N{MULTIPLICATION X} "
            style = "bad-text" if box.broken else "say"
        columns = 26 if eye or style != "say" else 30
        for m, piece in enumerate(_wrap(sign + line, columns, 4)):
            down += 17
            start = x + 12
            if eye and n == 1:
                start += 24
                if m == 0:
                    cx, cy = x + 21, down - 4.5
                    texts.append(
                        f'<path class="eye" d="M{cx - 9:g} {cy:g}Q{cx:g} {cy - 11:g} {cx + 9:g} '
                        f'{cy:g}Q{cx:g} {cy + 11:g} {cx - 9:g} {cy:g}Z"/>'
                        f'<circle class="pupil" cx="{cx:g}" cy="{cy:g}" r="2.8"/>'
                    )
            texts.append(f'<text class="{style}" x="{start:g}" y="{down:g}">{escape(piece)}</text>')
    height = down + 10 - y
    on = box.lines[1].startswith(("recorded", "watched", "followed"))
    style = "box" + (" bad" if box.broken else "" if on else " off") + (" end" if box.roles else "")
    rounded = 16 if box.leaf else 4
    shape = (
        f'<rect class="{style}" x="{x:g}" y="{y:g}" width="{_WIDE}" height="{height:g}" '
        f'rx="{rounded}"/>'
    )
    return [shape, *texts], height


def _draw_link(place: dict, a: int, b: int, mark: str, width: float) -> str:
    """An arrow from box a down to box b; one that skips rows runs along the card's edge."""
    ax, ay, ah = place[a]
    bx, by, _ = place[b]
    x1, y1, x2, y2 = ax + _WIDE / 2, ay + ah, bx + _WIDE / 2, by - 7
    shift = max(-40.0, min(40.0, (x1 - x2) / 6))  # arrows from both sides arrive side by side
    x2 += shift
    between = [p for p in place.values() if ay < p[1] < by]
    if between:
        right = x1 >= width / 2
        side = width - 16 if right else 16.0
        x1, x2 = x1 + (60 if right else -60), x2 + (60 if right else -60)
        bend = f"C{x1:g} {y1 + 24:g} {side:g} {y1 + 10:g} {side:g} {y1 + 34:g}L{side:g} {y2 - 34:g}"
        path = f"M{x1:g} {y1:g}{bend}C{side:g} {y2 - 10:g} {x2:g} {y2 - 24:g} {x2:g} {y2:g}"
        mx, my = side, (y1 + y2) / 2
    else:
        mid = (y1 + y2) / 2
        path = f"M{x1:g} {y1:g}C{x1:g} {mid:g} {x2:g} {mid:g} {x2:g} {y2:g}"
        mx, my = (x1 + x2) / 2, mid
    style = {"yes": "", "no": "gone", "break": "cut"}[mark]
    tip = f"{style}-tip" if style else ""
    out = f'<path class="link {style}" d="{path}"/>'
    out += f'<path class="tip {tip}" d="M{x2 - 5:g} {y2 - 1:g}h10l-5 8z"/>'
    if mark == "break":
        out += (
            f'<circle class="cross" cx="{mx:g}" cy="{my:g}" r="9"/><path class="cross" '
            f'd="M{mx - 4:g} {my - 4:g}l8 8m0 -8l-8 8"/>'
        )
    return out
