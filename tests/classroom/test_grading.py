"""From a submitted file to a grade: points, feedback, misconceptions, and what is never shown."""

import contextlib
import dataclasses
import functools
import json
import struct

import pytest

from classroom import grading
from classroom.grading import UNREADABLE, clean, grade, grade_files, read
from classroom.observation import valid
from classroom.sandbox import ENDED, Outcome, Sandbox, SandboxFailed
from tests.classroom.handing_in import (
    COUNT,
    COUNT_STUB,
    KEY,
    SETUP,
    SLOPE,
    SLOPE_STUB,
    SLOPE_TASK,
    Shared,
    answer,
    grade_it,
    needs_sandbox,
    notebook,
    points,
    rights,
    shared_sandbox,
)


@pytest.fixture(autouse=True, scope="module")
def ending():
    needs_sandbox()
    yield
    shared_sandbox().close()
    another_sandbox().close()


@functools.cache
def another_sandbox() -> Shared:
    return Shared()


def lines_of(graded, task: str) -> dict[str, str]:
    return dict(next(one for one in graded.tasks if one.name == task).lines)


def test_right_answers_have_full_marks():
    graded = grade_it(SLOPE, COUNT)
    assert points(graded) == {"slope": 10, "count": 5}
    assert graded.points == graded.possible == 15
    assert graded.sandboxed


def test_points_are_split_over_public_and_hidden_probes():
    """40 % for the public probes, 60 % for the hidden ones, evenly within a group."""
    only_two = answer("return 2")
    only_two_or_five = answer("return len(words) if len(words) < 10 else 0")
    assert points(grade_it(SLOPE, only_two))["count"] == pytest.approx(5 * 0.4)
    assert points(grade_it(SLOPE, only_two_or_five))["count"] == pytest.approx(5 * 0.7)


def test_hard_coded_public_answers_earn_no_hidden_point():
    graded = grade_it(answer("return tf.constant([2.0, 4.0])", "slope", "x"), COUNT)
    assert rights(graded, "slope", "public") == [True]
    assert rights(graded, "slope", "hidden") == [False]
    assert lines_of(graded, "slope")["why"].startswith("It is right on the examples you know")


def test_an_untouched_stub_scores_nothing_and_starts_no_sandbox():
    class Unstartable(Sandbox):
        def session(self):
            raise AssertionError("a sandbox was started")

    graded = grade(notebook(SETUP, SLOPE_STUB, COUNT_STUB), "a.ipynb", KEY, Unstartable())
    assert points(graded) == {"slope": 0, "count": 0}
    assert "handed out" in graded.tasks[0].headline


def test_a_reformatted_stub_is_still_untouched():
    stub = SLOPE_STUB.replace("    raise", "\n    # my notes\n    raise") + "\n\n"
    assert "handed out" in grade_it(stub, COUNT).tasks[0].headline


def test_a_missing_cell_scores_nothing_and_is_said():
    graded = grade_it(COUNT)
    assert points(graded) == {"slope": 0, "count": 5}
    assert "no cell" in graded.tasks[0].headline


def test_an_exception_is_shown_and_scores_nothing():
    graded = grade_it(SLOPE, answer("raise ValueError('so many words')"))
    assert points(graded)["count"] == 0
    assert lines_of(graded, "count")["came back"] == "ValueError: so many words"


def test_a_cell_that_does_not_parse_costs_its_own_task_only():
    graded = grade_it(SLOPE, "# TASK: count\ndef count(words):\nreturn 1")
    assert points(graded) == {"slope": 10, "count": 0}
    assert "IndentationError" in lines_of(graded, "count")["came back"]


def test_a_crash_costs_its_own_probe_only():
    crash = "import os\nif len(words) == 5:\n    os._exit(0)\nreturn len(words)"
    graded = grade_it(SLOPE, answer(crash))
    assert rights(graded, "count", "hidden") == [False, True]
    assert points(graded)["slope"] == 10


def test_an_endless_loop_costs_its_own_task_only():
    needs_sandbox()
    quick = dataclasses.replace(shared_sandbox().limits, call=1.0)
    shared_sandbox().limits, before = quick, shared_sandbox().limits
    try:
        graded = grade_it(SLOPE, answer("while True: pass"))
    finally:
        shared_sandbox().limits = before
    assert points(graded) == {"slope": 10, "count": 0}
    assert "loop" in lines_of(graded, "count")["to do"]


