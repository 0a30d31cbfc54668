"""Inside the sandbox: runs a student's functions and says what came back.

    outside  ── job (JSON) ──▶  supervisor  ── fork ──▶  one process per group of probes
    outside  ◀── what that process wrote ──  supervisor  ◀── its own pipe ──┘

A *frame* is four bytes of length (big-endian) and that many bytes. The supervisor reads jobs from
its channel and answers each with two frames: `{"status", "seconds"}`, which is its own word, and
the bytes that the student's process wrote to its pipe, unread. It is the first process of its PID
namespace (so nothing inside can kill it), it has imported TensorFlow and never executes an
operation (after the first one a fork may hang), and it never looks at anything a student made.

The student's process gets one job: the sources, and a group of probes' programs. It makes the
arguments before it executes the student's code, calls the function, and writes a frame with the
observation of each probe. What it can forge is thus what it says of its *own* return value; to be
judged right it must name the right value, and no expected value is anywhere in the sandbox. It
holds no channel but that pipe. When it ends, or its time does, everything in the namespace that
is not the supervisor is killed, and its files are removed.
"""

import base64
import contextlib
import gc
import json
import os
import resource
import select
import signal
import socket
import stat
import sys
import time
import traceback
import types

from classroom import confine
from classroom.limits import Limits, limit_process

SCRATCH = "/scratch"
LOOK = 0.2  # seconds
ENDED, DIED, TIMEOUT, TOO_LARGE = "ended", "died", "timeout", "too large"


def main(settings: dict) -> None:
    """Start as the sandbox's first process. `settings` is made by classroom.sandbox."""
    limits = Limits(**settings["limits"])
    channel_in, channel_out = os.dup(0), os.dup(1)
    lead_nowhere(0, 1)  # 2 takes what goes wrong while the sandbox starts
    if settings["alone"]:
        confine.guard_supervisor()
    if settings["warm"]:
        import_everything()
        control = socket.socket(fileno=channel_in)
        os.close(channel_out)
        send_frame(control.fileno(), json.dumps(about_me()).encode())
        serve(control, limits, settings)
        return
    if settings["alone"]:
        with contextlib.suppress(OSError):  # bubblewrap has mounted one already
            confine.mount_scratch(SCRATCH, limits.files)
        confine.become(settings["uid"])
    limit_process(limits)
    import_everything()
    send_frame(channel_out, json.dumps(about_me()).encode())
    supervise(channel_in, channel_out, settings["alone"], limits.memory, open_proc())


def about_me() -> dict:
    return {"pid": os.getpid(), "uid": os.getuid()}


def own_memory(proc: int, pid: str) -> int:
    """The memory of a process that is no file's, swapped or shared too, in bytes.

    Args:
        proc: /proc, opened.
        pid: the process. Of one that has ended it is 0.
    """
    try:
        with open(
            f"{pid}/status", "rb", opener=lambda path, how: os.open(path, how, dir_fd=proc)
        ) as f:
            rows = dict(line.split(b":", 1) for line in f)
        return sum(int(rows[row].split()[0]) for row in (b"RssAnon", b"RssShmem", b"VmSwap")) << 10
    except (OSError, LookupError):
        return 0


def all_memory(proc: int) -> int:
    """The memory of the first process and of all others that /proc shows, in bytes.

    A forked process shares the first one's until it writes to it; that is not counted again.
    """
    first = own_memory(proc, "1")
    others = [name for name in os.listdir(proc) if name.isdigit() and name != "1"]
    return first + sum(max(own_memory(proc, pid) - first, 0) for pid in others)


def lead_nowhere(*descriptors: int) -> None:
    nowhere = os.open(os.devnull, os.O_RDWR)
    for number in descriptors:
        os.dup2(nowhere, number)
    os.close(nowhere)


def import_everything() -> None:
    """Import what every probe needs, and execute no operation."""
    import keras  # noqa: F401
    import tensorflow  # noqa: F401
    import whynone.api  # noqa: F401

    import classroom.needed
    import classroom.observe
    import classroom.variants  # noqa: F401

    gc.collect()
    gc.freeze()  # the collector of a forked process would otherwise touch, and so copy, it all


# ---- warm: one imported TensorFlow, fresh namespaces for each submission


