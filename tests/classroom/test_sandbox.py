"""The sandbox: what it shows and lets through, each limit, and that nothing outlives it."""

import contextlib
import dataclasses
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from classroom import confine, sandbox
from classroom.environment import ROOT
from classroom.grading import CRASHED, TIMED_OUT, TOO_MUCH, frames, grade, read
from classroom.limits import Cgroup, Limits
from classroom.messages import Stop
from classroom.sandbox import Sandbox, SandboxFailed
from tests.classroom import handing_in
from tests.classroom.handing_in import (
    COUNT,
    KEY,
    SETUP,
    SLOPE,
    answer,
    eventually_none,
    grade_it,
    needs_sandbox,
    notebook,
    points,
    rights,
    shared_sandbox,
)

NOTHING = "def arguments():\n    return ()"


@pytest.fixture(autouse=True, scope="module")
def ending():
    yield
    shared_sandbox().close()


def run(body: str, seconds: float = 20.0, of: Sandbox | None = None, cap: int = 1 << 20):
    """What `body`, as a student's function, returns inside the sandbox: a plain string."""
    needs_sandbox()
    job = {
        "do": "call",
        "task": "f",
        "answer": "# TASK: f\ndef f():\n" + "\n".join("    " + s for s in body.splitlines()),
        "others": [],
        "above": 0,
        "setup": [],
        "files": {},
        "probes": [{"program": NOTHING, "vary": None}],
        "bytes": cap,
    }
    with (of or shared_sandbox()).session() as session:
        return read(session.ask(job, seconds), handing_in.SLOPE_TASK.probes[:1])[0]


def text(body: str, **options) -> str:
    seen = run(body, **options)
    assert seen["kind"] == "str", seen
    return seen["value"]


# ---- what is seen


def test_file_system_is_an_allow_list():
    top = set(text("import os; return ' '.join(os.listdir('/'))").split())
    assert top <= {"usr", "lib", "lib32", "lib64", "etc", "dev", "proc", "scratch", "grader", "tmp",
                   *(path.parts[1] for path in sandbox.visible())}  # fmt: skip
    for hidden in (ROOT / "solutions", ROOT / "lessons", ROOT / "README.md", Path.home() / ".ssh",
                   "/etc/passwd", "/var", "/run", "/sys", "/usr/bin/env", "/bin/sh"):  # fmt: skip
        assert text(f"import os; return str(os.path.exists({str(hidden)!r}))") == "False", hidden


def test_what_travels_holds_no_answer():
    """No line of a reference solution is inside, but what whynone itself consists of."""
    inside = {path.relative_to(sandbox.grader_folder()) for path in
              sandbox.grader_folder().rglob("*.py")}  # fmt: skip
    assert {path.parts[0] for path in inside} == {"classroom", "whynone"}
    names = {path.stem for path in inside if path.parts[0] == "classroom"}
    assert names == {*sandbox.MODULES, "__init__"}
    assert not names & {"judge", "key", "grading", "spec", "checking"}


@pytest.mark.parametrize(
    "place", ["/", "/usr/lib", "/grader", "/grader/classroom", "/dev", "/dev/shm", "/etc"]
)
def test_only_the_scratch_folder_is_writable(place):
    said = text(
        f"try:\n    open({place + '/x'!r}, 'w')\n    return 'written'\n"
        "except OSError as error:\n    return type(error).__name__ + str(error.errno)"
    )
    assert said.startswith(("OSError30", "PermissionError")), said


def test_scratch_and_temporary_files_work():
    body = "import tempfile, os\nwith tempfile.NamedTemporaryFile('w') as f:\n"
    body += "    f.write('x')\n    f.flush()\n    return str(os.path.getsize(f.name))"
    assert text(body) == "1"


def test_environment_is_empty_but_for_ours(monkeypatch):
    monkeypatch.setenv("CLASSROOM_SECRET", "do not tell")
    with Sandbox() as fresh:
        seen = json.loads(text("import json, os; return json.dumps(dict(os.environ))", of=fresh))
    assert sandbox.ENVIRON.items() <= seen.items()
    assert not {"CLASSROOM_SECRET", "PYTEST_CURRENT_TEST", "USER", "VIRTUAL_ENV"} & set(seen)
    assert "do not tell" not in json.dumps(seen)


