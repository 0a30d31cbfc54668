"""Walking back from the target, over everything that ran, to the sources.

The walk looks for the way that is *nearest to working*: among all ways from the target to a
source, the one with the fewest broken links. Pure Python over a recording.

A link leads from an operation's output to one of its inputs. It is broken for a tape if the tape
did not record the operation or if the operation passes no gradient on. Two more kinds of link
carry a value but never a gradient: a variable's state, and the way through NumPy. They are tried
only for sources that no other way reaches.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from whynone.recording import SHAPES, Ask, Departure, Op, Recording, Session, Tape, Value

BROKEN, CONTINUED, STEP = 1.0, 1e-3, 1e-6
STATE, NUMPY = 1.2, 1.5
LIMIT = 400_000


@dataclass
class Link:
    """One step back, from a value to something it was made from."""

    op: Op | None
    input: int
    start: Value
    end: Value
    kind: str = "op"
    departure: Departure | None = None
    outer: Op | None = None

    @property
    def recorder(self) -> Op | None:
        """The operation that a tape outside of all traced functions saw."""
        return self.outer or self.op


@dataclass
class Step:
    """How the walk came to a value: its cost, the link it used and what broke there."""

    cost: float
    link: Link | None
    cause: str | None
    before: tuple | None


class Walk:
    """All ways back from the targets of one question.

    `judge(link)` returns the cause that breaks a link, or None if a gradient gets through.
    """

    def __init__(
        self,
        ask: Ask,
        record: Recording,
        judge: Callable[[Link], str | None],
        soft: bool = False,
        shapes: bool = False,
        came_from: Callable[[Value, Departure], bool] = lambda value, departure: True,
        passable: Callable[[Link], bool] = lambda link: True,
    ) -> None:
        self.ask = ask
        self.shapes = shapes
        self.passable = passable
        self.came_from = came_from
        self.record = record
        self.judge = judge
        self.soft = soft
        self.steps: dict[tuple, Step] = {}
        self.into: dict[int, list[tuple[tuple, Link]]] = {}
        self.values: dict[int, Value] = {}
        self._judged: dict[tuple, str | None] = {}
        self._run([w.value for w in ask.targets if w.value is not None])

    def reaches(self, value: Value) -> bool:
        return id(value) in self.values

    def cost(self, value: Value) -> float:
        return min((s.cost for k, s in self.steps.items() if k[0] == id(value)), default=1e9)

    def way_to(
        self,
        value: Value,
        keep: Callable[[Link], float] = lambda link: 0.0,
    ) -> list[tuple[Link, str | None]]:
        """The best way from a target to `value`, nearest to the source first.

        `keep` adds the cost of starting at `value` through a given last link.
        """
        best = None
        for key, link in self.into.get(id(value), ()):
            cause = self._cause(link)
            cost = self._add(self.steps[key], link, cause) + keep(link)
            if best is None or cost < best[0]:
                best = (cost, key, link, cause)
        if best is None:
            return []
        way = [(best[2], best[3])]
        key = best[1]
        while key is not None:
            step = self.steps[key]
            if step.link is not None:
                way.append((step.link, step.cause))
            key = step.before
        return way

    def other_ways(self, value: Value) -> list[list[tuple[Link, str | None]]]:
        """For each link where a gradient stops on its way to `value`: the best way through it.

        A target with two branches can be cut in both. Each way is nearest to the source first
        and ends with the link that stops the gradient; only ways with the fewest breaks.
        """
        best: dict[int, tuple[float, Link | None, str | None, int | None]] = {
            id(value): (0.0, None, None, None)
        }
        queue, tie, done, stops = [(0.0, 0, id(value))], 0, set(), []
        while queue and len(done) < LIMIT:
            cost, _, here = heapq.heappop(queue)
            if here in done:
                continue
            done.add(here)
            for key, link in self.into.get(here, ()):
                cause = self._cause(link)
                total = self._add(Step(cost, None, best[here][2], None), link, cause)
                if cause is not None and self.steps[key].cost < BROKEN / 2:
                    stops.append((total, here, link, cause))
                    continue
                if key[0] not in best or total < best[key[0]][0] - 1e-12:
                    best[key[0]] = (total, link, cause, here)
                    tie += 1
                    heapq.heappush(queue, (total, tie, key[0]))
        ways = []
        fewest = min((total for total, *_ in stops), default=0.0)
        for total, here, link, cause in stops:
            if total > fewest + BROKEN / 2:
                continue
            way = [(link, cause)]
            while best[here][1] is not None:
                way.append((best[here][1], best[here][2]))
                here = best[here][3]
            ways.append(way[::-1])
        return ways

    def _run(self, targets: list[Value]) -> None:
        queue: list[tuple[float, int, tuple, Value, tuple | None]] = []
        tie = 0
        for value in targets:
            key = (id(value), None)
            self.steps[key] = Step(0.0, None, None, None)
            queue.append((0.0, tie, key, value, None))
            tie += 1
        done = set()
        while queue and len(done) < LIMIT:
            _, _, key, value, context = heapq.heappop(queue)
            if key in done:
                continue
            done.add(key)
            self.values[id(value)] = value
            step = self.steps[key]
            for link, inner in self.links(value, context, step):
                if not self.passable(link):
                    continue
                cause = self._cause(link)
                self.into.setdefault(id(link.end), []).append((key, link))
                total = self._add(step, link, cause)
                next_key = (id(link.end), id(inner[1]) if inner else None)
                known = self.steps.get(next_key)
                if known is None or total < known.cost - 1e-12:
                    if next_key in done:
                        continue
                    self.steps[next_key] = Step(total, link, cause, key)
                    tie += 1
                    heapq.heappush(queue, (total, tie, next_key, link.end, inner))

    def _cause(self, link: Link) -> str | None:
        if link.op is None or link.kind != "op":
            return {"state": "variable_state", "numpy": "left_tensorflow"}.get(link.kind)
        key = (id(link.op), link.input, id(link.outer), link.start.index)
        if key not in self._judged:
            self._judged[key] = self.judge(link)
        return self._judged[key]

    def _add(self, step: Step, link: Link, cause: str | None) -> float:
        if cause is None:
            return step.cost + STEP
        if link.kind == "state":
            return step.cost + STATE
        if link.kind == "numpy":
            index = 0.0 if link.start.differentiable else BROKEN  # more likely an axis or a size
            return step.cost + NUMPY + index + link.input * 1e-4
        return step.cost + (CONTINUED if family(cause) == family(step.cause) else BROKEN)

    def links(
        self,
        value: Value,
        context: tuple | None,
        step: Step,
    ) -> Iterator[tuple[Link, tuple | None]]:
        """Each link back from `value`; `context` is the chain of calls it lies inside."""
        outer = context[2] if context else None
        if context is not None:
            call, body, _, position_of, parent = context
            position = position_of.get(id(value))
            if position is not None:
                if position + body.first_input < len(call.inputs):
                    end = call.inputs[position + body.first_input]
                    yield Link(None, 0, value, end, outer=parent[2] if parent else None), parent
                if body.loop and position < len(body.outputs):
                    yield Link(None, 0, value, body.outputs[position], outer=outer), context
                return
        op = value.op
        if op is None:
            if self.soft and value.origin in ("python", "numpy", "unknown"):
                yield from self._departures(value, self._after_soft(step))
            return
        if op.bodies:
            for body in op.bodies:
                if value.index < len(body.outputs):
                    positions = {id(v): i for i, v in enumerate(body.inputs)}
                    inner = (op, body, outer or op, positions, context)
                    end = body.outputs[value.index]
                    yield Link(None, 0, value, end, outer=outer or op), inner
            return
        if op.type in SHAPES and not self.shapes:
            return
        chained = self.soft and self._after_soft(step)
        if chained and op.during is not None:
            return  # a variable's state was computed by an optimizer: that is not a path
        for i, end in enumerate(op.inputs):
            yield Link(op, i, value, end, outer=outer), context
        if self.soft:
            for handle in op.inputs:
                if handle.dtype == "resource":
                    yield from self._writes(op, value, root(handle), chained)

    def _writes(
        self, op: Op, value: Value, handle: Value, chained: bool
    ) -> Iterator[tuple[Link, None]]:
        opened = self.ask.session.opened if self.ask.session is not None else 0
        for write in reversed(handle.writes or ()):
            if write.time < op.time and not (chained and write.time < opened):
                for i, end in enumerate(write.inputs):
                    if root(end) is not handle:
                        yield Link(write, i, value, end, kind="state"), None

    def _departures(self, value: Value, chained: bool) -> Iterator[tuple[Link, None]]:
        rank = 0
        opened = self.ask.session.opened if self.ask.session is not None else 0
        for departure in reversed(self.record.departures):
            if departure.time < value.time:
                if departure.time < opened and (chained or not self.came_from(value, departure)):
                    continue  # before the tape was opened much is logged, saved and copied
                yield (
                    Link(None, rank, value, departure.value, kind="numpy", departure=departure),
                    None,
                )
                rank += 1
                if rank > 200:
                    return

    def _after_soft(self, step: Step) -> bool:
        while step is not None:
            if step.link is not None and step.link.kind in ("state", "numpy"):
                return True
            step = self.steps.get(step.before) if step.before else None
        return False


def family(cause: str | None) -> str | None:
    """Causes that are one break when they follow each other: `argmax` and the integer it makes."""
    if cause in ("not_differentiable", "integer_dtype"):
        return "operation"
    return "time" if cause in ("outside_tape", "second_order") else cause


def root(handle: Value) -> Value:
    """The tensor outside of all traced functions that captured it."""
    while handle.op is not None and handle.op.type == "captured_value":
        handle = handle.op.inputs[0]
    return handle


def ancestors(values: list[Value]) -> dict[int, Value]:
    """Everything that `values` were computed from, themselves included, by operations only."""
    found: dict[int, Value] = {}
    waiting = list(values)
    while waiting and len(found) < LIMIT:
        value = waiting.pop()
        if id(value) in found:
            continue
        found[id(value)] = value
        if value.op is not None:
            waiting += value.op.inputs
            for body in value.op.bodies:
                waiting += body.outputs
    return found


def watched(value: Value, session: Session | None, tape: Tape, time: int) -> bool:
    """Was `value` itself on the tape at `time`: watched by hand, or a trainable variable?"""
    if any(w.value is value and w.time <= time and w.session is session for w in tape.watches):
        return True
    return value.variable is not None and value.variable.trainable and tape.watch_accessed


def tracked(value: Value, session: Session | None, tape: Tape, time: int) -> bool:
    """Was `value` on the tape at `time`, by itself or because it was computed from such a value?"""
    seen = set()
    waiting = [(value, time)]
    while waiting:
        value, time = waiting.pop()
        if id(value) in seen:
            continue
        seen.add(id(value))
        if watched(value, session, tape, time):
            return True
        op = value.op
        if op is not None and (session in op.sessions or op.type == "captured_value"):
            waiting += [(v, op.time) for v in op.inputs if v.differentiable]
    return False
