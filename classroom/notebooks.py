"""A notebook from its Markdown source: read, executed, cleaned, and written whole or not at all."""

import hashlib
import re
from pathlib import Path

import jupytext
import nbformat
from jupyter_client.kernelspec import KernelSpecManager
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

from classroom.files import write_text
from classroom.messages import Stop
from classroom.stubs import task_of_cell

CELL_SECONDS = 120
KERNEL = "python3"
ANSI = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")


def read_source(source: Path) -> nbformat.NotebookNode:
    """The notebook that a Markdown file describes, with cell ids that do not change.

    Raises:
        Stop: the file is no notebook or asks for a kernel that the environment lacks.
    """
    name = f"{source.parent.name}/{source.name}"
    try:
        notebook = jupytext.read(source)
    except Exception as error:
        raise Stop(f"{name} cannot be read as a notebook: {error}") from error
    kernel = notebook.metadata.get("kernelspec", {}).get("name", KERNEL)
    if kernel not in KernelSpecManager().get_all_specs():
        raise Stop(f"{name}: the kernel `{kernel}` is not here; the lessons run on `{KERNEL}`.")
    for index, cell in enumerate(notebook.cells):
        task = task_of_cell(cell.source) if cell.cell_type == "code" else None
        cell.id = f"task-{task}" if task else f"cell-{index:02d}"
    notebook.metadata["language_info"] = {"name": "python"}
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    return notebook


def read_notebook(file: Path) -> nbformat.NotebookNode:
    """Read a stored notebook.

    Raises:
        Stop: the file is damaged.
    """
    try:
        return nbformat.read(file, as_version=4)
    except Exception as error:
        raise Stop(
            f"{file.parent.name}/{file.name} is damaged ({type(error).__name__}). Its source is "
            f"{file.with_suffix('.md').name}: delete the .ipynb and run `make sync`."
        ) from error


def execute(notebook: nbformat.NotebookNode, folder: Path) -> nbformat.NotebookNode:
    """Run every cell in `folder`; the outputs are stored in the notebook and cleaned.

    Raises:
        Stop: a cell raised; the message names the cell and the error.
    """
    client = NotebookClient(
        notebook,
        timeout=CELL_SECONDS,
        kernel_name=KERNEL,
        record_timing=False,
        coalesce_streams=True,  # a busy kernel may send one line in two messages
        resources={"metadata": {"path": str(folder)}},
    )
    try:
        client.execute()
    except CellExecutionError as error:
        raise Stop(f"{folder.name}: a cell failed.\n{ANSI.sub('', str(error))}") from error
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)
        for output in cell.get("outputs", []):
            clean_output(output)
    return notebook


def clean_output(output: nbformat.NotebookNode) -> None:
    """Drop colour codes; they differ between terminals and mean nothing on a page."""
    if "text" in output:
        output.text = ANSI.sub("", output.text)
    if "traceback" in output:
        output.traceback = [ANSI.sub("", line) for line in output.traceback]


def digest(notebook: nbformat.NotebookNode) -> str:
    """A fingerprint of what people write in a notebook: its cells' types and sources."""
    text = "\x1e".join(f"{c.cell_type}\x1f{c.source.rstrip()}" for c in notebook.cells)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def refuse_if_edited(stored: Path, source: nbformat.NotebookNode) -> None:
    """Stop if a stored notebook holds edits that its Markdown source lacks.

    A generated notebook carries the digest of its cells. If its cells no longer match it, nor
    the source as it is now, then somebody edited the notebook alone.
    """
    if not stored.exists():
        return
    notebook = read_notebook(stored)
    has = digest(notebook)
    if has in (notebook.metadata.get("synced"), digest(source)):
        return
    name = f"{stored.parent.name}/{stored.name}"
    raise Stop(
        f"{name} and {stored.with_suffix('.md').name} disagree: the notebook has edits that the "
        f"Markdown lacks. Save it once in JupyterLab, which writes both, or delete the .ipynb."
    )


def write_notebook(notebook: nbformat.NotebookNode, file: Path) -> bool:
    """Write a notebook whole or not at all. True if the file changed."""
    notebook.metadata["synced"] = digest(notebook)
    nbformat.validate(notebook)
    return write_text(nbformat.writes(notebook) + "\n", file)
