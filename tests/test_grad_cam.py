"""`grad_cam`: the maps against NumPy, hand derivatives and finite differences; the data; claims."""

import base64
import hashlib
import re

import keras
import numpy as np
import pytest
import tensorflow as tf
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from solutions import digits as d
from solutions._heat_picture import COLOURS, heat_levels
from solutions.data_files import DATA, read_file, read_record
from solutions.grad_cam import (
    class_score,
    draw_heat,
    grad_cam,
    heat_inside,
    heat_map,
    integrated_gradients,
    saliency,
)
from solutions.intermediate_activations import value_and_gradients
from tests import bench_grad_cam as bench
from tests import make_digits

LESSON = "Lesson: grad_cam."
README = (DATA / "README.md").read_text(encoding="utf-8")
L = keras.layers


@pytest.fixture(scope="module")
def scenes():
    return d.scenes_for_testing()


@pytest.fixture(scope="module")
def model():
    return d.trained()


@pytest.fixture(scope="module")
def heat(model, scenes):
    return grad_cam(model, scenes.images, scenes.labels, "maps").numpy()


# --- a tiny network in float64, and the same by hand ------------------------------------------


class Tiny:
    """Pictures of 4×5 with two channels; three maps of 3×4; their means; tanh; four scores."""

    rng = np.random.default_rng(26)  # a seed whose maps are neither all warm nor all cold
    kernel, bias = rng.normal(size=(2, 2, 2, 3)), np.zeros(3)  # no bias: no corners on the way
    u, v = rng.normal(size=(3, 5)), rng.normal(size=(5, 4))

    def __init__(self):
        image = keras.Input((4, 5, 2), dtype="float64")
        maps = L.Conv2D(3, 2, activation="relu", dtype="float64", name="maps")(image)
        mean = L.GlobalAveragePooling2D(dtype="float64")(maps)
        bent = L.Dense(5, "tanh", use_bias=False, dtype="float64")(mean)
        scores = L.Dense(4, use_bias=False, dtype="float64")(bent)
        self.model = keras.Model(image, scores)
        self.model.set_weights([self.kernel, self.bias, self.u, self.v])

    def maps(self, image):
        out = np.zeros((3, 4, 3))
        for y, x in np.ndindex(3, 4):
            patch = image[y : y + 2, x : x + 2, :, None] * self.kernel
            out[y, x] = patch.sum(axis=(0, 1, 2)) + self.bias
        return np.maximum(out, 0)

    def tail(self, maps):
        return np.tanh(maps.mean(axis=(0, 1)) @ self.u) @ self.v

    def scores(self, image):
        return self.tail(self.maps(image))

    def heat_by_hand(self, image, k):
        maps = self.maps(image)
        slope = 1 - np.tanh(maps.mean(axis=(0, 1)) @ self.u) ** 2
        weights = self.u @ (slope * self.v[:, k]) / 12  # the same at each of the 12 places
        return np.maximum(maps @ weights, 0)


TINY = Tiny()


def differences(function, x, step=1e-6):
    """The gradient of a function from arrays to numbers, by central differences."""
    found = np.zeros_like(x)
    for place in np.ndindex(x.shape):
        nudge = np.zeros_like(x)
        nudge[place] = step
        found[place] = (function(x + nudge) - function(x - nudge)) / (2 * step)
    return found


def pictures(n=3, seed=1):
    return np.random.default_rng(seed).uniform(0, 1, (n, 4, 5, 2))


@pytest.mark.parametrize("classes", [[0, 0, 0], [1, 2, 3], [3, 0, 1]])
def test_grad_cam_equals_the_hand_derivative(classes):
    found = grad_cam(TINY.model, pictures(), classes, "maps")
    by_hand = [TINY.heat_by_hand(x, k) for x, k in zip(pictures(), classes, strict=True)]
    assert found.dtype == tf.float64 and found.shape == (3, 3, 4)
    assert np.any(by_hand) and not np.all(by_hand)  # some places are warm and some are blank
    np.testing.assert_allclose(found, by_hand, rtol=1e-9, atol=1e-12)


