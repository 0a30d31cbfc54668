"""Probes, points, hints and the bank of answers for the exercise of `grad_cam`."""

import keras
import numpy as np
import tensorflow as tf

from classroom.spec import Probe, Task, Wrong
from solutions import grad_cam as reference

# --- heat_map -----------------------------------------------------------------------------


def with_einsum(activations, gradients):
    weights = tf.einsum("nhwc->nc", gradients) / np.prod(gradients.shape[1:3])
    return tf.maximum(tf.einsum("nhwc,nc->nhw", activations, weights), 0.0)


def picture_by_picture(activations, gradients):
    maps = []
    for a, g in zip(np.asarray(activations), np.asarray(gradients), strict=True):
        total = sum(a[..., c] * g[..., c].mean() for c in range(a.shape[-1]))
        maps.append(np.where(total > 0, total, 0))
    return np.stack(maps)


def without_relu(activations, gradients):
    weights = tf.reduce_mean(gradients, axis=(1, 2), keepdims=True)
    return tf.reduce_sum(weights * activations, axis=-1)


def absolute(activations, gradients):
    weights = tf.reduce_mean(gradients, axis=(1, 2), keepdims=True)
    return tf.abs(tf.reduce_sum(weights * activations, axis=-1))


def relu_too_early(activations, gradients):
    weights = tf.reduce_mean(gradients, axis=(1, 2), keepdims=True)
    return tf.reduce_sum(tf.nn.relu(weights * activations), axis=-1)


def not_averaged(activations, gradients):
    return tf.nn.relu(tf.reduce_sum(gradients * activations, axis=-1))


def averaged_over_the_maps(activations, gradients):
    weights = tf.reduce_mean(gradients, axis=-1, keepdims=True)
    return tf.nn.relu(tf.reduce_sum(weights * activations, axis=-1))


def averaged_over_the_batch(activations, gradients):
    weights = tf.reduce_mean(gradients, axis=(0, 1, 2))
    return tf.nn.relu(tf.reduce_sum(weights * activations, axis=-1))


def mean_of_the_maps(activations, gradients):
    weights = tf.reduce_mean(gradients, axis=(1, 2), keepdims=True)
    return tf.nn.relu(tf.reduce_mean(weights * activations, axis=-1))


def maps_and_gradients(n, sign=1.0):
    def arguments():
        count = n * 2 * 3 * 4
        numbers = np.sin(np.arange(count) * 1.7).reshape(n, 2, 3, 4)
        maps = np.maximum(np.cos(np.arange(count)).reshape(n, 2, 3, 4), 0)
        return tf.constant(maps, tf.float32), tf.constant(sign * (numbers - 0.1), tf.float32)

    return arguments


