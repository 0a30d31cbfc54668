"""The exercise of `not_none_but_wrong`: probes, points, and what people write instead."""

import keras
import numpy as np
import tensorflow as tf

from classroom.spec import Probe, Task, Wrong
from solutions import not_none_but_wrong as reference

# --- cross_entropy_gradient ---------------------------------------------------------------


def cross_entropy_start(logits, labels):
    with tf.GradientTape() as tape:
        tape.watch(logits)
        probabilities = tf.nn.softmax(logits)
        logs = tf.math.log(probabilities + 1e-10)
        loss = -tf.reduce_mean(tf.reduce_sum(labels * logs, axis=-1))
    return loss, tape.gradient(loss, logits)


def by_logsumexp(logits, labels):
    with tf.GradientTape() as tape:
        tape.watch(logits)
        logs = logits - tf.reduce_logsumexp(logits, axis=-1, keepdims=True)
        loss = -tf.reduce_sum(labels * logs) / logits.shape[0]
    return loss, tape.gradient(loss, logits)


def fused_and_padding_masked(logits, labels):
    with tf.GradientTape() as tape:
        tape.watch(logits)
        weight = tf.reduce_sum(labels, axis=-1)
        per_row = tf.nn.softmax_cross_entropy_with_logits(labels, logits)
        loss = tf.reduce_mean(tf.where(weight > 0, per_row, 0))
    return loss, tape.gradient(loss, logits)


def by_hand(logits, labels):
    rows = tf.cast(tf.shape(logits)[0], logits.dtype)
    weight = tf.reduce_sum(labels, axis=-1, keepdims=True)
    loss = -tf.reduce_sum(labels * tf.nn.log_softmax(logits)) / rows
    return loss, (weight * tf.nn.softmax(logits) - labels) / rows


def nothing_added(logits, labels):
    with tf.GradientTape() as tape:
        tape.watch(logits)
        logs = tf.math.log(tf.nn.softmax(logits))
        loss = -tf.reduce_mean(tf.reduce_sum(labels * logs, axis=-1))
    return loss, tape.gradient(loss, logits)


def clipped(logits, labels):
    with tf.GradientTape() as tape:
        tape.watch(logits)
        probabilities = tf.clip_by_value(tf.nn.softmax(logits), 1e-7, 1.0)
        loss = -tf.reduce_mean(tf.reduce_sum(labels * tf.math.log(probabilities), axis=-1))
    return loss, tape.gradient(loss, logits)


def fused(logits, labels):
    with tf.GradientTape() as tape:
        tape.watch(logits)
        loss = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits(labels, logits))
    return loss, tape.gradient(loss, logits)


def softmax_twice(logits, labels):
    with tf.GradientTape() as tape:
        tape.watch(logits)
        logs = tf.nn.log_softmax(tf.nn.softmax(logits))
        loss = -tf.reduce_mean(tf.reduce_sum(labels * logs, axis=-1))
    return loss, tape.gradient(loss, logits)


def mean_over_classes_too(logits, labels):
    with tf.GradientTape() as tape:
        tape.watch(logits)
        loss = -tf.reduce_mean(labels * tf.nn.log_softmax(logits))
    return loss, tape.gradient(loss, logits)


def rows(*numbers):
    return tf.constant(numbers, tf.float32)


