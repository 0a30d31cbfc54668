"""The exercise of `outside_the_tape`: probes, points, and what people write instead."""

import keras
import numpy as np
import tensorflow as tf

from classroom.spec import Probe, Task, Wrong
from solutions import outside_the_tape as reference

# --- step_gradients -----------------------------------------------------------------------


def step_gradients_start(model, loss_function, x, labels):
    outputs = model(x, training=True)
    with tf.GradientTape() as tape:
        loss = loss_function(labels, outputs)
    total = loss + sum(model.losses)
    return total, tape.gradient(total, model.trainable_variables)


def everything_in_the_block(model, loss_function, x, labels):
    with tf.GradientTape() as tape:
        outputs = model(x, training=True)
        loss = loss_function(labels, outputs)
        total = loss + sum(model.losses)
    return total, tape.gradient(total, model.trainable_variables)


def two_gradients_added(model, loss_function, x, labels):
    weights = [w.value for w in model.trainable_variables]
    with tf.GradientTape(persistent=True) as tape:
        loss = loss_function(labels, model(x, training=True))
        penalty = tf.add_n([tf.zeros(()), *model.losses])
    by_loss = tape.gradient(loss, weights)
    by_penalty = tape.gradient(penalty, weights, unconnected_gradients="zero")
    return loss + penalty, [a + b for a, b in zip(by_loss, by_penalty, strict=True)]


def list_of_targets(model, loss_function, x, labels):
    with tf.GradientTape() as tape:
        tape.watch([w.value for w in model.trainable_variables])
        targets = [loss_function(labels, model(x, training=True))]
        targets += model.losses
    return sum(targets), tape.gradient(targets, model.trainable_variables)


def only_the_model_moved(model, loss_function, x, labels):
    with tf.GradientTape() as tape:
        outputs = model(x, training=True)
        loss = loss_function(labels, outputs)
    total = loss + sum(model.losses)
    return total, tape.gradient(total, model.trainable_variables)


def only_the_total_moved(model, loss_function, x, labels):
    outputs = model(x, training=True)
    with tf.GradientTape() as tape:
        loss = loss_function(labels, outputs)
        total = loss + sum(model.losses)
    return total, tape.gradient(total, model.trainable_variables)


def penalty_before_the_block(model, loss_function, x, labels):
    penalty = sum(model.losses)
    with tf.GradientTape() as tape:
        outputs = model(x, training=True)
        total = loss_function(labels, outputs) + penalty
    return total, tape.gradient(total, model.trainable_variables)


def penalty_forgotten_in_the_gradient(model, loss_function, x, labels):
    with tf.GradientTape() as tape:
        outputs = model(x, training=True)
        loss = loss_function(labels, outputs)
    total = loss + sum(model.losses)
    return total, tape.gradient(loss, model.trainable_variables)


def penalty_left_out(model, loss_function, x, labels):
    with tf.GradientTape() as tape:
        outputs = model(x, training=True)
        loss = loss_function(labels, outputs)
    return loss, tape.gradient(loss, model.trainable_variables)


def a_model(regularizer=None):
    layer = keras.layers.Dense(2, kernel_regularizer=regularizer)
    model = keras.Sequential([keras.Input((3,)), layer])
    model.set_weights([np.array([[1.0, -1.0], [0.5, 2.0], [-0.5, 1.0]]), np.array([0.5, 0.0])])
    return model


def a_deep_model():
    model = keras.Sequential(
        [
            keras.Input((3,)),
            keras.layers.Dense(2, activation="tanh", kernel_regularizer=keras.regularizers.L1(0.2)),
            keras.layers.Dense(2, kernel_regularizer=keras.regularizers.L2(0.3)),
        ]
    )
    first = np.array([[0.5, -0.4], [0.1, 0.3], [-0.2, 0.7]])
    last = np.array([[1.5, -0.5], [0.25, 1.0]])
    model.set_weights([first, np.array([0.1, -0.1]), last, np.zeros(2)])
    return model


