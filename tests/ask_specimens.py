"""Run specimens in the TensorFlow of the Python that runs this file; one JSON line for each.

    python tests/ask_specimens.py JOBS SPECIMEN.py [SPECIMEN.py ...]

The first line holds the versions. Self-contained, and Python 3.6 is enough, so that old releases
can be asked. TensorFlow is imported once, and each specimen runs in a fork made before any
operation has run: no specimen sees another's names, devices or global state. Needs Linux or macOS.
"""

import builtins
import gc
import itertools
import json
import logging
import os
import platform
import re
import runpy
import select
import signal
import sys
import tempfile
import time
import warnings

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")

import numpy as np
import tensorflow as tf

SECONDS = 60  # for one specimen
SHOWN = 8  # numbers of a value, and items of a list
ANSI = re.compile(r"\x1b\[[0-9;]*m")
MACHINE = (
    (re.compile(r" at 0x[0-9a-f]+"), ""),
    (re.compile(r"0x[0-9a-f]{6,}|\b\d{10,}\b"), "…"),  # an address, or what id() gives
    (re.compile(r"(?<![\w.:/])(/[\w.+-]+)+/(?=[\w.+-]+)"), ""),  # a file's folders
)


# --- an outcome in words ----------------------------------------------------------------------


def in_words(found):
    """None, zeros, NaN, a value, a tensor without values, a list of these, or an object's class."""
    if found is None:
        return "None"
    if isinstance(found, tf.TensorShape) or is_shape(found):
        return f"value {as_text(found)}"
    if isinstance(found, (list, tuple)):
        return list_in_words(list(found))
    if isinstance(found, (str, bool)):
        return f"value {found}"
    if type(found).__name__ == "IndexedSlices":
        return f"IndexedSlices {as_text(found.values.shape)}"
    numbers = as_numbers(found)
    if numbers is not None:
        return numbers_in_words(numbers)
    if hasattr(found, "shape") and hasattr(found, "dtype"):
        return f"symbolic {as_text(found.shape)}"
    return f"a {type(found).__name__}"


def is_shape(found):
    return isinstance(found, tuple) and all(n is None or type(n) is int for n in found)


def as_text(shape):
    """`(None, 2)`, in whatever form the release keeps a shape."""
    return str(tuple(None if n is None else int(n) for n in tf.TensorShape(shape).as_list()))


def list_in_words(items):
    words = [in_words(item) for item in items]
    if len(words) > SHOWN:
        words[SHOWN:] = [f"… {len(words)} in all"]
    return "list [{}]".format(", ".join(words))


def as_numbers(found):
    """A NumPy array, or None for what holds no numbers."""
    if isinstance(found, (int, float, np.ndarray, np.generic)):
        return np.asarray(found)
    try:
        return np.asarray(found.numpy())
    except (AttributeError, NotImplementedError, TypeError, RuntimeError):
        return None


def numbers_in_words(numbers):
    shape = as_text(numbers.shape)
    if numbers.dtype.kind not in "fiub":  # text, objects, bfloat16
        return f"value {shape}"
    if numbers.dtype.kind == "f" and np.isnan(numbers).any():
        return f"NaN {shape}"
    if not numbers.any():
        return f"zeros {shape}"
    if numbers.size > SHOWN:
        return f"value {shape}"
    return f"value {json.dumps(rounded(numbers.tolist()))}"


def rounded(numbers):
    """Four significant digits, which no processor and no release changes by its rounding."""
    if isinstance(numbers, list):
        return [rounded(number) for number in numbers]
    return float(f"{numbers:.4g}") + 0.0 if isinstance(numbers, float) else numbers


def first_line(text):
    """The first line, without the addresses and folders of this machine."""
    line = (ANSI.sub("", str(text)).strip().splitlines() or [""])[0].strip()
    for pattern, instead in MACHINE:
        line = pattern.sub(instead, line)
    return line


