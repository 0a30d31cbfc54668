"""Small tables and dot plots of positive numbers, a row each, on a logarithmic axis."""

import math
from html import escape

from solutions._tape_picture import STYLE, Picture

Series = dict[str, dict[str, float]]  # name → row → number
_LETTER, _RIGHT, _TOP, _ROW, _WIDE = 8, 24, 64, 28, 600
_COLOURS = """
.tape-picture .grid{stroke:#b9b6ab}
.tape-picture .s0{fill:#b03a00;stroke:#b03a00}
.tape-picture .s1{fill:#1d5f9e;stroke:#1d5f9e}
.tape-picture .s2{fill:#6b675c;stroke:#6b675c}
@media (prefers-color-scheme:dark){
.tape-picture .grid{stroke:#565a63}
.tape-picture .s0{fill:#ffad7a;stroke:#ffad7a}
.tape-picture .s1{fill:#86bdf3;stroke:#86bdf3}
.tape-picture .s2{fill:#a9a79f;stroke:#a9a79f}
}"""


def as_table(series: Series, spec: str = ".2f") -> str:
    """Return the numbers as text, a line a row and a column a name; `-` where there is none.

    Args:
        series: for each name, numbers by row. Rows stand in the order in which they are met.
        spec: how a number is written, as in `format`.
    """
    rows = _rows(series)
    columns = [["", *rows]]
    for name, numbers in series.items():
        cells = [format(numbers[row], spec) if row in numbers else "-" for row in rows]
        columns.append([name, *cells])
    wide = [max(map(len, column)) for column in columns]
    return "\n".join(
        f"{row:{wide[0]}}  " + "  ".join(f"{c:>{w}}" for c, w in zip(cells, wide[1:], strict=True))
        for row, *cells in zip(*columns, strict=True)
    )


def draw_dots(
    series: Series, caption: str, *, base: int = 10, spec: str = ".0e", joined: bool = False
) -> Picture:
    """Draw a dot a number: equal steps to the right are equal factors.

    Args:
        series: for each of one to three names, positive numbers by row.
        caption: what the numbers are, a sentence.
        base: the axis has a line at each power of it; 10 or 2.
        spec: how numbers are written in the picture's `text`.
        joined: draw a line through the dots of a name.

    Returns:
        A picture for a notebook; its `text` is the caption and `as_table`.

    Raises:
        ValueError: there is nothing to draw, too many names, or not a positive number.
    """
    _require_drawable(series)
    rows = _rows(series)
    logs = [math.log(n, base) for numbers in series.values() for n in numbers.values()]
    low = math.floor(min(logs) + 1e-9)
    high = max(math.ceil(max(logs) - 1e-9), low + 1)
    left = 30 + _LETTER * max(map(len, rows))
    height = _TOP + _ROW * len(rows) + 34
    bottom = height - 30

    def across(log):
        return round(left + (log - low) / (high - low) * (_WIDE - left - _RIGHT))

    drawn = []
    step = -(-(high - low) // 8)  # at most nine lines
    for power in range(low, high + 1, step):
        x = across(power)
        drawn.append(f'<line class="grid" x1="{x}" y1="{_TOP - 12}" x2="{x}" y2="{bottom}"/>')
        label = _power(power) if base == 10 else f"{base**power:g}"
        drawn.append(f'<text x="{x}" y="{bottom + 18}" text-anchor="middle">{label}</text>')
    height_of = {row: _TOP + _ROW * n + _ROW // 2 for n, row in enumerate(rows)}
    for row, y in height_of.items():
        place = f'x="{left - 14}" y="{y + 4}" text-anchor="end"'
        drawn.append(f'<text class="code" {place}>{escape(row)}</text>')
    names, start = len(drawn), 16
    for n, (name, numbers) in enumerate(series.items()):
        dots = [(across(math.log(v, base)), height_of[row]) for row, v in numbers.items()]
        marks = [_mark(n, x, y) for x, y in dots]
        if joined:
            through = "L".join(f"{x} {y}" for x, y in dots)
            marks.insert(0, f'<path class="s{n}" style="fill:none;stroke-width:2" d="M{through}"/>')
        drawn[names:names] = marks  # the first name on top of the others
        drawn.append(_mark(n, start + 6, 36))
        drawn.append(f'<text x="{start + 20}" y="40">{escape(name)}</text>')
        start += 50 + _LETTER * len(name)
    text = f"{caption}\n{as_table(series, spec)}"
    svg = "\n".join([
        '<svg xmlns="http://www.w3.org/2000/svg" class="tape-picture" role="img" '
        f'width="{_WIDE}" height="{height}" viewBox="0 0 {_WIDE} {height}">',
        f"<title>{escape(caption)}</title>", f"<desc>{escape(text)}</desc>",
        f"<style>{STYLE}{_COLOURS}</style>",
        f'<rect class="card" x=".5" y=".5" width="{_WIDE - 1}" height="{height - 1}" rx="8"/>',
        f'<text x="16" y="20">{escape(caption)}</text>', *drawn, "</svg>",
    ])  # fmt: skip
    return Picture(svg, text, True, None)


def _rows(series: Series) -> list[str]:
    return list(dict.fromkeys(row for numbers in series.values() for row in numbers))


def _require_drawable(series):
    if not 1 <= len(series) <= 3:
        raise ValueError(
            f"draw_dots got {len(series)} series, and has marks for one to three. Pass a dict "
            f"such as {{'sigmoid': {{'hidden_1': 0.2}}}}. Lesson: gradients_while_training."
        )
    for name, numbers in series.items():
        if not numbers:
            raise ValueError(
                f"draw_dots: {name!r} has no numbers, so there is nothing to draw for it. Leave "
                "it out, or fill it. Lesson: gradients_while_training."
            )
        for row, number in numbers.items():
            if not 0 < number < math.inf:
                raise ValueError(
                    f"draw_dots: the number of {row!r} in {name!r} is {number}, which has no place "
                    f"on a logarithmic scale. Leave it out, and say in words that it is {number}. "
                    f"Lesson: gradients_while_training."
                )


def _power(power):
    return "10" + "".join("⁰¹²³⁴⁵⁶⁷⁸⁹"[int(d)] if d != "-" else "⁻" for d in str(power))


def _mark(n, x, y):
    """A mark of its own for each series: colour alone is not enough."""
    return (
        f'<circle class="s{n}" cx="{x}" cy="{y}" r="6"/>',
        f'<rect class="s{n}" x="{x - 5}" y="{y - 5}" width="10" height="10"/>',
        f'<polygon class="s{n}" points="{x},{y - 7} {x + 7},{y + 5} {x - 7},{y + 5}"/>',
    )[n]