def test_grad_cam_equals_the_scores_differences_when_the_maps_are_moved():
    classes = [2, 0, 3]
    found = grad_cam(TINY.model, pictures(), classes, "maps")
    for image, k, got in zip(pictures(), classes, found, strict=True):
        maps = TINY.maps(image)
        moved = differences(lambda m, k=k: TINY.tail(m)[k], maps)
        expected = np.maximum((maps * moved.mean(axis=(0, 1))).sum(axis=-1), 0)
        np.testing.assert_allclose(got, expected, atol=1e-8)


def test_a_pictures_map_does_not_depend_on_its_neighbours():
    together = grad_cam(TINY.model, pictures(), [1, 2, 3], "maps")
    for n, k in enumerate([1, 2, 3]):
        alone = grad_cam(TINY.model, pictures()[n : n + 1], [k], "maps")
        np.testing.assert_allclose(alone[0], together[n], rtol=1e-12)


@given(
    maps=arrays(np.float64, (2, 2, 3, 2), elements=st.floats(0, 4)),
    gradients=arrays(np.float64, (2, 2, 3, 2), elements=st.floats(-2, 2)),
)
def test_heat_map_equals_loops(maps, gradients):
    expected = np.zeros((2, 2, 3))
    for n, y, x in np.ndindex(2, 2, 3):
        total = sum(maps[n, y, x, c] * np.mean(gradients[n, :, :, c]) for c in range(2))
        expected[n, y, x] = max(total, 0.0)
    np.testing.assert_allclose(heat_map(maps, gradients), expected, atol=1e-12)


@given(image=arrays(np.float64, (1, 4, 5, 2), elements=st.floats(0, 1, width=16)))
def test_saliency_equals_differences_of_the_score(image):
    image = image + 1e-3 * pictures(1, seed=3)  # off the relu's corner at exact zeros
    assume(np.min(np.abs(_before_relu(image[0]))) > 1e-4)
    found = saliency(TINY.model, image, [2])
    moved = differences(lambda x: TINY.scores(x)[2], image[0])
    np.testing.assert_allclose(found[0], np.abs(moved).max(axis=-1), atol=1e-7)


def _before_relu(image):
    patches = [
        (image[y : y + 2, x : x + 2, :, None] * TINY.kernel).sum(axis=(0, 1, 2)) + TINY.bias
        for y, x in np.ndindex(3, 4)
    ]
    return np.array(patches)


def test_saliency_of_a_batch_with_a_class_for_each():
    found = saliency(TINY.model, pictures(), [3, 1, 0])
    assert found.shape == (3, 4, 5) and found.dtype == tf.float64
    for n, k in enumerate([3, 1, 0]):
        moved = differences(lambda x, k=k: TINY.scores(x)[k], pictures()[n])
        np.testing.assert_allclose(found[n], np.abs(moved).max(axis=-1), atol=1e-7)


# --- integrated gradients ---------------------------------------------------------------------


def test_integrated_gradients_are_complete():
    """What they add up to is the score's rise from black: Sundararajan et al., proposition 1."""
    classes = [0, 3, 2]
    found = integrated_gradients(TINY.model, pictures(), classes, steps=20)
    rise = [
        TINY.scores(x)[k] - TINY.scores(0 * x)[k] for x, k in zip(pictures(), classes, strict=True)
    ]
    assert np.min(np.abs(rise)) > 0.5
    np.testing.assert_allclose(np.sum(found, axis=(1, 2, 3)), rise, atol=2e-4)


class Power(keras.layers.Layer):
    """Scores of a picture: the sum of its numbers to the powers 1, 2 and 3."""

    def call(self, x):
        return tf.stack([tf.reduce_sum(x**k, axis=(1, 2, 3)) for k in (1, 2, 3)], axis=-1)


@given(x=arrays(np.float64, (2, 1, 2, 1), elements=st.floats(0, 2)), steps=st.integers(1, 5))
def test_integrated_gradients_of_powers_are_known(x, steps):
    """The midpoint rule is exact for slopes that are lines; for x³ its sum has a closed form."""
    model = Power(dtype="float64")
    model.build((None, 1, 2, 1))
    for k, share in ((0, 1.0), (1, 1.0), (2, 1 - 1 / (4 * steps**2))):
        found = integrated_gradients(model, x, [k, k], steps)
        np.testing.assert_allclose(found, share * x ** (k + 1), rtol=1e-12, atol=1e-12)


