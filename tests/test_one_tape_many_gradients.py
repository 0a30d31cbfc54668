"""`solutions.one_tape_many_gradients` against hand derivatives and finite differences.

The last part runs what the lesson's text and table claim about TensorFlow itself.
"""

from types import SimpleNamespace

import keras
import numpy as np
import pytest
import tensorflow as tf
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from solutions.one_tape_many_gradients import (
    gradient_penalty,
    gradients_along,
    gradients_of_each,
    require_scalars,
    require_tensor,
    run_and_forget,
)

LESSON = "Lesson: one_tape_many_gradients."
INTEGER = (
    "Integers and booleans have no gradient, and a tape returns None for them. Convert before the "
    "tape watches: x = tf.cast(x, tf.float32). Lesson: unwatched_tensor."
)
SPENT = (
    "A non-persistent GradientTape can only be used to compute one set of gradients (or jacobians)"
)
few = settings(max_examples=20, deadline=None)
numbers = st.floats(-2.0, 2.0, allow_subnormal=False)  # TensorFlow takes subnormals for 0
matrices = arrays.arrays(np.float64, (2, 2), elements=numbers)


def differences(function, x, step=1e-6):
    """Central differences of a float64 NumPy function of an array, one entry at a time."""
    x = np.asarray(x, np.float64)
    gradient = np.zeros_like(x)
    for place in np.ndindex(x.shape):
        move = np.zeros_like(x)
        move[place] = step
        gradient[place] = (function(x + move) - function(x - move)) / (2 * step)
    return gradient


def dense(kernel, activation=None):
    kernel = np.asarray(kernel, np.float64)
    layer = keras.layers.Dense(kernel.shape[1], activation, dtype="float64")
    layer.build((None, kernel.shape[0]))
    layer.set_weights([kernel, np.zeros(kernel.shape[1])])
    return layer


# --- gradients_along ----------------------------------------------------------------------


@few
@given(arrays.arrays(np.float64, (3,), elements=numbers))
def test_gradients_along_equal_the_chain_rule_by_hand(x):
    found = gradients_along([tf.sin, tf.exp, tf.square], x)
    sine, both = np.sin(x), np.exp(np.sin(x))
    by_hand = [2 * both * both * np.cos(x), 2 * both * np.exp(sine), 2 * both]
    assert len(found) == 3
    for gradient, expected in zip(found, by_hand, strict=True):
        assert gradient.dtype == tf.float64 and gradient.shape == (3,)
        np.testing.assert_allclose(gradient, expected, rtol=1e-9, atol=1e-12)


@few
@given(matrices, matrices, arrays.arrays(np.float64, (3, 2), elements=numbers))
def test_gradients_along_layers_equal_finite_differences(one, two, x):
    found = gradients_along([dense(one, "tanh"), dense(two, "tanh")], x)
    tail = lambda h: np.sum(np.tanh(h @ two))  # noqa: E731
    numeric = [
        differences(lambda v: tail(np.tanh(v @ one)), x),
        differences(tail, np.tanh(x @ one)),
    ]
    for gradient, expected in zip(found, numeric, strict=True):
        np.testing.assert_allclose(gradient, expected, atol=1e-6)


def test_gradients_along_shapes_change_from_step_to_step():
    steps = [dense([[1.0, 2.0, 3.0], [0.0, 1.0, -1.0]]), lambda h: tf.reduce_sum(h, axis=1)]
    first, second = gradients_along(steps, np.ones((4, 2)))
    np.testing.assert_array_equal(first, [[6, 0]] * 4)
    np.testing.assert_array_equal(second, np.ones((4, 3)))
    assert gradients_along([], tf.constant(1.0)) == []


def test_gradients_along_walks_back_once():
    walks = []

    @tf.custom_gradient
    def counted(value):
        def backward(upstream):
            walks.append(1)
            return upstream

        return tf.identity(value), backward

    gradients_along([counted, tf.exp, counted, tf.exp, counted], tf.constant(1.0))
    assert len(walks) == 3


@pytest.mark.parametrize(
    ("steps", "place"),
    [
        ([tf.stop_gradient, tf.exp], 0),
        ([tf.exp, tf.stop_gradient, tf.exp], 1),
        ([tf.stop_gradient, tf.exp, tf.stop_gradient], 2),
        ([tf.exp, lambda v: tf.constant(2.0) * 1.0, tf.exp, tf.exp], 1),
    ],
)
def test_gradients_along_names_the_last_step_that_breaks(steps, place):
    with pytest.raises(ValueError) as caught:
        gradients_along(steps, tf.constant(1.0))
    assert str(caught.value) == (
        f"gradients_along: the gradient before steps[{place}] came back None. That step did not "
        "compute its output from its argument by recorded operations. Use the argument itself, "
        f"and differentiable TensorFlow operations only. {LESSON}"
    )


