"""Where students' code runs: a bubblewrap sandbox, or Docker where there is none.

What a submission meets: a file system of an allow-list, read-only (the system's libraries, the
interpreter, its packages, a handful of our modules; no home, no repository, no key, no /etc) and
one small writable folder in memory; no network, no environment, no capability, a uid without
rights, no system call that reaches other processes; limits (classroom.limits). Two modes:

- cold: one sandbox for each submission; TensorFlow is imported in it, and each group of probes is
  a forked process (classroom.worker has the protocol).
- warm: the same sandbox is kept, with a process that has imported TensorFlow and never runs a
  student's line. For each submission it forks a child into *fresh* mount, PID, network, IPC and
  UTS namespaces, which then gives up every right. Nothing of a submission outlives its namespace.

Trusted: the kernel, bubblewrap, this process, the sandbox's first process. Not trusted: everything
that comes over the channel after the supervisor's own frame. Out of reach of any such design: a
hole in the kernel, which host and sandbox share, and how a right value was found.
"""

import atexit
import contextlib
import importlib.util
import itertools
import json
import os
import re
import select
import shutil
import socket
import subprocess
import sys
import sysconfig
import tempfile
import time
from dataclasses import asdict, dataclass
from functools import cache
from importlib.metadata import version
from pathlib import Path

from classroom.environment import ROOT
from classroom.limits import Cgroup, Limits
from classroom.messages import Stop
from classroom.programs import whynone_files
from classroom.quiet import QUIET

MODULES = ("confine", "limits", "needed", "observation", "observe", "variants", "worker")
OURS = ("classroom", "solutions", "whynone")  # wherever they are installed, answers are in them
GRADER, SCRATCH = "/grader", "/scratch"
ENDED, DIED, TIMEOUT, TOO_LARGE = "ended", "died", "timeout", "too large"  # as in worker.py
GRACE = 10.0  # seconds beyond a job's own limit that the supervisor has to end it and answer
NOBODY, FIRST_UID, UIDS = 65534, 1_900_000_000, 100_000  # no account has so high a uid
uids = itertools.count()
IMAGE = "whynone-grader"
THREADS = {"TF_NUM_INTRAOP_THREADS": "1", "TF_NUM_INTEROP_THREADS": "1"}
THREADS |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
ENVIRON = {
    **QUIET,
    **THREADS,
    "HOME": SCRATCH,
    "TMPDIR": SCRATCH,
    "LANG": "C.UTF-8",
    "PYTHONHASHSEED": "0",  # a set's order, and so a message, is the same each time
    "KERAS_BACKEND": "tensorflow",
    "PATH": "/usr/bin",
}
START = "import sys, json; sys.path[:1] = json.loads(sys.argv[2]); "
START += "from classroom.worker import main; main(json.loads(sys.argv[1]))"

INSTALL = """Grading needs a sandbox, and bubblewrap is missing or not allowed here: {problem}
  Debian, Ubuntu   sudo apt install bubblewrap
  Fedora           sudo dnf install bubblewrap
  Ubuntu 24.04 on  sudo apt install apparmor-profiles && sudo ln -s \\
                   /usr/share/apparmor/extra-profiles/bwrap-userns-restrict /etc/apparmor.d/ && \\
                   sudo systemctl reload apparmor
  macOS, Windows   Docker: --docker says how to build the image
Or, for files you would run on your own account, --unsafe-no-sandbox: every grade is marked."""


class SandboxFailed(Exception):
    """The sandbox itself did not start or did not answer: nobody's answer is wrong by that."""


@dataclass(frozen=True)
class Outcome:
    """How one job ended: the supervisor's word, and the bytes of the student's process."""

    status: str  # classroom.worker's ENDED, DIED, TIMEOUT or TOO_LARGE; or "lost"
    payload: bytes
    seconds: float