HEAT_MAP = Task(
    function=reference.heat_map,
    kind="write",
    minutes=8,
    points=5,
    probes=[
        Probe("one picture", maps_and_gradients(1)),
        Probe("two pictures", maps_and_gradients(2)),
        Probe("two pictures, the gradients turned round", maps_and_gradients(2, -1.0)),
    ],
    hints=(
        "How many weights does a picture with four maps need, and from which numbers is each made?",
        "`tf.reduce_mean` with `keepdims=True` gives one weight a map; then the weights and the "
        "maps broadcast.",
        "`weights = tf.reduce_mean(gradients, axis=(1, 2), keepdims=True)`, then the sum of "
        "`weights * activations` over the last axis, then `tf.nn.relu`.",
    ),
    right=[with_einsum, picture_by_picture],
    wrong=[
        Wrong(
            without_relu,
            why="Negative places are still there. They speak for other classes, and in colours "
            "they would look like weak heat.",
            do="Keep what is positive: `tf.nn.relu` around the sum.",
            idea="Negative places",
        ),
        Wrong(
            absolute,
            why="The absolute value makes what speaks against the class as warm as what speaks "
            "for it.",
            do="Use `tf.nn.relu`, which sets the negative sums to zero.",
            idea="speaks against the class",
        ),
        Wrong(
            relu_too_early,
            why="You dropped the negative maps one by one, before the sum. A place where one map "
            "says yes and another says a louder no is warm now.",
            do="Add the weighted maps up first, then apply the relu to the sum.",
            idea="before the sum",
        ),
        Wrong(
            not_averaged,
            why="Each place has a weight of its own here: gradient times activation. Grad-CAM "
            "gives a whole map one weight, the mean of its gradients over height and width.",
            do="Average the gradients over axes 1 and 2 before you multiply.",
            idea="a whole map one weight",
        ),
        Wrong(
            averaged_over_the_maps,
            why="The mean was taken over the maps, the last axis. That leaves one weight a place; "
            "one weight a map is wanted.",
            do="Average over height and width, axes 1 and 2.",
            idea="over the maps",
        ),
        Wrong(
            averaged_over_the_batch,
            why="The mean runs over the batch as well, so all pictures share their weights, and a "
            "picture's heat depends on its neighbours.",
            do="Leave axis 0 out: average over axes 1 and 2 only.",
            idea="over the batch",
        ),
        Wrong(
            mean_of_the_maps,
            why="The weighted maps were averaged. Equation 2 of the paper adds them up, so the "
            "numbers are too small by the number of maps.",
            do="Use `tf.reduce_sum` over the last axis.",
            idea="too small by the number of maps",
        ),
    ],
)

# --- saliency -----------------------------------------------------------------------------


def a_model(channels=2):
    """Three scores from pictures of 3×3, curved, with weights that look like nothing special."""
    model = keras.Sequential([
        keras.Input((3, 3, channels)),
        keras.layers.Conv2D(2, 2, activation="tanh"),
        keras.layers.Flatten(),
        keras.layers.Dense(3),
    ])  # fmt: skip
    shapes = [weight.shape for weight in model.weights]
    sizes = [int(np.prod(shape)) for shape in shapes]
    model.set_weights([
        np.sin(np.arange(1, size + 1) * (k + 1.3)).reshape(shape)
        for k, (size, shape) in enumerate(zip(sizes, shapes, strict=True))
    ])  # fmt: skip
    return model


def pictures(n, channels=2):
    numbers = np.cos(np.arange(n * 9 * channels) * 0.9) ** 2
    return tf.constant(numbers.reshape(n, 3, 3, channels), tf.float32)


def two_pictures():
    return a_model(), pictures(2), [2, 0]


def saliency_start(model, images, classes):
    images = tf.convert_to_tensor(images)
    with tf.GradientTape() as tape:
        tape.watch(images)
        scores = tf.constant(model.predict(images, verbose=0))
        chosen = tf.gather(scores, classes, batch_dims=1)
    gradient = tape.gradient(chosen, images)
    return tf.reduce_max(tf.abs(gradient), axis=-1)


def with_one_hot(model, images, classes):
    x = tf.Variable(images)
    with tf.GradientTape() as tape:
        score = tf.reduce_sum(model(x) * tf.one_hot(classes, 3))
    return np.abs(tape.gradient(score, x)).max(axis=-1)


def one_tape_a_picture(model, images, classes):
    found = []
    for image, k in zip(tf.convert_to_tensor(images), classes, strict=True):
        with tf.GradientTape(watch_accessed_variables=False) as tape:
            tape.watch(image)
            score = model(image[None])[0, k]
        g = tape.gradient(score, image)
        found.append(tf.reduce_max(tf.maximum(g, -g), axis=-1))
    return tf.stack(found)


def never_watched(model, images, classes):
    images = tf.convert_to_tensor(images)
    with tf.GradientTape() as tape:
        scores = model(images)
        chosen = tf.gather(scores, classes, batch_dims=1)
    gradient = tape.gradient(chosen, images)
    return tf.reduce_max(tf.abs(gradient), axis=-1)


