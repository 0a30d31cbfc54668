"""weights_or_inputs against hand derivatives, finite differences and every claim of its lesson."""

import keras
import numpy as np
import pytest
import tensorflow as tf
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from solutions.weights_or_inputs import (
    descent_step,
    gradient_wrt_input,
    named_layer_gradients,
    saliency_map,
)

NUMBERS = st.floats(-2.0, 2.0)


def softmax_model(kernel, bias):
    """A linear classifier in float64, whose derivatives are easy to write down."""
    model = keras.Sequential(
        [
            keras.Input((kernel.shape[0],), dtype="float64"),
            keras.layers.Dense(kernel.shape[1], name="scores", dtype="float64"),
        ]
    )
    model.set_weights([kernel, bias])
    return model


def cross_entropy(labels):
    labels = tf.constant(labels)
    return lambda scores: tf.reduce_mean(
        tf.nn.sparse_softmax_cross_entropy_with_logits(labels, scores)
    )


def image_model(seed=0, channels=2, dtype="float64"):
    """Two smooth convolutions and a linear head, in float64, with random weights."""
    rng = np.random.default_rng(seed)
    model = keras.Sequential(
        [
            keras.Input((4, 4, channels), dtype=dtype),
            keras.layers.Conv2D(3, 2, activation="tanh", name="conv1", dtype=dtype),
            keras.layers.Conv2D(2, 2, activation="softplus", name="conv2", dtype=dtype),
            keras.layers.Flatten(name="flatten", dtype=dtype),
            keras.layers.Dense(3, name="scores", dtype=dtype),
        ]
    )
    model.set_weights([rng.normal(size=weight.shape) for weight in model.get_weights()])
    return model


def some_images(count=2, channels=2, seed=1):
    return np.random.default_rng(seed).normal(size=(count, 4, 4, channels))


def finite_differences(function, array, step=1e-6):
    """Central differences of a scalar function, entry by entry."""
    slopes = np.zeros_like(array)
    for index in np.ndindex(*array.shape):
        moved = np.zeros_like(array)
        moved[index] = step
        slopes[index] = (function(array + moved) - function(array - moved)) / (2 * step)
    return slopes


def slopes_of_pixels(values, images, step=1e-6):
    """Central differences of a function that gives one number for each image of a batch."""
    slopes = []
    for image in images:
        moves = step * np.eye(image.size).reshape(-1, *image.shape)
        rise = values(image + moves) - values(image - moves)
        slopes.append(np.reshape(rise / (2 * step), image.shape))
    return np.stack(slopes)


# --- the two gradients against hand derivatives --------------------------------------------


@settings(max_examples=25, deadline=None)
@given(
    x=hnp.arrays(np.float64, (3, 2), elements=NUMBERS),
    kernel=hnp.arrays(np.float64, (2, 4), elements=NUMBERS),
    bias=hnp.arrays(np.float64, 4, elements=NUMBERS),
    labels=hnp.arrays(np.int64, 3, elements=st.integers(0, 3)),
)
def test_softmax_regression_by_hand(x, kernel, bias, labels):
    scores = x @ kernel + bias
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    error = (powers / powers.sum(axis=1, keepdims=True) - np.eye(4)[labels]) / 3
    model, loss = softmax_model(kernel, bias), cross_entropy(labels)

    of_kernel, of_bias = named_layer_gradients(model, "scores", tf.constant(x), loss)
    np.testing.assert_allclose(of_kernel, x.T @ error, atol=1e-12)
    np.testing.assert_allclose(of_bias, error.sum(axis=0), atol=1e-12)

    of_input = gradient_wrt_input(model, x, loss)
    np.testing.assert_allclose(of_input, error @ kernel.T, atol=1e-12)
    assert of_input.dtype == tf.float64 and of_input.shape == x.shape


@settings(max_examples=10, deadline=None)
@given(
    x=hnp.arrays(np.float64, (2, 3), elements=NUMBERS),
    kernel=hnp.arrays(np.float64, (3, 2), elements=NUMBERS),
    rate=st.floats(0.001, 0.5),
)
def test_a_step_on_a_linear_model_by_hand(x, kernel, rate):
    model = softmax_model(kernel, np.zeros(2))
    before, after = descent_step(model, x, lambda scores: scores, rate)
    slope = x.sum(axis=0)[:, np.newaxis] @ np.ones((1, 2))
    moved = kernel - rate * slope
    # Keras keeps the learning rate in float32, hence the tolerance.
    np.testing.assert_allclose(model.get_weights()[0], moved, atol=1e-6)
    np.testing.assert_allclose(model.get_weights()[1], [-2 * rate] * 2, atol=1e-6)
    np.testing.assert_allclose(before, (x @ kernel).sum(), atol=1e-6)
    np.testing.assert_allclose(after, (x @ moved - 2 * rate).sum(), atol=1e-5)
    assert before.shape == after.shape == ()


