"""`check` itself: what it says about answers of every kind, on a task made up for this test."""

import contextlib
import dataclasses
import time

import numpy as np
import pytest
import tensorflow as tf

from classroom import checking, judge
from classroom.bounded import observe_call
from classroom.checking import check, check_file, main
from classroom.feedback import Feedback, markup
from classroom.messages import Stop
from classroom.observation import show
from classroom.observe import observe, observe_exception
from classroom.spec import Probe, Task, Wrong


def double(x: tf.Tensor) -> tf.Tensor:
    """Twice `x`."""
    return 2 * x


def triple(x):
    return 3 * x


def no_return(x):
    2 * x


def also_none(x):
    for _ in range(3):
        x = x + 1
    return None


TASK = Task(
    function=double,
    kind="write",
    minutes=5,
    points=4,
    probes=[
        Probe("a row", lambda: (tf.constant([1.0, 2.0]),)),
        Probe("zeros", lambda: (tf.zeros(2),)),
    ],
    hints=("a?", "b", "c"),
    right=[lambda x: x + x],
    wrong=[
        Wrong(no_return, why="No return.", do="Return it.", idea="return"),
        Wrong(also_none, why="Returns None.", do="Return it.", idea="None"),
    ],
    slug="unwatched_tensor",
    read="lessons/03_unwatched_tensor",
)


@pytest.fixture(autouse=True)
def only_this_task(monkeypatch):
    def find(name):
        if name != "double":
            raise Stop(f"`{name}` is no task of an exercise. Known: double.")
        return TASK

    monkeypatch.setattr(checking, "find_task", find)


def checked(function, **options):
    return check(function, task="double", **options)


def test_a_right_answer_passes_with_all_points():
    seen = checked(lambda x: x + x)
    assert seen.passed and (seen.points, seen.out_of) == (4, 4)


def test_half_the_probes_give_half_the_points_and_the_values_are_shown_side_by_side():
    seen = checked(triple)
    assert seen.points == 2 and seen.status == "wrong"
    assert seen.text("came back") == "float32 of shape (2,): 3 6"
    assert seen.text("expected") == "float32 of shape (2,): 2 4"
    assert "1.5 times" in seen.text("why")
    assert seen.text("called") == "`double(x=float32 [1 2])` — a row"
    assert seen.text("read") == "lessons/03_unwatched_tensor"


def test_of_two_mistakes_that_behave_alike_the_one_written_alike_is_named():
    def mine(x):
        for _ in range(7):
            x = x * 2
        return None

    assert checked(mine).text("why") == "Returns None."
    assert checked(lambda x: None).text("why") in ("No return.", "Returns None.")


def test_answers_that_differ_in_names_only_are_written_alike():
    def ours(x):
        """Text."""
        total = x + 1
        return total

    def theirs(values):
        result = values + 1
        return result

    def other(x):
        total = x - 1
        return total

    written = [checking.shape_of_code(function) for function in (ours, theirs, other)]
    assert written[0] == written[1] != written[2]
    assert checking.shape_of_code(len) == []


def test_a_none_that_is_in_no_bank_is_explained_at_its_line(monkeypatch):
    task = dataclasses.replace(TASK, wrong=[])
    monkeypatch.setattr(checking, "find_task", lambda name: task)

    def mine(x):
        with tf.GradientTape() as tape:
            value = tf.reduce_sum(x * x)
            tape.watch(x)
        return tape.gradient(value, x)

    seen = checked(mine)
    assert seen.text("line") == "`value = tf.reduce_sum(x * x)`"
    assert "watch" in seen.text("why") and "watch" in seen.text("to do")
    assert not checked(lambda x: None).text("line"), "no tape was asked: whynone has nothing to say"


HELPERS = """```python
import tensorflow as tf


def squares(x):
    return tf.reduce_sum(x * x)
```

```python
def nothing(x):
    return None


# not this line: it stands where the other cell has its sum
```

"""
LATE = """```python
# TASK: double
def double(x):
    with tf.GradientTape() as tape:
        value = {value}
        tape.watch(x)
    return tape.gradient(value, x)
```
"""


