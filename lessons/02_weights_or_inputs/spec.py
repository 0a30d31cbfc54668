"""The exercise of `weights_or_inputs`: probes, points, and what people write instead."""

import keras
import numpy as np
import tensorflow as tf

from classroom.spec import Probe, Task, Wrong
from solutions import weights_or_inputs as reference

# --- models and targets for the probes ----------------------------------------------------


def waves(shape, dtype=None):
    """An initializer with the same, all different, numbers on every machine."""
    count = int(np.prod(shape))
    return tf.reshape(tf.cast(tf.sin(1.0 + tf.range(count, dtype=tf.float32)), dtype), shape)


def dense(units, name, **options):
    return keras.layers.Dense(
        units, kernel_initializer=waves, bias_initializer=waves, name=name, **options
    )


def conv(filters, name):
    return keras.layers.Conv2D(
        filters,
        2,
        activation="softplus",
        kernel_initializer=waves,
        bias_initializer=waves,
        name=name,
    )


def two_layers():
    return keras.Sequential(
        [keras.Input((3,)), dense(2, "hidden", activation="tanh"), dense(4, "scores")]
    )


def not_built_yet():
    return keras.Sequential([dense(2, "hidden", activation="tanh"), dense(4, "scores")])


def with_batch_norm():
    return keras.Sequential(
        [keras.Input((3,)), keras.layers.BatchNormalization(name="norm"), dense(2, "scores")]
    )


def image_model():
    return keras.Sequential(
        [
            keras.Input((4, 4, 2)),
            conv(3, "conv1"),
            conv(2, "conv2"),
            keras.layers.Flatten(name="flatten"),
            dense(3, "scores"),
        ]
    )


def rows():
    return tf.constant([[0.5, -1.0, 2.0], [1.5, 0.25, -0.75]])


def images(count=1):
    return waves((count, 4, 4, 2), tf.float32)


def cross_entropy(*labels):
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    return lambda output: loss(tf.constant(labels), output)


def sum_of_squares(output):
    return tf.reduce_sum(output**2)


# --- gradient_wrt_input -------------------------------------------------------------------


def gradient_wrt_input_start(model, x, target):
    x = tf.convert_to_tensor(x)
    with tf.GradientTape() as tape:
        tape.watch(x)
        value = target(model(x))
    return tape.gradient(value, model.trainable_variables)


def input_as_a_variable(model, x, target):
    pixels = tf.Variable(x)
    with tf.GradientTape() as tape:
        value = target(model(pixels))
    return tape.gradient(value, pixels)


def both_in_one_call(model, x, target):
    with tf.GradientTape() as tape:
        tape.watch(x)
        total = tf.reduce_sum(target(model(x)))
    return tape.gradient(total, {"weights": model.trainable_variables, "input": x})["input"]


def first_of_the_weights(model, x, target):
    with tf.GradientTape() as tape:
        tape.watch(x)
        value = target(model(x))
    return tape.gradient(value, model.trainable_variables)[0]


def input_never_watched(model, x, target):
    with tf.GradientTape() as tape:
        value = target(model(x))
    return tape.gradient(value, x)


def symbolic_input(model, x, target):
    with tf.GradientTape() as tape:
        tape.watch(x)
        value = target(model(x))
    return tape.gradient(value, model.inputs[0])


def output_as_the_source(model, x, target):
    with tf.GradientTape() as tape:
        output = model(x)
        tape.watch(output)
        value = target(output)
    return tape.gradient(value, output)


def output_as_the_target(model, x, target):
    with tf.GradientTape() as tape:
        tape.watch(x)
        output = model(x)
    return tape.gradient(output, x)


