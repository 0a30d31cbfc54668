"""whynone under other TensorFlows: `python tests/compat.py [RELEASE…]` (make compat).

For each release a virtual environment is made below .venv-compat/ (once), and tests/whynone runs
in it. The first release with Keras 3 is 2.16; the list holds the newest patch of each since.
"""

import os
import re
import subprocess
import sys
import time
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RELEASES = ("2.16.2", "2.17.1", "2.18.1", "2.19.1", "2.20.0", "2.21.0")
COMPANIONS = (
    "pytest==9.2.0",
    "pytest-xdist==3.8.0",
    "pytest-timeout==2.4.0",
    "hypothesis==6.168.5",
)
# Releases before 2.18 were built for NumPy 1; Keras is left to what each release asks for, except
# that 3.12.4 is the newest that all supported Pythons can install.
KERAS = "keras==3.12.4"


def environment(name: str, packages: list[str]) -> Path:
    """The Python of an environment of this name that holds these packages; made on first use."""
    folder = Path(os.environ.get("COMPAT") or ROOT / ".venv-compat") / name
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    done = folder / "installed"
    if not done.exists():
        print(f"{name}: making its environment …", flush=True)
        venv.create(folder, with_pip=True, clear=True)
        pip = [str(python), "-m", "pip", "install", "-q", "--disable-pip-version-check"]
        subprocess.check_call([*pip, *packages])
        done.write_text("")
    return python


def run(release: str) -> str:
    """Run tests/whynone under one release; return pytest's closing line."""
    python = environment(release, [f"tensorflow=={release}", KERAS, *COMPANIONS])
    command = [str(python), "-m", "pytest", "-q", "-o", "addopts=", "-n", "auto"]
    command += ["--maxprocesses=4", "-p", "no:cacheprovider", "tests/whynone"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        print(done.stdout[-6000:], done.stderr[-2000:], sep="\n")
    lines = [line for line in done.stdout.splitlines() if re.search(r"passed|failed|error", line)]
    return lines[-1].strip("= ") if lines else f"did not run (exit code {done.returncode})"


def main(releases: list[str]) -> int:
    unknown = [release for release in releases if release not in RELEASES]
    if unknown:
        print(f"Unknown release {unknown[0]}. Known: {', '.join(RELEASES)}.", file=sys.stderr)
        return 2
    table = []
    for release in releases or RELEASES:
        began = time.monotonic()
        table.append((release, run(release), time.monotonic() - began))
        print("TF {}: {} ({:.0f} s)".format(*table[-1]), flush=True)
    return 1 if any("failed" in row[1] or "not run" in row[1] for row in table) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
