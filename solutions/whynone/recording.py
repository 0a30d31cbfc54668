"""What really ran, as plain data: values, operations, tapes and questions.

Nothing here imports TensorFlow. The hooks in `private` and `public` write these objects while a
program runs; the reasoning in `paths` and `causes` only reads them, so that it can be tried on
small recordings written by hand.

A `Value` describes one tensor and never refers to it: the tensor points at its `Value`, not the
other way round. A value knows the operation that made it, the operation knows the values it read.
When the tensors of a training step are freed, their history is freed with them.
"""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

clock: Iterator[int] = itertools.count(1)

DIFFERENTIABLE = frozenset(
    ["float16", "bfloat16", "float32", "float64", "complex64", "complex128", "resource", "variant"]
)
SHAPES = frozenset(
    [
        "Shape",
        "ShapeN",
        "Size",
        "Rank",
        "ZerosLike",
        "OnesLike",
        "BroadcastGradientArgs",
        "VariableShape",
    ]
)
READS = frozenset(["ReadVariableOp", "ResourceGather", "ResourceGatherNd", "VariableV2"])
REMEMBERED_WRITES = 6
REMEMBERED_DEPTH = 100_000


@dataclass(frozen=True)
class Place:
    """A line of the user's code; columns (from 0) where they are known."""

    file: str
    line: int
    function: str = ""
    column: int | None = None
    end_line: int | None = None
    end_column: int | None = None


class Value:
    """One tensor: which output of which operation, or a leaf when `op` is None.

    `origin` says what a leaf is: "unknown", "python", "numpy", "tensor", "variable",
    "argument" (of a traced function).
    """

    __slots__ = (
        "__weakref__",
        "array",
        "dtype",
        "index",
        "made_at",
        "op",
        "origin",
        "result_of",
        "shape",
        "time",
        "variable",
        "writes",
    )

    def __init__(
        self,
        op: Op | None = None,
        index: int = 0,
        dtype: str = "float32",
        shape: tuple | None = None,
        origin: str = "",
        made_at: Any = None,
        time: int = 0,
    ) -> None:
        self.op = op
        self.index = index
        self.dtype = dtype
        self.shape = shape
        self.origin = origin
        self.made_at = made_at
        self.time = time or (op.time if op is not None else 0)
        self.variable: Variable | None = None
        self.writes: deque[Op] | None = None
        self.array: Any = None
        self.result_of: Ask | None = None

    @property
    def place(self) -> Place | None:
        if self.op is not None:
            return self.op.place
        return resolve(self.made_at)

    @property
    def differentiable(self) -> bool:
        return self.dtype in DIFFERENTIABLE

    def wrote(self, op: Op) -> None:
        """Remember that `op` stored something in the variable behind this handle."""
        if self.writes is None:
            self.writes = deque(maxlen=REMEMBERED_WRITES)
        self.writes.append(op)

    def __repr__(self) -> str:
        made = self.op.type if self.op is not None else self.origin or "leaf"
        return f"<Value {made}:{self.index} {self.dtype}{self.shape}>"


@dataclass
class Variable:
    """What is known of a variable: its name, and whether a tape watches it by itself."""

    name: str
    trainable: bool = True


class Op:
    """One operation that was executed or added to a graph."""

    __slots__ = (
        "__weakref__",
        "_bodies",
        "_place",
        "attrs",
        "body_source",
        "depth",
        "during",
        "graph",
        "inputs",
        "made",
        "made_not_finite",
        "n_outputs",
        "returned_none",
        "sessions",
        "symbol",
        "time",
        "type",
        "where",
    )

    def __init__(
        self,
        type: str,
        inputs: tuple[Value, ...] = (),
        n_outputs: int = 1,
        *,
        where: Any = None,
        sessions: tuple[Session, ...] = (),
        time: int = 0,
        during: Ask | None = None,
        attrs: Any = None,
        symbol: Any = None,
        body_source: Any = None,
        graph: str = "",
    ) -> None:
        self.type = type
        self.inputs = inputs
        self.n_outputs = n_outputs
        self.where = where
        self.sessions = sessions
        self.time = time or next(clock)
        self.during = during
        self.attrs = attrs
        self.symbol = symbol
        self.body_source = body_source
        self.graph = graph
        self.returned_none: frozenset[int] | None = None
        self.made_not_finite = False
        self.made: list[tuple[str, tuple | None]] = []
        self._bodies: list[Body] | None = None
        self._place: Any = False
        depth = 0
        for value in inputs:
            if value.op is not None and value.op.depth >= depth:
                depth = value.op.depth + 1
        if depth > REMEMBERED_DEPTH:
            self.inputs, depth = tuple(Value(origin="forgotten", dtype=v.dtype) for v in inputs), 0
        self.depth = depth

    @property
    def place(self) -> Place | None:
        if self._place is False:
            self._place = resolve(self.where)
        return self._place

    @property
    def bodies(self) -> list[Body]:
        """The graphs this operation runs: a traced function's, a branch's, a loop's."""
        if self._bodies is None:
            self._bodies = []
            if self.body_source is not None:
                self._bodies = list(self.body_source(self))
        return self._bodies

    def place_seen_from(self, home: Any) -> Place | None:
        """The line of the function where `home` lies (a tape, say) that led to this operation."""
        return resolve_in(self.where, home)

    def __repr__(self) -> str:
        return f"<Op {self.type} at {self.time}>"


