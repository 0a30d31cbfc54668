"""Recording without private symbols: Python's profiling hook instead of TensorFlow's callbacks.

Slower, and used only if `private` does not fit this TensorFlow or `WHYNONE_PUBLIC_ONLY=1` is set.
While it is on, Python tells us of every function that returns. Those of the generated operation
wrappers (the ones that `tf.raw_ops` exports) say which tensors went in and came out; a few others
say what a tape was told by hand and what went to NumPy. Whether an operation passes a gradient on
is found by building it again in a scratch graph and asking `tf.gradients`.
"""

from __future__ import annotations

import os
import sys
import threading
import weakref
from collections.abc import Callable
from types import CodeType, FrameType
from typing import Any

import numpy as np
import tensorflow as tf
from whynone import graphs
from whynone.naming import has_handle
from whynone.places import traced_position, user_position
from whynone.recording import Body, Op, Value

_observer: Any = None
_raw = {name.lower(): name for name in dir(tf.raw_ops) if not name.startswith("_")}
_roles: dict[CodeType, Callable | None] = {}
_custom: dict[int, Op] = {}
_graphs: dict[str, Any] = {}
_previous: Any = None


def install(observer: Any) -> None:
    """Record into `observer` from now on, in this and in new threads."""
    global _observer, _previous
    _observer = observer
    _previous = sys.getprofile()
    threading.setprofile(_returned)
    sys.setprofile(_returned)


def uninstall() -> None:
    """Give Python's profiling hook back."""
    global _observer
    sys.setprofile(_previous)
    threading.setprofile(_previous)
    _observer = None
    _custom.clear()
    _graphs.clear()


def start_thread() -> None:
    """New threads are covered by `threading.setprofile`."""


def graph_position() -> Any:
    """The stack while a function is traced: that of an operation made just now."""
    with _observer.blind(), tf.Graph().as_default():
        return traced_position(tf.constant(0).op.traceback)


def graph_op(operation: Any, traced: bool = True) -> Op:
    """The `Op` of a graph operation; its outputs get their values."""
    return graphs.graph_op(_observer, operation, traced, _bodies)


def _returned(frame: FrameType, event: str, result: Any) -> None:
    if event != "return" or _observer is None or (result is None and _is_op(frame.f_code)):
        return
    code = frame.f_code
    role = _roles.get(code, False)
    if role is False:
        role = _roles[code] = _role(code)
    if role is None or _observer.local.blind or _observer.local.inside:
        return
    _observer.local.inside = True
    try:
        role(frame, result)
    except Exception as error:
        _observer.fault(error)
    finally:
        _observer.local.inside = False


def _is_op(code: CodeType) -> bool:
    return _roles.get(code) is _operation and code.co_argcount == 0


def _role(code: CodeType) -> Callable | None:
    file, name = os.path.basename(code.co_filename), code.co_name
    if file.startswith("gen_") and file.endswith("_ops.py"):
        return None if name.endswith("_eager_fallback") else _operation
    return {
        ("record.py", "record_operation"): _by_hand,
        ("concrete_function.py", "_call_flat"): _call,
        ("ops.py", "_numpy"): _left,
        ("constant_op.py", "convert_to_eager_tensor"): _arrived,
        ("script_ops.py", "py_func_common"): _ran_numpy,
        ("constant_op.py", "_eager_reshape"): _copied,
        ("constant_op.py", "_eager_fill"): _copied,
        ("constant_op.py", "_eager_identity"): _copied,
        ("func_graph.py", "func_graph_from_py_func"): _traced,
        ("backprop.py", "_gradient_function"): _stepped_back,
        ("custom_gradient.py", "actual_grad_fn"): _custom_result,
        ("custom_gradient.py", "tape_grad_fn"): _custom_result,
    }.get((file, name))


def _tensors(value: Any) -> list[Any]:
    if isinstance(value, (list, tuple)):
        return [t for item in value for t in _tensors(item)]
    return [value] if isinstance(value, tf.Tensor) or has_handle(value) else []


def _value(item: Any, where: Any) -> Value:
    """The value of an argument; a variable is read on the way in."""
    if not has_handle(item):
        if "_whynone" not in item.__dict__:
            value = _observer.value_of(item)
            value.made_at = value.made_at or where
        return _observer.value_of(item)
    local = _observer.local
    read = Op(
        "ReadVariableOp",
        (_observer.variable_value(item),),
        where=where,
        sessions=local.sessions,
        during=local.asking,
    )
    return Value(read, 0, tf.as_dtype(item.dtype).name, tuple(item.shape))