def test_uid_has_no_rights():
    said = text(
        "import os\nrows = open('/proc/self/status').read().splitlines()\n"
        "keep = ('CapPrm', 'CapEff', 'CapInh', 'CapAmb', 'NoNewPrivs', 'Seccomp:')\n"
        "return f'{os.getuid()} {os.getgroups()} ' + ' '.join(\n"
        "    r.split()[1] for r in rows if r.startswith(keep))"
    )
    uid, rest = said.split(" ", 1)
    assert int(uid) >= sandbox.NOBODY
    assert rest.split("] ")[1].split() == [*["0" * 16] * 4, "1", "2"]


def test_there_is_no_network():
    said = text(
        "import socket\n"
        "try:\n    socket.create_connection(('1.1.1.1', 53), 2)\n    return 'connected'\n"
        "except OSError as error:\n    return 'no: ' + str(error)"
    )
    assert said.startswith("no: ")
    devices = text("return open('/proc/net/dev').read()").splitlines()[2:]
    assert [line.split(":")[0].strip() for line in devices] == ["lo"]


def test_a_service_of_this_machine_is_out_of_reach():
    import socket

    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        said = text(
            f"import socket\ntry:\n    socket.create_connection(('127.0.0.1', {port}), 2)\n"
            "    return 'connected'\nexcept OSError as error:\n    return 'refused'"
        )
    assert said == "refused"


@pytest.mark.parametrize("call", ["ptrace", "keyctl", "unshare", "mount", "bpf", "memfd_create"])
def test_a_forbidden_system_call_is_refused(call):
    import platform

    number = confine.FORBIDDEN[call][confine.MACHINES.index(platform.machine())]
    said = text(
        "import ctypes\nlibc = ctypes.CDLL(None, use_errno=True)\n"
        f"result = libc.syscall({number}, 0, 0, 0, 0, 0)\n"
        "return f'{result} {ctypes.get_errno()}'"
    )
    assert said == "-1 1"


def test_a_socket_to_the_host_of_a_virtual_machine_is_refused():
    said = text(
        "import socket\ntry:\n    socket.socket(40, socket.SOCK_STREAM)\n    return 'made'\n"
        "except OSError as error:\n    return str(error.errno)"
    )
    assert said == "1"


def test_new_namespaces_by_clone_are_refused():
    said = text(
        "import ctypes, signal\nlibc = ctypes.CDLL(None, use_errno=True)\n"
        "pid = libc.syscall(56, 0x10000000 | signal.SIGCHLD, 0, 0, 0, 0)\n"
        "return f'{pid} {ctypes.get_errno()}'"
    )
    assert said == "-1 1"


def test_supervisor_cannot_be_read_killed_or_traced():
    said = text(
        "import os, signal\nfound = []\n"
        "for name in ('mem', 'environ', 'maps', 'fd/0', 'fd', 'root'):\n"
        "    try:\n"
        "        path = f'/proc/1/{name}'\n"
        "        os.listdir(path) if name in ('fd', 'root') else open(path, 'rb').read(1)\n"
        "        found.append(name)\n"
        "    except OSError:\n        pass\n"
        "import resource\n"
        "try:\n    resource.prlimit(1, resource.RLIMIT_CPU, (0, 0))\n    found.append('limit')\n"
        "except OSError:\n    pass\n"
        "for number in range(1, 32):\n"
        "    try:\n        os.kill(1, number)\n"
        "    except OSError:\n        pass\n"
        "return ' '.join(found)"
    )
    assert said == ""
    assert text("return 'still here'") == "still here"


def test_a_process_holds_no_descriptor_but_its_own_pipe():
    said = text(
        "import os\nkinds = []\n"
        "for fd in range(256):\n"
        "    try:\n        kinds.append(os.readlink(f'/proc/self/fd/{fd}').split(':')[0])\n"
        "    except OSError:\n        pass\n"
        "return ' '.join(kinds)"
    )
    assert said.split()[:3] == ["/dev/null"] * 3
    assert said.split().count("pipe") == 1
    assert "socket" not in said


# ---- limits


def test_wall_time_of_one_call():
    began = time.monotonic()
    assert run("while True: pass", seconds=1.0) == TIMED_OUT
    assert time.monotonic() - began < 6


