"""Findings as text, like a compiler's diagnostic."""

from __future__ import annotations

import os
import sys
from typing import TextIO

from whynone import places
from whynone.findings import Finding
from whynone.recording import Place

_COLOURS = {"head": "1;31", "dim": "2", "arrow": "1;33", "key": "1;36", "bold": "1"}
_WIDTH = 100


def use_colour(stream: TextIO, wanted: bool | None = None) -> bool:
    """Colour on a terminal, unless NO_COLOR is set or the user decided."""
    if wanted is not None:
        return wanted
    return (
        not os.environ.get("NO_COLOR")
        and os.environ.get("TERM") != "dumb"
        and hasattr(stream, "isatty")
        and stream.isatty()
    )


def render(findings: list[Finding], colour: bool = False) -> str:
    """All findings; those that share cause, culprit and question are told once."""
    groups: dict[tuple, list[Finding]] = {}
    for finding in findings:
        key = (finding.cause, finding.file, finding.line, finding.gradient_line, finding.target)
        if finding.cause == "no_path":
            key += (finding.result,)
        groups.setdefault(key, []).append(finding)
    return "\n".join(_one(group, colour) for group in groups.values())


def _one(group: list[Finding], colour: bool) -> str:
    def paint(kind: str, text: str) -> str:
        return f"\033[{_COLOURS[kind]}m{text}\033[0m" if colour else text

    first = group[0]
    names = [f"`{f.source}`" for f in group if f.source]
    if len(names) > 4:
        names = [*names[:3], f"{len(names) - 3} more"]
    if first.source and first.target:
        question = f"gradient of `{first.target}` with respect to {', '.join(names)}"
    elif names:
        question = ", ".join(names)
    else:
        question = first.label
    lines = [paint("head", f"{first.result}: {question}")]
    shown = [(first.file, first.line, first.label, first)]
    shown += [(n["file"], n["line"], n["text"], None) for n in first.notes]
    if first.gradient_line is not None:
        asked = (first.gradient_file, first.gradient_line)
        if asked not in [(f, line) for f, line, _, _ in shown]:
            shown.append((*asked, "", None))
    heads = [f"{places.shown(file)}:{line}" for file, line, _, _ in shown]
    width = max(len(head) for head in heads)
    for head, (file, line, label, finding) in zip(heads, shown, strict=True):
        if not line:
            continue
        text = places.source_line(Place(file, line))
        body = text.strip()
        lines.append(f"  {paint('dim', head.ljust(width))}   {body}")
        arrow = _arrow(text, body, label, finding)
        if arrow:
            lines.append(f"  {' ' * width}   {paint('arrow', arrow)}")
    for key, text in (
        ("why", first.message),
        ("do", first.fix),
        ("read", f"lessons/{first.lesson} ({first.cause})" if first.lesson else first.cause),
    ):
        lines.append(f"  {paint('key', key.ljust(5))} {_wrapped(text)}")
    return "\n".join(lines) + "\n"


def _arrow(text: str, body: str, label: str, finding: Finding | None) -> str:
    indent = len(text) - len(text.lstrip())
    start, length = 0, len(body)
    if finding is not None and finding.column is not None:
        start = max(0, finding.column - 1 - indent)
        end = len(body) if finding.end_column is None else finding.end_column - 1 - indent
        length = max(1, min(end, len(body)) - start)
    elif not label:
        return ""
    mark = "^" if finding is not None else "-"
    return f"{' ' * start}{mark * length} {label}".rstrip()


def _wrapped(text: str) -> str:
    words, lines = text.split(" "), [""]
    for word in words:
        if lines[-1] and len(lines[-1]) + len(word) + 9 > _WIDTH:
            lines.append("")
        lines[-1] += (" " if lines[-1] else "") + word
    return ("\n" + " " * 8).join(lines)


def to_stderr(findings: list[Finding], colour: bool | None = None) -> None:
    """Print findings to standard error at once, after what the script has printed."""
    sys.stdout.flush()
    stream = sys.stderr
    stream.write("\n" + render(findings, use_colour(stream, colour)) + "\n")
    stream.flush()
