"""The hidden questions that lessons write themselves, where other numbers change no answer.

Each answer below was found by hand. Whoever copied the public answers has none of them.
"""

import collections
import json

import keras
import pytest

from classroom import judge
from classroom.bounded import observe_call
from classroom.key import Key
from classroom.keys import alike, made_with, make_task, plain_probe
from classroom.lessons import existing_slugs
from classroom.masters import load_master
from classroom.observation import numbers
from classroom.spec import load_tasks
from tests.classroom.handing_in import grade_it, needs_sandbox, rights

TASKS = {task.name: task for slug in existing_slugs() for task in load_tasks(slug) if task.hidden}
ANSWERS = {
    "watched_names": [
        ["a:0", "m:0", "z:0"],
        ["tower/above/kernel:0", "tower/below/kernel:0"],
        ["cold:0"],
    ],
    "recorded_steps": [
        ["z2", "sum", "noisy"],
        ["z1", "a1", "z2", "sum", "noisy", "size"],
        ["left", "loss_left", "total"],
        ["loss_left", "loss_right", "total"],
    ],
    "gradient_is_none": [True, False, True, False, True, False, True, False],
    "needs_watch": [False, True, False, True],
    "tensor_kind": ["symbolic", "symbolic", "traced", "traced", "value", "value"],
    "path_of": ["eye/edges", "eye/edges_2", "ear/cochlea/pitch", "ear/cochlea", "both"],
    "first_broken_step": [3, 0, None, 2, 1],
    "tape_verdict": ["value", "None", "zeros", "LookupError", "inf", "NaN", "NaN"],
    "untracked_variables": [[5.0, 7.0], [[3.0, 4.0], 0.5]],
    "quiet_units": [[1, 2], [1, 2, 3, 5], [0, 1, 2, 3, 4, 5], []],
    "lines_behind": [
        [4, 6, 7, 7, 9, 15],
        [4, 6, 7],
        [3, 5, 6, 8, 9, 11],
        [3, 5, 6, 9],
        [3, 6, 10],
    ],
    "first_break": [
        ("left_tensorflow", 4),
        None,
        ("left_tensorflow", 12),
        ("no_path", 7),
        None,
        ("stop_gradient", 6),
        ("stop_gradient", 6),
        ("not_differentiable", 10),
        ("no_path", 8),
    ],
}


@pytest.fixture(params=ANSWERS)
def task(request):
    return TASKS[request.param]


def plain(observed):
    """An observation as a value of Python."""
    if observed["kind"] == "sequence":
        return [plain(item) for item in observed["items"]]
    return numbers(observed).tolist() if observed["kind"] == "tensor" else observed.get("value")


def asked(function, probes):
    return [observe_call(function, probe.arguments(), 30.0) for probe in probes]


def right(task, function, probes):
    """Whether the function is right, for each of the probes."""
    wanted = asked(task.function, probes)
    return [
        judge.same(expected, got, probe.rtol, probe.atol)
        for probe, expected, got in zip(probes, wanted, asked(function, probes), strict=True)
    ]


def arguments_of(probe):
    keras.utils.set_random_seed(1)  # weights that the author left to chance
    return probe.arguments()


def can_be_copied(task, probe):
    """Whether some public question looks like this one and has its answer.

    The best that an answer can do that was only written down from the public questions. `alike`
    tells fewer questions apart than there are, so this is generous.
    """
    before = [public for public in task.probes if alike(arguments_of(public), arguments_of(probe))]
    (expected,) = asked(task.function, [probe])
    return any(judge.same(expected, known, 1e-4, 1e-5) for known in asked(task.function, before))


def test_these_are_all():
    assert sorted(TASKS) == sorted(ANSWERS)


def test_the_reference_gives_what_was_found_by_hand(task):
    found = [plain(observed) for observed in asked(task.function, task.hidden)]
    wanted = [list(a) if isinstance(a, tuple) else a for a in ANSWERS[task.name]]
    assert found == wanted


def test_every_right_answer_is_right_on_them(task):
    for answer in task.right:
        assert all(right(task, answer, task.hidden)), answer.__name__


def test_a_copied_answer_has_every_public_point_and_no_hidden_one(task):
    assert all(can_be_copied(task, probe) for probe in task.probes)
    assert not any(can_be_copied(task, probe) for probe in task.hidden)


def test_each_question_stands_alone_when_it_is_cut_out(task):
    for probe in task.hidden:
        assert plain_probe(probe, task, "hidden").group == "hidden"  # else it is refused


def test_one_answer_to_all_of_them_is_right_on_one_half_at_most():
    for name, answers in ANSWERS.items():
        counted = collections.Counter(map(json.dumps, answers))
        assert counted.most_common(1)[0][1] <= len(answers) / 2, name


def test_the_labels_tell_questions_apart(task):
    labels = [probe.label for probe in [*task.probes, *task.hidden]]
    assert len(set(labels)) == len(labels)


COPIED = """# TASK: first_break
def first_break(recording, target, source):
    return {answers}[len(recording), target, source]"""


def test_the_sandbox_gives_a_copied_answer_no_hidden_point():
    """The whole way: cut out of spec.py, put to a submission, judged from the key."""
    needs_sandbox()
    master = load_master("whynone")
    task = TASKS["first_break"]
    made = make_task(master, task, {(task.function.__module__, task.name)}, "a secret")
    key = Key("Week 3", made_with(), None, (made,))
    known = [(probe.arguments(), task.function(*probe.arguments())) for probe in task.probes]
    answers = {(len(steps), target, source): value for (steps, target, source), value in known}
    graded = grade_it(COPIED.format(answers=answers), key=key)
    assert rights(graded, "first_break", "public") == [True] * len(task.probes)
    assert rights(graded, "first_break", "hidden") == [False] * len(task.hidden)
    assert graded.tasks[0].points == pytest.approx(0.4 * task.points)
    whole = grade_it(f"# TASK: first_break\n{reference_source()}", key=key)
    assert whole.tasks[0].points == task.points


def reference_source():
    """The reference with its helper, as one cell."""
    from classroom.programs import WHYNONE, Source

    source = Source((WHYNONE / "by_hand.py").read_text(encoding="utf-8"))
    return source.cut({"first_break"} | source.needed("first_break"))