def test_integrated_gradients_take_64_steps_unless_told_and_at_least_one():
    default = integrated_gradients(TINY.model, pictures(), [1, 1, 1])
    told = integrated_gradients(TINY.model, pictures(), [1, 1, 1], steps=64)
    np.testing.assert_array_equal(default, told)
    assert default.dtype == tf.float64
    with pytest.raises(ValueError) as caught:
        integrated_gradients(TINY.model, pictures(), [1, 1, 1], steps=0)
    assert str(caught.value) == (
        "integrated_gradients(steps=0): the mean of 0 gradients is not defined. Pass 1 or more; 64 "
        f"is a good start. {LESSON}"
    )


# --- the class's score, and what is refused ---------------------------------------------------


@given(scores=arrays(np.float64, (3, 4), elements=st.floats(-9, 9)))
def test_class_score_adds_one_score_a_picture(scores):
    value = class_score([3, 0, 3])(tf.constant(scores))
    np.testing.assert_allclose(value, scores[0, 3] + scores[1, 0] + scores[2, 3])


@pytest.mark.parametrize(
    ("classes", "shape", "said"),
    [
        ([1, 2], (3, 4), "scores of shape (3, 4) and the classes have the shape (2,)"),
        (1, (1, 4), "scores of shape (1, 4) and the classes have the shape ()"),
        ([1], (1, 4, 4), "scores of shape (1, 4, 4) and the classes have the shape (1,)"),
    ],
)
def test_scores_that_do_not_fit_the_classes(classes, shape, said):
    with pytest.raises(ValueError) as caught:
        class_score(classes)(tf.zeros(shape))
    assert str(caught.value) == (
        f"class_score(classes): the model returned {said}. Each picture needs one class: pass as "
        f"many integers as there are pictures, [3] for one. {LESSON}"
    )


@pytest.mark.parametrize("classes", [[4], [-1], [1.0], [True]])
def test_classes_that_do_not_exist(classes):
    with pytest.raises(ValueError) as caught:
        class_score(classes)(tf.zeros((1, 4)))
    assert str(caught.value) == (
        f"class_score(classes): 4 classes are numbered 0 to 3, and {classes} was passed. Pass the "
        f"index of a class for each picture. {LESSON}"
    )


def test_a_network_with_one_score_has_no_class_1():
    with pytest.raises(ValueError) as caught:
        class_score([0, 1])(tf.zeros((2, 1)))
    assert str(caught.value) == (
        "class_score(classes): the model gives one score a picture, and [0, 1] was passed. Pass 0 "
        "for each picture: its score speaks for the class that a high score means. "
        f"{LESSON}"
    )
    assert class_score([0, 0])(tf.constant([[2.0], [3.0]])) == 5


@pytest.mark.parametrize("function", [saliency, integrated_gradients, grad_cam])
@pytest.mark.parametrize("kind", [list, dict])
def test_several_outputs_are_refused(function, kind):
    image = keras.Input((2, 2, 1))
    scores = L.Dense(2)(L.Flatten(name="flat")(image))
    model = keras.Model(image, [scores, scores] if kind is list else {"scores": scores})
    layer = ["flat"] if function is grad_cam else []
    with pytest.raises(ValueError) as caught:
        function(model, tf.ones((1, 2, 2, 1)), [0], *layer)
    assert str(caught.value) == (
        f"class_score(classes): the model returned a {kind.__name__} of outputs, and a class is "
        "meant in one. Pass a model with that output alone: `keras.Model(model.inputs, "
        f"one_of_the_outputs)`. {LESSON}"
    )


@pytest.mark.parametrize("k", [0, 3])
def test_the_first_and_the_last_class_exist(k):
    assert class_score(np.array([k], np.uint8))(tf.constant([[5.0, 0, 0, 5.0]])) == 5


def test_a_layer_without_height_and_width_is_refused(model, scenes):
    with pytest.raises(ValueError) as caught:
        grad_cam(model, scenes.images[:2], [0, 0], "strongest")
    assert str(caught.value) == (
        "grad_cam: the output of 'strongest' is (2, 64), which has no place for height and width. "
        "Choose a layer that returns (n, height, width, maps), such as the last convolution. "
        f"{LESSON}"
    )


