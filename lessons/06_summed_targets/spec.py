"""The exercise of `summed_targets`: probes, points, and what people write instead."""

import keras
import numpy as np
import tensorflow as tf

from classroom.spec import Probe, Task, Wrong
from solutions import summed_targets as reference


def a_layer():
    layer = keras.layers.Dense(2, activation="tanh")
    layer.build((None, 3))
    layer.set_weights([np.array([[1.0, -2.0], [0.5, 3.0], [2.0, 0.25]]), np.array([0.5, 0.0])])
    return layer


# --- vector_jacobian_product --------------------------------------------------------------


def vector_jacobian_product_start(function, x, vector):
    x = tf.convert_to_tensor(x)
    with tf.GradientTape() as tape:
        tape.watch(x)
        value = function(x)
    return tape.gradient(value, x)


def weighted_sum_inside(function, x, vector):
    with tf.GradientTape() as tape:
        tape.watch(x)
        value = tf.reduce_sum(vector * function(x))
    return tape.gradient(value, x)


def through_the_jacobian(function, x, vector):
    with tf.GradientTape() as tape:
        tape.watch(x)
        value = function(x)
    return tf.tensordot(vector, tape.jacobian(value, x), axes=len(value.shape))


def weighted_afterwards(function, x, vector):
    with tf.GradientTape() as tape:
        tape.watch(x)
        value = function(x)
    return vector * tape.gradient(value, x)


def weighted_sum_outside(function, x, vector):
    with tf.GradientTape() as tape:
        tape.watch(x)
        value = function(x)
    total = tf.reduce_sum(vector * value)
    return tape.gradient(total, x)


def vector_on_the_other_side(function, x, vector):
    with tf.GradientTape() as tape:
        tape.watch(x)
        value = function(x)
    return tf.linalg.matvec(tape.jacobian(value, x), vector)


def three_running_sums():
    return (
        lambda x: tf.cumsum(x**2),
        tf.constant([1.0, 2.0, -3.0]),
        tf.constant([1.0, 0.0, -2.0]),
    )


def two_rows():
    return a_layer(), tf.constant([[0.1, 0.2, 0.3], [0, 1, 0]]), tf.constant([[1.0, 0], [0, 3]])


def sum_and_product():
    return (
        lambda x: tf.stack([tf.reduce_sum(x), tf.reduce_prod(x)]),
        tf.constant([2.0, 0.5, -1.0], tf.float64),
        tf.constant([0.5, -2.0], tf.float64),
    )


VECTOR_JACOBIAN_PRODUCT = Task(
    function=reference.vector_jacobian_product,
    kind="repair",
    minutes=8,
    points=4,
    start=vector_jacobian_product_start,
    probes=[
        Probe("three running sums", three_running_sums),
        Probe("a dense layer, two rows", two_rows),
        Probe("a sum and a product, float64", sum_and_product),
    ],
    hints=(
        "With which number does each element of the value start, when the tape walks back?",
        "`tape.gradient` has an argument for the start vector; by default it is ones.",
        "`tape.gradient(value, x, output_gradients=…)`, with the vector you are given.",
    ),
    right=[weighted_sum_inside, through_the_jacobian],
    wrong=[
        Wrong(
            vector_jacobian_product_start,
            cause="summed",
            why="The vector is not used, so every output counts 1 and their gradients are added: "
            "this is the plain sum.",
            do="Hand the vector to `tape.gradient` as `output_gradients`.",
            idea="the plain sum",
        ),
        Wrong(
            weighted_afterwards,
            cause="summed",
            why="You multiplied the result of the walk. By then the outputs are already added up, "
            "and a sum cannot be weighted afterwards.",
            do="Give the weights to the walk: `output_gradients=vector`.",
            idea="cannot be weighted afterwards",
        ),
        Wrong(
            weighted_sum_outside,
            cause="outside_tape",
            why="The weighted sum was computed after the block, while the tape was not recording.",
            do="Move that line into the block, or leave it out and pass `output_gradients`.",
            idea="not recording",
        ),
        Wrong(
            vector_on_the_other_side,
            why="This multiplies each row of the Jacobian by the vector, so it weights the inputs. "
            "The vector holds one number for each output: it belongs on the left, v @ J.",
            do="Weight the rows and add them: `output_gradients=vector` does it in one walk.",
            idea="weights the inputs",
        ),
    ],
)

# --- jacobian_per_example -----------------------------------------------------------------


