"""What the gradients of every layer's output cost: the recorded benchmark, as table and picture."""

import json
import math
from html import escape
from pathlib import Path

from solutions._tape_picture import Picture

RECORD = Path(__file__).resolve().parent.parent / "data" / "bench_activations.json"
WAYS = ("capture", "persistent tape", "pass repeated")
_LEFT, _RIGHT, _ROW, _TOP = 196, 20, 26, 58  # of the plot, in pixels; _LEFT holds the names
_WIDE, _LARGEST = 700, 16
_STYLE = """
.costs{font:13px system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;max-width:100%;height:auto}
.costs .card{fill:#f6f5f1;stroke:#b9b6ab}
.costs text{fill:#23221e}
.costs .rule{stroke:#b9b6ab}
.costs .one{stroke:#23221e;stroke-dasharray:4 3}
.costs .capture{fill:#1d5f9e}
.costs .other{fill:#f6f5f1;stroke:#b03a00;stroke-width:2}
@media (prefers-color-scheme:dark){
.costs .card,.costs .other{fill:#24262b}
.costs text{fill:#e8e6e0}
.costs .one{stroke:#e8e6e0}
.costs .capture{fill:#86bdf3}
.costs .other{stroke:#ff9d66}
}
"""


def recorded_costs() -> dict:
    """Return `data/bench_activations.json`: machine, networks, time ratios and peak memory.

    `["ratios"]` is a list of dicts with `network`, `mode`, `way`, `ratio` (time over that of one
    loss and its weights' gradients), `floor_ms`, `way_ms` and `pairs`; `["memory"]` has
    `network`, `mode`, `floor_mb` and `capture_mb`.
    """
    return json.loads(RECORD.read_text(encoding="utf-8"))


def costs_table(costs: dict) -> str:
    """Return the ratios as text: a line for each network and mode, a column for each way."""
    lines = [f"{'':26}" + "".join(f"{way:17}" for way in WAYS).rstrip()]
    for (network, mode), ratios in _by_row(costs).items():
        cells = [f"{ratios[way]:.2f}" if way in ratios else "-" for way in WAYS]
        lines.append(f"{network + ', ' + mode:26}" + "".join(f"{c:17}" for c in cells).rstrip())
    for row in costs["ratios"]:
        if row["way"] not in WAYS:
            name = f"{row['network']}, {row['mode']}"
            lines.append(f"{name:26}{row['ratio']:<17.2f}{row['way']}")
    return "\n".join(lines)


def draw_costs(costs: dict) -> Picture:
    """Draw the ratios of the three ways on a logarithmic axis; the text is `costs_table`."""
    rows = _by_row(costs)
    marks = []
    for n, ((network, mode), ratios) in enumerate(rows.items()):
        y = _TOP + _ROW * n + 14
        marks.append(f'<text x="14" y="{y + 4}">{escape(network)}, {escape(mode)}</text>')
        for way in reversed(WAYS):  # ours on top
            if way in ratios:
                marks.append(_mark(way, _across(ratios[way]), y))
    bottom = _TOP + _ROW * len(rows)
    grid = []
    for ratio in (1, 2, 4, 8, _LARGEST):
        x, style = _across(ratio), "one" if ratio == 1 else "rule"
        grid.append(f'<line class="{style}" x1="{x}" x2="{x}" y1="{_TOP - 6}" y2="{bottom}"/>')
        grid.append(f'<text x="{x}" y="{bottom + 18}" text-anchor="middle">{ratio} ×</text>')
    x = 14
    for way, room in zip(WAYS, (110, 150, 150), strict=True):
        marks.append(_mark(way, x + 6, 24) + f'<text x="{x + 20}" y="28">{way}</text>')
        x += room
    said = "1 × is a loss and its weights' gradients, in the same mode"
    marks.append(f'<text x="14" y="{bottom + 40}">{said}</text>')
    text, tall = costs_table(costs), bottom + 54
    svg = "\n".join([
        '<svg xmlns="http://www.w3.org/2000/svg" class="costs" role="img" '
        f'width="{_WIDE}" height="{tall}" viewBox="0 0 {_WIDE} {tall}">',
        f"<title>Time of three ways to every activation's gradient; {said}</title>",
        f"<desc>{escape(text)}</desc>", f"<style>{_STYLE}</style>",
        f'<rect class="card" x=".5" y=".5" width="{_WIDE - 1}" height="{tall - 1}" rx="8"/>',
        *grid, *marks, "</svg>",
    ])  # fmt: skip
    return Picture(svg, text, True, None)


def _by_row(costs):
    """Return `{(network, mode): {way: ratio}}` for the three ways."""
    rows = {}
    for row in costs["ratios"]:
        if row["way"] in WAYS:
            rows.setdefault((row["network"], row["mode"]), {})[row["way"]] = row["ratio"]
    return rows


def _across(ratio):
    """Where a ratio stands on the axis, which ends at _LARGEST; below 0.9 it stays at its edge."""
    share = math.log(max(ratio, 0.9) / 0.9) / math.log(_LARGEST / 0.9)
    return round(_LEFT + min(share, 1) * (_WIDE - _LEFT - _RIGHT - 20), 1)


def _mark(way, x, y):
    """A disc, a square, a triangle: the ways differ in form, not only in colour."""
    if way == "capture":
        return f'<circle class="capture" cx="{x}" cy="{y}" r="6"/>'
    if way == "persistent tape":
        return f'<rect class="other" x="{x - 5}" y="{y - 5}" width="10" height="10"/>'
    return f'<path class="other" d="M{x} {y - 6}l6 11h-12z"/>'
