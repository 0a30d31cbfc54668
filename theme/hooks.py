"""MkDocs hooks: pages from notebooks, formulas as MathML, the navigation from the lessons."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from classroom.lessons import PARTS, existing_slugs, lesson_folder, title
from theme.pages import formulas_to_mathml, page_markdown


def on_config(config):
    """Navigation: the parts in reading order, each lesson before its exercise; the reference."""
    written = existing_slugs()
    config.nav = [{"Which symptom?": "index.md"}]
    for part, slugs in PARTS.items():
        pages = [page for slug in slugs if slug in written for page in pages_of(slug)]
        if pages:
            config.nav.append({part: pages})
    config.nav.append({"Reference": ["errors.md", "glossary.md"]})
    return config


def pages_of(slug: str) -> list[dict[str, str]]:
    folder = lesson_folder(slug)
    pages = [{title(folder / "lesson.md"): f"{folder.name}/lesson.md"}]
    if (folder / "exercise.md").exists():
        pages.append({"Exercise": f"{folder.name}/exercise.md"})
    return pages


def on_files(files, config):
    """The style sheet lives with the theme, not among the pages."""
    from mkdocs.structure.files import File

    assets = Path(config.config_file_path).parent / "theme/assets"
    for asset in sorted(assets.glob("*")):
        files.append(
            File.generated(config, f"assets/{asset.name}", content=asset.read_text("utf-8"))
        )
    return files


def on_page_read_source(page, config):
    """A lesson's page is its executed notebook; other pages are read as they are."""
    notebook = Path(page.file.abs_src_path or "").with_suffix(".ipynb")
    return page_markdown(notebook) if notebook.exists() and page.file.abs_src_path else None


def on_page_content(html, page, config, files):
    return formulas_to_mathml(html)
