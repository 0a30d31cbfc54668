"""Honest work in odd files: all of it has full marks."""

import dataclasses
import json
import re
import zipfile

import jupytext
import nbformat
import pytest

from classroom.grading import NEEDS_ATTENTION, grade, grade_files
from classroom.intake import collect
from classroom.key import Key, KeyProbe
from classroom.roster import Student
from tests.classroom.handing_in import (
    COUNT,
    COUNT_STUB,
    KEY,
    SETUP,
    SLOPE,
    SLOPE_STUB,
    SLOPE_TASK,
    answer,
    grade_it,
    needs_sandbox,
    notebook,
    points,
    shared_sandbox,
    tensor,
)

FULL = {"slope": 10, "count": 5}
COLAB = {
    "colab": {"provenance": [], "toc_visible": True},
    "kernelspec": {"name": "python3", "display_name": "Python 3"},
    "accelerator": "GPU",
}
VSCODE = {
    "kernelspec": {"display_name": "tf (3.11.7)", "language": "python", "name": "my-tf-env"},
    "language_info": {"name": "python", "version": "3.11.7"},
    "vscode": {"interpreter": {"hash": "0123456789abcdef"}},
}
SYSTEMS = {
    "Deepnote": {"deepnote": {"persisted_session": {}}, "deepnote_notebook_id": "0"},
    "Kaggle": {"kaggle": {"accelerator": "none", "dataSources": [], "isGpuEnabled": False}},
    "Databricks": {"application/vnd.databricks.v1+notebook": {"language": "python"}},
}


@pytest.fixture(autouse=True, scope="module")
def ending():
    needs_sandbox()
    yield
    shared_sandbox().close()


def slope(body: str) -> str:
    return answer(body, "slope", "x")


RIGHT = "with tf.GradientTape() as tape:\n    tape.watch(x)\n    y = x**2\n"
RIGHT_END = "return tape.gradient(y, x)"