def serve(control: socket.socket, limits: Limits, settings: dict) -> None:
    """For each channel that comes over `control`: a submission in namespaces of its own.

    This process keeps the right to make namespaces, and runs none but our code.
    """
    while True:
        message, channels, _, _ = socket.recv_fds(control, 1, 1)
        if not message:
            return
        keeper = os.fork()
        if keeper == 0:
            try:
                control.close()
                confine.enter_namespaces()
                first = os.fork()
                if first == 0:
                    begin_submission(channels[0], limits, settings)
                os.close(channels[0])
                os.waitpid(first, 0)
            except BaseException:
                traceback.print_exc()
            finally:
                os._exit(0)
        os.close(channels[0])
        os.waitpid(keeper, 0)
        control.sendall(b".")


def begin_submission(channel: int, limits: Limits, settings: dict) -> None:
    try:
        confine.guard_supervisor()
        confine.mount_scratch(SCRATCH, limits.files)
        proc = open_proc()  # of the warm process's namespace; it shows this submission's too
        confine.hide_proc()
        confine.become(settings["uid"])
        limit_process(limits)
        send_frame(channel, json.dumps(about_me()).encode())
        supervise(channel, channel, True, limits.memory, proc)
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(0)


# ---- the supervisor


def open_proc() -> int:
    return os.open("/proc", os.O_RDONLY | os.O_DIRECTORY)


def supervise(channel_in: int, channel_out: int, alone: bool, memory: int, proc: int) -> None:
    """Answer jobs until the channel closes.

    `alone` says that this is the first process of a PID namespace made for the submission, so
    that everything else in it may be killed. `proc` is closed where a student's code runs.
    """
    if alone and os.getpid() != 1:
        raise RuntimeError("not the first process of a namespace of its own")
    keep = {channel_in, channel_out, proc}
    watched = (memory, proc) if alone else None
    while True:
        raw = receive_frame(channel_in)
        if raw is None:
            return
        status, payload, seconds = run_group(raw, keep, alone, watched)
        head = json.dumps({"status": status, "seconds": round(seconds, 3)}).encode()
        send_frame(channel_out, head)
        send_frame(channel_out, payload)


def run_group(
    raw: bytes, channels: set[int], alone: bool, watched: tuple[int, int] | None
) -> tuple[str, bytes, float]:
    """Fork a process for one job, and return how it ended, what it wrote, and its time."""
    job = json.loads(raw)
    began = time.monotonic()
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            os.close(read)
            for channel in channels:
                os.close(channel)
            student_process(job, write, alone)
        finally:
            os._exit(70)
    os.close(write)
    try:
        status, payload = collect(pid, read, began + job["seconds"], job["bytes"], watched)
    finally:
        os.close(read)
        end_everything(pid, alone)
    return status, payload, time.monotonic() - began


def collect(
    pid: int, read: int, deadline: float, most: int, watched: tuple[int, int] | None
) -> tuple[str, bytes]:
    """Read until the process ends: a child of its own may hold the pipe open after that.

    `watched` is a limit on the memory that all processes together hold, and /proc, where that is
    looked at now and then: where there are no control groups, nothing else counts them together.
    """
    handle = os.pidfd_open(pid)
    os.set_blocking(read, False)
    payload = bytearray()
    waiting, look = [read, handle], time.monotonic() + LOOK
    try:
        while True:
            left = deadline - time.monotonic()
            if left <= 0:
                return TIMEOUT, bytes(payload)
            ready, _, _ = select.select(waiting, [], [], min(left, LOOK))
            if watched and time.monotonic() >= look:  # however busy the pipe is
                look = time.monotonic() + LOOK
                memory, proc = watched
                if all_memory(proc) > memory:
                    return DIED, bytes(payload)
            if read in ready:
                try:
                    piece = os.read(read, 1 << 16)
                except BlockingIOError:  # a process inside opened the pipe and was quicker
                    continue
                payload += piece
                if len(payload) > most:
                    return TOO_LARGE, b""
                if piece:
                    continue
                waiting.remove(read)
            if handle in ready:
                with contextlib.suppress(BlockingIOError):
                    while read in waiting and len(payload) <= most:
                        piece = os.read(read, 1 << 16)
                        if not piece:
                            break
                        payload += piece
                if len(payload) > most:
                    return TOO_LARGE, b""
                ended = os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
                well = ended.si_code == os.CLD_EXITED and ended.si_status == 0
                return (ENDED if well else DIED), bytes(payload)
    finally:
        os.close(handle)


