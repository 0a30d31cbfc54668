"""Operations of a graph as plain records; public TensorFlow API only."""

from __future__ import annotations

import weakref
from typing import Any

from whynone.places import traced_position
from whynone.recording import Body, Op, Value

BODIES = {
    "PartitionedCall": ["f"],
    "StatefulPartitionedCall": ["f"],
    "If": ["then_branch", "else_branch"],
    "StatelessIf": ["then_branch", "else_branch"],
    "Case": ["branches"],
    "StatelessCase": ["branches"],
    "While": ["body"],
    "StatelessWhile": ["body"],
}


def graph_op(observer: Any, operation: Any, traced: bool, body_source: Any = None) -> Op:
    """The `Op` of a graph operation; its outputs get their values.

    `traced` is False for an operation that was not seen when it was added (a loaded graph).
    """
    local = observer.local
    values = tuple(observer.value_of(tensor) for tensor in operation.inputs)
    op = Op(
        operation.type,
        values,
        len(operation.outputs),
        where=traced_position(operation.traceback),
        sessions=local.sessions if traced else (),
        during=local.asking,
        symbol=weakref.ref(operation),
        graph=getattr(operation.graph, "name", "graph"),
    )
    if operation.type in BODIES:
        op.body_source = body_source
    for index, tensor in enumerate(operation.outputs):
        shape = tuple(tensor.shape) if tensor.shape.rank is not None else None
        tensor.__dict__["_whynone"] = Value(op, index, tensor.dtype.name, shape)
        op.made.append((tensor.dtype.name, shape))
    if not operation.outputs:
        observer.written(op)
    return op


def body_of(observer: Any, graph: Any, first_input: int = 0) -> Body:
    """The inputs and outputs of a traced function's graph."""
    return Body(
        [observer.value_of(t) for t in graph.inputs],
        [observer.value_of(t) for t in graph.outputs],
        first_input,
    )
