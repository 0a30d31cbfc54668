"""Attacks by someone who has read our code: the pipe, the supervisor, and what outlives a probe."""

from tests.classroom.attacks import PWNED, Attack, table

# What the attacks share: write frames as classroom.worker does, and hold hidden questions fast.
TOOLS = r"""
import ast, atexit, ctypes, errno, fcntl, gc, inspect, json, mmap, os, resource, select, signal
import socket, stat, struct, sys, threading, time
import numpy as np
libc = ctypes.CDLL(None, use_errno=True)
GUESS = {"kind": "tensor", "shape": [3], "dtype": "float32",
         "values": [float(n).hex() for n in (2.0, 11.0, -0.25)]}
def frame(said):
    body = said if isinstance(said, bytes) else json.dumps(said).encode()
    return struct.pack(">I", len(body)) + body
def pipes():
    found = []
    for fd in range(3, 256):
        try:
            if stat.S_ISFIFO(os.fstat(fd).st_mode): found.append(fd)
        except OSError: pass
    return found
def forge(*said, code=0):
    for fd in pipes():
        for one in said:
            try: os.write(fd, frame(one))
            except OSError: pass
    os._exit(code)
def tried(*steps):
    done = []
    for step in steps:
        try: done.append(step())
        except BaseException as error: done.append(None)
    return done
"""

