"""The same question with other numbers: `vary` rewrites the floats in a probe's arguments.

This module travels: the sandbox and a student's zip run it beside the programs. It needs numpy,
TensorFlow and Keras, and nothing of this repository.
"""

import hashlib
import hmac
import linecache
import sys
import types
from collections.abc import Callable
from typing import Any

import numpy as np

DEEPEST = 6  # levels of nested containers and closures


def seed_of(secret: str, *names: object) -> int:
    """A number that only the holder of the secret can know: HMAC-SHA256 over the names.

    Args:
        secret: any text.
        names: who and what the seed is for, such as a student, a task and a probe's index.

    Returns:
        An integer from 0 to 2**53 - 1, which JSON keeps exactly.
    """
    message = "\x1f".join(map(str, names)).encode()
    digest = hmac.new(secret.encode(), message, hashlib.sha256).digest()
    return int.from_bytes(digest[:8], "big") >> 11


def arguments_of(program: str, seed: int | None = None) -> tuple:
    """Run a probe's program and return the arguments it makes, varied if there is a seed.

    The program's text stays readable for `inspect.getsource`, as a notebook's cell does.
    """
    name = f"probe_{hashlib.sha256(program.encode()).hexdigest()[:12]}"
    linecache.cache[f"<{name}>"] = (len(program), None, program.splitlines(True), f"<{name}>")
    module = sys.modules[name] = types.ModuleType(name)  # AutoGraph looks a function's module up
    exec(compile(program, f"<{name}>", "exec"), vars(module))
    arguments = module.arguments()
    return arguments if seed is None else vary(arguments, seed)


def vary(arguments: tuple, seed: int) -> tuple:
    """The arguments with each float multiplied by a number from 0.5 to 1.5.

    Args:
        arguments: what a probe's program returned.
        seed: equal seeds give equal numbers. An odd one leaves arrays of zeros and ones alone:
            they may be labels or masks.

    Returns:
        A tuple of the same structure, shapes and dtypes. Signs, zeros, integers, names and
        optimizers stay. Variables and the weights of layers change in place. What a function
        closes over is varied as well; the numbers written in its code are not.
    """
    return Variation(seed).of(tuple(arguments), 0)


class Variation:
    """One pass over the arguments; an object met twice is varied once."""

    def __init__(self, seed: int) -> None:
        self.random = np.random.default_rng(seed)
        self.labels_stay = seed % 2 == 1
        self.done: dict[int, tuple[Any, Any]] = {}  # id → (what it was, what it became)

    def of(self, value: Any, depth: int) -> Any:
        if depth > DEEPEST:
            return value
        if id(value) not in self.done:
            self.done[id(value)] = (value, value)  # a function may close over itself
            self.done[id(value)] = (value, self.anew(value, depth))
        return self.done[id(value)][1]

    def anew(self, value: Any, depth: int) -> Any:
        import keras
        import tensorflow as tf

        if type(value) is float or isinstance(value, np.floating):
            return type(value)(self.scaled(np.asarray(value)))
        if isinstance(value, np.ndarray):
            return self.scaled(value)
        if isinstance(value, keras.Variable):
            self.of(value.value, depth)
        elif isinstance(value, tf.Variable):
            if value.dtype.is_floating:
                value.assign(self.scaled(value.numpy()))
        elif isinstance(value, keras.layers.Layer):
            for weight in value.weights:
                self.of(weight, depth)
        elif isinstance(value, tf.Tensor):
            if value.dtype.is_floating and hasattr(value, "numpy"):
                return tf.constant(self.scaled(value.numpy()), value.dtype)
        elif type(value) in (list, tuple):
            return type(value)(self.of(item, depth + 1) for item in value)
        elif isinstance(value, tuple) and hasattr(value, "_fields"):
            return type(value)(*(self.of(item, depth + 1) for item in value))
        elif type(value) is dict:
            return {key: self.of(item, depth + 1) for key, item in value.items()}
        elif getattr(value, "__closure__", None):
            self.closure(value, depth)
        return value

    def closure(self, function: Callable, depth: int) -> None:
        for cell in function.__closure__:
            try:
                cell.cell_contents = self.of(cell.cell_contents, depth + 1)
            except ValueError:  # a cell that is still empty
                continue

    def scaled(self, numbers: np.ndarray) -> np.ndarray:
        if numbers.dtype.kind != "f" and numbers.dtype.name != "bfloat16":
            return numbers
        if self.labels_stay and numbers.shape and np.isin(numbers, (0, 1)).all():
            return numbers
        factors = np.round(self.random.uniform(0.5, 1.5, numbers.shape), 3)
        return (numbers * factors).astype(numbers.dtype)