def test_gradients_along_refuses_what_no_tape_follows():
    with pytest.raises(TypeError) as caught:
        gradients_along([tf.exp], tf.constant([1, 2]))
    assert str(caught.value) == (
        f"gradients_along: the source has dtype int32 and shape (2,). {INTEGER}"
    )
    with pytest.raises(TypeError) as caught:
        gradients_along([tf.exp, lambda v: v.numpy()], tf.constant([1.0]))
    assert str(caught.value) == (
        "gradients_along, the output of steps[1]: got a ndarray. A tape can watch a tensor or a "
        f"variable only. Make it one with tf.constant(...), before it is used. {LESSON}"
    )
    with pytest.raises(TypeError) as caught:
        gradients_along([tf.argmax, tf.exp], tf.constant([1.0, 2.0]))
    assert str(caught.value) == (
        "gradients_along, the output of steps[0]: the source has dtype int64 and shape (). "
        + INTEGER
    )


# --- gradients_of_each --------------------------------------------------------------------


@few
@given(
    arrays.arrays(np.float64, 3, elements=numbers), arrays.arrays(np.float64, 3, elements=numbers)
)
def test_gradients_of_each_are_each_loss_s_own(w, x):
    variable, tensor = tf.Variable(w), tf.constant(x)
    frozen = tf.Variable(np.float64(2.0), trainable=False)

    def losses():
        return {
            "product": frozen**2 * tf.reduce_sum(variable * tensor),
            "curved": tf.reduce_sum(variable**2),
        }

    found = gradients_of_each(losses, {"w": variable, "rest": [tensor, frozen]})
    assert list(found) == ["product", "curved"]
    np.testing.assert_allclose(found["product"]["w"], 4 * x)
    np.testing.assert_allclose(found["product"]["rest"][0], 4 * w)
    np.testing.assert_allclose(found["product"]["rest"][1], 4 * np.sum(w * x), atol=1e-12)
    np.testing.assert_allclose(found["curved"]["w"], 2 * w)
    assert found["curved"]["rest"] == [None, None]


def test_gradients_of_each_takes_keras_variables_and_runs_forward_once():
    used, frozen = keras.Variable([1.0, 2.0]), keras.Variable(3.0, trainable=False)
    calls = []

    def losses():
        calls.append(1)
        return {"a": tf.reduce_sum(used * used), "b": used[0] * frozen, "c": 1.0 * frozen}

    found = gradients_of_each(losses, [used, frozen])
    assert len(calls) == 1
    np.testing.assert_array_equal(found["a"][0], [2, 4])
    np.testing.assert_array_equal(tf.convert_to_tensor(found["b"][0]), [3, 0])
    assert (float(found["b"][1]), float(found["c"][1])) == (1.0, 1.0)
    assert found["a"][1] is None and found["c"][0] is None


def test_gradients_of_each_keeps_nothing_after_it_returned():
    counters = []

    def losses():
        out, kept = run_and_forget([tf.exp, tf.tanh, tf.exp], x)
        counters.append(kept)
        return {"out": out}

    x = tf.constant(0.5)
    gradients_of_each(losses, [x])
    assert counters[0]() == 0


@pytest.mark.parametrize("value", [[1.0], (tf.constant(1.0),), tf.constant(1.0)])
def test_gradients_of_each_wants_a_dict_of_losses(value):
    with pytest.raises(TypeError) as caught:
        gradients_of_each(lambda: value, [tf.Variable(1.0)])
    assert str(caught.value) == (
        f"gradients_of_each: losses() returned a {type(value).__name__}, no dict. The gradients "
        'are handed back under the losses\' names. Return {"name": loss, ...}. ' + LESSON
    )


@pytest.mark.parametrize("shape", [(1,), (2, 3)])
def test_gradients_of_each_wants_scalars(shape):
    w = tf.Variable(tf.ones(shape))
    with pytest.raises(ValueError) as caught:
        gradients_of_each(lambda: {"fine": tf.reduce_sum(w), "many": w * w}, [w])
    assert str(caught.value) == (
        f"gradients_of_each: the loss 'many' has shape {shape}. A tape would add up its elements "
        f"silently. Say which number you mean: tf.reduce_mean(...). {LESSON}"
    )


