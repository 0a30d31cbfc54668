"""`make atlas`: run the specimens of lessons/atlas under many TensorFlows, keep data/atlas.json.

    python -m tests.atlas [--check] [--jobs N] [RELEASE ...]

Without a RELEASE: all of `RELEASES`. A release is a version of that table, `newest` (what PyPI
has today) or `nightly`. Each runs in an environment of its own below .venv-atlas/ (or the folder
that the variable ATLAS names), made by uv, which also fetches a Python that is not there. Stop it
whenever you like: the next run asks only what is missing or changed. A release that cannot be
installed is recorded as not run, with the reason.

With --check nothing is recorded: the answers are compared with those of the newest release in the
record, and the exit code is 1 if they differ.
"""

import argparse
import datetime
import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from classroom.atlas import SPECIMENS, symptom
from classroom.environment import ROOT, environment_python
from classroom.messages import Stop
from solutions.atlas import RECORD, in_order
from tests.records import write_data

ASK = ROOT / "tests" / "ask_specimens.py"

# What pip does not choose by itself: companions of the time of each release.
BEFORE_2_7 = ("protobuf<3.20",)  # its generated code; releases before 2.7 do not limit it
BEFORE_2_2 = (*BEFORE_2_7, "h5py<3", "numpy<1.19")  # they read text from h5py; np.bool and others
CPU = "tensorflow-cpu" if sys.platform == "linux" else "tensorflow"  # half the download
PINNED = ("tensorflow==2.21.0", "keras==3.15.1", "numpy==2.2.6")  # as in requirements.txt

RELEASES: dict[str, tuple[str, tuple[str, ...]]] = {  # name: Python, packages
    "2.0.4": ("3.7", ("tensorflow==2.0.4", *BEFORE_2_2)),
    "2.1.0": ("3.7", ("tensorflow==2.1.0", *BEFORE_2_2)),  # the question of seed 003 shows it
    "2.3.4": ("3.7", ("tensorflow==2.3.4", *BEFORE_2_7)),
    "2.6.5": ("3.7", ("tensorflow==2.6.5", *BEFORE_2_7)),
    "2.9.3": ("3.7", ("tensorflow==2.9.3",)),
    "2.11.0": ("3.7", ("tensorflow==2.11.0",)),  # the last for Python 3.7
    "2.13.1": ("3.11", (f"{CPU}==2.13.1",)),
    "2.15.1": ("3.11", (f"{CPU}==2.15.1",)),  # the last with Keras 2
    # From here on Keras 3, with the Keras of the time: TensorFlow asks for none in particular.
    "2.16.2": ("3.11", (f"{CPU}==2.16.2", "keras==3.3.3")),
    "2.18.1": ("3.11", (f"{CPU}==2.18.1", "keras==3.9.0")),
    "2.20.0": ("3.11", (f"{CPU}==2.20.0", "keras==3.11.2")),
    "2.21.0": ("3.11", PINNED),
    "2.21.0 tf_keras": ("3.11", (*PINNED, "tf_keras==2.21.0")),  # Keras 2 in a TensorFlow of today
}
MOVING = {"newest": ("3.12", ("tensorflow",)), "nightly": ("3.12", ("tf-nightly",))}


class NotRun(Exception):
    """Why a release could not be asked; the message is kept in the record."""


# --- environments -----------------------------------------------------------------------------


def environment(release: str) -> Path:
    """The Python of an environment with this release; made on first use.

    Raises:
        NotRun: the Python or a package could not be installed.
    """
    version, packages = (RELEASES | MOVING)[release]
    folder = environment_folder(release)
    python, stamp = environment_python(folder), folder / "installed.txt"
    wanted = " ".join([version, *packages])
    if release in RELEASES and stamp.exists() and stamp.read_text() == wanted:
        return python
    uv("venv", "--clear", "--python", version, str(folder))
    uv("pip", "install", "--python", str(python), *packages)
    stamp.write_text(wanted)  # last, so that an interrupted install is made again
    return python


def environment_folder(release: str) -> Path:
    return Path(os.environ.get("ATLAS") or ROOT / ".venv-atlas") / release.replace(" ", "-")


def uv(*arguments: str) -> None:
    command = [sys.executable, "-m", "uv", "--quiet", "--no-config", *arguments]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        lines = [line.strip() for line in done.stderr.splitlines() if line.strip()]
        raise NotRun(" ".join(lines[:3])[:300] or f"uv ended with {done.returncode}")


# --- asking -----------------------------------------------------------------------------------


