"""The assignment as nbgrader's source: notebooks whose cells it knows to release and to grade.

Know what you choose: nbgrader runs tests in the process that ran the student's code, so that code
can fool them, and its gradebook lies where that code can write.
"""

import inspect
import json
import textwrap
from pathlib import Path

import nbformat

from classroom.assign import refuse_full
from classroom.key import KeyProbe, KeyTask
from classroom.masters import Master, load_master
from classroom.messages import Stop
from classroom.programs import Source
from classroom.quiet import import_tensorflow
from classroom.stubs import MARK, body_source, signature_and_docstring, task_of_cell
from classroom.student import student_files
from classroom.task import Task
from classroom.teacher import Teacher

HELPER = '''"""Asks one question of a task; used by the tests in the notebooks."""

import json

from classroom.judge import difference
from classroom.observe import observe
from classroom.variants import arguments_of


def right(function, program, vary, expected, rtol, atol):
    """Whether the function's answer is the expected observation."""
    seen = observe(function(*arguments_of(program, vary)))
    return difference(json.loads(expected), seen, rtol, atol) is None
'''


def write_source(teacher: Teacher, out: Path, dry_run: bool = False) -> None:
    """Write `out`: notebooks in nbgrader's source format, and what they import.

    Raises:
        Stop: `out` is not empty, or a lesson of the key is not here.
    """
    refuse_full(out)
    key, _ = teacher.key()
    import_tensorflow()
    masters = [load_master(slug) for slug in dict.fromkeys(task.slug for task in key.tasks)]
    data = {path for task in key.tasks for path in task.files}
    files: dict[str, str | bytes] = {}
    for path, content in student_files(key, masters).items():
        head, _, rest = path.partition("/")
        if head == "lib":
            files[rest] = content  # beside the notebooks, where a kernel finds it
        elif head in {m.slug for m in masters} and rest in data:
            files[rest] = content
    files["classroom/nbgrader_question.py"] = HELPER
    for master in masters:
        tasks = {task.name: task for task in key.tasks}
        files[f"{master.slug}.ipynb"] = nbformat.writes(source_notebook(master, tasks)) + "\n"
    if not dry_run:
        for path, content in files.items():
            file = out / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content.encode() if isinstance(content, str) else content)
    dry = " Nothing was written (--dry-run)." if dry_run else ""
    print(f"{out}: {len(masters)} notebooks for nbgrader's `source/<assignment>/`.{dry}")


def source_notebook(master: Master, tasks: dict[str, KeyTask]) -> nbformat.NotebookNode:
    """The exercise with solution cells and, after each, its tests."""
    notebook = nbformat.from_dict(master.notebook)
    by_name = {task.name: task for task in master.tasks}
    cells = []
    for cell in notebook.cells:
        name = task_of_cell(cell.source) if cell.cell_type == "code" else None
        if name is None:
            cells.append(cell)
            continue
        key_task = tasks[name]
        cell.source = solution(by_name[name])
        cell.metadata["nbgrader"] = metadata(f"task-{name}", solution=True)
        cells.append(cell)
        worth = key_task.worth()
        for group in ("public", "hidden"):
            asked = [
                (probe, points)
                for probe, points in zip(key_task.probes, worth, strict=True)
                if probe.group == group
            ]
            if asked:
                cells.append(tests_cell(name, group, [probe for probe, _ in asked]))
                points = round(sum(points for _, points in asked), 2)
                mark = metadata(f"test-{name}-{group}", grade=True, locked=True, points=points)
                cells[-1].metadata["nbgrader"] = mark
    notebook.cells = cells
    nbformat.validate(notebook)
    return notebook


def metadata(identity: str, **flags) -> dict:
    """nbgrader's cell metadata, version 3 of its schema."""
    made = {"grade": False, "grade_id": identity, "locked": False, "schema_version": 3}
    return {**made, "solution": False, "task": False, **flags}


def solution(task: Task) -> str:
    """The reference's cell, of which nbgrader hands out all but what is between the marks."""
    name = task.function.__name__
    source = Source(Path(inspect.getsourcefile(task.function)).read_text(encoding="utf-8"))
    needed = source.cut(source.needed(name) - {name}).splitlines()
    # What is needed goes into the function, where no __future__ may be imported.
    helpers = "".join(f"{line}\n" for line in needed if not line.startswith("from __future__"))
    if "solutions" in helpers:
        raise Stop(f"`{name}` needs another lesson's answer, so nbgrader cannot have it alone.")
    head, docstring = signature_and_docstring(task.function)
    inside = f"### BEGIN SOLUTION\n{helpers}{body_source(task.function)}\n### END SOLUTION"
    return "\n".join([MARK + name, *head, docstring, textwrap.indent(inside, "    ")])


def tests_cell(name: str, group: str, probes: list[KeyProbe]) -> nbformat.NotebookNode:
    """An assertion for each question; hidden ones are cut out when nbgrader releases."""
    lines = ["from classroom.nbgrader_question import right", ""]
    for probe in probes:
        arguments = [name, repr(probe.program), repr(probe.vary), repr(json.dumps(probe.expected))]
        asked = ", ".join([*arguments, repr(probe.rtol), repr(probe.atol)])
        lines.append(f"assert right({asked}), {probe.label!r}")
    if group == "hidden":
        lines = ["### BEGIN HIDDEN TESTS", *lines, "### END HIDDEN TESTS"]
    cell = nbformat.v4.new_code_cell("\n".join(lines), id=f"test-{name}-{group}"[:64])
    return cell