class Session:
    """One submission in the sandbox. Close it, or use it in a `with` block."""

    def __init__(self, channel_in: int, channel_out: int, limits: Limits, end) -> None:
        self.channel_in, self.channel_out = channel_in, channel_out  # theirs, ours
        self.limits, self.end = limits, end
        self.ready = json.loads(self.receive(time.monotonic() + limits.start))

    def ask(self, job: dict, seconds: float) -> Outcome:
        """Send a job and wait for its answer, at most `seconds` and a little.

        Raises:
            SandboxFailed: the sandbox is gone; the session is of no more use.
        """
        job = {**job, "seconds": seconds}
        body = json.dumps(job).encode()
        deadline = time.monotonic() + seconds + GRACE
        self.send(len(body).to_bytes(4, "big") + body, deadline)
        head = json.loads(self.receive(deadline))
        return Outcome(head["status"], self.receive(deadline), head["seconds"])

    def send(self, body: bytes, deadline: float) -> None:
        left = memoryview(body)
        try:
            while left:
                wait_for([], [self.channel_in], deadline)
                left = left[os.write(self.channel_in, left[: 1 << 16]) :]
        except OSError as error:
            raise SandboxFailed(f"the sandbox ended ({error.strerror})") from error

    def receive(self, deadline: float) -> bytes:
        """One frame; its size is bounded by what may be observed."""
        size = int.from_bytes(self.read(4, deadline), "big")
        if size > self.limits.observations + 4096:
            raise SandboxFailed("the sandbox sent more than it may")
        return self.read(size, deadline)

    def read(self, size: int, deadline: float) -> bytes:
        body = bytearray()
        while len(body) < size:
            wait_for([self.channel_out], [], deadline)
            try:
                piece = os.read(self.channel_out, min(size - len(body), 1 << 16))
            except OSError as error:
                raise SandboxFailed(f"the sandbox ended ({error.strerror})") from error
            if not piece:
                raise SandboxFailed("the sandbox ended")
            body += piece
        return bytes(body)

    def close(self) -> None:
        end, self.end = self.end, None
        if end:
            end()

    def __enter__(self) -> "Session":
        return self

    def __exit__(self, *_) -> None:
        self.close()


def wait_for(read: list[int], write: list[int], deadline: float) -> None:
    left = deadline - time.monotonic()
    if left <= 0 or not any(select.select(read, write, [], left)):
        raise SandboxFailed("the sandbox did not answer in time")


class Sandbox:
    """A place for submissions, one at a time: `with sandbox.session() as session: …`.

    Args:
        limits: what one submission may use.
        warm: keep an imported TensorFlow between submissions (bubblewrap only).
        kind: "bubblewrap", "docker" or "none" (no sandbox at all: grades are marked).
        hide: folders that must not be visible even if they lie inside /usr, such as the key's.

    Raises:
        Stop: there is no such sandbox here; the message says how to install one.
    """

    def __init__(
        self,
        limits: Limits | None = None,
        warm: bool = False,
        kind: str = "bubblewrap",
        hide: tuple[Path, ...] = (),
    ) -> None:
        self.limits, self.warm, self.kind, self.hide = limits or Limits(), warm, kind, hide
        self.kept: Process | None = None
        self.peak = 0
        if kind == "bubblewrap":
            problem = bubblewrap_problem()
            if problem:
                raise Stop(INSTALL.format(problem=problem))
        elif warm:
            raise Stop("Warm grading needs bubblewrap; leave --warm out.")
        elif kind == "docker" and docker_problem():
            raise Stop(docker_problem())

    @property
    def safe(self) -> bool:
        return self.kind != "none"

    def session(self) -> Session:
        """Begin one submission.

        Raises:
            SandboxFailed: the sandbox did not start.
        """
        if self.warm:
            return self.warm_session()
        process = Process(self, warm=False)
        try:
            pipe_in, pipe_out = process.popen.stdin.fileno(), process.popen.stdout.fileno()
            return Session(pipe_in, pipe_out, self.limits, process.end)
        except SandboxFailed as error:
            raise SandboxFailed(f"{error}. {process.end()}".strip()) from error

    def warm_session(self) -> Session:
        if self.kept is None:
            self.kept = Process(self, warm=True)
            try:
                control = self.kept.control.fileno()
                Session(control, control, self.limits, None)
            except SandboxFailed as error:
                raise SandboxFailed(f"{error}. {self.close()}".strip()) from error
        ours, theirs = socket.socketpair()

        def end() -> None:
            ours.close()  # the supervisor reads the end, and its namespace goes with it
            try:
                deadline = time.monotonic() + GRACE
                wait_for([self.kept.control.fileno()], [], deadline)
                if self.kept.control.recv(1) != b".":
                    raise SandboxFailed("the warm sandbox ended")
            except (SandboxFailed, OSError):
                self.close()

        try:
            socket.send_fds(self.kept.control, [b"!"], [theirs.fileno()])
            theirs.close()
            return Session(ours.fileno(), ours.fileno(), self.limits, end)
        except (SandboxFailed, OSError) as error:
            ours.close()
            raise SandboxFailed(f"{error}. {self.close()}".strip()) from error

    def close(self) -> str:
        """End what is kept between submissions; what it wrote to stderr."""
        kept, self.kept = self.kept, None
        return kept.end() if kept else ""

    def __enter__(self) -> "Sandbox":
        return self

    def __exit__(self, *_) -> None:
        self.close()