def ask(python: Path | str, specimens: list[Path], jobs: int, keras_2: bool = False) -> Iterator:
    """Run specimens with this interpreter; yield the versions, then each answer as it comes.

    Raises:
        NotRun: TensorFlow cannot be imported, or the program ends before the last specimen.
    """
    environ = {**os.environ, "TF_USE_LEGACY_KERAS": "1" if keras_2 else "0"}
    environ["PYTHONHASHSEED"] = "0"  # a message may list a set
    environ = {name: value for name, value in environ.items() if name != "PYTHONPATH"}
    command = [str(python), str(ASK), str(jobs), *map(str, specimens)]
    pipe = subprocess.PIPE
    process = subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, env=environ)
    number = 0
    try:
        for number, line in enumerate(process.stdout, start=1):  # noqa: B007 - used below
            yield json.loads(line)
        if number != len(specimens) + 1:
            last = (process.stderr.read().strip().splitlines() or ["no message"])[-1]
            raise NotRun(f"it stopped after {max(number - 1, 0)} specimens: {last}"[:300])
    finally:
        process.kill()
        process.wait()


def fingerprint(specimen: Path) -> str:
    """Of the specimen's code (its header may change freely) and of the program that runs it."""
    code = specimen.read_text(encoding="utf-8").split('"""', 2)[2]
    return hashlib.sha256((code + ASK.read_text(encoding="utf-8")).encode()).hexdigest()[:8]


def kept(file: Path) -> tuple[dict, dict[str, dict]]:
    """What an earlier run has left: the versions, and the answers whose specimen is unchanged."""
    versions, answers = {}, {}
    for line in file.read_text(encoding="utf-8").splitlines() if file.exists() else []:
        answer = json.loads(line)
        if "specimen" not in answer:
            versions = answer
            continue
        specimen = SPECIMENS / f"{answer['specimen']}.py"
        if specimen.exists() and fingerprint(specimen) == answer["code"]:
            answers[answer["specimen"]] = answer
    return versions, answers


def run(release: str, jobs: int, progress: Progress) -> tuple[dict, dict[str, dict]]:
    """The versions and the answers of one release; those at hand are not asked again."""
    specimens = sorted(SPECIMENS.glob("*.py"))
    bar = progress.add_task(f"TF {release}", total=len(specimens))
    python = environment(release)
    log = environment_folder(release) / "answers.jsonl"
    versions, answers = kept(log)
    progress.update(bar, completed=len(answers))
    missing = [file for file in specimens if file.stem not in answers]
    codes = {file.stem: fingerprint(file) for file in missing}  # before they can change
    if missing:
        with log.open("a", encoding="utf-8") as file:
            for answer in ask(python, missing, jobs, keras_2="tf_keras" in release):
                if "specimen" in answer:
                    answer["code"] = codes[answer["specimen"]]
                    answers[answer["specimen"]] = answer
                    progress.advance(bar)
                else:
                    versions = {**answer, "date": datetime.date.today().isoformat()}
                    answer = versions
                file.write(json.dumps(answer) + "\n")
                file.flush()
    return versions, {k: v for k, v in answers.items() if (SPECIMENS / f"{k}.py").exists()}


# --- the record -------------------------------------------------------------------------------


def row(answer: dict) -> str | list[str]:
    """An outcome, or an outcome and the warnings on the way."""
    return [answer["outcome"], *answer["warned"]] if answer["warned"] else answer["outcome"]


def merged(record: dict, specimens: dict[str, dict], results: dict[str, tuple | str]) -> dict:
    """The record with these results; of other releases, what is still true is kept.

    `results` holds for each release (versions, answers), or the reason why it did not run.
    """
    codes = {name: matter["code"] for name, matter in record.get("specimens", {}).items()}
    same = {name for name, matter in specimens.items() if codes.get(name) == matter["code"]}
    releases, rows = {}, {}
    for name, known in record.get("releases", {}).items():
        releases[name] = known
        if name in record["rows"]:
            rows[name] = {k: v for k, v in record["rows"][name].items() if k in same}
    for name, result in results.items():
        if isinstance(result, str):
            if set(rows.get(name, ())) != set(specimens):  # else an earlier run still tells it
                rows.pop(name, None)
                releases[name] = {"not_run": result}
            continue
        versions, answers = result
        found = {k: row(answers[k]) for k in sorted(answers)}
        before = releases.get(name, {})
        unchanged = rows.get(name) == found and {**versions, "date": ""} == {**before, "date": ""}
        releases[name] = before if unchanged else versions
        rows[name] = found
    order = in_order(releases)
    return {
        "specimens": {name: specimens[name] for name in sorted(specimens)},
        "releases": {name: releases[name] for name in order},
        "rows": {name: dict(sorted(rows[name].items())) for name in order if name in rows},
    }