CELLS = {
    "a warning on stderr": [slope("import warnings\nwarnings.warn('hm')\n" + RIGHT + RIGHT_END)],
    "prints, also to stderr": [
        slope("import sys\nprint('x', x)\nprint('!', file=sys.stderr)\n" + RIGHT + RIGHT_END)
    ],
    "display": [slope("display(x)\n" + RIGHT + RIGHT_END)],
    "display, imported": [
        "from IPython.display import display, clear_output",
        slope(RIGHT + "display(y)\nclear_output()\n" + RIGHT_END),
    ],
    "get_ipython": [slope("get_ipython().run_line_magic('time', 'x')\n" + RIGHT + RIGHT_END)],
    "a line magic in the cell": [SLOPE + "\n%timeit slope(tf.constant([1.0]))\n%matplotlib inline"],
    "a line magic inside the function": [slope("%time x = x\n" + RIGHT + RIGHT_END)],
    "a cell magic": ["%%time\n" + SLOPE],
    "a shell command": [SLOPE + "\n!pip install tensorflow\nfiles = !ls"],
    "a question": ["tf.GradientTape?", SLOPE + "\ntf.GradientTape?"],
    "other languages in other cells": ["%%bash\nls", "%%html\n<b>x</b>", SLOPE],
    "extra cells before, between and after": ["1 + 1", SLOPE, "x = slope(tf.constant([3.0]))", "x"],
    "an extra cell that fails": ["1 / 0", SLOPE, "raise ValueError"],
    "an extra cell that does not parse": ["def broken(:", SLOPE],
    "an endless extra cell": ["while True: pass", SLOPE],
    "a helper in an extra cell": [
        "def squared(x):\n    return x**2",
        slope(RIGHT.replace("x**2", "squared(x)") + RIGHT_END),
    ],
    "helpers of helpers, below the answer": [
        slope(RIGHT.replace("x**2", "squared(x)") + RIGHT_END),
        "def squared(x):\n    return raised(x, TWO)",
        "import math\nTWO = math.sqrt(4)\nraised = lambda x, n: x**n",
    ],
    "a helper class": [
        "class Square:\n    def __call__(self, x):\n        return x * x",
        slope(RIGHT.replace("x**2", "Square()(x)") + RIGHT_END),
    ],
    "an import in an extra cell": [
        "import numpy as np\nfrom functools import reduce as fold",
        slope(RIGHT + "assert np.ones(1) and fold(max, [1])\n" + RIGHT_END),
    ],
    "a list that another cell fills": [
        "powers = []",
        "powers.append(2)\npowers[0] += 0",
        slope(RIGHT.replace("**2", "**powers[0]") + RIGHT_END),
    ],
    "global state": [
        "calls = 0",
        slope("global calls\ncalls += 1\n" + RIGHT + RIGHT_END),
    ],
    "a trial of a variable that is not there": [SLOPE + "\nprint(slope(my_tensor))"],
    "a check and a hint in the cell": [SLOPE + "\ncheck(slope)\nhint(slope)"],
    "leaving the kernel": [SLOPE + "\nexit()"],
    "a missing package in the cell": ["# TASK: slope\nimport no_such_package\n" + SLOPE],
    "tabs": [SLOPE.replace("    ", "\t")],
    "CRLF": [SLOPE.replace("\n", "\r\n")],
    "non-ASCII names": [
        "def größe(größter_wert):\n    return größter_wert**2\nπ = '😀'",
        slope(RIGHT.replace("x**2", "größe(x)") + "assert π\n" + RIGHT_END),
    ],
    "other argument names and no annotations": [
        "# TASK: slope\ndef slope(tensor_in):\n    with tf.GradientTape() as t:\n"
        "        t.watch(tensor_in)\n        out = tensor_in * tensor_in\n"
        "    return t.gradient(out, tensor_in)"
    ],
    "a function assigned, not defined": ["# TASK: slope\nslope = lambda x: 2 * x"],
    "a tf.function": ["# TASK: slope\n@tf.function\n" + SLOPE.split("\n", 1)[1]],
    "NumPy's own array": [slope("return 2 * x.numpy()")],
    "a Variable": [slope("return tf.Variable(2 * x)")],
    "Keras inside": [
        slope(
            "import keras\nlayer = keras.layers.Lambda(lambda x: x**2)\n"
            + RIGHT.replace("x**2", "layer(x)")
            + RIGHT_END
        )
    ],
    "the task's cell twice, the second filled in": [SLOPE_STUB, SLOPE],
    "the task's cell twice, an old try first": [slope("return x"), SLOPE],
    "the stub kept below": [SLOPE, SLOPE_STUB],
    "the mark without a space": [SLOPE.replace("# TASK: ", "#TASK:")],
    "the mark below a blank line": ["\n\n" + SLOPE],
    "the mark deleted": [SLOPE.split("\n", 1)[1]],
    "the future": ["# TASK: slope\nfrom __future__ import annotations\n" + SLOPE],
    "main guard": [SLOPE + "\nif __name__ == '__main__':\n    print(slope(tf.constant([1.0])))"],
    "slow": [slope("import time\ntime.sleep(2)\n" + RIGHT + RIGHT_END)],
    "a subprocess that is not there": [
        slope(
            "import subprocess\ntry:\n    subprocess.run(['ls'])\nexcept OSError:\n    pass\n"
            + RIGHT
            + RIGHT_END
        )
    ],
    "a temporary file": [
        slope(
            "import tempfile\nwith tempfile.TemporaryFile() as f:\n    f.write(b'x')\n"
            + RIGHT
            + RIGHT_END
        )
    ],
    "a thread": [
        slope(
            "import threading\nt = threading.Thread(target=print)\nt.start()\nt.join()\n"
            + RIGHT
            + RIGHT_END
        )
    ],
    "matrix continuation that looks like a magic": [
        slope(RIGHT + "n = (7\n     % 4)\nassert n == 3\n" + RIGHT_END)
    ],
    "a long training in another cell, in the answer's own names": [
        "x = tf.constant([1.0])\nfor step in range(10**9):\n"
        "    with tf.GradientTape() as tape:\n        y = x * step",
        SLOPE,
    ],
    "an endless loop in another cell, in the answer's own names": [
        "y = 0\nwhile True: y += 1",
        SLOPE,
    ],
    "an endless trial below the answer, in its cell": [SLOPE + "\nwhile True:\n    slope(x)"],
    "a question to the reader below the answer": [SLOPE + "\nx = float(input('x?'))\nslope(x)"],
    "a plot below the answer": [
        "import matplotlib.pyplot as plt",
        SLOPE + "\nfig, ax = plt.subplots()\nax.plot(slope(tf.range(3.0)))\nplt.show();",
    ],
    "a star import": [
        "from math import *",
        slope(RIGHT.replace("x**2", "x ** int(sqrt(4))") + RIGHT_END),
    ],
    "a name that a later cell uses again": [
        "power = 2",
        slope(RIGHT.replace("x**2", "x**power") + RIGHT_END),
        "power = 3  # what would come out?\nslope(tf.constant([1.0]))",
    ],
    "what the answer needs stands below it in its cell": [
        slope(RIGHT.replace("x**2", "squared(x, P)") + RIGHT_END)
        + "\nimport functools\ndef squared(x, p):\n    return x ** p[0]\nP = []\nP.append(2)\n"
    ],
    "a function that sets a global, called below": [
        slope(RIGHT.replace("x**2", "x**P") + RIGHT_END)
        + "\ndef begin():\n    global P\n    P = 2\nbegin()"
    ],
    "the stub left, the answer in a cell of one's own": [SLOPE_STUB, SLOPE.split("\n", 1)[1]],
    "an old try kept as a text": [SLOPE, '"""\ndef slope(x):\n    return x\n"""'],
    "a lambda whose mark is deleted": ["slope = lambda x: 2 * x"],
    "a class whose mark is deleted": [
        "class slope:\n    def __new__(cls, x):\n        return 2 * x"
    ],
    "an object that is called": [
        "class Slope:\n    def __call__(self, x):\n        return 2 * x",
        "# TASK: slope\nslope = Slope()",
    ],
    "a method": [
        "class Slopes:\n    n = 2\n    def of(self, x):\n        return self.n * x",
        "# TASK: slope\nslope = Slopes().of",
    ],
    "a part of another function": [
        "from functools import partial",
        "# TASK: slope\ndef times(n, x):\n    return n * x\nslope = partial(times, 2)",
    ],
    "a decorator of one's own": [
        "import functools\ndef traced(f):\n    @functools.wraps(f)\n    def inner(*a, **k):\n"
        "        print(f.__name__, a)\n        return f(*a, **k)\n    return inner",
        "# TASK: slope\n@traced\n" + SLOPE.split("\n", 1)[1],
    ],
    "a cache": [
        "seen = {}",
        slope("if x.ref() not in seen:\n    seen[x.ref()] = 2 * x\nreturn seen[x.ref()]"),
    ],
    "a tf.function with options": [
        "# TASK: slope\n@tf.function(reduce_retracing=True, input_signature="
        "[tf.TensorSpec([None], tf.float32)])\n" + SLOPE.split("\n", 1)[1]
    ],
    "a walrus, all in one line": ["# TASK: slope\ndef slope(x): return (n := 2) * x;  # all of it"],
    "type hints and a docstring of one's own": [
        "from typing import Optional\nTensor = tf.Tensor\n",
        '# TASK: slope\ndef slope(x: Tensor, n: Optional[int] = 2, *more, **named) -> "Tensor":\n'
        '    r"""# TASK: count \\d \u2028 Größe"""\n    return n * x',
    ],
    "a data class in another cell": [
        "from dataclasses import dataclass, field\n@dataclass\nclass Pair:\n    x: object\n"
        "    grads: list[tf.Tensor] = field(default_factory=list)",
        slope("pair = Pair(x)\npair.grads.append(2 * pair.x)\nreturn pair.grads[0]"),
    ],
    "emoji on the screen": [slope("print('✅ 🎉', flush=True)\n" + RIGHT + RIGHT_END)],
    "an indented cell": ["\n".join("    " + line for line in SLOPE.split("\n"))],
    "a separator of lines in a comment": [
        SLOPE.replace(
            "    y = x**2", "    # from a page\u2028then this\x0c and\x85 that\n        y = x**2"
        )
    ],
    "a form feed": ["\x0c\n" + SLOPE.replace("    return", "\x0c\n    return")],
    "a shell command over lines": ["!pip install \\\n    tensorflow \\\n    keras\n\n" + SLOPE],
    "an import that may fail": [
        "try:\n    import no_such_package as fast\nexcept ImportError:\n    fast = None",
        slope("assert fast is None\n" + RIGHT + RIGHT_END),
    ],
    "settings that are not there": [
        "# TASK: slope\ngpu = tf.config.list_physical_devices('GPU')[0]\n"
        "tf.config.experimental.set_memory_growth(gpu, True)\n" + SLOPE
    ],
    "a persistent tape that is deleted": [
        slope(
            RIGHT.replace("Tape()", "Tape(persistent=True)")
            + "g = tape.gradient(y, x)\ndel tape\nreturn g"
        )
    ],
    "magics of other systems": [
        "%md # Databricks",
        "%%sql\nSELECT 1",
        "%load_ext autoreload\n%autoreload 2\n%pip install -q keras\n%cd /content\n!nvidia-smi",
        SLOPE,
    ],
}


