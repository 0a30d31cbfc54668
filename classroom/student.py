"""Builds the zip that students get: notebooks, data, and what `check` needs, without the answers.

    assignment/README.md, requirements.txt, check.py
    assignment/<slug>/<slug>.ipynb, <slug>.md, the exercise's data
    assignment/lib/classroom/   modules of this package, and the tasks with sealed values
    assignment/lib/whynone/     explains a None
    assignment/lib/solutions/   only if an exercise imports from it, and only that

Equal assignments give equal bytes: no time stamps, nothing compressed.
"""

import hashlib
import io
import json
import re
import zipfile
from typing import Any

import jupytext
import nbformat

from classroom.environment import ROOT
from classroom.key import Key, KeyProbe, KeyTask, decode_file
from classroom.lessons import SLUGS
from classroom.masters import Master
from classroom.programs import whynone_files
from classroom.seal import seal
from classroom.task import Task

FOLDER = "assignment"
# Under which name in the zip → which of our modules. The task loader is the one that differs.
MODULES = {
    **{
        f"{name}.py": f"{name}.py"
        for name in (
            *("__init__", "bounded", "checking", "feedback", "judge", "messages", "observation"),
            *("observe", "seal", "stubs", "task", "variants"),
        )
    },
    "spec.py": "handed_out.py",
}
REQUIRED = ("tensorflow", "keras", "numpy", "jupytext", "jupyterlab", "ipykernel")
LINK = re.compile(r"(?<!!)\[([^\]]+)\]\((?!https?:)[^)]+\)")  # into the lessons, not handed out

# A notebook's kernel looks for modules in the notebook's own folder.
SHIM = '''"""Leads to the package of this name in ../lib, for the notebooks in this folder."""

import importlib
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "lib"))
del sys.modules[__name__]
importlib.import_module(__name__)
'''

CHECK = '''"""Checks the answers in a notebook: python check.py {first}/{first}.ipynb"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "lib"))

from classroom.checking import main  # noqa: E402

sys.exit(main())
'''

README = """# {title}

{tasks}
{due}
Open a folder's notebook and write into the cells that begin with `# TASK:`. Run a cell, then the
`check(…)` below it, as often as you like. It says whether your function is right, and if not, what
came back; `hint(…)` opens one hint at a time. `check` gives no points: these are given later, also
for questions with other numbers, so write what works in general. Cells of your own are welcome;
keep the line `# TASK: …` in each answer's cell.

## Start

Python 3.10 to 3.13 is needed, about 2 GB of disk space, and no account anywhere.

**JupyterLab.** In a terminal, in this folder:

    python -m venv .venv
    .venv/bin/python -m pip install -r requirements.txt
    .venv/bin/jupyter lab

On Windows write `.venv\\Scripts\\` in place of `.venv/bin/`. Open `{first}/{first}.ipynb`.

**VS Code.** Do the first two lines above, open this folder, open the notebook, and choose the
kernel `.venv`.

**Colab.** Upload the notebook with *File → Upload notebook*, and the zip into the panel *Files*.
Then put this into a first cell and run it:

    !unzip -q -o *.zip
    %cd {folder}/{first}

**A terminal and an editor.** Each notebook is there as Markdown too: edit
`{first}/{first}.md`, then

    .venv/bin/python check.py {first}/{first}.md

## Hand in

{files}

Save before you hand in. Nothing but your functions is graded: outputs do not matter.
"""


def student_zip(key: Key, masters: list[Master]) -> bytes:
    """The zip's bytes.

    Args:
        key: the assignment's key, or a student's own; only its public part goes in.
        masters: the exercises that the key's tasks belong to.
    """
    files = student_files(key, masters)
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        for name in sorted(files):
            entry = zipfile.ZipInfo(f"{FOLDER}/{name}", (1980, 1, 1, 0, 0, 0))
            entry.external_attr = 0o100644 << 16
            entry.create_system = 3  # the same on every system
            archive.writestr(entry, files[name])  # a text becomes UTF-8
    return buffer.getvalue()