def test_a_misconception_is_recognised_and_named():
    graded = grade_it(answer("return x**2", "slope", "x"), COUNT)
    assert graded.tasks[0].misconception == "the values instead"
    assert lines_of(graded, "slope")["why"] == SLOPE_TASK.wrong[0].why


def test_a_none_is_explained_at_the_students_own_line():
    body = "with tf.GradientTape() as tape:\n    y = x**2\nreturn tape.gradient(y, x)"
    graded = grade_it(answer(body, "slope", "x"), COUNT)
    assert graded.tasks[0].cause == "unwatched"
    lines = lines_of(graded, "slope")
    assert lines["line"] == "`y = x**2`"
    assert "watch" in lines["to do"]


def test_hidden_probes_never_appear_in_feedback():
    for body in ("return 2", "return None", "raise ValueError(words)", "return words"):
        graded = grade_it(SLOPE, answer(body))
        said = json.dumps([dataclasses.asdict(task) for task in graded.tasks])
        shown = json.dumps([(task.headline, task.lines) for task in graded.tasks])
        assert "seventeen" in "seventeen letters" and "letters" not in said
        assert "5 words" not in shown and "17 words" not in shown


def test_what_a_student_says_is_cleaned():
    body = "raise ValueError('\\x1b[31mred\\x07\\u202e\\ud800' + 'x' * 5000)"
    shown = lines_of(grade_it(SLOPE, answer(body)), "count")["came back"]
    shown.encode()  # no lone surrogate is left
    assert "\x1b" not in shown and "\u202e" not in shown
    assert len(shown) <= grading.LONGEST
    assert clean("a\n\tb") == "a b"


@pytest.mark.parametrize(
    "body",
    [
        "return words and None",
        "raise ValueError(set('abcdefgh'))",
        "raise ValueError(object())",
        "import random, numpy\nraise ValueError(random.random(), numpy.random.rand())",
        "return float(tf.random.normal([]))",
    ],
)
def test_grading_twice_gives_the_same(body):
    """In two sandboxes: neither an order, nor an address, nor chance shows."""
    one = grade_it(SLOPE, answer(body), sandbox=shared_sandbox())
    two = grade_it(SLOPE, answer(body), sandbox=another_sandbox())
    assert lines_of(one, "count")["came back"]
    assert dataclasses.replace(one, seconds=0) == dataclasses.replace(two, seconds=0)


def test_several_files_are_one_submission():
    both = [("a.ipynb", notebook(SETUP, SLOPE)), ("b.ipynb", notebook(SETUP, COUNT))]
    graded = grade_files(both, KEY, shared_sandbox())
    assert points(graded) == {"slope": 10, "count": 5}
    untouched_last = [*both, ("c.ipynb", notebook(SETUP, SLOPE_STUB))]
    assert points(grade_files(untouched_last, KEY, shared_sandbox()))["slope"] == 10


@pytest.mark.parametrize(
    ("data", "name", "reason"),
    [
        (b"", "a.ipynb", "empty"),
        (b"{", "a.ipynb", "no readable notebook"),
        (b"[1, 2]", "a.ipynb", "no notebook"),
        (b'{"cells": 3}', "a.ipynb", "no list of cells"),
        (b'{"worksheets": []}', "a.ipynb", "format 3"),
        (b'{"cells": ' + b"[" * 100_000, "a.ipynb", "no readable notebook"),
        (notebook("x = 1"), "a.ipynb", "No cell of a task"),
        (b"%PDF-1.4", "a.pdf", "hand in the .ipynb"),
        (b"x" * (5 << 20) + b"x", "a.py", "at most 5,242,880"),
        (notebook(*["x"] * 2001), "a.ipynb", "at most 2000"),
    ],
)
def test_what_cannot_be_read_needs_attention_and_says_why(data, name, reason):
    graded = grade(data, name, KEY, shared_sandbox())
    assert graded.state == "needs_attention"
    assert reason in graded.reason
    assert graded.tasks == () and len(graded.sha256) == 64


