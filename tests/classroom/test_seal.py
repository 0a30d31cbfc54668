"""Sealed values: the right answer opens the seal, a wrong one does not, and nobody can read it."""

import json

import hypothesis.extra.numpy as arrays
import numpy as np
import pytest
import tensorflow as tf
from hypothesis import given, settings
from hypothesis import strategies as st

from classroom import judge
from classroom.observation import show
from classroom.observe import observe, observe_exception
from classroom.seal import difference, seal, shifts_of, stretched

RTOL, ATOL = 1e-5, 1e-6
FLOATS = st.floats(-1e6, 1e6) | st.floats(-1e-5, 1e-5) | st.sampled_from([0.0, 1.0, -1.0, 0.5])


def sealed(value, rtol=RTOL, atol=ATOL):
    return seal(observe(value), rtol, atol, "salt")


@settings(max_examples=200)
@given(FLOATS, st.floats(-1, 1))
def test_buckets_take_what_is_within_the_tolerance_and_nothing_far_from_it(value, part):
    """Without the slow digest: the bucket's number of values at chosen distances."""

    def bucket(number):
        return np.floor(stretched(observe(np.array([number])), RTOL, ATOL)[0] + int(shift) / 2)

    shift = shifts_of(observe(np.array([value])), RTOL, ATOL)
    tolerance = ATOL + RTOL * abs(value)
    assert bucket(value + part * tolerance) == bucket(value)
    assert bucket(value + 9 * tolerance) != bucket(value) != bucket(value - 9 * tolerance)


@settings(max_examples=8)
@given(arrays.arrays(np.float64, st.just((2, 3)), elements=FLOATS), st.integers(0, 5))
def test_the_digest_tells_a_tensor_from_one_with_one_other_number(value, place):
    shut = sealed(value)
    assert difference(shut, observe(value * (1 + 4e-6))) is None
    other = value.copy()
    other.ravel()[place] += 20 * (ATOL + RTOL * abs(other.ravel()[place]))
    assert difference(shut, observe(other)) == "Shape and dtype are right; values differ."


@pytest.mark.parametrize(
    "value",
    [
        None, True, 3, 2.5, "unwatched", ("other_call", 28), [1.0, None], {"a": 1, "b": [2.0]},
        tf.constant([1.5, np.nan, np.inf]), tf.constant(["a", "b"]), np.int64(7),
        tf.constant([1, 2]),
    ],
    ids=str,
)  # fmt: skip
def test_right_answers_of_every_kind_open_it(value):
    assert difference(sealed(value), observe(value)) is None
    assert judge.difference(sealed(value), observe(value), RTOL, ATOL) is None


@pytest.mark.parametrize(
    ("value", "got"),
    [
        (None, False), (True, False), (True, None), (3, 4), ("a", "b"), ("a", None), ("", None),
        (("other_call", 28), ("other_call", 26)), (("a", 1), ("b", 1)), ([1.0, None], [1.0, 0.0]),
        ({"a": 1.0}, {"b": 1.0}), ([1.0], [1.0, 2.0]), ([1.0], 1.0), (tf.constant([1.0]), None),
        (tf.constant([1.0]), tf.constant([[1.0]])), (tf.constant([1.0]), [1.0]),
        (tf.constant([1.0]), tf.constant([1.0], tf.float64)),
        (tf.constant(["a"]), tf.constant(["b"])),
        (tf.constant([1.0]), tf.constant([np.nan])), (tf.constant([1.0, 2.0]), tf.zeros(2)),
    ],
    ids=str,
)  # fmt: skip
def test_wrong_answers_of_every_kind_do_not(value, got):
    said = difference(sealed(value), observe(got))
    assert said and (said[0].isupper() or said.startswith(show(observe(got))))
    # Open and sealed judge alike.
    assert judge.difference(observe(value), observe(got), RTOL, ATOL)


def test_the_sentence_says_what_can_be_seen():
    shut = sealed(tf.constant([[1.0, 2.0, 3.0]]))
    assert difference(shut, observe(tf.constant([[1.0], [2.0], [3.0]]))).startswith(
        "The shape is (3, 1) (transposed); expected (1, 3)"
    )
    assert "every value is zero" in difference(shut, observe(tf.zeros((1, 3))))
    assert "NaN" in difference(shut, observe(tf.constant([[1.0, 2.0, np.nan]])))
    assert "float64; expected float32" in difference(shut, observe(np.array([[1.0, 2.0, 3.0]])))
    assert difference(shut, observe_exception(TypeError("no"))).startswith("TypeError: no came")


def test_an_expected_exception_is_told_by_its_class():
    shut = seal(observe_exception(ValueError("x")), RTOL, ATOL, "salt")
    assert difference(shut, observe_exception(ValueError("y"))) is None
    assert difference(shut, observe_exception(TypeError("x")))
    assert difference(shut, observe(None))


def test_what_judges_alike_is_sealed_alike():
    """A Python number for a scalar tensor, an int for a bool: the judge takes both."""
    for one, other in ((tf.constant(2.5), 2.5), (2.5, tf.constant(2.5)), (True, 1), (1, 1.0)):
        assert judge.same(observe(one), observe(other))
        assert difference(sealed(one), observe(other)) is None


def test_no_value_can_be_read():
    secret = [1.2345678, "unwatched", True, 1234567, tf.constant([0.87654321]), None]
    text = json.dumps(sealed(secret))
    for word in ("1.2345", "unwatched", "rue", "1234567", "0.8765", "null", "none", "0x1"):
        assert word not in text.replace('"outline"', ""), word
    assert '"float32"' in text


def test_the_salt_and_each_number_change_the_digest():
    one, two = seal(observe(1.0), RTOL, ATOL, "a"), seal(observe(1.0), RTOL, ATOL, "b")
    assert one["digest"] != two["digest"] != sealed(2.0)["digest"]