CROSS_ENTROPY = Task(
    function=reference.cross_entropy_gradient,
    kind="repair",
    minutes=8,
    points=4,
    start=cross_entropy_start,
    probes=[
        Probe("small logits", lambda: (rows([0.5, -1, 2], [1, 0, 0]), rows([0, 1, 0], [1, 0, 0]))),
        Probe(
            "sure and wrong, twice", lambda: (rows([-170, 200], [230, 10]), rows([1, 0], [0, 1]))
        ),
        Probe("sure and right", lambda: (rows([200, -170, 0]), rows([1, 0, 0]))),
        Probe("a padded row", lambda: (rows([0.1, 0.9], [3, 1]), rows([0, 0], [0, 1]))),
    ],
    hints=(
        "At which step does the gradient die: in the logarithm or in the softmax?",
        "TensorFlow has one function for both steps together. It takes the logits.",
        "`logs = tf.nn.log_softmax(logits)`, and leave the line above and the `1e-10` out.",
    ),
    right=[by_logsumexp, fused_and_padding_masked, by_hand],
    wrong=[
        Wrong(
            cross_entropy_start,
            cause="zeros_saturated",
            why="A softmax that is sure of itself is flat: its slope is 0, so the gradient is 0. "
            "The added `1e-10` only hides that the loss is large.",
            do="Use `tf.nn.log_softmax(logits)` in place of the two steps.",
            idea="is flat",
        ),
        Wrong(
            nothing_added,
            cause="nan",
            why="Without the small number, the logarithm of a probability that was rounded to 0 "
            "is minus infinity, and its gradient is NaN.",
            do="Do not take the logarithm of a softmax: `tf.nn.log_softmax(logits)` does both.",
            idea="rounded to 0",
        ),
        Wrong(
            clipped,
            cause="zeros_saturated",
            why="Outside its range `tf.clip_by_value` is constant, so the most wrong predictions "
            "are the ones that get no gradient.",
            do="Drop the clipping and use `tf.nn.log_softmax(logits)`.",
            idea="the most wrong predictions",
        ),
        Wrong(
            fused,
            why="The fused operation returns softmax minus labels, which is the gradient only if "
            "the labels of each row add up to 1. A padded row of zeros gets a gradient, too.",
            do="Multiply `tf.nn.log_softmax(logits)` by the labels yourself, or mask those rows.",
            idea="add up to 1",
        ),
        Wrong(
            softmax_twice,
            cause="zeros_saturated",
            why="The logits went through softmax twice: `log_softmax` expects logits, not "
            "probabilities.",
            do="Pass `logits` to `tf.nn.log_softmax`.",
            idea="softmax twice",
        ),
        Wrong(
            mean_over_classes_too,
            why="This is the mean over the classes as well: each number is too small by the "
            "number of classes.",
            do="Sum over the last axis first, then take the mean over the rows.",
            idea="mean over the classes",
        ),
    ],
)

# --- entropy_gradient ---------------------------------------------------------------------


def entropy_start(probabilities):
    with tf.GradientTape() as tape:
        tape.watch(probabilities)
        terms = probabilities * tf.math.log(probabilities)
        terms = tf.where(probabilities > 0, terms, 0)
        entropy = -tf.reduce_sum(terms, axis=-1)
    return entropy, tape.gradient(entropy, probabilities)


def two_wheres(probabilities):
    with tf.GradientTape() as tape:
        tape.watch(probabilities)
        inside = tf.where(probabilities > 0, probabilities, 1)
        entropy = -tf.reduce_sum(inside * tf.math.log(inside), axis=-1)
    return entropy, tape.gradient(entropy, probabilities)


def by_the_derivative(probabilities):
    positive = probabilities > 0
    logs = tf.math.log(tf.where(positive, probabilities, tf.ones_like(probabilities)))
    gradient = tf.where(positive, -logs - 1, tf.zeros_like(logs))
    return -tf.reduce_sum(probabilities * logs, axis=-1), gradient


def log_of_one_instead_masked(probabilities):
    mask = tf.cast(probabilities > 0, probabilities.dtype)
    with tf.GradientTape() as tape:
        tape.watch(probabilities)
        filled = probabilities * mask + (1 - mask)
        entropy = -tf.reduce_sum(mask * filled * tf.math.log(filled), axis=-1)
    return entropy, tape.gradient(entropy, probabilities)


def no_guard(probabilities):
    with tf.GradientTape() as tape:
        tape.watch(probabilities)
        entropy = -tf.reduce_sum(probabilities * tf.math.log(probabilities), axis=-1)
    return entropy, tape.gradient(entropy, probabilities)


def small_number_added(probabilities):
    with tf.GradientTape() as tape:
        tape.watch(probabilities)
        entropy = -tf.reduce_sum(probabilities * tf.math.log(probabilities + 1e-7), axis=-1)
    return entropy, tape.gradient(entropy, probabilities)


