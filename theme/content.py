"""All pages and files of the site that are made rather than written: plain text and bytes.

Knows nothing of the site generator: `python -m theme.content FOLDER` writes the same content as a
folder of Markdown for another one, and `python -m theme.content finish SITE` finishes what that
one has built.
"""

import json
import shutil
import sys
from pathlib import Path

from classroom.environment import ROOT
from classroom.lessons import existing_slugs, lesson_folder
from theme.lessons import (
    exercise_head,
    hints,
    lesson_head,
    module_download,
    module_name,
    module_page,
    modules_page,
)
from theme.markup import following_the_site, formulas_to_mathml
from theme.pages import page_from
from theme.words import words

ASSETS = ROOT / "theme" / "assets"


def pages_and_files(
    say: dict[str, str], repository: str | None
) -> tuple[dict[str, str], dict[str, str | bytes]]:
    """The Markdown of the pages, and the other files, each by its place in the site."""
    pages: dict[str, str] = {"reference/index.md": modules_page(say)}
    files: dict[str, str | bytes] = {}
    styles: dict[str, None] = {}  # each once, in order
    for slug in existing_slugs():
        folder = lesson_folder(slug)
        heads = {
            "lesson": lesson_head(slug, say, repository),
            "exercise": exercise_head(slug, say),
        }
        for name, head in heads.items():
            notebook = folder / f"{name}.ipynb"
            if not notebook.exists():
                continue
            page = page_from(notebook, head, hints(slug, say) if name == "exercise" else None)
            pages[f"{folder.name}/{name}.md"] = page.markdown
            for figure, data in page.figures.items():
                files[f"{folder.name}/{figure}"] = data
            styles.update(dict.fromkeys(page.styles))
        source = folder / "lesson.md"
        files[f"{folder.name}/lesson.md.txt"] = source.read_text("utf-8")  # offered for download
        if module_name(slug):
            pages[f"reference/{slug}.md"] = module_page(slug, say)
            name, data = module_download(slug)
            files[f"reference/{name}"] = data
    for asset in sorted(ASSETS.glob("*")):
        files[f"assets/{asset.name}"] = asset.read_text("utf-8")
    files["assets/site.js"] = f"const SITE = {site_data(say)};\n{files['assets/site.js']}"
    files["assets/pictures.css"] = "\n".join(map(following_the_site, styles))
    return pages, files


def site_data(say: dict[str, str]) -> str:
    """What the pages' script needs to know: its words and the lessons, in reading order."""
    lessons = [[slug, f"{lesson_folder(slug).name}/lesson.html"] for slug in existing_slugs()]
    return json.dumps({"words": say["script"], "lessons": lessons}, ensure_ascii=False)


def export(folder: Path, language: str = "en") -> None:
    """Write the site's content as a folder of Markdown, which any generator may build.

    Raises:
        FileExistsError: the folder is there already; nothing is overwritten.
    """
    folder.mkdir(parents=True)
    shutil.copy(ROOT / "theme" / "successor.yml", folder / "mkdocs.yml")
    docs = folder / "docs"
    shutil.copytree(ROOT / "lessons", docs, ignore=shutil.ignore_patterns("*.py", "*.yml", ".*"))
    pages, files = pages_and_files(words(language), None)
    for place, content in {**pages, **files}.items():
        file = docs / place
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(content.encode() if isinstance(content, str) else content)


def finish(site: Path) -> None:
    """What the hooks do to a built page, for a site that another generator has built."""
    for file in site.rglob("*.html"):
        file.write_text(formulas_to_mathml(file.read_text("utf-8")), "utf-8")


if __name__ == "__main__":
    if sys.argv[1] == "finish":
        finish(Path(sys.argv[2]))
    else:
        export(Path(sys.argv[1]))