def rows():
    return tf.constant([[1.0, 2.0, 0.0], [0.0, 1.0, -1.0]])


def squared_error(labels, outputs):
    return tf.reduce_mean((outputs - labels) ** 2)


def classes(labels, outputs):
    return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels, outputs))


STEP_GRADIENTS = Task(
    function=reference.step_gradients,
    kind="repair",
    minutes=6,
    points=6,
    start=step_gradients_start,
    probes=[
        Probe(
            "one dense layer, no penalty",
            lambda: (a_model(), squared_error, rows(), tf.constant([[1.0, 0.0], [0.0, 2.0]])),
        ),
        Probe(
            "an L2 penalty on the kernel",
            lambda: (a_model(keras.regularizers.L2(0.5)), classes, rows(), tf.constant([0, 1])),
        ),
        Probe(
            "two layers with different penalties",
            lambda: (a_deep_model(), classes, rows(), tf.constant([1, 1])),
        ),
    ],
    hints=(
        "Which lines lie between the weights and `total`, and where does the block end?",
        "`outputs` is computed before the block and `total` after it; `model.losses` is computed "
        "at the moment you read it.",
        "Open the block first. In it: `outputs = …`, `loss = …`, `total = …`. After it: `return`.",
    ),
    right=[everything_in_the_block, two_gradients_added, list_of_targets],
    wrong=[
        Wrong(
            step_gradients_start,
            cause="outside_tape",
            why="Two links are outside: the model runs before the block, and the total is added up "
            "after it. No recorded operation leads from the total to a weight.",
            do="Move `outputs = …` and `total = …` into the block.",
            idea="Two links are outside",
        ),
        Wrong(
            only_the_model_moved,
            cause="outside_tape",
            why="The model now runs inside the block, but `total` is a new tensor, made by an "
            "addition after the block, and that is what you differentiate.",
            do="Indent `total = …` so that it belongs to the block.",
            idea="an addition after the block",
        ),
        Wrong(
            only_the_total_moved,
            cause="outside_tape",
            why="The model ran before the block, so its outputs come in as constants: a weight "
            "without a penalty gets None, and one with a penalty gets the penalty's part alone.",
            do="Move `outputs = model(x, training=True)` into the block, above the loss.",
            idea="its outputs come in as constants",
        ),
        Wrong(
            penalty_before_the_block,
            cause="outside_tape",
            why="The penalty was computed before the block, so it counts in the total and not in "
            "the gradient: the numbers look fine and the weights never decay.",
            do="Read `model.losses` inside the block, after the model's call.",
            idea="counts in the total and not in the gradient",
        ),
        Wrong(
            penalty_forgotten_in_the_gradient,
            why="You report the total and differentiate the batch's loss: these are two different "
            "functions of the weights.",
            do="Add the penalties inside the block and pass `total` to `tape.gradient`.",
            idea="two different functions",
        ),
        Wrong(
            penalty_left_out,
            why="The model's own penalties are missing from both, the total and the gradient. A "
            "custom loop adds them itself; only `fit` does it for you.",
            do="Add `sum(model.losses)` to the loss, inside the block.",
            idea="A custom loop adds them itself",
        ),
    ],
)

# --- column_gradient ----------------------------------------------------------------------


def column_gradient_start(model, x, column):
    x = tf.convert_to_tensor(x)
    with tf.GradientTape() as tape:
        tape.watch(x)
        scores = model(x)
    return tape.gradient(scores[..., column], x)


def sliced_inside(model, x, column):
    x = tf.convert_to_tensor(x)
    with tf.GradientTape() as tape:
        tape.watch(x)
        score = model(x)[..., column]
    return tape.gradient(score, x)


def by_output_gradients(model, x, column):
    x = tf.convert_to_tensor(x)
    with tf.GradientTape() as tape:
        tape.watch(x)
        scores = model(x)
    mask = tf.one_hot(tf.fill(scores.shape[:-1], column), scores.shape[-1], dtype=scores.dtype)
    return tape.gradient(scores, x, output_gradients=mask)


