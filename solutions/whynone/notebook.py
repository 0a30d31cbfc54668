"""`%load_ext whynone`: a report below the cell, with the tape's picture."""

from __future__ import annotations

from typing import Any

from whynone import observe
from whynone.findings import Finding
from whynone.picture import html_report


def load(ipython: Any) -> None:
    """Watch from now on, and explain known exceptions of a cell too."""
    observe.start(show)

    def failed(result: Any) -> None:
        error = getattr(result, "error_in_exec", None)
        if error is not None:
            from whynone.api import uncaught

            uncaught(error, error.__traceback__)

    ipython.events.register("post_run_cell", failed)


def show(findings: list[Finding]) -> None:
    """Display findings in the notebook."""
    from IPython.display import HTML, display

    display(HTML(html_report(findings)))