GRADIENT_WRT_INPUT = Task(
    function=reference.gradient_wrt_input,
    kind="repair",
    minutes=5,
    points=4,
    start=gradient_wrt_input_start,
    probes=[
        Probe("two rows of features", lambda: (two_layers(), rows(), sum_of_squares)),
        Probe("an image and a loss", lambda: (image_model(), images(), cross_entropy(2))),
        Probe("two images, one score", lambda: (image_model(), images(2), lambda s: s[:, 1])),
    ],
    hints=(
        "What shape should the answer have, and what shapes do you get?",
        "A tape is watching all you need. Which argument says what you ask *about*?",
        "The second argument of `tape.gradient` is the source: name `x` there.",
    ),
    right=[input_as_a_variable, both_in_one_call],
    wrong=[
        Wrong(
            gradient_wrt_input_start,
            why="You asked about `model.trainable_variables`, so you got one gradient for each "
            "weight, in the weights' shapes. The tape answers for the sources you name.",
            do="Pass `x` as the second argument of `tape.gradient`.",
            idea="one gradient for each weight",
        ),
        Wrong(
            first_of_the_weights,
            why="This is the gradient of the first weight in the model, its first layer's "
            "kernel. No entry of that list belongs to the input.",
            do="Pass `x`, not the list of weights, as the second argument of `tape.gradient`.",
            idea="No entry of that list belongs to the input",
        ),
        Wrong(
            input_never_watched,
            cause="unwatched",
            why="The source is right now, but `x` is a plain tensor and the tape was never told "
            "to watch it; only trainable variables are watched by themselves.",
            do="Keep `tape.watch(x)` as the block's first line.",
            idea="never told to watch",
        ),
        Wrong(
            symbolic_input,
            cause="symbolic",
            why="`model.inputs` describes the shape of what the model will be given. It is a "
            "placeholder without numbers, not the tensor `x` that went through the model.",
            do="Pass `x` itself as the second argument of `tape.gradient`.",
            idea="placeholder without numbers",
        ),
        Wrong(
            output_as_the_source,
            why="This is the gradient with respect to the model's output: it stops before the "
            "model, and knows nothing of the input.",
            do="Watch `x`, and pass `x` as the second argument of `tape.gradient`.",
            idea="it stops before the model",
        ),
        Wrong(
            output_as_the_target,
            why="You differentiated the sum of all the model's outputs. The question is about "
            "`target` of that output, and `target` was never called.",
            do="Compute `value = target(model(x))` in the block and differentiate `value`.",
            idea="`target` was never called",
        ),
    ],
)

# --- named_layer_gradients ----------------------------------------------------------------


def found_by_a_loop(model, layer_name, x, target):
    with tf.GradientTape() as tape:
        total = tf.reduce_sum(target(model(x)))
    for layer in model.layers:
        if layer.name == layer_name:
            return tape.gradient(total, layer.trainable_weights)
    raise ValueError(layer_name)


def watching_one_layer_only(model, layer_name, x, target):
    model(x)
    variables = model.get_layer(layer_name).trainable_variables
    with tf.GradientTape(watch_accessed_variables=False) as tape:
        tape.watch([variable.value for variable in variables])
        value = target(model(x))
    return tape.gradient(value, variables)


def every_layer(model, layer_name, x, target):
    with tf.GradientTape() as tape:
        value = target(model(x))
    return tape.gradient(value, model.trainable_variables)


def statistics_too(model, layer_name, x, target):
    with tf.GradientTape() as tape:
        value = target(model(x))
    return tape.gradient(value, model.get_layer(layer_name).weights)


def numpy_weights(model, layer_name, x, target):
    with tf.GradientTape() as tape:
        value = target(model(x))
    return tape.gradient(value, model.get_layer(layer_name).get_weights())


def layer_output(model, layer_name, x, target):
    with tf.GradientTape() as tape:
        value = target(model(x))
    return tape.gradient(value, model.get_layer(layer_name).output)


def variables_before_the_call(model, layer_name, x, target):
    variables = model.get_layer(layer_name).trainable_variables
    with tf.GradientTape() as tape:
        value = target(model(x))
    return tape.gradient(value, variables)


def called_before_the_block(model, layer_name, x, target):
    output = model(x)
    with tf.GradientTape() as tape:
        value = target(output)
    return tape.gradient(value, model.get_layer(layer_name).trainable_variables)


def kernel_only(model, layer_name, x, target):
    with tf.GradientTape() as tape:
        value = target(model(x))
    return tape.gradient(value, model.get_layer(layer_name).kernel)


def of_the_input(model, layer_name, x, target):
    with tf.GradientTape() as tape:
        tape.watch(x)
        value = target(model(x))
    return tape.gradient(value, x)


