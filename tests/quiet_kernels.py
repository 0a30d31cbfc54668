"""A pytest plugin (`-p tests.quiet_kernels`): nbval's kernels start as those of `make sync` do."""

import atexit
import shutil
import tempfile
from pathlib import Path

from classroom.quiet import quiet_kernels

folder = tempfile.mkdtemp()
atexit.register(shutil.rmtree, folder, ignore_errors=True)
quiet_kernels(Path(folder))
