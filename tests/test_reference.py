"""The reference pages: errors.md from a record that is asked again; glossary.md in good order."""

import json
import re

import keras
import numpy as np
import pytest
import tensorflow as tf
from whynone.findings import LESSONS
from whynone.vocabulary import CAUSES

from classroom import reference
from classroom.atlas import read
from classroom.environment import ROOT
from classroom.lessons import SLUGS, existing_slugs, lesson_folder
from solutions.atlas import short
from tests.test_prose import heading_slug

PAGE = (ROOT / "lessons" / "errors.md").read_text(encoding="utf-8")
GLOSSARY = (ROOT / "lessons" / "glossary.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "piece",
    [
        "only be called once on non-persistent tapes",
        "A non-persistent GradientTape can only be used",
        "has no inbound nodes",
        "has never been called and thus has no defined output",
        "'KerasTensor' object has no attribute '_id'",
        "'numpy.float32' object has no attribute '_id'",
        "Graph disconnected: cannot obtain value for tensor",
        "is not connected to `inputs`",
        "No gradients provided for any variable",
        "gradient registry has no entry for",
        "tf.gradients is not supported when eager execution is enabled",
        "not tf.Tensor or tf.Variable or ExtensionType",
        "'Adam' object has no attribute 'get_gradients'",
        "'Adam' object has no attribute 'minimize'",
        "custom_gradient function expected to return",
        "must accept keyword argument 'variables'",
        "has no attribute 'assign_sub'",
        "has no attribute 'get_output_at'",
        "A KerasTensor cannot be used as input to a TensorFlow function",
        "handle is not available outside the replica context",
        "The dtype of the watched tensor must be floating",
        "Gradients do not exist for variables",
        "has `None` for gradient",
    ],
)
def test_what_people_paste_is_on_the_page(piece):
    assert piece in PAGE


# --- the tables -----------------------------------------------------------------------------


def record(tmp_path, **releases):
    """A record of these rows; a program's name is its title and its lesson, with a space."""
    rows = {name.replace("_", ".")[1:]: found for name, found in releases.items()}
    headers = {
        name: {"title": name.split()[0], "lesson": name.split()[1], "kind": name.split()[2]}
        for found in rows.values()
        for name in found
    }
    file = tmp_path / "atlas.json"
    file.write_text(json.dumps({"specimens": headers, "releases": rows, "rows": rows}))
    return file


def test_equal_texts_are_one_row_with_all_their_releases_and_lessons(tmp_path):
    do, did = "do grad_cam mistake", "did symbolic_outputs recipe"
    file = record(
        tmp_path,
        v2_9_0={do: ["None", "w"], did: "TypeError: no `x`"},
        v2_11_0={do: "zeros (2,)", did: "value 1.0"},
        v2_15_1={do: "TypeError: no `x`", did: "E: a"},
    )
    link = {slug: reference.heading(slug) for slug in ("grad_cam", "symbolic_outputs")}
    assert reference.errors_table(file).splitlines()[2:] == [
        f"| `E: a` | 2.15 | did: {link['symbolic_outputs']} |",
        f"| `` TypeError: no `x` `` | 2.9, 2.15 | did: {link['symbolic_outputs']}"
        f"<br>do: {link['grad_cam']} |",
        f"| `Warning: w` | 2.9 | do: {link['grad_cam']} |",
    ]
    assert reference.silent_table(file).splitlines()[2:] == [
        f"| `zeros` | do | 2.11 | {link['grad_cam']} |"
    ]


def test_silent_outcomes_are_in_the_order_none_zeros_nan_then_of_the_lessons(tmp_path):
    kinds = {
        "a grad_cam mistake": "NaN (2,)",
        "b grad_cam broken": "None",
        "c unwatched_tensor recipe": "None",
        "d grad_cam recipe": "value 2.0",
        "e grad_cam mistake": "list []",
        "f unwatched_tensor fixed": "None",
        "g unwatched_tensor seed": "None",
    }
    file = record(tmp_path, v2_1_0=kinds, v2_2_0={**kinds, "b grad_cam broken": "symbolic (2,)"})
    rows = [row.split(" | ")[:3] for row in reference.silent_table(file).splitlines()[2:]]
    assert rows == [
        ["| `None`", "c", "2.1 to 2.2"],
        ["| `None`", "b", "2.1"],
        ["| `[]`", "e", "2.1 to 2.2"],
        ["| `NaN`", "a", "2.1 to 2.2"],
    ]