def by_gathering(model, x, column):
    with tf.GradientTape() as tape:
        source = tf.Variable(x)
        target = tf.reduce_sum(tf.gather(model(source), column, axis=-1))
    return tape.gradient(target, source)


def all_columns(model, x, column):
    x = tf.convert_to_tensor(x)
    with tf.GradientTape() as tape:
        tape.watch(x)
        scores = model(x)
    return tape.gradient(scores, x)


def column_of_the_input(model, x, column):
    x = tf.convert_to_tensor(x)
    with tf.GradientTape() as tape:
        tape.watch(x)
        scores = model(x)
    return tape.gradient(scores, x)[..., column]


def row_instead_of_column(model, x, column):
    x = tf.convert_to_tensor(x)
    with tf.GradientTape() as tape:
        tape.watch(x)
        score = model(x)[column]
    return tape.gradient(score, x)


def model_called_after_the_block(model, x, column):
    x = tf.convert_to_tensor(x)
    with tf.GradientTape() as tape:
        tape.watch(x)
    return tape.gradient(model(x)[..., column], x)


def scores_before_the_block(model, x, column):
    x = tf.convert_to_tensor(x)
    scores = model(x)
    with tf.GradientTape() as tape:
        tape.watch(x)
        score = scores[..., column]
    return tape.gradient(score, x)


def sliced_on_a_line_of_its_own(model, x, column):
    with tf.GradientTape() as tape:
        tape.watch(x)
        scores = model(x)
    score = scores[:, column]
    return tape.gradient(score, x)


def never_watched(model, x, column):
    with tf.GradientTape() as tape:
        score = model(x)[:, column]
    return tape.gradient(score, x)


def softmax_scores(x):
    return tf.nn.softmax(x @ tf.constant([[1.0, -1.0, 0.5], [0.0, 2.0, -0.5]]))


def products(x):
    return tf.stack([x[:, 0] * x[:, 1], x[:, 0] ** 2, tf.sin(x[:, 1])], axis=1)


COLUMN_GRADIENT = Task(
    function=reference.column_gradient,
    kind="repair",
    minutes=5,
    points=4,
    start=column_gradient_start,
    probes=[
        Probe("a dense layer, column 1", lambda: (a_model(), rows(), 1)),
        Probe(
            "softmax scores, column 2",
            lambda: (softmax_scores, tf.constant([[0.5, 1.0], [-1.0, 0.25], [0.0, 0.0]]), 2),
        ),
        Probe(
            "products in float64, column 0",
            lambda: (products, tf.constant([[1.0, 2.0], [3.0, -1.0]], tf.float64), 0),
        ),
    ],
    hints=(
        "At what moment does Python compute `scores[..., column]`: is the block still open?",
        "A slice is an operation and makes a new tensor. Which line is the last one recorded?",
        "Inside the block: `score = model(x)[..., column]`. Then `tape.gradient(score, x)`.",
    ),
    right=[sliced_inside, by_output_gradients, by_gathering],
    wrong=[
        Wrong(
            column_gradient_start,
            cause="outside_tape",
            why="`scores[..., column]` stands in the call of `tape.gradient`, so it is computed "
            "after the block. The slice is a new tensor that the tape has never seen.",
            do="Slice inside the block, give the result a name, and pass that name.",
            idea="a new tensor that the tape has never seen",
        ),
        Wrong(
            all_columns,
            cause="summed",
            why="This is the gradient of all columns added up: a target that is no scalar is "
            "summed.",
            do="Make the one column the target: `scores[..., column]`, inside the block.",
            idea="all columns added up",
        ),
        Wrong(
            column_of_the_input,
            why="You sliced the gradient. That picks one feature of the *input*; the task asks for "
            "one column of the *output*, with respect to all of `x`.",
            do="Slice the target inside the block, not the gradient after it.",
            idea="You sliced the gradient",
        ),
        Wrong(
            row_instead_of_column,
            why="`scores[column]` is a row: one example with all its scores. A column is an index "
            "of the last axis.",
            do="Write `[..., column]` (or `[:, column]`).",
            idea="is a row",
        ),
        Wrong(
            model_called_after_the_block,
            cause="outside_tape",
            why="The block holds nothing but `watch`: the model itself is called after it, between "
            "the parentheses of `tape.gradient`.",
            do="Call the model and slice its output inside the block.",
            idea="the model itself is called after it",
        ),
        Wrong(
            scores_before_the_block,
            cause="outside_tape",
            why="The model was not called inside the block after `tape.watch(x)`, so no recorded "
            "operation leads from `x` to the scores, and the slice starts from constants.",
            do="Move the model's call into the block, below `tape.watch(x)`.",
            idea="the slice starts from constants",
        ),
        Wrong(
            sliced_on_a_line_of_its_own,
            cause="outside_tape",
            why="The line with the slice is indented as far as `with`, so the block is closed when "
            "it runs and the tape does not record it.",
            do="Indent the line with the slice, so that it belongs to the block.",
            idea="the block is closed when it runs",
        ),
        Wrong(
            never_watched,
            cause="unwatched",
            why="Nothing on record begins at `x`. It is a plain tensor, so the tape must be told "
            "to watch it, and the model called after that, while the block is open.",
            do="First line of the block: `tape.watch(x)`. Second: `score = model(x)[..., column]`.",
            idea="Nothing on record begins at `x`",
        ),
    ],
)

