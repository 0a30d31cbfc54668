"""The verbs of `python -m classroom`. Each prepares the environment, then runs inside it."""

import argparse
import os
import secrets
import socket
import subprocess
import sys
from pathlib import Path

from classroom.environment import ROOT, ensure_environment, environment_folder, say
from classroom.messages import Stop
from classroom.quiet import QUIET

FIRST_PORT = 8888

# A teacher's verbs: each is a module that reads its own arguments, in the folder it is called in.
CLASS = {
    "assign": ("classroom.assign", "make an assignment out of lessons"),
    "new": ("classroom.new", "write a commented exercise to start from"),
    "grade": ("classroom.grade_class grade", "grade what was handed in, each in a sandbox"),
    "regrade": ("classroom.grade_class regrade", "grade some or all of it again"),
    "status": ("classroom.grade_class status", "say who has which points, and who needs you"),
    "override": ("classroom.grade_class override", "set points by hand, with a comment"),
    "export": ("classroom.export", "grades as CSV, for Moodle, Canvas, Gradescope or nbgrader"),
    "feedback": ("classroom.report feedback", "a page for each student"),
    "report": ("classroom.report report", "a page on the class: points and misconceptions"),
    "workflow": ("classroom.workflow workflow", "grade in shards on GitHub's machines"),
    "merge": ("classroom.workflow merge", "bring the gradebooks of shards together"),
    "similar": ("classroom.similar", "which answers are alike, by compare50 if you have it"),
    "simulate": ("classroom.simulate", "make up a class, to try all this with"),
}