@pytest.mark.parametrize("layer", ["maps", "m*"])
def test_maps_on_axis_1_are_refused_and_the_remedy_works(layer):
    # A layer that needs no convolution with the channels first, which not every processor has.
    orders = "channels_first", "channels_last"
    layers = [L.ZeroPadding2D(1, data_format=order, name="maps") for order in orders]
    image = keras.Input((2, 5, 4))
    warm = keras.initializers.RandomUniform(0, 1, seed=0)
    flat = keras.Model(image, L.Dense(4, kernel_initializer=warm)(L.Flatten()(layers[0](image))))
    x = np.random.default_rng(0).uniform(0, 1, (2, 2, 5, 4)).astype("float32")
    with pytest.raises(ValueError) as caught:
        grad_cam(flat, x, [0, 1], layer)
    assert str(caught.value) == (
        f"grad_cam: {layer!r} has `data_format='channels_first'`, so that its maps are on axis 1, "
        "and `heat_map` takes (n, height, width, maps). Take its output and gradient from "
        "`value_and_gradients`, and pass both to `heat_map` with the axes in that order: "
        f"`tf.transpose(maps, [0, 2, 3, 1])`. {LESSON}"
    )
    turned = keras.Input((5, 4, 2))
    moved = L.Permute((3, 1, 2))(layers[1](turned))
    usual = keras.Model(turned, L.Dense(4)(L.Flatten()(moved)))
    usual.set_weights(flat.get_weights())
    expected = grad_cam(usual, np.moveaxis(x, 1, 3), [0, 1], "maps")
    got = value_and_gradients(flat, x, class_score([0, 1]), layers="maps")
    maps = [got.activations["maps"][0], got.activation_gradients["maps"][0]]
    found = heat_map(*(tf.transpose(part, [0, 2, 3, 1]) for part in maps))
    assert np.any(expected)
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("function", [saliency, integrated_gradients])
def test_pictures_of_whole_numbers_are_refused(function, model, scenes):
    whole = (scenes.images[:1] * 255).astype(np.uint8)
    with pytest.raises(ValueError) as caught:
        function(model, whole, [3])
    assert str(caught.value) == (
        f"{function.__name__}: the pictures are uint8, which has no derivative: a whole number "
        f'cannot change by a small amount. Pass `tf.cast(images, "float32")`. {LESSON}'
    )
    assert grad_cam(model, whole, [3], "maps").shape == (1, 16, 16)


def test_saliency_of_pictures_without_a_channel_axis_is_refused():
    model = keras.Sequential([keras.Input((4, 5)), L.Flatten(), L.Dense(2)])
    with pytest.raises(ValueError) as caught:
        saliency(model, tf.ones((1, 4, 5)), [0])
    assert str(caught.value) == (
        "saliency: the pictures have the shape (1, 4, 5), and (n, height, width, channels) was "
        "expected: the largest over the channels is taken. For another shape take "
        f"`input_gradients`, and the largest over the axis that you mean. {LESSON}"
    )
    assert integrated_gradients(model, tf.ones((1, 4, 5)), [0]).shape == (1, 4, 5)


def test_a_layer_that_is_called_twice_is_refused():
    twice = L.Conv2D(1, 1, name="twice")
    image = keras.Input((2, 2, 1))
    model = keras.Model(image, L.Flatten()(twice(twice(image))))
    with pytest.raises(ValueError) as caught:
        grad_cam(model, tf.ones((1, 2, 2, 1)), [0], "twice")
    assert str(caught.value) == (
        "grad_cam: 'twice' gave 2 outputs in one pass, and a heat map is made of one. Take the one "
        "you mean from `value_and_gradients` and pass it and its gradient to `heat_map`. "
        f"{LESSON}"
    )


def test_a_layer_that_does_not_exist_is_refused_by_the_capture(model, scenes):
    with pytest.raises(ValueError, match=r"has the path 'map'\. Did you mean 'maps'"):
        grad_cam(model, scenes.images[:1], [0], "map")


# --- the share of heat ------------------------------------------------------------------------