class Process:
    """A started sandbox: its process, its control groups, and how to end both."""

    def __init__(self, sandbox: Sandbox, warm: bool) -> None:
        self.sandbox = sandbox
        self.errors = tempfile.TemporaryFile()  # noqa: SIM115 — lives as long as the process
        self.folder = tempfile.TemporaryDirectory() if sandbox.kind == "none" else None
        self.cgroup = Cgroup(sandbox.limits) if sandbox.kind == "bubblewrap" else None
        self.control, theirs = socket.socketpair() if warm else (None, None)
        settings = {
            "limits": asdict(sandbox.limits),
            "warm": warm,
            "alone": sandbox.kind != "none",
            "uid": free_uid(),
        }
        command = commands(sandbox, settings)
        if self.cgroup and self.cgroup.files:
            command = [*joining(self.cgroup.files), *command]
        self.popen = subprocess.Popen(
            command,
            stdin=theirs if warm else subprocess.PIPE,
            stdout=subprocess.DEVNULL if warm else subprocess.PIPE,
            stderr=self.errors,
            cwd=self.folder.name if self.folder else "/",
            env=self.environ(),
            start_new_session=True,
            bufsize=0,
        )
        if theirs:
            theirs.close()

    def environ(self) -> dict[str, str]:
        """Without a sandbox, the answers' environment; with one, that of its command."""
        if self.folder is None:
            return dict(os.environ)
        return {**ENVIRON, "HOME": self.folder.name, "TMPDIR": self.folder.name}

    def end(self) -> str:
        """Kill the sandbox with all that is in it; the last line it wrote to stderr."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.popen.pid, 9)  # bubblewrap's child dies with it, and its namespace too
        self.popen.wait()
        for stream in (self.popen.stdin, self.popen.stdout, self.control):
            if stream:
                with contextlib.suppress(OSError):
                    stream.close()
        if self.cgroup:
            self.sandbox.peak = max(self.sandbox.peak, self.cgroup.peak())
            wait_until_empty(self.cgroup)
            self.cgroup.remove()
        self.errors.seek(0)
        said = self.errors.read(100_000).decode(errors="replace").strip()
        self.errors.close()
        if self.folder:
            self.folder.cleanup()
        lines = [line for line in said.splitlines() if line.strip()]
        return lines[-1][:300] if lines else ""


def wait_until_empty(cgroup: Cgroup, seconds: float = 5.0) -> None:
    """Wait until the kernel has removed the killed processes."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        try:
            if not any(Path(file).read_text().strip() for file in cgroup.files):
                return
        except OSError:
            return
        time.sleep(0.005)


def joining(files: list[str]) -> list[str]:
    """A command that enters control groups and becomes the command that follows."""
    script = 'n=$1; shift; while [ "$n" -gt 0 ]; do echo 0 > "$1"; shift; n=$((n-1)); done; '
    return ["/bin/sh", "-c", script + 'exec "$@"', "sh", str(len(files)), *files]


def commands(sandbox: Sandbox, settings: dict) -> list[str]:
    """The command line that starts the sandbox's first process."""
    if sandbox.kind == "docker":
        return docker_command(settings, sandbox.limits)
    if sandbox.kind == "none":
        paths = json.dumps([str(grader_folder())])
        return [sys.executable, "-s", "-B", "-c", START, json.dumps(settings), paths]
    return bubblewrap_command(settings, sandbox.limits, sandbox.hide)


