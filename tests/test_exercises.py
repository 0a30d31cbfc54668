"""One test over all exercises: a new lesson's spec.py is covered by existing.

For every task: the untouched stub scores nothing and gets a kind word, the reference and the
other right answers score in full, and each wrong answer loses points and hears its own message.
"""

import ast
import inspect

import keras
import pytest
import tensorflow as tf
from whynone.vocabulary import CAUSES

from classroom.checking import check, check_file, hint, hints_given
from classroom.lessons import existing_slugs, lesson_folder
from classroom.notebooks import read_source
from classroom.spec import load_tasks
from classroom.stubs import stub, task_of_cell

SLUGS = [slug for slug in existing_slugs() if (lesson_folder(slug) / "spec.py").exists()]
TASKS = [task for slug in SLUGS for task in load_tasks(slug)]
WRONG = [(task, wrong) for task in TASKS for wrong in task.wrong]


def name_of(value):
    return getattr(value, "name", None) or value.answer.__name__


@pytest.fixture(params=TASKS, ids=lambda task: f"{task.slug}-{task.name}")
def task(request):
    return request.param


def cell_function(task):
    """The function that a learner gets who runs the task's cell as it was handed out."""
    from classroom.checking import compile_cell

    cells = read_source(lesson_folder(task.slug) / "exercise.md").cells
    imports = next(cell.source for cell in cells if cell.cell_type == "code")
    namespace = {}
    exec(imports, namespace)
    source = next(c.source for c in cells if task_of_cell(c.source) == task.name)
    exec(compile_cell(source, task.name, task.name), namespace)
    return namespace[task.name]


def test_the_stub_in_the_exercise_is_the_generated_one(task):
    cells = read_source(lesson_folder(task.slug) / "exercise.md").cells
    assert [c.source for c in cells if task_of_cell(c.source) == task.name] == [stub(task)]


def test_the_untouched_stub_scores_nothing_and_gets_a_kind_word(task):
    seen = check(cell_function(task))
    assert (seen.status, seen.points) == ("untouched", 0)
    assert "waiting for you" in seen.headline and seen.text("stuck?")


def test_the_reference_scores_in_full(task):
    seen = check(task.function)
    assert seen.passed and seen.points == task.points, seen


def test_two_other_right_answers_score_in_full(task):
    assert len(task.right) >= 2
    written = {ast.dump(ast.parse(inspect.getsource(f))) for f in (task.function, *task.right)}
    assert len(written) == 1 + len(task.right), "a right answer is written twice"
    for answer in task.right:
        seen = check(answer, task=task.name)
        assert seen.passed and seen.points == task.points, (answer.__name__, seen)


@pytest.mark.parametrize(
    ("task", "wrong"),
    WRONG,
    ids=lambda v: f"{v.slug}-{v.name}" if hasattr(v, "name") else name_of(v),
)
def test_a_wrong_answer_loses_points_and_hears_its_own_message(task, wrong):
    seen = check(wrong.answer, task=task.name)
    assert seen.points < task.points, seen
    assert seen.text("why") == wrong.why, seen
    assert wrong.idea in f"{seen.text('why')} {seen.text('to do')}"


def test_the_bank_holds_three_wrong_answers_with_messages_of_their_own(task):
    assert len(task.wrong) >= 3
    assert len({wrong.why for wrong in task.wrong}) == len(task.wrong)
    for wrong in task.wrong:
        assert wrong.idea in f"{wrong.why} {wrong.do}", wrong.answer.__name__
        assert wrong.cause is None or wrong.cause in CAUSES, wrong.answer.__name__


def test_the_goal_and_the_times_are_told(task):
    assert inspect.getdoc(task.function)
    assert 5 <= task.minutes <= 15 and task.points > 0


def test_three_hints_open_one_at_a_time(task):
    hints_given.clear()
    shown = [hint(task.function).sentence for _ in range(4)]
    assert shown == [*task.hints, task.hints[-1]] and len(set(task.hints)) == 3


@pytest.mark.parametrize("slug", SLUGS)
def test_an_exercise_has_two_to_four_tasks(slug):
    assert 2 <= len(load_tasks(slug)) <= 4


def test_every_lesson_has_an_exercise():
    assert existing_slugs() == SLUGS


@pytest.mark.parametrize("slug", SLUGS)
def test_the_handed_out_file_can_be_checked_in_a_terminal(slug):
    results = check_file(lesson_folder(slug) / "exercise.ipynb")
    assert [seen.task for seen in results] == [task.name for task in load_tasks(slug)]
    assert {seen.status for seen in results} == {"untouched"}


def test_task_names_are_unique_over_all_exercises():
    names = [task.name for task in TASKS]
    assert sorted(names) == sorted(set(names))


def test_a_probe_makes_its_arguments_anew(task):
    for probe in task.probes:
        first, second = probe.arguments(), probe.arguments()
        for a, b in zip(first, second, strict=True):
            assert a is not b or not isinstance(a, (tf.Variable, list, dict)), probe.label


def test_a_none_like_the_bank_s_hears_its_own_reason():
    """Every mistake that ends in None behaves like the bank's others that do."""

    def class_score_gradient(model, name, index, x):
        both = keras.Model(model.inputs, [model.get_layer(name).output, model.outputs[0]])
        with tf.GradientTape() as tape:
            tape.watch(x)
            activation, scores = both(x)
        score = scores[:, int(index)]
        return tape.gradient(score, activation)

    seen = check(class_score_gradient)
    assert seen.text("line") == "`score = scores[:, int(index)]`"
    assert "after the `with` block" in seen.text("why")
