"""Every private TensorFlow symbol that whynone uses, behind four functions.

`missing()` names what this TensorFlow does not offer, `install(observer)` starts recording,
`uninstall()` ends it, `passes(op, output, input)` asks TensorFlow's own gradient function whether
a gradient gets through one operation. `public` offers the same without private symbols.
"""

from __future__ import annotations

import contextlib
import functools
import sys
import weakref
from collections.abc import Callable
from typing import Any

import tensorflow as tf
from whynone import graphs
from whynone.places import traced_position, user_position
from whynone.recording import Body, Op, Value

_undo: list[Callable[[], None]] = []
_observer: Any = None
_names = {
    member.as_datatype_enum: member.name
    for member in tf.dtypes.__dict__.values()
    if isinstance(member, tf.DType)
}


def missing() -> list[str]:
    """The private names that are not there in this TensorFlow; empty if recording will work."""
    from importlib import import_module

    wanted = {
        "tensorflow.python.framework.op_callbacks": ["add_op_callback", "remove_op_callback"],
        "tensorflow.python.framework.ops": ["Graph", "_EagerTensorBase", "_gradient_registry"],
        "tensorflow.python.framework.constant_op": ["convert_to_eager_tensor"],
        "tensorflow.python.eager.record": ["record_operation"],
        "tensorflow.python.eager.backprop": ["_gradient_function"],
        "tensorflow.python.ops.script_ops": ["py_func_common"],
        "tensorflow.python.eager.polymorphic_function.concrete_function": ["ConcreteFunction"],
    }
    lacking = []
    for module, names in wanted.items():
        try:
            loaded = import_module(module)
        except ImportError:
            lacking.append(module)
            continue
        lacking += [f"{module}.{name}" for name in names if not hasattr(loaded, name)]
    if not lacking:
        from tensorflow.python.eager.polymorphic_function import concrete_function
        from tensorflow.python.framework import ops

        for owner, name in (
            (ops.Graph, "_create_op_internal"),
            (ops._EagerTensorBase, "_numpy"),
            (concrete_function.ConcreteFunction, "_call_flat"),
        ):
            if not hasattr(owner, name):
                lacking.append(f"{owner.__name__}.{name}")
    return lacking


def install(observer: Any) -> None:
    """Record every operation, conversion and departure of this process into `observer`."""
    from tensorflow.python.eager import record
    from tensorflow.python.eager.polymorphic_function import concrete_function
    from tensorflow.python.framework import constant_op, op_callbacks, ops
    from tensorflow.python.ops import script_ops

    global _observer
    _observer = observer
    start_thread()
    _undo.append(lambda: op_callbacks.remove_op_callback(_on_op))
    _replace(ops.Graph, "_create_op_internal", _watching_create_op)
    _replace(ops._EagerTensorBase, "_numpy", _watching_numpy)
    _replace(constant_op, "convert_to_eager_tensor", _watching_conversion)
    _replace(record, "record_operation", _watching_record)
    _replace(script_ops, "py_func_common", _watching_numpy_function)
    if observer.also:
        _watch_backward()
    _replace(concrete_function.ConcreteFunction, "_call_flat", _watching_call)


def uninstall() -> None:
    """Take every hook out again."""
    while _undo:
        with contextlib.suppress(Exception):  # in another thread there is nothing to take out
            _undo.pop()()


def start_thread() -> None:
    """Operation callbacks belong to a thread: called whenever a tape is entered in one."""
    from tensorflow.python.eager import context
    from tensorflow.python.framework import op_callbacks

    if _on_op not in context.context().op_callbacks:
        op_callbacks.add_op_callback(_on_op)


def _replace(owner: Any, name: str, make: Callable[[Callable], Callable]) -> None:
    original = getattr(owner, name)
    setattr(owner, name, functools.wraps(original)(make(original)))
    _undo.append(lambda: setattr(owner, name, original))


def graph_position() -> Any:
    """The stack while a function is traced, with AutoGraph's lines mapped to the user's."""
    from tensorflow.python.util import tf_stack

    return traced_position(tf_stack.extract_stack())


# --- eager operations ------------------------------------------------------------------------


def _on_op(
    op_type: str, inputs: Any, attrs: Any, outputs: Any, op_name: Any = None, graph: Any = None
) -> None:
    if graph is not None or _observer is None:
        return None
    try:
        _eager_op(op_type, inputs, attrs, outputs)
    except Exception as error:
        _observer.fault(error)
    return None


