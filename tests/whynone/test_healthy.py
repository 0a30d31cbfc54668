"""No false alarm, and not one byte of output changed, on every program of `healthy/`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.whynone.server import Server

HEALTHY = sorted((Path(__file__).parent / "healthy").glob("*.py"))


@pytest.fixture(scope="module")
def server():
    server = Server()
    yield server
    server.close()


@pytest.mark.parametrize("script", HEALTHY, ids=lambda path: path.stem)
def test_silent_and_unchanged(server, script):
    watched = server.run(script)
    plain = server.run(script, watched=False)
    assert watched.findings == []
    assert (watched.code, watched.out) == (plain.code, plain.out)
    assert "whynone:" not in watched.err
