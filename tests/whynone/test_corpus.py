"""Right cause and right line on every broken program of `cases/`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.whynone.judging import expected, problems
from tests.whynone.server import Server

CASES = Path(__file__).parent / "cases"


@pytest.fixture(scope="module")
def server():
    server = Server()
    yield server
    server.close()


@pytest.mark.parametrize("entry", expected(), ids=lambda e: Path(e["script"]).stem)
def test_cause_and_line(server, entry):
    run = server.run(CASES / entry["script"], entry["args"], entry["also"])
    assert run.findings is not None, run.err
    assert "internal fault" not in run.err
    assert problems(entry, run.findings) == []


def test_the_judge_sees_wrong_answers():
    """The judge itself: a wrong cause, a wrong line, a missing and an unexpected finding."""
    entry = {
        "findings": [{"causes": ["unwatched"], "file": "a.py", "lines": [3], "gradient_lines": [5]}]
    }
    right = {"cause": "unwatched", "file": "/x/a.py", "line": 3, "gradient_line": 5, "source": "x"}
    assert problems(entry, [right]) == []
    for change in ({"cause": "no_path"}, {"line": 4}, {"gradient_line": 6}, {"file": "b.py"}):
        assert len(problems(entry, [right | change])) == 2, change
    assert len(problems(entry, [])) == 1