NAMED_LAYER_GRADIENTS = Task(
    function=reference.named_layer_gradients,
    kind="write",
    minutes=8,
    points=5,
    probes=[
        Probe(
            "the second convolution of an image model",
            lambda: (image_model(), "conv2", images(2), cross_entropy(2, 0)),
        ),
        Probe(
            "a layer with moving statistics",
            lambda: (with_batch_norm(), "norm", rows(), sum_of_squares),
        ),
        Probe(
            "a model that was never called",
            lambda: (not_built_yet(), "hidden", rows(), cross_entropy(3, 1)),
        ),
    ],
    hints=(
        "Which object knows the weights of one layer, and how do you get it by its name?",
        "`model.get_layer(name)` gives the layer. It has several lists: which of them holds the "
        "weights that training changes, and when is it filled?",
        "Call the model in the block, then `tape.gradient(value, "
        "model.get_layer(layer_name).trainable_variables)`.",
    ),
    right=[found_by_a_loop, watching_one_layer_only],
    wrong=[
        Wrong(
            every_layer,
            why="These are the gradients of every layer's weights. The task names one layer.",
            do="Pass `model.get_layer(layer_name).trainable_variables` as the sources.",
            idea="every layer's weights",
        ),
        Wrong(
            statistics_too,
            cause="non_trainable",
            why="`weights` also lists what training does not touch: a BatchNormalization keeps "
            "its moving mean and variance there. The tape does not watch them, hence the None.",
            do="Use the layer's `trainable_variables`.",
            idea="moving mean and variance",
        ),
        Wrong(
            numpy_weights,
            cause="left_tensorflow",
            why="`get_weights()` returns NumPy copies of the numbers. The tape saw the layer's "
            "variables, never these copies.",
            do="Use the layer's `trainable_variables`.",
            idea="NumPy copies",
        ),
        Wrong(
            layer_output,
            cause="symbolic",
            why="`layer.output` is neither the layer's weights nor the numbers that came out of "
            "it: it is the model's drawing of a tensor, without values.",
            do="Use the layer's `trainable_variables`.",
            idea="neither the layer's weights",
        ),
        Wrong(
            variables_before_the_call,
            cause="never_called",
            why="You listed the layer's variables before the model was called. A layer makes its "
            "weights at its first call, so the list was still empty.",
            do="Ask for `trainable_variables` after `model(x)`.",
            idea="at its first call",
        ),
        Wrong(
            called_before_the_block,
            cause="outside_tape",
            why="The model ran before the block, while no tape was recording. From `output` on, "
            "nothing leads back to a weight.",
            do="Call `model(x)` inside the block.",
            idea="no tape was recording",
        ),
        Wrong(
            kernel_only,
            why="The kernel is only one of a layer's weights: a Dense layer has a bias, too, and "
            "a BatchNormalization has no kernel at all.",
            do="Pass the whole list `trainable_variables`; a list of gradients comes back.",
            idea="only one of a layer's weights",
        ),
        Wrong(
            of_the_input,
            why="This is the gradient of the input. It tells which inputs matter; the task asks "
            "how one layer's weights should change.",
            do="Pass the layer's `trainable_variables` as the sources.",
            idea="gradient of the input",
        ),
    ],
)

# --- saliency_map -------------------------------------------------------------------------


def largest_channel_by_numpy(model, images, class_index):
    with tf.GradientTape() as tape:
        tape.watch(images)
        scores = model(images)[:, class_index]
    return np.abs(tape.gradient(scores, images).numpy()).max(axis=3)


def one_image_at_a_time(model, images, class_index):
    maps = []
    for image in tf.unstack(images):
        batch = tf.Variable(image[tf.newaxis])
        with tf.GradientTape() as tape:
            score = model(batch)[0, class_index]
        maps.append(tf.reduce_max(tf.abs(tape.gradient(score, batch)[0]), axis=-1))
    return tf.stack(maps)


def map_of_the_weights(model, images, class_index):
    with tf.GradientTape() as tape:
        score = model(images)[:, class_index]
    gradient = tape.gradient(score, model.trainable_variables)[0]
    return tf.reduce_max(tf.abs(gradient), axis=-1)