def test_a_long_text_is_cut_and_a_short_one_is_not():
    assert reference.code("x" * 200) == f"`{'x' * 200}`"
    assert reference.code("x" * 201) == f"`{'x' * 200} …`"


def test_texts_that_begin_alike_are_one_row(tmp_path):
    texts = {f"v2_{n}_0": {"do grad_cam mistake": f"E: {'x' * 110}{n}"} for n in (1, 2)}
    (row,) = reference.errors_table(record(tmp_path, **texts)).splitlines()[2:]
    assert "| 2.1 to 2.2 |" in row


def test_a_lesson_is_linked_once_it_is_written():
    for slug in SLUGS:
        link = reference.heading(slug)
        if slug in existing_slugs():
            assert link.endswith(f"]({lesson_folder(slug).name}/lesson.md)")
        else:
            assert link == f"`{slug}`"


def test_a_row_has_as_many_cells_as_the_head():
    for text in (PAGE, GLOSSARY):
        for table in re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE):
            assert len({row.count("|") for row in table.splitlines()}) == 1


def test_the_page_says_how_many_releases_were_asked():
    rows = read()["rows"]
    names = [name for name in rows if " " not in name]
    span = f"{len(names)} releases of TensorFlow, from {short(names[0])} to {short(names[-1])}"
    assert span in " ".join(PAGE.split())


# --- the glossary ---------------------------------------------------------------------------


def entries(text: str) -> list[tuple[str, str]]:
    """Each term and what is said of it."""
    words = text.split("\n## The causes\n")[0].split("\n### ")[1:]
    return [tuple(entry.split("\n\n", 1)) for entry in words]


def sentences(text: str) -> list[str]:
    return re.findall(r"[^.]+(?:\.\w[^.]*)*\.(?=\s|$)", text)


def faults(text: str) -> list[str]:
    """What is wrong with a glossary's order, anchors or length."""
    found = entries(text)
    terms = [term.casefold() for term, _ in found]
    anchors = [heading_slug(h) for h in re.findall(r"^#+ (.*)$", text, re.MULTILINE)]
    wrong = [f"{term}: twice" for term in terms if terms.count(term) > 1]
    wrong += [f"{anchor}: two anchors" for anchor in anchors if anchors.count(anchor) > 1]
    wrong += [] if terms == sorted(terms) else ["not sorted"]
    for term, meaning in found:
        meaning = " ".join(meaning.split())
        if not 1 <= len(sentences(meaning)) <= 2 or not meaning.endswith("."):
            wrong.append(f"{term}: {len(sentences(meaning))} sentences")
    return wrong


def test_the_glossary_has_each_term_once_sorted_in_a_sentence_or_two():
    assert not faults(GLOSSARY)
    assert len(entries(GLOSSARY)) == GLOSSARY.count("\n### ") >= 40


def test_a_fault_of_a_glossary_is_found():
    good = "# G\n\n### A b\n\nOne `tf.x`. Two.\n\n### C\n\nOne.\n\n## The causes\n"
    assert not faults(good)
    assert faults(good.replace("### C", "### A"))[-1] == "not sorted"
    assert "a b: twice" in faults(good.replace("### C", "### A b"))
    assert "a-b: two anchors" in faults(good.replace("### C", "### A b!"))
    assert faults(good.replace("Two.", "Two. Three.")) == ["A b: 3 sentences"]
    assert faults(good.replace("One.\n", "One\n")) == ["C: 0 sentences"]


