"""The atlas: specimens, the record that is asked again, and the pages and quotes made from it."""

import json
import re
import sys
from pathlib import Path

import keras
import numpy as np
import pytest
import tensorflow as tf
from rich.progress import Progress
from whynone.vocabulary import CAUSES

from classroom import atlas as pages
from classroom.environment import ROOT
from classroom.lessons import SLUGS, existing_slugs, lesson_folder
from classroom.messages import Stop
from solutions.atlas import RECORD, in_order, outcome_of, recorded, short
from tests import ask_specimens
from tests import atlas as recorder

DATA = pages.read()
HEADERS = pages.specimens()
NEWEST = [name for name in DATA["rows"] if " " not in name][-1]
ROWS = [row for rows in DATA["rows"].values() for row in rows.values()]
TEXTS = {text for row in ROWS for text in ([row] if isinstance(row, str) else row)}


# --- the specimens ----------------------------------------------------------------------------


def test_each_cause_is_broken_and_fixed_and_the_two_differ_today():
    for cause in CAUSES:
        found = {
            kind: [n for n, m in HEADERS.items() if (m["kind"], m.get("cause")) == (kind, cause)]
            for kind in ("broken", "fixed")
        }
        assert found["broken"] and found["fixed"], cause
        for name in found["fixed"]:
            fixed = outcome_of(DATA["rows"][NEWEST][name])
            assert pages.symptom(fixed) == "value", name
            broken = [outcome_of(DATA["rows"][NEWEST][other]) for other in found["broken"]]
            assert fixed not in broken, name


def test_each_seed_has_its_claims():
    for seed, least in {"000": 12, "002": 14, "003": 15, "004": 10}.items():
        assert sum(matter.get("seed") == seed for matter in HEADERS.values()) >= least


HEADER = '"""I do it\n\nlesson: grad_cam\nkind: mistake\n"""\nprint(1)\n'


def test_a_right_header(tmp_path):
    file = tmp_path / "one.py"
    file.write_text(HEADER)
    assert pages.specimens(tmp_path) == {
        "one": {"title": "I do it", "lesson": "grad_cam", "kind": "mistake"}
    }


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("I do it", "", "no docstring whose first line"),
        ("kind: mistake", "kind: misteak", "`kind:` must be one of seed, recipe"),
        ("kind: mistake", "kind: recipe", "missing, or one too many: `claim`, `expect`"),
        ("kind: mistake", "kind: mistake\nseed: 002", "missing, or one too many: `seed`"),
        ("lesson: grad_cam\n", "", "missing, or one too many: `lesson`"),
        ("grad_cam", "gradcam", "unknown lesson `gradcam`. Did you mean grad_cam"),
        ("mistake", "broken\ncause: unwached", "unknown cause `unwached`. Did you mean unwatched"),
        ("mistake", "seed\nseed: 001\nclaim: c\nexpect: None", "unknown seed `001`"),
        ("print(1)", "1", "one `print(…)` with one argument"),
        ("print(1)", "print(1, 2)", "one `print(…)` with one argument"),
        ("print(1)", "print(1)\nprint(2)", "one `print(…)` with one argument"),
    ],
)
def test_a_wrong_header_is_named(tmp_path, old, new, said):
    (tmp_path / "one.py").write_text(HEADER.replace(old, new))
    with pytest.raises(Stop, match=re.escape(said)) as caught:
        pages.specimens(tmp_path)
    assert str(caught.value).startswith("lessons/atlas/one.py: ")


# --- an outcome in words ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (None, "None"),
        (True, "value True"),
        ("text", "value text"),
        (3, "value 3"),
        ((None, 2), "value (None, 2)"),
        (tf.TensorShape([2, None]), "value (2, None)"),
        (tf.constant(1.23456), "value 1.235"),
        (tf.constant([-0.0, 2.0]), "value [0.0, 2.0]"),
        (tf.ones((3, 3)), "value (3, 3)"),
        (tf.zeros((3, 3)), "zeros (3, 3)"),
        (tf.constant([np.nan, 0.0]), "NaN (2,)"),
        (np.float32(0.5), "value 0.5"),
        ([], "list []"),
        ([None, tf.constant(2.0)], "list [None, value 2.0]"),
        ([0] * 9, f"list [{', '.join(['zeros ()'] * 8)}, … 9 in all]"),
        (tf.IndexedSlices(tf.ones((2, 3)), tf.constant([0, 3])), "IndexedSlices (2, 3)"),
        (Path(), f"a {type(Path()).__name__}"),
    ],
)
def test_in_words(found, words):
    assert ask_specimens.in_words(found) == words