def _operation(frame: FrameType, result: Any) -> None:
    code = frame.f_code
    name = _raw.get(code.co_name.strip("_").replace("_", "").lower())
    if name is None:
        return
    outputs = _tensors(result)
    if any(not hasattr(t, "_numpy") for t in outputs) or isinstance(result, tf.Operation):
        operation = result if isinstance(result, tf.Operation) else outputs[0].op
        if (
            not operation.outputs
            or "_whynone" not in operation.outputs[0].__dict__
            or (operation.outputs[0].__dict__["_whynone"].op is None)
        ):
            graph_op(operation)
        return
    where = user_position(frame.f_back)
    local = _observer.local
    given = {n: frame.f_locals.get(n) for n in code.co_varnames[: code.co_argcount] if n != "name"}
    values, recipe = [], []
    for argument, item in given.items():
        tensors = _tensors(item)
        if not tensors and _is_number(item, values):
            array = np.asarray(item)
            dtype = tf.as_dtype(array.dtype).name if array.dtype != float else "float32"
            values.append(
                Value(
                    None,
                    0,
                    dtype,
                    array.shape,
                    origin="unknown",
                    made_at=where,
                    time=next(_observer.clock),
                )
            )
            recipe.append((argument, "one", 1))
            continue
        if not tensors:
            recipe.append((argument, "plain", item if _simple(item) else None))
            continue
        values += [_value(t, where) for t in tensors]
        recipe.append(
            (argument, "list" if isinstance(item, (list, tuple)) else "one", len(tensors))
        )
    op = Op(
        name,
        tuple(values),
        len(outputs),
        where=where,
        sessions=local.sessions,
        during=local.asking,
        attrs=tuple((a, k, _frozen(v)) for a, k, v in recipe),
    )
    for index, tensor in enumerate(outputs):
        shape = tuple(tensor.shape)
        tensor.__dict__["_whynone"] = Value(op, index, tensor.dtype.name, shape)
        op.made.append((tensor.dtype.name, shape))
    if not outputs:
        _observer.written(op)
    elif "nan" in _observer.also:
        _observer.check_finite(
            op,
            [t for item in given.values() for t in _tensors(item) if hasattr(t, "_numpy")],
            outputs,
        )
    _observer.recording.recent.append(op)


def _is_number(item: Any, values: list) -> bool:
    """NumPy arrays, and a Python float in the first place, become tensors inside the wrapper."""
    first = item
    while isinstance(first, (list, tuple)) and first:
        first = first[0]
    return isinstance(item, (np.ndarray, np.generic)) or (isinstance(first, float) and not values)


def _simple(item: Any) -> bool:
    return isinstance(
        item, (bool, int, float, str, bytes, tf.dtypes.DType, list, tuple, type(None))
    ) or hasattr(item, "dtype")


def _frozen(item: Any) -> Any:
    if isinstance(item, (list, tuple)):
        return tuple(_frozen(i) for i in item)
    return item.tolist() if hasattr(item, "tolist") else item


def _call(frame: FrameType, result: Any) -> None:
    """A traced function was called; its graph is public."""
    given = frame.f_locals
    function = given["self"]
    inputs = [*given["tensor_inputs"], *given["captured_inputs"]]
    outputs = _tensors(tf.nest.flatten(result, expand_composites=True))
    if not outputs:
        return
    graph = function.graph
    local = _observer.local
    values = tuple(
        _observer.variable_value(t) if has_handle(t) else _observer.value_of(t) for t in inputs
    )
    op = Op(
        "__inference_" + graph.name,
        values,
        len(outputs),
        where=user_position(frame.f_back),
        sessions=local.sessions,
        during=local.asking,
        body_source=lambda op: [graphs.body_of(_observer, graph)],
    )
    for index, tensor in enumerate(outputs):
        value = _observer.value_of(tensor)
        value.op, value.index, value.time = op, index, op.time
    _observer.recording.recent.append(op)


def _by_hand(frame: FrameType, result: Any) -> None:
    given = frame.f_locals
    outputs, backward = given["output_tensors"], given["backward_function"]
    op_type = given["op_type"]
    if str(op_type).startswith("__"):
        return
    custom = getattr(backward, "__module__", "").endswith("custom_gradient")
    local = _observer.local
    where = user_position(frame.f_back)
    op = Op(
        "custom_gradient" if custom else op_type,
        tuple(_observer.value_of(t) for t in given["input_tensors"]),
        len(outputs),
        where=where,
        sessions=local.sessions,
        during=local.asking,
        attrs=op_type,
    )
    for index, tensor in enumerate(outputs):
        value = _observer.value_of(tensor)
        if custom and value.op is not None:
            op.where = value.op.where
        value.op, value.index = op, index
    if custom:
        for cell in backward.__closure__ or ():
            if callable(cell.cell_contents):
                _custom[id(cell.cell_contents)] = op


def _custom_result(frame: FrameType, result: Any) -> None:
    op = _custom.get(id(frame.f_locals.get("grad_fn")))
    if op is not None and isinstance(result, list):
        op.returned_none = frozenset(i for i, g in enumerate(result) if g is None)


