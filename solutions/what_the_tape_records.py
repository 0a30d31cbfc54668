"""What a `tf.GradientTape` records: a recording of the real operations, and a picture of it.

    with record_tape() as recording:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * x
        z = y + 1.0
    draw(recording, z, x)

`record_tape` listens to TensorFlow while your own tapes run; it decides nothing itself. `draw`
shows the part of the recording that lies between a target and a source. Eager mode only: a
`tf.function` is one box.
"""

import contextlib
import dataclasses
import functools
import inspect
import itertools
import linecache
import re
import sys
import sysconfig
import types
import weakref
from collections.abc import Iterator, Sequence
from html import escape
from typing import Any

import tensorflow as tf

RECORDED, _STOPPED = "recorded", "recording_stopped"

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
        "`assign` is not recorded",
        "Use the new value itself instead of assigning it to a variable.",
        "variables_and_state",
    ),
    "derived_source": (
        "the source was made from a tensor that the target uses",
        "Ask for the gradient of that tensor, or compute the target from the source.",
        "unwatched_tensor",
    ),
    "no_path": (
        "the target was not computed from the source",
        "Compute the target from the source, with TensorFlow operations only.",
        "left_tensorflow",
    ),
}
_WORDS = {
    "Mul": "*", "AddV2": "+", "Add": "+", "Sub": "-", "RealDiv": "/", "Pow": "**",
    "Neg": "negative", "MatMul": "matmul",
    "Sum": "reduce_sum", "Mean": "reduce_mean", "Max": "reduce_max",
    "Min": "reduce_min", "Prod": "reduce_prod", "StridedSlice": "slice", "Pack": "stack",
    "Unpack": "unstack", "ReadVariableOp": "read", "ConcatV2": "concat", "SelectV2": "where",
    "ResourceGather": "gather", "GatherV2": "gather", "ArgMax": "argmax", "ArgMin": "argmin",
    "Conv2D": "conv2d", "BatchMatMulV2": "matmul", "AssignVariableOp": "assign",
    "AssignAddVariableOp": "assign_add", "AssignSubVariableOp": "assign_sub",
}  # fmt: skip
_ASSIGNS = ("AssignVariableOp", "AssignAddVariableOp", "AssignSubVariableOp")


@dataclasses.dataclass
class Tensor:
    """One tensor of a recording. A variable is known by its handle, under one number."""

    number: int
    shape: tuple[int | None, ...]
    dtype: str
    variable: bool = False
    name: str = ""


@dataclasses.dataclass
class Op:
    """One operation that ran: what it used and made, where, and which tapes recorded it.

    `tapes[t]` is "recorded" or the cause why not; a tape that is missing there was entered later.
    `watched[t][i]`: tape t was tracking input i. `passes[i]`: the operation's derivative gives
    input i a tensor, not None (measured by calling its gradient function once).
    """

    kind: str
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    line: int
    code: str
    layer: str
    file: str
    tapes: dict[int, str]
    watched: dict[int, tuple[bool, ...]]
    passes: list[bool]
    registered: bool = True
    custom: bool = False

    @property
    def word(self) -> str:
        """The operation's name as a TensorFlow user writes it."""
        function = re.match(r"__(?:forward|inference|backward)_(.+)_\d+$", self.kind)
        if function:
            return f"tf.function {function[1]}"
        if self.custom:
            return f"custom_gradient {self.kind}"
        snake = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", re.sub(r"V\d+$", "", self.kind)).lower()
        return _WORDS.get(self.kind, snake)


@dataclasses.dataclass
class Watch:
    """From operation number `at` on, tape `tape` watches tensor `tensor`."""

    tensor: int
    tape: int
    at: int
    explicit: bool


@dataclasses.dataclass
class Tape:
    """A tape of a recording; `gradient_calls` counts the calls made inside `record_tape`."""

    persistent: bool
    entered_at: int
    exited_at: int | None = None
    gradient_calls: int = 0


