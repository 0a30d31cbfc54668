"""Taking answers out of files, against jupytext and nbformat on our own exercises."""

import ast
import contextlib
import json
import time

import jupytext
import pytest

from classroom import extract, grading
from classroom.lessons import existing_slugs, lesson_folder
from classroom.messages import Stop
from classroom.needed import needed, parse_cell, without_trials
from tests.classroom.handing_in import COUNT, COUNT_STUB, KEY, SETUP, SLOPE, SLOPE_STUB, notebook

EXERCISES = [
    file for slug in existing_slugs() if (file := lesson_folder(slug) / "exercise.md").exists()
]


@pytest.mark.parametrize("file", EXERCISES, ids=lambda file: file.parent.name)
@pytest.mark.parametrize("form", ["ipynb", "md", "py:percent"])
def test_same_cells_as_jupytext(file, form):
    """Independent reader: jupytext parses our exercises, in each form it can write them in."""
    theirs = jupytext.read(file)
    text = jupytext.writes(theirs, form)
    expected = [c.source for c in theirs.cells if c.cell_type == "code" and says(c.source)]
    cells, notes = extract.read_cells(text.encode(), "x." + form.split(":")[0])
    assert [cell.source.strip() for cell in cells if says(cell.source)] == expected
    assert notes == []


def says(source: str) -> bool:
    return any(line.strip() and line.strip()[0] != "#" for line in source.splitlines())


def test_ids_are_read_from_the_cell_or_its_metadata():
    body = SLOPE.split("\n", 1)[1].replace("def slope", "def  slope_")
    form = json.loads(notebook(SETUP, body, COUNT, minor=4))
    form["cells"][1]["metadata"]["id"] = "task-slope"
    assert extract.answers(json.dumps(form).encode(), "a.ipynb", KEY).answers["slope"] == body


def test_a_comment_wins_over_an_id():
    found = extract.answers(
        notebook(COUNT, SLOPE, ids=["task-slope", "task-count"]), "a.ipynb", KEY
    )
    assert found.answers == {"slope": SLOPE, "count": COUNT}


def test_of_duplicates_the_last_filled_in_counts_and_it_is_noted():
    first, last = SLOPE.replace("x**2", "x**3"), SLOPE
    found = extract.answers(notebook(first, last, SLOPE_STUB, COUNT), "a.ipynb", KEY)
    assert found.answers["slope"] == last
    assert any("3 cells" in note for note in found.notes)


def test_an_untouched_stub_is_found_too():
    found = extract.answers(notebook(SLOPE_STUB, COUNT_STUB), "a.ipynb", KEY)
    assert found.answers == {"slope": SLOPE_STUB, "count": COUNT_STUB}


def test_other_cells_are_kept_apart_and_in_order():
    found = extract.answers(notebook("a = 1", SLOPE, "b = 2", COUNT), "a.ipynb", KEY)
    assert found.extra == ("a = 1", "b = 2")


def test_odd_cells_are_passed_over():
    form = json.loads(notebook(SLOPE, COUNT))
    form["cells"] += [None, 3, {"cell_type": "code"}, {"cell_type": "code", "source": {"a": 1}}]
    form["cells"] += [{"cell_type": "code", "source": [1, "x = 1"], "metadata": []}]
    assert extract.answers(json.dumps(form).encode(), "a.ipynb", KEY).extra == ("", "x = 1")


def test_text_cells_and_other_languages_are_no_code():
    text = f"```python\n{SLOPE}\n```\n\n```bash\nrm -r x\n```\n\n```\n{COUNT}\n```\n"
    cells, _ = extract.read_cells(text.encode(), "a.md")
    assert [cell.source for cell in cells] == [SLOPE]
    text = f"# %% [markdown]\n# text\n\n# %%\n{SLOPE}\n# %% [md]\n# more"
    cells, _ = extract.read_cells(text.encode(), "a.py")
    assert [cell.source.strip() for cell in cells] == [SLOPE]


@pytest.mark.parametrize(
    "text",
    [
        "(" * 200_000,
        "#" * 4_000_000,
        " " * 4_000_000,
        "# TASK: " * 400_000,
        "def " * 1_000_000,
        "\n" * 4_000_000,
        "# %% [" * 600_000,
        "```python\n" * 400_000,
        "async " + " " * 4_000_000 + "def",
    ],
    ids=lambda text: repr(text[:12]),
)
@pytest.mark.parametrize("name", ["a.py", "a.md"])
def test_hostile_text_is_read_in_a_moment(text, name):
    began = time.monotonic()
    with contextlib.suppress(Stop):
        extract.answers(text.encode(), name, KEY)
    assert time.monotonic() - began < 10


