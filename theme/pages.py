"""A page's Markdown from an executed notebook. Knows nothing of the site generator.

Cells become Markdown and fenced code; the stored outputs become fenced text, inline SVG, HTML or
picture files. Nothing is executed.
"""

import base64
import re
import struct
from collections.abc import Mapping, Sequence
from functools import lru_cache
from html import unescape
from pathlib import Path
from typing import NamedTuple

import nbformat
from jinja2 import DictLoader
from nbconvert import MarkdownExporter
from traitlets.config import Config

# nbconvert's own Markdown template indents text outputs and names pictures without words; a page
# wants them fenced, and described. A stored HTML output keeps its lines together: a blank line
# would end it.
TEMPLATE = """
{%- extends 'markdown/index.md.j2' -%}
{%- block stream %}
{{ output.text | last_frames | fenced('text', '.warning' if output.name == 'stderr' else '') }}
{% endblock stream -%}
{%- block error %}
{{ output.traceback | join('\\n') | strip_ansi | fenced('pytb', '.error') }}
{% endblock error -%}
{%- block data_text %}
{{ output.data['text/plain'] | fenced('text') }}
{% endblock data_text -%}
{%- block data_svg %}
{{ output.data['image/svg+xml'] | drawing }}
{% endblock data_svg -%}
{%- block data_png %}
{{ output | figure(cell) }}
{% endblock data_png -%}
{%- block data_html %}
<div class="output-html" markdown="0">{{ output.data['text/html'] | one_block }}</div>
{% endblock data_html -%}
"""

# A picture's own style sheet serves all pictures of its kind: it is kept once, for every page.
STYLE = re.compile(r"<style>(.*?)</style>\n?", re.DOTALL)


# Characters of drawings in a page, and of one that tells no story; others are loaded when they
# come into view.
INLINE, STILL = 7_500, 2_500


class Page(NamedTuple):
    """What a notebook becomes."""

    markdown: str
    figures: dict[str, bytes]  # picture files that belong beside the page
    styles: list[str]  # style sheets of its inline pictures, without their tags


def page_from(
    notebook: Path, head: str = "", hints: Mapping[str, Sequence[str]] | None = None
) -> Page:
    """The page of a stored notebook.

    Args:
        notebook: the executed `.ipynb`.
        head: Markdown that stands below the title.
        hints: for a function's name, Markdown that stands below the cell that checks it.
    """
    cells = nbformat.read(notebook, as_version=4)
    if head:
        title, rest = (cells.cells[0].source + "\n").split("\n", 1)
        cells.cells[0].source = f"{title}\n\n{head}\n{rest}"
    heading = ""
    for cell in cells.cells:  # a figure without words of its own is named by its section
        headings = re.findall(r"^#+ (.+)$", cell.source, re.MULTILINE)
        heading = headings[-1] if headings and cell.cell_type == "markdown" else heading
        cell.metadata.heading = heading
    for index in reversed(range(len(cells.cells))):
        checked = re.match(r"check\((\w+)\)$", cells.cells[index].source.strip())
        for hint in reversed((hints or {}).get(checked[1], ()) if checked else ()):
            cells.cells.insert(index + 1, nbformat.v4.new_markdown_cell(hint))
    drawn: dict[str, bytes] = {}
    inline: list[int] = []
    styles: list[str] = []

    def drawing(svg: str) -> str:
        """A drawing in the page itself, where it follows light and dark; a large one beside it,
        which the page's script brings in.
        """
        styles.extend(STYLE.findall(svg))
        bare = full_size(one_block(STYLE.sub("", svg)))
        still = "<metadata>" not in svg  # nothing to step through
        inline.append(len(bare))
        if sum(inline) > INLINE or (still and len(bare) > STILL):
            inline.pop()
            name = f"{notebook.stem}_drawing_{len(drawn) + 1}.svg"
            large = full_size(svg)
            drawn[name] = large.encode()
            return image(described(svg), name, *svg_size(large), ".drawing")
        return f'<div class="output-figure" markdown="0">{bare}</div>'

    exporter = markdown_exporter()
    exporter.environment.filters["drawing"] = drawing
    resources = {"unique_key": notebook.stem, "output_files_dir": ""}
    markdown, made = exporter.from_notebook_node(cells, resources=resources)
    return Page(markdown, {**made.get("outputs", {}), **drawn}, styles)


