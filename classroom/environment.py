"""The virtual environment behind every command: made once, found again in milliseconds.

Standard library only: this runs on the bare Python of a fresh machine.
"""

import hashlib
import os
import subprocess
import sys
from pathlib import Path

from classroom.messages import Stop
from classroom.quiet import KERNEL_CONFIG, write_kernel_config

ROOT = Path(__file__).resolve().parent.parent
STAMP = "installed-requirements.sha256"

# Lab would open a .md as text; the lessons are notebooks in either form. A lesson's kernel starts
# without a question, and nothing is fetched from outside.
LAB_OVERRIDES = """{
  "@jupyterlab/docmanager-extension:plugin": {
    "defaultViewers": {"markdown": "Jupytext Notebook"}
  },
  "@jupyterlab/notebook-extension:tracker": {"autoStartDefaultKernel": true},
  "@jupyterlab/apputils-extension:notification": {"fetchNews": "false", "checkForUpdates": false}
}
"""

# What pip or venv say on stderr, and what a person can do about it. Asked in this order.
FAILURES = (
    ("No space left on device", "the disk is full; about 3 GB are needed"),
    ("Errno 28", "the disk is full; about 3 GB are needed"),
    ("Disk quota exceeded", "the disk quota is used up; about 3 GB are needed"),
    ("ensurepip is not available", "Python came without venv; on Debian: apt install python3-venv"),
    ("No module named venv", "Python came without venv; on Debian: apt install python3-venv"),
    ("Permission denied", "no permission to write there"),
    ("NewConnectionError", "the package index could not be reached; check the network or proxy"),
    ("Name or service not known", "the package index could not be reached; check the network"),
    ("name resolution", "the package index could not be reached; check the network"),
    ("ProxyError", "the proxy refused; check HTTPS_PROXY"),
    ("timed out", "the package index did not answer in time; check the network"),
    ("ConnectionError", "the package index could not be reached; check the network or proxy"),
    ("No matching distribution", "no wheel fits this Python and system; see the lines above"),
)


def environment_folder() -> Path:
    """The environment's folder: `.venv` in the checkout, or what the variable VENV names."""
    return Path(os.environ.get("VENV") or ROOT / ".venv").absolute()


def environment_python(folder: Path) -> Path:
    return folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def wanted(requirements: Path) -> str:
    """What the stamp must hold for nothing to be installed: the pins and the Python."""
    text = requirements.read_text() + (ROOT / "pyproject.toml").read_text()
    text += LAB_OVERRIDES + KERNEL_CONFIG + f"{ROOT} {sys.version_info[:2]}"
    return hashlib.sha256(text.encode()).hexdigest()


def ensure_environment() -> Path:
    """Return the environment's Python, after making or completing the environment if needed.

    Raises:
        Stop: the environment could not be made; the message says why and what to do.
    """
    folder, requirements = environment_folder(), ROOT / "requirements.txt"
    python, stamp = environment_python(folder), folder / STAMP
    goal = wanted(requirements)
    if python.exists() and stamp.exists() and stamp.read_text() == goal:
        return python
    if python.exists() and python_version(python) != sys.version_info[:2]:
        raise Stop(f"{folder} holds another Python than this one; delete that folder and retry.")
    if not python.exists():
        say(f"Making the environment {folder} …")
        attempt([sys.executable, "-m", "venv", str(folder)], f"{folder} could not be made")
    say("Installing requirements.txt (about 2 GB; a few minutes the first time) …")
    pip = [str(python), "-m", "pip", "--disable-pip-version-check", "install", "-r"]
    attempt([*pip, str(requirements)], "requirements.txt could not be installed")
    settings = folder / "share/jupyter/lab/settings"
    settings.mkdir(parents=True, exist_ok=True)
    (settings / "overrides.json").write_text(LAB_OVERRIDES)
    write_kernel_config(folder / "etc/ipython")
    stamp.write_text(goal)  # last, so that an interrupted install is taken up again
    return python


def python_version(python: Path) -> tuple[int, ...]:
    code = "import sys; print(*sys.version_info[:2])"
    run = subprocess.run([str(python), "-c", code], capture_output=True, text=True)
    return tuple(map(int, run.stdout.split()))


def attempt(command: list[str], failed: str) -> None:
    """Run a command with its progress shown; on failure stop with one line that says why."""
    process = subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True)
    said = []
    for line in process.stderr:
        sys.stderr.write(line)
        said.append(line)
    if process.wait() == 0:
        return
    why = explain("".join(said)) or "see the lines above"
    raise Stop(f"{failed}: {why}. Then run the same command again; it goes on where it stopped.")


def explain(said: str) -> str | None:
    """What a person can do about the output of a failed venv or pip, or None if unknown."""
    return next((remedy for sign, remedy in FAILURES if sign in said), None)


def say(text: str) -> None:
    print(text, flush=True)
