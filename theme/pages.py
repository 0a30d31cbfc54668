"""A page's Markdown from an executed notebook. Knows nothing of the site generator.

Cells become Markdown and fenced code; the stored outputs become fenced text, inline SVG or HTML.
Nothing is executed.
"""

import re
from pathlib import Path

import nbformat
from jinja2 import DictLoader
from latex2mathml.converter import convert
from nbconvert import MarkdownExporter
from traitlets.config import Config

# nbconvert's own Markdown template indents text outputs and writes pictures to files; a page wants
# them fenced and inline. A stored HTML output keeps its lines together: a blank line would end it.
TEMPLATE = """
{%- extends 'markdown/index.md.j2' -%}
{%- block stream %}
```text {.output}
{{ output.text | trim }}
```
{% endblock stream -%}
{%- block data_text %}
```text {.output}
{{ output.data['text/plain'] | trim }}
```
{% endblock data_text -%}
{%- block data_svg %}
<div class="output-figure" markdown="0">{{ output.data['image/svg+xml'] | one_block }}</div>
{% endblock data_svg -%}
{%- block data_html %}
<div class="output-html" markdown="0">{{ output.data['text/html'] | one_block }}</div>
{% endblock data_html -%}
"""


def page_markdown(notebook: Path) -> str:
    """The Markdown of a page, from a stored notebook."""
    cells = nbformat.read(notebook, as_version=4)
    settings = Config()
    settings.NbConvertBase.display_data_priority = ["image/svg+xml", "text/html", "text/plain"]
    exporter = MarkdownExporter(
        config=settings,
        extra_loaders=[DictLoader({"page.md.j2": TEMPLATE})],
        template_file="page.md.j2",
        filters={"one_block": one_block},
    )
    return exporter.from_notebook_node(cells)[0]


def one_block(markup: str) -> str:
    """Markup without blank lines and indentation, so that Markdown takes it as one HTML block."""
    return "\n".join(line.strip() for line in str(markup).splitlines() if line.strip())


def formulas_to_mathml(html: str) -> str:
    """Replace the formulas that arithmatex has marked in a page by MathML."""

    def mathml(match: re.Match) -> str:
        inline, formula = match[1] == "span", unescape(match[2])
        formula = formula.strip()[2:-2]  # \\( … \\) or \\[ … \\]
        return convert(formula, display="inline" if inline else "block")

    pattern = r'<(span|div) class="arithmatex">(.*?)</\1>'
    return re.sub(pattern, mathml, html, flags=re.DOTALL)


def unescape(text: str) -> str:
    return text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