# --- part_gradient ------------------------------------------------------------------------


def whole_then_part(function, x, part):
    x = tf.convert_to_tensor(x)
    with tf.GradientTape() as tape:
        tape.watch(x)
        value = function(x)
    return tape.gradient(value, x)[part]


def by_a_variable(function, x, part):
    source = tf.Variable(x)
    with tf.GradientTape() as tape:
        total = tf.reduce_sum(function(source.read_value()))
    return tape.gradient(total, source)[part]


def by_a_zero_added(function, x, part):
    x = tf.convert_to_tensor(x)
    numbers = tf.reshape(tf.range(tf.size(x)), tf.shape(x))[part]
    delta = tf.zeros_like(x[part])
    with tf.GradientTape() as tape:
        tape.watch(delta)
        places = tf.reshape(numbers, [-1, 1])
        flat = tf.tensor_scatter_nd_add(tf.reshape(x, [-1]), places, tf.reshape(delta, [-1]))
        value = function(tf.reshape(flat, tf.shape(x)))
    return tape.gradient(value, delta)


def slice_as_the_source(function, x, part):
    x = tf.convert_to_tensor(x)
    with tf.GradientTape() as tape:
        tape.watch(x)
        chosen = x[part]
        value = function(x)
    return tape.gradient(value, chosen)


def slice_watched(function, x, part):
    x = tf.convert_to_tensor(x)
    with tf.GradientTape() as tape:
        chosen = x[part]
        tape.watch(chosen)
        value = function(x)
    return tape.gradient(value, chosen)


def slice_in_the_call(function, x, part):
    x = tf.convert_to_tensor(x)
    with tf.GradientTape() as tape:
        tape.watch(x)
        value = function(x)
    return tape.gradient(value, x[part])


def function_of_the_part(function, x, part):
    chosen = tf.convert_to_tensor(x)[part]
    with tf.GradientTape() as tape:
        tape.watch(chosen)
        value = function(chosen)
    return tape.gradient(value, chosen)


def function_of_a_batch_of_one(function, x, part):
    chosen = tf.convert_to_tensor(x)[part]
    with tf.GradientTape() as tape:
        tape.watch(chosen)
        value = function(chosen[None])
    return tape.gradient(value, chosen)


def whole_gradient(function, x, part):
    x = tf.convert_to_tensor(x)
    with tf.GradientTape() as tape:
        tape.watch(x)
        value = function(x)
    return tape.gradient(value, x)


def part_of_the_target(function, x, part):
    x = tf.convert_to_tensor(x)
    with tf.GradientTape() as tape:
        tape.watch(x)
        value = function(x)[part]
    return tape.gradient(value, x)[part]


