"""Heat maps that show which part of a picture speaks for a class.

Grad-CAM: R. R. Selvaraju et al., "Grad-CAM: Visual Explanations from Deep Networks via
Gradient-based Localization" (2017), equations 1 and 2. Saliency: K. Simonyan et al., "Deep Inside
Convolutional Networks" (2014), section 3.1. Integrated gradients: M. Sundararajan et al.,
"Axiomatic Attribution for Deep Networks" (2017), equations 1 and 3.
"""

from collections.abc import Sequence

import keras
import numpy as np
import tensorflow as tf

from solutions._heat_picture import draw_heat
from solutions.intermediate_activations import (
    Target,
    input_gradients,
    layer_paths,
    value_and_gradients,
)

__all__ = [
    "class_score",
    "draw_heat",
    "grad_cam",
    "heat_inside",
    "heat_map",
    "integrated_gradients",
    "saliency",
]

LESSON = "Lesson: grad_cam."


def class_score(classes: Sequence[int]) -> Target:
    """Return a function from a model's output to the sum of one score of each picture.

    Args:
        classes: which class of each picture, n integers.

    Returns:
        A function of scores of shape (n, number of classes), to a scalar. No picture's score
        depends on another picture, so the gradient of the sum holds each picture's own.

    Raises:
        ValueError: by the function returned, if the scores do not fit the classes.
    """
    chosen = np.asarray(classes)

    def total(scores: tf.Tensor) -> tf.Tensor:
        if not tf.is_tensor(scores):
            raise ValueError(
                f"class_score(classes): the model returned a {type(scores).__name__} of outputs, "
                f"and a class is meant in one. Pass a model with that output alone: "
                f"`keras.Model(model.inputs, one_of_the_outputs)`. {LESSON}"
            )
        shape = tuple(scores.shape)
        if len(shape) != 2 or chosen.shape != shape[:1]:
            raise ValueError(
                f"class_score(classes): the model returned scores of shape {shape} and the classes "
                f"have the shape {chosen.shape}. Each picture needs one class: pass as many "
                f"integers as there are pictures, [3] for one. {LESSON}"
            )
        if shape[1] == 1 and np.any(chosen != 0):
            raise ValueError(
                f"class_score(classes): the model gives one score a picture, and "
                f"{chosen.tolist()} was passed. Pass 0 for each picture: its score speaks for the "
                f"class that a high score means. {LESSON}"
            )
        if chosen.dtype.kind not in "iu" or not np.all((chosen >= 0) & (chosen < shape[1])):
            raise ValueError(
                f"class_score(classes): {shape[1]} classes are numbered 0 to {shape[1] - 1}, and "
                f"{chosen.tolist()} was passed. Pass the index of a class for each picture. "
                f"{LESSON}"
            )
        return tf.reduce_sum(tf.gather(scores, chosen.astype(np.int64), batch_dims=1))

    return total


def heat_map(activations: tf.Tensor, gradients: tf.Tensor) -> tf.Tensor:
    """Weigh each map by its mean gradient, add the maps up, and keep what is positive.

    Args:
        activations: a layer's output, of shape (n, height, width, maps).
        gradients: the class score's gradient with respect to it, of the same shape.

    Returns:
        Tensor of shape (n, height, width), not normalised.
    """
    weights = tf.reduce_mean(gradients, axis=(1, 2), keepdims=True)
    return tf.nn.relu(tf.reduce_sum(weights * activations, axis=-1))


def grad_cam(
    model: keras.Model, images: tf.Tensor, classes: Sequence[int], layer: str
) -> tf.Tensor:
    """Grad-CAM of one layer, for any kind of model, from one pass.

    Args:
        model: a built model that returns scores (before a softmax), of shape (n, classes).
        images: what it is called with, n pictures.
        classes: which class's score, for each picture.
        layer: a path from `layer_paths`, such as "maps" or "features/maps".

    Returns:
        Tensor of shape (n, height, width) of the layer's maps, not normalised.

    Raises:
        TypeError, ValueError: as `value_and_gradients` does; or the layer's output is no stack of
            maps with the maps on the last axis, or the model calls the layer more than once.
    """
    found = value_and_gradients(model, images, class_score(classes), weights=False, layers=[layer])
    outputs = [output for calls in found.activations.values() for output in calls]
    gradients = [g for calls in found.activation_gradients.values() for g in calls]
    if len(outputs) != 1:
        raise ValueError(
            f"grad_cam: {layer!r} gave {len(outputs)} outputs in one pass, and a heat map is made "
            f"of one. Take the one you mean from `value_and_gradients` and pass it and its "
            f"gradient to `heat_map`. {LESSON}"
        )
    if len(getattr(outputs[0], "shape", ())) != 4:
        shape = getattr(outputs[0], "shape", type(outputs[0]).__name__)
        raise ValueError(
            f"grad_cam: the output of {layer!r} is {shape}, which has no place for height and "
            f"width. Choose a layer that returns (n, height, width, maps), such as the last "
            f"convolution. {LESSON}"
        )
    path = next(path for path, calls in found.activations.items() if calls)
    if getattr(layer_paths(model)[path], "data_format", None) == "channels_first":
        raise ValueError(
            f"grad_cam: {layer!r} has `data_format='channels_first'`, so that its maps are on axis "
            f"1, and `heat_map` takes (n, height, width, maps). Take its output and gradient from "
            f"`value_and_gradients`, and pass both to `heat_map` with the axes in that order: "
            f"`tf.transpose(maps, [0, 2, 3, 1])`. {LESSON}"
        )
    return heat_map(outputs[0], gradients[0])


