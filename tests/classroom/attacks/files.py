"""Attacks that never reach the sandbox: notebooks, archives and names."""

import io
import json
import stat
import zipfile


def cells(*sources, **more) -> bytes:
    listed = [{"cell_type": "code", "source": s, "metadata": {}, "outputs": []} for s in sources]
    return json.dumps({"cells": listed, "nbformat": 4, "nbformat_minor": 5, **more}).encode()


MANY = 4_000_000
NO_TASK = "No cell of a task"

# name → (file name, bytes, what the reason says)
NOTEBOOKS = {
    "spaces after a cell's mark": ("a.py", b"x = 1\n# %%" + b" " * MANY, NO_TASK),
    "brackets after a cell's mark": ("a.py", b"x = 1\n# %%" + b"[markdow" * (MANY // 8), NO_TASK),
    "spaces after TASK": ("a.py", b"# TASK:" + b" " * MANY + b"!", NO_TASK),
    "spaces after def": ("a.py", b"def" + b" " * MANY + b"!", NO_TASK),
    "spaces after async": ("a.py", b"async" + b" " * MANY + b"def", NO_TASK),
    "a million lines": ("a.py", b"#\n" * (MANY // 2), "empty|No cell"),
    "backticks alone": ("a.md", b"`" * MANY, NO_TASK),
    "a million fences": ("a.md", b"```python\n```\n" * (MANY // 14), "at most 2000"),
    "spaces after a fence": ("a.md", b"```" + b" " * MANY + b"{", NO_TASK),
    "deep lists": ("a.ipynb", b'{"cells": ' + b"[" * MANY, "no readable notebook"),
    "deep mappings": ("a.ipynb", b'{"cells":' * (MANY // 9), "no readable notebook"),
    "a long number": ("a.ipynb", b'{"cells": ' + b"9" * MANY + b"}", "no readable notebook"),
    "a million cells": ("a.ipynb", b'{"cells": [' + b"{}," * (MANY // 3) + b"{}]}", NO_TASK),
    "2001 cells": ("a.ipynb", cells(*["x"] * 2001), "at most 2000"),
    "cells of other kinds": (
        "a.ipynb",
        b'{"cells": [1, null, [], "x", {"cell_type": []}]}',
        NO_TASK,
    ),
    "a source of anything": ("a.ipynb", cells({"a": 1}, [1, None, ["x"]], 7, None), NO_TASK),
    "an id and no code": (
        "a.ipynb",
        b'{"cells": [{"cell_type": "markdown", "id": "task-input_gradient", "source": "x"}]}',
        NO_TASK,
    ),
    "identities of any kind": (
        "a.ipynb",
        b'{"cells": [{"cell_type": "code", "id": {"task-": 1}, "metadata": [], "source": "x"}]}',
        NO_TASK,
    ),
    "NaN for cells": ("a.ipynb", b'{"cells": NaN}', "no list of cells"),
    "more than is read": ("a.ipynb", b" " * (6 << 20), "at most"),
    "nothing": ("a.ipynb", b"\xef\xbb\xbf \r\n\x00", "empty|no notebook"),
    "an archive by another name": ("a.ipynb", b"PK\x03\x04" + b"\0" * 100, "no notebook"),
    "a pickle by another name": ("a.ipynb", b"cos\nsystem\n(S'touch pwned'\ntR.", "no notebook"),
    "half a wide character": ("a.py", b"\xff\xfe#", "empty|No cell|no encoding"),
    "a name that leads away": ("../../../etc/passwd", b"x = 1", "is not read"),
    "a name of control characters": ("a.\x1b[31m<b>", b"x = 1", "is not read"),
}


def member(name: str, mode: int = stat.S_IFREG | 0o644) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name)
    info.create_system, info.external_attr = 3, mode << 16
    info.compress_type = zipfile.ZIP_DEFLATED
    return info


def archive(*members: tuple[str | zipfile.ZipInfo, bytes]) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as opened:
        for name, data in members:
            opened.writestr(name, data)
    return made.getvalue()


NB = cells("x = 1")
HIJACK = b'"submission_1":\n  :submitters:\n  - :sid: grace\n'
HIJACK += b'"submission_2":\n  :submitters:\n  - :sid: ada\n'

# name → what Grace puts into her own archive or folder. Nothing of it may count as Ada's.
PARCELS = {
    "a path that leads away": [("../ada.ipynb", NB), ("x/../../ada/a.ipynb", NB)],
    "an absolute path": [("/ada.ipynb", NB), ("C:\\ada.ipynb", NB), ("\\ada.ipynb", NB)],
    "a link to the key": [(member("a.ipynb", stat.S_IFLNK | 0o777), b"/teacher/key.json")],
    "a device": [(member("a.ipynb", stat.S_IFCHR | 0o666), b"")],
    "archives in archives": [("a.zip", archive(("b.zip", archive(("ada.ipynb", NB)))))],
    "a file of zeros": [("a.ipynb", bytes(80 << 20))],
    "many files of zeros": [(f"{n}.ipynb", bytes(4 << 20)) for n in range(30)],
    "an archive with a damaged list": [("b.zip", archive(("a.ipynb", NB))[:-30])],
    "control characters": [("a\n.ipynb", NB), ("\u202eada.ipynb", NB)],
    "Ada's name after Canvas's fashion": [("lovelaceada_102_1_a.ipynb", NB)],
    "Ada's name after Moodle's fashion": [("Ada Lovelace_4711_assignsubmission_file_/a.ipynb", NB)],
    "Ada's folder": [("ada/a.ipynb", NB), ("ada.ipynb", NB)],
    "Gradescope's list": [("submission_metadata.yml", HIJACK), ("submission_1/a.ipynb", NB)],
    "a list that builds objects": [
        ("submission_metadata.yml", b"!!python/object/apply:os.system ['touch pwned']")
    ],
}