def test_a_keras_tensor_has_no_values():
    assert ask_specimens.in_words(keras.Input((2,))) == "symbolic (None, 2)"


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (ValueError("one\ntwo"), "ValueError: one"),
        (KeyError(), "KeyError:"),
        (ValueError("in user code:\n\n  File x\n\n  ValueError: this\n"), "ValueError: this"),
        (
            TypeError("Exception encountered when calling A.\n\n\x1b[1mwhy\x1b[0m\n\nmore"),
            "TypeError: Exception encountered when calling A. why",
        ),
        (OSError("no <f at 0x7f00aa> in /some/where/file.py"), "OSError: no <f> in file.py"),
    ],
)
def test_an_error_in_words(error, words):
    assert ask_specimens.raised(error) == words


def test_each_specimen_has_a_process_of_its_own(tmp_path, monkeypatch):
    scripts = {
        "crash": "import os\nos._exit(3)\n",
        "fine": "import warnings\nwarnings.warn('look out', stacklevel=1)\nprint(None)\n",
        "kill": "import os\nos.kill(os.getpid(), 9)\n",
        "loop": "while True:\n    pass\n",
        "quits": "raise ValueError('no')\n",
    }
    files = []
    for name, text in scripts.items():
        files.append(tmp_path / f"{name}.py")
        files[-1].write_text(text)
    monkeypatch.setattr(ask_specimens, "SECONDS", 1)
    found = {a["specimen"]: a for a in ask_specimens.answers(list(map(str, files)), 2)}
    assert found["fine"] == {"specimen": "fine", "outcome": "None", "warned": ["look out"]}
    assert found["quits"]["outcome"] == "ValueError: no"
    assert found["loop"]["outcome"] == "did not end in 1 s"
    assert found["crash"]["outcome"] == "ended with status 768"
    assert found["kill"]["outcome"] == "ended with status 9"


# --- the record -------------------------------------------------------------------------------


def test_the_record_tells_every_specimen_in_every_release_that_ran():
    assert RECORD.read_text(encoding="utf-8") == recorder.as_text(DATA)
    assert DATA["specimens"] == recorder.specimens_with_code(), "a specimen changed: `make atlas`"
    assert set(recorder.RELEASES) <= set(DATA["releases"])
    assert list(DATA["releases"]) == in_order(DATA["releases"])
    for name, of in DATA["releases"].items():
        if "not_run" in of:
            assert of["not_run"] and name not in DATA["rows"]
        else:
            assert set(of) == {"tensorflow", "keras", "numpy", "python", "date"}
            assert list(DATA["rows"][name]) == sorted(HEADERS), name
    assert len(DATA["rows"]) >= 8


def test_nothing_of_the_machine_is_kept():
    text = RECORD.read_text(encoding="utf-8")
    for sign in (
        "/home",
        "/tmp",
        "/usr",
        "/root",
        "site-packages",
        "\\u001b",
        " at 0x",
        "user code",
    ):
        assert sign not in text, sign
    assert not [text for text in TEXTS if text.startswith(("did not end", "ended with"))]


def test_todays_tensorflow_still_answers_as_recorded():
    if sys.version_info < (3, 11):
        pytest.skip("Python 3.10 has an older Keras than the record")
    versions, *answers = recorder.ask(sys.executable, sorted(pages.SPECIMENS.glob("*.py")), 2)
    known = DATA["releases"].get(versions["tensorflow"])
    assert known, f"TensorFlow {versions['tensorflow']} is not recorded yet: `make atlas`"
    assert versions["keras"] == known["keras"]
    new = {answer["specimen"]: recorder.row(answer) for answer in answers}
    different = recorder.differences(DATA["rows"][versions["tensorflow"]], new)
    assert not different, "\n".join(different)


