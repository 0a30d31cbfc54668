"""Ask several TensorFlow releases the questions of a specimen, and keep their answers in data/.

    python tests/record_releases.py NAME PYTHON [PYTHON ...]

NAME is that of a file in tests/specimens/. Each PYTHON is an interpreter that can import a
TensorFlow 2; data/README.md says how to make them. The answers of all are written to
data/NAME.json, the oldest release first.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parent
SPECIMENS = TESTS / "specimens"
DATA = TESTS.parent / "data"
QUIET = {"TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": "-1"}


def ask(python: str, name: str) -> dict:
    """Run the specimen of this name with this interpreter.

    Returns:
        `{"tensorflow": …, "keras": …, "python": …, "outcomes": {question: outcome}}`.

    Raises:
        RuntimeError: the interpreter does not start, or the specimen ends without an answer.
    """
    command = [python, str(SPECIMENS / f"{name}.py")]
    try:
        run = subprocess.run(
            command, capture_output=True, text=True, timeout=300, env={**os.environ, **QUIET}
        )
    except OSError as error:
        raise RuntimeError(f"{python} does not start: {error.strerror}.") from error
    if run.returncode:
        last = (run.stderr.strip().splitlines() or ["no message"])[-1]
        raise RuntimeError(f"{python} ran {name}.py and failed: {last}")
    return json.loads(run.stdout.strip().splitlines()[-1])


def release(answer: dict) -> tuple[int, ...]:
    return tuple(int(number) for number in answer["tensorflow"].split("."))


def as_text(answers: list[dict]) -> str:
    """The record as it is stored: sorted by release, so that a second run changes no byte."""
    return json.dumps(sorted(answers, key=release), indent=1) + "\n"


def main(arguments: list[str]) -> int:
    names = sorted(file.stem for file in SPECIMENS.glob("*.py"))
    if len(arguments) < 2 or arguments[0] not in names:
        print(f"{__doc__}\nNAME: {' or '.join(names)}", file=sys.stderr)
        return 2
    name, *pythons = arguments
    try:
        answers = [ask(python, name) for python in pythons]
    except RuntimeError as error:
        print(error, file=sys.stderr)
        return 2
    (DATA / f"{name}.json").write_text(as_text(answers), encoding="utf-8")
    for answer in sorted(answers, key=release):
        print(f"TensorFlow {answer['tensorflow']}: {len(answer['outcomes'])} outcomes")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