def sign_is_kept(model, images, class_index):
    with tf.GradientTape() as tape:
        tape.watch(images)
        score = model(images)[:, class_index]
    return tf.reduce_max(tape.gradient(score, images), axis=-1)


def all_classes(model, images, class_index):
    with tf.GradientTape() as tape:
        tape.watch(images)
        scores = model(images)
    return tf.reduce_max(tf.abs(tape.gradient(scores, images)), axis=-1)


def predicted_class(model, images, class_index):
    with tf.GradientTape() as tape:
        tape.watch(images)
        score = tf.reduce_max(model(images), axis=-1)
    return tf.reduce_max(tf.abs(tape.gradient(score, images)), axis=-1)


def mean_over_channels(model, images, class_index):
    with tf.GradientTape() as tape:
        tape.watch(images)
        score = model(images)[:, class_index]
    return tf.reduce_mean(tf.abs(tape.gradient(score, images)), axis=-1)


def sum_over_channels(model, images, class_index):
    with tf.GradientTape() as tape:
        tape.watch(images)
        score = model(images)[:, class_index]
    return tf.reduce_sum(tf.abs(tape.gradient(score, images)), axis=-1)


def channels_kept(model, images, class_index):
    with tf.GradientTape() as tape:
        tape.watch(images)
        score = model(images)[:, class_index]
    return tf.abs(tape.gradient(score, images))


def stretched(model, images, class_index):
    with tf.GradientTape() as tape:
        tape.watch(images)
        score = model(images)[:, class_index]
    saliency = tf.reduce_max(tf.abs(tape.gradient(score, images)), axis=-1)
    return saliency / tf.reduce_max(saliency)


def first_image_only(model, images, class_index):
    with tf.GradientTape() as tape:
        tape.watch(images)
        score = model(images)[0, class_index]
    return tf.reduce_max(tf.abs(tape.gradient(score, images)), axis=-1)


SALIENCY_MAP = Task(
    function=reference.saliency_map,
    kind="write",
    minutes=10,
    points=6,
    probes=[
        Probe("one image, class 0", lambda: (image_model(), images(), 0)),
        Probe("one image, class 2", lambda: (image_model(), images(), 2)),
        Probe("two images, class 1", lambda: (image_model(), images(2), 1)),
    ],
    hints=(
        "A saliency map says how much each pixel matters. Which source has one number a pixel?",
        "Watch the images, differentiate column `class_index` of the scores, then fold the last "
        "axis: what should happen to the sign, and what to several channels?",
        "`tf.reduce_max(tf.abs(gradient), axis=-1)`, with the gradient of "
        "`model(images)[:, class_index]` with respect to the watched `images`.",
    ),
    right=[largest_channel_by_numpy, one_image_at_a_time],
    wrong=[
        Wrong(
            map_of_the_weights,
            why="This map is made of the first layer's kernel gradient: it shows how the filter "
            "should change, and has the kernel's height and width. A saliency map needs the "
            "gradient with respect to the image.",
            do="Watch `images` before the model is called and make them the source.",
            idea="how the filter should change",
        ),
        Wrong(
            sign_is_kept,
            why="A pixel that lowers the score matters as much as one that raises it. Without "
            "`tf.abs` the largest channel is the most positive one.",
            do="Take `tf.abs` of the gradient before the maximum over the channels.",
            idea="A pixel that lowers the score matters",
        ),
        Wrong(
            all_classes,
            cause="summed",
            why="The target is the whole row of scores, and a tape adds them up. The map "
            "then shows what moves the sum of all classes.",
            do="Differentiate `model(images)[:, class_index]`, one column.",
            idea="sum of all classes",
        ),
        Wrong(
            predicted_class,
            why="This explains the class with the highest score, whichever it is. The question "
            "names a class.",
            do="Differentiate `model(images)[:, class_index]`.",
            idea="class with the highest score",
        ),
        Wrong(
            mean_over_channels,
            why="You averaged the channels: one strong channel is then hidden by a weak one. The "
            "map asks for the strongest.",
            do="Use `tf.reduce_max` over the last axis.",
            idea="You averaged the channels",
        ),
        Wrong(
            sum_over_channels,
            why="You added the channels up, so a pixel grows brighter with every channel it has. "
            "The map asks for the strongest one.",
            do="Use `tf.reduce_max` over the last axis.",
            idea="You added the channels up",
        ),
        Wrong(
            channels_kept,
            why="There is still one number a channel. A map has one number a pixel.",
            do="Take the maximum over the last axis: `tf.reduce_max(…, axis=-1)`.",
            idea="one number a channel",
        ),
        Wrong(
            stretched,
            why="You stretched the map to the range 0 to 1. That is for showing it; the numbers "
            "no longer say how far the score moves.",
            do="Return the map as it is and scale it where you plot it.",
            idea="stretched the map",
        ),
        Wrong(
            first_image_only,
            why="Index 0 picks the first image of the batch, so every other image's map is zero: "
            "its score was not asked about.",
            do="Keep the batch axis: `model(images)[:, class_index]`.",
            idea="first image of the batch",
        ),
    ],
)