def test_saliency_of_a_linear_model_by_hand():
    weights = np.random.default_rng(3).normal(size=(2, 3, 2, 2))  # height, width, channel, class
    model = keras.Sequential(
        [keras.Input((2, 3, 2)), keras.layers.Flatten(), keras.layers.Dense(2, use_bias=False)]
    )
    model.set_weights([weights.reshape(12, 2)])
    images = tf.constant(np.random.default_rng(4).normal(size=(2, 2, 3, 2)), tf.float32)
    for k in (0, 1):
        by_hand = np.abs(weights[..., k]).max(axis=2)
        seen = saliency_map(model, images, k)
        assert seen.dtype == tf.float32 and seen.shape == (2, 2, 3)
        np.testing.assert_allclose(seen, np.stack([by_hand, by_hand]), rtol=1e-5)


# --- against finite differences, in float64 ------------------------------------------------


@pytest.mark.parametrize("name", ["conv1", "conv2", "scores"])
def test_a_layers_gradients_against_finite_differences(name):
    model, images, loss = image_model(), some_images(), cross_entropy([2, 0])
    layer = model.get_layer(name)
    gradients = named_layer_gradients(model, name, images, loss)
    assert len(gradients) == 2 and all(isinstance(g, tf.Tensor) for g in gradients)
    for variable, gradient in zip(layer.trainable_variables, gradients, strict=True):
        start = variable.numpy()

        def value(weights, variable=variable):
            variable.assign(weights)
            return float(loss(model(images)))

        expected = finite_differences(value, start)
        variable.assign(start)
        np.testing.assert_allclose(gradient, expected, atol=1e-8)


def test_the_inputs_gradient_against_finite_differences():
    model, images = image_model(), some_images()

    def losses(scores):
        return -tf.nn.log_softmax(scores)[:, 2]

    expected = slopes_of_pixels(lambda x: losses(model(x)), images)
    np.testing.assert_allclose(gradient_wrt_input(model, images, losses), expected, atol=1e-8)


@pytest.mark.parametrize("k", [0, 1, 2])
def test_the_saliency_map_against_finite_differences(k):
    model, images = image_model(), some_images()
    slopes = slopes_of_pixels(lambda x: model(x)[:, k], images)
    np.testing.assert_allclose(
        saliency_map(model, images, k), np.abs(slopes).max(axis=3), atol=1e-7
    )


# --- shapes and meaning --------------------------------------------------------------------


def test_weights_have_no_batch_axis_and_images_have():
    model, first, second = image_model(), some_images(1, seed=5), some_images(1, seed=6)
    both = np.concatenate([first, second])

    def score(scores):
        return scores[:, 1]

    for together, a, b in zip(
        *(named_layer_gradients(model, "conv1", x, score) for x in (both, first, second)),
        strict=True,
    ):
        np.testing.assert_allclose(together, a + b, atol=1e-12)
    apart = [gradient_wrt_input(model, x, score) for x in (first, second)]
    np.testing.assert_allclose(gradient_wrt_input(model, both, score), tf.concat(apart, 0))
    maps = [saliency_map(model, x, 1) for x in (first, second)]
    np.testing.assert_allclose(saliency_map(model, both, 1), tf.concat(maps, 0))


def test_a_target_of_any_shape_is_summed():
    model, images = image_model(), some_images()
    for one, other in zip(
        named_layer_gradients(model, "conv2", images, lambda s: s**2),
        named_layer_gradients(model, "conv2", images, lambda s: tf.reduce_sum(s**2)),
        strict=True,
    ):
        np.testing.assert_allclose(one, other)
    np.testing.assert_allclose(
        gradient_wrt_input(model, images, lambda s: s**2),
        gradient_wrt_input(model, images, lambda s: tf.reduce_sum(s**2)),
    )