def test_heat_inside_by_hand():
    heat = np.array([[[1.0, 2.0], [3.0, 4.0]], [[0, 0], [0, 0]], [[0, 0], [5.0, 0]]])
    boxes = [[0, 0, 2, 3], [0, 0, 4, 4], [2, 0, 4, 2]]  # 4×4 pixels, so a cell is 2×2
    np.testing.assert_allclose(heat_inside(heat, boxes, 4), [(4 * 1 + 2 * 2) / 40, 0, 1])


def test_much_heat_in_half_precision_does_not_overflow():
    heat = np.full((1, 64, 64), 100, np.float16)
    np.testing.assert_allclose(heat_inside(heat, [[0, 0, 64, 32]], 64), 0.5)
    assert np.isnan(heat_inside(heat * np.nan, [[0, 0, 64, 32]], 64))


@pytest.mark.parametrize(
    ("maps", "boxes"), [((4, 4), (1, 4)), ((2, 4, 4), (1, 4)), ((1, 4, 4), (4,))]
)
def test_boxes_that_do_not_fit_the_maps(maps, boxes):
    with pytest.raises(ValueError) as caught:
        heat_inside(np.ones(maps), np.ones(boxes, int), 4)
    assert str(caught.value) == (
        f"heat_inside: the maps have the shape {maps} and the boxes {boxes}. n maps of shape (n, "
        f"h, h) need n boxes of shape (n, 4). {LESSON}"
    )


@given(st.integers(0, 24), st.integers(0, 24))
def test_even_heat_has_the_boxs_area_inside(top, left):
    share = heat_inside(np.full((1, 32, 32), 0.3), [[top, left, top + 8, left + 8]], 32)
    np.testing.assert_allclose(share, 64 / 1024)


@pytest.mark.parametrize("shape", [(1, 3, 3), (1, 4, 2)])
def test_maps_that_do_not_divide_the_picture_are_refused(shape):
    with pytest.raises(ValueError) as caught:
        heat_inside(np.ones(shape), [[0, 0, 1, 1]], 4)
    assert str(caught.value) == (
        f"heat_inside: maps of shape {shape[1:]} do not divide a picture of 4×4 pixels into whole "
        f"squares. Resize the maps to the picture first. {LESSON}"
    )


# --- the network and its claims ---------------------------------------------------------------


def test_the_four_forms_give_identical_maps(heat, scenes):
    for kind in d.KINDS:
        layer = "features/maps" if kind == "nested" else "maps"
        again = grad_cam(d.trained(kind), scenes.images, scenes.labels, layer)
        np.testing.assert_array_equal(again, heat, err_msg=kind)


def test_the_four_forms_are_what_they_say():
    forms = {kind: d.build(kind) for kind in d.KINDS}
    assert type(forms["functional"]) is type(keras.Model(*[keras.Input((1,))] * 2))
    assert isinstance(forms["Sequential"], keras.Sequential)
    assert not getattr(forms["subclassed"], "inputs", None)
    assert isinstance(forms["nested"].layers[0], keras.Sequential)
    shapes = {kind: [w.shape for w in form.weights] for kind, form in forms.items()}
    assert all(shape == shapes["functional"] for shape in shapes.values())
    with pytest.raises(ValueError) as caught:
        d.build("graph")
    assert str(caught.value) == (
        "build('graph'): the network can be written as functional, Sequential, subclassed, nested. "
        f"Pass one of these words. {LESSON}"
    )


def test_the_trained_networks_maps_are_its_last_weights_times_its_maps(model, heat, scenes):
    """The head is a largest number and a linear layer, so no derivative is needed."""
    maps = keras.Model(model.input, model.get_layer("maps").output)(scenes.images).numpy()
    w = model.layers[-1].get_weights()[0][:, scenes.labels].astype(np.float64)
    by_hand = np.einsum("nhwc,cn->nhw", maps.astype(np.float64), w).clip(0) / 256
    np.testing.assert_allclose(heat, by_hand, atol=1e-6)
    assert heat.max() > 0.05


def test_the_accuracy_is_the_one_that_data_readme_tells(model):
    accuracy = make_digits.accuracy(model)
    right = round(400 * accuracy)
    assert right == 369
    assert f"It reads {right} of the 400 other digits right" in README
    assert f"{100 * accuracy:.2f} %" in README
    assert f"{model.count_params():,} numbers" in README