def of_the_probability(model, images, classes):
    images = tf.convert_to_tensor(images)
    with tf.GradientTape() as tape:
        tape.watch(images)
        scores = tf.nn.softmax(model(images))
        chosen = tf.gather(scores, classes, batch_dims=1)
    gradient = tape.gradient(chosen, images)
    return tf.reduce_max(tf.abs(gradient), axis=-1)


def of_the_loss(model, images, classes):
    images = tf.convert_to_tensor(images)
    with tf.GradientTape() as tape:
        tape.watch(images)
        loss = keras.losses.sparse_categorical_crossentropy(
            tf.constant(classes), model(images), from_logits=True
        )
    gradient = tape.gradient(loss, images)
    return tf.reduce_max(tf.abs(gradient), axis=-1)


def of_the_largest_score(model, images, classes):
    images = tf.convert_to_tensor(images)
    with tf.GradientTape() as tape:
        tape.watch(images)
        chosen = tf.reduce_max(model(images), axis=-1)
    gradient = tape.gradient(chosen, images)
    return tf.reduce_max(tf.abs(gradient), axis=-1)


def of_all_scores(model, images, classes):
    images = tf.convert_to_tensor(images)
    with tf.GradientTape() as tape:
        tape.watch(images)
        scores = model(images)
    gradient = tape.gradient(scores, images)
    return tf.reduce_max(tf.abs(gradient), axis=-1)


def signed(model, images, classes):
    images = tf.convert_to_tensor(images)
    with tf.GradientTape() as tape:
        tape.watch(images)
        chosen = tf.gather(model(images), classes, batch_dims=1)
    return tf.reduce_max(tape.gradient(chosen, images), axis=-1)


def mean_score(model, images, classes):
    images = tf.convert_to_tensor(images)
    with tf.GradientTape() as tape:
        tape.watch(images)
        chosen = tf.reduce_mean(tf.gather(model(images), classes, batch_dims=1))
    gradient = tape.gradient(chosen, images)
    return tf.reduce_max(tf.abs(gradient), axis=-1)


def added_over_the_batch(model, images, classes):
    images = tf.convert_to_tensor(images)
    with tf.GradientTape() as tape:
        tape.watch(images)
        chosen = tf.gather(model(images), classes, batch_dims=1)
    gradient = tape.gradient(chosen, images)
    return tf.reduce_max(tf.reduce_sum(tf.abs(gradient), axis=0), axis=-1)