def test_scalars_of_any_kind_pass():
    assert require_scalars({"a": tf.constant(1.0), "b": tf.Variable(2.0), "c": 3.0}) is None
    assert require_scalars({}) is None


def test_gradients_of_each_refuses_sources_without_a_gradient():
    with pytest.raises(TypeError) as caught:
        gradients_of_each(dict, [tf.Variable(1.0), tf.constant([1, 2])])
    assert str(caught.value) == (
        f"gradients_of_each: the source has dtype int32 and shape (2,). {INTEGER}"
    )
    with pytest.raises(TypeError, match=r"^gradients_of_each: got a float\. A tape can watch"):
        gradients_of_each(dict, {"a": 1.0})


def test_tensors_and_variables_pass():
    for source in (tf.constant(1.0), tf.Variable(1.0), tf.zeros(2, tf.bfloat16)):
        assert require_tensor(source, "anything") is None


# --- gradient_penalty ---------------------------------------------------------------------


def penalty_by_hand(kernel, last, x):
    """In NumPy, from the slopes of tanh(x W) v, which are ((1 - tanh²) v) Wᵀ."""
    slopes = ((1 - np.tanh(x @ kernel) ** 2) * last) @ kernel.T
    return np.mean((np.sqrt(np.sum(slopes**2, axis=1)) - 1) ** 2)


@few
@given(
    arrays.arrays(np.float64, (2, 3), elements=st.floats(0.25, 1.5)),
    arrays.arrays(np.float64, 3, elements=st.floats(0.25, 1.5)),
    arrays.arrays(np.float64, (4, 2), elements=st.floats(-1, 1)),
)
def test_gradient_penalty_equals_finite_differences(kernel, last, x):
    critic = keras.Sequential([dense(kernel, "tanh"), dense(last[:, None])])
    penalty, (by_kernel, by_bias, by_last, by_last_bias) = gradient_penalty(critic, x)
    assert penalty.shape == () and penalty.dtype == tf.float64
    np.testing.assert_allclose(penalty, penalty_by_hand(kernel, last, x), rtol=1e-6)
    numeric = differences(lambda k: penalty_by_hand(k, last, x), kernel)
    np.testing.assert_allclose(by_kernel, numeric, rtol=1e-5, atol=1e-6)
    numeric = differences(lambda v: penalty_by_hand(kernel, v, x), last)
    np.testing.assert_allclose(by_last[:, 0], numeric, rtol=1e-5, atol=1e-6)
    assert by_bias.shape == (3,) and by_last_bias is None


def test_gradient_penalty_of_a_linear_critic_by_hand():
    penalty, (gradient, bias) = gradient_penalty(dense([[3.0], [4.0]]), np.ones((5, 2)))
    np.testing.assert_allclose(penalty, 16)  # (5 - 1)²
    np.testing.assert_allclose(gradient, [[4.8], [6.4]])  # 2·(5 - 1)·w/5
    assert bias is None


def test_gradient_penalty_takes_the_length_over_all_axes_but_the_first():
    w = tf.Variable(2.0, dtype=tf.float64)
    critic = PlainCritic(lambda x: w * tf.reduce_sum(x, axis=[1, 2, 3]), [w])
    penalty, (gradient,) = gradient_penalty(critic, np.ones((3, 2, 2, 4)))
    np.testing.assert_allclose(penalty, 49)  # the length is 2·√16 = 8
    np.testing.assert_allclose(gradient, 2 * 7 * 4)
    critic = PlainCritic(lambda x: w * x**2, [w])
    penalty, (gradient,) = gradient_penalty(critic, np.array([1.0, -0.5]))
    np.testing.assert_allclose(penalty, (3**2 + 1**2) / 2)  # lengths 4 and 2
    np.testing.assert_allclose(gradient, (2 * 3 * 2 + 2 * 1 * 1) / 2)


class PlainCritic(SimpleNamespace):
    """A critic that is no Keras layer."""

    def __init__(self, function, trainable_variables):
        super().__init__(function=function, trainable_variables=trainable_variables)

    def __call__(self, x):
        return self.function(x)


def test_gradient_penalty_is_finite_where_the_critic_is_flat():
    penalty, (gradient, _) = gradient_penalty(dense([[0.0], [0.0]]), np.ones((2, 2)))
    np.testing.assert_allclose(penalty, (1e-6 - 1) ** 2, rtol=1e-12)
    np.testing.assert_array_equal(gradient, [[0], [0]])