def test_the_heat_lies_where_the_digit_is_and_the_lessons_figures_do_not_hang_on_a_last_digit(
    model, heat, scenes
):
    def share(maps):
        return heat_inside(maps, scenes.boxes, 32)

    lesson = read_lesson_outputs()
    keras.utils.set_random_seed(0)
    untrained = grad_cam(d.build(), scenes.images, scenes.labels, "maps")
    means = {
        "trained network": share(heat).mean(),
        "untrained network": share(untrained).mean(),
        "brightness": share(scenes.images[..., 0]).mean(),
        "chance (area)": 64 / 1024,
    }
    for name, mean in means.items():
        assert abs(100 * mean % 1 - 0.5) > 0.02, name  # far from where the rounding turns
        assert re.search(rf"^{re.escape(name)} +{mean:.0%}$", lesson, re.MULTILINE), name
    assert means["trained network"] > 3 * means["brightness"] > 3 * means["untrained network"]
    assert share(heat).min() > 64 / 1024  # in every single picture above chance


def read_lesson_outputs():
    from classroom.lessons import lesson_folder
    from classroom.notebooks import read_notebook

    cells = read_notebook(lesson_folder("grad_cam") / "lesson.ipynb").cells
    outputs = [o for cell in cells if cell.cell_type == "code" for o in cell.outputs]
    return "\n".join(o.get("text", "") for o in outputs)


def test_a_softmax_shrinks_the_heat_to_nothing_where_the_network_is_sure(heat, scenes):
    softmax = d.trained()
    softmax.layers[-1].activation = keras.activations.softmax
    maps = grad_cam(softmax, scenes.images, scenes.labels, "maps").numpy()
    most = maps.max(axis=(1, 2))
    assert 10**5 < most.max() / most.min() < 0.8 * 10**6
    assert most.min().astype(np.float16) == 0 and heat.max(axis=(1, 2)).min() > 1e-3
    sure = scenes.images[[most.argmin()]]
    assert tf.reduce_max(softmax(sure)) > 1 - 1e-5
    softmax.layers[-1].activation = keras.activations.linear
    again = grad_cam(softmax, scenes.images, scenes.labels, "maps")
    np.testing.assert_array_equal(again, heat)


def test_8_and_9_are_warm_elsewhere_though_their_places_are_not(model, heat, scenes):
    """What the lesson says of them; the loop over places is an oracle for `each_place` there."""
    w = model.layers[-1].get_weights()[0]
    maps = keras.Model(model.input, model.get_layer("maps").output)(scenes.images).numpy()
    for digit in (8, 9):
        of_it = np.flatnonzero(scenes.labels == digit)
        assert heat_inside(heat[of_it], scenes.boxes[of_it], 32).mean() < 0.25
        shares = []
        for n in of_it:
            each = np.zeros((16, 16))
            for c in range(64):  # only the largest place of a map has a gradient
                place = np.unravel_index(maps[n, :, :, c].argmax(), (16, 16))
                each[place] += w[c, digit] * maps[n, :, :, c].max()
            box = scenes.boxes[n : n + 1]
            shares.append(heat_inside(np.maximum(each, 0)[None], box, 32)[0])
        assert round(np.mean(shares), 2) == 0.80


def test_the_loss_puts_the_heat_elsewhere_and_its_gradient_is_the_hand_derivative(model, scenes):
    one = slice(21, 22)
    scores = model(scenes.images[one])
    with tf.GradientTape() as tape:
        tape.watch(scores)
        loss = keras.losses.sparse_categorical_crossentropy(
            scenes.labels[one], scores, from_logits=True
        )
    e = np.exp(scores.numpy()[0].astype(np.float64))
    expected = e / e.sum() - np.eye(10)[scenes.labels[21]]
    np.testing.assert_allclose(tape.gradient(loss, scores)[0], expected, atol=1e-6)


# --- the data ---------------------------------------------------------------------------------


def test_the_digits():
    digits, labels = d.load_digits()
    assert digits.shape == (1797, 8, 8) and digits.dtype == np.uint8
    assert (digits.min(), digits.max()) == (0, 16) and labels.dtype == np.int64
    # The counts that UCI's page gives for this part of the data.
    np.testing.assert_array_equal(
        np.bincount(labels), [178, 182, 177, 183, 181, 182, 181, 179, 174, 180]
    )