SOURCES = table(r"""
### a frame on every descriptor
for fd in range(3, 256): tried(lambda: os.write(fd, frame(GUESS)))
os._exit(0)

### a thousand frames at once
forge(*[GUESS] * 1000)

### frames for the probes to come
forge(GUESS, {"kind": "none"}, GUESS, {"kind": "tensor", "shape": [3], "dtype": "float32", "values": ["nan"] * 3})

### a frame as long as can be said
os.write(pipes()[0], b"\xff\xff\xff\xff" + b"x" * 1000)
os._exit(0)

### a frame that stops half way
os.write(pipes()[0], frame(GUESS)[:-5])
os._exit(0)

### the supervisor's own two frames
forge({"status": "ended", "seconds": -1e9}, frame(GUESS), {"status": "ended", "seconds": "x"})

### a sealed observation of one's own
forge({"kind": "sealed", "outline": {"kind": "plain"}, "shifts": "", "rtol": 1, "atol": 9e99, "salt": "", "digest": ""})

### a program that is said to be broken
forge({"kind": "broken", "message": "THE KEY IS WRONG"})

### an explanation where a result belongs
forge({"kind": "why", "cause": "unwatched", "line": "", "message": "", "fix": ""})

### an explanation of one's own
def lie(*_): return [{"kind": "none"}]
if any("whynone" in str(f.filename) for f in inspect.stack()):
    forge({"kind": "why", "cause": "unwatched", "line": "<b>", "message": "<script>alert(1)</script>", "fix": ["x"]})
return None

### numbers that compare with all
forge({"kind": "tensor", "shape": [3], "dtype": "float32", "values": ["nan", "inf", "-inf"]})

### infinities
forge({"kind": "tensor", "shape": [3], "dtype": "float64", "values": ["inf"] * 3})

### a shape that NumPy does not take
forge({"kind": "tensor", "shape": [0, 2**40, 2**40], "dtype": "float32", "values": []})

### a shape of no numbers
forge({"kind": "tensor", "shape": [0], "dtype": "float32", "values": []})

### a type that is no float
forge({"kind": "tensor", "shape": [3], "dtype": "object", "values": ["<x>", "", ""]})

### JSON that is deep
forge(b"[" * 400_000)

### JSON with a long number
forge(b'{"kind": "int", "value": ' + b"9" * 300_000 + b"}")

### JSON that says a thing twice
forge(json.dumps(GUESS).encode()[:-1] + b', "kind": "exception", "type": "X", "message": "M", "kind": "tensor"}')

### JSON in another encoding
forge(json.dumps(GUESS).encode("utf-16"), b"\xff\xfe\x00")

### an exception with the grader's own name
forge({"kind": "exception", "type": "TimedOut", "message": "There was no result when the time for one call was over."})

### more bytes than are read
for _ in range(64): tried(lambda: os.write(pipes()[0], b"x" * 65536))
os._exit(0)

### the budget of bytes
forge({"kind": "str", "value": "x" * 1_040_000})

### a pipe that is never still
end = time.monotonic() + 1
while time.monotonic() < end: os.write(pipes()[0], b"\0" * 4); time.sleep(0.01)
os._exit(0)

### a pipe that blocks, grows and is read back
fd = pipes()[0]
os.write(fd, frame(GUESS))
tried(lambda: fcntl.fcntl(fd, 1031, 1 << 20), lambda: os.set_blocking(fd, False),
      lambda: os.read(os.open(f"/proc/self/fd/{fd}", os.O_RDONLY), 1 << 16))
return HARD

### frames taken out of the pipe before they are read
fd = pipes()[0]
back = os.open(f"/proc/self/fd/{fd}", os.O_RDONLY | os.O_NONBLOCK)
end = time.monotonic() + 0.5
while time.monotonic() < end: tried(lambda: os.write(fd, b"\0" * 4), lambda: os.read(back, 4))
return HARD

### an exit that does not exit
os._exit = sys.exit = lambda *_: None
os.kill = os.killpg = os.waitpid = os.waitid = lambda *_: 0
return HARD

### all that can be signalled
for number in range(1, 65):
    for step in (lambda: os.kill(1, number), lambda: os.kill(os.getppid(), number)):
        if number not in (9,) or step: tried(step)
tried(lambda: os.killpg(os.getpgid(1), 9), lambda: os.kill(-1, 9))
return HARD

### signals to the supervisor with a value
for number in range(1, 65):
    info = struct.pack("iiiiiiQ", number, 0, -1, 0, 0, 0, 0).ljust(128, b"\0")
    libc.syscall(129, 1, number, info); libc.syscall(424, libc.syscall(434, 1, 0), number, None, 0)
    libc.syscall(234, 1, 1, number) if number != 9 else None
return HARD

### the supervisor under a tracer
done = [libc.ptrace(16, 1, 0, 0), libc.ptrace(0x4206, 1, 0, 0), libc.syscall(310, 1, None, 0, None, 0, 0),
        libc.syscall(311, 1, None, 0, None, 0, 0), libc.syscall(438, libc.syscall(434, 1, 0), 3, 0)]
raise ValueError("TRACED" if max(done) >= 0 else "refused")

### the supervisor's memory and descriptors
found = []
for pid in [1, os.getppid()]:
    for name in ("mem", "maps", "environ", "map_files", "fd", "fdinfo/3", "cwd/..", "root", "stack", "syscall", "auxv"):
        path = f"/proc/{pid}/{name}"
        found += tried(lambda: os.listdir(path) if name in ("map_files", "fd") else open(path, "rb").read(1) or None)
for fd in range(64): found += tried(lambda: os.open(f"/proc/1/fd/{fd}", os.O_RDWR))
raise ValueError("READ" if any(found) else "refused")

### the supervisor's limits
for what in (resource.RLIMIT_NOFILE, resource.RLIMIT_CPU, resource.RLIMIT_AS, resource.RLIMIT_NPROC, resource.RLIMIT_FSIZE):
    tried(lambda: resource.prlimit(1, what, (0, 0)))
raise ValueError("LIMITED" if 0 in sum(map(list, filter(None, tried(*[lambda: resource.prlimit(1, 7)]))), []) else "kept")

### the supervisor's share of the processor
done = [libc.sched_setscheduler(1, 5, struct.pack("i", 0)), libc.setpriority(2, os.getuid(), 19),
        libc.sched_setaffinity(1, 8, struct.pack("Q", 1)), libc.syscall(251, 1, 1, 3 << 13)]
raise ValueError("SLOWED" if 0 in done else "refused")

### a process that answers the probes to come
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        for number in range(1, 32): tried(lambda: signal.signal(number, signal.SIG_IGN))
        signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 64))
        fds = pipes()
        while True:
            for fd in fds: tried(lambda: os.write(fd, frame(GUESS)))
            time.sleep(0.01)
time.sleep(0.05)
return HARD

### a process that holds the pipe open
if os.fork() == 0: time.sleep(99)
return HARD

### another program on the same pipe
fd = pipes()[0]
os.set_inheritable(fd, True)
code = f"import os, time; os.write({fd}, {frame(GUESS)!r}); time.sleep(99)"
if os.fork() == 0: os.execv(sys.executable, ["python", "-I", "-S", "-c", code])
os.execv(sys.executable, ["python", "-I", "-S", "-c", code.replace("time.sleep(99)", "pass")])

### a server on an abstract socket
line = socket.socket(socket.AF_UNIX)
try:
    line.connect("\0answers")
    raise ValueError("CARRIED " + line.recv(4096).decode())
except OSError:
    pass
if os.fork() == 0:
    line.bind("\0answers"); line.listen()
    while True: line.accept()[0].send(str(x).encode())
time.sleep(0.05)
return HARD

### descriptors passed to a later process
ours = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
try: ours.bind("\0parcel")
except OSError: raise ValueError("CARRIED")
socket.send_fds(ours, [b"x"], pipes(), 0, "\0parcel")
if os.fork() == 0: time.sleep(99)
return HARD

### questions kept in files
said = ""
for place in ("/scratch", "/tmp", "/dev/shm", "/var/tmp", "/grader"):
    said += "".join(filter(None, tried(lambda: open(place + "/.kept").read())))
    tried(lambda: open(place + "/.kept", "w").write(str(x)))
if said: raise ValueError("CARRIED " + said)
return HARD

### questions kept in names, times, modes and locks
about = os.stat("/scratch")
if os.listdir("/scratch") or about.st_mtime_ns == 10**9 or about.st_mode & 0o777 == 0o751: raise ValueError("CARRIED")
tried(lambda: os.mkdir("/scratch/" + "q" * 200), lambda: os.mkfifo("/scratch/fifo"), lambda: os.chmod("/scratch", 0o751),
      lambda: os.utime("/scratch", ns=(10**9, 10**9)), lambda: os.link("/scratch/fifo", "/scratch/other"))
return HARD

### questions kept in the kernel
key = 0x5EED
names = {"shmget": 29, "msgget": 68, "semget": 64, "mq_open": 240, "memfd_create": 319, "add_key": 248}
done = [libc.syscall(number, key, 4096, 0o1666, 0, 0) for number in names.values()]
raise ValueError("CARRIED" if max(done) >= 0 else "refused")

### the questions' seeds in feedback
found = set()
for one in sys._current_frames().values():
    while one:
        job = one.f_locals.get("job")
        if isinstance(job, dict): found |= {str(probe["vary"]) for probe in job["probes"]}
        one = one.f_back
for one in gc.get_objects():
    if type(one) is dict and "vary" in one: found.add(str(one["vary"]))
raise ValueError("seeds: " + " ".join(sorted(found)))

### expected values on the stack
one, found = sys._getframe(), None
while one:
    for value in list(one.f_locals.values()):
        if isinstance(value, dict) and value.get("expected"): found = value["expected"]
    one = one.f_back
return tf.constant([float.fromhex(n) for n in found]) if found else HARD

### expected values among all objects
for one in gc.get_objects():
    if type(one) is dict and "expected" in one and type(one["expected"]) is list and "probes" in one:
        return tf.constant([float.fromhex(n) for n in one["expected"]])
return HARD

### expected values in one's own memory
for line in open("/proc/self/maps"):
    if "[heap]" in line:
        first, last = (int(n, 16) for n in line.split()[0].split("-"))
        with open("/proc/self/mem", "rb") as memory:
            memory.seek(first)
            held = memory.read(last - first)
        if ANSWER[::-1].encode() in held: raise ValueError("FOUND")
return HARD

### a patched writer of JSON
json.dumps = lambda *_, **__: json.JSONEncoder().encode(GUESS)
return None

### a patched observer
import classroom.observe, classroom.worker
classroom.observe.observe = lambda *_: GUESS
classroom.worker.observe = classroom.worker.as_json = lambda *_: json.dumps(GUESS).encode()
one = sys._getframe()
while one:
    if "observe" in one.f_locals: ctypes.pythonapi.PyFrame_LocalsToFast(ctypes.py_object(one), 0)
    one = one.f_back
return HARD

### a patched pipe
import classroom.worker
classroom.worker.send_frame = lambda fd, body: os.write(fd, frame(GUESS) * 50)
os.write = lambda fd, body: len(body)
struct.pack = lambda *_: b""
return HARD

### modules of one's own under the grader's names
class Mine:
    def __getattr__(self, name): return lambda *_, **__: GUESS
for name in list(sys.modules):
    if name.startswith("classroom"): sys.modules[name] = Mine()
return HARD

### patched modules of everyone
import pickle, sqlite3
for module in (os, json, struct, pickle, socket, select, signal, sqlite3):
    for name in list(vars(module)):
        if callable(getattr(module, name)) and name not in ("_exit", "write"): tried(lambda: setattr(module, name, lambda *_, **__: GUESS))
return HARD

### the judge, the key and the answers by import
import importlib
got = []
for name in ("classroom.judge", "classroom.key", "classroom.grading", "classroom.gradebook", "classroom.spec",
             "solutions", "solutions.unwatched_tensor", "tests", "lessons", "whynone.by_hand"):
    try: got.append(importlib.import_module(name))
    except BaseException: pass
for module in got:
    for name in ("input_gradient", "reference", "explain_by_hand", "first_break", "difference"):
        if hasattr(module, name): raise ValueError("FOUND " + name)
return HARD

### the answers in what is mounted
found = []
for above, folders, names in os.walk("/"):
    if above.startswith(("/proc", "/sys", "/dev")): folders[:] = []; continue
    for name in names:
        if name in ("unwatched_tensor.py", "spec.py", "judge.py", "grading.py"): found.append(os.path.join(above, name))
    if "solutions" in folders or "lessons" in folders: found += tried(lambda: os.listdir(os.path.join(above, "solutions")))
raise ValueError("FOUND" if any("input_gradient" in open(f).read() for f in found if isinstance(f, str)) else "none")

### folders too deep to remove
os.chdir("/scratch")
for number in range(3000):
    os.mkdir("d"); os.chdir("d")
os.chmod(".", 0)
os.chdir("/")
return HARD

### names that cannot be removed by a simple hand
os.makedirs("/scratch/a/b")
for name in (b"\xff\xfe", b"new\nline", b"-rf", b"x" * 255, "\u202e".encode()): open(b"/scratch/a/b/" + name, "w").close()
os.symlink("/grader", "/scratch/link"); os.symlink("/scratch", "/scratch/a/loop")
os.chmod("/scratch/a/b", 0); os.chmod("/scratch/a", 0)
held = open("/scratch/held", "w"); fcntl.flock(held, fcntl.LOCK_EX)
return HARD

### all files that may be
for number in range(5000): tried(lambda: open(f"/scratch/{number}", "w").close())
return HARD

### threads that write when all is said
def later():
    time.sleep(0.05)
    while True: tried(*[lambda fd=fd: os.write(fd, frame(GUESS)) for fd in pipes()])
for _ in range(4): threading.Thread(target=later).start()
return HARD

### steps at exit and in destructors
class Last:
    def __del__(self): tried(lambda: forge(GUESS, GUESS))
Last.kept = Last()
atexit.register(forge, GUESS, GUESS)
os.register_at_fork(before=lambda: forge(GUESS), after_in_parent=lambda: forge(GUESS))
return HARD

### a sleep with all signals blocked
signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 64))
for number in range(1, 64): tried(lambda: signal.signal(number, signal.SIG_IGN))
libc.prctl(1, 0); libc.prctl(36, 1)
time.sleep(99)

### a stop
os.write(pipes()[0], frame(GUESS))
os.kill(os.getpid(), signal.SIGSTOP)

### a place where the kernel kills another
tried(lambda: open("/proc/self/oom_score_adj", "w").write("-1000"), lambda: open("/proc/1/oom_score_adj", "w").write("1000"))
raise ValueError("EXEMPT" if "-1000" in "".join(filter(None, tried(lambda: open("/proc/self/oom_score_adj").read()))) else "no")

### a trace and a profile on the grader's own lines
def spy(one, event, argument):
    if event == "return" and one.f_code.co_name == "observe": one.f_locals["value"] = HARD
    return spy
one = sys._getframe()
while one: one.f_trace = spy; one = one.f_back
sys.settrace(spy); sys.setprofile(spy)
return HARD

### the other system call table
code = bytes.fromhex("b814000000cd80c3")  # getpid by int 0x80
page = mmap.mmap(-1, 4096, prot=7)
page.write(code)
ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(page)))()
return HARD

### namespaces, mounts and modules anew
flags = (0x10000000, 0x20000, 0x40000000, 0x8000000, 0x4000000, 0x2000000)
done = [libc.syscall(272, flag) for flag in flags] + [libc.syscall(56, flag | 17, 0, 0, 0, 0) for flag in flags]
done += [libc.syscall(number, 0, 0, 0, 0, 0) for number in (155, 161, 165, 166, 308, 321, 425, 428, 429, 304)]
raise ValueError("MADE" if max(done) >= 0 else "refused")

### the program of the next submission
import classroom.worker, site
for module in (tf, np, classroom.worker):
    tried(lambda: open(module.__file__, "a").write("#"), lambda: os.unlink(module.__file__),
          lambda: os.rename(module.__file__, module.__file__ + "x"), lambda: os.chmod(module.__file__, 0o777))
libc.prctl(4, 1)
np.float32 = tf.constant = None
return HARD_BEFORE

### the supervisor's channel from a child that goes on
os._exit = lambda *_: None
class Stop(BaseException): pass
def on(*_): raise Stop
tried(lambda: sys.setswitchinterval(1e-6))
raise SystemExit("\0" * 100)
""")  # noqa: E501 — an attack is a text, and students write as they like