@dataclasses.dataclass
class Recording:
    """What ran inside `record_tape`, in order, as plain data: no tensor is kept alive by it."""

    tensors: list[Tensor] = dataclasses.field(default_factory=list)
    ops: list[Op] = dataclasses.field(default_factory=list)
    watches: list[Watch] = dataclasses.field(default_factory=list)
    tapes: list[Tape] = dataclasses.field(default_factory=list)

    def __post_init__(self) -> None:
        # TensorFlow never gives an eager tensor's id twice, so ids need no living tensors.
        self._numbers: dict[int, int] = {}
        self._tape_numbers: Any = weakref.WeakKeyDictionary()

    def to_dict(self) -> dict[str, Any]:
        """The recording as dicts, lists, strings and numbers: ready for `json.dumps`."""
        fields = dataclasses.asdict(self)
        for op in fields["ops"]:
            del op["file"]  # a path belongs to one machine only
            op["tapes"] = {str(t): why for t, why in op["tapes"].items()}
            op["watched"] = {str(t): mask for t, mask in op["watched"].items()}
        return fields


def _tensorflow_internals() -> types.SimpleNamespace:
    """The private doors this module needs, in one place."""
    try:
        from tensorflow.python import pywrap_tfe
        from tensorflow.python.eager import backprop, core, record
        from tensorflow.python.framework import op_callbacks

        return types.SimpleNamespace(
            fast=pywrap_tfe,
            fast_path=pywrap_tfe.TFE_Py_FastPathExecute,
            slow_path=core._FallbackException,
            stopped=pywrap_tfe.TFE_Py_TapeSetIsStopped,
            gradient=backprop._gradient_function,
            record=record,
            add=op_callbacks.add_op_callback,
            remove=op_callbacks.remove_op_callback,
        )
    except (ImportError, AttributeError) as error:
        raise RuntimeError(
            f"`record_tape()` found no way to listen to TensorFlow {tf.__version__}: {error}. It "
            "uses private modules that exist in TensorFlow 2.16 to 2.21. Install one of these. "
            "Lesson: what_the_tape_records."
        ) from error


def _id(value: Any) -> int | None:
    """The number under which a tape keeps a tensor, or a variable's handle."""
    return getattr(getattr(value, "handle", value), "_id", None)


def _differentiable(dtype: tf.DType) -> bool:
    return dtype.is_floating or dtype.is_complex or dtype in (tf.resource, tf.variant)


_LIBRARIES = (sysconfig.get_paths()["stdlib"], "<frozen")


def _where() -> tuple[str, int, str, str]:
    """File, line number and text of the user's line that runs now, and the Keras layer's name."""
    frame, layer = sys._getframe(2), ""
    while frame is not None:
        file = frame.f_code.co_filename
        if not layer and "keras" in file:  # elsewhere f_locals would keep the user's tensors
            owner = frame.f_locals.get("self")
            layer = owner.name if hasattr(owner, "trainable_weights") else ""
        if file != __file__ and "-packages" not in file and not file.startswith(_LIBRARIES):
            return file, frame.f_lineno, linecache.getline(file, frame.f_lineno).strip(), layer
        frame = frame.f_back
    return "", 0, "", layer


