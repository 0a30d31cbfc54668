"""The built site: strict, from stored outputs only, and readable in a browser. `make site-check`
looks at every page; here is what takes seconds.
"""

import json
import os
import re
import time
from html import unescape
from pathlib import Path
from urllib.parse import unquote

import nbformat
import pytest

from classroom.lessons import existing_slugs, front_matter, lesson_folder, title
from classroom.symptoms import pruned, symptoms_tree
from tests.browsing import browser
from tests.serving import build, serving
from theme.content import export
from theme.lessons import hints, lesson_head, module_name
from theme.markup import (
    dialogs_named,
    following_the_site,
    formulas_to_mathml,
    lighter,
    rows_addressed,
)
from theme.pages import fenced, last_frames, one_block, page_from
from theme.words import words

SLUGS = existing_slugs()


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Path:
    """The site as `make site` builds it, elsewhere; with a Python that can start no kernel."""
    folder = tmp_path_factory.mktemp("site")
    begun = time.monotonic()
    done = build(folder, "--strict")
    assert done.returncode == 0, done.stderr
    assert time.monotonic() - begun < 60  # alone on the machine it takes less than 15 s
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
    beside = len(re.findall(r"<img [^>]*lesson_drawing_\d+\.svg", html))
    assert html.count('class="output-figure"') + beside == pictures


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


def test_what_a_reader_may_take_away_is_there_and_no_answer(site):
    for slug in SLUGS:
        folder = lesson_folder(slug)
        html = page(site, slug)
        for name in ("lesson.ipynb", "exercise.ipynb"):
            assert (site / folder.name / name).read_bytes() == (folder / name).read_bytes()
            assert f'href="{name}"' in html
        source = (site / folder.name / "lesson.md.txt").read_text()
        assert source == (folder / "lesson.md").read_text()
    assert not list(site.rglob("spec.py")) and not list(site.rglob("*.yml"))


@pytest.mark.parametrize("slug", SLUGS)
def test_a_lesson_says_how_long_what_first_and_on_which_versions(site, slug):
    matter, html = front_matter(lesson_folder(slug) / "lesson.md"), page(site, slug)
    facts = html[html.index('class="facts"') : html.index("</div>", html.index('class="facts"'))]
    assert f"{matter['minutes']['reading']} minutes" in facts
    for need in matter["needs"]:
        assert f'href="../{lesson_folder(need).name}/lesson.html"' in facts or need not in SLUGS
    assert all(version in facts for version in matter["versions"].values())
    assert html.index("</h1>") < html.index('class="facts"') < html.index("<h2")


@pytest.mark.parametrize("slug", SLUGS)
def test_an_exercise_shows_each_tasks_hints_closed(site, slug):
    html = page(site, slug, "exercise")
    found = hints(slug, words("en"))
    tasks = re.findall(r"^# TASK: (\w+)", (lesson_folder(slug) / "exercise.md").read_text(), re.M)
    assert set(found) >= set(tasks)
    assert html.count('<details class="hint">') == 3 * len(tasks)
    assert not re.search(r"<details[^>]* open", html)


@pytest.mark.parametrize("slug", SLUGS)
def test_a_reference_module_has_a_page_of_its_public_functions(site, slug):
    html = (site / f"reference/{slug}.html").read_text()
    names = re.findall(r'id="[\w.]+\.(\w+)" class="doc doc-heading"', html)
    assert names and not [name for name in names if re.match("_(?!_)", name)]
    assert list((site / "reference").glob(f"{slug}.*"))


def test_the_repositorys_links_appear_when_its_address_is_known(tmp_path, site):
    assert "colab" not in page(site, SLUGS[0]) and 'rel="edit"' not in page(site, SLUGS[0])
    say = words("en")
    head = lesson_head(SLUGS[0], say, "https://github.com/someone/course.git")
    place = f"blob/main/lessons/{lesson_folder(SLUGS[0]).name}/lesson.ipynb"
    assert f"https://colab.research.google.com/github/someone/course/{place}" in head
    assert "git clone" in head and "/content/course/solutions" in head


