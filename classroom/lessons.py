"""Where a lesson's files are and what its front matter says.

One slug names everything that belongs to a pitfall; the folder's number is its place in SLUGS.
"""

from pathlib import Path

import yaml

from classroom.environment import ROOT
from classroom.messages import Stop

PARTS: dict[str, tuple[str, ...]] = {
    "The tape": (
        "what_the_tape_records",
        "weights_or_inputs",
        "unwatched_tensor",
        "outside_the_tape",
        "one_tape_many_gradients",
        "summed_targets",
    ),
    "Inside a model": (
        "no_inbound_nodes",
        "symbolic_outputs",
        "intermediate_activations",
        "nested_models",
        "recurrent_outputs",
    ),
    "Broken chains": (
        "left_tensorflow",
        "not_differentiable",
        "variables_and_state",
        "not_none_but_wrong",
    ),
    "Using gradients": ("gradients_while_training", "grad_cam", "whynone"),
}
SLUGS = tuple(slug for part in PARTS.values() for slug in part)

# What every lesson's front matter holds, under `jupyter: lesson:`, and of which type.
FRONT_MATTER = {
    "slug": str,
    "symptom": str,  # the reader's own words, for the map of lessons
    "minutes": dict,  # {reading: int, exercises: int}
    "needs": list,  # slugs to read first
    "answers": list,  # the seeds and public cases behind the lesson
    "versions": dict,  # {tensorflow: "2.21.0", keras: "3.15.1"}: what it was run on
}


def lesson_folder(slug: str, lessons: Path = ROOT / "lessons") -> Path:
    """The folder of a lesson: `lessons/03_unwatched_tensor`."""
    if slug not in SLUGS:
        raise Stop(f"{slug}: no such lesson. {nearest(slug, SLUGS)}")
    return lessons / f"{SLUGS.index(slug) + 1:02d}_{slug}"


def existing_slugs(lessons: Path = ROOT / "lessons") -> list[str]:
    """The slugs of the lessons that have been written, in reading order.

    Raises:
        Stop: a folder's name is not that of a slug with its number.
    """
    for folder in sorted(lessons.glob("[0-9][0-9]_*")):
        slug = folder.name[3:]
        if slug not in SLUGS or lesson_folder(slug, lessons) != folder:
            raise Stop(f"lessons/{folder.name}: not a slug with its number. {nearest(slug, SLUGS)}")
    return [slug for slug in SLUGS if (lesson_folder(slug, lessons) / "lesson.md").exists()]


def front_matter(lesson: Path) -> dict:
    """The lesson's own part of the YAML header of `lesson.md`, validated.

    Raises:
        Stop: the header is missing or broken, lacks a key, or names an unknown slug.
    """
    name = f"{lesson.parent.name}/{lesson.name}"
    text = lesson.read_text(encoding="utf-8")
    if not text.startswith("---\n") or "\n---\n" not in text[4:]:
        raise Stop(f"{name}: no front matter. Copy the header of another lesson.md.")
    try:
        header = yaml.safe_load(text[4:].split("\n---\n")[0])
        matter = header["jupyter"]["lesson"]
    except (yaml.YAMLError, KeyError, TypeError) as error:
        raise Stop(f"{name}: no `jupyter: lesson:` in the front matter ({error}).") from error
    for key, kind in FRONT_MATTER.items():
        if not isinstance(matter.get(key), kind):
            raise Stop(f"{name}: the front matter's `{key}` is missing or no {kind.__name__}.")
    for slug in (matter["slug"], *matter["needs"]):
        if slug not in SLUGS:
            raise Stop(f"{name}: unknown slug `{slug}` in the front matter. {nearest(slug, SLUGS)}")
    if lesson.parent.name[3:] != matter["slug"]:
        raise Stop(f"{name}: the front matter says slug `{matter['slug']}`; the folder disagrees.")
    return matter


def title(lesson: Path) -> str:
    """The lesson's first heading."""
    for line in lesson.read_text(encoding="utf-8").splitlines():
        if line.startswith("# "):
            return line[2:].strip()
    raise Stop(f"{lesson.parent.name}/{lesson.name}: no title. Begin the text with `# …`.")


def nearest(word: str, known: tuple[str, ...] | list[str]) -> str:
    """A sentence that suggests the nearest known names, or lists all of them."""
    from difflib import get_close_matches

    close = get_close_matches(word, known, n=2, cutoff=0.5)
    return f"Did you mean {' or '.join(close)}?" if close else f"Known: {', '.join(known)}."