class _Recorder:
    """Listens to TensorFlow for the time of one `record_tape` block."""

    def __init__(self) -> None:
        self.recording = Recording()
        self.tapes: list[Any] = []  # tapes, tracked ids and states live as long as the block
        self.tracked: list[set[int]] = []
        self.state: list[str] = []
        self.quiet = False
        self.private = _tensorflow_internals()

    def number(self, value: Any) -> int:
        r, key = self.recording, _id(value)
        if key not in r._numbers:
            r._numbers[key] = len(r.tensors)
            shape = tuple(value.shape) if value.shape.rank is not None else ()
            r.tensors.append(Tensor(len(r.tensors), shape, value.dtype.name))
        return r._numbers[key]

    def tape_number(self, tape: Any) -> int:
        for number, known in enumerate(self.tapes):
            if known is tape:
                return number
        self.tapes.append(tape)
        self.tracked.append(set())
        self.state.append(RECORDED)
        self.recording._tape_numbers[tape] = len(self.tapes) - 1
        self.recording.tapes.append(Tape(bool(tape._persistent), len(self.recording.ops)))
        return len(self.tapes) - 1

    def watch(self, tape: int, value: Any, explicit: bool) -> None:
        handle = getattr(value, "handle", value)
        number, ops = self.number(handle), self.recording.ops
        if handle is not value:
            known = self.recording.tensors[number]
            known.variable, known.name = True, value.name.split(":")[0]
            known.shape, known.dtype = tuple(value.shape), value.dtype.name
        if _id(handle) not in self.tracked[tape]:
            self.tracked[tape].add(_id(handle))
            self.recording.watches.append(Watch(number, tape, len(ops), explicit))

    def op(self, kind: Any, inputs: Any, attrs: Any, outputs: Any, op_name=None, graph=None):
        """Called by TensorFlow after each operation."""
        if graph is not None or self.quiet:
            return
        kind = kind.decode() if isinstance(kind, bytes) else str(kind)
        op = self.add(kind, inputs, outputs)
        if RECORDED not in op.tapes.values() or kind == "EagerPyFunc":
            return  # a py_function may be differentiated once only, and that is the user's turn
        try:
            with self.silence():
                ones = [tf.ones_like(o) if _differentiable(o.dtype) else None for o in outputs]
                grads = self.private.gradient(
                    kind, attrs, len(inputs), list(inputs), list(outputs), ones, (), ""
                )
            op.passes = _given(grads, inputs)
        except LookupError:
            if not kind.startswith("__"):
                op.passes, op.registered = [False] * len(inputs), False
        except Exception:  # the real tape may still know better than this trial
            pass

    def no_fast_path(self, *args: Any, **kwargs: Any) -> Any:
        """TensorFlow's fast path reads variables unseen: send each operation the slow way."""
        if self.quiet or not tf.executing_eagerly():
            return self.private.fast_path(*args, **kwargs)
        raise self.private.slow_path("record_tape listens")

    def add(self, kind: str, inputs: Any, outputs: Any) -> Op:
        r = self.recording
        handles = [i for i in inputs if i.dtype == tf.resource]
        for tape, live in enumerate(self.tapes):
            if handles and self.state[tape] == RECORDED:
                ids = {_id(i) for i in handles} - self.tracked[tape]
                for variable in live.watched_variables() if ids else ():
                    if _id(variable) in ids:
                        self.watch(tape, variable, explicit=False)
        for handle in handles:
            known = r.tensors[self.number(handle)]
            known.variable = True
            if kind == "ReadVariableOp":
                known.shape, known.dtype = tuple(outputs[0].shape), outputs[0].dtype.name
        file, line, code, layer = _where()
        op = Op(kind, tuple(map(self.number, inputs)), tuple(map(self.number, outputs)),
                line, code, layer, file, {}, {}, [True] * len(inputs))  # fmt: skip
        for tape in range(len(self.tapes)):
            mask = tuple(_id(i) in self.tracked[tape] for i in inputs)
            op.watched[tape] = mask
            usable = [_differentiable(i.dtype) for i, m in zip(inputs, mask, strict=True) if m]
            if self.state[tape] != RECORDED:
                op.tapes[tape] = self.state[tape]
            elif self.private.stopped():
                op.tapes[tape] = "recording_stopped"
            elif not any(usable):
                op.tapes[tape] = "integer_dtype" if usable else "unwatched"
            else:
                op.tapes[tape] = RECORDED
                self.tracked[tape].update(map(_id, outputs))
        r.ops.append(op)
        return op

    def operation(self, original: Any) -> Any:
        """Wrap `record_operation`: how custom gradients and tf.functions reach a tape."""
        signature = inspect.signature(original)

        @functools.wraps(original)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            bound = signature.bind(*args, **kwargs)
            call = bound.arguments
            if self.quiet or not tf.executing_eagerly():
                return original(*args, **kwargs)
            ins, outs = list(call["input_tensors"]), list(call["output_tensors"])
            backward = call["backward_function"]
            op = self.add(str(call["op_type"]), ins, outs)
            op.custom = True

            def observed(*gradients: Any) -> Any:
                result = backward(*gradients)
                op.passes = _given(result, ins)
                return result

            if op.kind.startswith("__") and RECORDED in op.tapes.values():
                with self.silence(), contextlib.suppress(Exception):
                    observed(*[tf.ones_like(o) for o in outs])
            elif not op.kind.startswith("__"):
                # A user's own gradient function may count its calls: watch it, never call it.
                call["backward_function"] = observed
            return original(*bound.args, **bound.kwargs)

        return wrapper

    @contextlib.contextmanager
    def silence(self) -> Iterator[None]:
        self.quiet = True
        try:
            with self.private.record.stop_recording():
                yield
        finally:
            self.quiet = False

    def tape_methods(self) -> dict[str, Any]:
        """Wrappers of GradientTape's methods, which tell this recorder and then do their work."""
        me, real = self, tf.GradientTape

        def eager(method: Any) -> Any:
            original = getattr(real, method.__name__)

            @functools.wraps(original)
            def wrapper(tape: Any, *args: Any, **kwargs: Any) -> Any:
                call = functools.partial(original, tape, *args, **kwargs)
                if me.quiet or not tf.executing_eagerly():
                    return call()
                return method(me.tape_number(tape), call, *args)

            return wrapper

        def __enter__(tape: int, call: Any) -> Any:
            result = call()
            me.state[tape] = RECORDED
            return result

        def __exit__(tape: int, call: Any, *error: Any) -> Any:
            me.state[tape] = "outside_tape"
            me.recording.tapes[tape].exited_at = len(me.recording.ops)
            return call()

        def watch(tape: int, call: Any, tensor: Any = None) -> None:
            call()
            for value in tf.nest.flatten(tensor):
                me.watch(tape, value, explicit=True)

        @contextlib.contextmanager
        def stop_recording(tape: int, call: Any) -> Iterator[None]:
            with call():
                me.state[tape] = "recording_stopped"
                try:
                    yield
                finally:
                    me.state[tape] = RECORDED

        def reset(tape: int, call: Any) -> None:
            call()
            me.tracked[tape].clear()
            for op in me.recording.ops:
                op.tapes[tape] = "recording_stopped" if tape in op.tapes else "outside_tape"

        def gradient(tape: int, call: Any, *args: Any) -> Any:
            if not me.recording.tapes[tape].persistent:
                me.state[tape] = "outside_tape"  # TensorFlow ends the recording here
            result = call()
            me.recording.tapes[tape].gradient_calls += 1
            return result

        methods = (__enter__, __exit__, watch, stop_recording, reset, gradient)
        return {method.__name__: eager(method) for method in methods}


