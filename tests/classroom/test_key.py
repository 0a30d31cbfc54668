"""The key, written, read back and checked without TensorFlow, and what judges answers by it."""

import contextlib
import dataclasses
import json
import subprocess
import sys
import threading
import time

import pytest

from classroom import judge
from classroom.bounded import observe_call
from classroom.environment import ROOT
from classroom.key import (
    Key,
    KeyProbe,
    KeyTask,
    KeyWrong,
    decode_file,
    encode_file,
    load_key,
    save_key,
)
from classroom.messages import Stop
from classroom.observation import show, valid

ONE = {"kind": "tensor", "shape": [1], "dtype": "float32", "values": ["0x1.0000000000000p+0"]}


def probe(group="public"):
    return KeyProbe("a row", group, 1e-5, 1e-6, "arguments = lambda: (1.0,)\n", None, ONE)


def key(*groups):
    probes = tuple(map(probe, groups or ("public", "hidden")))
    wrong = KeyWrong("Why.", "Do.", None, "why", tuple({"kind": "none"} for _ in probes))
    task = KeyTask(
        "double", "my_week", "Twice.", 5.0, "write", "def double(x): ...", ("import math",), {},
        probes, (wrong,),
    )  # fmt: skip
    return Key("Week", {"tensorflow": "2.21.0"}, "2027-01-15T23:59:00+01:00", (task,), "ada")


def test_what_was_written_is_read(tmp_path):
    save_key(key(), tmp_path / "a.json")
    save_key(key(), tmp_path / "b.json")
    assert load_key(tmp_path / "a.json") == key()
    assert (tmp_path / "a.json").read_bytes() == (tmp_path / "b.json").read_bytes()
    with pytest.raises(ValueError, match="JSON"):  # such a key could not be read again
        save_key(dataclasses.replace(key(), due=float("nan")), tmp_path / "c.json")
    assert not (tmp_path / "c.json").exists()


@pytest.mark.parametrize(
    ("groups", "worth"),
    [
        (["public", "public"], [2.5, 2.5]),
        (["public", "hidden"], [2, 3]),
        (["public", "public", "hidden", "hidden", "hidden"], [1, 1, 1, 1, 1]),
        (["public", "hidden", "hidden"], [2, 1.5, 1.5]),
    ],
)
def test_points_are_split_40_to_60_and_evenly_within(groups, worth):
    assert key(*groups).task("double").worth() == pytest.approx(worth)


GOOD = {
    "format": 1,
    "title": "Week",
    "made_with": {"tensorflow": "2.21.0"},
    "due": None,
    "tasks": [
        {
            "name": "double", "slug": "my_week", "title": "Twice.", "points": 5, "kind": "write",
            "stub": "def double(x): ...", "setup": [], "files": {},
            "probes": [
                {
                    "label": "a row", "group": "public", "rtol": 1e-5, "atol": 1e-6,
                    "program": "arguments = tuple", "vary": None, "expected": ONE,
                }
            ],
            "wrong": [{"why": "", "do": "", "cause": None, "idea": "", "observations": [ONE]}],
        }
    ],
}  # fmt: skip


def test_a_key_has_the_points_of_all_its_tasks_and_finds_one_by_its_name():
    one = key().tasks[0]
    other = dataclasses.replace(one, name="triple", points=2.5)
    both = dataclasses.replace(key(), tasks=(one, other))
    assert both.points == 7.5
    assert both.task("triple") is other and both.task("double") is one


def test_a_key_written_by_hand_is_read(tmp_path):
    (tmp_path / "key.json").write_text(json.dumps(GOOD))
    read = load_key(tmp_path / "key.json")
    assert read.points == 5.0 and read.student == "" and read.task("other") is None
    assert read.tasks[0].probes[0].expected == ONE


PLACES = [
    (("title",), 3),
    (("made_with",), []),
    (("due",), 5),
    (("tasks",), {}),
    (("tasks",), []),
    (("tasks", 0), None),
    (("tasks", 0, "points"), "5"),
    (("tasks", 0, "points"), -1),
    (("tasks", 0, "points"), 0),
    (("tasks", 0, "points"), True),
    (("tasks", 0, "setup"), "import math"),
    (("tasks", 0, "setup"), [1]),
    (("tasks", 0, "files"), {"a": 1}),
    (("tasks", 0, "probes"), []),
    (("tasks", 0, "probes", 0, "group"), "secret"),
    (("tasks", 0, "probes", 0, "rtol"), 1.0),
    (("tasks", 0, "probes", 0, "rtol"), -1e-5),
    (("tasks", 0, "probes", 0, "vary"), 1.5),
    (("tasks", 0, "probes", 0, "vary"), True),
    (("tasks", 0, "probes", 0, "expected"), {}),
    (("tasks", 0, "probes", 0, "expected"), []),
    (("tasks", 0, "wrong", 0, "observations"), []),
]