def every_gradient_cleaned(probabilities):
    entropy, gradient = entropy_start(probabilities)
    clean = tf.where(tf.reduce_any(tf.math.is_nan(gradient)), tf.zeros_like(gradient), gradient)
    return entropy, clean


def where_around_the_log(probabilities):
    with tf.GradientTape() as tape:
        tape.watch(probabilities)
        logs = tf.where(probabilities > 0, tf.math.log(probabilities), 0)
        entropy = -tf.reduce_sum(probabilities * logs, axis=-1)
    return entropy, tape.gradient(entropy, probabilities)


def sign_forgotten(probabilities):
    entropy, gradient = two_wheres(probabilities)
    return -entropy, -gradient


def clipped_probabilities(probabilities):
    with tf.GradientTape() as tape:
        tape.watch(probabilities)
        inside = tf.clip_by_value(probabilities, 0.1, 1.0)
        entropy = -tf.reduce_sum(inside * tf.math.log(inside), axis=-1)
    return entropy, tape.gradient(entropy, probabilities)


ENTROPY = Task(
    function=reference.entropy_gradient,
    kind="repair",
    minutes=8,
    points=4,
    start=entropy_start,
    probes=[
        Probe("no zeros", lambda: (rows([0.25, 0.75], [0.5, 0.5]),)),
        Probe("a sure row", lambda: (rows([1, 0, 0]),)),
        Probe("a zero, and small ones", lambda: (rows([0, 0.02, 0.98], [0.1, 0.3, 0.6]),)),
        Probe("float64", lambda: (tf.constant([[0.0, 0.3, 0.7]], tf.float64),)),
    ],
    hints=(
        "Which numbers does the logarithm see, before `tf.where` throws some of them away?",
        "Put a harmless number, 1 for a logarithm, in place of each 0 before the logarithm.",
        "`inside = tf.where(probabilities > 0, probabilities, 1)` first, and use `inside` in the "
        "product and in the logarithm.",
    ),
    right=[two_wheres, by_the_derivative, log_of_one_instead_masked],
    wrong=[
        Wrong(
            entropy_start,
            cause="nan",
            why="`tf.where` throws the bad values away, but on the way back it sends a 0 through "
            "the branch it did not take, and 0 times the infinite slope of the logarithm is NaN.",
            do="Keep the zeros away from the logarithm with another `tf.where` inside it.",
            idea="the branch it did not take",
        ),
        Wrong(
            no_guard,
            cause="nan",
            why="Without any guard, 0 times the logarithm of 0 is NaN already on the way forward.",
            do="Put 1 in place of each 0 before the logarithm.",
            idea="already on the way forward",
        ),
        Wrong(
            where_around_the_log,
            cause="nan",
            why="The guard stands around the logarithm: the logarithm still sees each 0, and its "
            "slope there is infinite.",
            do="Put the `tf.where` into the parentheses of `tf.math.log`.",
            idea="still sees each 0",
        ),
        Wrong(
            small_number_added,
            why="The small number keeps NaN away, but the entries that are 0 now have a gradient "
            "of about 16, minus the logarithm of `1e-7`. It would drown the others.",
            do="Put 1 in place of each 0 before the logarithm, instead of adding to every entry.",
            idea="about 16",
        ),
        Wrong(
            every_gradient_cleaned,
            why="One NaN, and you throw the whole gradient away: the good entries are gone, too.",
            do="Repair the cause: the logarithm must not see a 0.",
            idea="throw the whole gradient away",
        ),
        Wrong(
            clipped_probabilities,
            cause="zeros_saturated",
            why="Clipping changes the entropy, and small probabilities, which need the gradient "
            "most, get none.",
            do="Replace exact zeros only: `tf.where(probabilities > 0, probabilities, 1)`.",
            idea="Clipping changes the entropy",
        ),
        Wrong(
            sign_forgotten,
            why="The sign is missing: entropy is minus the sum of `p * log(p)`.",
            do="Put a minus sign in front of the sum, inside the block.",
            idea="sign is missing",
        ),
    ],
)

