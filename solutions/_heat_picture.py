"""The picture of heat maps beside the image they explain, as SVG with a text equivalent."""

import base64
from html import escape

import numpy as np
import tensorflow as tf

from solutions._tape_picture import STYLE, Picture

# Nine steps of viridis (N. Smith and S. van der Walt, CC0), dark to light: they stay in order for
# colour-blind readers and in print. Few steps, so that a last digit does not change a picture.
COLOURS = (
    "440154", "472d7b", "3b528b", "2c728e", "21918c", "28ae80", "5ec962", "addc30", "fde725",
)  # fmt: skip
_INK = 0.35  # how much of an overlay is the image
_PANEL, _GAP, _PAD = 168, 16, 16


def heat_levels(heat: np.ndarray, side: int) -> np.ndarray:
    """Enlarge a map to side × side pixels and return integers, 0 for no heat to 8 for the most.

    A map that is zero everywhere is 0 everywhere: nothing is made visible by division.
    """
    heat = np.asarray(heat, np.float32)
    large = tf.image.resize(heat[..., None], (side, side)).numpy()[..., 0]
    most = float(large.max())
    return np.zeros(large.shape, int) if most <= 0 else (large / most * 8 + 0.5).astype(int)


def draw_heat(
    image: np.ndarray, maps: dict[str, np.ndarray], box: np.ndarray | None = None
) -> Picture:
    """Draw an image, and each map in colour over the image.

    Args:
        image: of shape (side, side, 1), from 0 to 1.
        maps: each map's caption and the map, of shape (h, w), nothing negative.
        box: top, left, bottom and right in pixels, drawn on each panel.

    Returns:
        A picture for a notebook; its `text` says in words where each map is warmest.
    """
    side = image.shape[0]
    grey = np.repeat(np.asarray(image, np.float32), 3, axis=-1)
    palette = np.array([[int(c[n : n + 2], 16) for n in (0, 2, 4)] for c in COLOURS]) / 255
    panels, lines = [_panel("the picture", grey, 0, box)], []
    for number, (caption, heat) in enumerate(maps.items(), start=1):
        levels = heat_levels(heat, side)
        colours = palette[levels] * (1 - _INK) + grey * _INK
        panels.append(_panel(caption, colours, number, box))
        lines.append(f"{caption}: {_where(levels)}.")
    if box is not None:
        top, left, bottom, right = box
        lines.append(f"The box: rows {top} to {bottom - 1}, columns {left} to {right - 1}.")
    width = (_PANEL + _GAP) * len(panels) - _GAP + 2 * _PAD
    height = _PAD + _PANEL + 62
    legend = [
        f'<rect x="{_PAD + 66 + 14 * n}" y="{height - 30}" width="14" height="12" fill="#{c}"/>'
        for n, c in enumerate(COLOURS)
    ]
    words = [
        f'<text class="say" x="{x}" y="{height - 20}">{word}</text>'
        for x, word in ((_PAD, "no heat"), (_PAD + 200, "most"))
    ]
    text = "\n".join(lines)
    scale = min(1.0, 760 / width)
    svg = "\n".join([
        '<svg xmlns="http://www.w3.org/2000/svg" class="tape-picture" role="img" '
        f'width="{width * scale:g}" height="{height * scale:g}" viewBox="0 0 {width} {height}">',
        f"<title>{escape('Heat maps: ' + ', '.join(maps))}</title>", f"<desc>{escape(text)}</desc>",
        f"<style>{STYLE}</style>",
        f'<rect class="card" x=".5" y=".5" width="{width - 1}" height="{height - 1}" rx="8"/>',
        *panels, *legend, *words, "</svg>",
    ])  # fmt: skip
    return Picture(svg, text, intact=True, cause=None)


def _panel(caption, colours, number, box):
    x, y = _PAD + number * (_PANEL + _GAP), _PAD
    # Uncompressed, so that the bytes do not depend on a compressor's release.
    png = tf.io.encode_png(np.round(colours * 255).astype(np.uint8), compression=0).numpy()
    parts = [
        f'<image x="{x}" y="{y}" width="{_PANEL}" height="{_PANEL}" '
        'style="image-rendering:pixelated" '
        f'href="data:image/png;base64,{base64.b64encode(png).decode()}"/>'
    ]
    if box is not None:
        pixel = _PANEL / colours.shape[0]
        top, left, bottom, right = (float(edge) * pixel for edge in box)
        place = f'x="{x + left:g}" y="{y + top:g}" width="{right - left:g}"'
        place += f' height="{bottom - top:g}" fill="none"'
        parts.append(f'<rect {place} stroke="#000" stroke-width="3.5"/>')
        parts.append(f'<rect {place} stroke="#fff" stroke-width="1.5"/>')
    parts.append(f'<text class="say" x="{x}" y="{y + _PANEL + 18}">{escape(caption)}</text>')
    return "".join(parts)


def _where(levels):
    if not levels.any():
        return "no heat at all"
    warm = np.argwhere(levels >= 5)
    (top, left), (bottom, right) = warm.min(axis=0), warm.max(axis=0)
    return f"the warm parts lie in rows {top} to {bottom}, columns {left} to {right}"