@pytest.mark.parametrize(("place", "value"), PLACES, ids=str)
def test_a_field_of_a_wrong_kind_is_named(tmp_path, place, value):
    data = json.loads(json.dumps(GOOD))
    at = data
    for step in place[:-1]:
        at = at[step]
    at[place[-1]] = value
    (tmp_path / "key.json").write_text(json.dumps(data))
    with pytest.raises(Stop) as stop:
        load_key(tmp_path / "key.json")
    named = str(stop.value).split("`")[1]
    path = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in place)
    assert named.startswith(path[1:]) and "Make the assignment again" in str(stop.value)


@pytest.mark.parametrize(
    ("as_it_is", "other", "says"),
    [
        ('"group": "public"', '"group": "hidden"', "probes` holds no public probe"),
        ('"points": 5', '"points": 1e999', "points` must be above 0"),
        ('"points": 5', '"points": NaN', "NaN is no JSON number"),
        ('"atol": 1e-06', '"atol": 1e999', "`atol` is out of range"),
        ('"atol": 1e-06', '"atol": -1e-6', "`atol` is out of range"),
    ],
)
def test_what_the_types_do_not_say_is_checked_too(tmp_path, as_it_is, other, says):
    text = json.dumps(GOOD)
    assert as_it_is in text
    (tmp_path / "key.json").write_text(text.replace(as_it_is, other))
    with pytest.raises(Stop, match=says):
        load_key(tmp_path / "key.json")


@pytest.mark.parametrize("place", [("title",), ("tasks",), ("tasks", 0, "stub")], ids=str)
def test_a_missing_field_is_named(tmp_path, place):
    data = json.loads(json.dumps(GOOD))
    at = data
    for step in place[:-1]:
        at = at[step]
    del at[place[-1]]
    (tmp_path / "key.json").write_text(json.dumps(data))
    with pytest.raises(Stop, match=rf"{place[-1]}` is missing"):
        load_key(tmp_path / "key.json")


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "null", '{"format": 2}', '{"format": NaN}', "\x00", "[" * 100_000]
)
def test_what_is_no_key_is_refused_in_one_sentence(tmp_path, text):
    (tmp_path / "key.json").write_text(text)
    with pytest.raises(Stop, match=r"key\.json"):
        load_key(tmp_path / "key.json")
    with pytest.raises(Stop, match="no such key"):
        load_key(tmp_path / "other.json")


def test_two_tasks_of_one_name_are_refused(tmp_path):
    (tmp_path / "key.json").write_text(json.dumps({**GOOD, "tasks": GOOD["tasks"] * 2}))
    with pytest.raises(Stop, match="two of one name"):
        load_key(tmp_path / "key.json")


@pytest.mark.parametrize(
    "content", [b"text\n", b"", b"\xff\x00\x01", b"data:;base64,hello", "é".encode()]
)
def test_files_of_any_content_survive(content):
    assert decode_file(encode_file(content)) == content
    assert content != b"text\n" or encode_file(content) == "text\n"


def test_reading_a_key_needs_no_tensorflow_and_no_pickle():
    code = "import sys, classroom.key, classroom.judge; print('tensorflow' in sys.modules, "
    code += "'pickle' in vars(classroom.key), 'pickle' in vars(classroom.judge))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.stdout.split() == ["False"] * 3, done.stderr


# ---- observations: what may come out of a sandbox, and how a learner sees it

NONE = {"kind": "none"}
TEXT = {"kind": "str", "value": "a"}


def tensor(*numbers, shape=None, dtype="float64"):
    """The observation of a tensor, written down without our observer."""
    values = [float(n).hex() if "float" in dtype else n for n in numbers]
    shape = list(shape or [len(values)])
    return {"kind": "tensor", "shape": shape, "dtype": dtype, "values": values}


def number(value):
    return {"kind": "float", "value": float(value).hex()}


def sequence(*items):
    return {"kind": "sequence", "items": list(items)}


def mapping(**items):
    return {"kind": "mapping", "items": items}


def nested(levels, kind):
    seen = NONE
    for _ in range(levels):
        seen = sequence(seen) if kind == "sequence" else mapping(a=seen)
    return seen