def one_example_at_a_time(function, x):
    rows = []
    for row in x:
        with tf.GradientTape() as tape:
            tape.watch(row)
            value = function(row[None])[0]
        rows.append(tape.jacobian(value, row))
    return tf.stack(rows)


def one_walk_for_each_output(function, x):
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        value = function(x)
        columns = tf.unstack(tf.reshape(value, [x.shape[0], -1]), axis=1)
    rows = tf.stack([tape.gradient(column, x) for column in columns], axis=1)
    return tf.reshape(rows, value.shape + x.shape[1:])


def gradient_of_the_sum(function, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        value = function(x)
    return tape.gradient(value, x)


def the_whole_jacobian(function, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        value = function(x)
    return tape.jacobian(value, x)


def summed_over_the_targets_batch(function, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        value = function(x)
    return tf.reduce_sum(tape.jacobian(value, x), axis=0)


def batch_jacobian_only(function, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        value = function(x)
    return tape.batch_jacobian(value, x)


def spent_after_the_first_output(function, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        columns = tf.unstack(function(x), axis=1)
    return tf.stack([tape.gradient(column, x) for column in columns], axis=1)


JACOBIAN_PER_EXAMPLE = Task(
    function=reference.jacobian_per_example,
    kind="write",
    minutes=14,
    points=8,
    probes=[
        Probe("a dense layer, two rows", lambda: two_rows()[:2]),
        Probe("tanh, three rows", lambda: (tf.tanh, tf.constant([[0.0, 1], [2, -1], [0.5, 0]]))),
        Probe(
            "the row sums of two 2×3 images",
            lambda: (
                lambda x: tf.reduce_sum(x**2, axis=2),
                tf.constant([[[1.0, 2, 0], [3, -1, 1]], [[0, 1, 4], [2, 2, -2]]], tf.float64),
            ),
        ),
        Probe(
            "one number for each example",
            lambda: (lambda x: x[:, 0] * x[:, 1], tf.constant([[1.0, 2], [3, 4], [5, -6]])),
        ),
    ],
    hints=(
        "Which of the tape's three methods keeps the outputs apart, and the examples together?",
        "`tape.batch_jacobian` wants a value with at least two axes. What if there is one?",
        "Inside the block, reshape the value to (batch, outputs); after `batch_jacobian`, reshape "
        "to `value.shape + x.shape[1:]`.",
    ),
    right=[one_example_at_a_time, one_walk_for_each_output],
    wrong=[
        Wrong(
            gradient_of_the_sum,
            cause="summed",
            why="`tape.gradient` walks back once and adds up the outputs' gradients; the axis of "
            "the outputs is gone.",
            do="Use `tape.batch_jacobian`, which keeps one row for each output.",
            idea="adds up the outputs' gradients",
        ),
        Wrong(
            the_whole_jacobian,
            why="The whole Jacobian has the batch axis twice: it also says how each example's "
            "output depends on the other examples' inputs.",
            do="Use `tape.batch_jacobian`, which keeps the pairs of an example with itself.",
            idea="has the batch axis twice",
        ),
        Wrong(
            summed_over_the_targets_batch,
            why="You removed the first of the two batch axes. The one that is left stands among "
            "the source's axes, behind the outputs.",
            do="Let `tape.batch_jacobian` do it: its result begins with the batch.",
            idea="behind the outputs",
        ),
        Wrong(
            batch_jacobian_only,
            why="Right for values with two axes or more. With one number for each example, "
            "`batch_jacobian` finds no axis of outputs and raises.",
            do="Reshape the value to (batch, outputs) inside the block, and the result at the end.",
            idea="no axis of outputs",
        ),
        Wrong(
            spent_after_the_first_output,
            cause="spent_tape",
            why="One walk for each output is a good idea, but a tape can be walked only once "
            "unless it is persistent.",
            do="Open it with `persistent=True`, or ask `tape.batch_jacobian` once.",
            idea="unless it is persistent",
        ),
    ],
)

# --- gradients_per_example ----------------------------------------------------------------


def one_walk_for_each_loss(losses, variables):
    with tf.GradientTape(persistent=True) as tape:
        values = tf.unstack(losses())
    rows = [tape.gradient(value, variables) for value in values]
    return [tf.stack(column) for column in zip(*rows, strict=True)]


def one_tape_for_each_example(losses, variables):
    columns = [[] for _ in variables]
    for n in range(len(losses())):
        with tf.GradientTape() as tape:
            value = losses()[n]
        for column, gradient in zip(columns, tape.gradient(value, variables), strict=True):
            column.append(gradient)
    return [tf.stack(column) for column in columns]


def gradient_of_all_losses(losses, variables):
    with tf.GradientTape() as tape:
        values = losses()
    return tape.gradient(values, variables)


def gradient_of_the_mean_loss(losses, variables):
    with tf.GradientTape() as tape:
        value = tf.reduce_mean(losses())
    return tape.gradient(value, variables)


def batch_axis_last(losses, variables):
    with tf.GradientTape(persistent=True) as tape:
        values = tf.unstack(losses())
    rows = [tape.gradient(value, variables) for value in values]
    return [tf.stack(column, axis=-1) for column in zip(*rows, strict=True)]


def batch_jacobian_of_weights(losses, variables):
    with tf.GradientTape(persistent=True) as tape:
        values = losses()[:, None]
    return [tape.batch_jacobian(values, variable) for variable in variables]


def losses_split_after_the_block(losses, variables):
    with tf.GradientTape(persistent=True) as tape:
        values = losses()
    rows = [tape.gradient(value, variables) for value in tf.unstack(values)]
    return [list(column) for column in zip(*rows, strict=True)]


def straight_line():
    slope = tf.Variable([1.0, -2.0])
    x, wanted = tf.constant([[1.0, 2], [0, 1], [3, -1]]), tf.constant([0.0, 1, 2])
    return lambda: (tf.reduce_sum(x * slope, axis=1) - wanted) ** 2, [slope]


def keras_weights():
    layer = a_layer()
    x = tf.constant([[0.1, 0.2, 0.3], [0, 1, 0], [1, 0, 0], [0.5, 0, -0.5]])
    return lambda: tf.reduce_sum(layer(x) ** 2, axis=1), [layer.kernel, layer.bias]


def a_number_and_a_matrix():
    scale, mix = tf.Variable(3.0, dtype=tf.float64), tf.Variable(np.array([[1.0, 2], [3, 4]]))
    x = tf.constant([[1.0, 0], [2, 1], [-1, 1]], tf.float64)
    return lambda: tf.reduce_sum(scale * (x @ mix), axis=1), [scale, mix]


GRADIENTS_PER_EXAMPLE = Task(
    function=reference.gradients_per_example,
    kind="write",
    minutes=12,
    points=6,
    probes=[
        Probe("a straight line, three examples", straight_line),
        Probe("a Keras layer's weights, four examples", keras_weights),
        Probe("a number and a matrix, float64", a_number_and_a_matrix),
    ],
    hints=(
        "What shape does the result have, and which of its axes does a weight not have?",
        "The vector of losses is the target. Which method of the tape keeps its elements apart?",
        "`values = losses()` inside the block, then `tape.jacobian(values, variables)`; a list "
        "of sources gives a list.",
    ),
    right=[one_walk_for_each_loss, one_tape_for_each_example],
    wrong=[
        Wrong(
            gradient_of_all_losses,
            cause="summed",
            why="The target is a vector of losses, and `tape.gradient` adds up their gradients: "
            "one result for the whole batch.",
            do="Use `tape.jacobian`, which keeps one gradient for each loss.",
            idea="adds up their gradients",
        ),
        Wrong(
            gradient_of_the_mean_loss,
            cause="summed",
            why="A mean over the batch is one number, and from its gradient nobody can tell the "
            "examples apart any more.",
            do="Leave the losses as a vector, and use `tape.jacobian`.",
            idea="tell the examples apart",
        ),
        Wrong(
            batch_axis_last,
            why="The numbers are right, but the axis of the examples stands last; expected is "
            "(batch, *variable.shape).",
            do="Stack along axis 0, or use `tape.jacobian`, which puts the target's axis first.",
            idea="stands last",
        ),
        Wrong(
            batch_jacobian_of_weights,
            why="`batch_jacobian` pairs each example of the target with the same example of the "
            "source. A weight has no batch axis: all examples share it.",
            do="Use `tape.jacobian(values, variables)`.",
            idea="has no batch axis",
        ),
        Wrong(
            losses_split_after_the_block,
            cause="outside_tape",
            why="The losses were taken apart after the block, while the tape was not recording, "
            "so no path leads from one loss to the weights.",
            do="Take them apart inside the block, or let `tape.jacobian` do it.",
            idea="not recording",
        ),
    ],
)

TASKS = [VECTOR_JACOBIAN_PRODUCT, JACOBIAN_PER_EXAMPLE, GRADIENTS_PER_EXAMPLE]