SALIENCY = Task(
    function=reference.saliency,
    kind="repair",
    minutes=7,
    points=5,
    start=saliency_start,
    probes=[
        Probe("two pictures with two channels", two_pictures, rtol=1e-4),
        Probe(
            "one picture in grey, class 1",
            lambda: (a_model(1), pictures(1, 1), [1]),
            rtol=1e-4,
        ),
        Probe(
            "a NumPy array, class 0 for both",
            lambda: (a_model(), pictures(2).numpy()[::-1].copy(), np.array([0, 0])),
            rtol=1e-4,
        ),
    ],
    hints=(
        "What kind of object does `model.predict` return, and what does a tape know about it?",
        "The line that computes `scores`. Which other way is there to run a Keras model?",
        "`scores = model(images)` inside the block; nothing else changes.",
    ),
    right=[with_one_hot, one_tape_a_picture],
    wrong=[
        Wrong(
            saliency_start,
            cause="left_tensorflow",
            why="`model.predict` returns a NumPy array. The tape recorded nothing between the "
            "pictures and the scores, so the gradient is None and `tf.abs` refuses it.",
            do="Call the model itself: `model(images)`.",
            idea="returns a NumPy array",
        ),
        Wrong(
            never_watched,
            cause="unwatched",
            why="The pictures are a plain tensor, and the tape was never told to watch them: the "
            "gradient is None.",
            do="Add `tape.watch(images)` before the model is called.",
            idea="never told to watch",
        ),
        Wrong(
            of_the_probability,
            cause="zeros_saturated",
            why="This is the gradient of the probability. A softmax mixes the other classes in, "
            "and it shrinks the gradient to nothing where the network is sure.",
            do="Take the class's score as the model returns it, without a softmax.",
            idea="gradient of the probability",
        ),
        Wrong(
            of_the_loss,
            why="This is the gradient of the loss. It holds all classes' scores, weighted by "
            "their probabilities, and vanishes where the network is right.",
            do="Differentiate the class's score: `tf.gather(scores, classes, batch_dims=1)`.",
            idea="gradient of the loss",
        ),
        Wrong(
            of_the_largest_score,
            why="You explained the class that the network prefers. The question names a class for "
            "each picture, and it may be another.",
            do="Take the score of `classes`, not the largest one.",
            idea="the class that the network prefers",
        ),
        Wrong(
            of_all_scores,
            cause="summed",
            why="The target holds every class's score, and the tape differentiates their sum.",
            do="Choose one score a picture: `tf.gather(scores, classes, batch_dims=1)`.",
            idea="every class's score",
        ),
        Wrong(
            signed,
            why="The gradient has a sign here, and a pixel that should be darker counts less than "
            "one that does not matter. Saliency asks how strongly the score reacts.",
            do="Take `tf.abs` before the largest over the channels.",
            idea="has a sign",
        ),
        Wrong(
            mean_score,
            why="The target is the mean over the batch, so each picture's gradient is divided by "
            "the number of pictures.",
            do="Pass the scores themselves, or their sum.",
            idea="divided by the number of pictures",
        ),
        Wrong(
            added_over_the_batch,
            why="The pictures' maps were added into one. Each picture has a map of its own.",
            do="Reduce the last axis only, the channels.",
            idea="added into one",
        ),
    ],
)

# --- integrated_gradients -----------------------------------------------------------------


def all_steps_in_one_batch(model, images, classes, steps=64):
    images = tf.convert_to_tensor(images)
    n = images.shape[0]
    parts = (tf.range(steps, dtype=images.dtype) + 0.5) / steps
    path = tf.reshape(parts[:, None, None, None, None] * images, (-1, *images.shape[1:]))
    with tf.GradientTape() as tape:
        tape.watch(path)
        scores = tf.gather(model(path), np.tile(classes, steps), batch_dims=1)
    gradients = tf.reshape(tape.gradient(scores, path), (steps, n, *images.shape[1:]))
    return images * tf.reduce_mean(gradients, axis=0)


def in_numpy(model, images, classes, steps=64):
    images, gradients = np.asarray(images), []
    for part in np.linspace(0.5 / steps, 1 - 0.5 / steps, steps):
        x = tf.Variable(images * np.float32(part))
        with tf.GradientTape() as tape:
            score = tf.reduce_sum(model(x) * tf.one_hot(classes, 3))
        gradients.append(tape.gradient(score, x).numpy())
    return images * np.mean(gradients, axis=0)


def _integrated(model, images, classes, steps, parts=None, after=lambda scores: scores):
    images = tf.convert_to_tensor(images)
    total = tf.zeros_like(images)
    for k in range(steps):
        x = images * ((k + 0.5) / steps if parts is None else parts(k))
        with tf.GradientTape() as tape:
            tape.watch(x)
            chosen = tf.gather(after(model(x)), classes, batch_dims=1)
        total += tape.gradient(chosen, x)
    return images, total


def gradient_times_input(model, images, classes, steps=64):
    images = tf.convert_to_tensor(images)
    with tf.GradientTape() as tape:
        tape.watch(images)
        chosen = tf.gather(model(images), classes, batch_dims=1)
    return images * tape.gradient(chosen, images)


def not_multiplied(model, images, classes, steps=64):
    _, total = _integrated(model, images, classes, steps)
    return total / steps


def not_divided(model, images, classes, steps=64):
    images, total = _integrated(model, images, classes, steps)
    return images * total


def from_the_left(model, images, classes, steps=64):
    images, total = _integrated(model, images, classes, steps, parts=lambda k: k / steps)
    return images * total / steps


