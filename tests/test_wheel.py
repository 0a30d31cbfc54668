"""In a stranger's project: the wheel brings the module and the command `whynone`, nothing else."""

import json
import os
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

from classroom.environment import ROOT
from classroom.quiet import QUIET

SCRIPT = """\
import sys
import tensorflow as tf

x = tf.constant([1.0, 2.0])
with tf.GradientTape() as tape:
    loss = tf.reduce_sum(x * x)
print(tape.gradient(loss, x), sys.argv[1:])
sys.exit(3)
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation", "-q"]
    done = subprocess.run([*command, "-w", str(folder), str(ROOT)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return next(folder.glob("*.whl"))


def test_the_wheel_holds_one_package_and_one_command(wheel):
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        metadata = next(name for name in names if name.endswith("METADATA"))
        entry_points = next(name for name in names if name.endswith("entry_points.txt"))
        requires = [
            line
            for line in archive.read(metadata).decode().splitlines()
            if line.startswith("Requires-Dist")
        ]
        commands = archive.read(entry_points).decode()
    packages = {name.split("/")[0] for name in names}
    assert {p for p in packages if not p.endswith(".dist-info")} == {"whynone"}
    assert requires == ["Requires-Dist: tensorflow>=2.16"]
    assert commands.split() == ["[console_scripts]", "whynone", "=", "whynone.__main__:main"]


@pytest.fixture(scope="module")
def bare(wheel, tmp_path_factory) -> Path:
    """An environment with the wheel and TensorFlow, and nothing of this checkout."""
    folder = tmp_path_factory.mktemp("bare")
    subprocess.check_call([sys.executable, "-m", "venv", "--without-pip", str(folder)])
    binaries = folder / ("Scripts" if os.name == "nt" else "bin")
    pip = [sys.executable, "-m", "pip", "--python", str(binaries / "python"), "install", "-q"]
    subprocess.check_call([*pip, "--no-deps", "--no-index", str(wheel)])
    # TensorFlow is lent by this environment, since installing it anew takes minutes. A path that
    # a .pth file adds is searched, but its own .pth files (this checkout's) are not read.
    inside = subprocess.check_output(
        [binaries / "python", "-c", "import sysconfig; print(sysconfig.get_paths()['purelib'])"],
        text=True,
    ).strip()
    (Path(inside) / "lent.pth").write_text(sysconfig.get_paths()["purelib"] + "\n")
    return binaries


def outside(bare, folder, *command):
    """Run a command of the bare environment in a folder that is not this checkout."""
    environ = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
    return subprocess.run(
        [str(bare / command[0]), *command[1:]],
        cwd=folder,
        capture_output=True,
        text=True,
        env={**environ, **QUIET},
    )


@pytest.mark.parametrize("name", ["solutions", "classroom", "tests", "theme"])
def test_no_other_package_of_ours_can_be_imported(bare, tmp_path, name):
    done = outside(bare, tmp_path, "python", "-c", f"import {name}")
    assert done.returncode == 1 and f"No module named '{name}'" in done.stderr


@pytest.mark.parametrize("command", [["whynone"], ["python", "-m", "whynone"]])
def test_the_command_explains_a_script_elsewhere(bare, tmp_path, command):
    script = tmp_path / "train.py"
    script.write_text(SCRIPT)
    report = tmp_path / "report.json"
    done = outside(bare, tmp_path, *command, "--json", str(report), "train.py", "--rate", "2")
    assert done.returncode == 3 and done.stdout == "None ['--rate', '2']\n", done.stderr
    assert "train.py:6" in done.stderr and "unwatched_tensor" in done.stderr
    finding = json.loads(report.read_text())[0]
    assert (finding["cause"], finding["gradient_line"]) == ("unwatched", 7)
    assert Path(finding["file"]).name == "train.py" and finding["line"] == 6
