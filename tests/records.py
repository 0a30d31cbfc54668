"""Writes a file of data/ together with its checksum in data/README.md."""

import hashlib
from pathlib import Path

from classroom.files import write_bytes, write_text
from solutions.data_files import DATA, checksum_of


def write_data(name: str, content: str | bytes, folder: Path = DATA) -> None:
    """Write `content` into a file that `README.md` has an entry of, and renew its checksum there.

    Raises:
        ValueError: the README has no such entry. Nothing is written then.
    """
    content = content.encode() if isinstance(content, str) else content
    old, new = checksum_of(name, folder), hashlib.sha256(content).hexdigest()
    readme = folder / "README.md"
    write_bytes(content, folder / name)
    write_text(readme.read_text(encoding="utf-8").replace(old, new), readme)