def _given(gradients: Any, inputs: Sequence[Any]) -> list[bool]:
    gradients = list(gradients) if isinstance(gradients, (list, tuple)) else [gradients]
    gradients += [None] * (len(inputs) - len(gradients))
    return [g is not None for g in gradients[: len(inputs)]]


_open: list[Recording] = []


@contextlib.contextmanager
def record_tape() -> Iterator[Recording]:
    """Record every eager operation in the block, and what the tapes in it do with it.

    Use plain `tf.GradientTape` inside. Operations and tapes behave as without it; each recorded
    operation's gradient function runs once more, so the block takes several times as long. What
    the block computes can be freed as usual; tapes live until it ends.

    Raises:
        RuntimeError: in a `tf.function`, inside another `record_tape`, or with a TensorFlow that
            lacks the private modules used.
    """
    if not tf.executing_eagerly():
        raise RuntimeError(
            "`record_tape()` was called inside a tf.function. Nothing runs there yet: TensorFlow "
            "is building a graph. Call the undecorated function, or use "
            "`tf.config.run_functions_eagerly(True)`. Lesson: what_the_tape_records."
        )
    if _open:
        raise RuntimeError(
            "`record_tape()` was called inside another `record_tape()` block, which records "
            "everything already. Leave the inner one out. Lesson: what_the_tape_records."
        )
    recorder, tape_class = _Recorder(), tf.GradientTape
    patched = [(tape_class, name, new) for name, new in recorder.tape_methods().items()]
    private = recorder.private
    for name in ("record_operation", "record_operation_backprop_only"):
        new = recorder.operation(getattr(private.record, name))
        patched.append((private.record, name, new))
    patched.append((private.fast, "TFE_Py_FastPathExecute", recorder.no_fast_path))
    saved = [(owner, name, getattr(owner, name)) for owner, name, _ in patched]
    callback = recorder.op
    _open.append(recorder.recording)
    try:
        for owner, name, new in patched:
            setattr(owner, name, new)
        private.add(callback)
        yield recorder.recording
    finally:
        with contextlib.suppress(ValueError, KeyError):
            private.remove(callback)
        for owner, name, old in saved:
            setattr(owner, name, old)
        _open.clear()