def of_the_probabilities(model, images, classes, steps=64):
    images, total = _integrated(model, images, classes, steps, after=tf.nn.softmax)
    return images * total / steps


def with_respect_to_the_picture(model, images, classes, steps=64):
    images = tf.convert_to_tensor(images)
    total = tf.zeros_like(images)
    for k in range(steps):
        with tf.GradientTape() as tape:
            tape.watch(images)
            x = images * ((k + 0.5) / steps)
            chosen = tf.gather(model(x), classes, batch_dims=1)
        total += tape.gradient(chosen, images)
    return images * total / steps


def predicts_on_the_way(model, images, classes, steps=64):
    images = tf.convert_to_tensor(images)
    total = tf.zeros_like(images)
    for k in range(steps):
        x = images * ((k + 0.5) / steps)
        with tf.GradientTape() as tape:
            tape.watch(x)
            chosen = tf.reduce_max(model(x), axis=-1)
        total += tape.gradient(chosen, x)
    return images * total / steps


INTEGRATED_GRADIENTS = Task(
    function=reference.integrated_gradients,
    kind="write",
    minutes=15,
    points=6,
    probes=[
        Probe("two pictures, four steps", lambda: (*two_pictures(), 4), rtol=1e-4),
        Probe(
            "one picture in grey, three steps",
            lambda: (a_model(1), pictures(1, 1), [1], 3),
            rtol=1e-4,
        ),
        Probe("one step", lambda: (a_model(), pictures(2), [1, 1], 1), rtol=1e-4),
    ],
    hints=(
        "At which points on the way from black to the picture are the gradients taken, and with "
        "respect to what?",
        "For each k, make `x = images * ((k + 0.5) / steps)` before the tape, watch `x`, and ask "
        "for the gradient with respect to `x`.",
        "Add the gradients up in a loop over `range(steps)`; in the end return "
        "`images * total / steps`.",
    ),
    right=[all_steps_in_one_batch, in_numpy],
    wrong=[
        Wrong(
            gradient_times_input,
            why="This is the gradient at the picture itself, times the picture. Where the score "
            "is flat at the end of the way, it forgets what happened before.",
            do="Average the gradients at `steps` points between black and the picture.",
            idea="at the picture itself",
        ),
        Wrong(
            not_multiplied,
            why="This is the mean gradient along the way. It says how steep the way is, not what "
            "each pixel added: black pixels add nothing.",
            do="Multiply the mean by the picture.",
            idea="not what each pixel added",
        ),
        Wrong(
            not_divided,
            why="The gradients were added and not averaged, so everything is too large by the "
            "number of steps.",
            do="Divide the total by `steps`.",
            idea="too large by the number of steps",
        ),
        Wrong(
            from_the_left,
            why="These points are the left ends of the steps: the first one is the black picture, "
            "and none is beyond the last step's start. That sum is less exact.",
            do="Take the middle of each step, `(k + 0.5) / steps`.",
            idea="left ends of the steps",
        ),
        Wrong(
            of_the_probabilities,
            cause="zeros_saturated",
            why="A softmax stands between: this explains the probability. On the later part of "
            "the way it is saturated, and its gradient is close to zero.",
            do="Take the class's score as the model returns it.",
            idea="explains the probability",
        ),
        Wrong(
            with_respect_to_the_picture,
            why="The gradient was taken with respect to the picture and not to the point on the "
            "way. The chain rule then multiplies each by its (k + 0.5) / steps.",
            do="Make `x` before the tape opens, watch `x`, and ask for the gradient of `x`.",
            idea="chain rule",
        ),
        Wrong(
            predicts_on_the_way,
            why="At each point you explain the class that is largest there. That may be another "
            "one at every step, and it need not be the one in `classes`.",
            do="Take the score of `classes` at every point.",
            idea="largest there",
        ),
    ],
)

TASKS = [HEAT_MAP, SALIENCY, INTEGRATED_GRADIENTS]