# --- descent_step -------------------------------------------------------------------------


def assigned_by_hand(model, x, target, learning_rate):
    with tf.GradientTape() as tape:
        before = tf.reduce_sum(target(model(x)))
    for variable, gradient in zip(
        model.trainable_variables,
        tape.gradient(before, model.trainable_variables),
        strict=True,
    ):
        variable.assign_sub(learning_rate * gradient)
    return before, tf.reduce_sum(target(model(x)))


def by_an_optimizer(model, x, target, learning_rate):
    optimizer = keras.optimizers.SGD(learning_rate=learning_rate)

    def total():
        return tf.reduce_sum(target(model(x)))

    with tf.GradientTape() as tape:
        first = total()
    gradients = tape.gradient(first, model.trainable_weights)
    optimizer.apply(gradients, model.trainable_weights)
    return [first, total()]


def step_on_the_input(model, x, target, learning_rate):
    x = tf.convert_to_tensor(x)
    with tf.GradientTape() as tape:
        tape.watch(x)
        before = tf.reduce_sum(target(model(x)))
    x = x - learning_rate * tape.gradient(before, x)
    return before, tf.reduce_sum(target(model(x)))


def uphill(model, x, target, learning_rate):
    with tf.GradientTape() as tape:
        before = tf.reduce_sum(target(model(x)))
    gradients = tape.gradient(before, model.trainable_variables)
    for variable, gradient in zip(model.trainable_variables, gradients, strict=True):
        variable.assign_add(learning_rate * gradient)
    return before, tf.reduce_sum(target(model(x)))


def gradients_never_applied(model, x, target, learning_rate):
    optimizer = keras.optimizers.SGD(learning_rate)
    with tf.GradientTape() as tape:
        before = tf.reduce_sum(target(model(x)))
    tape.gradient(before, model.trainable_variables)
    optimizer.build(model.trainable_variables)
    return before, tf.reduce_sum(target(model(x)))


def after_is_before(model, x, target, learning_rate):
    with tf.GradientTape() as tape:
        value = target(model(x))
        before = tf.reduce_sum(value)
    gradients = tape.gradient(before, model.trainable_variables)
    keras.optimizers.SGD(learning_rate).apply_gradients(
        zip(gradients, model.trainable_variables, strict=True)
    )
    after = tf.reduce_sum(value)
    return before, after


def never_summed(model, x, target, learning_rate):
    with tf.GradientTape() as tape:
        before = target(model(x))
    gradients = tape.gradient(before, model.trainable_variables)
    keras.optimizers.SGD(learning_rate).apply_gradients(
        zip(gradients, model.trainable_variables, strict=True)
    )
    return before, target(model(x))


def pairs_swapped(model, x, target, learning_rate):
    with tf.GradientTape() as tape:
        before = tf.reduce_sum(target(model(x)))
    gradients = tape.gradient(before, model.trainable_variables)
    keras.optimizers.SGD(learning_rate).apply_gradients(
        zip(model.trainable_variables, gradients, strict=True)
    )
    return before, tf.reduce_sum(target(model(x)))


def adam_instead(model, x, target, learning_rate):
    with tf.GradientTape() as tape:
        before = tf.reduce_sum(target(model(x)))
    gradients = tape.gradient(before, model.trainable_variables)
    keras.optimizers.Adam(learning_rate).apply_gradients(
        zip(gradients, model.trainable_variables, strict=True)
    )
    return before, tf.reduce_sum(target(model(x)))


