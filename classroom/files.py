"""Writes a file whole or not at all."""

import contextlib
import os
import tempfile
from pathlib import Path


def write_text(text: str, file: Path) -> bool:
    """Replace a file's text, in UTF-8 with plain line ends, in one step. True if it changed."""
    return write_bytes(text.encode("utf-8"), file)


def write_bytes(content: bytes, file: Path) -> bool:
    """Replace a file's content in one step. True if it changed."""
    if file.exists() and file.read_bytes() == content:
        return False
    handle, name = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}.")
    try:
        with os.fdopen(handle, "wb") as draft:
            draft.write(content)
        os.chmod(name, 0o644)
        os.replace(name, file)
    except BaseException:
        with contextlib.suppress(OSError):
            os.remove(name)
        raise
    return True
