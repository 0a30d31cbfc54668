"""The commands: what a fresh machine, a wrong Python, a full disk or a taken port gets to read."""

import os
import re
import socket
import subprocess
import sys

import pytest

from classroom import commands, environment, pins
from classroom.__main__ import NEWEST, OLDEST
from classroom.environment import ROOT, ensure_environment, explain
from classroom.messages import Stop
from classroom.quiet import quiet_kernels


def classroom(*arguments, python=sys.executable, **environ):
    return subprocess.run(
        [python, "-m", "classroom", *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        env={**os.environ, **environ},
    )


def test_help_lists_every_verb_of_the_makefile():
    text = classroom("--help").stdout
    makefile = (ROOT / "Makefile").read_text()
    for verb in commands.VERBS:
        assert re.search(rf"^    {verb}\s", text, re.MULTILINE)
        assert verb == "check" or f"\n{verb}: ##" in makefile


def test_whynone_runs_in_the_folder_where_it_was_called(monkeypatch, tmp_path):
    called = {}
    monkeypatch.setattr(commands, "ensure_environment", lambda: "python")
    monkeypatch.setattr(commands.subprocess, "call", lambda c, **k: called.update(k, command=c))
    monkeypatch.chdir(tmp_path)
    commands.run(["whynone", "train.py", "--rate", "2"])
    assert called["command"] == ["python", "-m", "whynone", "train.py", "--rate", "2"]
    assert called["cwd"] == tmp_path


@pytest.mark.parametrize("words", [["lesons"], ["sync", "--frobnicate"], []])
def test_a_typo_gets_a_usage_line_and_exit_code_2(words):
    done = classroom(*words, VENV=str(ROOT / "no-such-venv"))
    assert done.returncode == 2 and "usage: python -m classroom" in done.stderr
    assert not (ROOT / "no-such-venv").exists()


@pytest.mark.parametrize("version", [(2, 7), (3, 9), (3, 14)])
def test_a_python_that_is_too_old_or_too_new_gets_one_line(version, monkeypatch, capsys):
    from classroom.__main__ import main

    monkeypatch.setattr(sys, "version_info", (*version, 0))
    assert main() == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and f"This is Python {version[0]}.{version[1]};" in said
    assert "make lessons PYTHON=python3.13" in said


def test_the_supported_pythons_are_those_of_the_package():
    text = (ROOT / "pyproject.toml").read_text()
    assert f'requires-python = ">={OLDEST[0]}.{OLDEST[1]},<{NEWEST[0]}.{NEWEST[1] + 1}"' in text


def test_the_entry_file_parses_on_very_old_pythons():
    """No f-strings, annotations or walrus before the version has been looked at."""
    import ast

    for name in ("__init__.py", "__main__.py"):
        ast.parse((ROOT / "classroom" / name).read_text(), feature_version=(3, 4))
        assert 'f"' not in (ROOT / "classroom" / name).read_text()


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("ERROR: Could not install packages: [Errno 28] No space left on device", "disk is full"),
        ("NewConnectionError: Failed to establish a new connection", "could not be reached"),
        ("Temporary failure in name resolution", "could not be reached"),
        ("ReadTimeoutError: Read timed out.", "did not answer in time"),
        ("ERROR: No matching distribution found for tensorflow", "no wheel fits"),
        ("The virtual environment was not created because ensurepip is not available", "venv"),
        ("[Errno 13] Permission denied: '/x'", "no permission"),
    ],
)
def test_a_failed_install_is_explained(said, words):
    assert words in explain(said)


def test_an_unknown_failure_points_to_the_lines_above():
    assert explain("something new") is None
    with pytest.raises(Stop, match="see the lines above"):
        environment.attempt([sys.executable, "-c", "raise SystemExit(3)"], "it failed")


def test_a_full_disk_stops_with_one_line(monkeypatch, tmp_path):
    code = "import sys; sys.exit('[Errno 28] No space left on device')"
    with pytest.raises(Stop, match=r"^it failed: the disk is full; about 3 GB") as caught:
        environment.attempt([sys.executable, "-c", code], "it failed")
    assert len(str(caught.value).splitlines()) == 1