def end_everything(pid: int, alone: bool) -> None:
    """Kill the student's process and whatever it started, and remove its files."""
    with contextlib.suppress(ProcessLookupError):
        if alone:
            os.kill(-1, signal.SIGKILL)  # all of this namespace but its first process: us
        else:
            os.killpg(pid, signal.SIGKILL)
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)  # not yet the leader of its group
    if not alone:
        os.waitpid(pid, 0)
        return
    with contextlib.suppress(ChildProcessError):
        while True:
            os.waitpid(-1, 0)
    with contextlib.suppress(OSError):
        empty(SCRATCH)
    if os.listdir(SCRATCH):  # no probe is to find what another has left: begin with a new sandbox
        os._exit(1)


def empty(folder: str) -> None:
    """Remove all that is in a folder. However deep it is, no path is long and nothing recurs."""
    while names := os.listdir(folder):
        for path in (os.path.join(folder, name) for name in names):
            if not is_folder(path):
                os.unlink(path)
                continue
            os.chmod(path, 0o700)
            for name in os.listdir(path):
                inner = os.path.join(path, name)
                if is_folder(inner):
                    os.chmod(inner, 0o700)
                    os.rename(inner, os.path.join(folder, os.urandom(16).hex()))
                else:
                    os.unlink(inner)
            os.rmdir(path)


def is_folder(path: str) -> bool:
    return stat.S_ISDIR(os.lstat(path).st_mode)


def receive_frame(channel: int) -> bytes | None:
    """The next frame, or None when the other end has closed."""
    head = receive(channel, 4)
    return None if head is None else receive(channel, int.from_bytes(head, "big"))


def receive(channel: int, size: int) -> bytes | None:
    pieces = bytearray()
    while len(pieces) < size:
        piece = os.read(channel, min(size - len(pieces), 1 << 20))
        if not piece:
            return None
        pieces += piece
    return bytes(pieces)


def send_frame(channel: int, body: bytes) -> None:
    left = memoryview(len(body).to_bytes(4, "big") + body)
    while left:
        left = left[os.write(channel, left) :]


# ---- the student's process: from here on nothing is trusted


def student_process(job: dict, pipe: int, alone: bool) -> None:
    os.setsid()
    lead_nowhere(0, 1, 2)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2):
        signal.signal(number, signal.SIG_DFL)
    if alone:
        os.chdir(SCRATCH)
        with contextlib.suppress(OSError):
            # Where memory runs out, the kernel is to take this process, not the supervisor.
            confine.prctl(confine.PR_SET_DUMPABLE, 1)
            with open("/proc/self/oom_score_adj", "w") as file:
                file.write("1000")
        confine.forbid_system_calls()
    else:
        confine.prctl(confine.PR_SET_PDEATHSIG, signal.SIGKILL)
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    cpu = int(job["seconds"]) + 2
    cpu = cpu if hard == resource.RLIM_INFINITY else min(cpu, hard)
    resource.setrlimit(resource.RLIMIT_CPU, (cpu, cpu))
    for body in map(as_json, observations(job)):
        send_frame(pipe, body)
    os._exit(0)


def as_json(seen: dict) -> bytes:
    from classroom.observe import observe_exception

    try:
        return json.dumps(seen).encode()
    except BaseException as error:  # an integer of more digits than Python writes, say
        return json.dumps(observe_exception(error)).encode()


def observations(job: dict):
    """Yield what the student's function does on each probe of the job, in order."""
    import keras

    from classroom.observe import observe, observe_exception
    from classroom.variants import arguments_of

    write_files(job["files"])
    asked = []
    for probe in job["probes"]:  # before any of the student's code has run
        try:
            asked.append(arguments_of(probe["program"], probe["vary"]))
        except Exception as error:  # the key's fault, not the student's
            yield {"kind": "broken", "message": f"{type(error).__name__}: {error}"[:300]}
            return
    keras.utils.set_random_seed(0)  # grading twice gives the same
    if job["do"] == "make":  # only whether the programs run
        yield from ({"kind": "none"} for _ in asked)
        return
    try:
        function, failed = load(job)
    except BaseException as error:
        seen = observe_exception(error)
        yield from (seen for _ in asked)
        return
    for arguments in asked:
        try:
            if job["do"] == "why":
                yield explain(function, arguments)
            else:
                yield observe(function(*arguments))
        except BaseException as error:
            if type(error) is NameError:  # said better by what kept the name from being there
                error = failed.get(error.name, error)
            yield observe_exception(error)


