"""A master: an exercise as its author wrote it, in a lesson's folder or in a teacher's own."""

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import nbformat

from classroom.lessons import existing_slugs, lesson_folder, nearest
from classroom.messages import Stop
from classroom.notebooks import read_source
from classroom.spec import Task, tasks_in
from classroom.stubs import stub, task_of_cell

OF_THE_LESSON = ("spec.py", "lesson.md", "lesson.ipynb", "exercise.md", "exercise.ipynb")


@dataclass(frozen=True)
class Master:
    """An exercise with its tasks; the stubs in its notebook are the generated ones."""

    slug: str
    folder: Path
    tasks: list[Task]
    notebook: nbformat.NotebookNode

    @property
    def setup(self) -> list[str]:
        """The code cells that are no task's: imports and helpers, in order; no calls of check."""
        cells = [cell.source for cell in self.notebook.cells if cell.cell_type == "code"]
        return [c for c in cells if not task_of_cell(c) and not c.startswith(("check(", "hint("))]

    def data(self) -> dict[str, bytes]:
        """The files beside the exercise that its text names, by their paths in the folder."""
        text = "\n".join(cell.source for cell in self.notebook.cells)
        return {
            file.relative_to(self.folder).as_posix(): file.read_bytes()
            for entry in sorted(self.folder.iterdir())
            if entry.name not in OF_THE_LESSON and names_file(text, entry)
            for file in regular_files(entry)
        }


def names_file(text: str, entry: Path) -> bool:
    return (f"{entry.name}/" if entry.is_dir() else entry.name) in text


def regular_files(entry: Path) -> Iterator[Path]:
    files = sorted(entry.rglob("*")) if entry.is_dir() else [entry]
    for file in files:
        if file.is_file() and not any(p.startswith((".", "__")) for p in file.parts[-3:]):
            yield file


def load_master(name: str) -> Master:
    """The exercise of a lesson's slug, or that in a folder with a spec.py.

    Raises:
        Stop: there is no such lesson or folder, its specification is broken, or a task's cell is
            missing.
    """
    folder = Path(name)
    known = existing_slugs()
    if name in known:
        slug, folder = name, lesson_folder(name)
    elif (folder / "spec.py").is_file():
        folder = folder.resolve()
        slug = folder.name
        if not slug.isidentifier():
            raise Stop(f"{folder.name}: name the folder with letters, digits and _ only.")
        forget(slug)
        sys.path.insert(0, str(folder))  # spec.py imports the reference module beside it
    else:
        raise Stop(f"{name}: neither a lesson nor a folder with a spec.py. {nearest(name, known)}")
    source = folder / "exercise.md"
    if not source.exists():
        raise Stop(f"{folder.name}: there is no exercise.md beside spec.py.")
    try:
        tasks = tasks_in(folder, slug)
    finally:
        if str(folder) in sys.path:
            sys.path.remove(str(folder))
    return Master(slug, folder, tasks, with_stubs(read_source(source), tasks, folder.name))


def forget(slug: str) -> None:
    """Let a master be read anew that was read before, perhaps from another folder."""
    sys.modules.pop(f"spec_{slug}", None)
    file = getattr(sys.modules.get(slug), "__file__", None)
    if file and Path(file).with_name("spec.py").exists():
        del sys.modules[slug]


def with_stubs(
    notebook: nbformat.NotebookNode, tasks: list[Task], where: str
) -> nbformat.NotebookNode:
    """The notebook with each task's cell as it is handed out.

    Raises:
        Stop: a task has no cell, or two, or a cell names a task that spec.py lacks.
    """
    stubs = {task.name: stub(task) for task in tasks}
    found = []
    for cell in notebook.cells:
        name = task_of_cell(cell.source) if cell.cell_type == "code" else None
        if name is None:
            continue
        if name not in stubs:
            raise Stop(f"{where}/exercise.md: `# TASK: {name}` is in no spec.py.")
        cell.source = stubs[name]
        found.append(name)
    for name in stubs:
        if found.count(name) != 1:
            raise Stop(f"{where}/exercise.md: {found.count(name)} cells `# TASK: {name}`; not 1.")
    return notebook
