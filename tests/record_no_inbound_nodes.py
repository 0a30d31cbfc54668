"""Ask several TensorFlow releases what `layer.output` is, and keep their answers in data/.

    python tests/record_no_inbound_nodes.py PYTHON [PYTHON ...]

Each PYTHON is an interpreter that can import a TensorFlow 2; data/README.md says how to make
them. The answers of all are written to data/no_inbound_nodes.json, the oldest release first.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parent
SPECIMEN = TESTS / "specimens" / "no_inbound_nodes.py"
RECORD = TESTS.parent / "data" / "no_inbound_nodes.json"
QUIET = {"TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": "-1"}


def ask(python: str) -> dict:
    """Run the specimen with this interpreter.

    Returns:
        `{"tensorflow": …, "keras": …, "python": …, "outcomes": {question: outcome}}`.

    Raises:
        RuntimeError: the interpreter does not start, or the specimen ends without an answer.
    """
    command = [python, str(SPECIMEN)]
    try:
        run = subprocess.run(
            command, capture_output=True, text=True, timeout=300, env={**os.environ, **QUIET}
        )
    except OSError as error:
        raise RuntimeError(f"{python} does not start: {error.strerror}.") from error
    if run.returncode:
        last = (run.stderr.strip().splitlines() or ["no message"])[-1]
        raise RuntimeError(f"{python} ran {SPECIMEN.name} and failed: {last}")
    return json.loads(run.stdout.strip().splitlines()[-1])


def release(answer: dict) -> tuple[int, ...]:
    return tuple(int(number) for number in answer["tensorflow"].split("."))


def as_text(answers: list[dict]) -> str:
    """The record as it is stored: sorted by release, so that a second run changes no byte."""
    return json.dumps(sorted(answers, key=release), indent=1) + "\n"


def main(pythons: list[str]) -> int:
    if not pythons:
        print(__doc__, file=sys.stderr)
        return 2
    try:
        answers = [ask(python) for python in pythons]
    except RuntimeError as error:
        print(error, file=sys.stderr)
        return 2
    RECORD.write_text(as_text(answers), encoding="utf-8")
    for answer in sorted(answers, key=release):
        print(f"TensorFlow {answer['tensorflow']}: {len(answer['outcomes'])} outcomes")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