def bubblewrap_command(settings: dict, limits: Limits, hide: tuple[Path, ...] = ()) -> list[str]:
    """bubblewrap with the allow-list; the interpreter without site, on these packages only."""
    root = os.geteuid() == 0
    command = ["bwrap", "--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts"]
    command += ["--unshare-cgroup-try", "--as-pid-1", "--die-with-parent", "--new-session"]
    command += ["--cap-drop", "ALL"]
    # The first process makes its file systems, gives its rights up, and only then forks.
    rights = ["CAP_SYS_ADMIN"] + (["CAP_SETUID", "CAP_SETGID", "CAP_SETPCAP"] if root else [])
    for right in rights:
        command += ["--cap-add", right]
    if not root:
        command += ["--unshare-user", "--uid", str(NOBODY), "--gid", str(NOBODY)]
    command += ["--hostname", "sandbox", "--clearenv"]
    for name, value in ENVIRON.items():
        command += ["--setenv", name, value]
    command += file_system(limits, hide)
    paths = json.dumps([GRADER, *map(str, package_folders())])
    return [*command, "--chdir", SCRATCH, interpreter(), "-s", "-S", "-B", "-c", START,
            json.dumps(settings), paths]  # fmt: skip


def file_system(limits: Limits, hide: tuple[Path, ...]) -> list[str]:
    """The options that build the allow-list, outer folders before inner ones."""
    size = ["--size", str(limits.files)] if bubblewrap_version() >= (0, 7) else []
    rows = ["--proc", "/proc", "--dev", "/dev", "--remount-ro", "/dev"]
    rows += ["--perms", "1777", *size, "--tmpfs", SCRATCH]
    shown = visible()
    # A checkout may lie below a folder that is shown, in a container's image: it is covered again.
    secret = {folder.resolve() for folder in (*hide, ROOT, Path.home())}
    secret |= {folder / name for folder in package_folders() for name in OURS}
    secret = {folder for folder in secret if folder.is_dir()}
    covered = {folder for folder in secret if any(folder.is_relative_to(path) for path in shown)}
    for folder in sorted({parent for path in shown for parent in path.parents[:-1]}):
        if not any(folder.is_relative_to(path) for path in shown):
            rows += ["--perms", "0755", "--dir", str(folder)]  # 0700 would stop the sandbox's uid
    for path in sorted({*shown, *covered}, key=lambda path: len(path.parts)):
        rows += ["--tmpfs", str(path)] if path in covered else ["--ro-bind", str(path), str(path)]
    for path in covered:
        rows += ["--remount-ro", str(path)]
    rows += ["--ro-bind", str(grader_folder()), GRADER]
    for link in ("lib", "lib32", "lib64"):
        if Path("/", link).is_symlink():
            rows += ["--symlink", os.readlink(Path("/", link)), f"/{link}"]
    if not any(path.is_relative_to("/tmp") for path in shown):
        rows += ["--symlink", SCRATCH, "/tmp"]
    return [*rows, "--remount-ro", "/"]


@cache
def visible() -> frozenset[Path]:
    """What of this machine's files a sandbox sees: libraries, the interpreter, its packages."""
    system = ["/usr/lib", "/usr/lib32", "/usr/lib64", "/lib", "/lib32", "/lib64"]
    system = [Path(name) for name in system if not Path(name).is_symlink()]
    prefix = Path(sys.base_prefix).resolve()
    own = [prefix / "lib", prefix / "lib64", Path(interpreter()), Path("/etc/ld.so.cache")]
    every = (*system, *own, *package_folders())
    return frozenset(path.resolve() for path in every if path.exists())


@cache
def package_folders() -> tuple[Path, ...]:
    """The folders of installed packages that hold TensorFlow, Keras and NumPy."""
    folders = [Path(sysconfig.get_path(name)) for name in ("purelib", "platlib")]
    for name in ("tensorflow", "keras", "numpy"):
        found = importlib.util.find_spec(name)
        if found is None:
            raise Stop(f"Grading runs answers that need {name}, and it is not installed here.")
        folders.append(Path(found.origin).parent.parent)
    return tuple(dict.fromkeys(folder.resolve() for folder in folders if folder.exists()))


def interpreter() -> str:
    """This Python itself, behind any virtual environment."""
    return os.path.realpath(getattr(sys, "_base_executable", None) or sys.executable)