def _copied(frame: FrameType, result: Any) -> None:
    """`tf.constant` of a tensor with another shape: an operation that no tape is told of."""
    tensor = next(
        (
            t
            for t in _tensors(list(frame.f_locals.values()))
            if t is not result and "_whynone" in t.__dict__
        ),
        None,
    )
    if tensor is not None and result is not None:
        op = Op(
            "tf.constant",
            (_observer.value_of(tensor),),
            1,
            where=user_position(frame.f_back),
            sessions=_observer.local.sessions,
        )
        result.__dict__["_whynone"] = Value(op, 0, result.dtype.name, tuple(result.shape))


def _traced(frame: FrameType, result: Any) -> None:
    """A function, a branch or a loop body has been traced into a graph."""
    if result is not None:
        _graphs[result.name] = weakref.ref(result)


def _bodies(op: Op) -> list[Body]:
    operation = op.symbol()
    found = []
    for attribute in graphs.BODIES[op.type] if operation is not None else ():
        names = operation.get_attr(attribute)
        for function in names if isinstance(names, list) else [names]:
            fitting = [name for name in _graphs if function.name.startswith(name)]
            graph = _graphs[max(fitting, key=len)]() if fitting else None
            if graph is not None:
                body = graphs.body_of(_observer, graph, 1 if "branch" in attribute else 0)
                body.loop = attribute == "body"
                found.append(body)
    return found


def _stepped_back(frame: FrameType, result: Any) -> None:
    if _observer.also:
        given = frame.f_locals
        _observer.stepped_back(
            given["op_name"], given["inputs"], given["outputs"], given["out_grads"], result
        )


def _left(frame: FrameType, result: Any) -> None:
    _observer.left(frame.f_locals["self"], result, user_position(frame.f_back))


def _arrived(frame: FrameType, result: Any) -> None:
    value = frame.f_locals.get("value")
    if result is not value and isinstance(result, tf.Tensor):
        _observer.arrived(result, value, user_position(frame.f_back))


def _ran_numpy(frame: FrameType, result: Any) -> None:
    if tf.executing_eagerly():
        _observer.ran_numpy(frame.f_locals["inp"], result, user_position(frame.f_back))


def gradient_of(op: Op) -> str | list[bool]:
    """Build the operation again and ask `tf.gradients` for each input; see `private`."""
    if op.type in graphs.BODIES or op.type == "tf.constant" or op.type.startswith("__"):
        return "unknown"
    function = getattr(tf.raw_ops, op.type, None)
    with _observer.blind(), tf.Graph().as_default():
        try:
            if op.symbol is not None:
                return _gradient_in_graph(op)
            inputs = [tf.compat.v1.placeholder(v.dtype, v.shape) for v in op.inputs]
            waiting = list(inputs)
            arguments = {}
            for name, kind, item in op.attrs:
                if kind == "plain":
                    if item is not None:
                        arguments[name] = list(item) if isinstance(item, tuple) else item
                elif kind == "one":
                    arguments[name] = waiting.pop(0)
                else:
                    arguments[name] = [waiting.pop(0) for _ in range(item)]
            result = function(**arguments)
            outputs = [t for t in _tensors(result) if t.dtype.is_floating or t.dtype.is_complex]
            return _ask(outputs, inputs)
        except LookupError:
            return "unregistered"
        except Exception:
            return "unknown"


def _ask(outputs: list, inputs: list) -> list[bool]:
    found = []
    for tensor in inputs:
        if not outputs or not (tensor.dtype.is_floating or tensor.dtype.is_complex):
            found.append(False)
        else:
            found.append(tf.gradients(outputs, [tensor])[0] is not None)
    return found


def _gradient_in_graph(op: Op) -> str | list[bool]:
    """The same for an operation of a graph, copied out of it by its public definition."""
    operation = op.symbol()
    if operation is None:
        return "unknown"
    inputs = [tf.compat.v1.placeholder(t.dtype, t.shape) for t in operation.inputs]
    definition = tf.compat.v1.GraphDef()
    node = definition.node.add()
    node.CopyFrom(operation.node_def)
    del node.input[:]
    names = {}
    for tensor in inputs:
        holder = definition.node.add()
        holder.CopyFrom(tensor.op.node_def)
        node.input.append(holder.name)
        names[f"{holder.name}:0"] = tensor
    for key in [k for k in node.attr if k.startswith("_")]:
        del node.attr[key]
    outputs = tf.graph_util.import_graph_def(
        definition,
        input_map=names,
        name="again",
        return_elements=[f"{node.name}:{i}" for i in range(len(operation.outputs))],
    )
    return _ask([t for t in outputs if t.dtype.is_floating or t.dtype.is_complex], inputs)