def test_moving_statistics_have_no_gradient_and_are_left_out():
    model = keras.Sequential([keras.Input((3,)), keras.layers.BatchNormalization(name="norm")])
    x = tf.constant([[1.0, 2.0, 3.0]])
    gamma, beta = named_layer_gradients(model, "norm", x, tf.reduce_sum)
    np.testing.assert_allclose(gamma, x[0] / np.sqrt(1.001), rtol=1e-5)
    np.testing.assert_allclose(beta, [1.0, 1.0, 1.0])


def test_a_model_that_was_never_called_is_built_by_the_call():
    model = keras.Sequential([keras.layers.Dense(2, kernel_initializer="ones", name="first")])
    kernel, bias = named_layer_gradients(model, "first", tf.constant([[3.0, 5.0]]), tf.reduce_sum)
    assert kernel.numpy().tolist() == [[3.0, 3.0], [5.0, 5.0]] and bias.numpy().tolist() == [1, 1]


def test_an_embeddings_gradient_is_dense():
    model = keras.Sequential([keras.layers.Embedding(4, 2, name="words")])
    (gradient,) = named_layer_gradients(model, "words", tf.constant([[1, 3, 1]]), tf.reduce_sum)
    assert gradient.numpy().tolist() == [[0, 0], [2, 2], [0, 0], [1, 1]]


def test_a_step_leaves_the_input_and_frozen_layers_alone():
    model, loss = image_model(), cross_entropy([1, 1])
    model.get_layer("conv1").trainable = False
    images = tf.constant(some_images())
    frozen, moving = (model.get_layer(name).kernel.numpy() for name in ("conv1", "conv2"))
    before, after = descent_step(model, images, loss, 0.05)
    assert after < before == loss(image_model()(images))
    np.testing.assert_array_equal(after, loss(model(images)))
    np.testing.assert_array_equal(images, some_images())
    np.testing.assert_array_equal(model.get_layer("conv1").kernel, frozen)
    assert not np.allclose(model.get_layer("conv2").kernel, moving)


def test_a_step_skips_a_weight_that_has_no_part():
    inputs = keras.Input((2,))
    layers = [keras.layers.Dense(1, name=name) for name in ("used", "unused")]
    model = keras.Model(inputs, [layer(inputs) for layer in layers])
    weights = [layer.get_weights() for layer in layers]
    with pytest.warns(UserWarning, match=r"Gradients do not exist for variables \['unused/kernel'"):
        descent_step(model, tf.ones((1, 2)), lambda outputs: outputs[0], 0.5)
    np.testing.assert_allclose(layers[0].kernel, weights[0][0] - 0.5, rtol=1e-6)
    np.testing.assert_array_equal(layers[1].kernel, weights[1][0])


# --- what is refused, and in which words ---------------------------------------------------


def message(error):
    return str(error.value)


def constant(scores):
    return tf.constant(1.0)


def test_an_unknown_layer_is_answered_with_the_known_names():
    with pytest.raises(ValueError, match=r"No such layer: conv9\. Existing layers are: \['conv1'"):
        named_layer_gradients(image_model(), "conv9", some_images(), tf.reduce_sum)


def test_a_layer_without_weights():
    with pytest.raises(ValueError) as error:
        named_layer_gradients(image_model(), "flatten", some_images(), tf.reduce_sum)
    assert message(error) == (
        "named_layer_gradients(model, 'flatten', …): the list of trainable weights of this "
        "Flatten layer is empty. Layers such as Flatten have none, and `trainable = False` hides "
        "those of a layer that has some. Name another layer, or set `trainable = True`. Lesson: "
        "weights_or_inputs."
    )


def test_a_frozen_layer():
    model = image_model()
    model.get_layer("conv1").trainable = False
    with pytest.raises(ValueError, match="this Conv2D layer is empty"):
        named_layer_gradients(model, "conv1", some_images(), tf.reduce_sum)


def test_a_target_without_a_path_to_the_layer():
    with pytest.raises(ValueError) as error:
        named_layer_gradients(image_model(), "conv1", some_images(), constant)
    assert message(error) == (
        "named_layer_gradients(model, 'conv1', …): the tape returned None for 'kernel', of shape "
        "(2, 2, 2, 3). No recorded operation leads from it to the target. Compute the target from "
        "the model's output, with TensorFlow operations only. Lesson: weights_or_inputs."
    )


def test_an_integer_image():
    pixels = tf.zeros((1, 4, 4, 2), tf.uint8)
    with pytest.raises(TypeError) as error:
        gradient_wrt_input(image_model(), pixels, tf.reduce_sum)
    assert message(error) == (
        "gradient_wrt_input(model, x, target): x has dtype uint8 and shape (1, 4, 4, 2). A tape "
        "returns None for integers: they have no gradient. Convert first: x = tf.cast(x, "
        "tf.float32). Lesson: weights_or_inputs."
    )
    with pytest.raises(TypeError):
        saliency_map(image_model(), pixels, 0)