# --- verdicts_along -----------------------------------------------------------------------


def named(gradient):
    if gradient is None:
        return "None"
    if tf.reduce_any(tf.math.is_nan(gradient)):
        return "NaN"
    if tf.reduce_any(tf.math.is_inf(gradient)):
        return "inf"
    return "value" if tf.math.count_nonzero(gradient) else "zeros"


def one_persistent_tape(steps, x):
    values = [tf.convert_to_tensor(x)]
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(values[0])
        for step in steps:
            values.append(step(values[-1]))
    return [named(tape.gradient(values[-1], value)) for value in values[:-1]]


def each_tail_alone(steps, x):
    words = []
    for first in range(len(steps)):
        with tf.GradientTape() as tape:
            tape.watch(x)
            value = x
            for step in steps[first:]:
                value = step(value)
        words.append(named(tape.gradient(value, x)))
        x = steps[first](x)
    return words


def each_step_alone(steps, x):
    words = []
    for step in steps:
        with tf.GradientTape() as tape:
            tape.watch(x)
            value = step(x)
        words.append(named(tape.gradient(value, x)))
        x = value
    return words


def at_the_outputs(steps, x):
    values = []
    with tf.GradientTape() as tape:
        tape.watch(x)
        for step in steps:
            x = step(x)
            values.append(x)
    return [named(gradient) for gradient in tape.gradient(x, values)]


def from_the_end(steps, x):
    return one_persistent_tape(steps, x)[::-1]


def nothing_watched(steps, x):
    values = [x]
    with tf.GradientTape() as tape:
        for step in steps:
            values.append(step(values[-1]))
    return [named(gradient) for gradient in tape.gradient(values[-1], values[:-1])]


def nan_counts_as_value(steps, x):
    words = one_persistent_tape(steps, x)
    return ["value" if word in ("NaN", "inf") else word for word in words]


def zeros_counted_as_none(steps, x):
    words = one_persistent_tape(steps, x)
    return ["None" if word == "zeros" else word for word in words]


def mean_is_zero(steps, x):
    values = [x]
    with tf.GradientTape() as tape:
        tape.watch(x)
        for step in steps:
            values.append(step(values[-1]))
    words = []
    for gradient in tape.gradient(values[-1], values[:-1]):
        total = None if gradient is None else tf.reduce_sum(gradient)
        words.append(named(total))
    return words


def saturated():
    x = tf.constant([[60.0, -60.0, 1.0]])
    return [lambda x: 2.0 * x, tf.nn.softmax, lambda p: tf.math.log(p + 1e-7), lambda y: y[:, 1]], x


def root_at_zero():
    return [lambda x: x - 1.0, tf.square, tf.reduce_sum, tf.sqrt], tf.constant([1.0, 1.0])


def healthy():
    return [tf.sin, tf.square], tf.constant([0.5, 1.0, -2.0])


def cut():
    return [tf.exp, tf.round, lambda x: 2.0 * x], tf.constant([0.5, 1.0])


def balanced():
    return [tf.identity, lambda x: x * tf.constant([1.0, -1.0])], tf.constant([3.0, 4.0])