def test_the_readme_of_the_data():
    readme = RECORD.with_name("README.md").read_text(encoding="utf-8")
    assert f"What {len(HEADERS)} small programs" in readme


def test_recorded_joins_equal_neighbours():
    found = recorded("never_called")
    assert found.pop("2.0 to 2.15") == "AttributeError: Layer dense has no inbound nodes."
    said = "The layer dense has never been called and thus has no defined output."
    assert found == {
        "2.16": f"ValueError: {said}",
        f"2.18 to {short(NEWEST)}": f"AttributeError: {said}",
    }
    assert list(recorded("unwatched").values()) == ["None"]


def test_recorded_names_similar_programs():
    with pytest.raises(KeyError, match=r"no such specimen was run. Similar: spent_tape, "):
        recorded("spend_tape")


# --- the recorder -----------------------------------------------------------------------------


def results(outcome, date="2026-01-02", **more):
    answers = {"a": {"outcome": outcome, "warned": []}, "b": {"outcome": "None", "warned": ["w"]}}
    versions = {"tensorflow": "2.9.3", "keras": "2.9.0", "date": date}
    return {"2.9.3": (versions, answers), **more}


TWO = {"a": {"title": "A", "code": "1"}, "b": {"title": "B", "code": "2"}}


def test_a_second_run_changes_no_byte_and_a_new_answer_brings_its_date():
    first = recorder.merged({}, TWO, results("None"))
    assert first["rows"] == {"2.9.3": {"a": "None", "b": ["None", "w"]}}
    again = recorder.merged(first, TWO, results("None", date="2026-02-03"))
    assert recorder.as_text(again) == recorder.as_text(first)
    assert json.loads(recorder.as_text(first)) == first
    other = recorder.merged(first, TWO, results("zeros ()", date="2026-02-03"))
    assert other["releases"]["2.9.3"]["date"] == "2026-02-03"
    assert other["rows"]["2.9.3"]["a"] == "zeros ()"


def test_a_release_that_is_not_run_says_why_and_earlier_answers_stay_while_they_are_true():
    first = recorder.merged({}, TWO, results("None", **{"2.15.1": "no wheel"}))
    assert first["releases"]["2.15.1"] == {"not_run": "no wheel"}
    assert list(first["rows"]) == ["2.9.3"]
    offline = recorder.merged(first, TWO, {"2.9.3": "no network"})
    assert offline == first
    changed = {**TWO, "a": {"title": "A", "code": "3"}}
    offline = recorder.merged(first, changed, {"2.9.3": "no network"})
    assert offline["releases"]["2.9.3"] == {"not_run": "no network"}
    assert offline["rows"] == {}
    partly = recorder.merged(first, changed, {"2.15.1": "no wheel"})
    assert partly["rows"] == {"2.9.3": {"b": ["None", "w"]}}  # and a test asks for the rest


def test_the_newest_is_news_if_it_is_unknown_or_answers_otherwise():
    assert recorder.name_of("2.9.3", {}) == "2.9.3"
    assert recorder.name_of("newest", {"tensorflow": "9.0.0", "keras": "3"}) == "9.0.0"
    assert recorder.name_of("newest", {"tensorflow": "2.9.3", "keras": "3"}) == "2.9.3 keras 3"
    record = recorder.merged({}, TWO, results("None"))
    ((_, same),) = results("None").items()
    ((_, other),) = results("zeros ()").items()
    found = {"2.9.3 keras 3": same, "2.9.3 keras 4": other, "9.0.0": same, "2.15.1": "no wheel"}
    assert list(recorder.news(record, found)) == ["2.9.3 keras 4", "9.0.0", "2.15.1"]


@pytest.fixture
def small(tmp_path, monkeypatch):
    """Two specimens, and a folder for one release that this Python already has."""
    folder = tmp_path / "specimens"
    folder.mkdir()
    for name, found in (("a", "None"), ("b", "3")):
        (folder / f"{name}.py").write_text(f'"""T"""\nprint({found})\n')
    monkeypatch.setattr(recorder, "SPECIMENS", folder)
    monkeypatch.setattr(recorder, "environment", lambda release: Path(sys.executable))
    monkeypatch.setenv("ATLAS", str(tmp_path / "envs"))
    (tmp_path / "envs" / "2.9.3").mkdir(parents=True)
    return folder


