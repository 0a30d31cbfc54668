"""Compares whynone's findings with what `expected.json` accepts."""

from __future__ import annotations

import json
from pathlib import Path

HERE = Path(__file__).parent


def expected() -> list[dict]:
    """The entries of `expected.json`; `README.md` explains the keys."""
    return json.loads((HERE / "expected.json").read_text())


def difference(entry: dict, finding: dict) -> str | None:
    """Why a finding does not match an expected one; None if it does."""
    if finding["cause"] not in entry["causes"]:
        return f"cause {finding['cause']} is not one of {entry['causes']}"
    here = (Path(finding["file"]).name, finding["line"])
    places = [(entry["file"], line) for line in entry["lines"]]
    places += [(other["file"], other["line"]) for other in entry.get("or_at", [])]
    if here not in places:
        return f"culprit {here} is not one of {places}"
    if finding["gradient_line"] not in entry["gradient_lines"]:
        return f"asked at {finding['gradient_line']}, not one of {entry['gradient_lines']}"
    return None


def problems(entry: dict, findings: list[dict]) -> list[str]:
    """What is wrong with the findings of one script: each missing and each unexpected one."""
    wanted = entry["findings"]
    found = []
    for finding in findings:
        reasons = [difference(w, finding) for w in wanted]
        if all(reasons):
            found.append(
                f"unexpected: {finding['cause']} at {Path(finding['file']).name}:"
                f"{finding['line']} for {finding['source']} ({' | '.join(reasons)})"
            )
    for one in wanted:
        if not one.get("optional") and all(difference(one, f) for f in findings):
            found.append(f"missing: {one['causes']} at {one['file']}:{one['lines']}")
    return found