@dataclass
class Body:
    """A graph inside an operation; `loop` if its outputs are fed back to its inputs."""

    inputs: list[Value]
    outputs: list[Value]
    first_input: int = 0
    loop: bool = False


@dataclass
class Session:
    """One continuous life of a tape's memory: from entering (or `reset`) until it is used up."""

    tape: Tape
    opened: int
    opened_at: Any = None
    closed: int | None = None
    pauses: list[list] = field(default_factory=list)
    erased_at: Any = None

    def paused_during(self, time: int) -> Any | None:
        for start, end, where in self.pauses:
            if start <= time and (end is None or time <= end):
                return where
        return None


@dataclass
class Watch:
    """`tape.watch` was called on a value."""

    session: Session | None
    value: Value
    time: int
    where: Any = None


class Tape:
    """What was done with one `tf.GradientTape`."""

    def __init__(self, persistent: bool = False, watch_accessed: bool = True) -> None:
        self.persistent = persistent
        self.watch_accessed = watch_accessed
        self.sessions: list[Session] = []
        self.watches: list[Watch] = []
        self.asks: list[Ask] = []
        self.made_at: Any = None
        self.reference: Callable[[], Any] | None = None

    @property
    def session(self) -> Session | None:
        return self.sessions[-1] if self.sessions else None


@dataclass
class Wanted:
    """A source or a target of a question, as the user sees it and as the recording knows it."""

    text: str
    value: Value | None = None
    kind: str = "tensor"
    python_type: str = ""
    variable: Variable | None = None
    expression: str = ""
    dtype: str = ""


@dataclass
class Ask:
    """`tape.gradient`, `jacobian` or `batch_jacobian` was called."""

    tape: Tape
    session: Session | None
    targets: list[Wanted]
    sources: list[Wanted]
    method: str = "gradient"
    where: Any = None
    time: int = 0
    during: Ask | None = None
    results: list[str] = field(default_factory=list)
    error: BaseException | None = None
    earlier: list[list[tuple[Wanted, bool]]] = field(default_factory=list)
    states: list[str] = field(default_factory=list)
    steps: dict[int, Any] = field(default_factory=dict)
    kept: list[Op] = field(default_factory=list)
    spent: bool = False
    hidden_none: bool = False

    @property
    def place(self) -> Place | None:
        return resolve(self.where)


@dataclass
class Departure:
    """A tensor's value was copied out of TensorFlow: `.numpy()`, `float(...)`, printing."""

    value: Value
    time: int
    where: Any = None
    array: Any = None

    @property
    def place(self) -> Place | None:
        return resolve(self.where)


class Recording:
    """The recent past: departures to NumPy and the last operations, both bounded."""

    def __init__(self, keep: int = 20_000) -> None:
        self.departures: deque[Departure] = deque(maxlen=2_000)
        self.recent: deque[Op] = deque(maxlen=keep)
        self.findings: list = []
        self.gradient_of: Callable[[Op], str | list[bool]] = lambda op: [True] * len(op.inputs)
        self._gradients: dict[Any, str | list[bool]] = {}

    def passes(self, op: Op, input: int) -> bool | str:
        """Does the gradient function of `op` return something for this input?

        "unregistered" if there is no gradient function; True if it could not be tried.
        """
        if op.type in READS or op.type in ("captured_value", "custom_gradient", "_copy"):
            return True
        # The answer depends on types and attributes, not on how large the tensors are.
        attrs = _frozen(op.attrs if op.symbol is None else _definition(op))
        ranks = tuple((v.dtype, v.shape is not None and len(v.shape)) for v in op.inputs)
        key = (op.type, ranks, attrs)
        known = self._gradients.get(key)
        if known is None:
            known = self._gradients[key] = self.gradient_of(op)
        if isinstance(known, str):
            return known if known == "unregistered" else True
        return known[input] if input < len(known) else True


def _definition(op: Op) -> Any:
    """The attributes of a graph operation; a unique object if its graph is gone."""
    operation = op.symbol()
    if operation is None:
        return op
    return tuple(
        sorted(
            (name, str(value))
            for name, value in operation.node_def.attr.items()
            if not name.startswith("_")
        )
    )


def _frozen(attrs: Any) -> Any:
    try:
        hash(attrs)
    except TypeError:
        return repr(attrs)
    return attrs


def resolve(where: Any) -> Place | None:
    """Turn what a hook stored into a `Place`: a `Place`, or something with a `place()`."""
    if where is None or isinstance(where, Place):
        return where
    return _resolver(where)


def resolve_in(where: Any, home: Any) -> Place | None:
    """The line from which `where` was reached, in the function that `home` lies in."""
    return _resolver_in(where, home) or resolve(where)


def _nowhere(*where: Any) -> Place | None:
    return None


_resolver: Callable[..., Place | None] = _nowhere
_resolver_in: Callable[..., Place | None] = _nowhere


def set_resolver(
    place_of: Callable[..., Place | None], place_in: Callable[..., Place | None]
) -> None:
    """Tell the recording how to turn a stored frame position into a `Place`."""
    global _resolver, _resolver_in
    _resolver, _resolver_in = place_of, place_in
