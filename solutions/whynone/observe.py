"""Watching one process: which tapes were opened, what they were asked, what came back.

`start()` puts public methods of `tf.GradientTape` behind thin wrappers and starts a route that
sees the operations: `private` (TensorFlow's operation callbacks) or, if `WHYNONE_PUBLIC_ONLY=1`
or a private symbol is missing, `public` (Python's own profiling hook). `stop()` undoes it all.
"""

from __future__ import annotations

import contextlib
import functools
import os
import sys
import threading
import traceback
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import tensorflow as tf
from whynone import backward, places, recording
from whynone.diagnose import diagnose, diagnose_values
from whynone.naming import has_handle, name_wanted, wanted_list
from whynone.paths import root
from whynone.recording import (
    Ask,
    Departure,
    Op,
    Recording,
    Session,
    Tape,
    Value,
    Variable,
    Watch,
)

_ORIGINALS: dict[str, Callable] = {}
_METHODS = (
    "__enter__",
    "__exit__",
    "watch",
    "reset",
    "stop_recording",
    "gradient",
    "jacobian",
    "batch_jacobian",
)


class _Local(threading.local):
    def __init__(self) -> None:
        self.sessions: tuple[Session, ...] = ()
        self.asking: Ask | None = None
        self.calls: list = []
        self.blind = 0
        self.inside = False


