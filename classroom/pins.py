"""Renews the lower half of requirements.txt: what the packages of the upper half bring."""

import subprocess
import sys
import tempfile
from pathlib import Path

from classroom.environment import ROOT

RULE = "# ---- below: what the above bring; made by `make pins` ----\n"


def direct(requirements: str) -> str:
    """The upper half, without the line that installs this repository itself."""
    upper = requirements.split(RULE)[0]
    return upper.rstrip() + "\n\n"


def main() -> int:
    file = ROOT / "requirements.txt"
    upper = direct(file.read_text())
    with tempfile.TemporaryDirectory() as folder:
        subprocess.check_call(
            [sys.executable, "-m", "pip", "install", "-q", "--target", folder, "uv"]
        )
        asked = Path(folder) / "asked.txt"
        asked.write_text("".join(line for line in upper.splitlines(True) if "-e ." not in line))
        compile_pins = [f"{folder}/bin/uv", "pip", "compile", "--universal", "--no-annotate"]
        compile_pins += ["--no-header", "--python-version", "3.10", str(asked)]
        pinned = subprocess.check_output(compile_pins, text=True, stderr=subprocess.DEVNULL)
    named = {line.split("==")[0] for line in upper.splitlines() if "==" in line}
    brought = [line for line in pinned.splitlines(True) if line.split("==")[0] not in named]
    file.write_text(upper + RULE + "".join(brought))
    return 0


if __name__ == "__main__":
    sys.exit(main())