def test_a_long_cell_is_compared_with_a_stub_once(monkeypatch):
    """Five megabytes of short lines took seconds each time, for each task and each question."""
    compared, real = [], extract.same_text
    monkeypatch.setattr(extract, "same_text", lambda *two: compared.append(two) or real(*two))
    long = SLOPE + "\n" + COUNT + "\na" * 1000
    found = extract.answers(long.encode(), "a.py", KEY)
    parts, filled, _ = grading.choose([found], KEY)
    assert len(compared) == 2 and filled == list(KEY.tasks) and set(parts) == {"slope", "count"}


def chosen(answer: str, *pool: str) -> list[str]:
    cells = [statement for source in pool for statement in parse_cell(source)]
    return [ast.unparse(statement) for statement in needed(parse_cell(answer), cells)]


def test_only_what_is_needed_is_taken():
    answer = "def f(x):\n    return g(x) + A"
    pool = [
        "import os",
        "A = 1\nB = 2",
        "def g(x):\n    return h(x)",
        "h = abs",
        "print(A)",
        "f(3)",
    ]
    assert chosen(answer, *pool) == ["A = 1", "def g(x):\n    return h(x)", "h = abs"]


def test_what_fills_a_needed_object_is_taken_but_no_library_call():
    answer = "def f(x):\n    return tf.constant(table[x])"
    pool = ["import tensorflow as tf", "table = {}", "table['a'] = 1", "tf.random.set_seed(1)"]
    assert chosen(answer, *pool) == ["import tensorflow as tf", "table = {}", "table['a'] = 1"]


def test_a_loop_that_binds_a_needed_name_is_taken_whole():
    pool = ["total = 0\nfor n in range(3):\n    total += n\nother = 1"]
    taken = chosen("def f():\n    return total", *pool)
    assert len(taken) == 2 and taken[1].startswith("for n")


def test_a_functions_own_variables_are_not_taken_from_other_cells():
    answer = (
        "def f(x, *a, n=N, **k):\n    try:\n        with g(x) as y:\n            z = [w for w in y]"
    )
    answer += "\n    except E as error:\n        return error\n    return z, (lambda q: q)(a)"
    pool = [f"{name} = 1" for name in ("x", "a", "k", "y", "z", "w", "q", "error", "n", "N", "E")]
    assert chosen(answer, *pool, "def g(x): return x") == [
        "N = 1", "E = 1", "def g(x):\n    return x",
    ]  # fmt: skip


def test_what_stands_above_the_answer_is_not_bound_again_below_it():
    pool = ["n = 1\nrows = []", "n = 2\nrows.append(n)\nm = 3\nn = m"]
    answer = "def f():\n    return n, m, rows"
    taken = needed(parse_cell(answer), [s for cell in pool for s in parse_cell(cell)], 2)
    assert [ast.unparse(s) for s in taken] == ["n = 1", "rows = []", "m = 3"]
    assert chosen(answer, *pool) == [
        "n = 1",
        "rows = []",
        "n = 2",
        "rows.append(n)",
        "m = 3",
        "n = m",
    ]


def test_below_the_function_only_what_it_needs_is_run():
    cell = "x = 1\ndef f(a):\n    return a * N\nx = f(2)\nN = 2\nprint(N)\nN += 1\nf.n = 1\n"
    cell += "while True:\n    pass"
    kept = without_trials(parse_cell(cell), "f")
    assert [ast.unparse(s)[:5] for s in kept] == ["x = 1", "def f", "N = 2", "N += ", "f.n ="]
    assert len(without_trials(parse_cell(cell), "g")) == len(parse_cell(cell))


@pytest.mark.parametrize(
    ("source", "meaning"),
    [
        ("%matplotlib inline\nx = 1", "pass\nx = 1"),
        ("!ls -l\nx = 1", "pass\nx = 1"),
        ("x = !ls\ny = 2", "x = None\ny = 2"),
        ("def f():\n    %time g()\n    return 1", "def f():\n    pass\n    return 1"),
        ("%%time\nx = 1", "x = 1"),
        ("# note\n%%bash\nls", ""),
        ("tf.Variable?\nx = 1", "pass\nx = 1"),
        ("?tf.Variable\nx = 1", "pass\nx = 1"),
        ("x = (7\n  % 4)", "x = 7 % 4"),
        ("    !ls \\\n      -l\n    x = 1", "pass\nx = 1"),
        ("# a\u2028b\n\x0c\nx = 1", "x = 1"),
        ('t = """\n%magic\n!bang\n"""', "t = '\\n%magic\\n!bang\\n'"),
    ],
)
def test_magics_do_nothing(source, meaning):
    assert ast.unparse(ast.Module(parse_cell(source), [])) == meaning


def test_what_is_no_python_still_raises():
    with pytest.raises(SyntaxError):
        parse_cell("def f(:\n    pass")