class Observer:
    """The one place where hooks leave what they saw."""

    def __init__(
        self,
        on_finding: Callable | None = None,
        also: frozenset[str] = frozenset(),
        route: Any = None,
    ) -> None:
        self.recording = Recording()
        self.local = _Local()
        self.clock = recording.clock
        self.on_finding = on_finding
        self.also = also
        self.route = route
        self.faults = 0
        self.seen: dict[tuple, Any] = {}
        self.history: dict[Any, list] = {}

    # What the routes call ------------------------------------------------------------------

    def value_of(self, tensor: Any) -> Value:
        """The value that describes a tensor; a new leaf if it was never seen."""
        value = tensor.__dict__.get("_whynone")
        if value is not None:
            return value
        dtype = tensor.dtype.name
        if hasattr(tensor, "_numpy") or not hasattr(tensor, "graph"):
            shape = tuple(tensor.shape) if tensor.shape.rank is not None else None
            value = Value(None, 0, dtype, shape, origin="unknown", time=next(self.clock))
            tensor.__dict__["_whynone"] = value
            return value
        if tensor.op.type == "Placeholder":
            shape = tuple(tensor.shape) if tensor.shape.rank is not None else None
            value = Value(None, 0, dtype, shape, origin="argument", time=next(self.clock))
            tensor.__dict__["_whynone"] = value
            return value
        # A loaded graph: its operations were not seen one by one. Inputs first, no recursion.
        waiting = [tensor.op]
        while waiting:
            unseen = [
                t.op
                for t in waiting[-1].inputs
                if "_whynone" not in t.__dict__
                and t.op.type != "Placeholder"
                and t.op not in waiting
            ]
            if unseen:
                waiting += unseen
            else:
                self.route.graph_op(waiting.pop(), traced=False)
        return tensor.__dict__["_whynone"]

    def variable_value(self, variable: Any) -> Value | None:
        """The value of a variable's handle, with the variable's name on it."""
        try:
            value = self.value_of(variable.handle)
        except Exception:  # a distributed variable outside a replica has no handle
            return None
        if value.variable is None:
            value.variable = Variable(
                _variable_name(variable), bool(getattr(variable, "trainable", True))
            )
            value.origin = "variable"
        return value

    def written(self, op: Any) -> None:
        """An operation without outputs: it stored something in the resources it was given."""
        for value in op.inputs:
            if value.dtype == "resource":
                root(value).wrote(op)

    def left(self, tensor: Any, array: Any, where: Any) -> None:
        """A tensor was copied to NumPy."""
        if self.local.blind:
            return
        value = tensor.__dict__.get("_whynone")
        if value is not None:
            self.recording.departures.append(Departure(value, next(self.clock), where))

    def arrived(self, tensor: Any, python: Any, where: Any) -> None:
        """A tensor was made from something that is not one."""
        if "_whynone" in tensor.__dict__:
            return
        kind = "numpy" if type(python).__module__ == "numpy" else "python"
        if self.local.asking is not None:
            kind = "backward"  # TensorFlow's own number, nothing that the script took out
        for inner in _tensors_in(python):
            self.recording.departures.append(
                Departure(self.value_of(inner), next(self.clock), where)
            )
        tensor.__dict__["_whynone"] = Value(
            None,
            0,
            tensor.dtype.name,
            tensor._shape_tuple(),
            origin=kind,
            made_at=where,
            time=next(self.clock),
        )

    def ran_numpy(self, inputs: Any, outputs: Any, where: Any) -> None:
        """`tf.numpy_function` ran eagerly, where it is a plain call and no operation."""
        local = self.local
        if local.blind:
            return
        values = []
        for item in flat(inputs):
            if has_handle(item):
                handle = self.variable_value(item)
                if handle is None:
                    continue
                read = Op("ReadVariableOp", (handle,), where=where, sessions=local.sessions)
                values.append(Value(read, 0, item.dtype.name, tuple(item.shape)))
            elif isinstance(item, tf.Tensor):
                values.append(self.value_of(item))
        made = [tensor for tensor in flat(outputs) if isinstance(tensor, tf.Tensor)]
        op = Op("PyFunc", tuple(values), len(made), where=where, sessions=local.sessions)
        for index, tensor in enumerate(made):
            value = self.value_of(tensor)
            value.op, value.index, value.time = op, index, op.time
        self.recording.recent.append(op)

    @contextlib.contextmanager
    def blind(self) -> Iterator[None]:
        """For whynone's own TensorFlow operations: no tape sees them, no hook reports them."""
        self.local.blind += 1
        asking, self.local.asking = self.local.asking, self.local.asking
        try:
            yield
        finally:
            self.local.blind -= 1
            self.local.asking = asking

    def check_finite(self, op: Any, inputs: Any, outputs: Any) -> None:
        """For `--also nan`: did this operation make the first value that is not finite?"""
        with self.blind():
            op.made_not_finite = any(
                backward.state(array_of(t)) == "nan" for t in outputs
            ) and not any(backward.state(array_of(t)) == "nan" for t in inputs)

    def stepped_back(
        self, op_name: Any, inputs: Any, outputs: Any, out_grads: Any, result: Any
    ) -> None:
        """TensorFlow's gradient function of one eager operation has run, for `--also`."""
        op = _op_of(self, op_name, inputs, outputs, out_grads)
        if op is None:
            return
        went = result if isinstance(result, (list, tuple)) else [result]
        self.went_back(op, out_grads, went)
        for value, gradient in zip(op.inputs, went, strict=False):
            if gradient is not None and hasattr(gradient, "__dict__"):
                gradient.__dict__["_whynone_for"] = value

    def went_back(self, op: Any, came: Any, went: Any) -> None:
        """One backward step, for `--also`: gradients into and out of an operation."""
        ask = self.local.asking
        if ask is None or not tf.executing_eagerly():
            return
        with self.blind():
            ask.steps[id(op)] = backward.step_of(
                op,
                [array_of(g) if g is not None else None for g in came],
                [array_of(g) if g is not None else None for g in went],
            )
            ask.kept.append(op)

    def fault(self, error: BaseException) -> None:
        """Something in whynone itself went wrong: one line, once, and the script goes on."""
        self.faults += 1
        if os.environ.get("WHYNONE_DEBUG"):
            traceback.print_exception(type(error), error, error.__traceback__)
        if self.faults == 1:
            tb = error.__traceback__
            while tb is not None and tb.tb_next is not None:
                tb = tb.tb_next
            file = os.path.basename(tb.tb_frame.f_code.co_filename) if tb else ""
            spot = f"{type(error).__name__} in {file}:{tb.tb_lineno if tb else ''}"
            print(
                f"whynone: internal fault ({spot}); the script goes on, some gradients may stay "
                "unexplained.",
                file=sys.stderr,
            )


def _tensors_in(python: Any) -> list[Any]:
    """Eager tensors whose numbers are copied when `python` becomes one tensor."""
    if isinstance(python, tf.Tensor):
        return [python]
    if isinstance(python, (list, tuple)) and len(python) <= 1000:
        return [tensor for item in python for tensor in _tensors_in(item)]
    return []


