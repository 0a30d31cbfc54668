"""Attacks by a second reader: TensorFlow's own doors, types that lie, what counts and what is not.

They use the tools of protocol.py.
"""

from tests.classroom.attacks import PWNED, Attack, table
from tests.classroom.attacks.protocol import TOOLS

SOURCES = table(r"""
### an exponent in another script's digits
forge({"kind": "float", "value": "0x1p+\uff11"}, {"kind": "tensor", "shape": [3], "dtype": "float\uff13\uff12", "values": ["0x1p+\u0661"] * 3})

### a byte order mark and two documents
forge(b"\xef\xbb\xbf" + json.dumps(GUESS).encode(), json.dumps(GUESS).encode() * 2)

### surrogates, zero bytes and directions in every text
odd = "\ud800\0\u202e\x1b[2J\uffff"
forge({"kind": "mapping", "items": {odd: {"kind": "str", "value": odd}, "b": {"kind": "other", "type": odd}}})

### an exception of surrogates
forge({"kind": "exception", "type": "\udfff" * 1000, "message": "=1+1;\t=1+1" + "\ud800" * 900})

### keys that are too many, and one too few
forge({**GUESS, "expected": GUESS["values"]}, {k: v for k, v in GUESS.items() if k != "dtype"}, {"kind": "tensor"}, {"kind": []}, [], 0, None, "")

### a number for every field
forge(*({**GUESS, key: 1e999} for key in GUESS), *({**GUESS, key: -1} for key in GUESS), *({**GUESS, key: True} for key in GUESS))

### thirty-two axes
forge({"kind": "tensor", "shape": [1] * 31 + [3], "dtype": "float32", "values": GUESS["values"]})

### sequences within sequences of nothing
one = {"kind": "none"}
for _ in range(7): one = {"kind": "sequence", "items": [one] * 6}
forge(one)

### a hundred thousand numbers that overflow
forge({"kind": "tensor", "shape": [3], "dtype": "float64", "values": ["0x1.fffffffffffffp+1023"] * 3}, {"kind": "tensor", "shape": [30_000], "dtype": "float64", "values": ["0x1p+1023"] * 30_000})

### a sentence for every backtick
forge({"kind": "exception", "type": "`" * 999, "message": "<b>`</b>`" * 100})

### letters that are no numbers to some
forge({"kind": "tensor", "shape": [3], "dtype": "uint8", "values": [2, 11, -1]}, {"kind": "tensor", "shape": [3], "dtype": "str", "values": GUESS["values"]})

### TensorFlow's own files
places = ["/", "/tmp", "/usr/lib", "/grader", "/grader/classroom", "/dev/shm", "/scratch/..", "/proc/1/cwd", *PLACES]
for place in places:
    name = os.path.join(place, "PWNED")
    tried(lambda: tf.io.write_file(name, "x"), lambda: tf.raw_ops.WriteFile(filename=name, contents="x"),
          lambda: tf.io.gfile.copy("/grader/classroom/worker.py", name), lambda: tf.io.gfile.makedirs(name),
          lambda: tf.print("x", output_stream="file://" + name), lambda: np.save(name, np.zeros(1)),
          lambda: tf.summary.create_file_writer(name), lambda: tf.saved_model.save(tf.Module(), name))
read = [tried(lambda: tf.io.read_file(key).numpy(), lambda: list(tf.data.TextLineDataset(key)), lambda: tf.raw_ops.ReadFile(filename=key),
              lambda: tf.raw_ops.MatchingFiles(pattern=key + "*").numpy().tolist() or None, lambda: tf.io.gfile.stat(key)) for key in KEYS]
raise ValueError("READ" if any(sum(read, [])) else "nothing")

### TensorFlow's own servers
def serve():
    with socket.socket() as line:
        tf.profiler.experimental.server.start(PORT)
        return line.connect_ex(("127.0.0.1", PORT))
tried(serve, lambda: tf.distribute.Server.create_local_server(), lambda: tf.config.experimental_connect_to_host("127.0.0.1:%d" % PORT),
      lambda: tf.keras.utils.get_file("x", "http://127.0.0.1:%d/x" % PORT), lambda: tf.keras.utils.get_file("x", "file://" + KEYS[0]))
return HARD

### a library of operations that is any file
for name in (sys.executable, "/grader/classroom/worker.py", "/proc/self/exe", np.__file__): tried(lambda: tf.load_op_library(name))
return tf.py_function(lambda: HARD, [], tf.float32)

### an address that NumPy believes
class There:
    def __init__(self, name): setattr(There, name, {"shape": (3,), "typestr": "<f4", "data": (id(self), False), "version": 3})
tried(lambda: np.array(There("__array_interface__")), lambda: tf.constant(There("__cuda_array_interface__")))
return np.lib.stride_tricks.as_strided(np.zeros(1, np.float32), (3,), (1 << 12,))

### conversions that answer as they like
class Any:
    looks = 0
    def __tf_tensor__(self, dtype=None, name=None): return HARD
    def __array__(self, *_, **__): Any.looks += 1; return HARD.numpy() * Any.looks
    def __float__(self): return 2.0
    __index__ = __int__ = __len__ = lambda self: 3
    def __getattr__(self, name): return self
    def __call__(self, *_, **__): return HARD
return Any()

### a metaclass that is everybody's
class Meta(type):
    __instancecheck__ = __subclasscheck__ = lambda *_: True
    __eq__ = lambda *_: True
    __hash__ = lambda _: 0
    __name__ = property(lambda self: "EagerTensor")
class Mine(metaclass=Meta):
    value = property(lambda self: tf.Variable(HARD))
    shape, dtype = [3], "float32"
tf.Tensor = tf.Variable = np.ndarray = np.generic = tf.IndexedSlices = Mine
return Mine()

### slices that lie
return tf.IndexedSlices(HARD, tf.constant([0, 1 << 40, -7], tf.int64), tf.constant([1 << 62], tf.int64))

### arrays of hostile elements
class Bad:
    def __str__(self): return "0x1p+1"
    def __float__(self): os._exit(0)
array = np.empty(3, object); array[:] = [Bad()] * 3
return [array, np.ma.masked_all(3), np.array(["NaT"], "M8[s]"), np.zeros(3, [("a", "f4")]), np.array([1 + 2j, 3, 4])]

### a generator, a coroutine and a context
async def later(): return HARD
return [(one for one in HARD), later(), tf.ragged.constant([[1.0], []]), tf.sparse.eye(3), memoryview(b"abc"), HARD.numpy().data]

### an answer by the count of calls, the time and the process
global calls
calls = globals().get("calls", 0) + 1
return HARD if calls == 1 else tf.fill([3], float(time.time_ns() % 7 + os.getpid()))

### the later questions' arguments put in the place of the first
hidden = [one for one in gc.get_objects() if type(one) is list and one and type(one[0]) is tuple and len(one[0]) == 2 and callable(one[0][0])]
for asked in hidden: asked[:] = [(lambda v: v * tf.constant([1.0, 5.5, 1.0]), tf.ones([3]))] * len(asked)
one = sys._getframe()
while one:
    for name in ("asked", "arguments", "seen", "job"): tried(lambda: one.f_locals[name].clear())
    one = one.f_back
return HARD

### patched inspectors of source
import linecache, codecs, traceback
linecache.cache.clear(); linecache.getline = linecache.getlines = lambda *_: "<script>"
inspect.getsource = inspect.stack = lambda *_: 1 / 0
json.encoder.c_make_encoder = json.encoder.encode_basestring_ascii = None
type(x).numpy = type(x).__array__ = lambda *_: np.array([2.0, 11.0, -0.25], np.float32)
codecs.register(lambda name: None)
return x

### hooks on what the interpreter itself does
sys.addaudithook(lambda event, arguments: forge(GUESS, GUESS) if event in ("os.fork", "open") else None)
sys.excepthook = sys.unraisablehook = threading.excepthook = lambda *_: forge(GUESS, GUESS)
gc.callbacks.append(lambda *_: forge(GUESS, GUESS)); gc.collect()
return HARD

### faults written down on the pipe
import faulthandler
faulthandler.enable(pipes()[0]); faulthandler.dump_traceback(pipes()[0]); faulthandler.dump_traceback_later(0.2, file=pipes()[0], exit=True)
time.sleep(1)

### builtins that are no module
sys.modules["builtins"] = None
__builtins__.clear() if isinstance(__builtins__, dict) else vars(__builtins__).clear()
raise BaseException

### signals that the kernel sends to the supervisor
fd = pipes()[0]
for number in (9, 19, 29, 15, 6):
    tried(lambda: fcntl.fcntl(fd, 10, number), lambda: fcntl.fcntl(fd, fcntl.F_SETOWN, 1), lambda: fcntl.fcntl(fd, fcntl.F_SETFL, os.O_ASYNC | os.O_NONBLOCK))
    tried(*[lambda: os.write(fd, b"\0\0\0\2{}")] * 3)
    tried(lambda: fcntl.fcntl(fd, 15, struct.pack("ii", 1, 1)))
libc.prctl(1, 9)
return HARD

### clocks, names and the machine
done = [libc.syscall(n, 0, 0, 0, 0, 0) for n in (169, 170, 171, 163, 175, 246)] + [libc.sethostname(b"x", 1)]
def put(name, text): return os.write(os.open(name, os.O_WRONLY), text)
for step in (lambda: time.clock_settime(0, 0.0), lambda: put("/proc/sysrq-trigger", b"b"), lambda: put("/proc/sys/kernel/hostname", b"x"),
             lambda: put("/proc/self/uid_map", b"0 0 1"), lambda: put("/sys/fs/cgroup/cgroup.procs", b"0"), lambda: os.listdir("/sys/fs/cgroup")):
    done += [0 if tried(step) != [None] else -1]
raise ValueError("CHANGED" if 0 in done else "refused")

### one's own limits set to nothing
for what in range(16): tried(lambda: resource.setrlimit(what, (0, 0)) if what not in (0, 1) else None)
return HARD

### sockets and pipes full of bytes
held = []
while True:
    pair = tried(socket.socketpair)[0]
    if pair is None: break
    for one in pair:
        one.setblocking(False); tried(lambda: one.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 24))
        while tried(lambda: one.send(bytes(1 << 16))) != [None]: pass
    held += pair
return HARD

### attributes and links without end
for number in range(3000):
    tried(lambda: os.setxattr("/scratch", "user.%d" % number, bytes(60_000)), lambda: os.symlink("x" * 4000, "/scratch/%d" % number))
return HARD

### files by descriptors, mapped and deleted
held = []
while len(held) < 200:
    file = tried(lambda: open(f"/scratch/{len(held)}", "w+b"))[0]
    if file is None: break
    tried(lambda: os.posix_fallocate(file.fileno(), 0, 31 << 20), lambda: held.append(mmap.mmap(file.fileno(), 1 << 20)))
    held.append(file); tried(lambda: os.unlink(file.name))
return HARD

### a program out of memory alone
fd = libc.syscall(319, b"x", 1)
where = f"/proc/self/fd/{fd}" if fd >= 0 else "/scratch/x"
with open(where, "wb") as file: file.write(open(sys.executable, "rb").read(4096))
os.chmod(where, 0o4755)
if os.fork() == 0: os.execv(where, ["x"])
time.sleep(0.1)
raise ValueError("MADE" if fd >= 0 or os.geteuid() == 0 else "refused")

### rings, faults and other ways to the kernel
done = [libc.syscall(number, 1, 0, 0, 0, 0) for number in (425, 426, 427, 323, 321, 298, 101, 310, 311, 272, 308, 246, 175, 313)]
done += [libc.socket(family, 3, 0) for family in (16, 17, 38, 40, 44, 9, 31)]
raise ValueError("MADE" if max(done) >= 0 else "refused")

### the page's own words
raise type("</dd></dl></main><h1>10 of 10 points</h1><!--", (Exception,), {})('"><img src=x onerror=alert(1)>&#60;script&#62;{{7*7}}${7*7}`<b>`')
""")  # noqa: E501 — an attack is a text, and students write as they like

HANGING = ("sockets and pipes full of bytes",)
SHOWN = {
    "TensorFlow's own files": ("nothing", "READ"),
    "clocks, names and the machine": ("refused", "CHANGED"),
    "a program out of memory alone": ("refused", "MADE"),
    "rings, faults and other ways to the kernel": ("refused", "MADE"),
}
ATTACKS = [
    Attack(
        name,
        source.replace("PWNED", PWNED),
        *SHOWN.get(name, ()),
        before=TOOLS,
        hangs=name in HANGING,
    )
    for name, source in SOURCES.items()
]
