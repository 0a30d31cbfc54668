"""What a `tf.GradientTape` records: the rule, a recording of real operations, and its picture.

    with record_tape() as recording:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * x
        z = y + 1.0
    draw(recording, z, x)

`record_tape` listens to TensorFlow while your own tapes run; it decides nothing itself. `draw`
shows the part of the recording that lies between a target and a source. Eager mode only: a
`tf.function` is one box.

The rule itself is four lines long, in `recorded_steps`, and works on names instead of tensors.
"""

import contextlib
import dataclasses
import functools
import inspect
import linecache
import re
import sys
import sysconfig
import types
import weakref
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import tensorflow as tf

from solutions._tape_picture import CAUSES, RECORDED, Picture, picture

__all__ = [
    "CAUSES",
    "Op",
    "Picture",
    "Recording",
    "Tape",
    "Tensor",
    "Watch",
    "draw",
    "gradient_is_none",
    "record_tape",
    "recorded_steps",
    "walked_steps",
    "watched_names",
]


def watched_names(function: Callable[[], object]) -> list[str]:
    """Names of the variables that a tape watches by itself while `function()` runs.

    Args:
        function: takes no arguments; what it returns is not used.

    Returns:
        The `name` of each `tf.Variable`, sorted. Tensors have no place in this list.

    Raises:
        TypeError: `function` cannot be called.
    """
    if not callable(function):
        raise TypeError(
            f"watched_names(function) got a {type(function).__name__}, which was computed before "
            "any tape could listen. Give it the computation itself, as a function without "
            "arguments: watched_names(lambda: model(x)). Lesson: what_the_tape_records."
        )
    with tf.GradientTape() as tape:
        function()
    return sorted(variable.name for variable in tape.watched_variables())


def recorded_steps(steps: Sequence[tuple[str, Sequence[str]]], watched: Sequence[str]) -> list[str]:
    """Which steps of a program a tape records.

    Args:
        steps: what runs in the tape's block, in order, each as `(result, inputs)`: the step
            `("y", ["x", "w"])` stands for `y = f(x, w)`. Every result has a name of its own.
        watched: names of what is watched from the start of the block.

    Returns:
        The results of the recorded steps, in order.

    Raises:
        TypeError: a step's inputs are one string instead of a list of names.
        ValueError: a result has the name of something that was there before.
    """
    require_steps(steps, watched)
    followed, recorded = set(watched), []
    for result, inputs in steps:
        if followed.intersection(inputs):
            followed.add(result)
            recorded.append(result)
    return recorded


def walked_steps(
    steps: Sequence[tuple[str, Sequence[str]]], watched: Sequence[str], target: str
) -> list[str]:
    """Which recorded steps `tape.gradient(target, …)` walks: the target's step first.

    Takes `steps` and `watched` as `recorded_steps`, and the name of the target. A target that no
    recorded step made gives an empty list.

    Raises:
        TypeError, ValueError: as `recorded_steps`.
    """
    inputs, wanted, walked = dict(steps), {target}, []
    for result in reversed(recorded_steps(steps, watched)):
        if result in wanted:
            wanted.update(inputs[result])
            walked.append(result)
    return walked


def gradient_is_none(
    steps: Sequence[tuple[str, Sequence[str]]], watched: Sequence[str], target: str, source: str
) -> bool:
    """Whether `tape.gradient(target, source)` is None, if every step can be differentiated.

    Args:
        steps: what runs in the tape's block, in order, each as `(result, inputs)`: the step
            `("y", ["x", "w"])` stands for `y = f(x, w)`. Every result has a name of its own.
        watched: names of what is watched from the start of the block.
        target: the name of what is differentiated.
        source: another name: what it is differentiated by.

    Returns:
        False if recorded steps lead from the target back to the source and the source is
        watched, or was itself made by a recorded step; else True.

    Raises:
        TypeError, ValueError: as `recorded_steps`; ValueError also if target and source are one.
    """
    if target == source:
        raise ValueError(
            f"gradient_is_none: target and source are both {source!r}. By itself everything has "
            "the gradient 1, recorded or not, so this says nothing about a tape. Name the tensor "
            "that the target was computed from. Lesson: what_the_tape_records."
        )
    inputs = dict(steps)
    used = {name for result in walked_steps(steps, watched, target) for name in inputs[result]}
    followed = {*watched, *recorded_steps(steps, watched)}
    return source not in used & followed