def _op_of(observer: Observer, op_name: Any, inputs: Any, outputs: Any, out_grads: Any) -> Any:
    """The recorded operation of a backward step: the tape drops tensors it does not need."""
    name = op_name.decode() if isinstance(op_name, bytes) else op_name
    for tensor in outputs or ():
        value = getattr(tensor, "__dict__", {}).get("_whynone")
        if value is not None and value.op is not None and value.op.type == name:
            return value.op
    for gradient in out_grads:
        value = getattr(gradient, "__dict__", {}).get("_whynone_for")
        if value is not None and value.op is not None and value.op.type == name:
            return value.op
    asking = observer.local.asking
    known = [
        t.__dict__["_whynone"] for t in inputs or () if "_whynone" in getattr(t, "__dict__", {})
    ]
    done = {id(op) for op in asking.kept} if asking is not None else set()
    for op in reversed(observer.recording.recent):
        if (
            op.type == name
            and id(op) not in done
            and op.during is None
            and (all(v in op.inputs for v in known))
        ):
            return op
    return None


def _variable_name(variable: Any) -> str:
    path = getattr(variable, "path", None)
    if isinstance(path, str):
        return path
    return str(getattr(variable, "name", "variable")).removesuffix(":0")


# --- starting and stopping ---------------------------------------------------------------------

_current: Observer | None = None


def current() -> Observer | None:
    """The observer that is running, if any."""
    return _current


def start(on_finding: Callable | None = None, also: frozenset[str] = frozenset()) -> Observer:
    """Begin to watch this process. Only one observer runs at a time."""
    global _current
    if _current is not None:
        return _current
    route = _route()
    observer = _current = Observer(on_finding, also, route)
    recording.set_resolver(places.place_of, places.place_in)
    observer.recording.gradient_of = lambda op: route.gradient_of(op)
    for name in _METHODS:
        _ORIGINALS[name] = getattr(tf.GradientTape, name)
        wrapper = functools.wraps(_ORIGINALS[name])(_WRAPPERS.get(name) or _asking(name))
        setattr(tf.GradientTape, name, wrapper)
    route.install(observer)
    return observer


def stop() -> None:
    """Undo everything `start` did."""
    global _current
    if _current is None:
        return
    _current.route.uninstall()
    for name, original in _ORIGINALS.items():
        setattr(tf.GradientTape, name, original)
    _ORIGINALS.clear()
    _current = None


def _route() -> Any:
    from whynone import public

    if os.environ.get("WHYNONE_PUBLIC_ONLY") == "1":
        return public
    from whynone import private

    return public if private.missing() else private


# --- the tape's methods ------------------------------------------------------------------------


def _where(depth: int = 2) -> Any:
    frame = sys._getframe(depth)
    if tf.executing_eagerly() or _current is None:
        return places.user_position(frame)
    return _current.route.graph_position()


def tape_of(tape: Any) -> Tape:
    """whynone's notes on a `tf.GradientTape`."""
    notes = tape.__dict__.get("_whynone_tape")
    if notes is None:
        notes = Tape(
            bool(getattr(tape, "_persistent", False)),
            bool(getattr(tape, "_watch_accessed_variables", True)),
        )
        notes.reference = weakref.ref(tape)
        tape.__dict__["_whynone_tape"] = notes
    return notes


def _noting(function: Callable) -> Callable:
    """Run a note-taking function so that a fault of its own cannot reach the script."""

    @functools.wraps(function)
    def safely(*args: Any) -> Any:
        observer = _current
        if observer is None or observer.local.blind:
            return None
        try:
            return function(observer, *args)
        except Exception as error:
            observer.fault(error)
            return None

    return safely


@_noting
def _opened(observer: Observer, tape: Any, where: Any) -> None:
    notes = tape_of(tape)
    session = notes.session
    if session is None or (session.closed is not None and getattr(tape, "_tape", 1) is None):
        session = None
    spent = bool(notes.asks) and not notes.persistent and notes.asks[-1].session is session
    if session is None or spent:
        session = Session(notes, next(observer.clock), where)
        notes.sessions.append(session)
        if notes.made_at is None:
            notes.made_at = where
    else:
        session.pauses.append([session.closed or 0, next(observer.clock), None])
        session.closed = None
    observer.local.sessions += (session,)
    observer.route.start_thread()