@pytest.mark.parametrize(
    ("within", "beyond"),
    [
        (nested(8, "sequence"), nested(9, "sequence")),
        (nested(8, "mapping"), nested(9, "mapping")),
        (mapping(a=NONE), mapping(a={"kind": "none", "more": 1})),
        ({"kind": "int", "value": 2**64}, {"kind": "int", "value": 2**64 + 1}),
        ({"kind": "int", "value": -(2**64)}, {"kind": "int", "value": -(2**64) - 1}),
        (tensor(*[0] * 100_000), tensor(*[0] * 100_001)),
        (tensor(shape=[0, 2**40]), tensor(shape=[0, 2**40 + 1])),
        (tensor(shape=[0, 2**24, 2**24]), tensor(shape=[0, 2**24, 2**24 + 1])),
        (tensor(0, shape=[1] * 32), tensor(0, shape=[1] * 33)),
        (tensor(0, shape=[1]), tensor(0, shape=[-1, -1])),
        (tensor("1+2j", dtype="complex64"), tensor(1, dtype="complex64")),
        ({"kind": "exception", "type": "E", "message": "x" * 1000},
         {"kind": "exception", "type": "E", "message": "x" * 1001}),
        ({"kind": "symbolic", "shape": [None, 3], "dtype": "float32"},
         {"kind": "tensor", "shape": [None, 0], "dtype": "float32", "values": []}),
        ({"kind": "other", "type": "A", "shape": [3], "dtype": "float32"},
         {"kind": "other", "type": "A", "shape": [3], "dtype": "evil"}),
        (number(2.0), {"kind": "float", "value": "0x1.8p+9999"}),
        (TEXT, {**TEXT, "more": 1}),
        (sequence(NONE), {**sequence(NONE), "more": 1}),
        (mapping(a=NONE), {**mapping(a=NONE), "more": 1}),
        ({"kind": "other", "type": "A"}, {"kind": "other", "type": "A", "more": 1}),
    ],
    ids=lambda seen: str(seen)[:60],
)  # fmt: skip
def test_observations_are_valid_up_to_a_size(within, beyond):
    assert valid(within)
    assert not valid(beyond)


@pytest.mark.parametrize(
    ("seen", "shown"),
    [
        (NONE, "None"),
        (TEXT, "'a'"),
        ({"kind": "exception", "type": "E", "message": "no"}, "E: no"),
        ({"kind": "symbolic", "shape": [None, 3], "dtype": "float32"},
         "a symbolic tensor (a description, no values) of shape (None, 3)"),
        ({"kind": "other", "type": "A"}, "an object of type A"),
        (number(2.0), "2"),
        (number(-0.123456), "-0.1235"),
        (number(999_999), "999999"),
        (number(1_000_000), "1e+06"),
        (number("inf"), "inf"),
        ({"kind": "bool", "value": True}, "1"),
        (tensor(1, 2, 3, 4, 5, 6), "float64 of shape (6,): 1 2 3 4 5 6"),
        (tensor(1, 2, 3, 4, 5, 6, 7), "float64 of shape (7,): 1 2 3 4 5 6 …"),
        (tensor(1, 2, 3, 4, shape=[2, 2], dtype="int32"), "int32 of shape (2, 2): 1 2 3 4"),
        (tensor("1+2j", dtype="complex64"), "complex64 (1,): ['1+2j']"),
        (sequence(*[NONE] * 4), "[None, None, None, None]"),
        (sequence(*[NONE] * 5), "[None, None, None, None, … 5 in all]"),
        (mapping(a=NONE, b=TEXT), "{'a': None, 'b': 'a'}"),
        (mapping(a=NONE, b=NONE, c=NONE, d=NONE, e=NONE),
         "{'a': None, 'b': None, 'c': None, 'd': None, … 5 in all}"),
    ],
    ids=str,
)  # fmt: skip
def test_what_a_learner_sees_of_an_observation(seen, shown):
    assert show(seen) == shown


# ---- the judge, on observations written by hand

RIGHT = "Shape and dtype are right"
MATRIX = tensor(1, 2, 3, 4, 5, 6, shape=[2, 3])
ERROR = {"kind": "exception", "type": "ValueError", "message": "no"}