def as_text(record: dict) -> str:
    """One line for each specimen, release and row, so that a change is a small diff."""
    blocks = []
    for part, entries in record.items():
        if part == "rows":
            inside = ",\n".join(f'"{name}": {lines(rows)}' for name, rows in entries.items())
            blocks.append(f'"rows": {{\n{inside}\n}}')
        else:
            blocks.append(f'"{part}": {lines(entries)}')
    return "{\n" + ",\n".join(blocks) + "\n}\n"


def lines(entries: dict) -> str:
    dump = json.dumps
    inside = ",\n".join(
        f" {dump(key)}: {dump(value, ensure_ascii=False)}" for key, value in entries.items()
    )
    return f"{{\n{inside}\n}}"


def differences(old: dict[str, str | list[str]], new: dict[str, str | list[str]]) -> list[str]:
    """Markdown lines: what one release's rows say and another's do not."""
    return [
        f"- `{name}`\n    - {old.get(name, 'no row')}\n    - {new.get(name, 'no row')}"
        for name in sorted({*old, *new})
        if old.get(name) != new.get(name)
    ]


def specimens_with_code() -> dict[str, dict]:
    from classroom.atlas import specimens

    return {
        name: {**matter, "code": fingerprint(SPECIMENS / f"{name}.py")}
        for name, matter in specimens().items()
    }


# --- the command ------------------------------------------------------------------------------


def table(results: dict[str, tuple | str]) -> Table:
    shown = Table("TensorFlow", "Keras", "Python", "value", "None", "error", "other", "not run")
    for name, result in results.items():
        if isinstance(result, str):
            shown.add_row(name, *[""] * 6, result)
            continue
        versions, answers = result
        kinds = [symptom(answer["outcome"]) for answer in answers.values()]
        counts = [kinds.count(kind) for kind in ("value", "None", "error")]
        counts.append(len(kinds) - sum(counts))
        shown.add_row(name, versions["keras"], versions["python"], *map(str, counts), "")
    return shown


def collect(releases: list[str], jobs: int, console: Console) -> dict[str, tuple | str]:
    results = {}
    columns = TextColumn("{task.description:16}"), BarColumn(), MofNCompleteColumn()
    with Progress(*columns, TimeElapsedColumn(), console=console) as progress:
        for release in releases:
            try:
                versions, answers = run(release, jobs, progress)
            except NotRun as why:
                results[release] = str(why)
            else:
                results[name_of(release, versions)] = versions, answers
    return results


def name_of(release: str, versions: dict) -> str:
    """What a release is called in the record; one that is known may have a newer Keras."""
    if release not in MOVING:
        return release
    tensorflow = versions["tensorflow"]
    return f"{tensorflow} keras {versions['keras']}" if tensorflow in RELEASES else tensorflow


def news(record: dict, results: dict[str, tuple | str]) -> dict[str, tuple | str]:
    """The results, without a newer Keras that answers as the recorded one does."""
    known = record.get("rows", {})

    def is_known(name: str, result: tuple | str) -> bool:
        if " keras " not in name or isinstance(result, str):
            return False
        return {k: row(answer) for k, answer in result[1].items()} == known.get(name.split()[0])

    return {name: result for name, result in results.items() if not is_known(name, result)}


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="make atlas", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("releases", nargs="*", metavar="RELEASE")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args(arguments)
    known = [*RELEASES, *MOVING]
    for release in options.releases:
        if release not in known:
            print(f"No release {release}. Known: {', '.join(known)}.", file=sys.stderr)
            return 2
    console = Console()
    try:
        specimens_with_code()  # a wrong header stops before half an hour of work
        results = collect(options.releases or list(RELEASES), options.jobs, console)
        specimens = specimens_with_code()
    except Stop as stop:
        print(stop, file=sys.stderr)
        return 2
    console.print(table(results))
    record = json.loads(RECORD.read_text(encoding="utf-8")) if RECORD.exists() else {}
    if options.check:
        return check(record, results)
    write_data(RECORD.name, as_text(merged(record, specimens, news(record, results))))
    console.print("data/atlas.json is written; `make sync` renews the pages made from it.")
    return 0


def check(record: dict, results: dict[str, tuple | str]) -> int:
    """Print how the answers differ from the newest recorded ones; 1 if they do or are missing."""
    newest = [name for name in record["rows"] if " " not in name][-1]
    different = False
    for name, result in results.items():
        if isinstance(result, str):
            found = [f"- not run: {result}"]
        else:
            new = {key: row(answer) for key, answer in result[1].items()}
            found = differences(record["rows"][newest], new)
        if found:
            different = True
            print(f"## TensorFlow {name} answers otherwise than {newest}\n", *found, sep="\n")
    return int(different)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
