"""Files under `data/`, read only if they are what the repository was written with."""

import hashlib
from pathlib import Path

DATA = Path(__file__).resolve().parent.parent / "data"


def read_verified(name: str, sha256: str, folder: Path = DATA) -> bytes:
    """Return the bytes of a file under `data/`.

    Args:
        name: the file's name.
        sha256: the SHA-256 of its content, in hexadecimal digits; `data/README.md` has it too.
        folder: where the file is.

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
    found = hashlib.sha256(content).hexdigest()
    if found != sha256:
        raise ValueError(
            f"data/{name} has the SHA-256 {found[:12]}… and {sha256[:12]}… was expected, so its "
            f"content has changed ({len(content)} bytes now) and results would be other ones. "
            f"Restore it: {restore}, {remake}"
        )
    return content
