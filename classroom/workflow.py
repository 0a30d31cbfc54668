"""`python -m classroom workflow` and `merge`: a class that one machine is too slow for.

Submissions do not depend on each other, so a GitHub Actions matrix grades them in shards, each on
a machine of its own, and the gradebooks of the shards are merged. A submission's shard follows
from the SHA-256 of the student's id.
"""

import argparse
import re
import sys
from pathlib import Path

from classroom.files import write_text
from classroom.grade_class import main as run_verb
from classroom.gradebook import Gradebook
from classroom.messages import Stop
from classroom.teacher import add_gradebook, form, teacher_of

MOST_SHARDS = 256  # jobs of one matrix
PLAIN_PATH = re.compile(r"[\w.][\w./-]*")

WORKFLOW = """# Grades {assignment} in {shards} shards. Start it by hand under Actions.
# It reads the key and what students handed in: only ever in a private repository.
name: {name}

on: workflow_dispatch

permissions:
  contents: read

jobs:
  grade:
    runs-on: ubuntu-latest
    timeout-minutes: 350
    strategy:
      fail-fast: false
      matrix:
        shard: [{numbers}]
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-python@v5
        with: {{ python-version: "3.12", cache: pip }}
      - run: sudo apt-get update -qq && sudo apt-get install -y -qq bubblewrap
      - name: Let bubblewrap make namespaces
        run: sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0
      - run: >
          python -m classroom grade {assignment} {submissions}{roster}
          --shard ${{{{ matrix.shard }}}}/{shards} --warm
          --gradebook shard-${{{{ matrix.shard }}}}.sqlite
      - uses: actions/upload-artifact@v4
        with:
          name: shard-${{{{ matrix.shard }}}}
          path: shard-${{{{ matrix.shard }}}}.sqlite
          retention-days: 7

  merge:
    needs: grade
    if: always()
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-python@v5
        with: {{ python-version: "3.12", cache: pip }}
      - uses: actions/download-artifact@v4
        with: {{ pattern: shard-*, merge-multiple: true }}
      - run: python -m classroom merge {assignment} shard-*.sqlite --gradebook gradebook.sqlite
      - uses: actions/upload-artifact@v4
        with: {{ name: gradebook, path: gradebook.sqlite, retention-days: 7 }}
"""


def workflow_text(assignment: str, submissions: str, roster: str, shards: int) -> str:
    """The YAML of a workflow.

    Raises:
        Stop: a path is absolute, leads out of the repository, or is none that a shell takes as is.
    """
    for path in filter(None, (assignment, submissions, roster)):
        if not PLAIN_PATH.fullmatch(path) or ".." in Path(path).parts:
            raise Stop(
                f"{path}: name it by its path in the private repository, with letters, digits, "
                f"`.`, `_`, `-` and `/` only."
            )
    return WORKFLOW.format(
        assignment=assignment,
        submissions=submissions,
        roster=f" --roster {roster}" if roster else "",
        shards=shards,
        numbers=", ".join(map(str, range(1, shards + 1))),
        name=f"grade {Path(assignment).name}",
    )


def workflow(arguments: list[str]) -> None:
    made = form(
        "workflow",
        "Write a GitHub Actions workflow that grades in shards, each on a machine of its own. Put "
        "it, the assignment and what was handed in into a private copy of this repository.",
        "  python -m classroom workflow week3 moodle.zip --roster roster.csv --shards 20\n",
    )
    made.add_argument("submissions", help="the LMS's zip, by its path in the private repository")
    made.add_argument("--roster", default="", help="the roster, by its path there")
    made.add_argument("--shards", type=int, default=20, help="how many jobs (default %(default)s)")
    made.add_argument(
        "--out", type=Path, default=Path(".github/workflows/grade.yml"), help="(%(default)s)"
    )
    made.add_argument("--dry-run", action="store_true", help="print it, write nothing")
    options = made.parse_args(arguments)
    if not 1 <= options.shards <= MOST_SHARDS:
        raise Stop(f"--shards {options.shards}: write a number from 1 to {MOST_SHARDS}.")
    teacher_of(options.assignment).key()
    place = options.assignment.as_posix()
    text = workflow_text(place, options.submissions, options.roster, options.shards)
    if options.dry_run:
        print(text, end="")
        return
    if options.out.exists() and options.out.read_text(encoding="utf-8") != text:
        raise Stop(f"{options.out} is there already. Name another by --out, or remove it.")
    options.out.parent.mkdir(parents=True, exist_ok=True)
    write_text(text, options.out)
    print(f"{options.out}: {options.shards} shards.")


def merge(arguments: list[str]) -> None:
    made = form(
        "merge",
        "Add the rows of other gradebooks to one. What is there already is not doubled, so it may "
        "be done again.",
        "  python -m classroom merge week3 shard-*.sqlite\n",
    )
    made.add_argument("gradebooks", nargs="+", type=Path, help="the gradebooks of the shards")
    add_gradebook(made)
    made.add_argument("--dry-run", action="store_true", help="say what would be added")
    options = made.parse_args(arguments)
    into = options.gradebook or teacher_of(options.assignment).book
    run_merge(options, into)


def run_merge(options: argparse.Namespace, into: Path) -> None:
    for file in options.gradebooks:  # all of them, before a row is written
        with Gradebook(file):
            pass
        if into.exists() and file.samefile(into):
            raise Stop(f"{file} cannot be merged into itself.")
    if options.dry_run:
        for file in options.gradebooks:
            with Gradebook(file) as book:
                print(f"{file}: {len(book.attempts())} attempts")
        return
    with Gradebook(into, create=True) as book:
        for file in options.gradebooks:
            with Gradebook(file) as other:
                attempts, overrides, older = book.merge(other)
            more = f", {older} older than what counts left out" if older else ""
            print(f"{file}: {attempts} attempts and {overrides} overrides added{more}.")
        print(f"{into}: {len(book.rows())} students.")


VERBS = {"workflow": workflow, "merge": merge}

if __name__ == "__main__":
    sys.exit(run_verb(sys.argv[1:], VERBS))
