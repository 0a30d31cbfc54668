"""The table and the plot of numbers on a logarithmic axis."""

from xml.etree import ElementTree

import pytest

from solutions.dot_picture import as_table, draw_dots


def test_a_table_has_a_line_a_row_and_a_column_a_name():
    ratios = {"capture": {"A, eager": 1.0, "B": 12.3}, "two": {"B": 2.0, "C": 33.0}}
    assert as_table(ratios).splitlines() == [
        "          capture    two",
        "A, eager     1.00      -",
        "B           12.30   2.00",
        "C               -  33.00",
    ]


def test_a_dot_stands_at_its_power_of_the_base_and_words_say_the_same():
    drawn = draw_dots({"one": {"a": 1e-4, "b": 1.0}, "two": {"a": 1e-2}}, "Norms.")
    assert drawn.text == "Norms.\n     one    two\na  1e-04  1e-02\nb  1e+00      -"
    root = ElementTree.fromstring(drawn.svg)
    at = {text.text: int(text.get("x")) for text in root.findall(".//{*}text")}
    (first, a, b) = (int(dot.get("cx")) for dot in _in_order(root, "circle"))
    assert (a, b) == (at["10⁻⁴"], at["10⁰"]) and first < a  # the first is the legend's
    assert {line.get("x1") for line in root.findall(".//{*}line")} >= {str(a), str(b)}
    squares = [int(dot.get("x")) + 5 for dot in root.findall(".//{*}rect[@width='10']")]
    assert at["10⁻²"] in squares and at["10⁻²"] * 2 == a + b  # halfway, on this axis
    heights = {text.text: int(text.get("y")) - 4 for text in root.findall(".//{*}text")}
    dots = {int(dot.get("cy")) for dot in root.findall(".//{*}circle")}
    assert dots >= {heights["a"], heights["b"]}


def _in_order(root, tag):
    return sorted(root.findall(f".//{{*}}{tag}"), key=lambda dot: int(dot.get("cx")))


def test_powers_of_two_and_a_line_through_the_dots():
    drawn = draw_dots({"s": {"a": 1.0, "b": 8.0}}, "c", base=2, spec=".1f", joined=True)
    root = ElementTree.fromstring(drawn.svg)
    at = {text.text: int(text.get("x")) for text in root.findall(".//{*}text")}
    assert at["8"] - at["4"] == pytest.approx(at["2"] - at["1"], abs=2)  # whole pixels
    (line,) = root.findall(".//{*}path")
    assert "fill:none" in line.get("style")
    assert line.get("d").startswith(f"M{at['1']} ") and f"L{at['8']} " in line.get("d")
    assert drawn.text.endswith("b  8.0") and drawn.svg.count("<circle") == 3
    assert "<path" not in draw_dots({"s": {"a": 1.0}}, "c").svg


def test_names_are_escaped_and_a_wide_axis_has_few_lines():
    one = draw_dots({"<": {"a": 3.0}, "b": {"a": 3.0}, "c": {"a": 3.0}}, "&")
    ElementTree.fromstring(one.svg)
    assert "&lt;" in one.svg and one.svg.count("<polygon") == 2
    assert draw_dots({"s": {"a": 1e-30, "b": 1.0}}, "c").svg.count('class="grid"') <= 9


@pytest.mark.parametrize(
    ("series", "words"),
    [
        ({}, "got 0 series"),
        ({n: {"a": 1.0} for n in "abcd"}, "got 4 series"),
        ({"s": {}}, "'s' has no numbers"),
        ({"s": {"a": 0.0}}, "the number of 'a' in 's' is 0.0"),
        ({"s": {"a": -1.0}}, "the number of 'a' in 's' is -1.0"),
        ({"s": {"a": float("nan")}}, "is nan"),
    ],
)
def test_what_cannot_be_drawn(series, words):
    with pytest.raises(ValueError) as caught:
        draw_dots(series, "c")
    assert words in str(caught.value)
    assert str(caught.value).endswith("Lesson: gradients_while_training.")