def fake_environment(monkeypatch, tmp_path):
    """An environment whose making is only noted down."""
    calls = []

    def attempt(command, failed):
        calls.append(command)
        if "venv" in command:
            python = environment.environment_python(tmp_path / "venv")
            python.parent.mkdir(parents=True)
            python.symlink_to(sys.executable)

    monkeypatch.setenv("VENV", str(tmp_path / "venv"))
    monkeypatch.setattr(environment, "attempt", attempt)
    return calls


def test_the_environment_is_made_once_and_renewed_when_the_pins_change(monkeypatch, tmp_path):
    calls = fake_environment(monkeypatch, tmp_path)
    first = ensure_environment()
    assert [("venv" in c, "install" in c) for c in calls] == [(True, False), (False, True)]
    assert ensure_environment() == first and len(calls) == 2, "a second run installs nothing"
    monkeypatch.setattr(environment, "wanted", lambda file: "other pins")
    ensure_environment()
    assert len(calls) == 3 and "install" in calls[-1]
    assert (tmp_path / "venv/etc/ipython/ipython_kernel_config.py").exists()
    assert (tmp_path / "venv/share/jupyter/lab/settings/overrides.json").exists()


def test_an_interrupted_install_is_taken_up_again(monkeypatch, tmp_path):
    calls = fake_environment(monkeypatch, tmp_path)
    ensure_environment()
    (tmp_path / "venv" / environment.STAMP).unlink()
    ensure_environment()
    assert len(calls) == 3


def test_an_environment_of_another_python_is_not_touched(monkeypatch, tmp_path):
    fake_environment(monkeypatch, tmp_path)
    ensure_environment()
    monkeypatch.setattr(environment, "wanted", lambda file: "other pins")
    monkeypatch.setattr(environment, "python_version", lambda python: (3, 9))
    with pytest.raises(Stop, match=r"another Python.*delete that folder"):
        ensure_environment()


def test_a_taken_port_is_passed_over():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert commands.free_port(port) > port


def test_when_every_port_is_taken_it_says_so(monkeypatch):
    class Taken(socket.socket):
        def bind(self, address):
            raise OSError

    monkeypatch.setattr(socket, "socket", Taken)
    with pytest.raises(Stop, match="Ports 9000 to 9099 are all taken"):
        commands.free_port(9000)


def test_lessons_prints_the_address_that_it_opens(monkeypatch, tmp_path, capsys):
    fake_environment(monkeypatch, tmp_path)
    called = []
    monkeypatch.setattr(commands, "ensure_environment", ensure_environment)
    monkeypatch.setattr(commands.subprocess, "call", lambda command, env: called.extend(command))
    commands.run(["lessons", "--no-browser"])
    said = capsys.readouterr().out
    address = next(word for word in said.split() if word.startswith("http://localhost:"))
    port, token = address.split(":")[2].split("/")[0], address.split("token=")[1]
    assert f"--ServerApp.port={port}" in called and f"--IdentityProvider.token={token}" in called
    assert "--no-browser" in called and len(token) == 32


def test_the_upper_half_of_the_requirements_is_kept_by_pins():
    text = (ROOT / "requirements.txt").read_text()
    upper = pins.direct(text)
    assert text.startswith(upper + pins.RULE)
    for line in text.splitlines():
        assert not line or line.startswith(("#", "-e .")) or "==" in line, f"not pinned: {line}"


def test_kernels_are_quiet(tmp_path, monkeypatch):
    for name in ("IPYTHONDIR", "TF_CPP_MIN_LOG_LEVEL", "TF_ENABLE_ONEDNN_OPTS"):
        monkeypatch.setenv(name, "")
    quiet_kernels(tmp_path)
    config = (tmp_path / "profile_default/ipython_kernel_config.py").read_text()
    assert "import_tensorflow()" in config and os.environ["TF_CPP_MIN_LOG_LEVEL"] == "3"


def test_importing_tensorflow_quietly_writes_nothing():
    code = "from classroom.quiet import import_tensorflow as f; f(); import tensorflow; print('in')"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("in\n", "")