def test_a_broken_key_needs_attention():
    probe = dataclasses.replace(SLOPE_TASK.probes[0], program="def arguments():\n    1 / 0")
    task = dataclasses.replace(SLOPE_TASK, probes=(probe,), wrong=())
    graded = grade_it(SLOPE, key=dataclasses.replace(KEY, tasks=(task,)))
    assert graded.state == "needs_attention"
    assert "ZeroDivisionError" in graded.reason


def test_our_own_failure_needs_attention(monkeypatch):
    monkeypatch.setattr(grading, "recognise", lambda *_: 1 / 0)
    graded = grade_it(SLOPE, answer("return 1"))
    assert graded.state == "needs_attention" and "ZeroDivisionError" in graded.reason


# ---- what comes out of the sandbox is checked before it is read


PUBLIC = SLOPE_TASK.probes[:1] * 2
HIDDEN = SLOPE_TASK.probes[1:]


def outcome(*bodies: bytes) -> Outcome:
    return Outcome(ENDED, b"".join(struct.pack(">I", len(b)) + b for b in bodies), 0.1)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[" * 100_000,
        b"9" * 10_000,
        b"NaN",
        b'"kind"',
        b'{"kind": ["none"]}',
        b'{"kind": "none", "more": 1}',
        b'{"kind": "why"}',
        b'{"kind": "int", "value": true}',
        b'{"kind": "int", "value": 1e400}',
        b'{"kind": "int", "value": 1' + b"0" * 400 + b"}",
        b'{"kind": "float", "value": 2.0}',
        b'{"kind": "float", "value": "0x1.8p+9999"}',
        b'{"kind": "float", "value": "0x1.8p+1 "}',
        b'{"kind": "tensor", "shape": [-1], "dtype": "float32", "values": ["0x1.0p+0"]}',
        b'{"kind": "tensor", "shape": [1.0], "dtype": "float32", "values": ["0x1.0p+0"]}',
        b'{"kind": "tensor", "shape": [true], "dtype": "float32", "values": ["0x1.0p+0"]}',
        b'{"kind": "tensor", "shape": [2], "dtype": "float32", "values": ["0x1.0p+0"]}',
        b'{"kind": "tensor", "shape": [1], "dtype": "float32", "values": [1.0]}',
        b'{"kind": "tensor", "shape": [1], "dtype": "float32\\n", "values": ["0x1.0p+0"]}',
        b'{"kind": "tensor", "shape": [1], "dtype": "evil", "values": ["0x1.0p+0"]}',
        b'{"kind": "tensor", "shape": [1], "dtype": "int32", "values": ["7"]}',
        b'{"kind": "tensor", "shape": [], "dtype": "float32", "values": {"0": 1}}',
        b'{"kind": "tensor", "shape": [], "dtype": "datetime64[D]", "values": ["2020-01-01"]}',
        b'{"kind": "tensor", "shape": [], "dtype": "bytes8", "values": ["x"]}',
        b'{"kind": "sequence", "items": {"0": {"kind": "none"}}}',
        b'{"kind": "mapping", "items": [{"kind": "none"}]}',
        b'{"kind": "exception", "type": "E", "message": ["x"]}',
        b'{"kind": "exception", "type": "E", "message": "' + b"x" * 2000 + b'"}',
        b'{"kind": "other", "type": {}}',
        b'{"kind": "symbolic", "shape": [{}], "dtype": "float32"}',
    ],
)
def test_an_observation_of_no_valid_form_is_set_aside(body):
    assert read(outcome(body), PUBLIC[:1]) == [UNREADABLE]


def test_what_our_observer_makes_is_valid():
    import numpy as np
    import tensorflow as tf

    from classroom.observe import observe, observe_exception

    values = [None, True, -7, 2**63, 0.1, float("nan"), float("-inf"), "text", [1, (2.5, None)]]
    values += [{"a": [tf.ones(2)], 3: "b"}, np.float64(-0.0), np.int8(3), object(), len]
    kinds = ("float16", "bfloat16", "float32", "float64", "int8", "uint64", "bool", "complex64")
    values += [tf.cast(tf.constant([[0.0, 1.0]]), kind) for kind in kinds]
    values += [tf.constant(["x"]), tf.zeros((0, 3)), tf.Variable([5e-324]), np.array(["ä", "b"])]
    values += [np.zeros(200_000), np.array([1e-320, 1e308, 1.5e-45])]
    for value in values:
        assert valid(json.loads(json.dumps(observe(value)))), value
    assert valid(observe_exception(ValueError("a\nb")))


