"""Mutation testing of reference modules: `python tests/mutate.py SLUG…`.

For each slug, mutmut changes solutions/SLUG.py in one place at a time, in a copy of the checkout,
and runs tests/test_SLUG.py. A mutant that survives is a missing test, or equivalent.
Needs `pip install mutmut==3.8.1`, which nothing else here does.
"""

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# Workers are forked from a server that has imported TensorFlow and never run an operation:
# a fork of a process whose thread pools have started may hang.
SETTINGS = """
[tool.mutmut]
source_paths = ["solutions/{slug}.py"]
also_copy = ["classroom", "solutions", "lessons", "README.md", "requirements.txt", "data"]
pytest_add_cli_args = ["-n0", "-p", "no:nbval", "-o", "addopts=", "-x"]
pytest_add_cli_args_test_selection = ["tests/test_{slug}.py"]
process_isolation = "forkserver"
forkserver_warmup = "collect"
"""


def mutate(slug: str) -> tuple[int, int, str]:
    """Return how many mutants were made, how many were killed, and the survivors' diffs."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "copy"
        skip = shutil.ignore_patterns(
            ".git", ".venv", "site", "artifacts", "__pycache__", "*.ipynb"
        )
        shutil.copytree(ROOT, copy, ignore=skip)
        with (copy / "pyproject.toml").open("a") as settings:
            settings.write(SETTINGS.format(slug=slug))
        mutmut = [sys.executable, "-m", "mutmut"]
        done = subprocess.run(
            [*mutmut, "run", "--max-children", "2"], cwd=copy, capture_output=True, text=True
        )
        counts = re.findall(r"(\d+)/(\d+)  🎉 (\d+)", done.stdout)
        if not counts:
            sys.exit(f"mutmut did not run over {slug}:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
        results = subprocess.run([*mutmut, "results"], cwd=copy, capture_output=True, text=True)
        left = re.findall(r"^\s*(\S+): (?!killed)(.*)$", results.stdout, re.MULTILINE)
        shown = []
        for name, verdict in left:
            diff = subprocess.run([*mutmut, "show", name], cwd=copy, capture_output=True, text=True)
            shown.append(f"{verdict}: {diff.stdout}")
        return int(counts[-1][1]), int(counts[-1][1]) - len(left), "\n".join(shown)


if __name__ == "__main__":
    for slug in sys.argv[1:] or sys.exit(__doc__):
        made, killed, survivors = mutate(slug)
        print(f"{slug}: {killed} of {made} mutants killed\n{survivors}", flush=True)