def centred(x):
    return (x - tf.reduce_mean(x, axis=0)) ** 3


def neighbours(x):
    return x[:, 1:] * x[:, :-1] ** 2


def table():
    return tf.constant([[1.0, 2.0, -1.0], [0.0, 1.0, 0.5], [3.0, -2.0, 2.0]])


PART_GRADIENT = Task(
    function=reference.part_gradient,
    kind="write",
    minutes=8,
    points=6,
    probes=[
        Probe("row 0; every row matters to every other", lambda: (centred, table(), 0)),
        Probe("column 1", lambda: (neighbours, table(), (slice(None), 1))),
        Probe(
            "one entry, in float64",
            lambda: (centred, tf.cast(table(), tf.float64), (2, 1)),
        ),
    ],
    hints=(
        "From which tensor is `function(x)` computed: from `x`, or from the part you took out?",
        "A tape can answer for a tensor that was used. `x` was; a slice of it was not.",
        "Watch `x`, compute `function(x)`, take the gradient by `x`, and put `[part]` behind it.",
    ),
    right=[whole_then_part, by_a_variable, by_a_zero_added],
    wrong=[
        Wrong(
            slice_as_the_source,
            cause="derived_source",
            why="`x[part]` is on a side road: it was made from `x`, but the function was computed "
            "from `x` itself, so no path to the value leads through the slice.",
            do="Differentiate with respect to `x`, and slice the gradient.",
            idea="a side road",
        ),
        Wrong(
            slice_watched,
            cause="derived_source",
            why="Nobody uses the slice: the function received `x`. Watching the slice would not "
            "change that.",
            do="Watch `x`, differentiate with respect to `x`, and slice the gradient.",
            idea="Nobody uses the slice",
        ),
        Wrong(
            slice_in_the_call,
            cause="derived_source",
            why="`x[part]` makes a new tensor each time it is written, and the function has used "
            "none of them.",
            do="Move the brackets behind the call: slice what `tape.gradient` returns.",
            idea="makes a new tensor each time it is written",
        ),
        Wrong(
            function_of_the_part,
            why="You called the function on the part alone. That is another function: here the "
            "rest of `x` matters too.",
            do="Give the function the whole of `x`, and slice the gradient.",
            idea="That is another function",
        ),
        Wrong(
            function_of_a_batch_of_one,
            why="A batch of one is not the batch: the function mixes the rows (as batch "
            "normalisation does), and the others are gone.",
            do="Give the function the whole of `x`, and slice the gradient.",
            idea="A batch of one is not the batch",
        ),
        Wrong(
            whole_gradient,
            why="This is the gradient for all of `x`. It contains the answer; the part is still to "
            "be taken out.",
            do="Return `gradient[part]`.",
            idea="still to be taken out",
        ),
        Wrong(
            part_of_the_target,
            why="You sliced the function's value as well. The part of `x` acts on the other values "
            "too, and those are missing from the sum.",
            do="Keep the whole value as the target; slice the gradient only.",
            idea="sliced the function's value as well",
        ),
    ],
)

# --- same_pass_gradient -------------------------------------------------------------------


def head_outside_tail_inside(layers, x, number):
    activation = x
    for layer in layers[: number + 1]:
        activation = layer(activation)
    with tf.GradientTape() as tape:
        tape.watch(activation)
        value = activation
        for layer in layers[number + 1 :]:
            value = layer(value)
    return activation, tape.gradient(value, activation)


def keeps_every_output(layers, x, number):
    kept = [tf.convert_to_tensor(x)]
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(kept[0])
        for layer in layers:
            kept.append(layer(kept[-1]))
        total = tf.reduce_sum(kept[-1])
    return kept[number + 1], tape.gradient(total, kept[number + 1])


def head_model_and_tail_model(layers, x, number):
    head, tail = keras.Sequential(layers[: number + 1]), layers[number + 1 :]
    with tf.GradientTape() as tape:
        activation = head(x)
        tape.watch(activation)
        value = keras.Sequential(tail)(activation) if tail else activation
    return activation, tape.gradient(value, activation)