def test_a_target_without_a_path_to_the_input():
    with pytest.raises(ValueError) as error:
        gradient_wrt_input(image_model(), some_images(1), constant)
    assert message(error) == (
        "gradient_wrt_input(model, x, target): the tape returned None, although x was watched. No "
        "recorded operation leads from x, of shape (1, 4, 4, 2), to the target. Compute the "
        "target from the model's output, with TensorFlow operations only. Lesson: "
        "weights_or_inputs."
    )


def test_a_single_image_without_its_batch_axis():
    with pytest.raises(ValueError) as error:
        saliency_map(image_model(), some_images()[0], 1)
    assert message(error) == (
        "saliency_map(model, images, 1): images has shape (4, 4, 2). Four axes are needed: (batch, "
        "height, width, channels). Add the missing one, for a single image by "
        "images[tf.newaxis]. Lesson: weights_or_inputs."
    )


@pytest.mark.parametrize("k", [-1, 3, 7])
def test_a_class_that_the_model_has_not(k):
    with pytest.raises(ValueError) as error:
        saliency_map(image_model(), some_images(), k)
    assert message(error) == (
        f"saliency_map(model, images, {k}): the model returned scores of shape (2, 3). Its classes "
        "are 0 to 2; pick one of them. Lesson: weights_or_inputs."
    )


def test_a_step_without_any_gradient():
    with pytest.raises(ValueError) as error:
        descent_step(image_model(), some_images(), constant, 0.1)
    assert message(error) == (
        "descent_step(model, x, target, 0.1): the model has 6 trainable weights, and the tape "
        "returned a gradient for none of them, so there is no step to take. Unfreeze a layer, or "
        "compute the target from the model's output, with TensorFlow operations only. Lesson: "
        "weights_or_inputs."
    )
    frozen = image_model()
    frozen.trainable = False
    with pytest.raises(ValueError, match="has 0 trainable weights"):
        descent_step(frozen, some_images(), tf.reduce_sum, 0.1)


# --- what the lesson says beside its cells -------------------------------------------------


def test_an_image_that_nobody_watches_and_token_numbers_give_none():
    model, images = image_model(), tf.constant(some_images())
    with tf.GradientTape() as tape:
        value = model(images)
    assert tape.gradient(value, images) is None

    words, tokens = keras.layers.Embedding(4, 2), tf.constant([[1, 3]])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(tokens)
        embedded = words(tokens)
        value = tf.reduce_sum(embedded**2)
    assert tape.gradient(value, tokens) is None
    np.testing.assert_allclose(tape.gradient(value, embedded), 2 * embedded)
    sparse = tape.gradient(value, words.embeddings)
    with pytest.raises(AttributeError, match="'IndexedSlices' object has no attribute 'numpy'"):
        sparse.numpy()
    assert tf.convert_to_tensor(sparse).shape == (4, 2)


def test_the_lists_of_flatten_and_of_a_frozen_layer_are_empty():
    model = image_model()
    model.get_layer("conv1").trainable = False
    assert model.get_layer("flatten").trainable_variables == []
    assert model.get_layer("conv1").trainable_variables == []


def test_a_nested_layer_is_found_in_two_steps():
    outer = keras.Sequential([keras.Input((4, 4, 2)), image_model(dtype="float32")])
    inner = outer.layers[0].name
    with pytest.raises(ValueError, match="No such layer"):
        outer.get_layer("conv1")
    assert outer.get_layer(inner).get_layer("conv1").name == "conv1"


def test_an_optimizer_wants_a_variable():
    optimizer, pixels = keras.optimizers.SGD(0.5), tf.constant([1.0, 2.0])
    with pytest.raises(AttributeError, match="has no attribute '_unique_id'"):
        optimizer.apply_gradients([(tf.ones(2), pixels)])
    variable = tf.Variable(pixels)
    keras.optimizers.SGD(0.5).apply_gradients([(tf.ones(2), variable)])
    assert variable.numpy().tolist() == [0.5, 1.5]


def test_the_old_answers_input_does_not_fit_its_model():
    model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(10), keras.layers.Dense(3)])
    with pytest.raises(ValueError):
        model(tf.ones((1, 299, 299, 3)))
