"""The command: `whynone [options] script.py [its arguments]`."""

from __future__ import annotations

import argparse
import os
import runpy
import sys
from dataclasses import replace
from types import TracebackType

from whynone.findings import Finding, write_json

ALSO = ("zeros", "nan")


def main(arguments: list[str] | None = None) -> int:
    """Run a script unchanged and report why its gradients are None. Returns the exit code."""
    arguments = sys.argv[1:] if arguments is None else arguments
    own, rest = _split(arguments)
    options = _parser().parse_args(own)
    also = frozenset(filter(None, (options.also or "").split(",")))
    for word in sorted(also - set(ALSO)):
        return _usage(f"--also knows `zeros` and `nan`, and was given `{word}`.")
    if options.module is None and not rest:
        return _usage("no script was named. Usage: whynone my_script.py [its arguments]")
    script = rest[0] if options.module is None else None
    if script is not None and not os.path.exists(script):
        return _usage(f"there is no file `{script}` here ({os.getcwd()}).")
    if script is not None and _no_script(script):
        return _usage(_no_script(script))
    if options.json is not None:
        folder = os.path.dirname(os.path.abspath(options.json))
        if not os.path.isdir(folder):
            return _usage(f"`--json {options.json}`: there is no folder `{folder}`.")
    return _run(script, options, rest, also)


def _split(arguments: list[str]) -> tuple[list[str], list[str]]:
    """Our options come before the script's name; everything after it belongs to the script."""
    own: list[str] = []
    i = 0
    while i < len(arguments):
        word = arguments[i]
        if word in ("--json", "--also"):
            own += arguments[i : i + 2]
            i += 2
        elif word == "-m":
            own += arguments[i : i + 2]
            return own, arguments[i + 2 :]
        elif word.startswith("-"):
            own.append(word)
            i += 1
        else:
            break
    return own, arguments[i:]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="whynone",
        usage="whynone [options] script.py [its arguments]",
        description="Run a script unchanged and say why a gradient is None.",
        allow_abbrev=False,
    )
    parser.add_argument("-m", dest="module", metavar="MODULE", help="run a module, as `python -m`")
    parser.add_argument("--json", metavar="FILE", help="write the findings to FILE, as a list")
    parser.add_argument(
        "--also", metavar="KINDS", help="also report gradients of `zeros`, `nan` or `zeros,nan`"
    )
    parser.add_argument(
        "--color",
        dest="colour",
        action="store_true",
        default=None,
        help="colour even if the output is no terminal",
    )
    parser.add_argument("--no-color", dest="colour", action="store_false", help="no colour")
    return parser


def _no_script(path: str) -> str:
    """What to do with something that is there and is no script; empty if it may be one."""
    if os.path.isdir(path) and not os.path.exists(os.path.join(path, "__main__.py")):
        return f"`{path}` is a folder. Name the script in it: whynone {path.rstrip('/')}/train.py"
    if path.endswith(".ipynb"):
        return (
            f"`{path}` is a notebook. Put `%load_ext whynone` into its first cell and run it in "
            "Jupyter: reports appear below the cells."
        )
    return ""


def _usage(message: str) -> int:
    print(f"whynone: {message}", file=sys.stderr)
    return 2


def _run(
    script: str | None, options: argparse.Namespace, rest: list[str], also: frozenset[str]
) -> int:
    from whynone import api, observe, places, report

    # The script may change the folder: both paths are taken from here.
    path = os.path.abspath(script) if script is not None else ""
    json_file = os.path.abspath(options.json) if options.json is not None else None
    observer = observe.start(lambda found: report.to_stderr(found, options.colour), also)
    if script is not None:
        sys.argv = [script, *rest[1:]]
        sys.path[0] = os.path.dirname(path)
        places.add_user_root(sys.path[0])
    else:
        sys.argv = [options.module, *rest]
        sys.path[0] = os.getcwd()
        places.add_user_root(sys.path[0])
    code = 0
    try:
        if script is not None:
            runpy.run_path(script, run_name="__main__")
        else:
            runpy.run_module(options.module, run_name="__main__", alter_sys=True)
    except SystemExit as stop:
        code = _exit_code(stop)
    except BaseException as error:
        traceback = _without_us(error.__traceback__)
        sys.stdout.flush()
        sys.excepthook(type(error), error.with_traceback(traceback), traceback)
        try:
            api.uncaught(error, traceback)
        except Exception as fault:
            observer.fault(fault)
        code = 130 if isinstance(error, KeyboardInterrupt) else 1
    finally:
        findings = list(observer.recording.findings)
        observe.stop()
        if json_file is not None:
            write_json([_as_named(f, path, script or "") for f in findings], json_file)
    return code


def _as_named(finding: Finding, path: str, script: str) -> Finding:
    """The script's file as the command named it, not the absolute path that it ran under."""

    def named(file: str) -> str:
        return script if file == path else file

    return replace(
        finding,
        file=named(finding.file),
        gradient_file=named(finding.gradient_file),
        notes=[note | {"file": named(note["file"])} for note in finding.notes],
    )


def _exit_code(stop: SystemExit) -> int:
    if stop.code is None:
        return 0
    if isinstance(stop.code, int):
        return stop.code
    print(stop.code, file=sys.stderr)
    return 1


def _without_us(traceback: TracebackType | None) -> TracebackType | None:
    """The traceback as the script alone would show it."""
    here = os.path.dirname(os.path.abspath(__file__))
    kept = []
    while traceback is not None:
        file = traceback.tb_frame.f_code.co_filename
        ours = file.startswith(here) or file.startswith("<frozen runpy") or file == runpy.__file__
        if not ours:
            kept.append(traceback)
        traceback = traceback.tb_next
    for this, following in zip(kept, [*kept[1:], None], strict=True):
        this.tb_next = following
    return kept[0] if kept else None


if __name__ == "__main__":
    sys.exit(main())