@pytest.mark.parametrize("name", CELLS)
def test_cells(name):
    assert points(grade_it(*CELLS[name], COUNT)) == FULL


def file_of(kind: str) -> tuple[bytes, str]:
    cells = (SETUP, SLOPE, COUNT)
    if kind.startswith("format 4."):
        return notebook(*cells, minor=int(kind[-1])), "exercise.ipynb"
    if kind == "no metadata, new ids":
        return notebook(*cells, ids=["a1b2", "c3d4", "e5f6"]), "x.ipynb"
    if kind == "Colab":
        return notebook(*cells, minor=0, metadata=COLAB), "Copy of exercise.ipynb"
    if kind == "VS Code":
        return notebook(*cells, metadata=VSCODE), "exercise.ipynb"
    if kind == "reordered":
        return notebook(COUNT, SLOPE, SETUP), "exercise.ipynb"
    if kind == "marks and names lost, ids kept":
        plain = [cell.split("\n", 1)[1] for cell in (SLOPE, COUNT)]
        return notebook(SETUP, *plain, ids=["cell-0", "task-slope", "task-count"]), "x.ipynb"
    if kind == "setup cell deleted":
        return notebook(SLOPE, COUNT), "exercise.ipynb"
    if kind == "one cell for all":
        return notebook("\n\n".join(cells)), "exercise.ipynb"
    if kind == "source as a list of lines":
        form = json.loads(notebook(*cells))
        for cell in form["cells"]:
            cell["source"] = cell["source"].splitlines(True)
        return json.dumps(form, indent=1).encode(), "exercise.ipynb"
    if kind == "byte order mark":
        return b"\xef\xbb\xbf" + notebook(*cells), "exercise.ipynb"
    if kind == "large outputs":
        form = json.loads(notebook(*cells))
        output = {"output_type": "stream", "name": "stdout", "text": "x" * 4_000_000}
        form["cells"][1]["outputs"] = [output]
        return json.dumps(form).encode(), "exercise.ipynb"
    if kind == "non-ASCII file name":
        return notebook(*cells), "Übung – Łukasz (1).ipynb"
    if kind == "a notebook called .txt":
        return notebook(*cells), "exercise.ipynb.txt"
    if kind == "plain .py":
        return "\n\n\n".join(cells).encode(), "exercise.py"
    if kind == "plain .py without marks":
        return "\n\n\n".join([SETUP, SLOPE, COUNT]).replace("# TASK", "#").encode(), "exercise.py"
    if kind == "UTF-16":
        return "\n\n\n".join(cells).encode("utf-16"), "exercise.py"
    if kind == "Databricks .py":
        text = "\n\n# COMMAND ----------\n\n".join(["# MAGIC %md # Exercise", *cells])
        return f"# Databricks notebook source\n{text}".encode(), "exercise.py"
    if kind == "nbconvert .py":
        text = "\n\n".join(f"# In[{n}]:\n\n\n{cell}\n" for n, cell in enumerate(cells))
        text += "\nget_ipython().system('ls')\n"
        return f"#!/usr/bin/env python\n# coding: utf-8\n\n{text}".encode(), "exercise.py"
    if kind == "Spyder .py":
        return "\n".join(f"#%% Cell\n{cell}" for cell in cells).encode(), "exercise.py"
    if kind == "MyST with options":
        tops = (":tags: [a, b]\n:id: x1\n", "---\ntags: [a]\n---\n", "#| echo: false\n")
        made = zip(tops, cells, strict=True)
        text = "\n".join(f"```{{code-cell}} ipython3\n{top}\n{cell}\n```\n" for top, cell in made)
        return text.encode(), "exercise.md"
    if kind == "fences of Quarto and R Markdown":
        text = "\n".join(f"```{{python}}\n{cell}\n```\n" for cell in cells)
        return f"---\ntitle: x\n---\n\n{text}".encode(), "exercise.md"
    if kind in SYSTEMS:
        form = json.loads(notebook(*cells, minor=2, metadata=SYSTEMS[kind]))
        for cell in form["cells"]:
            cell["metadata"] = {"cell_id": "ab", "trusted": True, "_uuid": "12", "tags": ["x"]}
            cell["execution_count"] = 7
        text = {"cell_type": "markdown", "source": "# TASK: slope", "metadata": {}}
        form["cells"][1:1] = [{**text, "attachments": {"a.png": {"image/png": "AAAA"}}}]
        return json.dumps(form).encode(), "Copy of exercise (2).ipynb"
    if kind == "CRLF .md":
        text = "# Exercise\n\n" + "\n".join(f"```python\n{cell}\n```\n" for cell in cells)
        return text.replace("\n", "\r\n").encode(), "exercise.md"
    made = nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_markdown_cell("# Exercise\n\nSome text."),
               *map(nbformat.v4.new_code_cell, cells)]
    )  # fmt: skip
    return jupytext.writes(made, kind).encode(), "exercise." + kind.split(":")[0]


