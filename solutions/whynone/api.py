"""The ways in from Python code: `explain`, `GradientTape` and the notebook extension."""

from __future__ import annotations

from collections.abc import Callable
from types import TracebackType
from typing import Any

import tensorflow as tf
from whynone import observe, places, report
from whynone.diagnose import diagnose_uncaught
from whynone.findings import Finding


class explain:
    """`with whynone.explain() as findings:` reports each None gradient inside the block.

    `findings` is a list that fills with `Finding`s; it stays empty if every gradient is healthy.
    `report` is called with the new findings as they appear; the default prints them to standard
    error, `report=None` prints nothing. `also` may hold "zeros" and "nan".
    """

    def __init__(
        self,
        report: Callable[[list[Finding]], None] | None = report.to_stderr,
        also: tuple[str, ...] = (),
    ) -> None:
        self._report = report
        self._also = frozenset(also)
        self._nested = False
        self.findings: list[Finding] = []

    def __enter__(self) -> list[Finding]:
        self._nested = observe.current() is not None
        observer = observe.start(self._report, self._also)
        self.findings = observer.recording.findings
        return self.findings

    def __exit__(
        self, kind: type | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        observer = observe.current()
        if error is not None and observer is not None:
            uncaught(error, traceback)
        if not self._nested:
            observe.stop()


def uncaught(error: BaseException, traceback: TracebackType | None) -> list[Finding]:
    """Explain an exception that leaves the user's code, if it is a known one."""
    observer = observe.current()
    place = None
    while traceback is not None:
        code = traceback.tb_frame.f_code
        if places.is_user_file(code.co_filename):
            place = places.place_of((code, traceback.tb_lasti))
        traceback = traceback.tb_next
    found = diagnose_uncaught(error, place)
    if observer is not None and found:
        observer.recording.findings += found
        if observer.on_finding is not None:
            observer.on_finding(found)
    return found


class GradientTape(tf.GradientTape):
    """`tf.GradientTape` that explains a None; same arguments, same results."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        observe.start(report.to_stderr)
        super().__init__(*args, **kwargs)


def load_ipython_extension(ipython: Any) -> None:
    """`%load_ext whynone`: report every None gradient of this notebook below its cell."""
    from whynone import notebook

    notebook.load(ipython)


def unload_ipython_extension(ipython: Any) -> None:
    """`%unload_ext whynone`."""
    observe.stop()
