"""The files of data/, read only if they are what data/README.md says they are."""

import hashlib
import json
import re
from pathlib import Path
from typing import Any

DATA = Path(__file__).resolve().parent.parent / "data"


def read_file(name: str, folder: Path = DATA) -> bytes:
    """Return the bytes of a file under `data/`.

    Args:
        name: the file's name.
        folder: where the file is, and a README.md with the SHA-256 of its content.

    Raises:
        FileNotFoundError: the file is missing.
        ValueError: its content is another one. Both messages say how to restore it.
    """
    file, restore = folder / name, f"`git checkout -- data/{name}`"
    remake = "or make it again with the command in data/README.md."
    if not file.exists():
        raise FileNotFoundError(
            f"data/{name} is missing, and the lesson computes from it. Restore it: {restore}, "
            f"{remake}"
        )
    content = file.read_bytes()
    expected, found = checksum_of(name, folder), hashlib.sha256(content).hexdigest()
    if found != expected:
        raise ValueError(
            f"data/{name} has the SHA-256 {found[:12]}… and {expected[:12]}… was expected, so its "
            f"content has changed ({len(content)} bytes now) and results would be other ones. "
            f"Restore it: {restore}, {remake}"
        )
    return content


def read_record(name: str, folder: Path = DATA) -> Any:
    """Return what a JSON file under `data/` holds; its README says what the keys mean.

    Raises:
        FileNotFoundError, ValueError: as `read_file`.
    """
    return json.loads(read_file(name, folder))


def checksum_of(name: str, folder: Path = DATA) -> str:
    """Return the SHA-256 that `README.md` in the folder gives for a file.

    Raises:
        ValueError: it has no entry of that name, or none with a checksum.
    """
    readme = (folder / "README.md").read_text(encoding="utf-8")
    entry = re.search(rf"^## {re.escape(name)}\n(.*?)(?=^## |\Z)", readme, re.M | re.S)
    found = entry and re.search("SHA-256: `([0-9a-f]{64})`", entry[1])
    if not found:
        raise ValueError(
            f"data/README.md has no entry `## {name}` with a line SHA-256: `…`, so nothing says "
            "what the file should be. Restore it: `git checkout -- data/README.md`."
        )
    return found[1]