@pytest.mark.parametrize(
    "kind",
    [
        *(f"format 4.{minor}" for minor in range(6)),
        "no metadata, new ids",
        "Colab",
        "VS Code",
        "reordered",
        "marks and names lost, ids kept",
        "setup cell deleted",
        "one cell for all",
        "source as a list of lines",
        "byte order mark",
        "large outputs",
        "non-ASCII file name",
        "a notebook called .txt",
        "plain .py",
        "plain .py without marks",
        "UTF-16",
        "CRLF .md",
        "Databricks .py",
        "nbconvert .py",
        "Spyder .py",
        "MyST with options",
        "fences of Quarto and R Markdown",
        *SYSTEMS,
        "md",
        "md:myst",
        "py:percent",
        "py:light",
    ],
)
def test_files(kind):
    data, name = file_of(kind)
    graded = grade(data, name, KEY, shared_sandbox())
    assert points(graded) == FULL, graded


WRONG = slope("return x")
HELPER = "def squared(x):\n    return x**2\n"
# name → what is handed in together; the right answers are in one of the files
PARCELS = {
    "the folder as it was handed out": {
        "assignment/README.md": "# Exercise\n\nWrite into the cells that begin with `# TASK:`.\n",
        "assignment/check.py": "import sys\n",
        "assignment/lib/classroom/__init__.py": "",
        "assignment/lib/classroom/tasks.json": "{}",
        "assignment/x/x.md": "\n".join(
            f"```python\n{c}\n```\n" for c in (SETUP, SLOPE_STUB, COUNT_STUB)
        ),
        "assignment/x/x.ipynb": None,
        "assignment/x/.ipynb_checkpoints/x-checkpoint.ipynb": "old",
        "assignment/.virtual_documents/x.ipynb": "import tensorflow as tf",
        "__MACOSX/assignment/._x.ipynb": "\0\5\x16",
    },
    "an empty copy": {"x.ipynb": None, "Copy of x (2).ipynb": ""},
    "an older try": {"x.ipynb": WRONG, "x (1).ipynb": None},
    "an older try, in Canvas's numbers": {"x.ipynb": WRONG, "x-1.ipynb": None},
    "a helper beside": {"x.ipynb": None, "helper.py": HELPER, "notes.md": "# Notes\n"},
    "pictures beside": {**{f"{n}.png": "x" * 4_500_000 for n in range(6)}, "x.ipynb": None},
}