def saliency(model: keras.Model, images: tf.Tensor, classes: Sequence[int]) -> tf.Tensor:
    """How strongly the class's score reacts to each pixel.

    Args:
        model: a built model that returns scores (before a softmax), of shape (n, classes).
        images: n pictures, floating-point of shape (n, height, width, channels).
        classes: which class's score, for each picture; n integers.

    Returns:
        Tensor of shape (n, height, width): of the absolute values of a pixel's gradients, the
        largest over its channels.
    """
    images = _with_channels(_pictures("saliency", images))
    gradient = input_gradients(model, images, class_score(classes))
    return tf.reduce_max(tf.abs(gradient), axis=-1)


def integrated_gradients(
    model: keras.Model, images: tf.Tensor, classes: Sequence[int], steps: int = 64
) -> tf.Tensor:
    """What each number of a picture added to the class's score, on the way from black.

    The picture is multiplied by (k + 1/2) / steps for k = 0 … steps - 1. The mean of the scores'
    gradients at these points, times the picture, is the result. Its sum is the score's rise from
    the black picture, up to the error of this midpoint rule.

    Args:
        model: a built model that returns scores (before a softmax), of shape (n, classes).
        images: n pictures, floating-point of shape (n, height, width, channels); 0 is black.
        classes: which class's score, for each picture; n integers.
        steps: the number of points on the way.

    Returns:
        Tensor of the shape and dtype of `images`, positive and negative.

    Raises:
        ValueError: `steps` is less than 1.
    """
    if steps < 1:
        raise ValueError(
            f"integrated_gradients(steps={steps}): the mean of {steps} gradients is not defined. "
            f"Pass 1 or more; 64 is a good start. {LESSON}"
        )
    images = _pictures("integrated_gradients", images)
    total = tf.zeros_like(images)
    for k in range(steps):
        total += input_gradients(model, images * ((k + 0.5) / steps), class_score(classes))
    return images * total / steps


def _pictures(caller, images):
    images = tf.convert_to_tensor(images)
    if not images.dtype.is_floating:
        raise ValueError(
            f"{caller}: the pictures are {images.dtype.name}, which has no derivative: a whole "
            f'number cannot change by a small amount. Pass `tf.cast(images, "float32")`. {LESSON}'
        )
    return images


def _with_channels(images):
    if images.shape.rank != 4:
        raise ValueError(
            f"saliency: the pictures have the shape {tuple(images.shape)}, and (n, height, width, "
            f"channels) was expected: the largest over the channels is taken. For another shape "
            f"take `input_gradients`, and the largest over the axis that you mean. {LESSON}"
        )
    return images


def heat_inside(heat: tf.Tensor, boxes: np.ndarray, side: int) -> np.ndarray:
    """The share of each map's heat that lies inside a box.

    Args:
        heat: of shape (n, h, h), nothing negative; each cell stands for a square of pixels.
        boxes: of shape (n, 4): top, left, bottom and right in pixels, the last two excluded.
        side: the picture's height and width in pixels, a multiple of h.

    Returns:
        Array of shape (n,), from 0 to 1. A map without any heat has 0 inside.

    Raises:
        ValueError: the cells are no whole squares of pixels, or the boxes do not fit the maps.
    """
    heat = np.asarray(heat).astype("float64")  # the sum of many half-precision numbers overflows
    if heat.ndim != 3 or np.shape(boxes) != (len(heat), 4):
        raise ValueError(
            f"heat_inside: the maps have the shape {heat.shape} and the boxes {np.shape(boxes)}. "
            f"n maps of shape (n, h, h) need n boxes of shape (n, 4). {LESSON}"
        )
    pixels, rest = divmod(side, heat.shape[1])
    if rest or heat.shape[1] != heat.shape[2]:
        raise ValueError(
            f"heat_inside: maps of shape {heat.shape[1:]} do not divide a picture of {side}×{side} "
            f"pixels into whole squares. Resize the maps to the picture first. {LESSON}"
        )
    heat = heat.repeat(pixels, axis=1).repeat(pixels, axis=2)
    inside = [
        cells[top:bottom, left:right].sum()
        for cells, (top, left, bottom, right) in zip(heat, boxes, strict=True)
    ]
    everything = heat.sum(axis=(1, 2))
    return np.divide(inside, everything, out=np.zeros(len(heat)), where=everything != 0)