def test_every_lesson_is_in_the_navigation_and_can_be_searched_for(site):
    index = (site / "index.html").read_text()
    search = json.loads((site / "search/search_index.json").read_text())
    found = {entry["location"].split("#")[0] for entry in search["docs"]}
    for slug in SLUGS:
        folder = lesson_folder(slug).name
        assert f'href="{folder}/lesson.html"' in index and 'href="exercise.html"' in page(
            site, slug
        )
        assert {f"{folder}/lesson.html", f"{folder}/exercise.html"} <= found


def test_a_page_opens_searches_and_asks_nobody_else(site):
    """One lesson; `make site-check` does every page."""
    problems = []
    with serving(site) as address, browser() as chromium:
        opened = chromium.new_page(viewport={"width": 390, "height": 844})
        opened.on("console", lambda m: problems.append(m.text) if m.type == "error" else None)
        opened.on("pageerror", lambda error: problems.append(str(error)))
        opened.on(
            "request", lambda r: None if r.url.startswith(address) else problems.append(r.url)
        )
        asked = []
        opened.on("request", lambda r: asked.append(r.url.rsplit("/", 1)[1]))
        opened.goto(f"{address}/{lesson_folder('unwatched_tensor').name}/lesson.html")
        assert opened.evaluate("document.documentElement.scrollWidth") <= 390
        opened.wait_for_timeout(300)
        assert "search_index.json" not in asked  # larger than the page; fetched when needed
        opened.keyboard.press("/")
        opened.keyboard.type("AttributeError: 'KerasTensor' object has no attribute '_id'")
        result = opened.locator(".md-search-result__link[href*='errors.html'][href*='#row-']").first
        result.wait_for(timeout=30_000)
        row = result.get_attribute("href").split("#")[1]
        html = (site / "errors.html").read_text()
        shown = re.search(rf'id="{row}"[^>]*>\s*<td>(.*?)</td>', html, re.DOTALL)[1]
        assert "object has no attribute" in shown and "_id" in shown
    assert not problems, problems


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
    text = page_from(file).markdown
    assert text.startswith("# T\n") and "```python\ndraw()\n```" in text
    assert "```text {.output .no-copy}\nprinted\n```" in text
    assert "```text {.output .no-copy}\n'plain'\n```" in text
    assert "<svg>\n<g/>\n</svg>" in text and "words" not in text
    assert "<b>\nbold</b>" in text


def notebook_of(tmp_path, *outputs, source="run()", **metadata):
    new = nbformat.v4
    code = new.new_code_cell(source, outputs=list(outputs), metadata=metadata)
    notebook = new.new_notebook(cells=[new.new_markdown_cell("# T\n\ntext"), code])
    file = tmp_path / "a.ipynb"
    nbformat.write(notebook, file)
    return file


def test_what_stands_below_the_title_and_below_a_check(tmp_path):
    file = notebook_of(tmp_path, source="check(f)")
    text = page_from(file, "HEAD", {"f": ["one", "two"], "g": ["three"]}).markdown
    words = [w for w in text.split() if w not in ("#", "```python", "```")]
    assert words == ["T", "HEAD", "text", "check(f)", "one", "two"]


def test_warnings_errors_and_progress_bars(tmp_path):
    new = nbformat.v4.new_output
    bar = "1/3 [=>..] 9s\x08\x08\x08\r2/3 [==>.] 5s\r3/3 [====] 1s\ndone\n"
    outputs = [
        new("stream", name="stdout", text=bar),
        new("stream", name="stderr", text="careful\n"),
        new("error", ename="E", evalue="v", traceback=["\x1b[31mTraceback\x1b[0m", "E: v"]),
    ]
    text = page_from(notebook_of(tmp_path, *outputs)).markdown
    assert "```text {.output .no-copy}\n3/3 [====] 1s\ndone\n```" in text
    assert "```text {.output .warning .no-copy}\ncareful\n```" in text
    assert "```pytb {.output .error .no-copy}\nTraceback\nE: v\n```" in text
    assert last_frames("a\r\nb") == "a\nb" and last_frames("a\r") == "a"
    assert fenced("a ``` b", "text").startswith("````text")


PNG = (  # 2 × 1 pixels
    "iVBORw0KGgoAAAANSUhEUgAAAAIAAAABCAIAAAB7QOjdAAAAD0lEQVR4nGP4z8DA8J8BAAcAAf/Kr7kiAAAAAElFTkSuQmCC"
)


