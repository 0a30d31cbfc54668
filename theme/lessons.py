"""What a lesson's pages say besides its text: facts, downloads, hints, the reference module.

Markdown only, so that links are checked like any other. Knows nothing of the site generator.
"""

import ast
import io
import zipfile

from classroom.environment import ROOT
from classroom.lessons import existing_slugs, front_matter, lesson_folder, title

BRANCH = "main"
COLAB = "https://colab.research.google.com/github"
MADE = (1980, 1, 1, 0, 0, 0)  # an archive's bytes depend on its files alone


def lesson_head(slug: str, words: dict[str, str], repository: str | None) -> str:
    """The facts below a lesson's title; with a repository's address, the way to Colab too."""
    folder = lesson_folder(slug)
    matter = front_matter(folder / "lesson.md")
    minutes = matter["minutes"]
    facts = [words["reading"].format(minutes=minutes["reading"])]
    if (folder / "exercise.md").exists():
        facts[0] += words["and_exercise"].format(
            minutes=minutes["exercises"], address="exercise.md"
        )
    needs = ", ".join(lesson_link(need) for need in matter["needs"])
    facts.append(words["needs"].format(lessons=needs) if needs else words["needs_nothing"])
    versions = ", ".join(
        f"{ {'tensorflow': 'TensorFlow', 'keras': 'Keras'}.get(name, name) } {version}"
        for name, version in matter["versions"].items()
    )
    facts.append(words["tested"].format(versions=versions))
    take = words["take"].format(files=", ".join(downloads(slug, words)))
    facts.append(f"{take}. {words['need_checkout']}")
    colab = ""
    if repository and "github.com/" in repository:
        name = repository.rstrip("/").removesuffix(".git").split("github.com/")[1]
        place = f"blob/{BRANCH}/lessons/{folder.name}/lesson.ipynb"
        facts.append(f"[{words['colab']}]({COLAB}/{name}/{place})")
        colab = block(words["colab_first"], colab_cell(repository, folder.name))
    listed = "\n".join(f"- {fact}" for fact in facts)
    return (
        f'<div class="facts" data-search-exclude="1" markdown="1">\n\n{listed}\n\n</div>\n{colab}'
    )


def downloads(slug: str, words: dict[str, str]) -> list[str]:
    """Links to what a reader may take away. The notebook goes by the lesson's name."""
    folder = lesson_folder(slug)
    links = [
        f"[{words['notebook']}](lesson.ipynb){{download={slug}.ipynb}}",
        f"[{words['markdown']}](lesson.md.txt){{download={slug}.md}}",
    ]
    if (folder / "exercise.ipynb").exists():
        links.append(
            f"[{words['exercise_notebook']}](exercise.ipynb){{download={slug}_exercise.ipynb}}"
        )
    if module_name(slug):
        links.append(f"[{words['module']}](../reference/{slug}.md)")
    return links


def exercise_head(slug: str, words: dict[str, str]) -> str:
    """What stands below an exercise's title."""
    lesson = lesson_folder(slug) / "lesson.md"
    minutes = front_matter(lesson)["minutes"]["exercises"]
    to = words["exercise_to"].format(title=title(lesson), address="lesson.md", minutes=minutes)
    link = f"[{words['notebook']}](exercise.ipynb){{download={slug}_exercise.ipynb}}"
    facts = [to, words["check_in_notebook"].format(files=link)]
    listed = "\n".join(f"- {fact}" for fact in facts)
    return f'<div class="facts" data-search-exclude="1" markdown="1">\n\n{listed}\n\n</div>\n'


def colab_cell(repository: str, folder: str) -> str:
    """The cell that brings what a lesson imports to a notebook in Colab."""
    copy = repository.rstrip("/").rsplit("/", 1)[1].removesuffix(".git")
    return "\n".join(
        (
            "```python",
            f"!git clone -q --depth 1 {repository}",
            "import sys",
            f'sys.path[:0] = ["/content/{copy}", "/content/{copy}/solutions"]',
            f"%cd /content/{copy}/lessons/{folder}",
            "```",
        )
    )


def block(summary: str, text: str, css_class: str = "") -> str:
    """Something that opens when asked, as Markdown."""
    marked = f' class="{css_class}"' if css_class else ""
    return f'<details{marked} markdown="1"><summary>{summary}</summary>\n\n{text}\n\n</details>\n'


def lesson_link(slug: str) -> str:
    """A link to another lesson, or the slug alone where it has not been written."""
    if slug not in existing_slugs():
        return f"`{slug}`"
    lesson = lesson_folder(slug) / "lesson.md"
    return f"[{title(lesson)}](../{lesson.parent.name}/lesson.md)"


def hints(slug: str, words: dict[str, str]) -> dict[str, list[str]]:
    """The hints of each task of an exercise, as blocks that open one by one.

    They are read from the text of `spec.py`: importing it would start TensorFlow.
    """
    file = lesson_folder(slug) / "spec.py"
    found: dict[str, list[str]] = {}
    for call in ast.walk(ast.parse(file.read_text("utf-8"))) if file.exists() else ():
        if not (isinstance(call, ast.Call) and getattr(call.func, "id", "") == "Task"):
            continue
        given = {keyword.arg: keyword.value for keyword in call.keywords}
        name = ast.unparse(given["function"]).rpartition(".")[2]
        texts = ast.literal_eval(given["hints"])
        found[name] = [
            block(summary_html(words, number, len(texts), name), text, "hint")
            for number, text in enumerate(texts, start=1)
        ]
    return found


def summary_html(words: dict[str, str], number: int, total: int, task: str) -> str:
    """A hint's label; the inside of a <summary> is not read as Markdown."""
    said = words["hint"].format(number=number, all=total, task="\0")
    return said.replace("`\0`", f"<code>{task}</code>").replace("\0", task)


def module_name(slug: str) -> str | None:
    """The name under which a lesson's reference module is imported, if it has been written."""
    if (ROOT / "solutions" / slug / "__init__.py").exists():
        return slug
    return f"solutions.{slug}" if (ROOT / "solutions" / f"{slug}.py").exists() else None


def module_download(slug: str) -> tuple[str, bytes]:
    """A reference module as one file: its name and its bytes. A package becomes an archive."""
    file = ROOT / "solutions" / f"{slug}.py"
    if file.exists():
        return file.name, file.read_bytes()
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for part in sorted((ROOT / "solutions" / slug).rglob("*.py")):
            entry = zipfile.ZipInfo(str(part.relative_to(ROOT / "solutions").as_posix()), MADE)
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, part.read_bytes())
    return f"{slug}.zip", packed.getvalue()


def module_page(slug: str, words: dict[str, str]) -> str:
    """The page of a reference module: mkdocstrings fills in what `:::` names."""
    lesson = lesson_folder(slug) / "lesson.md"
    name = module_download(slug)[0]
    link = f"../{lesson.parent.name}/lesson.md"
    return "\n\n".join(
        (
            f"# {words['module_title'].format(slug=f'`{slug}`')}",
            words["module_of"].format(title=title(lesson), address=link)
            + " "
            + words["module_file"].format(name=name),
            f"::: {module_name(slug)}\n",
        )
    )


def modules_page(words: dict[str, str]) -> str:
    """The list of the reference modules."""
    rows = [
        f"- [`{slug}`]({slug}.md): {title(lesson_folder(slug) / 'lesson.md')}"
        for slug in existing_slugs()
        if module_name(slug)
    ]
    return f"# {words['modules']}\n\n{words['modules_text']}\n" + "\n".join(rows) + "\n"