def test_gradient_penalty_errors_say_what_to_do():
    critic = dense([[1.0], [1.0]])
    with pytest.raises(TypeError) as caught:
        gradient_penalty(critic, tf.constant([[1, 2]]))
    assert str(caught.value) == (
        f"gradient_penalty: the source has dtype int32 and shape (1, 2). {INTEGER}"
    )
    with pytest.raises(ValueError) as caught:
        gradient_penalty(critic, 1.0)
    assert str(caught.value) == (
        "gradient_penalty: x has shape (). The penalty is a mean over examples, and the first "
        f"axis of x counts them. Pass a batch: x[None], for instance. {LESSON}"
    )
    early = critic(np.ones((1, 2)))
    with pytest.raises(ValueError) as caught:
        gradient_penalty(PlainCritic(lambda x: early, []), np.ones((1, 2)))
    assert str(caught.value) == (
        "gradient_penalty: the slopes came back None. The critic did not compute its scores from x "
        "by recorded operations. Use the argument itself in the critic, and TensorFlow operations "
        f"only. {LESSON}"
    )


# --- run_and_forget -----------------------------------------------------------------------


@pytest.fixture
def layers():
    return [dense(np.eye(2), "tanh"), dense(np.eye(2), "tanh"), dense(np.eye(2))]


def test_run_and_forget_counts_what_a_tape_keeps(layers):
    x = tf.constant([[0.5, 1.0]], tf.float64)
    value, kept = run_and_forget(layers, x)
    np.testing.assert_allclose(value, np.tanh(np.tanh(x)))
    assert kept() == 0
    with tf.GradientTape() as tape:
        value, kept = run_and_forget(layers, x)
    assert kept() == 2
    tape.gradient(value, x)
    assert kept() == 0


def test_run_and_forget_counts_what_somebody_else_keeps():
    mine = []

    def keep(value):
        mine.append(value + 1.0)
        return mine[-1]

    value, kept = run_and_forget([tf.exp, keep, tf.exp, tf.exp], tf.constant(0.0))
    assert kept() == 1
    np.testing.assert_allclose(value, np.exp(np.exp(2.0)), rtol=1e-6)
    mine.clear()
    assert kept() == 0


def test_run_and_forget_does_not_count_the_last_output():
    value, kept = run_and_forget([tf.exp], tf.constant(0.0))
    assert float(value) == 1.0 and kept() == 0


def test_run_and_forget_counts_tensors_only():
    with pytest.raises(TypeError) as caught:
        run_and_forget([tf.exp, lambda v: v.numpy()], tf.constant([1.0]))
    assert str(caught.value) == (
        "run_and_forget: steps[1] returned a ndarray, no tensor. A tape keeps tensors only, so "
        f"there is nothing to count. Let the step return one tensor. {LESSON}"
    )


# --- what the lesson says about TensorFlow ------------------------------------------------


@pytest.mark.parametrize("first", ["gradient", "jacobian"])
@pytest.mark.parametrize("again", ["gradient", "jacobian"])
def test_the_second_call_of_an_ordinary_tape_raises(first, again):
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = x * x
    assert float(getattr(tape, first)(y, x)) == 4.0
    with pytest.raises(RuntimeError, match=r"^A non-persistent GradientTape") as caught:
        getattr(tape, again)(y, x)
    assert str(caught.value) == SPENT


def test_gradient_inside_the_block_ends_an_ordinary_tape():
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = x * x
        tape.gradient(y, x)
        z = x**3
    with pytest.raises(RuntimeError, match=r"^A non-persistent GradientTape"):
        tape.gradient(z, x)


def test_a_persistent_tape_keeps_everything_until_it_is_gone(layers):
    def step():
        with tf.GradientTape(persistent=True) as tape:
            value, kept = run_and_forget(layers, tf.ones((1, 2), tf.float64))
        tape.gradient(value, layers[0].kernel)
        assert kept() == 2
        return kept

    assert step()() == 0  # without `del`: the function returned


def test_the_next_block_takes_over_the_name_of_the_tape(layers):
    counters = []
    for _ in range(3):
        with tf.GradientTape(persistent=True) as tape:
            assert [kept() for kept in counters] == [0] * len(counters)
            _, kept = run_and_forget(layers, tf.ones((1, 2), tf.float64))
            counters.append(kept)
        assert kept() == 2 and tape is not None


