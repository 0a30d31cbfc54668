"""`assign` and `new`: what is written, what is refused, and that nothing is left half-made."""

import io
import json
import stat
import zipfile

import numpy as np
import pytest

from classroom import assign as command
from classroom import assignment, commands, judge
from classroom.assignment import make_assignment
from classroom.key import load_key
from classroom.masters import load_master
from classroom.messages import Stop
from classroom.new import main as new_main
from classroom.new import new
from classroom.observation import numbers
from classroom.variants import arguments_of

SECRET = "0123456789abcdef"


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    out = tmp_path_factory.mktemp("class") / "week"
    make_assignment(["unwatched_tensor"], out, secret=SECRET, due="2027-01-15T23:59:00+01:00")
    return out


@pytest.fixture(scope="module")
def for_two(tmp_path_factory):
    """A class of two, with numbers of their own."""
    folder = tmp_path_factory.mktemp("class")
    new(folder / "my_week")
    lessons = [str(folder / "my_week")]
    make_assignment(lessons, folder / "out", secret=SECRET, students=["ada", "bob"], variants=8)
    return folder / "out"


@pytest.fixture
def master(tmp_path):
    new(tmp_path / "my_week")
    return tmp_path / "my_week"


def edit(file, old, replacement):
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, replacement))


def refusal(lessons, **options):
    with pytest.raises(Stop) as stop:
        make_assignment(list(map(str, lessons)), None, secret=SECRET, **options)
    return str(stop.value)


def test_the_student_gets_a_zip_and_the_teacher_a_folder(made):
    assert sorted(file.name for file in made.iterdir()) == ["student.zip", "teacher"]
    assert sorted(f.name for f in (made / "teacher").iterdir()) == ["key.json", "secret.txt"]
    assert (made / "teacher" / "secret.txt").read_text().strip() == SECRET
    for file in (made / "teacher", made / "teacher" / "secret.txt"):
        assert not stat.S_IMODE(file.stat().st_mode) & 0o077


def test_the_key_holds_what_the_lesson_holds(made):
    key = load_key(made / "teacher" / "key.json")
    tasks = load_master("unwatched_tensor").tasks
    assert [(t.name, t.points, t.kind) for t in key.tasks] == [
        (task.name, task.points, task.kind) for task in tasks
    ]
    assert key.title == "unwatched_tensor" and key.due.startswith("2027-01-15")
    for ours, task in zip(key.tasks, tasks, strict=True):
        public = [probe for probe in ours.probes if probe.group == "public"]
        assert [probe.label for probe in public] == [probe.label for probe in task.probes]
        assert ours.stub.startswith(f"# TASK: {task.name}\n")
        assert len(ours.wrong) == len(task.wrong)
        assert sum(ours.worth()) == pytest.approx(task.points)


def test_expected_values_are_the_derivatives(made):
    """The oracle: x³ − x has the slope 3x² − 1, by hand, for written and for drawn numbers."""
    task = load_key(made / "teacher" / "key.json").task("input_gradient")
    seen = [probe for probe in task.probes if probe.label == "a polynomial"]
    assert [probe.group for probe in seen] == ["public", "hidden"]
    np.testing.assert_allclose(numbers(seen[0].expected), [2.0, 11.0, -0.25])
    for probe in seen:
        _, x = arguments_of(probe.program, probe.vary)
        np.testing.assert_allclose(numbers(probe.expected), 3 * x.numpy() ** 2 - 1, rtol=1e-5)
    assert not np.allclose(arguments_of(seen[1].program, seen[1].vary)[1], [1.0, -2.0, 0.5])


def test_each_wrong_answer_loses_points_and_a_copied_one_gets_no_hidden_point(made):
    key = load_key(made / "teacher" / "key.json")
    for task in key.tasks:
        for wrong in task.wrong:
            pairs = zip(task.probes, wrong.observations, strict=True)
            assert any(judge.difference(p.expected, o, p.rtol, p.atol) for p, o in pairs)
        public = {p.label: p.expected for p in task.probes if p.group == "public"}
        for probe in task.probes:
            if probe.group == "hidden" and probe.label in public:
                assert not judge.same(public[probe.label], probe.expected, probe.rtol, probe.atol)


