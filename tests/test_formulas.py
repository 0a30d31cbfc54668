"""How a formula's functions stand in a page: with a space, where TeX has one."""

import re

import pytest

from theme.markup import formulas_to_mathml


@pytest.mark.parametrize(
    ("formula", "read"),
    [
        (r"h = o \tanh c", "h=o tanh c"),
        (r"1 - \tanh^2 c", "1−tanh2 c"),
        (r"2 x_i \sin x_i", "2xi sin xi"),
        (r"-\log 10^{-10}", "−log 10−10"),
        (r"\log \sum_j e^{s_j}", "log ∑jesj"),
        (r"o \cdot \tanh(c)", "o·tanh(c)"),
        (r"\mathrm{relu}(h)", "relu(h)"),
        (r"a b", "ab"),
    ],
)
def test_a_functions_name_keeps_its_distance(formula, read):
    html = formulas_to_mathml(f'<span class="arithmatex">\\({formula}\\)</span>')
    spaced = re.sub("<mspace[^>]*/>", " ", html)
    assert re.sub("<[^>]*>", "", spaced).replace("⋅", "·") == read
