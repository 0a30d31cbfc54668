"""The route without private symbols: every fourth broken program, and healthy ones stay silent.

`WHYNONE_PUBLIC_ONLY=1 pytest tests/whynone` runs everything this way.
"""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tests.whynone.judging import expected, problems
from tests.whynone.server import Server

HERE = Path(__file__).parent
SAMPLE = expected()[::4]
# Its gradient is zero inside a traced loop: the backward pass of a traced function is not seen.
ONLY_PRIVATE = {"own_while_loop_with_round.py", "own_clip_outside_range.py"}


@pytest.fixture(scope="module")
def server():
    server = Server(WHYNONE_PUBLIC_ONLY="1")
    yield server
    server.close()


@pytest.mark.parametrize("entry", SAMPLE, ids=lambda e: Path(e["script"]).stem)
def test_cause_and_line(server, entry):
    if entry["script"] in ONLY_PRIVATE:
        pytest.skip("needs the private route")
    run = server.run(HERE / "cases" / entry["script"], entry["args"], entry["also"])
    assert run.findings is not None, run.err
    assert "internal fault" not in run.err
    assert problems(entry, run.findings) == []


@pytest.mark.parametrize(
    "script", sorted((HERE / "healthy").glob("*.py"))[::8], ids=lambda path: path.stem
)
def test_silent(server, script):
    run = server.run(script)
    assert run.findings == []
    assert "whynone:" not in run.err


def test_private_symbols_live_in_one_module():
    """Only `private.py` imports `tensorflow.python`, and this TensorFlow offers all it needs."""
    from whynone import private

    package = Path(private.__file__).parent
    for file in sorted(package.rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text())):
            names = (
                [a.name for a in node.names]
                if isinstance(node, ast.Import)
                else ([node.module or ""] if isinstance(node, ast.ImportFrom) else [])
            )
            for name in names:
                private_import = name.startswith("tensorflow.python")
                assert not private_import or file.name == "private.py", (file.name, name)
                assert name.split(".")[0] not in ("solutions", "classroom", "tests"), file.name
    assert private.missing() == []