def test_wall_time_of_the_whole_submission():
    needs_sandbox()
    with handing_in.Shared(Limits(seconds=3.0, call=2.0)) as small:
        began = time.monotonic()
        loops = [answer("while True: pass"), answer("while True: pass", "slope", "x")]
        graded = grade_it(*loops, sandbox=small)
        small.close()
    assert points(graded) == {"slope": 0, "count": 0}
    assert all("stopped" in dict(task.lines) for task in graded.tasks)
    assert time.monotonic() - began < 25  # most of it is the import of TensorFlow


def test_cpu_time():
    """Threads that burn more than one core do not get more time."""
    said = text("import resource; return str(resource.getrlimit(resource.RLIMIT_CPU))", seconds=3)
    assert said == "(5, 5)"


def test_memory_of_one_process():
    seen = run("return len(bytearray(5 << 30))")
    assert seen == {"kind": "exception", "type": "MemoryError", "message": ""}


def test_memory_of_all_processes_together():
    needs_sandbox()
    limits = Limits(memory=1 << 30)
    groups = Cgroup(limits)
    held = any("memory" in file or "memory.max" in os.listdir(Path(file).parent)
               for file in groups.files)  # fmt: skip
    groups.remove()
    if not held:
        pytest.skip("no memory control group can be made here")
    body = "import os, time\nfor _ in range(8):\n    if os.fork() == 0:\n"
    body += (
        "        b = bytearray(300 << 20)\n        time.sleep(20)\ntime.sleep(20)\nreturn 'held'"
    )
    with Sandbox(limits) as small:
        with contextlib.suppress(SandboxFailed):  # the kernel may take the supervisor, too
            assert run(body, seconds=5.0, of=small) in (CRASHED, TIMED_OUT)
        small.close()
        assert small.peak <= limits.memory


class NoGroups:
    """A machine on which nobody may make a control group."""

    def __init__(self, limits):
        self.files = []

    def peak(self):
        return 0

    def remove(self):
        pass


@pytest.mark.parametrize("warm", [False, True], ids=["cold", "warm"])
@pytest.mark.parametrize("kind", ["its own", "shared", "under an odd name"])
def test_memory_is_counted_where_there_are_no_control_groups(monkeypatch, warm, kind):
    needs_sandbox()
    monkeypatch.setattr(sandbox, "Cgroup", NoGroups)
    body = "import ctypes, mmap, os, time\nfor _ in range(8):\n    if os.fork() == 0:\n"
    if kind == "under an odd name":
        body += "        ctypes.CDLL(None).prctl(15, b'\\xff\\n\\x00', 0, 0, 0)\n"
    if kind == "shared":
        body += "        held = mmap.mmap(-1, 400 << 20)\n"
        body += "        for at in range(0, len(held), 4096): held[at] = 1\n"
    else:
        body += "        held = bytearray(b'x') * (400 << 20)\n"
    body += "        time.sleep(20)\ntime.sleep(20)\nreturn 'held'"
    with Sandbox(Limits(memory=2 << 30), warm=warm) as small:
        assert run(body, seconds=10.0, of=small) == CRASHED


def test_the_supervisors_look_at_processes_is_not_the_students(monkeypatch):
    """A warm sandbox's /proc is covered; the way under the cover is closed for a student."""
    needs_sandbox()
    body = "import os\nfound = []\nfor fd in range(3, 256):\n    try:\n"
    body += "        found += os.listdir(fd)\n    except OSError:\n        pass\n"
    body += "return ' '.join(found + [n for n in os.listdir('/proc') if n != 'self'])"
    with Sandbox(warm=True) as warm:
        assert text(body, of=warm) == ""


def test_number_of_processes():
    body = "import os, time\nmade = 0\ntry:\n    for _ in range(100):\n"
    body += "        if os.fork() == 0:\n            time.sleep(20)\n            os._exit(0)\n"
    body += "        made += 1\nexcept OSError:\n    pass\nreturn made"
    seen = run(body)
    assert seen["kind"] == "int" and 30 <= seen["value"] < 64


def test_fork_bomb_ends_with_its_process():
    mark = f"bomb-{os.getpid()}"
    body = "import os\nwhile True:\n    try:\n        os.fork()\n    except OSError:\n        pass"
    assert run(f"# {mark}\n{body}", seconds=1.0) == TIMED_OUT
    assert text("return 'next'") == "next"