def test_what_was_answered_is_not_asked_again(small, monkeypatch):
    asked = []

    def ask(python, specimens, jobs, keras_2):
        asked.append([file.stem for file in specimens])
        yield {"tensorflow": "2.9.3"}
        for file in specimens:
            if len(asked) == 1 and file.stem == "b":
                raise KeyboardInterrupt
            yield {"specimen": file.stem, "outcome": file.read_text(), "warned": []}

    monkeypatch.setattr(recorder, "ask", ask)
    with Progress(disable=True) as bar:
        with pytest.raises(KeyboardInterrupt):
            recorder.run("2.9.3", 1, bar)
        versions, answers = recorder.run("2.9.3", 1, bar)
        assert set(answers) == {"a", "b"} and versions["tensorflow"] == "2.9.3"
        (small / "a.py").write_text('"""Another title"""\nprint(None)\n')
        recorder.run("2.9.3", 1, bar)
        (small / "a.py").write_text('"""T"""\nprint(4)\n')
        _, answers = recorder.run("2.9.3", 1, bar)
    assert asked == [["a", "b"], ["b"], ["a"]]
    assert "print(4)" in answers["a"]["outcome"]


def test_a_python_without_tensorflow_is_a_reason(tmp_path):
    python = tmp_path / "python"
    python.write_text("#!/bin/sh\necho 'No module named tensorflow' >&2\nexit 1\n")
    python.chmod(0o755)
    with pytest.raises(recorder.NotRun) as caught:
        list(recorder.ask(python, [], 1))
    assert str(caught.value) == "it stopped after 0 specimens: No module named tensorflow"


def test_a_package_that_does_not_exist_is_a_reason(monkeypatch, tmp_path):
    monkeypatch.setenv("ATLAS", str(tmp_path))
    monkeypatch.setenv("UV_OFFLINE", "1")
    here = f"{sys.version_info[0]}.{sys.version_info[1]}"
    monkeypatch.setitem(recorder.RELEASES, "9.9.9", (here, ("tensorflow==9.9.9",)))
    found = recorder.collect(["9.9.9"], 1, recorder.Console(quiet=True))
    assert "tensorflow" in found["9.9.9"]
    assert not (tmp_path / "9.9.9" / "installed.txt").exists()


def test_an_unknown_release_is_named(capsys):
    assert recorder.main(["2.1"]) == 2
    assert capsys.readouterr().err.startswith("No release 2.1. Known: 2.0.4, 2.1.0, ")


def test_check_prints_the_differences(capsys):
    record = {"rows": {"2.15.1": {"a": "None"}, "2.21.0 tf_keras": {"a": "zeros ()"}}}
    versions = {"tensorflow": "2.22.0"}
    same = {"2.22.0": (versions, {"a": {"outcome": "None", "warned": []}})}
    assert recorder.check(record, same) == 0
    assert capsys.readouterr().out == ""
    other = {"2.22.0": (versions, {"a": {"outcome": "NaN (3,)", "warned": []}}), "2.23.0": "gone"}
    assert recorder.check(record, other) == 1
    said = capsys.readouterr().out
    assert "## TensorFlow 2.22.0 answers otherwise than 2.15.1" in said
    assert "- `a`\n    - None\n    - NaN (3,)" in said and "- not run: gone" in said


# --- the pages --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("outcome", "symptom"),
    [
        ("None", "None"),
        ("list [None, None]", "None"),
        ("list [None, value 2.0]", "some None"),
        ("list [value (2,), None]", "some None"),
        ("list [value 2.0]", "value"),
        ("list [symbolic (2,)]", "symbolic"),
        ("list []", "empty"),
        ("zeros (2,)", "zeros"),
        ("NaN ()", "NaN"),
        ("symbolic (None, 2)", "symbolic"),
        ("value None of it", "value"),
        ("IndexedSlices (2, 3)", "value"),
        ("a TensorBoard", "value"),
        ("ValueError: a value", "error"),
        ("NoneType: odd", "error"),
    ],
)
def test_symptom(outcome, symptom):
    assert pages.symptom(outcome) == symptom