def run(arguments: list[str]) -> int:
    """Run one verb and return the exit code: 0, the verb's own, or 2 with a line on stderr."""
    parser = argparse.ArgumentParser(prog="python -m classroom", description=__doc__)
    verbs = parser.add_subparsers(dest="verb", required=True, metavar="VERB")
    verb = verbs.add_parser("lessons", help="open the lessons in JupyterLab")
    verb.add_argument("--no-browser", action="store_true", help="only print the address")
    verbs.add_parser("test", help="run every test; further arguments go to pytest")
    verb = verbs.add_parser("sync", help="regenerate notebooks, stubs and tables")
    verb.add_argument("slugs", nargs="*", metavar="SLUG", help="only these lessons")
    verb = verbs.add_parser("site", help="build the site and serve it with live reload")
    verb.add_argument("--build-only", action="store_true", help="build into site/, strictly")
    verbs.add_parser("site-check", help="build the site and check every page in a browser")
    verb = verbs.add_parser("check", help="check the answers in an exercise's file")
    verb.add_argument("file", type=Path, help="exercise.ipynb, .md or .py with your answers")
    for name, (_module, what) in CLASS.items():
        verbs.add_parser(name, add_help=False, help=what)
    verbs.add_parser("whynone", help="explain the gradients of a script: whynone SCRIPT …")
    verbs.add_parser("atlas", help="run the atlas' specimens under many TensorFlows")
    verbs.add_parser("bench", help="measure what the gradients of every layer's output cost")
    verbs.add_parser("pins", help="renew the lower half of requirements.txt")
    options, rest = parser.parse_known_args(arguments)
    if rest and options.verb not in ("test", "site-check", "whynone", "atlas", "bench", *CLASS):
        parser.error(f"`{options.verb}` does not know: {' '.join(rest)}")
    try:
        if options.verb in CLASS:
            return inside(["-m", *CLASS[options.verb][0].split(), *rest], folder=Path.cwd())
        return VERBS[options.verb](options, rest)
    except Stop as stop:
        print(stop, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130


def lessons(options: argparse.Namespace, _rest: list[str]) -> int:
    python = ensure_environment()
    port, token = free_port(FIRST_PORT), secrets.token_hex(16)
    say(f"Open http://localhost:{port}/lab?token={token}   (stop with Ctrl-C)")
    command = lab_command(python, ROOT / "lessons", port, token)
    if options.no_browser:
        command.append("--no-browser")
    return subprocess.call(command, env={**os.environ, **QUIET})


def lab_command(python: Path, folder: Path, port: int, token: str) -> list[str]:
    """The command that serves a folder in JupyterLab."""
    command = [str(python), "-m", "jupyterlab", f"--ServerApp.root_dir={folder}"]
    command += [f"--ServerApp.port={port}", f"--IdentityProvider.token={token}", "--log-level=WARN"]
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        command.append("--allow-root")  # in a container the only user is often root
    return command


def free_port(first: int) -> int:
    """The first port from `first` on that nothing on this machine listens to."""
    for port in range(first, first + 100):
        with socket.socket() as probe:
            if hasattr(socket, "SO_REUSEADDR") and os.name != "nt":
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    raise Stop(f"Ports {first} to {first + 99} are all taken; stop one of the servers there.")


def test(_options: argparse.Namespace, rest: list[str]) -> int:
    say("Running every test; the notebooks are replayed too, which takes a few minutes …")
    return inside([*["-m", "pytest"], *rest])


def sync(options: argparse.Namespace, _rest: list[str]) -> int:
    return inside(["-m", "classroom.sync", *options.slugs])


def site(options: argparse.Namespace, _rest: list[str]) -> int:
    os.environ["NO_MKDOCS_2_WARNING"] = "1"  # an advertisement; the versions are pinned
    if options.build_only:
        return inside(["-m", "mkdocs", "build", "--strict", "--quiet"])
    address = f"127.0.0.1:{free_port(FIRST_PORT)}"
    say(f"Building; then open http://{address}/   (stop with Ctrl-C)")
    # Live reload is on by default, but not with every release of what MkDocs reads options with.
    return inside(["-m", "mkdocs", "serve", "--livereload", "--dev-addr", address])


def site_check(_options: argparse.Namespace, rest: list[str]) -> int:
    failed = inside(["-m", "classroom", "site", "--build-only"])
    folder = "tests/site_checks"
    names = ("links", "every_page", "keyboard", "no_answers", "reading", "searching", "tape_steps")
    checks = [f"{folder}/{name}.py" for name in names]
    alone = [f"{folder}/{name}.py" for name in ("pictures", "lighthouse")]  # it measures time
    for options, files in ((["--dist=load"], checks), (["--numprocesses=0"], alone)):
        if not failed:
            failed = inside(["-m", "pytest", *options, *files, *rest])
        if rest and failed == 5:  # pytest's word for "none of these was asked for"
            failed = 0
    return failed


def check(options: argparse.Namespace, _rest: list[str]) -> int:
    return inside(["-m", "classroom.checking", str(options.file)])


def whynone(_options: argparse.Namespace, rest: list[str]) -> int:
    return inside(["-m", "whynone", *rest], folder=Path.cwd())


def atlas(_options: argparse.Namespace, rest: list[str]) -> int:
    return inside(["-m", "tests.atlas", *rest])


def bench(_options: argparse.Namespace, rest: list[str]) -> int:
    return inside(["-m", "tests.bench_activations", *rest])


def pins(_options: argparse.Namespace, _rest: list[str]) -> int:
    return inside(["-m", "classroom.pins"])


def inside(arguments: list[str], folder: Path = ROOT) -> int:
    """Run the environment's Python on these arguments, in `folder`, quietly."""
    python = ensure_environment()
    path = f"{environment_folder() / ('Scripts' if os.name == 'nt' else 'bin')}{os.pathsep}"
    environ = {**os.environ, **QUIET, "PATH": path + os.environ.get("PATH", "")}
    return subprocess.call([str(python), *arguments], cwd=folder, env=environ)


VERBS = {
    verb.__name__.replace("_", "-"): verb
    for verb in (lessons, test, sync, site, site_check, check, whynone, atlas, bench, pins)
}