@_noting
def _closed(observer: Observer, tape: Any) -> None:
    session = tape_of(tape).session
    if session is not None and session.closed is None:
        session.closed = next(observer.clock)
    observer.local.sessions = tuple(s for s in observer.local.sessions if s is not session)


def _enter(self: Any) -> Any:
    result = _ORIGINALS["__enter__"](self)
    _opened(self, _where())
    return result


def _exit(self: Any, typ: Any, value: Any, tb: Any) -> Any:
    _closed(self)
    return _ORIGINALS["__exit__"](self, typ, value, tb)


def _watch(self: Any, tensor: Any) -> Any:
    try:
        result = _ORIGINALS["watch"](self, tensor)
    except Exception as error:
        _watch_failed(self, tensor, error, _where())
        raise
    _watched(self, tensor, _where())
    return result


@_noting
def _watched(observer: Observer, tape: Any, tensors: Any, where: Any) -> None:
    notes = tape_of(tape)
    for tensor in flat(tensors):
        value = observer.variable_value(tensor) if has_handle(tensor) else observer.value_of(tensor)
        if value is not None:
            notes.watches.append(Watch(notes.session, value, next(observer.clock), where))


@_noting
def _watch_failed(
    observer: Observer, tape: Any, tensors: Any, error: Exception, where: Any
) -> None:
    ask = Ask(
        tape_of(tape),
        tape_of(tape).session,
        [],
        wanted_list(observer, tensors),
        "watch",
        where,
        next(observer.clock),
        error=error,
    )
    name_wanted(ask.sources, tensors, where, 0, "tensor")
    _report(observer, ask, [], {})


def _reset(self: Any) -> Any:
    result = _ORIGINALS["reset"](self)
    _was_reset(self, _where())
    return result


@_noting
def _was_reset(observer: Observer, tape: Any, where: Any) -> None:
    notes = tape_of(tape)
    old = notes.session
    if old is not None:
        old.closed, old.erased_at = next(observer.clock), where
    new = Session(notes, next(observer.clock), where)
    notes.sessions.append(new)
    observer.local.sessions = tuple(new if s is old else s for s in observer.local.sessions)


@contextlib.contextmanager
def _stop_recording(self: Any) -> Iterator[None]:
    with _ORIGINALS["stop_recording"](self):
        _paused(self, _where(4))
        try:
            yield
        finally:
            _resumed(self)


@_noting
def _paused(observer: Observer, tape: Any, where: Any) -> None:
    session = tape_of(tape).session
    if session is not None:
        session.pauses.append([next(observer.clock), None, where])
        observer.local.sessions = tuple(s for s in observer.local.sessions if s is not session)


@_noting
def _resumed(observer: Observer, tape: Any) -> None:
    session = tape_of(tape).session
    if session is not None:
        session.pauses[-1][1] = next(observer.clock)
        observer.local.sessions += (session,)


def _asking(name: str) -> Callable:
    def ask(self: Any, *args: Any, **kwargs: Any) -> Any:
        observer = _current
        if observer is None or observer.local.blind:
            return _ORIGINALS[name](self, *args, **kwargs)
        question, given = _begin(self, name, args, kwargs, _where()) or (None, {})
        outer = observer.local.asking
        observer.local.asking = question
        try:
            result = _ORIGINALS[name](self, *args, **kwargs)
        except Exception as error:
            observer.local.asking = outer
            _answered(question, given, None, error, outer)
            raise
        finally:
            observer.local.asking = outer
        _answered(question, given, result, None, outer)
        return result

    return ask


@_noting
def _begin(
    observer: Observer, tape: Any, name: str, args: tuple, kwargs: dict, where: Any
) -> tuple[Ask, dict] | None:
    given = dict(zip(("target", "sources"), args, strict=False)) | kwargs
    if name == "batch_jacobian":
        given = dict(zip(("target", "source"), args, strict=False)) | kwargs
        given["sources"] = given.get("source")
    notes = tape_of(tape)
    spent = getattr(tape, "_tape", 1) is None
    if not notes.persistent:
        _closed(tape)
    question = Ask(
        notes,
        notes.session,
        wanted_list(observer, given.get("target")),
        wanted_list(observer, given.get("sources")),
        name,
        where,
        next(observer.clock),
        during=observer.local.asking,
        spent=spent,
    )
    return question, given


