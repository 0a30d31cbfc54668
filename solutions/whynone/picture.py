"""Findings as HTML: each with a picture of the way from source to target, the broken link marked.

The picture is an SVG with a text equivalent; nothing is loaded from elsewhere.
"""

from __future__ import annotations

from html import escape

from whynone import places
from whynone.findings import Finding
from whynone.recording import Place

# Text keeps the page's colour, so that it reads on light and on dark; the two colours of lines have
# a contrast of 3 and more on both, and only repeat what the words and the cross say.
_BROKEN, _WHOLE = "#d9534f", "#3f9142"
_STYLE = f"border-left:4px solid {_BROKEN};padding:.5em 1em;margin:.5em 0"
_BOX, _GAP, _TALL = 130, 34, 34


def html_report(findings: list[Finding]) -> str:
    """One block per finding, as an HTML fragment."""
    return "\n".join(_block(finding) for finding in findings)


def _block(finding: Finding) -> str:
    head = f"{finding.result}: "
    if finding.target:
        head += (
            f"gradient of <code>{escape(finding.target)}</code> with respect to "
            f"<code>{escape(finding.source)}</code>"
        )
    rows = [_line(finding.file, finding.line, finding.label, True)]
    rows += [_line(n["file"], n["line"], n["text"], False) for n in finding.notes]
    if (finding.gradient_file, finding.gradient_line) != (finding.file, finding.line):
        rows.append(_line(finding.gradient_file, finding.gradient_line, "asked here", False))
    parts = [
        f'<div style="{_STYLE}">',
        f"<b>{head}</b>",
        picture(finding.way),
        "<table>" + "".join(rows) + "</table>",
        f"<p><b>Why</b> {_code(finding.message)}</p>",
        f"<p><b>Do</b> {_code(finding.fix)}</p>",
    ]
    if finding.lesson:
        parts.append(f"<p><b>Read</b> lessons/{escape(finding.lesson)}</p>")
    return "".join(parts) + "</div>"


def _code(text: str) -> str:
    """Escape a text for HTML; what stands between backticks becomes code."""
    pieces = escape(text).split("`")
    if len(pieces) % 2 == 0:
        return escape(text)
    return "".join(f"<code>{p}</code>" if i % 2 else p for i, p in enumerate(pieces))


def _line(file: str, line: int | None, label: str, culprit: bool) -> str:
    if not line:
        return ""
    text = places.source_line(Place(file, line)).strip()
    name = "this cell" if "ipykernel" in file or file.startswith("<ipython") else places.shown(file)
    mark = "font-weight:bold" if culprit else ""
    return (
        f"<tr><td>{escape(name)}:{line}</td>"
        f'<td style="text-align:left"><code>{escape(text)}</code></td>'
        f'<td style="text-align:left;{mark}">{escape(label)}</td></tr>'
    )


def picture(way: list[dict]) -> str:
    """The way from source (left) to target (right); empty if there is none.

    Each part is `{"text", "line", "broken"}`; a broken part's arrow is dashed and crossed.
    """
    if len(way) < 2:
        return ""
    width = len(way) * _BOX + (len(way) - 1) * _GAP + 4
    said = ", then ".join(part["text"] + (" (broken)" if part["broken"] else "") for part in way)
    shapes = []
    for i, part in enumerate(way):
        x = 2 + i * (_BOX + _GAP)
        colour = _BROKEN if part["broken"] else _WHOLE
        if i:
            dash = ' stroke-dasharray="4 3"' if part["broken"] else ""
            shapes.append(
                f'<line x1="{x - _GAP}" y1="{_TALL / 2 + 2}" x2="{x}" '
                f'y2="{_TALL / 2 + 2}" stroke="{colour}" stroke-width="2"{dash}/>'
            )
            if part["broken"]:
                shapes.append(
                    f'<text x="{x - _GAP / 2}" y="{_TALL / 2 + 8}" fill="{colour}" '
                    'text-anchor="middle" font-weight="bold">✕</text>'
                )
        shapes.append(
            f'<rect x="{x}" y="2" width="{_BOX}" height="{_TALL}" rx="5" fill="none" '
            f'stroke="{colour}"/>'
        )
        shapes.append(
            f'<text x="{x + _BOX / 2}" y="{_TALL / 2 + 6}" text-anchor="middle" '
            f'font-size="12" fill="currentColor">{escape(part["text"][:20])}</text>'
        )
    return (
        f'<svg role="img" width="{width}" height="{_TALL + 4}" style="max-width:100%" '
        f'viewBox="0 0 {width} {_TALL + 4}"><title>From source to target: {escape(said)}'
        f"</title>{''.join(shapes)}</svg>"
    )