class _Path:
    """Which operations lead from a source to a target, and where the gradient stops."""

    def __init__(self, recording: Recording, target: int, source: int, tape: int) -> None:
        self.r, self.target, self.source, self.tape = recording, target, source, tape
        self.made: dict[int, list[int]] = {}
        for k, op in enumerate(recording.ops):
            written = op.inputs[:1] if op.kind in _ASSIGNS else ()
            for number in op.outputs + written:
                self.made.setdefault(number, []).append(k)
        end = len(recording.ops)
        depends: set[int] = set()
        for k, op in enumerate(recording.ops):
            if any(i == source or self.maker(i, k) in depends for i in op.inputs):
                depends.add(k)
        self.behind_target = self.ancestors(target, end)
        self.between = sorted(depends & self.behind_target)
        self.forward = sorted(depends)
        alive: set[int] = set()
        self.breaks: dict[int, str] = {}
        for k in self.between:
            for position, i in enumerate(recording.ops[k].inputs):
                if i == source or self.maker(i, k) in alive:
                    why = self.why_not(k, position)
                    if not why:
                        alive.add(k)
                    else:
                        self.breaks.setdefault(k, why)
        self.intact = target == source or self.maker(target, end) in alive
        if self.intact:  # what a layer cuts off inside itself is its own affair
            self.breaks = {k: why for k, why in self.breaks.items() if not recording.ops[k].layer}
        self.cause = None if self.intact else next(iter(self.breaks.values()), self.no_link())

    def maker(self, number: int, before: int) -> int | None:
        """The operation that made a tensor; the one this tape recorded, where there are two."""
        found = [k for k in self.made.get(number, ()) if k < before]
        recorded = [k for k in found if self.status(k) == RECORDED and number in self.outputs(k)]
        return (recorded or found or [None])[-1]

    def outputs(self, k: int) -> tuple[int, ...]:
        return self.r.ops[k].outputs

    def ancestors(self, number: int, before: int) -> set[int]:
        seen: set[int] = set()
        todo = [(number, before)]
        while todo:
            number, before = todo.pop()
            k = None if number == self.source else self.maker(number, before)
            if k is not None and k not in seen:
                seen.add(k)
                todo += [(i, k) for i in self.r.ops[k].inputs]
        return seen

    def status(self, k: int) -> str:
        return self.r.ops[k].tapes.get(self.tape, "outside_tape")

    def why_not(self, k: int, position: int) -> str:
        """The cause why the gradient does not pass from operation k to that input, or ''."""
        op, status = self.r.ops[k], self.status(k)
        number = op.inputs[position]
        known = self.r.tensors[number]
        if op.kind in _ASSIGNS:
            return "variable_state"
        if op.kind in ("StopGradient", "PreventGradient") and status in (RECORDED, _STOPPED):
            return "stop_gradient"  # TensorFlow stops all tapes while it runs
        # A recorded operation passes the gradient on to all that is watched when `gradient` runs.
        late = any(w.tensor == number and w.tape == self.tape and w.at > k for w in self.r.watches)
        if status == RECORDED and (op.watched[self.tape][position] or late):
            dtypes = {known.dtype} | {self.r.tensors[o].dtype for o in op.outputs}
            if op.passes[position]:
                return ""
            if not op.registered:
                return "unregistered_gradient"
            if any(d.startswith(("int", "uint", "bool")) for d in dtypes):
                return "not_differentiable" if op.kind.startswith("Arg") else "integer_dtype"
            return "custom_gradient" if op.custom else "not_differentiable"
        if status not in (RECORDED, "unwatched"):
            return status
        if late:
            return "watched_late"
        return "non_trainable" if known.variable else "unwatched"

    def no_link(self) -> str:
        origins = self.tensors_behind(self.source) & self.tensors_behind(self.target)
        return "derived_source" if origins else "no_path"

    def tensors_behind(self, number: int) -> set[int]:
        seen, todo = set(), [(number, len(self.r.ops))]
        while todo:
            number, before = todo.pop()
            k = self.maker(number, before)
            if k is not None:
                new = set(self.r.ops[k].inputs) - seen
                seen |= new
                todo += [(i, k) for i in new]
        return seen


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
    x: float = 0.0


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