def test_a_picture_gets_its_words_its_size_and_a_file(tmp_path):
    new = nbformat.v4.new_output
    plot = new("display_data", data={"image/png": PNG, "text/plain": "<Figure 2x1>"})
    page = page_from(notebook_of(tmp_path, plot, alt="Two [red] dots"))
    assert (
        "![Two \\[red\\] dots](a_1_0.png)" in page.markdown and "width=2 height=1" in page.markdown
    )
    assert page.figures["a_1_0.png"].startswith(b"\x89PNG")
    assert "![T](a_1_0.png)" in page_from(notebook_of(tmp_path, plot)).markdown  # by its section
    large = (
        f'<svg width="40" height="30"><title>A</title><desc>b &amp; c</desc>{"<g/>" * 2_001}</svg>'
    )
    page = page_from(notebook_of(tmp_path, new("display_data", data={"image/svg+xml": large})))
    assert (
        "![A. b & c](a_drawing_1.svg){.figure .drawing loading=lazy width=40 height=30}"
        in page.markdown
    )
    assert page.figures["a_drawing_1.svg"].decode() == large


def test_a_drawings_style_is_kept_once_and_follows_the_site(tmp_path):
    style = "<style>.a{fill:red}@media (prefers-color-scheme:dark){.a{fill:blue}}</style>"
    svg = f"<svg>{style}<g class='a'/></svg>"
    output = nbformat.v4.new_output("display_data", data={"image/svg+xml": svg})
    page = page_from(notebook_of(tmp_path, output, output))
    assert "<style>" not in page.markdown and page.markdown.count("<svg>") == 2
    assert len(set(page.styles)) == 1
    assert "[data-md-color-scheme=slate]{.a{fill:blue}}" in following_the_site(page.styles[0])


def test_rows_get_addresses_that_differ():
    row = "<tr>\n<td><code>{}</code></td><td>{}</td></tr>"
    html = row.format("None", "a b") + row.format("None", "c") + row.format("E: x &lt; y", "d")
    made, rows = rows_addressed(html)
    assert [r["title"] for r in rows] == ["None: a b", "None: c", "E: x < y"]
    assert [r["text"] for r in rows] == ["", "", "d"]
    assert len({r["id"] for r in rows}) == 3 and all(f'id="{r["id"]}"' in made for r in rows)
    twice = rows_addressed(row.format("same", "a") * 2)[1]
    assert len({r["id"] for r in twice}) == 2
    assert rows_addressed("<tr><td>no code</td></tr>") == ("<tr><td>no code</td></tr>", [])


def test_lighter_pages_say_the_same():
    html = '<p>\n   a  b\n</p><!-- c --><pre>  x\n\n  y</pre><span class="n">v</span>\n\n<p>z</p>'
    html += '<span class="mi">1</span><span class="sa">f</span><span class="s2">"a"</span>'
    html += ' <span class="mi">1</span>'
    made = "<p>\na  b\n</p><pre>  x\n\n  y</pre>v\n<p>z</p>"
    made += '<span class="m">1</span><span class="s">f"a"</span> <span class="m">1</span>'
    assert lighter(html) == made


def test_a_dialog_is_named_once():
    named = dialogs_named('<div class="a" role="dialog">', 'x "y"')
    assert named == '<div class="a" role="dialog" aria-label="x &quot;y&quot;">'
    assert dialogs_named(named, "z") == named


def test_the_tree_leaves_out_what_is_not_written_and_names_a_wrong_leaf():
    from classroom.messages import Stop

    assert pruned({"a": {"b": "errors.md", "c": "nowhere.md"}, "d": {"e": "nowhere.md"}}, "t") == {
        "a": {"b": "errors.md"}
    }
    with pytest.raises(Stop, match=r"unwatched_tensr.*neither a slug nor a page"):
        pruned({"a": "unwatched_tensr"}, "symptoms.yml")
    tree = symptoms_tree()
    assert all(f"{lesson_folder(slug).name}/lesson.md" in tree for slug in SLUGS)


# --- other languages, other generators ----------------------------------------------------


def spoken(told, key="") -> dict[str, str]:
    """All words of a language by their full key, those of the scripts too."""
    if isinstance(told, str):
        return {key: told}
    return {
        k: text for name, part in told.items() for k, text in spoken(part, f"{key}/{name}").items()
    }


