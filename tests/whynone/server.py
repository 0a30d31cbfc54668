"""Runs scripts under whynone, each in its own forked process, after one import of TensorFlow.

`Server` starts `python -m tests.whynone.server` once; that process imports TensorFlow, runs no
operation itself, and forks for every request. A script thus gets a fresh process in a fraction of
a second instead of the seconds that an import takes.
"""

from __future__ import annotations

import json
import os
import runpy
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parents[1]


@dataclass
class Run:
    """What a script did: exit code, both streams, and the findings (None without whynone)."""

    code: int
    out: str
    err: str
    findings: list[dict] | None


class Server:
    """A process that has imported TensorFlow and forks for every script."""

    def __init__(self, **environment: str) -> None:
        path = os.pathsep.join([str(ROOT / "solutions"), str(ROOT)])
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.whynone.server"],
            cwd=ROOT,
            text=True,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={
                **os.environ,
                "PYTHONPATH": path,
                "TF_CPP_MIN_LOG_LEVEL": "3",
                "CUDA_VISIBLE_DEVICES": "-1",
                **environment,
            },
        )

    def run(
        self,
        script: Path,
        arguments: list[str] = (),
        also: str = "",
        watched: bool = True,
        timeout: float = 200,
    ) -> Run:
        """Run one script in its folder, with or without whynone."""
        request = {
            "script": script.name,
            "folder": str(script.parent),
            "also": also,
            "arguments": list(arguments),
            "watched": watched,
            "timeout": timeout,
        }
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            raise RuntimeError("the server of tests.whynone ended unexpectedly")
        return Run(**json.loads(answer))

    def close(self) -> None:
        self.process.stdin.close()
        self.process.wait(timeout=30)


def _child(request: dict, folder: str) -> None:
    """In the forked process: become the script."""
    code = 70
    try:
        for name, descriptor in (("out", 1), ("err", 2)):
            file = os.open(f"{folder}/{name}", os.O_WRONLY | os.O_CREAT)
            os.dup2(file, descriptor)
        os.chdir(request["folder"])
        if request["watched"]:
            from whynone.__main__ import main

            options = ["--json", f"{folder}/json"]
            options += ["--also", request["also"]] if request["also"] else []
            code = main([*options, request["script"], *request["arguments"]])
        else:
            code = _plain(request)
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def _plain(request: dict) -> int:
    sys.argv = [request["script"], *request["arguments"]]
    sys.path[0] = request["folder"]
    try:
        runpy.run_path(request["script"], run_name="__main__")
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else int(stop.code is not None)
    except BaseException:
        traceback.print_exc()
        return 1
    return 0


def _serve() -> None:
    import keras  # noqa: F401
    import tensorflow  # noqa: F401
    from whynone import api, private, public  # noqa: F401

    for line in sys.stdin:
        request = json.loads(line)
        with tempfile.TemporaryDirectory() as folder:
            child = os.fork()
            if child == 0:
                _child(request, folder)
            limit = time.monotonic() + request["timeout"]
            done = status = 0
            while not done and time.monotonic() < limit:
                done, status = os.waitpid(child, os.WNOHANG)
                time.sleep(0 if done else 0.01)
            if not done:
                os.kill(child, signal.SIGKILL)
                _, status = os.waitpid(child, 0)
            text = {
                name: Path(folder, name).read_text(errors="replace")
                if Path(folder, name).exists()
                else ""
                for name in ("out", "err", "json")
            }
            findings = json.loads(text["json"]) if text["json"] else None
            answer = {
                "code": os.waitstatus_to_exitcode(status),
                "out": text["out"],
                "err": text["err"],
                "findings": findings,
            }
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    _serve()