@pytest.mark.parametrize(
    ("value", "line"),
    [
        ("tf.reduce_sum(x ** 3)", "`value = tf.reduce_sum(x ** 3)`"),
        ("squares(x)", "`value = squares(x)`"),
    ],
)
def test_a_none_in_a_file_is_explained_at_the_learner_s_line(tmp_path, monkeypatch, value, line):
    task = dataclasses.replace(TASK, wrong=[])
    monkeypatch.setattr(checking, "find_task", lambda name: task)
    file = tmp_path / "exercise.md"
    file.write_text(HELPERS + LATE.format(value=value))
    (seen,) = check_file(file)
    assert seen.text("line") == line and "watch" in seen.text("why")


def test_an_exception_is_shown_not_raised():
    def broken(x):
        return x.no_such_thing

    seen = checked(broken)
    assert seen.status == "error" and seen.points == 0
    assert "AttributeError" in seen.text("came back")


@pytest.mark.parametrize("error", [SystemExit, KeyboardInterrupt, RecursionError])
def test_even_exits_and_interrupts_inside_the_answer_are_survived(error):
    def leaves(x):
        raise error("bye")

    assert error.__name__ in checked(leaves).text("came back")


def test_an_infinite_loop_is_ended_within_its_bound():
    def forever(x):
        while True:
            with contextlib.suppress(Exception):
                x = x + 1

    begun = time.monotonic()
    seen = checked(forever, seconds=0.5)
    assert time.monotonic() - begun < 10
    assert seen.points == 0 and "does not finish" in seen.headline
    assert "0.5 s" in seen.text("stopped") and "while" in seen.text("to do")


def test_a_wrong_signature_is_named_before_anything_runs():
    def double(x, y):
        raise AssertionError("must not run")

    seen = checked(double)
    assert seen.status == "error" and "takes `(x, y)`" in seen.text("yours")
    assert "def double(x):" in seen.text("to do")


def test_an_optional_extra_argument_is_fine():
    assert checked(lambda x, verbose=False: x + x).passed


def test_a_stub_that_raises_not_implemented_is_waiting():
    def double(x):
        raise NotImplementedError("your turn")

    seen = checked(double)
    assert seen.status == "untouched" and "Twice `x`." in seen.text("goal")


def test_what_is_no_task_is_named_with_the_nearest():
    with pytest.raises(Stop, match="`triple` is no task"):
        check(triple)
    with pytest.raises(Stop, match="no function"):
        check(5, task="double")
    assert Stop("one line")._render_traceback_() == ["one line"]


def test_an_object_that_equals_everything_does_not_pass():
    class Yes:
        def __eq__(self, other):
            return True

        shape, dtype = (2,), "float32"

    seen = checked(lambda x: Yes())
    assert seen.points == 0 and "object of type Yes" in seen.text("came back")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda x: -2 * x, "every sign is flipped"),
        (lambda x: 0 * x, "every value is zero"),
        (lambda x: 2 * x[None], "The shape is (1, 2)"),
        (lambda x: tf.cast(2 * x, tf.float64), "The dtype is float64"),
        (lambda x: 2 * x * np.nan, "NaN"),
        (lambda x: 2 * x + tf.constant([0.0, 1.0]), "1 of 2 values differ"),
        (lambda x: [2 * x], "Expected float32"),
    ],
)
def test_near_misses_are_told_apart(change, words):
    assert words in checked(change).text("why")


def test_feedback_as_text_and_as_html():
    seen = Feedback("t", "wrong", "`t` <is> wrong", 1, 4, [("why", "a < b and `c & d`")])
    assert repr(seen).splitlines()[0] == "✗ `t` <is> wrong  [1 of 4 points]"
    html = seen._repr_html_()
    assert "a &lt; b and <code>c &amp; d</code>" in html and "<is>" not in html
    assert markup("one ` only") == "one ` only"


