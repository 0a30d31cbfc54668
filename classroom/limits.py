"""What one submission may use, and the control groups that hold it to that where they are there.

Standard library only: the sandbox's worker reads this file too.
"""

import contextlib
import itertools
import os
import resource
from dataclasses import dataclass
from pathlib import Path

CGROUPS = Path("/sys/fs/cgroup")
numbers = itertools.count()


@dataclass(frozen=True)
class Limits:
    """Limits of one submission; sizes in bytes, times in seconds."""

    seconds: float = 60.0  # wall time of all its probes, after TensorFlow is imported
    call: float = 20.0  # wall time of one probe
    start: float = 120.0  # wall time of the sandbox's own start: nothing of the student's runs yet
    memory: int = 4 << 30
    processes: int = 64  # threads count as processes
    files: int = 32 << 20  # one file, and all of them together
    observations: int = 1 << 20
    notebook: int = 5 << 20


def limit_process(limits: Limits) -> None:
    """Set the limits that a process carries with it. Neither it nor its children can lift them."""
    cpu = int(limits.seconds) + 5
    for what, most in (
        (resource.RLIMIT_AS, limits.memory),
        (resource.RLIMIT_CPU, cpu),
        (resource.RLIMIT_NPROC, limits.processes),
        (resource.RLIMIT_FSIZE, limits.files),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_NOFILE, 256),
        (resource.RLIMIT_MEMLOCK, 1 << 20),
        (resource.RLIMIT_MSGQUEUE, 0),
    ):
        _, hard = resource.getrlimit(what)
        most = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(what, (most, most))


class Cgroup:
    """Control groups for one sandbox: its memory and its processes, all together.

    Works with cgroup v1 and v2, as root or where a part of the tree is the user's own (systemd
    gives a session one). Where none can be made, `files` is empty, and the limits that each
    process carries are what is left: RLIMIT_AS for one process, RLIMIT_NPROC for their number.
    """

    def __init__(self, limits: Limits) -> None:
        self.folders: list[Path] = []
        name = f"classroom-{os.getpid()}-{next(numbers)}"
        memory, processes = str(limits.memory), str(limits.processes)
        unified = {"memory.max": memory, "memory.swap.max": "0", "pids.max": processes}
        if not self.make(v2_parents(), name, unified, ("memory.max", "pids.max")):
            self.make(v1_parents("memory"), name, {"memory.limit_in_bytes": memory})
            self.make(v1_parents("pids"), name, {"pids.max": processes})

    def make(
        self, parents: list[Path], name: str, values: dict[str, str], needed: tuple = ()
    ) -> bool:
        for parent in parents:
            folder = parent / name
            try:
                folder.mkdir()
            except OSError:
                continue
            try:
                for file, value in values.items():
                    if file in needed or (folder / file).exists():
                        (folder / file).write_text(value)
                if not (folder / "cgroup.procs").exists():
                    raise OSError("no control group")
            except OSError:
                with contextlib.suppress(OSError):
                    folder.rmdir()
                continue
            self.folders.append(folder)
            return True
        return False

    @property
    def files(self) -> list[str]:
        """The files that a process writes its number into to be held."""
        return [str(folder / "cgroup.procs") for folder in self.folders]

    def peak(self) -> int:
        """The most memory that was in use at a time, in bytes; 0 where nothing counted it."""
        for folder in self.folders:
            for file in ("memory.peak", "memory.max_usage_in_bytes"):
                with contextlib.suppress(OSError, ValueError):
                    return int((folder / file).read_text())
        return 0

    def remove(self) -> None:
        """Remove the groups; they are empty when the sandbox's processes have ended."""
        for folder in self.folders:
            with contextlib.suppress(OSError):
                folder.rmdir()


def own_groups() -> dict[str, str]:
    """The control groups of this process: the controllers' names and the path."""
    try:
        lines = Path("/proc/self/cgroup").read_text().splitlines()
    except OSError:
        return {}
    return {line.split(":", 2)[1]: line.split(":", 2)[2] for line in lines}


def v2_parents() -> list[Path]:
    root = CGROUPS / "unified" if (CGROUPS / "unified").exists() else CGROUPS
    if not (root / "cgroup.controllers").exists():
        return []
    own = root / own_groups().get("", "/").lstrip("/")
    return [*dict.fromkeys((own.parent if own != root else root, own, root))]


def v1_parents(controller: str) -> list[Path]:
    root = CGROUPS / controller
    if not root.exists():
        return []
    own = next((p for names, p in own_groups().items() if controller in names.split(",")), "/")
    return [*dict.fromkeys((root / own.lstrip("/"), root))]
