"""The key: written and read back, each field checked, and no TensorFlow near it."""

import dataclasses
import json
import subprocess
import sys

import pytest

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