@pytest.mark.parametrize(
    ("expected", "got", "rtol", "atol", "says"),
    [
        # within rtol·|expected| + atol, and just beyond
        (number(100), number(100.9), 0.01, 0, None),
        (number(100), number(101.1), 0.01, 0, f"{RIGHT}; 1 of 1 values differ."),
        (number(1), number(1.99), 0.5, 0, f"{RIGHT}; 1 of 1 values differ."),
        (number(0), number(0.009), 0, 0.01, None),
        (number(0), number(0.011), 0, 0.01, f"{RIGHT}; 1 of 1 values differ."),
        (tensor(1), tensor(1 + 1e-9), 1e-12, 0, f"{RIGHT}; 1 of 1 values differ."),
        (sequence(number(100)), sequence(number(100.9)), 0.01, 0, None),
        (mapping(a=number(0)), mapping(a=number(0.009)), 0, 0.01, None),
        (mapping(a=TEXT, b=number(1)), mapping(b=number(2), a=TEXT), 0, 0,
         f"Entry 'b': {RIGHT}; 1 of 1 values differ."),
        (sequence(NONE, number(1)), sequence(NONE, number(2)), 0, 0,
         f"Entry 1: {RIGHT}; 1 of 1 values differ."),
        # kinds
        ({"kind": "int", "value": 2}, number(2), 0, 0, None),
        (number(2), tensor(2, shape=[1]), 0, 0, "The shape is (1,); expected ()."),
        (tensor(2), number(2), 0, 0, "The shape is () — a number; expected (1,)."),
        (TEXT, {"kind": "str", "value": "b"}, 0, 0, "Expected 'a'; got 'b'."),
        (NONE, TEXT, 0, 0, "Expected None; got 'a'."),
        (sequence(), mapping(), 0, 0, "Expected []; got {}."),
        (sequence(NONE), sequence(NONE, NONE), 0, 0, "Expected entries [0]; got [0, 1]."),
        (mapping(a=NONE), mapping(b=NONE), 0, 0, "Expected entries ['a']; got ['b']."),
        (ERROR, {**ERROR, "message": "another"}, 0, 0, None),
        (ERROR, {**ERROR, "type": "E"}, 0, 0, "E: no came instead of ValueError: no."),
        (ERROR, {"kind": "other", "type": "ValueError"}, 0, 0,
         "an object of type ValueError came instead of ValueError: no."),
        (tensor(1), ERROR, 0, 0,
         "ValueError: no came instead of float64 of shape (1,): 1."),
        # shapes and dtypes
        (MATRIX, tensor(1, 4, 2, 5, 3, 6, shape=[3, 2]), 0, 0,
         "The shape is (3, 2) (transposed); expected (2, 3)."),
        (MATRIX, tensor(1, 2, 3, 4, 5, 6), 0, 0, "The shape is (6,); expected (2, 3)."),
        (tensor(1), tensor(1, dtype="float32"), 0, 0, "The dtype is float32; expected float64."),
        (tensor(1, dtype="int32"), tensor(1, dtype="int64"), 0, 0, None),
        (tensor(1, dtype="int32"), tensor(1), 0, 0, None),
        # values
        (tensor("nan", 1), tensor("nan", 1), 0, 0, None),
        (tensor("nan", 1, 2), tensor("nan", 2, 2), 0, 0, f"{RIGHT}; 1 of 3 values differ."),
        (tensor(1, 2), tensor("nan", 2), 0, 0, "Some values are NaN."),
        (tensor(1, 2), tensor(0, 0), 0, 0, f"{RIGHT}, but every value is zero."),
        (tensor(1, 2), tensor(0, 2), 0, 0, f"{RIGHT}; 1 of 2 values differ."),
        (tensor(1, -2), tensor(-1, 2), 0, 0, f"{RIGHT}, but every sign is flipped."),
        (tensor(1, 2), tensor(-1, -3), 0, 0, f"{RIGHT}; 2 of 2 values differ."),
        (tensor(1, 2, 3), tensor(1, 5, 3), 0, 0, f"{RIGHT}; 1 of 3 values differ."),
        (tensor(0, 0.05, 1), tensor(0, 0.15, 3), 0, 0,
         f"{RIGHT}, but every value is 3 times the expected one."),
        (tensor(0, 1), tensor(5, 3), 0, 0, f"{RIGHT}; 2 of 2 values differ."),
        (tensor(1, 1), tensor(2, 2.1), 0, 0, f"{RIGHT}; 2 of 2 values differ."),
        (tensor(0, 0), tensor(1, 1), 0, 0, f"{RIGHT}; 2 of 2 values differ."),
    ],
    ids=str,
)  # fmt: skip
def test_the_judges_sentence(expected, got, rtol, atol, says):
    assert judge.difference(expected, got, rtol, atol) == says


def test_the_judges_own_tolerance_is_1e_5_of_the_value_and_1e_6():
    assert judge.same(number(10), number(10 + 0.9e-4))
    assert not judge.same(number(10), number(10 + 1.2e-4))
    assert judge.same(number(0), number(0.9e-6))
    assert not judge.same(number(0), number(1.1e-6))


# ---- a call with a time limit


def never():
    while True:
        with contextlib.suppress(Exception):  # which lets TimedOut through
            time.sleep(0.001)


def swallows_two():
    caught = []
    while len(caught) < 3:
        try:
            while True:
                pass
        except BaseException as error:
            caught.append(error)
    return "too late"


@pytest.mark.parametrize("function", [never, swallows_two])
def test_a_loop_is_ended_and_leaves_no_thread_behind(function):
    before, begun = threading.enumerate(), time.monotonic()
    seen = observe_call(function, (), 0.5)
    assert time.monotonic() - begun < 4
    said = {"type": "TimedOut", "message": "no result after 0.5 s"}
    assert seen == {"kind": "exception", **said}
    assert threading.enumerate() == before


def test_a_call_that_cannot_be_ended_holds_up_no_exit():
    assert observe_call(lambda: threading.current_thread().daemon, (), 60)["value"] is True
