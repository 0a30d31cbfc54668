"""Makes an assignment: masters validated, keys made, zips and the teacher's folder written."""

import contextlib
import io
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import tensorflow as tf
from rich.console import Console
from rich.progress import Progress

from classroom.checking import inside_folder
from classroom.key import Key, KeyTask, save_key
from classroom.keys import made_with, make_task
from classroom.masters import Master, load_master
from classroom.messages import Stop
from classroom.stubs import compile_cell, is_untouched
from classroom.student import student_zip
from classroom.variants import seed_of


@contextlib.contextmanager
def without_warnings() -> Iterator[None]:
    """Leave TensorFlow's warnings out: our own answers retrace functions, and nobody need hear."""
    log = tf.get_logger()
    level = log.level
    log.setLevel("ERROR")
    try:
        yield
    finally:
        log.setLevel(level)


@without_warnings()
def make_assignment(
    lessons: Sequence[str],
    out: Path | None,
    *,
    secret: str,
    title: str | None = None,
    due: str | None = None,
    students: Sequence[str] = (),
    variants: int = 8,
) -> Key:
    """Validate the masters and write the folder `out`; return the common key.

    Args:
        lessons: slugs, or folders with a master.
        out: a new or empty folder; None writes nothing.
        secret: what the numbers are drawn with.
        title: by default the slugs.
        due: an ISO time, for the README and the key.
        students: their ids. Each gets a zip and a key with numbers of their own.
        variants: how many sets of numbers are drawn for each task of a class; which of them a
            student gets is drawn for each task anew.

    Raises:
        Stop: a lesson is unknown, or does not hold what it promises. Nothing is written then.
    """
    masters = [load_master(name) for name in dict.fromkeys(lessons)]
    tasks = [(master, task) for master in masters for task in master.tasks]
    refuse_twins([task.name for _, task in tasks])
    answers = {(task.function.__module__, task.name) for _, task in tasks}
    pool = min(max(variants, 1), len(students))
    made: dict[tuple[str, int], KeyTask] = {}
    with Progress(console=Console(stderr=True), transient=True) as bar:
        for master in masters:
            require_running(master)
        work = bar.add_task("tasks", total=len(tasks) * (1 + pool))
        for number in range(pool + 1):  # 0: the numbers as they are written in the lesson
            for master, task in tasks:
                bar.update(work, description=f"{master.slug}: {task.name}")
                name = f"variant {number}" if number else ""
                made[task.name, number] = make_task(master, task, answers, secret, name)
                bar.advance(work)
        common = Key(
            title or " and ".join(master.slug for master in masters),
            made_with(),
            due,
            tuple(made[task.name, 0] for _, task in tasks),
        )
        keys = [own_key(common, student, made, secret, pool) for student in students]
        if out is not None:
            work = bar.add_task("zips", total=max(len(keys), 1))
            write(out, common, keys, masters, secret, lambda: bar.advance(work))
    return common


def own_key(
    common: Key, student: str, made: dict[tuple[str, int], KeyTask], secret: str, pool: int
) -> Key:
    """A student's key: for each task one of the drawn sets of numbers."""
    tasks = (made[t.name, 1 + seed_of(secret, student, t.name) % pool] for t in common.tasks)
    return replace(common, student=student, tasks=tuple(tasks))


def write(
    out: Path,
    common: Key,
    keys: list[Key],
    masters: list[Master],
    secret: str,
    advance: Callable[[], None],
) -> None:
    """Write everything into a folder beside OUT, then give it its name."""
    out.parent.mkdir(parents=True, exist_ok=True)
    draft = Path(tempfile.mkdtemp(dir=out.parent, prefix=f".{out.name}."))
    try:
        teacher = draft / "teacher"
        teacher.mkdir(mode=0o700)
        save_key(common, teacher / "key.json")
        (teacher / "secret.txt").write_text(secret + "\n", encoding="utf-8")
        (teacher / "secret.txt").chmod(0o600)
        for folder in (draft / "students", teacher / "keys") if keys else ():
            folder.mkdir()
        for key in keys:
            save_key(key, teacher / "keys" / f"{key.student}.json")
            (draft / "students" / f"{key.student}.zip").write_bytes(student_zip(key, masters))
            advance()
        if not keys:
            (draft / "student.zip").write_bytes(student_zip(common, masters))
            advance()
        draft.chmod(0o755)
        if out.exists():
            out.rmdir()  # empty, as refuse_full has seen; else this fails and nothing is lost
        os.replace(draft, out)
    except BaseException:
        shutil.rmtree(draft, ignore_errors=True)
        raise


def require_running(master: Master) -> None:
    """Run the notebook's cells as handed out, and see that each stub counts as untouched."""
    namespace: dict = {"__name__": "__exercise__"}
    cells = [(f"{master.slug}: a cell", source) for source in master.setup]
    cells += [(f"{master.slug}: the stub", c.source) for c in master.notebook.cells if is_stub(c)]
    with inside_folder(master.folder), contextlib.redirect_stdout(io.StringIO()):
        for where, source in cells:
            try:
                exec(compile_cell(source, where, f"{master.slug} {len(namespace)}"), namespace)
            except Exception as error:
                said = f"{type(error).__name__}: {error}"
                raise Stop(f"{where} of the exercise does not run: {said}\n{source}") from error
    for task in master.tasks:
        if not is_untouched(namespace[task.name], task):
            raise Stop(f"{master.slug}: the stub of `{task.name}` would not count as untouched.")


def is_stub(cell: dict) -> bool:
    return cell.cell_type == "code" and cell.source.startswith("# TASK: ")


def refuse_twins(names: list[str]) -> None:
    twins = sorted({name for name in names if names.count(name) > 1})
    if twins:
        raise Stop(f"Two tasks are called `{twins[0]}`. Assign their lessons apart.")
