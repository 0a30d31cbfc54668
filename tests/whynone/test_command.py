"""The command from outside: output, exit code and exceptions of the script stay as they are."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.whynone.server import ROOT, Server

BROKEN = """import sys
import tensorflow as tf
print("arguments", sys.argv, __name__)
x = tf.constant([1.0, 2.0])
with tf.GradientTape() as tape:
    y = tf.reduce_sum(x ** 2)
print("gradient", tape.gradient(y, x))
"""
QUIET = {"TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": "-1"}


def command(*words: str, folder: Path, **environment: str) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, "-m", "whynone", *words],
        cwd=folder,
        capture_output=True,
        text=True,
        env={**os.environ, **QUIET, "PYTHONPATH": str(ROOT / "solutions"), **environment},
        timeout=200,
    )


@pytest.fixture(scope="module")
def server():
    server = Server()
    yield server
    server.close()


def test_a_whole_run(tmp_path):
    """One true run in its own process: streams, exit code, report, JSON."""
    (tmp_path / "train.py").write_text(BROKEN + "sys.exit(3)\n")
    run = command("--json", "found.json", "train.py", "--epochs", "2", folder=tmp_path)
    assert run.returncode == 3
    assert run.stdout == "arguments ['train.py', '--epochs', '2'] __main__\ngradient None\n"
    assert "None: gradient of `y` with respect to `x`" in run.stderr
    assert "train.py:6   y = tf.reduce_sum(x ** 2)" in run.stderr
    assert "\033[" not in run.stderr
    [finding] = json.loads((tmp_path / "found.json").read_text())
    assert finding["version"] == 1
    assert finding["cause"] == "unwatched"
    assert (Path(finding["file"]).name, finding["line"], finding["gradient_line"]) == (
        "train.py",
        6,
        7,
    )
    if sys.version_info >= (3, 11):  # earlier Pythons do not keep columns
        assert (finding["column"], finding["end_column"]) == (23, 29)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "no script was named"),
        (["absent.py"], "no file `absent.py`"),
        (["--also", "zeroes", "train.py"], "was given `zeroes`"),
        (["--json", "no/such/folder.json", "train.py"], "there is no folder"),
        (["--jsn", "f", "train.py"], "--jsn"),
        (["project"], "`project` is a folder"),
        (["train.ipynb"], "`train.ipynb` is a notebook"),
    ],
)
def test_slips_get_a_clear_answer(words, said, tmp_path, capsys, monkeypatch):
    from whynone.__main__ import main

    (tmp_path / "train.py").write_text("")
    (tmp_path / "train.ipynb").write_text("{}")
    (tmp_path / "project").mkdir()
    monkeypatch.chdir(tmp_path)
    try:
        code = main(words)
    except SystemExit as stop:
        code = stop.code
    assert code == 2
    assert said in capsys.readouterr().err


def test_an_uncaught_exception_looks_the_same(server, tmp_path):
    script = tmp_path / "fails.py"
    script.write_text(
        "import tensorflow as tf\n"
        "def f(x):\n    with tf.GradientTape() as t:\n        y = x * x\n"
        "    t.gradient(y, x)\n    t.gradient(y, x)\n"
        "f(tf.Variable(1.0))\n"
    )
    watched, plain = server.run(script), server.run(script, watched=False)
    assert watched.code == plain.code == 1
    assert [f["cause"] for f in watched.findings] == ["spent_tape"]
    traceback = watched.err[watched.err.index("Traceback") :]
    assert "solutions/whynone" not in traceback
    assert traceback.count("File ") == 3, "two lines of the script, one of TensorFlow"
    assert "RuntimeError: A non-persistent GradientTape" in traceback


def test_exit_codes(server, tmp_path):
    for text, code in (
        ("", 0),
        ("import sys\nsys.exit('no')", 1),
        ("raise SystemExit(7)", 7),
        ("1 / 0", 1),
    ):
        script = tmp_path / "exits.py"
        script.write_text(text)
        assert server.run(script).code == code


def test_findings_are_written_where_the_command_was_given(tmp_path):
    """A script that changes the folder takes neither the findings nor its own name along."""
    (tmp_path / "data").mkdir()
    script = tmp_path / "moves.py"
    script.write_text("import os\nos.chdir('data')\n" + BROKEN)
    run = command("--json", "found.json", "moves.py", folder=tmp_path)
    assert run.returncode == 0
    [finding] = json.loads((tmp_path / "found.json").read_text())
    assert (finding["file"], finding["line"]) == ("moves.py", 8)


def test_empty_list_when_healthy(server, tmp_path):
    script = tmp_path / "fine.py"
    script.write_text(BROKEN.replace("    y =", "    tape.watch(x)\n    y ="))
    run = server.run(script)
    assert run.findings == []
    assert run.err == ""


def test_a_fault_of_its_own_is_one_line(server, tmp_path):
    """Break whynone from inside the script: one line, and the script goes on unchanged."""
    script = tmp_path / "fault.py"
    script.write_text(
        "from whynone import observe\n"
        "def boom(*a): raise KeyError('inside')\n"
        "observe.diagnose = boom\n" + BROKEN
    )
    run = server.run(script)
    assert run.code == 0
    assert run.out.endswith("gradient None\n")
    assert run.err.count("\n") == 1
    assert "internal fault (KeyError" in run.err


def test_module_and_package_folder(server, tmp_path):
    run = command("-m", "package.train", folder=_package(tmp_path))
    assert run.stdout.splitlines()[0].endswith("__main__")
    assert "package/model.py:3" in run.stderr.replace(os.sep, "/")


def _package(folder: Path) -> Path:
    (folder / "package").mkdir()
    (folder / "package" / "__init__.py").write_text("")
    (folder / "package" / "model.py").write_text(
        "import tensorflow as tf\ndef head(x):\n    return tf.round(x)\n"
    )
    (folder / "package" / "train.py").write_text(
        "import tensorflow as tf\nfrom package.model import head\nprint(__name__)\n"
        "v = tf.Variable(1.0)\nwith tf.GradientTape() as tape:\n    y = head(v)\n"
        "print(tape.gradient(y, v))\n"
    )
    return folder


def test_colour(monkeypatch):
    import io

    from whynone.findings import Finding
    from whynone.report import render, use_colour

    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    assert use_colour(Terminal()) and not use_colour(io.StringIO())
    monkeypatch.setenv("NO_COLOR", "1")
    assert not use_colour(Terminal())
    finding = Finding("no_path", "absent.py", 1, "x", "y", "why", "do")
    assert "\033[" in render([finding], colour=True)
    assert "\033[" not in render([finding])