def test_size_of_one_file_and_of_all_files():
    body = "written = 0\ntry:\n    with open('a', 'wb') as f:\n        while True:\n"
    body += "            written += f.write(bytes(1 << 20))\nexcept OSError as error:\n"
    body += "    return f'{written >> 20} {error.errno}'"
    size, number = text(body).split()
    assert int(size) <= 32 and int(number) in (27, 28)
    body = "written = 0\ntry:\n    for n in range(100):\n        with open(f'f{n}', 'wb') as f:\n"
    body += "            written += f.write(bytes(1 << 20))\nexcept OSError as error:\n"
    body += "    return f'{written >> 20} {error.errno}'"
    size, number = text(body).split()
    assert int(size) <= 32 and int(number) == 28


def test_number_of_files():
    body = "made = 0\ntry:\n    for n in range(10_000):\n        open(f'f{n}', 'w').close()\n"
    body += "        made += 1\nexcept OSError:\n    pass\nreturn made"
    seen = run(body)
    assert 1000 < seen["value"] < 4096


def deep(levels: int) -> str:
    body = f"import os\nfor n in range({levels}):\n    os.mkdir('d' * 40)\n    os.chdir('d' * 40)\n"
    body += "os.chdir('/scratch')\nos.mkdir('shut')\nopen('shut/note', 'w').write('x')\n"
    return body + "os.symlink('/usr/lib', 'link')\nos.chmod('shut', 0)\nreturn 'left'"


def test_files_that_are_hard_to_remove_are_gone_all_the_same():
    assert text(deep(100)) == "left"
    assert text("import os; return str(os.listdir('.'))") == "[]"


def test_what_cannot_be_removed_ends_the_sandbox_and_is_not_met_again():
    needs_sandbox()
    with handing_in.Shared() as place:
        with contextlib.suppress(SandboxFailed):
            run(deep(400), of=place)
        left = text("import os; return str(set(os.listdir('.')) - {'.keras'})", of=place)
    assert left == "set()"


def test_files_of_one_probe_are_gone_for_the_next():
    assert text("open('note', 'w').write('x'); import os; os.mkdir('d'); return 'ok'") == "ok"
    assert text("import os; return str(os.listdir('.'))") == "[]"


def test_observations_are_capped():
    assert run("return 'x' * (2 << 20)") == TOO_MUCH
    assert run("return list(range(300_000))") == TOO_MUCH


def test_output_is_discarded():
    said = "import os, sys\nfor _ in range(200):\n    print('x' * 100_000)\n"
    said += "    os.write(1, b'y' * 100_000)\n    os.write(2, b'z' * 100_000)\nreturn 'done'"
    assert text(said) == "done"


# ---- what may outlive


def test_threads_and_processes_do_not_outlive_their_probe():
    mark = "outliving-process"
    body = "import os, sys, threading, time, atexit, signal\n"
    body += "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
    body += "atexit.register(time.sleep, 60)\n"
    body += "threading.Thread(target=time.sleep, args=(60,)).start()\n"
    body += "if os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0:\n"
    body += f"        os.execv({sandbox.interpreter()!r}, ['python', '-S', '-c', "
    body += f"'import time; time.sleep(60) # {mark}'])\n    time.sleep(60)\n"
    body += "time.sleep(0.3)\nreturn 'left'"
    began = time.monotonic()
    assert text(body) == "left"
    assert time.monotonic() - began < 15
    assert eventually_none(mark)


def test_nothing_is_left_when_a_sandbox_ends():
    needs_sandbox()
    with Sandbox(Limits(seconds=59.25)) as cold:
        session = cold.session()
        assert handing_in.running_with("59.25")
        session.close()
    assert eventually_none("59.25")


def test_a_killed_grader_takes_its_sandbox_along():
    needs_sandbox()
    code = (
        "import time\nfrom classroom.limits import Limits\nfrom classroom.sandbox import Sandbox\n"
    )
    code += "s = Sandbox(Limits(seconds=58.75)).session()\nprint('up', flush=True)\ntime.sleep(60)"
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "solutions")])}
    child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, env=env)
    assert child.stdout.readline() == b"up\n"
    child.kill()
    child.wait()
    assert eventually_none("58.75")


# ---- the protocol


