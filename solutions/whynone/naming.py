"""What the user calls the things a tape was asked for."""

from __future__ import annotations

import ast
from typing import Any

import tensorflow as tf
from whynone import places
from whynone.recording import Wanted, resolve

ASKING = {"gradient", "jacobian", "batch_jacobian", "watch"}


def wanted_list(observer: Any, structure: Any) -> list[Wanted]:
    """One `Wanted` per leaf of a target or of sources, not yet named."""
    return [_wanted(observer, item) for item in tf.nest.flatten(structure)]


def _wanted(observer: Any, item: Any) -> Wanted:
    kind = type(item).__name__
    if kind == "KerasTensor":
        return Wanted("", None, "keras", kind)
    if has_handle(item) or _is_variable(item):
        value = observer.variable_value(item)
        keras_kind = "keras_variable" if hasattr(item, "path") else "variable"
        return Wanted(
            "",
            value,
            keras_kind,
            kind,
            value.variable if value else None,
            dtype=tf.as_dtype(item.dtype).name,
        )
    if isinstance(item, tf.Tensor):
        if tf.executing_eagerly() and not hasattr(item, "_numpy"):
            return Wanted("", None, "graph", kind)
        return Wanted("", observer.value_of(item), "tensor", kind)
    components = tf.nest.flatten(item, expand_composites=True)
    if len(components) and isinstance(components[0], tf.Tensor):
        return Wanted("", observer.value_of(components[0]), "tensor", kind)
    return Wanted("", None, "python", f"{type(item).__module__}.{kind}")


def has_handle(item: Any) -> bool:
    """Is it a variable of TensorFlow's? A distributed one may refuse to show its handle."""
    return hasattr(type(item), "handle") and hasattr(type(item), "assign")


def _is_variable(item: Any) -> bool:
    return isinstance(item, tf.Variable) or type(item).__name__ == "KerasVariable"


def name_wanted(
    wanted: list[Wanted], structure: Any, where: Any, position: int, *keywords: str
) -> None:
    """Give each `Wanted` the expression the user wrote, or the variable's path."""
    node = argument(where, position, *keywords)
    texts = _texts(node, structure, keywords[0] if keywords else "value")
    for item, (text, written) in zip(wanted, texts, strict=False):
        item.text = text
        item.expression = text if written else ""
        if (
            not written
            and item.variable is not None
            and (item.variable.name.lower() not in ("variable", ""))
        ):
            item.text = item.variable.name


def argument(where: Any, position: int, *keywords: str) -> ast.expr | None:
    """The expression of one argument of the call to the tape at `where`."""
    place = resolve(where)
    call = places.call_at(place, ASKING) if place else None
    if call is None:
        return None
    for keyword in call.keywords:
        if keyword.arg in keywords:
            return keyword.value
    plain = [a for a in call.args if not isinstance(a, ast.Starred)]
    return plain[position] if position < len(plain) == len(call.args) else None


def _texts(node: ast.expr | None, structure: Any, fallback: str) -> list[tuple[str, bool]]:
    """`(text, was it written like this)` for each leaf, in the order of `tf.nest.flatten`."""
    if isinstance(structure, (list, tuple)):
        if isinstance(node, (ast.List, ast.Tuple)) and len(node.elts) == len(structure):
            pairs = zip(node.elts, structure, strict=True)
            return [text for part, item in pairs for text in _texts(part, item, fallback)]
        whole = places.text_of(node) if node is not None else fallback
        found = []
        for i, item in enumerate(structure):
            inner = _texts(None, item, f"{whole}[{i}]")
            found += [(text, False) for text, _ in inner]
        return found
    if isinstance(structure, dict):
        written = {}
        if isinstance(node, ast.Dict):
            written = {
                k.value: v
                for k, v in zip(node.keys, node.values, strict=True)
                if isinstance(k, ast.Constant)
            }
        whole = places.text_of(node) if node is not None else fallback
        found = []
        for key in sorted(structure):
            part = written.get(key)
            inner = _texts(part, structure[key], f"{whole}[{key!r}]")
            found += inner if part is not None else [(text, False) for text, _ in inner]
        return found
    count = max(1, len(tf.nest.flatten(structure)))
    if node is None:
        return [(fallback, False)] * count
    return [(places.text_of(node), True)] * count