def draw(
    recording: Recording,
    target: Any,
    source: Any,
    names: dict[str, Any] | None = None,
    tape: tf.GradientTape | None = None,
) -> Picture:
    """Draw what lies between a target and a source, and where the gradient's path breaks.

    Args:
        recording: what `record_tape` gave.
        target: the tensor that would be differentiated.
        source: the tensor or variable to differentiate with respect to.
        names: words for tensors; by default the names they have where `draw` is called.
        tape: whose view to draw; by default the last tape that recorded a step to the target.

    Raises:
        TypeError: target or source is no eager tensor or variable.
        ValueError: the recording is empty, or the target, source or tape is not in it.
    """
    frame = sys._getframe(1)
    scope = names if names is not None else {**frame.f_globals, **frame.f_locals}
    called = {}
    for name, value in scope.items():
        number = recording._numbers.get(_id(value)) if _is_tensor(value) else None
        if number is not None and (names is not None or not name.startswith("_")):
            called.setdefault(number, name)
    if not recording.ops:
        raise ValueError(
            "`draw` got a recording without operations: no TensorFlow operation ran inside "
            "`record_tape()`. Put the tape's block inside `with record_tape() as recording:`. "
            "Lesson: what_the_tape_records."
        )
    if not recording.tapes:
        raise ValueError(
            f"`draw` got a recording of {len(recording.ops)} operations and no tape: no "
            "`with tf.GradientTape()` block was entered inside `record_tape()`. Put the tape's "
            "block inside it. Lesson: what_the_tape_records."
        )
    ends = [_find(recording, "target", target), _find(recording, "source", source)]
    if tape is not None and tape not in recording._tape_numbers:
        raise ValueError(
            "`draw` got a tape that was not used inside this `record_tape()` block. Leave `tape=` "
            "out, or give a tape that was entered in it. Lesson: what_the_tape_records."
        )
    if tape is not None:
        chosen = recording._tape_numbers[tape]
    else:
        chosen = _default_tape(recording, ends[0])
    path = _Path(recording, *ends, chosen)
    boxes, links = _layered(*_boxes(path, called))
    verdict = _verdict(path, called)
    text = _text(boxes, links, verdict)
    return Picture(_svg(boxes, links, verdict, text), text, path.intact, path.cause)


def _default_tape(recording: Recording, target: int) -> int:
    """The last tape that recorded the target, or else a step to it, or else anything."""
    path = _Path(recording, target, -1, 0)
    maker = path.maker(target, len(recording.ops))
    for steps in ([] if maker is None else [maker], path.behind_target):
        seen = [t for k in steps for t, why in recording.ops[k].tapes.items() if why == RECORDED]
        if seen:
            return max(seen)
    return len(recording.tapes) - 1


def _is_tensor(value: Any) -> bool:
    return isinstance(_id(value), int) and hasattr(value, "shape")


def _find(recording: Recording, role: str, value: Any) -> int:
    if not _is_tensor(value):
        what = f"{type(value).__module__}.{type(value).__name__}"
        raise TypeError(
            f"`draw` got a {what} as {role}. A tape records operations on eager tensors and "
            "variables only. Give the tensor itself: not its `.numpy()` value, not a list, not a "
            "layer's symbolic output. Lesson: what_the_tape_records."
        )
    number = recording._numbers.get(_id(value))
    if number is None:
        raise ValueError(
            f"`draw` got a {role} of shape {tuple(value.shape)} and dtype "
            f"{tf.as_dtype(value.dtype).name} that no operation inside `record_tape()` used or "
            "made. Either it was computed elsewhere, or its name now holds another tensor than "
            "the one that was used. Give the tensor of this recording, or move its line into the "
            "block. Lesson: what_the_tape_records."
        )
    return number


