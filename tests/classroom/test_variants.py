"""Other numbers, the same question: what `vary` changes, what it leaves, and how it draws."""

from typing import NamedTuple

import keras
import numpy as np
import pytest
import tensorflow as tf

from classroom.variants import arguments_of, seed_of, vary

EVEN, ODD = 8, 9


class Named(NamedTuple):
    weight: float
    label: str


def layer():
    made = keras.layers.Dense(2)
    made.build((None, 2))
    made.set_weights([np.array([[1.0, -2.0], [3.0, 4.0]]), np.array([0.0, 5.0])])
    return made


def between(new, old):
    """Each number is 0.5 to 1.5 times what it was; so signs and zeros stay."""
    low, high = np.minimum(old * 0.5, old * 1.5), np.maximum(old * 0.5, old * 1.5)
    return np.all((low - 1e-6 <= new) & (new <= high + 1e-6))


def test_the_seed_is_the_hmac_of_the_names():
    # printf 'ada\x1finput_gradient\x1f0' | openssl dgst -sha256 -hmac secret
    digest = "45e9e8422a979052d5654268c6eb0ba15ef5ace0410db78b3f6d96789b3edb3a"
    assert seed_of("secret", "ada", "input_gradient", 0) == int(digest[:16], 16) >> 11
    assert seed_of("secret", "ada", "input_gradient", 1) != seed_of("secret", "ada", "x", 1)


@pytest.mark.parametrize(
    "old",
    [
        np.array([1.0, -2.0, 0.0]),
        np.array([[2.5]], np.float32),
        np.float64(3.0),
    ],
)
def test_arrays_keep_shape_dtype_signs_and_zeros(old):
    (new,) = vary((old,), EVEN)
    assert np.shape(new) == np.shape(old) and new.dtype == old.dtype and type(new) is type(old)
    assert between(new, old) and not np.array_equal(new, old)


@pytest.mark.parametrize("dtype", [tf.float16, tf.bfloat16, tf.float32, tf.float64])
def test_tensors_keep_shape_and_dtype(dtype):
    old = tf.constant([[1.0, -4.0]], dtype)
    (new,) = vary((old,), EVEN)
    assert new.dtype == dtype and new.shape == old.shape
    assert between(np.float64(new) * [1, 1], np.float64(old) * [1.02, 1.02])
    assert np.any(np.float64(new) != np.float64(old))


def test_what_is_no_float_stays():
    kept = (3, True, "name", None, np.array([1, 2]), tf.constant([1, 2]), tf.constant("a"), tf.exp)
    assert all(new is old for new, old in zip(vary(kept, EVEN), kept, strict=True))


def test_python_floats_and_containers():
    rate, row, table, named = vary((0.1, [1.0, (2.0, "x")], {"a": 3.0}, Named(2.0, "x")), EVEN)
    assert type(rate) is float and between(rate, 0.1) and rate != 0.1
    assert between(row[0], 1.0) and between(row[1][0], 2.0) and row[1][1] == "x"
    assert list(table) == ["a"] and between(table["a"], 3.0)
    assert type(named) is Named and between(named.weight, 2.0) and named.label == "x"


def test_variables_and_layers_change_in_place_and_once():
    made, variable = layer(), tf.Variable([2.0, -3.0])
    before = [w.numpy() for w in made.weights]
    new = vary((made, made.kernel, [variable, variable]), EVEN)
    assert new[0] is made and new[1] is made.kernel
    assert all(item is variable for item in new[2])
    assert between(variable.numpy(), np.array([2.0, -3.0]))
    for weight, old in zip(made.weights, before, strict=True):
        assert between(weight.numpy(), old)
    assert not np.array_equal(made.kernel.numpy(), before[0])


def test_a_layer_in_another_model_is_varied_by_its_weights():
    model = keras.Sequential([keras.Input((2,)), layer()])
    before = model.get_weights()
    vary((model,), EVEN)
    assert all(map(between, model.get_weights(), before))
    assert not np.array_equal(model.get_weights()[0], before[0])


def test_a_function_and_the_list_beside_it_see_the_same_new_tensor():
    def question():
        w, x = tf.Variable([1.0, 2.0]), tf.constant([3.0, -1.0])
        return lambda: tf.reduce_sum(w * x), [w, x]

    function, (w, x) = vary(question(), EVEN)
    with tf.GradientTape() as tape:
        tape.watch(x)
        value = function()
    got = tape.gradient(value, [w, x])
    np.testing.assert_allclose(got[0], x)
    np.testing.assert_allclose(got[1], w)
    assert between(x.numpy(), np.array([3.0, -1.0])) and not np.array_equal(x, [3.0, -1.0])


def test_a_function_that_closes_over_itself_or_nothing_is_no_trouble():
    def forever(n):
        return forever(n - 1) if n else late

    assert vary((forever,), EVEN)[0] is forever
    late = 1.0
    assert forever(2) == late


def test_an_optimizer_keeps_its_rate():
    optimizer = keras.optimizers.SGD(0.1)
    vary((optimizer,), EVEN)
    assert float(optimizer.learning_rate) == pytest.approx(0.1)


def test_equal_seeds_give_equal_numbers_and_others_do_not():
    old = (tf.constant([1.0, 2.0, 3.0]),)
    one, two, other = vary(old, EVEN)[0], vary(old, EVEN)[0], vary(old, EVEN + 2)[0]
    assert np.array_equal(one, two) and not np.array_equal(one, other)


def test_an_odd_seed_leaves_labels_and_masks():
    labels, logits = tf.constant([[0.0, 1.0]]), tf.constant([[0.5, 2.0]])
    kept, varied = vary((labels, logits), ODD)
    assert kept is not None and np.array_equal(kept, labels)
    assert not np.array_equal(varied, logits)
    assert not np.array_equal(vary((labels,), EVEN)[0], labels)


def test_a_program_runs_alone_and_its_functions_can_be_read():
    import inspect

    program = "import tensorflow as tf\n\narguments = lambda: (lambda x: x + 1.0, 2.0)\n"
    function, number = arguments_of(program)
    assert (function(1.0), number) == (2.0, 2.0)
    assert "x + 1.0" in inspect.getsource(function)
    assert arguments_of(program, EVEN)[1] != 2.0