def test_more_observations_than_were_asked_for_are_ignored():
    none = b'{"kind": "none"}'
    assert read(outcome(none, none, none), PUBLIC) == [{"kind": "none"}] * 2


def test_a_probe_whose_program_fails_is_our_failure():
    with pytest.raises(SandboxFailed, match="program"):
        read(outcome(b'{"kind": "broken", "message": "x"}'), PUBLIC)


# ---- warm


def test_warm_and_cold_give_the_same_grades():
    cells = [
        [SLOPE, COUNT],
        [answer("return x**2", "slope", "x"), answer("return 2")],
        [answer("raise SystemExit(3)", "slope", "x"), answer("import os\nos._exit(0)")],
        [answer("return None", "slope", "x"), "# TASK: count\ndef count("],
    ]
    cold = [dataclasses.replace(grade_it(*one), seconds=0) for one in cells]
    with Sandbox(warm=True) as kept:
        warm = [dataclasses.replace(grade_it(*one, sandbox=kept), seconds=0) for one in cells]
        again = dataclasses.replace(grade_it(*cells[0], sandbox=kept), seconds=0)
    assert warm == cold
    assert again == cold[0]


def test_warm_submissions_do_not_meet():
    """Files, processes, patches and modules of one submission are not there for the next."""
    leave = "import os, sys, numpy\nopen('note', 'w').write('x')\nnumpy.sum = None\n"
    leave += (
        "sys.modules['left'] = sys\nos.fork() or __import__('time').sleep(30)\nreturn len(words)"
    )
    look = "import os, sys, numpy\nfound = os.listdir('.') + ['left'] * ('left' in sys.modules)\n"
    look += "found += ['patched'] * (numpy.sum is None) + [os.listdir('/proc')] * (\n"
    look += "    sorted(os.listdir('/proc')) != ['self'])\n"
    look += "found += [os.getpid()] * (os.getpid() > 9)\nreturn found or len(words)"
    with Sandbox(warm=True) as kept:
        assert points(grade_it(answer(leave), sandbox=kept))["count"] == 5
        graded = grade_it(answer(look), sandbox=kept)
    assert points(graded)["count"] == 5, lines_of(graded, "count")


def test_warm_goes_on_after_a_lost_process():
    with Sandbox(warm=True) as kept:
        assert points(grade_it(COUNT, sandbox=kept))["count"] == 5
        kept.kept.popen.kill()
        kept.kept.popen.wait()
        graded = grade_it(COUNT, sandbox=kept)
        if graded.state == "needs_attention":
            graded = grade_it(COUNT, sandbox=kept)
        assert points(graded)["count"] == 5


def test_a_hidden_probes_program_is_not_quoted():
    with pytest.raises(SandboxFailed) as raised:
        read(outcome(b'{"kind": "broken", "message": "the question"}'), HIDDEN)
    assert "the question" not in str(raised.value)


@pytest.mark.parametrize("warm", [False, True])
def test_what_a_hidden_probe_asks_cannot_be_carried_into_feedback(warm):
    """A student's code looks for questions in frames, in objects and in files left behind."""
    spy = """import gc, inspect, os
found = [str(one) for one in gc.get_objects() if type(one) in (dict, list, tuple)]
for frame in inspect.stack():
    found.append(str(frame.frame.f_locals))
for name in filter(os.path.isfile, os.listdir(".")):
    found.append(open(name).read())
with open("note", "w") as file:
    file.write(str(words))
asked = repr(list("letters")).strip("[]")  # not written down as such in this source
raise ValueError("letters" if asked in "".join(found) else "nothing")"""
    again = spy.replace("str(words)", "str(x)").replace("str(one) for", "str(one)[:10**6] for")
    with Sandbox(warm=True) if warm else contextlib.nullcontext(shared_sandbox()) as place:
        graded = grade_it(answer(spy), answer(again, "slope", "x"), sandbox=place)
    for task in ("count", "slope"):
        assert lines_of(graded, task)["came back"] == "ValueError: nothing"