# --- observe and judge --------------------------------------------------------------------


def test_observations_are_plain_and_exact():
    import json

    value = {"a": [tf.constant([0.1]), None, 1, True, "s", 0.25], "b": np.arange(3)}
    seen = observe(value)
    assert json.loads(json.dumps(seen)) == seen
    assert seen["items"]["a"]["items"][0]["values"] == [float(np.float32(0.1)).hex()]
    assert judge.same(seen, observe(value))
    assert observe(tf.IndexedSlices(tf.ones((1, 2)), tf.constant([1]), tf.constant([3, 2])))[
        "shape"
    ] == [3, 2]
    assert observe(object())["kind"] == "other"
    assert show(observe([None] * 6)).endswith("6 in all]")


def test_exceptions_are_observed_by_class_and_first_line():
    seen = observe_exception(ValueError("first\nsecond"))
    assert (seen["type"], seen["message"]) == ("ValueError", "first")
    other = observe_exception(TypeError("x"))
    assert judge.same(seen, seen) and not judge.same(seen, other)


def test_tolerance_is_respected_and_nan_equals_nan():
    a, b = observe(np.array([1.0, np.nan])), observe(np.array([1.0 + 5e-6, np.nan]))
    assert judge.same(a, b, rtol=1e-5, atol=0) and not judge.same(a, b, rtol=1e-6, atol=0)


def test_mappings_need_the_same_keys_in_any_order():
    assert judge.same(observe({"a": 1, "b": 2}), observe({"b": 2, "a": 1}))
    assert not judge.same(observe({"a": 1}), observe({"a": 1, "b": 2}))
    assert not judge.same(observe([1, 2]), observe([1]))
    assert "Entry 1" in judge.difference(observe([1.0, 2.0]), observe([1.0, 3.0]), 1e-5, 1e-6)


def test_a_call_that_ends_in_time_is_observed():
    assert observe_call(lambda x: x, (1,), 5)["value"] == 1


# --- files --------------------------------------------------------------------------------


def test_an_exercise_file_is_checked_cell_by_cell(tmp_path, capsys, monkeypatch):
    file = tmp_path / "exercise.md"
    file.write_text("```python\n# TASK: double\ndef double(x):\n    return x + x\n```\n")
    assert [seen.passed for seen in check_file(file)] == [True]
    monkeypatch.setattr("sys.argv", ["check", str(file)])
    assert main() == 0 and "✓ double" in capsys.readouterr().out
    file.write_text("```python\n# TASK: double\ndef double(x):\n    return x\n```\n")
    assert main() == 1


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (None, "no such file"),
        ("Nothing here.\n", "no cell begins with `# TASK:"),
        ("```python\n# TASK: triple\ndef triple(x): ...\n```\n", "is no task"),
        ("```python\n# TASK: double\ndef double(x:\n```\n", "does not parse: line 2"),
        ("```python\n# TASK: double\nraise ValueError('oh')\n```\n", "raised ValueError: oh"),
        ("```python\n# TASK: double\ntwice = 1\n```\n", "defines no function"),
    ],
)
def test_a_file_that_cannot_be_checked_gets_one_line_and_exit_code_2(
    tmp_path, capsys, monkeypatch, text, words
):
    file = tmp_path / "exercise.md"
    if text is not None:
        file.write_text(text)
    monkeypatch.setattr("sys.argv", ["check", str(file)])
    assert main() == 2
    said = capsys.readouterr().err
    assert words in said and len(said.splitlines()) == 1


def test_a_damaged_notebook_is_named(tmp_path, capsys, monkeypatch):
    file = tmp_path / "exercise.ipynb"
    file.write_text('{"cells": [')
    monkeypatch.setattr("sys.argv", ["check", str(file)])
    assert main() == 2 and "not a readable notebook" in capsys.readouterr().err
