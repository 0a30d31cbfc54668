"""The landing page's generated parts, as Markdown: where to begin, and the tree of symptoms."""

from pathlib import Path

import yaml

from classroom.environment import ROOT
from classroom.lessons import SLUGS, existing_slugs, lesson_folder, nearest
from classroom.messages import Stop

LESSONS = ROOT / "lessons"
FILE = LESSONS / "symptoms.yml"


def symptoms_tree(file: Path = FILE) -> str:
    """The tree as blocks that open: what you see, what it is more exactly, and the lessons.

    What has not been written yet is left out, and so are branches that would be bare.

    Raises:
        Stop: a leaf names no lesson and no page.
    """
    tree = pruned(load(file)["symptoms"], file.name)
    return "\n".join(branch(label, below) for label, below in tree.items())


def load(file: Path) -> dict:
    return yaml.safe_load(file.read_text(encoding="utf-8"))


def pruned(tree: dict, name: str) -> dict:
    kept = {}
    for label, below in tree.items():
        value = pruned(below, name) if isinstance(below, dict) else address(below, name)
        if value:
            kept[label] = value
    return kept


def address(leaf: str, name: str) -> str | None:
    """The page that a leaf leads to, from lessons/; None if it has not been written."""
    if leaf.endswith(".md"):
        return leaf if (LESSONS / leaf).exists() else None
    if leaf not in SLUGS:
        raise Stop(f"{name}: `{leaf}` is neither a slug nor a page. {nearest(leaf, SLUGS)}")
    return f"{lesson_folder(leaf).name}/lesson.md" if leaf in existing_slugs() else None


def branch(label: str, below: dict | str) -> str:
    if isinstance(below, str):
        return f"- [{label}]({below})"
    inside = "\n".join(branch(name, value) for name, value in below.items())
    return (
        f'<details class="branch" markdown="1"><summary>{in_html(label)}</summary>\n\n'
        f"{inside}\n\n</details>"
    )


def in_html(text: str) -> str:
    """Code spans as HTML: the inside of a <summary> is not read as Markdown."""
    parts = text.replace("&", "&amp;").replace("<", "&lt;").split("`")
    return "".join(f"<code>{part}</code>" if i % 2 else part for i, part in enumerate(parts))


def first_steps(file: Path = FILE) -> str:
    """Where each kind of reader begins; a page that has not been written is left out."""
    cards = [
        f"- **{who}**  \n  [{card['do']}]({page})"
        for who, card in load(file)["begin"].items()
        if (page := address(card["at"], file.name))
    ]
    return '<div class="starts" markdown="1">\n\n' + "\n".join(cards) + "\n\n</div>"