VERDICTS = Task(
    function=reference.verdicts_along,
    kind="write",
    minutes=14,
    points=6,
    probes=[
        Probe("two healthy steps", healthy),
        Probe("a saturated softmax in the middle", saturated),
        Probe("a root at 0 at the end", root_at_zero),
        Probe("a step without a derivative", cut),
        Probe("gradients that add up to 0", balanced),
    ],
    hints=(
        "How many tapes do you need to ask for the gradient at several tensors of one pass?",
        "Keep each step's input in a list. `tape.gradient` takes a list of sources.",
        "Watch `x`, keep the inputs in the loop, then give each of "
        "`tape.gradient(last, inputs)` its word: test for None, then `tf.math.is_nan`, "
        "`tf.math.is_inf`, then whether any entry differs from 0.",
    ),
    right=[one_persistent_tape, each_tail_alone],
    wrong=[
        Wrong(
            each_step_alone,
            why="You asked each step alone, for the derivative of its own output. What arrives "
            "there has also passed all the steps behind it.",
            do="Use one tape for the whole chain, and the last value as the target.",
            idea="each step alone",
        ),
        Wrong(
            at_the_outputs,
            why="These are the gradients at the outputs of the steps: moved by one, and the one at "
            "`x` is missing.",
            do="Keep `x` before the step runs, not after it.",
            idea="at the outputs of the steps",
        ),
        Wrong(
            from_the_end,
            why="The list begins with the last step. The task asks for the order of the steps.",
            do="Return the words in the order of `steps`.",
            idea="begins with the last step",
        ),
        Wrong(
            nothing_watched,
            cause="unwatched",
            why="Nobody told the tape to watch `x`, so it recorded nothing, and every word is "
            "`None`.",
            do="Add `tape.watch(x)` before the loop.",
            idea="told the tape to watch",
        ),
        Wrong(
            nan_counts_as_value,
            cause="nan",
            why="NaN and infinity differ from 0, so a test for zeros alone calls them a value.",
            do="Test with `tf.math.is_nan` and `tf.math.is_inf` first.",
            idea="a test for zeros alone",
        ),
        Wrong(
            zeros_counted_as_none,
            cause="zeros_flat",
            why="Zeros are not `None`: with zeros there is a path, and a factor on it is 0.",
            do="Return `zeros` where there is a gradient and every entry is 0.",
            idea="Zeros are not `None`",
        ),
        Wrong(
            mean_is_zero,
            why="You judged the sum of the gradient's entries. Entries of 1 and -1 add up to 0, "
            "and are no zeros.",
            do="Ask whether any single entry differs from 0.",
            idea="add up to 0",
        ),
    ],
)

# --- scaled_step --------------------------------------------------------------------------


def scaled_step_start(model, optimizer, loss_function, x, labels):
    weights = model.trainable_variables
    with tf.GradientTape() as tape:
        loss = loss_function(labels, model(x, training=True))
    gradients = tape.gradient(loss, weights)
    optimizer.apply(gradients, weights)
    return loss, [tf.convert_to_tensor(weight) for weight in weights]


def gradients_scaled_by_hand(model, optimizer, loss_function, x, labels):
    weights = model.trainable_variables
    with tf.GradientTape() as tape:
        loss = loss_function(labels, model(x, training=True))
    gradients = tape.gradient(loss, weights)
    gradients = [optimizer.scale_loss(gradient) for gradient in gradients]
    optimizer.apply_gradients(zip(gradients, weights, strict=True))
    return loss, [tf.identity(weight) for weight in weights]


def loss_divided_afterwards(model, optimizer, loss_function, x, labels):
    with tf.GradientTape() as tape:
        scaled = optimizer.scale_loss(loss_function(labels, model(x, training=True)))
    factor = optimizer.scale_loss(tf.constant(1.0))
    optimizer.apply(tape.gradient(scaled, model.trainable_variables), model.trainable_variables)
    return scaled / factor, [weight.value.read_value() for weight in model.trainable_variables]


def returns_the_scaled_loss(model, optimizer, loss_function, x, labels):
    weights = model.trainable_variables
    with tf.GradientTape() as tape:
        loss = optimizer.scale_loss(loss_function(labels, model(x, training=True)))
    optimizer.apply(tape.gradient(loss, weights), weights)
    return loss, [tf.convert_to_tensor(weight) for weight in weights]


def scaled_outside(model, optimizer, loss_function, x, labels):
    weights = model.trainable_variables
    with tf.GradientTape() as tape:
        loss = loss_function(labels, model(x, training=True))
    scaled = optimizer.scale_loss(loss)
    optimizer.apply(tape.gradient(scaled, weights), weights)
    return loss, [tf.convert_to_tensor(weight) for weight in weights]


def divided_twice(model, optimizer, loss_function, x, labels):
    weights = model.trainable_variables
    with tf.GradientTape() as tape:
        loss = loss_function(labels, model(x, training=True))
        scaled = optimizer.scale_loss(loss)
    factor = optimizer.scale_loss(tf.constant(1.0))
    gradients = [gradient / factor for gradient in tape.gradient(scaled, weights)]
    optimizer.apply(gradients, weights)
    return loss, [tf.convert_to_tensor(weight) for weight in weights]


