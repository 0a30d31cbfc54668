"""Probes cut out of spec.py: they run alone, and nothing of the answers comes along."""

import ast
import sys

import pytest

from classroom.lessons import existing_slugs, lesson_folder
from classroom.masters import load_master
from classroom.messages import Stop
from classroom.new import new
from classroom.observe import observe
from classroom.programs import (
    Source,
    imported,
    maker_text,
    probe_program,
    support_files,
    whynone_files,
)
from classroom.spec import Probe, load_tasks
from classroom.variants import arguments_of

SLUGS = [slug for slug in existing_slugs() if (lesson_folder(slug) / "spec.py").exists()]

MODULE = """
import math
import numpy as np
import tensorflow as tf
from collections import Counter, deque

TABLE = {"a": 1}
TABLE["b"] = 2
if True:
    LIMIT = 3


def helper(x):
    answer = np.sin(x)  # a local name, not the function below
    return [Counter(), answer, inner(x)]


def inner(x):
    return x < LIMIT


def answer(x):
    return x


@tf.function
def decorated():
    return TABLE


class Thing(deque):
    def put(self):
        return helper(self)
"""


@pytest.fixture
def no_imports_of_ours(monkeypatch):
    """Importing anything of this repository fails, as it does in a sandbox."""

    class Block:
        def find_spec(self, name, path=None, target=None):
            if name.split(".")[0] in ("classroom", "solutions"):
                raise ImportError(name)

    for name in list(sys.modules):
        if name.split(".")[0] in ("classroom", "solutions") and name != "classroom.variants":
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(sys, "meta_path", [Block(), *sys.meta_path])


def test_the_closure_takes_what_is_needed_and_no_local_namesake():
    source = Source(MODULE)
    assert source.needed("helper(1)") == {"helper", "np", "Counter", "inner", "LIMIT"}
    assert source.needed("Thing()") == {
        "Thing",
        "deque",
        "helper",
        "np",
        "Counter",
        "inner",
        "LIMIT",
    }
    assert source.needed("lambda answer: answer") == set()
    assert source.needed("lambda: answer") == {"answer"}


def test_what_is_cut_out_is_whole_and_imports_nothing_more():
    source = Source(MODULE)
    text = source.cut({"Counter", "TABLE", "decorated", "tf"})
    assert "from collections import Counter\n" in text and "deque" not in text
    assert "@tf.function\ndef decorated" in text and "LIMIT" not in text
    ast.parse(text)


@pytest.mark.parametrize("slug", SLUGS)
def test_no_program_holds_a_reference_an_answer_or_the_specification(slug):
    master = load_master(slug)
    for task in master.tasks:
        bank = [*task.right, *(wrong.answer for wrong in task.wrong), task.function]
        names = {function.__name__ for function in bank} - {"<lambda>"}
        for probe in [*task.probes, *task.hidden]:
            program = probe_program(probe, task)
            tree = ast.parse(program)
            defined = {node.name for node in tree.body if hasattr(node, "name")}
            assert not defined & names, probe.label
            assert "classroom" not in program and "reference" not in program, probe.label
            assert {module for module, _ in imported(program)} <= {"whynone.by_hand"}


@pytest.mark.parametrize("slug", SLUGS)
def test_every_exercise_can_be_handed_out(slug):
    master = load_master(slug)
    answers = {(task.function.__module__, task.name) for task in master.tasks}
    codes = [("a cell", cell) for cell in master.setup]
    files = support_files(codes, answers)
    assert all(path.startswith("solutions/") for path in files)
    for task in master.tasks:
        assert not any(f"def {task.name}(" in text for text in files.values())


@pytest.mark.parametrize("slug", ["unwatched_tensor", "one_tape_many_gradients"])
def test_a_program_makes_the_same_tensors_where_nothing_of_ours_can_be_imported(
    slug, no_imports_of_ours
):
    for task in load_tasks(slug):
        for probe in task.probes:
            got, wanted = arguments_of(probe_program(probe, task)), probe.arguments()
            assert len(got) == len(wanted)
            for one, other in zip(got, wanted, strict=True):
                if observe(other)["kind"] != "other":
                    assert observe(one) == observe(other)