Links = dict[tuple[int, int], str]  # (from box, to box) → "yes", "no" or "break"


def _boxes(path: _Path, called: dict[int, str]) -> tuple[list[Box], Links]:
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
        _describe(box, path)
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
                if maker is not None and r.ops[maker].kind in _ASSIGNS:
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


def _collapse(groups: list[Box], path: _Path) -> list[Box]:
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


def _describe(box: Box, path: _Path) -> None:
    """Say in a box which operations ran, what came out, and whether it was recorded."""
    ops = [path.r.ops[k] for k in box.ops]
    words: dict[str, int] = {}
    for op in ops:
        if op.kind != "ReadVariableOp" or len(ops) == 1:
            words[op.word] = words.get(op.word, 0) + 1
    listed = [w if n == 1 else f"{w} (\N{MULTIPLICATION SIGN}{n})" for w, n in words.items()]
    more = f" and {len(listed) - 3} more" if len(listed) > 4 else ""
    out = [path.r.tensors[n] for op in ops for n in op.outputs][-1:]
    shown = ", ".join(listed[: 3 if more else None]) + more
    box.lines = [shown + "".join(f" \N{RIGHTWARDS ARROW} {_shape(t)}" for t in out)]
    status = {path.status(k) for k in box.ops}
    why = next((path.breaks[k] for k in box.ops if k in path.breaks), None)
    box.broken = why is not None
    if status == {RECORDED} or (RECORDED in status and path.intact):
        box.lines.append("recorded" + (f", but {CAUSES[why][0]}" if why else ""))
    elif RECORDED in status:
        box.lines.append("recorded in part" + (f": {CAUSES[why][0]}" if why else ""))
    elif why == "stop_gradient":
        box.lines.append(CAUSES[why][0])
    else:
        why = why or ("variable_state" if ops[0].kind in _ASSIGNS else next(iter(status)))
        box.lines.append(f"not recorded: {CAUSES[why][0]}")


def _shape(tensor: Tensor) -> str:
    return f"{tensor.shape} {tensor.dtype}"


def _kind(path: _Path, number: int) -> str:
    known = path.r.tensors[number]
    return f"{'variable' if known.variable else 'tensor'} {_shape(known)}"


def _name(path: _Path, number: int, called: dict[int, str]) -> str:
    known = path.r.tensors[number]
    kind = "variable" if known.variable else "tensor"
    if path.maker(number, len(path.r.ops)) is None and not known.variable:
        kind = "constant"
    return called.get(number) or known.name or kind


def _watched(path: _Path, number: int) -> str:
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


def _verdict(path: _Path, called: dict[int, str]) -> list[str]:
    """The sentences under the picture: what comes back, why, what to do, where to read."""
    target, source = (_name(path, n, called) for n in (path.target, path.source))
    if target == source:
        target, source = "target", "source"  # two things without a name of their own
    call = f"tape.gradient({target}, {source})"
    tape = path.r.tapes[path.tape]
    if path.intact:
        said = [f"The path from {source} to {target} is intact: {call} gives a tensor."]
    else:
        words, cure, lesson = CAUSES[path.cause]
        comes = "raises a LookupError" if path.cause == "unregistered_gradient" else "gives None"
        first = next(iter(path.breaks), None)
        where = f" at `{path.r.ops[first].code}`" if first is not None else ""
        kind = "breaks" if path.breaks else "does not exist"
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


_STYLE = """
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


def _layered(boxes: list[Box], links: Links) -> tuple[list[Box], Links]:
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


def _svg(boxes: list[Box], links: Links, verdict: list[str], text: str) -> str:
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
            drawn += parts
            place[n] = (x, y, height)
            tall = max(tall, height)
        y += tall + 40
    y -= 22
    lines = [_draw_link(place, a, b, mark, width) for (a, b), mark in sorted(links.items())]
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
        f"<style>{_STYLE}</style>",
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