@lru_cache
def markdown_exporter() -> MarkdownExporter:
    """nbconvert's exporter with our template; making one takes longer than using it."""
    settings = Config()
    settings.NbConvertBase.display_data_priority = [
        "image/svg+xml",
        "image/png",
        "text/html",
        "text/plain",
    ]
    settings.ExtractOutputPreprocessor.extract_output_types = {"image/png"}
    return MarkdownExporter(
        config=settings,
        extra_loaders=[DictLoader({"page.md.j2": TEMPLATE})],
        template_file="page.md.j2",
        filters={
            "one_block": one_block,
            "drawing": one_block,  # each page's own: see page_from
            "last_frames": last_frames,
            "fenced": fenced,
            "figure": figure,
        },
    )


def one_block(markup: str) -> str:
    """Markup without blank lines and indentation, so that Markdown takes it as one HTML block."""
    return "\n".join(line.strip() for line in str(markup).splitlines() if line.strip())


def last_frames(text: str) -> str:
    """What a terminal would show in the end: a progress bar's last frame only."""
    lines = []
    for line in text.replace("\r\n", "\n").split("\n"):
        frames = re.split(r"[\r\x08]+", line)  # a bar goes back to the line's start, or erases it
        lines.append(next((frame for frame in reversed(frames) if frame.strip()), ""))
    return "\n".join(lines)


def fenced(text: str, language: str, css_class: str = "") -> str:
    """A fenced block that ends only where it should, whatever the text holds."""
    text = text.strip("\n").rstrip()
    longest = max((len(ticks) for ticks in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    classes = " ".join(filter(None, (".output", css_class, ".no-copy")))
    return f"{fence}{language} {{{classes}}}\n{text}\n{fence}"


def figure(output: nbformat.NotebookNode, cell: nbformat.NotebookNode) -> str:
    """A stored picture as a Markdown image, of its own size, with words for who cannot see it.

    The words are the output's (`IPython.display.Image(…, alt=…)`), or the cell's
    (```` ```python alt="…" ````), or what the output says as plain text, or the heading above.
    """
    said = output.data.get("text/plain", "")
    alt = (
        output.metadata.get("image/png", {}).get("alt")
        or output.metadata.get("alt")
        or cell.metadata.get("alt")
        or ("" if said.startswith("<") else said)
        or cell.metadata.heading
    )
    width, height = png_size(base64.b64decode(output.data["image/png"]))
    name = output.metadata.filenames["image/png"]
    return image(alt, name, width, height)


def image(alt: str, name: str, width: int, height: int, kind: str = "") -> str:
    """A Markdown image that takes its room before it is loaded."""
    words = " ".join(alt.split()).replace("[", "\\[").replace("]", "\\]")
    marks = " ".join(filter(None, (".figure", kind, "loading=lazy")))
    return f"![{words}]({name}){{{marks} width={width} height={height}}}"


def described(svg: str) -> str:
    """The words of a drawing: its title and its description."""
    said = re.findall(r"<(title|desc)>(.*?)</\1>", svg, re.DOTALL)
    return unescape(". ".join(text.strip(". ") for _, text in said))


def full_size(svg: str) -> str:
    """The drawing in its own units: a page makes it smaller where it must, and a phone scrolls."""
    box = re.search(r' viewBox="0 0 ([\d.]+) ([\d.]+)"', svg)
    sized = r' width="[\d.]+" height="[\d.]+"'
    return re.sub(sized, f' width="{box[1]}" height="{box[2]}"', svg, count=1) if box else svg


def svg_size(svg: str) -> tuple[int, int]:
    """Width and height of a drawing in pixels, from its first tag."""
    tag = svg[: svg.index(">")]
    width, height = (re.search(rf' {name}="([\d.]+)', tag)[1] for name in ("width", "height"))
    return round(float(width)), round(float(height))


def png_size(data: bytes) -> tuple[int, int]:
    """Width and height of a PNG in pixels, from its header."""
    return struct.unpack(">II", data[16:24])