def test_training_and_test_digits_are_different_ones():
    numbers = np.arange(1797)
    assert len(numbers[d.TEST]) == 400
    np.testing.assert_array_equal([*numbers[d.TRAIN], *numbers[d.TEST]], numbers)


def test_the_scenes(scenes):
    digits, labels = (part[d.TEST] for part in d.load_digits())
    assert scenes.images.shape == (400, 32, 32, 1) and scenes.images.dtype == np.float32
    assert scenes.images.min() >= 0 and scenes.images.max() == 1
    np.testing.assert_array_equal(scenes.labels, labels)
    edges = scenes.boxes
    assert edges.min() == 0 and edges.max() == 32
    np.testing.assert_array_equal(edges[:, 2:] - edges[:, :2], 8)
    for image, digit, (top, left, bottom, right) in zip(scenes.images, digits, edges, strict=True):
        inside = image[top:bottom, left:right, 0] * 16
        assert np.all(inside >= digit)
        assert np.mean(np.where(digit > d.GREY, inside == digit, True)) > 0.5
    background = scenes.images[..., 0] * 16 <= d.GREY
    assert 0.5 < background.mean() < 0.95


def test_the_scenes_are_the_same_everywhere(scenes):
    """They are made of whole numbers, so one checksum holds on every machine."""
    whole = (scenes.images * 16).astype(np.uint8)
    np.testing.assert_array_equal(whole / 16, scenes.images)
    digest = hashlib.sha256(whole.tobytes() + scenes.boxes.astype(np.uint8).tobytes()).hexdigest()
    assert digest[:16] == "14819afe60151863"


def test_another_seed_gives_other_scenes():
    digits, labels = (part[:20] for part in d.load_digits())
    first, again, other = (d.place(digits, labels, seed) for seed in (3, 3, 4))
    np.testing.assert_array_equal(first.images, again.images)
    assert np.mean(first.images != other.images) > 0.5
    assert np.any(first.boxes != other.boxes)


def test_the_weights_file_is_what_the_script_writes(model):
    """Also that NumPy puts no time stamp into it: the bytes are equal, not only the numbers."""
    assert make_digits.as_bytes(model) == read_file("digits_cnn.npz")


def test_the_weights_are_small():
    assert len(read_file("digits_cnn.npz")) < 500e3


# --- the pictures -----------------------------------------------------------------------------


def panels_of(picture):
    """The images inside an SVG, as arrays."""
    found = re.findall(r'href="data:image/png;base64,([^"]+)"', picture.svg)
    return [tf.io.decode_png(base64.b64decode(code)).numpy() for code in found]


def rgb(colour):
    return np.array([int(colour[n : n + 2], 16) for n in (0, 2, 4)]) / 255


def test_levels_are_nine_and_in_the_order_of_the_heat():
    heat = np.array([[0.0, 0.49, 0.51], [4.0, 7.4, 7.6], [8.0, 1.0, 3.0]])
    np.testing.assert_array_equal(heat_levels(heat, 3), [[0, 0, 1], [4, 7, 8], [8, 1, 3]])
    np.testing.assert_array_equal(heat_levels(heat / 1e6, 3), heat_levels(heat, 3))
    np.testing.assert_array_equal(heat_levels(np.zeros((2, 2)), 4), np.zeros((4, 4)))


def test_the_panels_show_image_and_levels():
    image = np.array([[0.0, 1.0], [0.0, 0.0]], np.float32)[..., None]
    picture = draw_heat(image, {"warm": np.array([[0.0, 0.0], [4.0, 8.0]])})
    grey, warm = panels_of(picture)
    np.testing.assert_array_equal(grey, np.repeat(image * 255, 3, axis=-1))
    expected = [
        [0.65 * rgb(COLOURS[0]), 0.65 * rgb(COLOURS[0]) + 0.35],
        [0.65 * rgb(COLOURS[4]), 0.65 * rgb(COLOURS[8])],
    ]
    np.testing.assert_allclose(warm, np.array(expected) * 255, atol=0.51)