def test_more_sources_in_one_call_are_no_more_walks():
    walks = []

    @tf.custom_gradient
    def counted(value):
        def backward(upstream):
            walks.append(1)
            return upstream

        return tf.identity(value), backward

    counts = []
    for several in (False, True):
        walks.clear()
        x = tf.Variable(0.5)
        with tf.GradientTape() as tape:
            one = counted(tf.exp(x))
            two = counted(tf.tanh(one))
        tape.gradient(two, [x, one] if several else x)
        counts.append(len(walks))
    assert counts == [2, 2]


def slope_of(function, x, inside):
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = function(x)
        if inside:
            slope = inner.gradient(y, x)
    if not inside:
        slope = inner.gradient(y, x)
    return slope, outer


def test_the_inner_gradient_belongs_into_the_outer_block():
    x = tf.Variable(3.0)
    slope, outer = slope_of(lambda x: x**3, x, inside=True)
    assert (float(slope), float(outer.gradient(slope, x))) == (27.0, 18.0)
    slope, outer = slope_of(lambda x: x**3, x, inside=False)
    assert float(slope) == 27.0 and outer.gradient(slope, x) is None


def test_the_second_derivative_of_a_line_is_none_or_zero_on_demand():
    x = tf.Variable(3.0)
    slope, outer = slope_of(lambda x: 3 * x, x, inside=True)
    assert outer.gradient(slope, x) is None
    slope, outer = slope_of(lambda x: 3 * x, x, inside=True)
    assert float(outer.gradient(slope, x, unconnected_gradients="zero")) == 0.0


def test_one_persistent_tape_does_not_record_its_answer_after_the_block():
    x = tf.Variable(3.0)
    with tf.GradientTape(persistent=True) as tape:
        y = x**3
    assert tape.gradient(tape.gradient(y, x), x) is None


def test_inside_its_block_a_persistent_tape_records_the_walk_back_unless_it_is_stopped():
    x = tf.Variable(3.0)
    with tf.GradientTape(persistent=True) as tape:
        y = x**3
        recorded = tape.gradient(y, x)
        with tape.stop_recording():
            unrecorded = tape.gradient(y, x)
    assert (float(recorded), float(unrecorded)) == (27.0, 27.0)
    assert float(tape.gradient(recorded, x)) == 18.0
    assert tape.gradient(unrecorded, x) is None


def test_the_length_of_a_zero_slope_has_no_derivative():
    w = tf.Variable([[0.0], [0.0]])
    with tf.GradientTape() as tape:
        penalty = (tf.norm(w) - 1.0) ** 2
    assert np.isnan(tape.gradient(penalty, w)).all()


def test_each_of_two_tapes_watches_for_itself():
    x = tf.constant(3.0)
    for both in (False, True):
        with tf.GradientTape() as outer:
            if both:
                outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = x**3
            slope = inner.gradient(y, x)
        assert float(slope) == 27.0
        assert (outer.gradient(slope, x) is None) is not both
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            y = x**3
        assert inner.gradient(y, x) is None


def test_a_second_batch_jacobian_of_one_tape_is_zeros():
    x = tf.constant([[1.0, 2.0]])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x**3
    flat = tf.reshape(tape.batch_jacobian(y, x), (1, -1))
    np.testing.assert_array_equal(tape.batch_jacobian(flat, x), np.zeros((1, 4, 2)))
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = x**3
        flat = tf.reshape(inner.batch_jacobian(y, x), (1, -1))
    expected = [[[6, 0], [0, 0], [0, 0], [0, 12]]]  # d(3x²)/dx = 6x, for each x alone
    np.testing.assert_allclose(outer.batch_jacobian(flat, x), expected)


def test_reset_and_stop_recording_belong_into_the_block():
    with tf.GradientTape(persistent=True) as tape:
        pass
    with pytest.raises(ValueError, match=r"^Tape is not recording\.$"):
        tape.reset()
    with pytest.raises(ValueError, match=r"^Tape is not recording\.$"), tape.stop_recording():
        pass


def test_the_seed_s_program_raises_as_printed_and_works_with_a_list(layers):
    x = tf.ones((1, 2), tf.float64)
    with tf.GradientTape() as tape:
        x1 = layers[0](x)
        x2 = layers[1](x1)
        loss = layers[2](x2)
    tape.gradient(loss, x2)
    with pytest.raises(RuntimeError, match=r"^A non-persistent GradientTape"):
        tape.gradient(loss, x1)
    np.testing.assert_array_equal(gradients_along(layers, x)[2], [[1, 1]])
