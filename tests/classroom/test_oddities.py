"""Honest work in odd files: all of it has full marks."""

import json

import jupytext
import nbformat
import pytest

from classroom.grading import grade
from tests.classroom.handing_in import (
    COUNT,
    COUNT_STUB,
    KEY,
    SETUP,
    SLOPE,
    SLOPE_STUB,
    answer,
    grade_it,
    needs_sandbox,
    notebook,
    points,
    shared_sandbox,
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


def test_the_stub_alone_is_not_honest_work():
    """The oddities are told apart from nothing at all: the same files score 0 untouched."""
    assert points(grade_it(SLOPE_STUB, COUNT_STUB)) == {"slope": 0, "count": 0}