WANTED = """Source, Target, Tape, Watch, Record, Activation, Upstream gradient, Jacobian,
Vector-Jacobian product, Persistent tape, Trainable, Frozen layer, KerasTensor, Node, Eager, Graph,
tf.function, Straight-through estimator, Saturation, Dead unit, Loss scaling, IndexedSlices,
Unconnected gradient"""


@pytest.mark.parametrize("term", re.split(r",\s", WANTED))
def test_the_glossary_explains(term):
    assert term in dict(entries(GLOSSARY))


def test_all_causes_are_in_the_glossary_each_with_its_lesson():
    rows = re.findall(r"^\| `(\w+)` \| (.+) \| (.+) \|$", GLOSSARY, re.MULTILINE)
    assert [cause for cause, _, _ in rows] == sorted(CAUSES)
    for cause, meaning, lesson in rows:
        assert meaning == CAUSES[cause] and LESSONS[cause] in lesson


# --- what the glossary claims ---------------------------------------------------------------


def test_gradients_jacobians_and_weights_of_the_target():
    x = tf.constant([1.0, 2.0, 3.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = tf.stack([x[0] * x[1], x[2] ** 2])
    by_hand = np.array([[2.0, 1.0, 0.0], [0.0, 0.0, 6.0]])
    np.testing.assert_allclose(tape.jacobian(y, x), by_hand)
    np.testing.assert_allclose(tape.gradient(y, x), by_hand.sum(0))
    weights = tf.constant([3.0, -1.0])
    found = tape.gradient(y, x, output_gradients=weights)
    np.testing.assert_allclose(found, weights.numpy() @ by_hand)
    assert tape.gradient(y, tf.Variable(1.0)) is None
    assert tape.gradient(y, tf.Variable(1.0), unconnected_gradients="zero").numpy() == 0


def test_an_embeddings_gradient_becomes_an_ordinary_tensor():
    table = tf.Variable(tf.ones((3, 2)))
    with tf.GradientTape() as tape:
        y = tf.nn.embedding_lookup(table, [2, 2])
    found = tape.gradient(y, table)
    assert isinstance(found, tf.IndexedSlices)
    np.testing.assert_array_equal(tf.convert_to_tensor(found), [[0, 0], [0, 0], [2, 2]])


def test_a_frozen_layer_has_gradients_and_passes_them_on():
    first, frozen = (keras.layers.Dense(1, kernel_initializer="ones") for _ in range(2))
    model = keras.Sequential([keras.Input((1,)), first, frozen])
    frozen.trainable = False
    assert model.trainable_variables == first.trainable_variables
    with tf.GradientTape() as tape:
        y = model(tf.constant([[3.0]]))
    assert [g.numpy().item() for g in tape.gradient(y, [first.kernel, frozen.kernel])] == [3.0, 3.0]


def test_a_function_is_traced_for_each_new_kind_of_arguments():
    traced = []
    function = tf.function(lambda x: traced.append(x.dtype) or x)
    for value in (1.0, 2.0, 3, 4):
        function(tf.constant(value))
    assert traced == [tf.float32, tf.int32]


def test_a_trainable_variable_is_watched_once_it_is_read():
    w = tf.Variable(1.0)
    with tf.GradientTape() as tape:
        before = tape.watched_variables()
        tf.identity(w)
    assert before == () and tape.watched_variables() == (w,)


def test_float16_loses_a_small_gradient_that_a_scaled_loss_keeps():
    for scale, lost in ((1.0, True), (1024.0, False)):
        x = tf.constant(1.0, tf.float16)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = scale * tf.cast(x, tf.float32) * 1e-8
        assert (tape.gradient(y, x).numpy() == 0) == lost


def test_words_about_single_operations():
    assert np.isnan((tf.constant(0.0) * np.inf).numpy())
    x = tf.constant([-3.0])
    assert tf.stop_gradient(x).numpy() == x.numpy()
    layer = keras.layers.Dense(1, activation="relu", kernel_initializer="ones")
    with tf.GradientTape() as tape:
        y = layer(x[:, None])
    assert y.numpy() == 0 and not np.any(tape.gradient(y, layer.trainable_variables)[0])
