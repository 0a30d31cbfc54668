"""What an exercise's specification (`lessons/NN_slug/spec.py`) is made of: plain data.

    TASKS = [
        Task(
            function=solutions.unwatched_tensor.input_gradient,
            kind="write", minutes=10, points=4,
            probes=[Probe("a model and two rows", lambda: (model(), rows()))],
            hidden=[Probe("a model of two layers", lambda: (deep_model(), rows()))],
            hints=("a question", "where to look", "nearly the code"),
            right=[another_right_answer, ...],
            wrong=[Wrong(never_watched, cause="unwatched", why="…", do="…"), ...],
        ),
    ]

`hidden` may be left out: an assignment draws hidden questions from the probes, with other numbers.
It is for tasks whose answer these do not change, such as a name. It is asked when work is graded,
and neither `check` nor a student's zip nor the site has it; a reader of this repository does.

Every answer in the bank is a function with the task's signature. A probe makes its arguments
anew for each call, so that one answer cannot spoil the next one's input.
"""

import importlib.util
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

from classroom.lessons import existing_slugs, lesson_folder, nearest
from classroom.messages import Stop
from classroom.task import KINDS, Probe, Task, Wrong

__all__ = ["Probe", "Task", "Wrong", "find_task", "load_tasks", "tasks_in"]


def load_tasks(slug: str) -> list[Task]:
    """The tasks of one lesson's exercise, in order.

    Raises:
        Stop: the lesson has no spec.py, or it does not hold a list TASKS.
    """
    return tasks_in(lesson_folder(slug), slug)


def tasks_in(folder: Path, slug: str) -> list[Task]:
    """The tasks of the exercise in a folder, lesson or not.

    Raises:
        Stop: as `load_tasks`.
    """
    file = folder / "spec.py"
    if not file.exists():
        raise Stop(f"{file.parent.name}/spec.py is missing: the exercise has no specification.")
    tasks = getattr(load_module(file, f"spec_{slug}"), "TASKS", None)
    if not tasks:
        raise Stop(f"{file.parent.name}/spec.py: no list named TASKS. See CONTRIBUTING.md.")
    for task in tasks:
        if task.kind not in KINDS:
            raise Stop(f"{file.parent.name}/spec.py: {task.name}: kind is one of {KINDS}.")
    read = f"{folder.parent.name}/{folder.name}"
    return [replace(task, slug=slug, read=read) for task in tasks]


def load_module(file: Path, name: str) -> Any:
    """Import a file under a name of its own, once."""
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, file)
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module  # inspect.getsource looks it up there
        try:
            spec.loader.exec_module(module)
        except BaseException:
            del sys.modules[name]
            raise
    return sys.modules[name]


def find_task(name: str) -> Task:
    """The task whose function has this name, looked for in the working directory's lesson first.

    Raises:
        Stop: no exercise has such a task; the message suggests the nearest names.
    """
    slugs = existing_slugs()
    here = Path.cwd().name[3:]
    known = []
    for slug in sorted(slugs, key=lambda slug: slug != here):
        if not (lesson_folder(slug) / "spec.py").exists():
            continue
        tasks = load_tasks(slug)
        known += [task.name for task in tasks]
        for task in tasks:
            if task.name == name:
                return task
    raise Stop(f"`{name}` is no task of an exercise. {nearest(name, known)}")