def _eager_op(op_type: str, inputs: Any, attrs: Any, outputs: Any) -> None:
    if type(op_type) is bytes:
        op_type = op_type.decode()
    frame = sys._getframe(2)
    where = user_position(frame)
    local = _observer.local
    values = []
    for tensor in inputs:
        value = tensor.__dict__.get("_whynone")
        if value is None:
            value = _leaf(tensor, where, frame)
        values.append(value)
    op = Op(
        op_type,
        tuple(values),
        len(outputs),
        where=where,
        sessions=local.sessions,
        during=local.asking,
        attrs=attrs,
    )
    if frame.f_code.co_name == "execute_with_callbacks" and (
        frame.f_back.f_code.co_name in _COPYING
    ):
        op.type = "tf.constant"  # it runs an operation of its own, which no tape is told of
    if op_type[:2] == "__" and local.calls:
        op.body_source = local.calls[-1]
    for index, tensor in enumerate(outputs or ()):
        dtype, shape = _names.get(tensor._datatype_enum(), ""), tensor._shape_tuple()
        tensor.__dict__["_whynone"] = Value(op, index, dtype, shape)
        op.made.append((dtype, shape))
    if not outputs:
        _observer.written(op)
    elif "nan" in _observer.also:
        _observer.check_finite(op, inputs, outputs)
    _observer.recording.recent.append(op)


_COPYING = ("_eager_reshape", "_eager_fill", "_eager_identity")


def _leaf(tensor: Any, where: Any, frame: Any) -> Value:
    """A value that appears for the first time as an input; maybe a variable read in C++."""
    dtype, shape = _names.get(tensor._datatype_enum(), ""), tensor._shape_tuple()
    if dtype != "resource":
        for argument in frame.f_locals.values():
            if getattr(type(argument), "_should_act_as_resource_variable", False) or isinstance(
                argument, tf.Variable
            ):
                try:
                    fits = tuple(argument.shape) == shape and tf.as_dtype(argument.dtype) == (
                        tensor.dtype
                    )
                except (TypeError, ValueError):
                    fits = False
                if fits:
                    handle = _observer.value_of(argument.handle)
                    read = Op(
                        "ReadVariableOp",
                        (handle,),
                        where=where,
                        sessions=_observer.local.sessions,
                        during=_observer.local.asking,
                    )
                    return Value(read, 0, dtype, shape)
    value = Value(
        None, 0, dtype, shape, origin="unknown", made_at=where, time=next(_observer.clock)
    )
    tensor.__dict__["_whynone"] = value
    return value


# --- operations added to a graph -------------------------------------------------------------


def _watching_create_op(original: Callable) -> Callable:
    def _create_op_internal(self: Any, *args: Any, **kwargs: Any) -> Any:
        operation = original(self, *args, **kwargs)
        if _observer is not None:
            try:
                graph_op(operation)
            except Exception as error:
                _observer.fault(error)
        return operation

    return _create_op_internal


def graph_op(operation: Any, traced: bool = True) -> Op:
    """The `Op` of a graph operation; its outputs get their values."""
    return graphs.graph_op(_observer, operation, traced, _bodies_of_graph_op)


def _bodies_of_graph_op(op: Op) -> list[Body]:
    operation = op.symbol()
    if operation is None:
        return []
    bodies = []
    for attribute in graphs.BODIES[op.type]:
        names = operation.get_attr(attribute)
        for name in names if isinstance(names, list) else [names]:
            function = operation.graph._get_function(name.name)
            if function is not None:
                body = graphs.body_of(_observer, function.graph, 1 if "branch" in attribute else 0)
                body.loop = attribute == "body"
                bodies.append(body)
    return bodies


def _watching_call(original: Callable) -> Callable:
    def _call_flat(self: Any, *args: Any, **kwargs: Any) -> Any:
        if _observer is None:
            return original(self, *args, **kwargs)
        graph = weakref.ref(self._func_graph)
        calls = _observer.local.calls
        calls.append(lambda op: [graphs.body_of(_observer, graph())] if graph() is not None else [])
        try:
            return original(self, *args, **kwargs)
        finally:
            calls.pop()

    return _call_flat


# --- what a tape is told by hand ---------------------------------------------------------------


def _watching_record(original: Callable) -> Callable:
    def record_operation(
        op_type: str,
        output_tensors: Any,
        input_tensors: Any,
        backward_function: Any,
        forward_function: Any = None,
    ) -> Any:
        if _observer is not None:
            try:
                backward_function = _recorded_by_hand(
                    op_type, output_tensors, input_tensors, backward_function
                )
            except Exception as error:
                _observer.fault(error)
        return original(op_type, output_tensors, input_tensors, backward_function, forward_function)

    return record_operation