def by_recursion(layers, x, number):
    head, tail = layers[: number + 1], layers[number + 1 :]
    for layer in head:
        x = layer(x)
    if not tail:
        return x, tf.ones_like(x)
    with tf.GradientTape() as tape:
        tape.watch(x)
        value = tail[0](x)
    _, upstream = by_recursion(tail[1:], value, -1)
    return x, tape.gradient(value, x, output_gradients=upstream)


def second_pass_inside(layers, x, number):
    with tf.GradientTape() as tape:
        tape.watch(x)
        activation = x
        for layer in layers[: number + 1]:
            activation = layer(activation)
        value = x
        for layer in layers:
            value = layer(value)
    return activation, tape.gradient(value, activation)


def second_pass_watched(layers, x, number):
    activation = x
    for layer in layers[: number + 1]:
        activation = layer(activation)
    with tf.GradientTape() as tape:
        tape.watch(activation)
        value = x
        for layer in layers:
            value = layer(value)
    return activation, tape.gradient(value, activation)


def two_models_from_the_input(layers, x, number):
    head = keras.Sequential(layers[: number + 1])
    whole = keras.Sequential(layers)
    with tf.GradientTape() as tape:
        activation = head(x)
        tape.watch(activation)
        value = whole(x)
    return activation, tape.gradient(value, activation)


def everything_before_the_block(layers, x, number):
    value = x
    for place, layer in enumerate(layers):
        value = layer(value)
        if place == number:
            activation = value
    with tf.GradientTape() as tape:
        tape.watch(activation)
    return activation, tape.gradient(value, activation)


def activation_not_watched(layers, x, number):
    value = x
    with tf.GradientTape() as tape:
        for place, layer in enumerate(layers):
            value = layer(value)
            if place == number:
                activation = value
    return activation, tape.gradient(value, activation)


def gradient_at_the_input(layers, x, number):
    value = x
    with tf.GradientTape() as tape:
        tape.watch(x)
        for place, layer in enumerate(layers):
            value = layer(value)
            if place == number:
                activation = value
    return activation, tape.gradient(value, x)


def gradient_alone(layers, x, number):
    value = x
    with tf.GradientTape() as tape:
        for place, layer in enumerate(layers):
            value = layer(value)
            if place == number:
                activation = value
                tape.watch(activation)
    return tape.gradient(value, activation)


def one_layer_too_early(layers, x, number):
    value = x
    with tf.GradientTape() as tape:
        for place, layer in enumerate(layers):
            if place == number:
                activation = value
                tape.watch(activation)
            value = layer(value)
    return activation, tape.gradient(value, activation)


def right_gradient_of_another_pass(layers, x, number):
    def head():
        value = x
        for layer in layers[: number + 1]:
            value = layer(value)
        return value

    with tf.GradientTape() as tape:
        activation = head()
        tape.watch(activation)
        value = activation
        for layer in layers[number + 1 :]:
            value = layer(value)
    return head(), tape.gradient(value, activation)


def dense_layers():
    first = keras.layers.Dense(2, activation="tanh")
    last = keras.layers.Dense(1, activation="sigmoid")
    for layer, shape in ((first, 3), (last, 2)):
        layer.build((None, shape))
    first.set_weights([np.array([[0.5, -0.4], [0.1, 0.3], [-0.2, 0.7]]), np.array([0.1, 0.0])])
    last.set_weights([np.array([[1.5], [-0.5]]), np.array([0.25])])
    return [first, last]


class MasksInTurn(keras.layers.Layer):
    """Scales its input differently at each call, as dropout does, but in a known order."""

    def __init__(self):
        super().__init__()
        self.scales = iter([2.0, 0.5, 4.0, 0.25, 8.0])

    def call(self, x):
        return x * next(self.scales) ** tf.constant([1.0, 2.0, 0.0])

    def compute_output_shape(self, shape):  # a model that is being built need not call the layer
        return shape