@_noting
def _answered(
    observer: Observer,
    ask: Ask | None,
    given: dict,
    result: Any,
    error: Exception | None,
    outer: Ask | None,
) -> None:
    if ask is None:
        return
    if error is not None:
        ask.error = error
        ask.tape.asks.append(ask)
        if outer is None:
            _report(observer, ask, [], given)
        return
    answers = tf.nest.flatten(result)
    ask.results = ["None" if g is None else "tensor" for g in answers]
    ask.tape.asks.append(ask)
    for gradient in answers:
        if isinstance(gradient, tf.Tensor):  # IndexedSlices and the like have no single value
            observer.value_of(gradient).result_of = ask
    none = [i for i, answer in enumerate(ask.results) if answer == "None"]
    if outer is not None:
        # batch_jacobian asks `gradient` and puts zeros where that returned None.
        if outer.method == "batch_jacobian" and none:
            outer.hidden_none = True
        return
    if ask.hidden_none and not none:
        none = list(range(len(ask.sources)))
    if observer.also and tf.executing_eagerly() and "unconnected_gradients" not in given:
        with observer.blind():
            ask.states = [backward.state(array_of(g)) for g in answers]
    _report(observer, ask, none, given)


def _report(observer: Observer, ask: Ask, none: list[int], given: dict) -> None:
    history = observer.history
    place = _key(ask.where)
    ask.earlier = list(history.get(place, ()))
    if len(ask.sources) <= 20:
        fine = [(w, i not in none and ask.error is None) for i, w in enumerate(ask.sources)]
        history[place] = [*ask.earlier[:1], fine]
    wrong = [s for s in ask.states if s in ("zero", "nan")]
    if not none and ask.error is None and not wrong:
        return
    _name_variables(observer, ask.tape)
    if given:
        name_wanted(ask.targets, given.get("target"), ask.where, 0, "target")
        name_wanted(ask.sources, given.get("sources"), ask.where, 1, "sources", "source")
    found = diagnose(observer.recording, ask, none) if none or ask.error is not None else []
    if wrong:
        found += diagnose_values(observer.recording, ask, observer.also)
    for finding in found:
        key = (finding.cause, finding.file, finding.line, finding.gradient_line, finding.source)
        if key in observer.seen:
            observer.seen[key].times += 1
            continue
        observer.seen[key] = finding
        observer.recording.findings.append(finding)
    fresh = [f for f in observer.recording.findings if not f.shown]
    if fresh and observer.on_finding is not None:
        for finding in fresh:
            finding.shown = True
        observer.on_finding(fresh)


def _name_variables(observer: Observer, notes: Tape) -> None:
    """Mark the handles of all variables that the tape watched by itself."""
    tape = notes.reference() if notes.reference is not None else None
    for variable in tape.watched_variables() if tape is not None else ():
        observer.variable_value(variable)


def array_of(gradient: Any) -> Any:
    """A gradient's numbers, or None if it has none to look at."""
    if getattr(gradient, "dtype", None) in (tf.resource, tf.variant):
        return None
    values = getattr(gradient, "values", gradient)  # tf.IndexedSlices
    values = getattr(values, "flat_values", values) if not callable(values) else gradient
    return values.numpy() if hasattr(values, "numpy") else None


def _key(where: Any) -> Any:
    return where if isinstance(where, tuple) else str(recording.resolve(where))


def flat(structure: Any) -> list[Any]:
    """The tensors and variables in a nested structure, ragged and sparse ones taken apart."""
    found = []
    for item in tf.nest.flatten(structure):
        if has_handle(item) or not hasattr(item, "_type_spec"):
            found.append(item)
        else:
            found += tf.nest.flatten(item, expand_composites=True)
    return found


_WRAPPERS = {
    "__enter__": _enter,
    "__exit__": _exit,
    "watch": _watch,
    "reset": _reset,
    "stop_recording": _stop_recording,
}