def always_by_32768(model, optimizer, loss_function, x, labels):
    weights = model.trainable_variables
    with tf.GradientTape() as tape:
        loss = loss_function(labels, model(x, training=True))
        scaled = loss * 32768.0
    optimizer.apply(tape.gradient(scaled, weights), weights)
    return loss, [tf.convert_to_tensor(weight) for weight in weights]


def never_applied(model, optimizer, loss_function, x, labels):
    weights = model.trainable_variables
    with tf.GradientTape() as tape:
        loss = loss_function(labels, model(x, training=True))
        scaled = optimizer.scale_loss(loss)
    tape.gradient(scaled, weights)
    return loss, [tf.convert_to_tensor(weight) for weight in weights]


def squared_error(labels, outputs):
    return tf.reduce_mean((outputs - labels) ** 2)


def a_step(optimizer):
    model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1)])
    model.set_weights([np.array([[0.5], [-0.25]]), np.array([1.0])])
    x, labels = tf.constant([[1.0, 2.0], [3.0, -1.0]]), tf.constant([[0.0], [1.0]])
    return model, optimizer, squared_error, x, labels


def loss_scaling(**settings):
    return keras.optimizers.LossScaleOptimizer(keras.optimizers.SGD(0.1), **settings)


SCALED_STEP = Task(
    function=reference.scaled_step,
    kind="repair",
    minutes=10,
    points=4,
    start=scaled_step_start,
    probes=[
        Probe("an optimizer that scales the loss", lambda: a_step(loss_scaling())),
        Probe("by another scale", lambda: a_step(loss_scaling(initial_scale=256.0))),
        Probe("plain SGD", lambda: a_step(keras.optimizers.SGD(0.1))),
    ],
    hints=(
        "By what does a `LossScaleOptimizer` divide each gradient before it uses it?",
        "Every Keras optimizer has a method `scale_loss`. Call it where the tape sees it.",
        "`scaled = optimizer.scale_loss(loss)` inside the block, then differentiate `scaled`.",
    ),
    right=[gradients_scaled_by_hand, loss_divided_afterwards],
    wrong=[
        Wrong(
            scaled_step_start,
            cause="loss_scale",
            why="The optimizer divides the gradients by its scale, 32768 at first, but nobody "
            "multiplied the loss by it: the weights hardly move.",
            do="Differentiate `optimizer.scale_loss(loss)`, computed inside the block.",
            idea="nobody multiplied the loss",
        ),
        Wrong(
            returns_the_scaled_loss,
            cause="loss_scale",
            why="The weights are right. The loss you return is the scaled one, 32768 times too "
            "large for your log.",
            do="Keep the two apart: return `loss`, differentiate `scaled`.",
            idea="the scaled one",
        ),
        Wrong(
            scaled_outside,
            cause="outside_tape",
            why="`scale_loss` multiplies, and after the block nobody records that: the gradients "
            "are None.",
            do="Call `optimizer.scale_loss(loss)` inside the block.",
            idea="after the block nobody records",
        ),
        Wrong(
            divided_twice,
            cause="loss_scale",
            why="You divided the gradients by the scale, and the optimizer divides them again.",
            do="Hand the scaled gradients to `optimizer.apply`; divide a copy if you want to look.",
            idea="divides them again",
        ),
        Wrong(
            always_by_32768,
            cause="loss_scale",
            why="32768 is only the scale one begins with: it changes while training, and other "
            "optimizers have none.",
            do="Ask the optimizer: `optimizer.scale_loss(loss)`.",
            idea="only the scale one begins with",
        ),
        Wrong(
            never_applied,
            why="The gradients were computed and then forgotten: the weights are the old ones.",
            do="Pass them on: `optimizer.apply(gradients, weights)`.",
            idea="then forgotten",
        ),
    ],
)

TASKS = [CROSS_ENTROPY, ENTROPY, VERDICTS, SCALED_STEP]