def raised(error):
    """The class and the first line; where that says only where it happened, the next one, too."""
    name = type(error).__name__
    text = error.args[0] if isinstance(error, KeyError) and error.args else error  # no repr
    lines = [line for line in map(str.strip, ANSI.sub("", str(text)).splitlines()) if line] or [""]
    if lines[0] == "in user code:":
        mark = name + ": "
        lines = [line[len(mark) :] for line in lines if line.startswith(mark)] or lines
    elif lines[0].startswith("Exception encountered when calling"):
        lines[0] = " ".join(lines[:2])
    return f"{name}: {first_line(lines[0])}".rstrip()


# --- one specimen -----------------------------------------------------------------------------


class Listener(logging.Handler):
    """Keeps the first line of each warning that is logged."""

    def __init__(self):
        logging.Handler.__init__(self, logging.WARNING)
        self.heard = []

    def emit(self, record):
        self.heard.append(first_line(record.getMessage()))


def outcome(specimen):
    """What the specimen prints, or the exception that ends it; and the warnings on the way."""
    printed = []
    listener = Listener()
    for name in ("tensorflow", "absl"):
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [listener], False
    builtins.print = lambda *found, **_: printed.append(in_words(*found))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        try:
            runpy.run_path(specimen, run_name="__main__")
            result = printed[-1]
        except Exception as error:
            result = raised(error)
    spoken = [first_line(w.message) for w in caught if issubclass(w.category, UserWarning)]
    return {"outcome": result, "warned": sorted(set(listener.heard + spoken))}


class Asked:
    """A fork that runs one specimen."""

    def __init__(self, specimen):
        self.specimen, self.began, self.told = specimen, time.time(), b""
        self.pipe, writing = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            silence()
            folder = tempfile.mkdtemp()
            os.chdir(folder)
            os.write(writing, json.dumps(outcome(specimen)).encode())
            os._exit(0)
        os.close(writing)

    def listen(self):
        """Read on; True when the fork has ended."""
        piece = os.read(self.pipe, 65536)
        self.told += piece
        return not piece

    def answer(self):
        os.close(self.pipe)
        status = os.waitpid(self.pid, 0)[1]
        if self.told:
            found = json.loads(self.told.decode())
        elif time.time() - self.began > SECONDS:
            found = {"outcome": f"did not end in {SECONDS} s", "warned": []}
        else:
            found = {"outcome": f"ended with status {status}", "warned": []}
        return dict(specimen=os.path.basename(self.specimen)[:-3], **found)


def silence():
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)


def answers(specimens, jobs):
    """The answers as they come, with at most `jobs` forks at once."""
    waiting, running = list(specimens), []
    while waiting or running:
        while waiting and len(running) < jobs:
            running.append(Asked(waiting.pop(0)))
        ready = select.select([asked.pipe for asked in running], [], [], 1.0)[0]
        for asked in list(running):
            if asked.pipe in ready and asked.listen():
                running.remove(asked)
                yield asked.answer()
            elif time.time() - asked.began > SECONDS:
                os.kill(asked.pid, signal.SIGKILL)


# --- the release ------------------------------------------------------------------------------


def versions():
    package = tf.keras.Model.__module__.split(".")[0]  # tensorflow, keras, or tf_keras
    keras = tf.keras if package.startswith("tensorflow") else sys.modules[package]
    return {
        "tensorflow": tf.__version__,
        "keras": keras.__version__,
        "numpy": np.__version__,
        "python": platform.python_version(),
    }


def main(arguments):
    jobs, specimens = int(arguments[0]), arguments[1:]
    assert tf.keras.layers.Dense and tf.keras.backend  # imported now, and not in each fork
    out = os.fdopen(os.dup(1), "w")
    silence()  # TensorFlow's own lines
    if hasattr(gc, "freeze"):  # Python 3.7: else each fork's first collection copies all memory
        gc.freeze()
    specimens = [os.path.abspath(file) for file in specimens]
    for line in itertools.chain([versions()], answers(specimens, jobs)):
        out.write(json.dumps(line) + "\n")
        out.flush()


if __name__ == "__main__":
    main(sys.argv[1:])