def test_true_or_false_has_no_hidden_twin_so_the_lesson_writes_hidden_questions(made):
    probes = load_key(made / "teacher" / "key.json").task("needs_watch").probes
    written = next(t for t in load_master("unwatched_tensor").tasks if t.name == "needs_watch")
    hidden = [(probe.label, probe.vary) for probe in probes if probe.group == "hidden"]
    assert hidden == [(probe.label, None) for probe in written.hidden]


def test_equal_secrets_give_equal_bytes(made, tmp_path):
    make_assignment(
        ["unwatched_tensor"], tmp_path / "again", secret=SECRET, due="2027-01-15T23:59:00+01:00"
    )
    for name in ("student.zip", "teacher/key.json"):
        assert (tmp_path / "again" / name).read_bytes() == (made / name).read_bytes()


def tasks_of(archive):
    with zipfile.ZipFile(io.BytesIO(archive)) as opened:
        return json.loads(opened.read("assignment/lib/classroom/tasks.json"))["tasks"]


def test_with_a_roster_each_student_has_other_numbers(for_two):
    assert sorted(f.name for f in (for_two / "students").iterdir()) == ["ada.zip", "bob.zip"]
    keys = [load_key(for_two / "teacher" / "keys" / f"{name}.json") for name in ("ada", "bob")]
    assert [key.student for key in keys] == ["ada", "bob"]
    common = load_key(for_two / "teacher" / "key.json")
    drawn = [key.tasks[0].probes for key in (*keys, common)]
    for group in ("public", "hidden"):
        seeds = {p.vary for probes in drawn for p in probes if p.group == group and p.vary}
        assert len(seeds) >= 3
    for name, key in zip(("ada", "bob"), keys, strict=True):
        entries = tasks_of((for_two / "students" / f"{name}.zip").read_bytes())
        wanted = [p.vary for p in key.tasks[0].probes if p.group == "public"]
        assert [probe["vary"] for probe in entries[0]["probes"]] == wanted
        assert any(vary is not None for vary in wanted)


def test_the_master_that_new_writes_is_accepted_and_has_a_question_of_its_own(for_two):
    task = load_key(for_two / "teacher" / "key.json").task("slope_at")
    public = [p for p in task.probes if p.group == "public"]
    own = [p for p in task.probes if p.label == "a logarithm at 4"]
    assert len(public) == 3 and [p.group for p in own] == ["hidden"]
    assert numbers(own[0].expected) == pytest.approx(0.25)
    assert numbers(public[0].expected) == pytest.approx(6.0)


