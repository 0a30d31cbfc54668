"""Keeps TensorFlow's own log lines out of the notebooks, where they would become outputs.

TensorFlow 2.21 writes two lines on stderr while it is imported, before it has read
TF_CPP_MIN_LOG_LEVEL. So the kernels of this repository import it once, at their start, with
stderr closed; the `import tensorflow as tf` of a lesson then finds it loaded, and is silent.
"""

import os
from pathlib import Path

# A GPU, or oneDNN's own order of summation, would change the last digits of stored outputs.
QUIET = {"TF_CPP_MIN_LOG_LEVEL": "3", "TF_ENABLE_ONEDNN_OPTS": "0", "CUDA_VISIBLE_DEVICES": "-1"}

KERNEL_CONFIG = """c = get_config()  # noqa: F821
c.Application.log_level = "ERROR"  # else each start warns that loopback TCP is not encrypted
c.IPKernelApp.exec_lines = [
    "import classroom.quiet; classroom.quiet.import_tensorflow(); del classroom"
]
"""


def import_tensorflow() -> None:
    """Import TensorFlow with file descriptor 2 closed to what its C++ side writes."""
    os.environ.update(QUIET)
    kept, nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)
    try:
        import tensorflow  # noqa: F401
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)


def write_kernel_config(folder: Path) -> None:
    """Make the kernels that read their configuration in `folder` quiet."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "ipython_kernel_config.py").write_text(KERNEL_CONFIG)


def quiet_kernels(folder: Path) -> None:
    """Make the kernels that this process starts quiet; their profile is put into `folder`."""
    write_kernel_config(folder / "profile_default")
    os.environ.update(QUIET, IPYTHONDIR=str(folder))