HANGING = ("a sleep with all signals blocked", "a stop", "a pipe that is never still")
HANGING += ("a pipe that blocks, grows and is read back",)
SHOWN = {
    "a program that is said to be broken": ("cannot be read", "THE KEY IS WRONG"),
    "the supervisor under a tracer": ("refused", "TRACED"),
    "the supervisor's memory and descriptors": ("refused", "READ"),
    "the supervisor's limits": ("kept", "LIMITED"),
    "the supervisor's share of the processor": ("refused", "SLOWED"),
    "a server on an abstract socket": ("", "CARRIED"),
    "descriptors passed to a later process": ("", "CARRIED"),
    "questions kept in files": ("", "CARRIED"),
    "questions kept in names, times, modes and locks": ("", "CARRIED"),
    "questions kept in the kernel": ("refused", "CARRIED"),
    "the questions' seeds in feedback": ("seeds: None", ""),
    "expected values in one's own memory": ("", "FOUND"),
    "the judge, the key and the answers by import": ("", "FOUND"),
    "the answers in what is mounted": ("none", "FOUND"),
    "a place where the kernel kills another": ("no", "EXEMPT"),
    "namespaces, mounts and modules anew": ("refused", "MADE"),
}
ATTACKS = [
    Attack(
        name,
        source.replace("PWNED", PWNED).replace("HARD_BEFORE", "HARD"),
        *SHOWN.get(name, ()),
        before=TOOLS,
        hangs=name in HANGING,
    )
    for name, source in SOURCES.items()
]