def _recorded_by_hand(op_type: str, outputs: Any, inputs: Any, backward: Callable) -> Callable:
    local = _observer.local
    first = _observer.value_of(outputs[0]) if outputs else None
    if (
        first is not None
        and first.op is not None
        and (first.op.type == op_type or first.op.type.endswith("PartitionedCall"))
    ):
        return _stepping(first.op, backward) if _observer.also else backward
    custom = getattr(backward, "__module__", "") == "tensorflow.python.ops.custom_gradient"
    where = first.op.where if first is not None and first.op is not None else None
    op = Op(
        "custom_gradient" if custom else op_type,
        tuple(_observer.value_of(tensor) for tensor in inputs),
        len(outputs),
        where=where or user_position(sys._getframe(2)),
        sessions=local.sessions,
        during=local.asking,
        attrs=op_type,
    )
    for index, tensor in enumerate(outputs):
        value = _observer.value_of(tensor)
        value.op, value.index = op, index
    if not custom:
        return backward

    @functools.wraps(backward)
    def noticing(*gradients: Any) -> Any:
        result = backward(*gradients)
        op.returned_none = frozenset(i for i, g in enumerate(result) if g is None)
        return result

    return noticing


def _watch_backward() -> None:
    """For `--also`: see each backward step of an eager operation."""
    from tensorflow.python import pywrap_tfe
    from tensorflow.python.eager import backprop

    original = backprop._gradient_function

    def gradient_function(
        op_name: str,
        attr_tuple: Any,
        num_inputs: int,
        inputs: Any,
        outputs: Any,
        out_grads: Any,
        *rest: Any,
    ) -> Any:
        result = original(op_name, attr_tuple, num_inputs, inputs, outputs, out_grads, *rest)
        if _observer is not None:
            try:
                _observer.stepped_back(op_name, inputs, outputs, out_grads, result)
            except Exception as error:
                _observer.fault(error)
        return result

    pywrap_tfe.TFE_Py_RegisterGradientFunction(gradient_function)
    _undo.append(lambda: pywrap_tfe.TFE_Py_RegisterGradientFunction(original))


def _stepping(op: Op, backward: Callable) -> Callable:
    @functools.wraps(backward)
    def stepping(*gradients: Any) -> Any:
        result = backward(*gradients)
        try:
            _observer.went_back(op, gradients[: op.n_outputs], result)
        except Exception as error:
            _observer.fault(error)
        return result

    return stepping


# --- to NumPy and back -------------------------------------------------------------------------


def _watching_numpy(original: Callable) -> Callable:
    def _numpy(self: Any) -> Any:
        array = original(self)
        if _observer is not None:
            try:
                _observer.left(self, array, user_position(sys._getframe(1)))
            except Exception as error:
                _observer.fault(error)
        return array

    return _numpy


def _watching_conversion(original: Callable) -> Callable:
    def convert_to_eager_tensor(value: Any, ctx: Any, dtype: Any = None) -> Any:
        tensor = original(value, ctx, dtype)
        if _observer is not None and tensor is not value:
            try:
                _observer.arrived(tensor, value, user_position(sys._getframe(1)))
            except Exception as error:
                _observer.fault(error)
        return tensor

    return convert_to_eager_tensor


def _watching_numpy_function(original: Callable) -> Callable:
    def py_func_common(func: Any, inp: Any, *args: Any, **kwargs: Any) -> Any:
        result = original(func, inp, *args, **kwargs)
        if _observer is not None and tf.executing_eagerly():
            try:
                _observer.ran_numpy(inp, result, user_position(sys._getframe(1)))
            except Exception as error:
                _observer.fault(error)
        return result

    return py_func_common


# --- does a gradient get through? --------------------------------------------------------------


def gradient_of(op: Op) -> str | list[bool]:
    """For each input of `op`: does its gradient function return something?

    "unregistered" if TensorFlow has no gradient function for this type of operation, "unknown"
    if the gradient function could not be tried on placeholders.
    """
    from tensorflow.python.eager import backprop
    from tensorflow.python.framework import ops

    if op.type in graphs.BODIES or op.type == "tf.constant" or op.type.startswith("__"):
        return "unknown"
    try:
        if ops._gradient_registry.lookup(op.type) is None:
            return [False] * len(op.inputs)
    except LookupError:
        return "unregistered"
    attrs = _attributes(op)
    if attrs is None:
        return "unknown"
    with _observer.blind(), tf.Graph().as_default():
        inputs = [tf.compat.v1.placeholder(v.dtype, v.shape) for v in op.inputs]
        outputs = [tf.compat.v1.placeholder(dtype, shape) for dtype, shape in op.made]
        gradients = [tf.compat.v1.placeholder(dtype, shape) for dtype, shape in op.made]
        try:
            result = backprop._gradient_function(
                op.type, attrs, len(inputs), inputs, outputs, gradients, (), ""
            )
        except Exception:
            return "unknown"
        result = result if isinstance(result, (list, tuple)) else [result]
        return [g is not None for g in result]


def _attributes(op: Op) -> tuple | None:
    if op.symbol is None:
        return tuple(op.attrs or ())
    operation = op.symbol()
    if operation is None:
        return None
    attrs: list[Any] = []
    for name in operation.node_def.attr:
        if not name.startswith("_"):
            attrs += [name, operation.get_attr(name)]
    return tuple(attrs)