@pytest.mark.parametrize("name", PARCELS)
def test_what_is_handed_in_together(name, tmp_path):
    place = tmp_path / "ada.zip"
    with zipfile.ZipFile(place, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, text in PARCELS[name].items():
            whole = notebook(SETUP, SLOPE, COUNT).decode()
            if text is not None and text == WRONG:
                text = notebook(SETUP, WRONG, COUNT).decode()
            archive.writestr(path, whole if text is None else text)
    (only,) = collect(tmp_path, (Student("ada"),)).submissions
    graded = grade_files(only.files, KEY, shared_sandbox())
    assert points(graded) == FULL, graded


def with_(expected: dict) -> Key:
    """The key with one question that has no arguments, and this answer."""
    probe = KeyProbe(
        "a question", "public", 1e-5, 1e-6, "def arguments():\n    return ()", None, expected
    )
    task = dataclasses.replace(SLOPE_TASK, probes=(probe,), wrong=())
    return dataclasses.replace(KEY, tasks=(task,))


SCALAR = {**tensor(2.5), "shape": []}
PAIR = {"kind": "sequence", "items": [tensor(1.0), {"kind": "none"}]}


@pytest.mark.parametrize(
    ("expected", "body"),
    [
        (SCALAR, "return 2.5"),
        (SCALAR, "return np.float64(2.5)"),
        (SCALAR, "return np.array([2.0, 3.0]).mean()"),
        (SCALAR, "return np.float32(2.5)"),
        (SCALAR, "return keras.Variable(2.5)"),
        (PAIR, "return (tf.constant([1.0]), None)"),
        (PAIR, "return Pair(tf.constant([1.0]), None)"),
        (PAIR, "class Mine(list): pass\nreturn Mine([tf.constant([1.0]), None])"),
        (
            PAIR,
            "layer = keras.Layer()\nlayer.kept = [tf.constant([1.0]), None]\nreturn layer.kept",
        ),
        ({"kind": "int", "value": 3}, "return tf.constant(3, tf.int64)"),
        ({"kind": "int", "value": 3}, "return np.int64(3)"),
        ({"kind": "bool", "value": True}, "return np.bool_(True)"),
        ({"kind": "bool", "value": True}, "return tf.reduce_any([True, False])"),
    ],
)
def test_values_of_a_kin_type(expected, body):
    tools = "import keras\nimport numpy as np\nfrom collections import namedtuple\n"
    tools += "Pair = namedtuple('Pair', 'one two')"
    graded = grade_it(tools, answer(body, "slope", ""), key=with_(expected))
    assert points(graded) == {"slope": 10}, graded.tasks


@pytest.mark.parametrize(
    ("cells", "says"),
    [
        (
            ["import no_such_package as fast", slope("return fast.f(x)")],
            "No module named 'no_such_",
        ),
        (["# TASK: slope\nfrom no_such_package import slope"], "No module named 'no_such_package'"),
        (
            ["from solutions.unwatched_tensor import f", slope("return f(x)")],
            "No module named 'sol",
        ),
        (["rate = 1 / 0", slope("return rate * x")], "ZeroDivisionError"),
        ([slope("return rate * x")], "name 'rate' is not defined"),
        ([slope("return float(input()) * x")], "EOF"),
        (["# TASK: slope\ndef Slope(x):\n    return x"], "defines no function slope"),
        (["# TASK: slope\ndef slope(x)\n    return x"], "SyntaxError: expected ':'"),
        ([slope("return (g for g in x)")], "an object of type generator"),
        (["# TASK: slope\nasync " + SLOPE.split("\n")[1] + "\n    return x"], "of type coroutine"),
    ],
)
def test_what_went_wrong_is_said(cells, says):
    graded = grade_it(*cells, COUNT)
    assert points(graded) == {"slope": 0, "count": 5}
    assert says in dict(graded.tasks[0].lines)["came back"]


@pytest.mark.parametrize(
    ("name", "data", "says"),
    [
        ("a.ipynb", b"<!DOCTYPE html><title>Sign in</title>", "no notebook: a .ipynb is JSON"),
        ("a.ipynb", b'{"cells": [\n<<<<<<< HEAD\n{}]}', "no readable notebook .*line 2"),
        ("a.ipynb", b"", "is empty"),
        ("a.ipynb", b'{"worksheets": [], "nbformat": 3}', "format 3; open it in Jupyter"),
        ("a.ipynb", notebook("library(keras)\nslope <- function(x) x"), "No cell of a task"),
        ("a.ipynb", notebook(SETUP, SLOPE)[:-40], "no readable notebook"),
        ("a.py", b"\x81\x8d\xff = 1", "save it as UTF-8"),
    ],
)
def test_what_cannot_be_graded_says_why(name, data, says):
    graded = grade(data, name, KEY, shared_sandbox())
    assert graded.state == NEEDS_ATTENTION
    assert re.search(says, graded.reason), graded.reason


def test_the_stub_alone_is_not_honest_work():
    """The oddities are told apart from nothing at all: the same files score 0 untouched."""
    assert points(grade_it(SLOPE_STUB, COUNT_STUB)) == {"slope": 0, "count": 0}
