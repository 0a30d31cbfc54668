"""GitHub's workflows, as far as they can be tried without GitHub: what they call exists, and the
steps written in shell do what they should with a `make` and a `gh` that are stand-ins.
"""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from classroom.commands import VERBS
from classroom.environment import ROOT

WORKFLOWS = {
    file.stem: yaml.safe_load(file.read_text())
    for file in sorted((ROOT / ".github/workflows").glob("*.yml"))
}
STEPS = [
    (name, step)
    for name, workflow in WORKFLOWS.items()
    for job in workflow["jobs"].values()
    for step in job["steps"]
]
MAKEFILE = (ROOT / "Makefile").read_text()


def test_every_step_does_one_thing_and_every_job_ends():
    assert {"atlas", "pages"} <= set(WORKFLOWS)
    for name, workflow in WORKFLOWS.items():
        assert True in workflow, f"{name}: no `on:`"  # which YAML 1.1 reads as a truth value
        assert workflow["permissions"], name
        for job in workflow["jobs"].values():
            needs = job.get("needs", [])
            needs = {needs} if isinstance(needs, str) else set(needs)
            assert needs <= set(workflow["jobs"]), needs
    for name, step in STEPS:
        assert ("uses" in step) != ("run" in step), (name, step)


def test_an_action_has_one_version_everywhere():
    versions: dict[str, set[str]] = {}
    for _, step in STEPS:
        if "uses" in step:
            action, version = re.fullmatch(r"([\w-]+/[\w-]+)@(v\d+)", step["uses"]).groups()
            versions.setdefault(action, set()).add(version)
    assert all(len(found) == 1 for found in versions.values()), versions


def test_what_a_step_makes_is_a_verb_that_reads_its_settings():
    called = [
        (verb, re.findall(r"\b([A-Z]+)=", rest))
        for _, step in STEPS
        for verb, rest in re.findall(r"^\s*make ([\w-]+)([^|&;\n]*)", step.get("run", ""), re.M)
    ]
    assert {verb for verb, _ in called} == {"site-check", "atlas"}
    for verb, settings in called:
        assert verb in VERBS
        recipe = MAKEFILE.split(f"\n{verb}:", 1)[1].split("\n\n")[0]
        assert all(f"$({setting})" in recipe for setting in settings), (verb, settings)


def test_a_file_that_a_step_names_is_there_or_made():
    ours = {"path": {"artifacts", "site"}, "cache-dependency-path": {"requirements.txt"}}
    for _, step in STEPS:
        for key, known in ours.items():
            assert step.get("with", {}).get(key) in {None, *known}, step
    text = "".join(step.get("run", "") for _, step in STEPS)
    for file in re.findall(r"\bdata/[\w./]+\w", text):
        assert (ROOT / file).exists(), file


# --- the steps themselves -----------------------------------------------------------------


def script(workflow: str, holding: str) -> str:
    """The shell of the one step that has these words."""
    found = [s["run"] for name, s in STEPS if name == workflow and holding in s.get("run", "")]
    assert len(found) == 1, found
    return found[0]


@pytest.fixture
def stand_ins(tmp_path):
    """Commands that note how they were called; a function makes one and says what it does."""
    folder = tmp_path / "bin"
    folder.mkdir()

    def stand_in(name: str, body: str) -> None:
        file = folder / name
        file.write_text(f'#!/bin/bash\necho "{name} $*" >> "{tmp_path}/called"\n{body}\n')
        file.chmod(0o755)

    return stand_in


def step(text: str, tmp_path: Path, folder: Path) -> tuple[int, str]:
    """Run a step as GitHub does, `bash -e`: its exit code and what it called."""
    environ = {
        **os.environ,
        "PATH": f"{tmp_path}/bin{os.pathsep}{os.environ['PATH']}",
        "GIT_CONFIG_GLOBAL": os.devnull,
    }
    done = subprocess.run(
        ["bash", "-e", "-c", text], cwd=folder, env=environ, capture_output=True, text=True
    )
    called = tmp_path / "called"
    return done.returncode, called.read_text() if called.exists() else ""


@pytest.mark.skipif(not shutil.which("bash"), reason="GitHub's steps are bash")
@pytest.mark.parametrize(
    ("said", "code", "known", "ends", "asked"),
    [
        ("all as recorded", 0, "", 0, ""),  # make is content: nothing is filed
        ("## T otherwise\n\n- a", 1, "", 0, "gh issue create"),
        ("## T otherwise\n\n- a", 1, "12", 0, "gh issue edit 12"),
        ("no such release", 1, "", 1, ""),  # make itself failed, and so does the job
    ],
)
def test_a_nightly_build_that_answers_otherwise_becomes_one_issue(
    stand_ins, tmp_path, said, code, known, ends, asked
):
    stand_ins("make", f"printf 'begun\\n%s\\n' '{said}'; exit {code}")
    stand_ins("gh", f'case "$*" in *list*) echo "{known}";; esac')
    ended, called = step(script("atlas", "issue create"), tmp_path, tmp_path)
    assert ended == ends and called.startswith("make atlas RELEASES=nightly ARGS=--check\n")
    assert ("gh issue create" in called, "gh issue edit" in called) == (
        asked.startswith("gh issue create"),
        asked.startswith("gh issue edit"),
    )
    assert asked in called
    if asked:
        assert (tmp_path / "differences.md").read_text() == said + "\n"


@pytest.mark.skipif(not shutil.which("git"), reason="needs git")
@pytest.mark.parametrize("changed", [False, True])
def test_new_rows_become_a_pull_request_and_nothing_else_does(stand_ins, tmp_path, changed):
    stand_ins("gh", "")
    origin, copy = tmp_path / "origin.git", tmp_path / "copy"
    git = ["git", "-c", "user.name=t", "-c", "user.email=t@example.org"]
    for command in (
        ["git", "init", "-q", "--bare", str(origin)],
        ["git", "clone", "-q", str(origin), str(copy)],
    ):
        subprocess.run(command, check=True, capture_output=True)
    (copy / "data").mkdir()
    rows = copy / "data/atlas.json"
    rows.write_text("[]\n")
    for command in (["add", "."], ["commit", "-q", "-m", "a"], ["push", "-q", "origin", "HEAD"]):
        subprocess.run([*git, *command], cwd=copy, check=True, capture_output=True)
    rows.write_text("[1]\n" if changed else "[]\n")
    ended, called = step(script("atlas", "pr create"), tmp_path, copy)
    assert ended == 0 and ("gh pr create" in called) == changed
    branches = subprocess.run(
        ["git", "branch", "--list"], cwd=origin, capture_output=True, text=True
    ).stdout
    assert ("atlas-" in branches) == changed