def require_steps(steps: Sequence[tuple[str, Sequence[str]]], watched: Sequence[str]) -> None:
    """Raise unless every step has a list of inputs, and a name that is new."""
    known = set(watched)
    for result, inputs in steps:
        if isinstance(inputs, str):
            raise TypeError(
                f"The step {result!r} has the string {inputs!r} as its inputs, which Python reads "
                f"letter by letter. Write a list of names: ({result!r}, [{inputs!r}]). "
                "Lesson: what_the_tape_records."
            )
        known.update(inputs)
        if result in known:
            raise ValueError(
                f"The step {result!r} has the name of something that was there before. To a tape "
                "these are two tensors, whatever Python calls them. Give the new one a name of its "
                "own. Lesson: what_the_tape_records."
            )
        known.add(result)


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
ASSIGNS = ("AssignVariableOp", "AssignAddVariableOp", "AssignSubVariableOp")


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

    @property
    def assigns(self) -> bool:
        """Whether the operation changes a variable's state."""
        return self.kind in ASSIGNS


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


class Path:
    """Which operations lead from a source to a target, and where the gradient stops."""

    def __init__(self, recording: Recording, target: int, source: int, tape: int) -> None:
        self.r, self.target, self.source, self.tape = recording, target, source, tape
        self.used = {target, *(i for op in recording.ops for i in op.inputs)}
        self.made: dict[int, list[int]] = {}
        for k, op in enumerate(recording.ops):
            written = op.inputs[:1] if op.assigns else ()
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

    def shown(self, k: int) -> Tensor | None:
        """What operation k made: the target, else the first output that was used, or the first."""
        made = sorted(self.outputs(k), key=lambda n: (n != self.target, n not in self.used))
        return self.r.tensors[made[0]] if made else None

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

    def walked(self) -> set[int]:
        """The operations at which `tape.gradient` calls a gradient function, for this source.

        An intact path is walked along what lies between; else everything recorded behind the
        target, up to where it ends.
        """
        chosen = set(self.between) if self.intact else self.behind_target
        reached: set[int] = set()
        todo = [self.maker(self.target, len(self.r.ops))]
        while todo:
            k = todo.pop()
            if k not in chosen or k in reached or self.status(k) != RECORDED:
                continue
            inputs = self.r.ops[k].inputs
            passing = [i for n, i in enumerate(inputs) if not self.why_not(k, n)]
            if not passing:
                continue
            reached.add(k)
            todo += [self.maker(i, k) for i in passing if i != self.source]
        return reached

    def status(self, k: int) -> str:
        return self.r.ops[k].tapes.get(self.tape, "outside_tape")

    def why_not(self, k: int, position: int) -> str:
        """The cause why the gradient does not pass from operation k to that input, or ''."""
        op, status = self.r.ops[k], self.status(k)
        number = op.inputs[position]
        known = self.r.tensors[number]
        if op.assigns:
            return "variable_state"
        ran = status in (RECORDED, "recording_stopped")
        if op.kind in ("StopGradient", "PreventGradient") and ran:
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
        """Why no operation leads from the source to the target."""
        origins = self.tensors_behind(self.source) & self.tensors_behind(self.target)
        if not origins:
            return "no_path"
        return "other_call" if self.layer_called_again() else "derived_source"

    def layer_called_again(self) -> bool:
        """Whether the layer that made the source is also behind the target, by another call."""
        made = self.maker(self.source, len(self.r.ops))
        layer = "" if made is None else self.r.ops[made].layer
        return bool(layer) and any(
            self.r.ops[k].layer == layer and not self.one_line(made, k) for k in self.behind_target
        )

    def one_line(self, a: int, b: int) -> bool:
        """Whether everything from operation a to operation b ran in one line of the user's."""
        ran = self.r.ops[min(a, b) : max(a, b) + 1]
        return len({(op.file, op.line) for op in ran}) == 1

    def tensors_behind(self, number: int) -> set[int]:
        """The tensors from which a tensor was computed."""
        seen, todo = set(), [(number, len(self.r.ops))]
        while todo:
            number, before = todo.pop()
            k = self.maker(number, before)
            if k is not None:
                new = set(self.r.ops[k].inputs) - seen
                seen |= new
                todo += [(i, k) for i in new]
        return seen


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
    return picture(Path(recording, *ends, chosen), called)


def _default_tape(recording: Recording, target: int) -> int:
    """The last tape that recorded the target, or else a step to it, or else anything."""
    path = Path(recording, target, -1, 0)
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