def test_every_language_says_everything():
    keys = spoken(words("en"))
    for file in (Path(__file__).parent.parent / "theme/words").glob("*.yml"):
        other = spoken(words(file.stem))
        assert set(other) == set(keys), file.name
        for key, text in keys.items():
            assert set(re.findall(r"{\w+", other[key])) == set(re.findall(r"{\w+", text)), key
    with pytest.raises(FileNotFoundError, match=r"copy en\.yml"):
        words("xx")


# In place of jieba, which an edition would install (19 MB): it cuts one sentence.
JIEBA = """
def cut(text):
    rest = text.decode()
    while rest:
        word = next((w for w in ("为什么", "梯度", "空的") if rest.startswith(w)), rest[0])
        yield word
        rest = rest[len(word):]
"""


def test_a_chinese_edition_builds_with_its_own_words_and_addresses(tmp_path, monkeypatch):
    """The same theme in another language: what it says itself is in no template and no script."""
    docs = tmp_path / "docs"
    docs.mkdir()
    for name in ("errors.md", "glossary.md"):
        (docs / name).write_text("# 页\n")
    (docs / "index.md").write_text(
        "# 首页\n\n[到](#为什么是-none)\n\n## 为什么是 None\n\n为什么梯度是空的？\n"
    )
    (tmp_path / "jieba.py").write_text(JIEBA)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=os.pathsep)
    root = Path(__file__).parent.parent
    separator = re.search(r"^ +(separator: .*)", (root / "mkdocs.yml").read_text(), re.M)[1]
    config = tmp_path / "mkdocs.yml"
    config.write_text(
        f"INHERIT: {root}/mkdocs.yml\ndocs_dir: {docs}\n"
        f"theme: {{language: zh, custom_dir: {root}/theme/overrides}}\n"
        f"hooks: [{root}/theme/hooks.py]\nwatch: []\nstrict: false\n"
        f"plugins:\n  - search:\n      {separator}\n"
    )
    done = build(tmp_path / "site", "--config-file", str(config))
    assert done.returncode == 0, done.stderr
    html = (tmp_path / "site/index.html").read_text()
    assert '<html lang="zh"' in html and 'id="为什么是-none"' in html
    script = (tmp_path / "site/assets/site.js").read_text()
    say = words("zh")
    assert say["script"]["mark"] in script and say["home"] in html
    assert f'aria-label="{say["search_dialog"]}"' in html
    assert say["lost"] in (tmp_path / "site/404.html").read_text()
    with serving(tmp_path / "site") as address, browser() as chromium:
        opened = chromium.new_page()
        opened.goto(f"{address}/index.html")
        opened.keyboard.press("/")
        opened.keyboard.type("梯度")
        results = opened.locator(".md-search-result__link")
        results.first.wait_for(timeout=30_000)
        links = [unquote(result.get_attribute("href")) for result in results.all()]
        assert any(link.endswith("#为什么是-none") for link in links), links
    for file in (root / "theme/overrides").rglob("*.html"):
        said = re.sub(r"{[{%#].*?[}%#]}|<[^>]*>", "", file.read_text(), flags=re.DOTALL)
        assert not re.search(r"[A-Za-z]", said), f"{file.name} says {said.strip()!r}"


def test_the_content_can_be_written_for_another_generator(tmp_path):
    export(tmp_path / "out")
    lesson = tmp_path / "out/docs" / lesson_folder(SLUGS[0]).name / "lesson.md"
    assert (
        'class="facts"' in lesson.read_text()
        and "notebook_metadata_filter" not in lesson.read_text()
    )
    assert (
        f"::: {module_name(SLUGS[0])}"
        in (tmp_path / f"out/docs/reference/{SLUGS[0]}.md").read_text()
    )
    with pytest.raises(FileExistsError):
        export(tmp_path / "out")


def test_formulas_become_mathml():
    html = formulas_to_mathml('a <span class="arithmatex">\\(x &lt; 1\\)</span> b')
    assert (
        html.startswith("a <math")
        and "<mo>&#x0003C;</mo>" in html
        and "xmlns" not in html
        and 'display="inline"' in html
    )
    block = formulas_to_mathml('<div class="arithmatex">\\[x^2\\]</div>')
    assert 'display="block"' in block and "<msup>" in block
    assert formulas_to_mathml("<p>no formula</p>") == "<p>no formula</p>"
    assert one_block(" a\n\n\n  b ") == "a\nb"