BROKEN = {
    "a wrong answer that is right": (
        "spec.py",
        "return function(tf.constant(x, tf.float32))",
        "return with_a_variable(function, x)",
        "`value_instead` is said to be wrong for `slope_at`, but no public probe",
    ),
    "a right answer that is wrong": (
        "spec.py",
        "return tape.jacobian(y, x)",
        "return 2 * tape.jacobian(y, x)",
        "`by_a_jacobian` is said to be right for `slope_at`, but on the probe “a parabola at 3”",
    ),
    "a reference that is a stub": (
        "my_week.py",
        "    x = tf.convert_to_tensor",
        "    raise NotImplementedError\n    x = tf.convert_to_tensor",
        "the probe “a parabola at 3” of `slope_at`: the reference is still a stub",
    ),
    "a probe that needs an answer": (
        "spec.py",
        "lambda: (bell, 0.5)",
        "lambda: (secant, 0.5)",
        "the probe “a bell curve at 0.5” of `slope_at` needs `secant`",
    ),
    "a probe that fails": (
        "spec.py",
        "lambda: (bell, 0.5)",
        "lambda: (bell, 0.5 / 0)",
        "does not run by itself: ZeroDivisionError",
    ),
    "a probe of chance": (
        "spec.py",
        "lambda: (bell, 0.5)",
        "lambda: (bell, float(tf.random.normal(())))",
        "the reference gives another result each time",
    ),
    "a task without a cell": ("exercise.md", "# TASK: slope_at", "# TASKS", "0 cells `# TASK:"),
    "a cell of no task": ("exercise.md", "# TASK: slope_at", "# TASK: other", "is in no spec.py"),
    "a cell that fails": (
        "exercise.md",
        "from classroom import check, hint",
        "from classroom import check, hint\n1 / 0",
        "of the exercise does not run: ZeroDivisionError",
    ),
    "a kind that is none": ("spec.py", 'kind="write"', 'kind="essay"', "kind is one of"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_a_master_that_does_not_hold_what_it_promises_is_refused(master, case):
    name, old, replacement, words = BROKEN[case]
    edit(master / name, old, replacement)
    assert words in refusal([master])


def test_lessons_that_cannot_go_together_or_are_none_are_named(master):
    assert "Did you mean unwatched_tensor" in refusal(["unwatched_tensors"])
    twin = master.with_name("other_week")
    new(twin)
    assert "Two tasks are called `slope_at`" in refusal([master, twin])


def test_nothing_is_left_when_writing_fails(master, tmp_path, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(assignment, "student_zip", full)
    before = sorted(tmp_path.iterdir())
    with pytest.raises(OSError):
        make_assignment([str(master)], tmp_path / "out", secret=SECRET)
    assert sorted(tmp_path.iterdir()) == before


# --- the command line ---------------------------------------------------------------------


def run(*words):
    return command.main([str(word) for word in words])


def test_a_dry_run_writes_nothing_and_says_what_would_be_asked(master, tmp_path, capsys):
    assert run(master, "--out", tmp_path / "out", "--dry-run") == 0
    said = capsys.readouterr().out
    assert "slope_at" in said and "3 public, 4 hidden" in said and "Nothing was written" in said
    assert not (tmp_path / "out").exists()


def test_a_folder_with_something_in_it_is_not_touched(tmp_path, capsys):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "grades.csv").write_text("mine")
    assert run("unwatched_tensor", "--out", tmp_path / "out") == 2
    assert "is not empty" in capsys.readouterr().err
    assert (tmp_path / "out" / "grades.csv").read_text() == "mine"


@pytest.mark.parametrize(
    ("option", "content", "words"),
    [
        ("--roster", "name\nAda\n", "no column `id`"),
        ("--roster", "id\n", "no row below it"),
        ("--roster", "id\nada\n../bob\n", "line 3: the id '../bob'"),
        ("--roster", "id\nada\n\nada\n", "'ada' is there twice"),
        ("--roster", "id,name\n,Ada\n", "line 2: the id ''"),
        ("--secret-file", "short", "holds 5 characters; write 16 or more"),
    ],
)
def test_a_bad_option_is_said_before_anything_is_done(tmp_path, capsys, option, content, words):
    (tmp_path / "file").write_text(content)
    out = tmp_path / "out"
    assert run("unwatched_tensor", "--out", out, option, tmp_path / "file") == 2
    assert words in capsys.readouterr().err and not out.exists()
    assert run("unwatched_tensor", "--out", out, option, tmp_path / "missing") == 2
    assert "cannot be read" in capsys.readouterr().err


def test_a_due_time_is_iso(capsys, tmp_path):
    assert run("unwatched_tensor", "--out", tmp_path / "out", "--due", "Friday") == 2
    assert "--due Friday is no ISO time" in capsys.readouterr().err
    assert command.due_time("2027-01-15T23:59+01:00") == "2027-01-15T23:59:00+01:00"
    assert command.due_time("2027-01-15T23:59")[:16] == "2027-01-15T23:59"
    assert len(command.due_time("2027-01-15T23:59")) > 19  # this computer's offset is added


def test_help_shows_examples(capsys):
    for main in (command.main, new_main):
        with pytest.raises(SystemExit) as stop:
            main(["--help"])
        assert stop.value.code == 0 and "python -m classroom" in capsys.readouterr().out


@pytest.mark.parametrize("name", ["my-week", "Week", "2nd", "json", "spec"])
def test_new_refuses_a_name_that_cannot_be_a_module(tmp_path, capsys, name):
    assert new_main([str(tmp_path / name)]) == 2
    assert name in capsys.readouterr().err and not (tmp_path / name).exists()


def test_new_overwrites_nothing(master):
    (master / "spec.py").write_text("mine")
    with pytest.raises(Stop, match="is there already"):
        new(master)
    assert (master / "spec.py").read_text() == "mine"


@pytest.mark.parametrize("words", [["assign", "a_lesson", "--out", "x", "--help"], ["new", "week"]])
def test_the_verbs_read_their_own_words_where_they_were_called(monkeypatch, tmp_path, words):
    called = {}
    monkeypatch.setattr(commands, "ensure_environment", lambda: "python")
    monkeypatch.setattr(commands.subprocess, "call", lambda c, **k: called.update(k, command=c))
    monkeypatch.chdir(tmp_path)
    commands.run(words)
    assert called["command"] == ["python", "-m", f"classroom.{words[0]}", *words[1:]]
    assert called["cwd"] == tmp_path