@pytest.mark.parametrize(
    ("made", "words"),
    [
        ("lambda: (with_a_variable, 3.0)", "needs `with_a_variable`"),
        ("lambda: (reference.slope_at, 3.0)", "needs `reference`"),
        ("functools.partial(secant, 1.0)", "needs `secant`"),
        ("lambda: (neighbour.f, 3.0)", "imports neighbour, which stays with you"),
    ],
)
def test_a_probe_that_cannot_be_handed_out_is_named(tmp_path, made, words):
    old = 'Probe("a parabola at 3", lambda: (tf.square, 3.0))'
    files = new(tmp_path / "my_week")
    (tmp_path / "my_week" / "neighbour.py").write_text("f = abs\n")
    text = files[1].read_text()
    assert old in text
    text = text.replace(old, f'Probe("a parabola at 3", {made})')
    files[1].write_text(
        text.replace(
            "import tensorflow", "import functools\nimport neighbour\nimport tensorflow", 1
        )
    )
    sys.modules.pop("neighbour", None)
    task = load_master(str(tmp_path / "my_week")).tasks[0]
    with pytest.raises(Stop) as stop:
        probe_program(task.probes[0], task)
    assert words in str(stop.value)
    assert "my_week: the probe “a parabola at 3” of `slope_at`" in str(stop.value)


@pytest.mark.parametrize(
    "made",
    ["functools.partial(tuple, [tf.exp, 2.0])", "(lambda n: lambda: (tf.exp, n))(2.0)"],
)
def test_what_is_no_plain_function_is_taken_as_it_is_written(tmp_path, made):
    files = new(tmp_path / "my_week")
    text = files[1].read_text().replace("lambda: (tf.square, 3.0)", made)
    files[1].write_text(text.replace("import tensorflow", "import functools\nimport tensorflow", 1))
    task = load_master(str(tmp_path / "my_week")).tasks[0]
    function, number = arguments_of(probe_program(task.probes[0], task))
    assert number == 2.0 and float(function(0.0)) == 1.0
    files[1].write_text(files[1].read_text().replace('"a parabola at 3"', 'f"a parabola at {3}"'))
    task = load_master(str(tmp_path / "my_week")).tasks[0]
    with pytest.raises(Stop, match="cannot be cut out"):
        probe_program(task.probes[0], task)


def test_lambdas_on_one_line_are_told_apart_and_defaults_are_kept(tmp_path):
    (tmp_path / "two.py").write_text(
        "import tensorflow as tf\n"
        "A, B = (lambda: (tf.exp(0.0), 1)), (lambda: (tf.exp(0.0), 2))\n"
        "C = [lambda name=name: (name,) for name in ('x', 'y')]\n"
    )
    import importlib.util

    spec = importlib.util.spec_from_file_location("two", tmp_path / "two.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    source = Source((tmp_path / "two.py").read_text())
    made = [maker_text(Probe("p", f), source, "") for f in (module.A, module.B, *module.C)]
    assert made[:2] == ["lambda: (tf.exp(0.0), 1)", "lambda: (tf.exp(0.0), 2)"]
    assert [eval(text)() for text in made[2:]] == [("x",), ("y",)]


def test_whynone_goes_along_without_the_answers_of_its_own_exercise():
    files = whynone_files()
    assert "whynone/__init__.py" in files and "whynone/causes/unwatched.py" in files
    by_hand = files["whynone/by_hand.py"]
    assert "class Step" in by_hand and "def " not in by_hand and "training_loop" not in by_hand
    namespace = {"__name__": "by_hand"}
    exec(by_hand, namespace)
    assert namespace["Step"](3, "a", ("x",)).broken is None


def test_two_lessons_of_which_one_imports_the_others_answer_are_refused():
    code = "from solutions.intermediate_activations import activation_gradients"
    files = support_files([("a cell", code)], set())
    assert "def activation_gradients" in files["solutions/intermediate_activations.py"]
    with pytest.raises(Stop, match=r"a cell needs `activation_gradients`.*an answer"):
        support_files(
            [("a cell", code)], {("solutions.intermediate_activations", "value_and_gradients")}
        )