def last_layer_only(model, x, target, learning_rate):
    weights = model.layers[-1].trainable_variables
    with tf.GradientTape() as tape:
        before = tf.reduce_sum(target(model(x)))
    gradients = tape.gradient(before, weights)
    keras.optimizers.SGD(learning_rate).apply_gradients(zip(gradients, weights, strict=True))
    return before, tf.reduce_sum(target(model(x)))


def optimizer_on_the_input(model, x, target, learning_rate):
    with tf.GradientTape() as tape:
        tape.watch(x)
        before = tf.reduce_sum(target(model(x)))
    gradient = tape.gradient(before, x)
    keras.optimizers.SGD(learning_rate).apply_gradients([(gradient, x)])
    return before, tf.reduce_sum(target(model(x)))


def squared_error(output):
    return (output - 0.5) ** 2


DESCENT_STEP = Task(
    function=reference.descent_step,
    kind="write",
    minutes=10,
    points=6,
    probes=[
        Probe("two rows, a loss", lambda: (two_layers(), rows(), cross_entropy(3, 1), 0.1)),
        Probe("an image, a loss", lambda: (image_model(), images(), cross_entropy(2), 0.05)),
        Probe("one error per output", lambda: (two_layers(), rows(), squared_error, 0.01)),
    ],
    hints=(
        "A step of training: what changes, the input or the model?",
        "Take the gradients of `model.trainable_variables`; each weight moves against its own. "
        "The second value needs a new call of the model.",
        "`keras.optimizers.SGD(learning_rate).apply_gradients(zip(gradients, "
        "model.trainable_variables))`, then `tf.reduce_sum(target(model(x)))` once more.",
    ),
    right=[assigned_by_hand, by_an_optimizer],
    wrong=[
        Wrong(
            step_on_the_input,
            why="You moved the input and left the model as it was. That is how an adversarial "
            "picture is made; training moves the weights.",
            do="Take the gradients of `model.trainable_variables` and change those.",
            idea="left the model as it was",
        ),
        Wrong(
            optimizer_on_the_input,
            why="An optimizer changes variables in place. `x` is a tensor, which cannot be "
            "changed, and not what training moves.",
            do="Pair the gradients of `model.trainable_variables` with these variables.",
            idea="An optimizer changes variables",
        ),
        Wrong(
            uphill,
            why="The value rises: the gradient points uphill, and you followed it.",
            do="Subtract: each weight moves by `-learning_rate * gradient`.",
            idea="points uphill",
        ),
        Wrong(
            gradients_never_applied,
            why="The gradients were computed and never applied, so both values are the same. A "
            "tape only reads; it changes no weight.",
            do="Call `optimizer.apply_gradients(zip(gradients, model.trainable_variables))`.",
            idea="never applied",
        ),
        Wrong(
            after_is_before,
            why="The second value was computed from the model's old output: a tensor does not "
            "change when a weight does.",
            do="Call `target(model(x))` again after the step.",
            idea="the model's old output",
        ),
        Wrong(
            never_summed,
            cause="summed",
            why="The step is right: a tape adds up a target of several numbers. The two values "
            "you return should be added up, too.",
            do="Return `tf.reduce_sum(target(model(x)))`, before the step and after it.",
            idea="added up, too",
        ),
        Wrong(
            pairs_swapped,
            why="The pairs are swapped: `apply_gradients` wants (gradient, variable).",
            do="Write `zip(gradients, model.trainable_variables)`.",
            idea="pairs are swapped",
        ),
        Wrong(
            adam_instead,
            why="Adam rescales each gradient: its first step has about the length of the "
            "learning rate, whatever the gradient is. Plain descent keeps the gradient's size.",
            do="Use `keras.optimizers.SGD(learning_rate)`.",
            idea="Adam rescales",
        ),
        Wrong(
            last_layer_only,
            why="Only the last layer moved. The step is for all of the model's trainable weights.",
            do="Use `model.trainable_variables` as the sources.",
            idea="Only the last layer",
        ),
    ],
)

TASKS = [GRADIENT_WRT_INPUT, NAMED_LAYER_GRADIENTS, SALIENCY_MAP, DESCENT_STEP]
