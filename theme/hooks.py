"""MkDocs hooks: pages from notebooks, the navigation from the lessons, a search that finds rows.

Thin: what is made here is made by modules that know nothing of MkDocs.
"""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from mkdocs.plugins import event_priority
from mkdocs.structure.files import File

from classroom.lessons import PARTS, existing_slugs, lesson_folder, title
from theme.content import pages_and_files
from theme.lessons import module_name
from theme.markup import dialogs_named, formulas_to_mathml, lighter, rows_addressed
from theme.words import words

REFERENCE = ("errors.md", "atlas.md", "glossary.md")
SOURCE = '<details data-search-exclude="1" class="mkdocstrings-source"'
BOOST = {"atlas": 0.3, "reference": 0.7}  # in the search, for pages that repeat a lesson's words
made: dict[str, str] = {}  # the Markdown of generated pages, by their place
rows: list[dict[str, str]] = []  # of tables, for the search


def on_config(config):
    """Navigation: the parts in reading order, each lesson before its exercise; the reference."""
    say = words(config.theme["language"])
    lessons, written = Path(config.docs_dir), existing_slugs()
    config.extra["words"] = say
    if not config.repo_url:
        config.edit_uri = None
    for option, name in zip(config.theme["palette"], ("to_dark", "to_light"), strict=True):
        option["toggle"]["name"] = say[name]
    config.nav = [{say["home"]: "index.md"}]
    for part, slugs in PARTS.items():
        pages = [page for slug in slugs if slug in written for page in pages_of(slug)]
        if pages:
            config.nav.append({part: pages})
    others = {file.name for file in lessons.glob("*.md")} - {"index.md", "teachers.md"}
    reference = [name for name in REFERENCE if name in others] + sorted(others - {*REFERENCE})
    config.nav.append({say["reference"]: [*reference, {say["modules"]: "reference/index.md"}]})
    if (lessons / "teachers.md").exists():
        config.nav.append({say["teachers"]: "teachers.md"})
    return config


def pages_of(slug: str) -> list[dict[str, str] | str]:
    folder = lesson_folder(slug)
    pages: list = [{title(folder / "lesson.md"): f"{folder.name}/lesson.md"}]
    if (folder / "exercise.md").exists():
        pages.append(f"{folder.name}/exercise.md")  # by its own title
    return pages


def on_files(files, config):
    """Everything that is not written under lessons/: converted, generated or the theme's own."""
    rows.clear()
    pages, others = pages_and_files(config.extra["words"], config.repo_url)
    made.clear()
    made.update(pages)
    for place, text in pages.items():
        if files.get_file_from_path(place) is None:
            files.append(File.generated(config, place, content=text))
    for place, content in others.items():
        files.append(File.generated(config, place, content=content))
    return files


def on_page_read_source(page, config):
    """A lesson's page is its executed notebook; other pages are read as they are."""
    return made.get(page.file.src_uri)


def on_nav(nav, config, files):
    """An exercise is reached from its lesson and by "next"; it would double the menu."""
    for section in nav.items:
        if section.children:
            section.children = [c for c in section.children if not is_exercise(c)]
    return nav


def is_exercise(item) -> bool:
    return bool(item.is_page and item.file.name == "exercise")


def on_pre_page(page, config, files):
    """A reference module's page is edited where the module is."""
    slug = page.file.name
    if config.repo_url and page.file.src_uri.startswith("reference/") and slug in existing_slugs():
        place = module_name(slug).removeprefix("solutions.")
        name = f"{place}.py" if module_name(slug) != place else f"{place}/__init__.py"
        page.edit_url = f"{config.repo_url.rstrip('/')}/edit/main/solutions/{name}"
    return page


def on_page_markdown(markdown, page, config, files):
    """Who searches is sent to a lesson first, and to the programs of the atlas last."""
    place = page.file.src_uri
    boost = 1.2 if place.endswith("/lesson.md") else BOOST.get(place.split("/")[0], 1)
    page.meta["search"] = {"boost": boost}
    return markdown


def on_page_content(html, page, config, files):
    """Formulas as markup; each row of a table, and no source text, in the search."""
    html = html.replace('<details class="mkdocstrings-source"', SOURCE)
    html, found = rows_addressed(formulas_to_mathml(html))
    for row in found:
        place = f"{page.url}#{row['id']}"
        rows.append({"location": place, "title": row["title"], "text": row["text"]})
    return html


def on_post_page(output, page, config):
    return finished(output, config)


def on_post_template(output, template_name, config):
    """404.html, which is no page."""
    return finished(output, config) if template_name.endswith(".html") else output


def finished(output, config):
    return lighter(dialogs_named(output, config.extra["words"]["search_dialog"]))


@event_priority(-100)  # after the search has written its index
def on_post_build(config):
    """Add the tables' rows to the search, so that an error's exact text is found in its row; and
    write its index once more, as a script.
    """
    file = Path(config.site_dir) / "search/search_index.json"
    index = json.loads(file.read_text("utf-8"))
    index["docs"] += rows
    text = json.dumps(index, separators=(",", ":"), ensure_ascii=False)
    file.write_text(text, "utf-8")
    # Opened from a disk, a page may read no file but a script.
    file.with_suffix(".js").write_text(f"var __index = {text}", "utf-8")