def layers_without_weights():
    return [
        keras.layers.Activation("softplus"),
        keras.layers.Rescaling(2.0, offset=-1.0),
        keras.layers.Activation("silu"),
        keras.layers.Activation("tanh"),
    ]


SAME_PASS_GRADIENT = Task(
    function=reference.same_pass_gradient,
    kind="write",
    minutes=12,
    points=8,
    probes=[
        Probe("two dense layers, at the first", lambda: (dense_layers(), rows(), 0)),
        Probe(
            "layers without weights, at the second",
            lambda: (layers_without_weights(), rows(), 1),
        ),
        Probe(
            "a mask that changes at each call, at the mask",
            lambda: ([keras.layers.Activation("tanh"), MasksInTurn(), *dense_layers()], rows(), 1),
        ),
        Probe("two dense layers, at the last", lambda: (dense_layers(), rows(), 1)),
    ],
    hints=(
        "How often does your code call `layers[number]`, and which of the results goes on to the "
        "next layer?",
        "One loop, inside the block, over all layers. When the chosen layer has run, keep its "
        "output, and make sure that the tape follows it even if no variable was used.",
        "`for place, layer in enumerate(layers): value = layer(value)`, and if `place == number`: "
        "`activation = value` and `tape.watch(activation)`.",
    ),
    right=[head_outside_tail_inside, keeps_every_output, head_model_and_tail_model, by_recursion],
    wrong=[
        Wrong(
            second_pass_inside,
            cause="other_call",
            why="You ran the layers twice. The activation comes from the first pass and the value "
            "from the second: equal numbers perhaps, but not the same tensor.",
            do="Use one loop, and keep the chosen layer's output while it runs.",
            idea="You ran the layers twice",
        ),
        Wrong(
            second_pass_watched,
            cause="other_call",
            why="Inside the block the whole network runs again from `x`, so the activation that "
            "you kept is never used on the way to the value.",
            do="Inside the block, start from `activation` and run the remaining layers only.",
            idea="is never used on the way",
        ),
        Wrong(
            two_models_from_the_input,
            cause="other_call",
            why="Two models that share layers do not share a forward pass: each computes its own "
            "activation from `x`.",
            do="Let the second model be the tail only, and call it on the activation.",
            idea="do not share a forward pass",
        ),
        Wrong(
            everything_before_the_block,
            cause="outside_tape",
            why="All layers ran before the block; inside it there is nothing to record.",
            do="Open the block before the loop.",
            idea="nothing to record",
        ),
        Wrong(
            activation_not_watched,
            cause="unwatched",
            why="With dense layers this works, because their weights are watched by themselves. "
            "Layers without weights leave nothing watched, so the tape records nothing.",
            do="Call `tape.watch(activation)` when the chosen layer has run.",
            idea="Layers without weights",
        ),
        Wrong(
            gradient_at_the_input,
            why="The activation is right, and the gradient is the one at the network's input `x`.",
            do="Pass the kept activation as the second argument of `tape.gradient`.",
            idea="at the network's input",
        ),
        Wrong(
            gradient_alone,
            why="The gradient is right and comes alone. Without the activation of the same pass "
            "beside it, nobody can tell to which pass it belongs.",
            do="Return both: `return activation, tape.gradient(value, activation)`.",
            idea="comes alone",
        ),
        Wrong(
            one_layer_too_early,
            why="You kept what goes *into* `layers[number]`. The task asks for what comes out.",
            do="Call the layer first, then compare `place` with `number`.",
            idea="what comes out",
        ),
        Wrong(
            right_gradient_of_another_pass,
            cause="other_call",
            why="The gradient is right, but the activation beside it was computed by another call. "
            "With a random layer such as dropout the two do not belong together.",
            do="Return the very tensor that you watched.",
            idea="computed by another call",
        ),
    ],
)

TASKS = [STEP_GRADIENTS, COLUMN_GRADIENT, PART_GRADIENT, SAME_PASS_GRADIENT]
