"""The built site: strict, from stored outputs only, and readable in a browser."""

import functools
import http.server
import json
import re
import subprocess
import sys
import threading
import time
from html import unescape
from pathlib import Path

import nbformat
import pytest

from classroom.environment import ROOT
from classroom.lessons import existing_slugs, lesson_folder, title
from tests.browsing import browser, screenshot
from theme.pages import formulas_to_mathml, one_block, page_markdown

SLUGS = existing_slugs()


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Path:
    """The site as `make site` builds it, elsewhere; with a Python that can start no kernel."""
    folder = tmp_path_factory.mktemp("site")
    begun = time.monotonic()
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert time.monotonic() - begun < 60
    return folder


def page(site, slug, name="lesson"):
    return (site / lesson_folder(slug).name / f"{name}.html").read_text()


@pytest.mark.parametrize("slug", SLUGS)
def test_a_lesson_page_shows_its_title_code_and_stored_outputs(site, slug):
    html = page(site, slug)
    text = unescape(re.sub(r"<[^>]+>", "", html))
    assert title(lesson_folder(slug) / "lesson.md").replace("`", "") in text
    stored = nbformat.read(lesson_folder(slug) / "lesson.ipynb", as_version=4)
    for cell in stored.cells:
        for output in cell.get("outputs", []):
            if "text" in output:
                assert output.text.strip() in text, cell.id
    pictures = sum("image/svg+xml" in str(c.get("outputs")) for c in stored.cells)
    assert html.count('class="output-figure"') == pictures


@pytest.mark.parametrize("slug", SLUGS)
def test_formulas_are_markup_and_no_front_matter_shows(site, slug):
    html = page(site, slug)
    assert "arithmatex" not in html and "notebook_metadata_filter" not in html
    if re.search(r"(?<!\\)\$\w", (lesson_folder(slug) / "lesson.md").read_text()):
        assert "<math" in html


def test_nothing_comes_from_another_host(site):
    for file in site.rglob("*.html"):
        for address in re.findall(
            r'<(?:script|link|img)[^>]+(?:src|href)="([^"]+)"', file.read_text()
        ):
            assert not re.match(r"(https?:)?//", address) or "canonical" in address, address


def test_no_specification_or_notebook_is_published(site):
    assert not list(site.rglob("*.py")) and not list(site.rglob("*.ipynb"))


def test_every_lesson_is_in_the_navigation_and_can_be_searched_for(site):
    index = (site / "index.html").read_text()
    search = json.loads((site / "search/search_index.json").read_text())
    found = {entry["location"].split("#")[0] for entry in search["docs"]}
    for slug in SLUGS:
        for name in ("lesson", "exercise"):
            address = f"{lesson_folder(slug).name}/{name}.html"
            assert f'href="{address}"' in index and address in found


@pytest.mark.browser
def test_pages_read_well_on_a_laptop_and_a_phone_and_the_search_works(site):
    handler = functools.partial(Quiet, directory=site)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}"
        with browser() as chromium:
            for scheme, width in (("light", 1280), ("dark", 1280), ("light", 390)):
                look_at_every_page(chromium, address, scheme, width)
            search_for(chromium, address, "trainable=False")
        server.shutdown()


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *args):
        pass


def look_at_every_page(chromium, address, scheme, width):
    context = chromium.new_context(color_scheme=scheme, viewport={"width": width, "height": 900})
    opened, problems = context.new_page(), []
    opened.on("console", lambda m: problems.append(m.text) if m.type == "error" else None)
    opened.on("pageerror", lambda error: problems.append(str(error)))
    opened.on("request", lambda r: None if r.url.startswith(address) else problems.append(r.url))
    pages = ["index.html", *(f"{lesson_folder(slug).name}/lesson.html" for slug in SLUGS)]
    for place in pages:
        opened.goto(f"{address}/{place}")
        wide = opened.evaluate("document.documentElement.scrollWidth")
        assert wide <= width, f"{place} is {wide} px wide on a screen of {width}"
        screenshot(opened, f"site-{place.split('/')[0].removesuffix('.html')}-{scheme}-{width}")
    assert not problems, problems
    context.close()


def search_for(chromium, address, words):
    opened = chromium.new_page()
    opened.goto(f"{address}/index.html")
    opened.locator("[data-md-component=search-query]").first.click()
    opened.keyboard.type(words)
    result = opened.locator(".md-search-result__link").first
    result.wait_for(timeout=30_000)
    assert "unwatched_tensor" in result.get_attribute("href")


# --- the converter ------------------------------------------------------------------------


def test_the_converter_fences_text_and_inlines_pictures(tmp_path):
    new = nbformat.v4
    code = new.new_code_cell("draw()", execution_count=1)
    picture = {"image/svg+xml": "<svg>\n\n  <g/>\n</svg>", "text/plain": "words"}
    code.outputs = [
        new.new_output("stream", text="printed\n"),
        new.new_output("execute_result", data=picture, execution_count=1),
        new.new_output("display_data", data={"text/plain": "'plain'"}),
        new.new_output("display_data", data={"text/html": "<b>\n\nbold</b>", "text/plain": "b"}),
    ]
    file = tmp_path / "a.ipynb"
    notebook = new.new_notebook(cells=[new.new_markdown_cell("# T"), code])
    notebook.metadata["language_info"] = {"name": "python"}
    nbformat.write(notebook, file)
    text = page_markdown(file)
    assert text.startswith("# T\n") and "```python\ndraw()\n```" in text
    assert "```text {.output}\nprinted\n```" in text and "```text {.output}\n'plain'\n```" in text
    assert "<svg>\n<g/>\n</svg>" in text and "words" not in text
    assert "<b>\nbold</b>" in text


def test_formulas_become_mathml():
    html = formulas_to_mathml('a <span class="arithmatex">\\(x &lt; 1\\)</span> b')
    assert (
        html.startswith("a <math") and "<mo>&#x0003C;</mo>" in html and 'display="inline"' in html
    )
    block = formulas_to_mathml('<div class="arithmatex">\\[x^2\\]</div>')
    assert 'display="block"' in block and "<msup>" in block
    assert formulas_to_mathml("<p>no formula</p>") == "<p>no formula</p>"
    assert one_block(" a\n\n\n  b ") == "a\nb"