def write_files(files: dict[str, str]) -> None:
    """The exercise's own files, in the working directory; each is base64. They may be imported."""
    sys.path.insert(0, os.getcwd())
    for name, content in files.items():
        os.makedirs(os.path.dirname(os.path.abspath(name)), exist_ok=True)
        with open(name, "wb") as file:
            file.write(base64.b64decode(content))


def load(job: dict):
    """Execute the exercise's own cells, what the answer needs, and the answer.

    Statements run one by one, as cells do: one that fails (a trial call of something that stands
    in a cell we did not take) does not keep the function from being defined. What stands below
    the function in its own cell and only tries it out is not run: it may take long.

    Returns:
        The task's function, and what failed; see `execute`.
    """
    from classroom.needed import needed, parse_cell, without_trials

    namespace, task, failed = stand_ins(), job["task"], {}
    for number, source in enumerate(job["setup"]):
        name = known_source(f"<cell {number} of the exercise>", source)
        failed |= execute([(statement, name) for statement in parse_cell(source)], namespace)
    answer = without_trials(parse_cell(job["answer"]), task)
    pool, above = [], 0
    for number, source in enumerate(job["others"]):
        name = known_source(f"<cell {number}>", source)
        with contextlib.suppress(SyntaxError, ValueError, RecursionError, MemoryError):
            pool += [(statement, name) for statement in parse_cell(source)]
        above = len(pool) if number < job["above"] else above
    taken = set(map(id, needed(answer, [statement for statement, _ in pool], above)))
    failed |= execute([pair for pair in pool if id(pair[0]) in taken], namespace)
    namespace.pop(task, None)
    name = known_source(f"<cell of {task}>", job["answer"])
    in_answer = execute([(statement, name) for statement in answer], namespace)
    if task not in namespace:
        raise next(iter(in_answer.values()), NameError(f"the cell defines no function {task}"))
    return namespace[task], failed | in_answer


def known_source(filename: str, source: str) -> str:
    """Let `inspect.getsource` find the text of a cell. whynone takes `<cell…` for the user's."""
    import linecache

    linecache.cache[filename] = (len(source), None, source.splitlines(True), filename)
    return filename


def execute(statements: list, namespace: dict) -> dict[str, BaseException]:
    """Run pairs of a statement and its file name in order.

    Returns:
        What was raised, by the names that are not bound for that; "" where there is none.
    """
    import ast

    from classroom.needed import bound

    failed = {}
    future = [one for one, _ in statements if getattr(one, "module", None) == "__future__"]
    for statement, filename in statements:
        try:
            module = ast.Module([*future, statement], [])
            exec(compile(module, filename, "exec", dont_inherit=True), namespace)
        except BaseException as error:
            for name in bound(statement) or {""}:
                failed.setdefault(name, error)
    return failed


def stand_ins() -> dict:
    """A notebook's namespace without a notebook: `display`, `get_ipython`, `check` do nothing."""
    main = types.ModuleType("__main__")
    sys.modules["__main__"] = main
    checking = types.ModuleType("classroom.checking")
    checking.check = checking.hint = do_nothing
    sys.modules["classroom.checking"] = checking
    main.__dict__.update(display=do_nothing, get_ipython=Nothing, check=do_nothing, hint=do_nothing)
    return main.__dict__


def do_nothing(*arguments, **options) -> None:
    """Stands in for what only shows something."""


class Nothing:
    """Stands in for IPython's shell: any method may be called, and does nothing."""

    def __getattr__(self, name):
        return do_nothing


def explain(function, arguments: tuple) -> dict:
    """Ask whynone about a None: the learner's own line, the reason, and what to change."""
    import linecache

    import whynone

    with whynone.explain(report=None) as findings, contextlib.suppress(BaseException):
        function(*arguments)
    for finding in findings:
        if finding.cause in whynone.CAUSES and finding.line:
            text = linecache.getline(finding.file, finding.line).strip()
            return {
                "kind": "why",
                "cause": finding.cause,
                "line": text or finding.label,
                "message": finding.message,
                "fix": finding.fix,
            }
    return {"kind": "none"}