def student_files(key: Key, masters: list[Master]) -> dict[str, str | bytes]:
    """The zip's files by their path below `assignment/`."""
    by_name = {task.name: task for master in masters for task in master.tasks}
    entries = [public_entry(task, by_name[task.name]) for task in key.tasks]
    files: dict[str, str | bytes] = {f"lib/{path}": t for path, t in whynone_files().items()}
    for name, source in MODULES.items():
        files[f"lib/classroom/{name}"] = (ROOT / "classroom" / source).read_bytes()
    tasks = {"title": key.title, "tasks": entries}
    files["lib/classroom/tasks.json"] = json.dumps(tasks, indent=1, ensure_ascii=False) + "\n"
    for master in masters:
        notebook = notebook_of(master, key.title)
        files[f"{master.slug}/{master.slug}.ipynb"] = nbformat.writes(notebook) + "\n"
        files[f"{master.slug}/{master.slug}.md"] = jupytext.writes(notebook, "md")
        files |= support_of(next(task for task in key.tasks if task.slug == master.slug))
    packages = {path.split("/")[1] for path in files if path.startswith("lib/")}
    files |= {f"{master.slug}/{package}.py": SHIM for master in masters for package in packages}
    files["check.py"] = CHECK.format(first=masters[0].slug)
    files["requirements.txt"] = requirements()
    files["README.md"] = readme(key, masters)
    return files


def support_of(task: KeyTask) -> dict[str, bytes]:
    """The exercise's data in its folder, and the pieces of `solutions` that it imports."""
    return {
        f"lib/{path}" if path.startswith("solutions/") else f"{task.slug}/{path}": decode_file(text)
        for path, text in task.files.items()
    }


def notebook_of(master: Master, title: str) -> nbformat.NotebookNode:
    """The exercise's notebook, not executed; its links into the lessons become plain text."""
    notebook = nbformat.from_dict(master.notebook)
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            cell.source = LINK.sub(r"\1", cell.source)
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    notebook.metadata = nbformat.from_dict(
        {"kernelspec": kernel, "language_info": {"name": "python"}, "assignment": title}
    )
    nbformat.validate(notebook)
    return notebook


def public_entry(task: KeyTask, master_task: Task) -> dict[str, Any]:
    """What `check` and `hint` may know of a task."""
    return {
        "name": task.name,
        "slug": task.slug,
        "kind": task.kind,
        "minutes": master_task.minutes,
        "stub": task.stub,
        "hints": list(master_task.hints),
        "read": f"the lesson {task.slug}" if task.slug in SLUGS else "",
        "probes": [public_probe(probe) for probe in task.probes if probe.group == "public"],
    }


def public_probe(probe: KeyProbe) -> dict[str, Any]:
    salt = hashlib.sha256(f"{probe.vary}\n{probe.program}".encode()).hexdigest()[:32]
    return {
        "label": probe.label,
        "rtol": probe.rtol,
        "atol": probe.atol,
        "program": probe.program,
        "vary": probe.vary,
        "sealed": seal(probe.expected, probe.rtol, probe.atol, salt),
    }


def requirements() -> str:
    """The pins that a student needs, out of the repository's own."""
    chosen = ROOT.joinpath("requirements.txt").read_text(encoding="utf-8").split("# ----")[0]
    lines = [line.split(" #")[0].rstrip() for line in chosen.splitlines()]
    return "\n".join(line for line in lines if re.split(r"[=\s]", line)[0] in REQUIRED) + "\n"


def readme(key: Key, masters: list[Master]) -> str:
    rows = [
        f"- `{task.slug}`: `{task.name}`, {task.points:g} points. {task.title}"
        for task in key.tasks
    ]
    files = "\n".join(f"- `{m.slug}/{m.slug}.ipynb` (or the `.md`)" for m in masters)
    return README.format(
        title=key.title,
        tasks="\n".join(rows),
        due=f"\nDue: {key.due}\n" if key.due else "",
        first=masters[0].slug,
        folder=FOLDER,
        files=files,
    )
