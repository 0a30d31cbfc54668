"""Draws gradient norms, a row for each layer, on a logarithmic scale."""

import math
from html import escape

from solutions._tape_picture import Picture

_STYLE = """
.norm-picture{font:13px system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
.norm-picture{max-width:100%;height:auto}
.norm-picture .card{fill:#f6f5f1;stroke:#b9b6ab}
.norm-picture text{fill:#23221e}
.norm-picture .code{font:600 13px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
.norm-picture .grid{stroke:#b9b6ab}
.norm-picture path{stroke-width:2}
.norm-picture .s0{fill:#b03a00;stroke:#b03a00}
.norm-picture .s1{fill:#1d5f9e;stroke:#1d5f9e}
.norm-picture .s2{fill:#6b675c;stroke:#6b675c}
@media (prefers-color-scheme:dark){
.norm-picture .card{fill:#24262b;stroke:#565a63}
.norm-picture text{fill:#ecebe6}
.norm-picture .grid{stroke:#565a63}
.norm-picture .s0{fill:#ffad7a;stroke:#ffad7a}
.norm-picture .s1{fill:#86bdf3;stroke:#86bdf3}
.norm-picture .s2{fill:#a9a79f;stroke:#a9a79f}
}"""
_LEFT, _RIGHT, _TOP, _ROW, _WIDE = 110, 24, 64, 28, 600


def draw_norms(series: dict[str, dict[str, float]], caption: str) -> Picture:
    """Draw norms as points, one row a layer: a small one lies far to the left.

    Args:
        series: for each of one to three names (of networks, say) a norm a layer. All have the
            same layers.
        caption: what the norms are of, a sentence.

    Returns:
        A picture for a notebook; its `text` says the same in words.

    Raises:
        ValueError: there is nothing to draw, too much, or not a positive number.
    """
    layers = _checked(series)
    logs = [math.log10(norm) for norms in series.values() for norm in norms.values()]
    low, high = math.floor(min(logs)), max(math.ceil(max(logs)), math.floor(min(logs)) + 1)
    height = _TOP + _ROW * len(layers) + 34
    bottom = height - 30

    def across(log):
        return round(_LEFT + (log - low) / (high - low) * (_WIDE - _LEFT - _RIGHT))

    drawn = []
    step = -(-(high - low) // 8)  # at most nine lines
    for power in range(low, high + 1, step):
        x = across(power)
        drawn.append(f'<line class="grid" x1="{x}" y1="{_TOP - 12}" x2="{x}" y2="{bottom}"/>')
        drawn.append(f'<text x="{x}" y="{bottom + 18}" text-anchor="middle">{_power(power)}</text>')
    for row, layer in enumerate(layers):
        y = _TOP + _ROW * row + _ROW // 2
        drawn.append(
            f'<text class="code" x="{_LEFT - 14}" y="{y + 4}" text-anchor="end">'
            f"{escape(layer)}</text>"
        )
    for n, (name, norms) in enumerate(series.items()):
        points = [
            (across(math.log10(norms[layer])), _TOP + _ROW * row + _ROW // 2)
            for row, layer in enumerate(layers)
        ]
        line = "L".join(f"{x} {y}" for x, y in points)
        drawn.append(f'<path class="s{n}" style="fill:none" d="M{line}"/>')
        drawn += [_mark(n, x, y) for x, y in points]
        start = _LEFT + n * 160
        drawn.append(_mark(n, start, 36))
        drawn.append(f'<text x="{start + 14}" y="40">{escape(name)}</text>')
    text = _text(series, layers, caption)
    svg = "\n".join([
        '<svg xmlns="http://www.w3.org/2000/svg" class="norm-picture" role="img" '
        f'width="{_WIDE}" height="{height}" viewBox="0 0 {_WIDE} {height}">',
        f"<title>{escape(caption)}</title>", f"<desc>{escape(text)}</desc>",
        f"<style>{_STYLE}</style>",
        f'<rect class="card" x=".5" y=".5" width="{_WIDE - 1}" height="{height - 1}" rx="8"/>',
        f'<text x="16" y="20">{escape(caption)}</text>', *drawn, "</svg>",
    ])  # fmt: skip
    return Picture(svg, text, True, None)


def _checked(series):
    """The layers' names, if all is as it should be."""
    if not 1 <= len(series) <= 3:
        raise ValueError(
            f"draw_norms got {len(series)} series, and has marks for one to three. Pass a dict "
            f"such as {{'sigmoid': {{'hidden_1': 0.2}}}}. Lesson: gradients_while_training."
        )
    layers = list(next(iter(series.values())))
    for name, norms in series.items():
        if list(norms) != layers or not layers:
            raise ValueError(
                f"draw_norms: {name!r} has the layers {list(norms)} and the first series has "
                f"{layers}. Pass the same layers, in the same order, in every series. "
                f"Lesson: gradients_while_training."
            )
        for layer, norm in norms.items():
            if not 0 < norm < math.inf:
                raise ValueError(
                    f"draw_norms: the norm of {layer!r} in {name!r} is {norm}, which has no place "
                    f"on a logarithmic scale. Leave it out, and say in words that it is {norm}. "
                    f"Lesson: gradients_while_training."
                )
    return layers


def _power(power):
    return "10" + "".join("⁰¹²³⁴⁵⁶⁷⁸⁹"[int(d)] if d != "-" else "⁻" for d in str(power))


def _mark(n, x, y):
    """A mark of its own for each series: colour alone is not enough."""
    return (
        f'<circle class="s{n}" cx="{x}" cy="{y}" r="6"/>',
        f'<rect class="s{n}" x="{x - 5}" y="{y - 5}" width="10" height="10"/>',
        f'<polygon class="s{n}" points="{x},{y - 7} {x + 7},{y + 5} {x - 7},{y + 5}"/>',
    )[n]


def _text(series, layers, caption):
    rows = [
        f"{name}: " + ", ".join(f"{layer} {norms[layer]:.0e}" for layer in layers) + "."
        for name, norms in series.items()
    ]
    return "\n".join([caption, *rows])