@pytest.mark.parametrize(
    ("expected", "outcomes", "verdict"),
    [
        ("None", ["None", "None"], "held"),
        ("value", ["None", "None"], "never"),
        ("value", ["value 1.0", "None"], "broke"),
        ("value", ["None", "list [value 1.0]"], "came true"),
        ("value", ["None", "value 1.0", "None"], "at times"),
        ("value", ["value 1.0", "None", "value 1.0"], "at times"),
        ("value True", ["value True", "value False"], "broke"),
        ("RuntimeError", ["RuntimeError: once", "RuntimeError: twice"], "held"),
    ],
)
def test_verdict(expected, outcomes, verdict):
    assert pages.verdict({"expect": expected}, outcomes) == verdict


def test_a_change_is_marked_where_it_comes():
    rows = {"2.0.4": "None", "2.9.3": "E: a", "2.15.1": "E: b", "2.21.0": ["E: b", "warned"]}
    data = {"rows": {name: {"a": row} for name, row in rows.items()}}
    data["rows"]["2.21.0 tf_keras"] = {"a": "None"}
    assert pages.signs(data, "a") == ["∅", "▸!", "▸!", "!", "∅"]


def test_spans():
    every = ["2.0.4", "2.1.0", "2.9.3", "2.21.0", "2.21.0 tf_keras"]
    assert pages.spans({"2.0.4", "2.1.0", "2.21.0", "2.21.0 tf_keras"}, every) == (
        "2.0 to 2.1, 2.21, 2.21 tf_keras"
    )


def test_every_program_is_in_the_matrix_and_on_its_lessons_page():
    matrix = (ROOT / "lessons" / "atlas.md").read_text(encoding="utf-8")
    for name, matter in HEADERS.items():
        assert f"(atlas/{matter['lesson']}.md#{name})" in matrix
        page = pages.SPECIMENS / f"{matter['lesson']}.md"
        assert f"\n## `{name}`\n" in page.read_text(encoding="utf-8")
    for table in re.findall(r"(?:^\|.*\n)+", matrix, re.MULTILINE):
        assert len({row.replace("\\|", "").count("|") for row in table.splitlines()}) == 1


def test_program_text_in_titles_is_no_markup():
    assert pages.plain("x[0] * `y[1]` | __init__") == r"x\[0\] \* `y[1]` \| \_\_init\_\_"


# --- what the lessons quote -------------------------------------------------------------------

MESSAGE = re.compile(
    r"has no attribute '|has never been called|not connected|only be called once|^No gradients|"
    r"must have rank|^Need first dimension|triggered tf|must be created with|^Encountered|"
    r"^Passed in object|cannot be used as input|^Unsupported key|^Cannot |no inbound nodes|"
    r"is not supported$|^No such layer|Graph disconnected|not recording|Error: "
)


def quotes(slug: str) -> list[str]:
    """The code spans of a lesson's prose that read like an exception's text."""
    text = (lesson_folder(slug) / "lesson.md").read_text(encoding="utf-8").split("\n---\n", 1)[1]
    text = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    spans = re.findall(r"``\s(.+?)\s``|`([^`\n]+(?:\n[^`\n|]+)?)`|<code>(.+?)</code>", text)
    flat = [" ".join("".join(span).split()) for span in spans]
    return [span for span in flat if MESSAGE.search(span) and " " in span]


def in_the_record(quote: str) -> bool:
    """Whether some recorded text has the quote, where … is anything and numbers may differ."""
    pieces = [re.escape(re.sub(r"\d+", "N", piece.strip())) for piece in quote.split("…")]
    pattern = re.compile(".*".join(pieces).replace("`", "").replace(r"\`", ""))
    return any(pattern.search(re.sub(r"\d+", "N", text).replace("`", "")) for text in TEXTS)


@pytest.mark.parametrize("slug", [slug for slug in SLUGS if slug in existing_slugs()])
def test_every_error_that_a_lesson_quotes_is_recorded(slug):
    assert [quote for quote in quotes(slug) if not in_the_record(quote)] == []


def test_a_quote_that_nothing_said_is_found():
    assert in_the_record("… has never been called and thus has no defined output")
    assert not in_the_record("… has seldom been called and thus has no defined output")
    assert "'KerasTensor' object has no attribute '_id'" in quotes("no_inbound_nodes")