@cache
def grader_folder() -> Path:
    """A folder of what travels: the modules that run a probe, and whynone without answers."""
    here, folder = Path(__file__).parent, Path(tempfile.mkdtemp(prefix="classroom-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    files = {f"classroom/{name}.py": (here / f"{name}.py").read_text("utf-8") for name in MODULES}
    files["classroom/__init__.py"] = ""
    for name, text in {**files, **whynone_files()}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, "utf-8")
    for path in (folder, *folder.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)  # the sandbox has a uid of its own
    return folder


def docker_command(settings: dict, limits: Limits, image: str = IMAGE) -> list[str]:
    """The same sandbox as a container: its image holds Python and the three packages."""
    command = ["docker", "run", "--rm", "--interactive", "--network", "none", "--read-only"]
    command += ["--user", f"{NOBODY}:{NOBODY}", "--cap-drop", "ALL", "--ipc", "private"]
    command += ["--security-opt", "no-new-privileges", "--hostname", "sandbox"]
    command += ["--memory", str(limits.memory), "--memory-swap", str(limits.memory)]
    command += ["--pids-limit", str(limits.processes), "--ulimit", f"fsize={limits.files}"]
    command += ["--ulimit", "core=0", "--workdir", SCRATCH]
    command += ["--tmpfs", f"{SCRATCH}:rw,nosuid,nodev,mode=1777,size={limits.files}"]
    for name, value in ENVIRON.items():
        command += ["--env", f"{name}={value}"]
    command += ["--mount", f"type=bind,source={grader_folder()},target={GRADER},readonly"]
    started = ["python", "-B", "-c", START, json.dumps(settings), json.dumps([GRADER])]
    return [*command, image, *started]


def docker_image() -> str:
    """The Dockerfile of the image: `docker build -t whynone-grader - < Dockerfile`."""
    packages = " ".join(f"{name}=={version(name)}" for name in ("tensorflow", "keras", "numpy"))
    python = ".".join(map(str, sys.version_info[:2]))
    return f"FROM python:{python}-slim\nRUN pip install --no-cache-dir {packages}\n"


def docker_problem() -> str:
    """Why Docker cannot be used here; "" if it can."""
    if not shutil.which("docker"):
        return "There is no command `docker` here."
    found = subprocess.run(["docker", "image", "inspect", IMAGE], capture_output=True, text=True)
    if found.returncode == 0:
        return ""
    if "No such image" not in found.stderr:
        return f"Docker does not answer: {found.stderr.strip()[:200]}"
    return (
        f"There is no image `{IMAGE}`. Save these lines as Dockerfile and run\n"
        f"`docker build -t {IMAGE} - < Dockerfile`:\n{docker_image()}"
    )


@cache
def bubblewrap_version() -> tuple[int, ...]:
    """bubblewrap's version, or () where there is none."""
    if not shutil.which("bwrap"):
        return ()
    said = subprocess.run(["bwrap", "--version"], capture_output=True, text=True).stdout
    return tuple(map(int, re.findall(r"\d+", said)))


@cache
def bubblewrap_problem() -> str:
    """Why bubblewrap cannot be used here; "" if it can."""
    if sys.platform != "linux":
        return "it exists for Linux only."
    if not bubblewrap_version():
        return "there is no command `bwrap`."
    if bubblewrap_version() < (0, 5):
        return f"version {bubblewrap_version()} is too old; 0.5 is the first that will do."
    rows = ["--unshare-pid", "--unshare-net", "--unshare-ipc", "--ro-bind", "/", "/"]
    tried = subprocess.run(["bwrap", *rows, "true"], capture_output=True, text=True)
    return "" if tried.returncode == 0 else (tried.stderr.strip().splitlines() or ["it failed"])[-1]


def free_uid() -> int:
    """As root: a uid of this sandbox's own, so that RLIMIT_NPROC counts nothing else. Else nobody.

    Only root can take it; another user's sandbox maps that user to nobody.
    """
    wanted = FIRST_UID + (os.getpid() * 31 + next(uids)) % UIDS
    with contextlib.suppress(OSError, ValueError):
        for line in Path("/proc/self/uid_map").read_text().splitlines():
            first, _, length = map(int, line.split())
            if first <= wanted < first + length:
                return wanted
    return NOBODY