def test_a_picture_says_in_words_what_it_shows():
    image = np.zeros((4, 4, 1))
    warm = np.zeros((4, 4))
    warm[1, 2:] = 3.0
    picture = draw_heat(image, {"a & b": warm, "blank": 0 * warm}, [0, 1, 2, 4])
    assert str(picture) == (
        "a & b: the warm parts lie in rows 1 to 1, columns 2 to 3.\n"
        "blank: no heat at all.\n"
        "The box: rows 0 to 1, columns 1 to 3."
    )
    assert "<title>Heat maps: a &amp; b, blank</title>" in picture.svg
    assert "<desc>a &amp; b: the warm" in picture.svg and 'role="img"' in picture.svg
    assert len(panels_of(picture)) == 3 and picture.svg.count('fill="none"') == 6
    assert "The box" not in draw_heat(image, {"x": warm}).text
    for colour in COLOURS:
        assert picture.svg.count(f'fill="#{colour}"') == 1  # the legend


# G. M. Machado et al., "A Physiologically-based Model for Simulation of Color Vision Deficiency"
# (2009), severity 1.
BLIND = {
    "nobody": np.eye(3),
    "protanopia": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "deuteranopia": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    "tritanopia": [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.303900],
    ],
}


@pytest.mark.parametrize("kind", BLIND)
def test_the_colours_stay_in_order_for_colour_blind_readers(kind):
    """Each step is lighter than the one before, by as much as an eye tells apart at a glance."""
    colours = np.array([rgb(colour) for colour in COLOURS])
    linear = np.where(colours <= 0.04045, colours / 12.92, ((colours + 0.055) / 1.055) ** 2.4)
    seen = np.clip(linear @ np.array(BLIND[kind]).T, 0, 1)
    luminance = seen @ [0.2126, 0.7152, 0.0722]
    lightness = 116 * np.cbrt(np.maximum(luminance, 0.008856)) - 16  # CIE L*
    assert np.all(np.diff(lightness) > 5), lightness


@pytest.mark.parametrize("n", [7, 9, 21])
def test_the_lessons_pictures_do_not_hang_on_a_last_digit(n, heat):
    rng = np.random.default_rng(0)
    shaken = heat[n] * (1 + 2e-6 * rng.uniform(-1, 1, heat[n].shape).astype(np.float32))
    np.testing.assert_array_equal(heat_levels(shaken, 32), heat_levels(heat[n], 32))


# --- other packages ---------------------------------------------------------------------------


@pytest.fixture(scope="module")
def peers():
    return read_record(bench.RECORD)


def test_both_packages_give_our_maps_for_the_functional_network(peers):
    answers = {(a["peer"], a["kind"]): a for a in peers["answers"]}
    assert set(answers) == {(p, k) for p in bench.PEERS for k in (*d.KINDS, bench.ADDED)}
    for peer in bench.PEERS:
        assert answers[peer, "functional"]["outcome"] == "same map"
        assert answers[peer, "functional"]["below"] <= -4
        for kind in ("subclassed", "nested", bench.ADDED):
            assert answers[peer, kind]["outcome"] != "same map"
            assert answers[peer, kind]["said"]


def test_what_the_lesson_calls_the_same_map_is_measured():
    heat = np.array([[[0.0, 1.0], [2.0, 4.0]]], np.float32)
    close, far = bench.compare(heat + 2e-5, heat, 32), bench.compare(heat + 4e-3, heat, 32)
    assert close == {"outcome": "same map", "below": -5}
    assert far == {"outcome": "another map", "said": "largest difference 0.001 of the most"}
    assert bench.compare(heat[:, :1], heat, 32)["outcome"] == "other shape"
    nothing = bench.compare(heat * np.nan, heat, 32)
    assert nothing["outcome"] == "another map"


def test_the_network_that_is_added_layer_by_layer_is_the_same_network(model, scenes):
    added = bench.network(bench.ADDED)
    np.testing.assert_allclose(added(scenes.images[:3]), model(scenes.images[:3]), rtol=1e-5)
    one = added.get_layer("maps").output
    both = keras.Model(added.inputs, [one, added.outputs[0]])
    with tf.GradientTape() as tape:
        maps, scores = both([scenes.images[:1]])
    assert tape.gradient(scores, maps) is None  # the stale node that a package stumbles over