def test_a_lost_sandbox_is_tried_once_more_and_then_counts_as_a_crash():
    """Simulated: a session that fails twice; the submission is graded all the same."""
    needs_sandbox()

    class Failing(handing_in.Shared):
        fails = 2

        def session(self):
            session = super().session()
            if self.fails:
                self.fails -= 1
                session.ask = self.refuse
            return session

        def refuse(self, job, seconds):
            raise SandboxFailed("gone")

    shared = shared_sandbox()
    failing = Failing()
    failing.shared = shared.shared or Sandbox.session(shared)
    shared.shared = failing.shared
    graded = grade_it(SLOPE, COUNT, sandbox=failing)
    assert rights(graded, "slope", "public") == [False]
    assert rights(graded, "slope", "hidden") == [True]
    assert points(graded)["count"] == 5


def test_a_sandbox_that_does_not_start_needs_attention(monkeypatch):
    needs_sandbox()
    monkeypatch.setattr(sandbox, "START", "import no_such_module")
    graded = grade(notebook(SETUP, COUNT), "a.ipynb", KEY, Sandbox())
    assert graded.state == "needs_attention"
    assert "no_such_module" in graded.reason


def test_frames_that_are_cut_off_are_ignored():
    whole = b"\0\0\0\2{}"
    assert frames(whole + b"\0\0\0\5abc") == [b"{}"]
    assert frames(b"\xff\xff\xff\xff") == []


def test_warm_needs_bubblewrap():
    with pytest.raises(Stop, match="bubblewrap"):
        Sandbox(warm=True, kind="docker")


def test_without_bubblewrap_the_message_says_how_to_install_it(monkeypatch):
    monkeypatch.setattr(sandbox, "bubblewrap_problem", lambda: "there is no command `bwrap`.")
    with pytest.raises(Stop, match="apt install bubblewrap"):
        Sandbox()


def test_docker_command_has_the_same_walls():
    settings = {"limits": dataclasses.asdict(Limits()), "warm": False, "alone": True, "uid": 65534}
    command = sandbox.docker_command(settings, Limits())
    line = " ".join(command)
    # fmt: off
    for flag in ("--network none", "--read-only", "--cap-drop ALL", "--pids-limit 64",
                 "--user 65534:65534", "no-new-privileges", f"--memory {4 << 30}",
                 f"--memory-swap {4 << 30}", "--ulimit fsize=33554432", "size=33554432"):
        # fmt: on
        assert flag in line, flag
    binds = [command[n + 1] for n, word in enumerate(command) if word == "--mount"]
    assert binds == [f"type=bind,source={sandbox.grader_folder()},target=/grader,readonly"], (
        "nothing else of this machine is shown"
    )
    assert "--privileged" not in line and "docker.sock" not in line
    assert json.loads(command[-2]) == settings


def test_docker_without_an_engine_or_an_image_says_so(monkeypatch):
    monkeypatch.setattr(sandbox.shutil, "which", lambda name: None)
    with pytest.raises(Stop, match="no command `docker`"):
        Sandbox(kind="docker")
    monkeypatch.setattr(sandbox.shutil, "which", lambda name: name)
    missing = subprocess.CompletedProcess([], 1, "", "Error: No such image: x")
    monkeypatch.setattr(sandbox.subprocess, "run", lambda *a, **k: missing)
    with pytest.raises(Stop, match="docker build -t whynone-grader"):
        Sandbox(kind="docker")


def test_a_checkout_below_a_folder_that_is_shown_is_covered(monkeypatch, tmp_path):
    """As in a container whose image holds the checkout, and the environment inside that."""
    outer, course = tmp_path.resolve(), tmp_path.resolve() / "course"
    inner = course / ".venv" / "lib"
    inner.mkdir(parents=True)
    monkeypatch.setattr(sandbox, "visible", lambda: frozenset({outer, inner}))
    rows = sandbox.file_system(Limits(), (course,))
    order = [(rows[n - 1], word) for n, word in enumerate(rows) if word.startswith(str(outer))]
    covered = order.index(("--tmpfs", str(course)))
    assert order.index(("--ro-bind", str(outer))) < covered < order.index(("--ro-bind", str(inner)))
    assert ("--remount-ro", str(course)) in order


def test_unsafe_mode_grades_and_marks():
    graded = grade_it(SLOPE, COUNT, sandbox=Sandbox(kind="none"))
    assert points(graded) == {"slope": 10, "count": 5}
    assert not graded.sandboxed
