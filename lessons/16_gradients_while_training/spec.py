"""The exercise of `gradients_while_training`: probes, points, and what people write instead."""

import keras
import numpy as np
import tensorflow as tf

from classroom.spec import Probe, Task, Wrong
from solutions import gradients_while_training as reference


def dense(kernel, activation=None):
    kernel = np.array(kernel, "float32")
    layer = keras.layers.Dense(kernel.shape[1], activation)
    layer.build((None, kernel.shape[0]))
    layer.set_weights([kernel, np.zeros(kernel.shape[1])])
    return layer


# --- batch_norms --------------------------------------------------------------------------


def batch_norms_start(hidden, out, batches):
    norms = []

    @tf.function
    def step(x, y):
        with tf.GradientTape() as tape:
            activation = hidden(x)
            tape.watch(activation)
            loss = tf.reduce_mean((out(activation) - y) ** 2)
        norms.append(tf.norm(tape.gradient(loss, activation)))

    for x, y in batches:
        step(x, y)
    return norms


def one_place_for_the_last(hidden, out, batches):
    last, norms = [None], []

    @tf.function
    def step(x, y):
        with tf.GradientTape() as tape:
            activation = hidden(x)
            tape.watch(activation)
            loss = tf.reduce_mean((out(activation) - y) ** 2)
        last[0] = tf.norm(tape.gradient(loss, activation))

    for x, y in batches:
        step(x, y)
        norms.append(last[0].numpy())
    return norms


def numpy_inside(hidden, out, batches):
    norms = []

    @tf.function
    def step(x, y):
        with tf.GradientTape() as tape:
            activation = hidden(x)
            tape.watch(activation)
            loss = tf.reduce_mean((out(activation) - y) ** 2)
        norms.append(float(np.linalg.norm(tape.gradient(loss, activation).numpy())))

    for x, y in batches:
        step(x, y)
    return norms


def one_norm_for_all(hidden, out, batches):
    x = tf.concat([x for x, _ in batches], axis=0)
    y = tf.concat([y for _, y in batches], axis=0)
    with tf.GradientTape() as tape:
        activation = hidden(x)
        tape.watch(activation)
        loss = tf.reduce_mean((out(activation) - y) ** 2)
    return [tf.norm(tape.gradient(loss, activation))]


def of_the_weights(hidden, out, batches):
    @tf.function
    def step(x, y):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((out(hidden(x)) - y) ** 2)
        return tf.norm(tape.gradient(loss, hidden.kernel))

    return [step(x, y) for x, y in batches]


def in_a_variable(hidden, out, batches):
    last = tf.Variable(0.0, trainable=False)

    @tf.function
    def step(x, y):
        with tf.GradientTape() as tape:
            activation = hidden(x)
            tape.watch(activation)
            loss = tf.reduce_mean((out(activation) - y) ** 2)
        last.assign(tf.norm(tape.gradient(loss, activation)))

    norms = []
    for x, y in batches:
        step(x, y)
        norms.append(tf.identity(last))
    return norms


def gradient_returned(hidden, out, batches):
    @tf.function
    def step(x, y):
        activation = hidden(x)
        with tf.GradientTape() as tape:
            tape.watch(activation)
            loss = tf.reduce_mean((out(activation) - y) ** 2)
        return tape.gradient(loss, activation)

    return [tf.sqrt(tf.reduce_sum(step(x, y) ** 2)) for x, y in batches]


def batches(*sizes):
    values = np.linspace(-1, 2, 2 * sum(sizes)).reshape(-1, 2).astype("float32")
    found, first = [], 0
    for size in sizes:
        x = values[first : first + size]
        found.append((tf.constant(x), tf.constant(np.cos(x[:, :1]))))
        first += size
    return found


def two_layers(activation):
    return dense([[1.0, -0.5, 2.0], [0.25, 1.5, -1.0]], activation), dense([[1.0], [-2.0], [0.5]])


BATCH_NORMS = Task(
    function=reference.batch_norms,
    kind="repair",
    minutes=8,
    points=4,
    start=batch_norms_start,
    probes=[
        Probe("three equal batches", lambda: (*two_layers("tanh"), batches(4, 4, 4))),
        Probe("a smaller last batch", lambda: (*two_layers("tanh"), batches(4, 4, 1))),
        Probe("two batches, relu", lambda: (*two_layers("relu"), batches(3, 2))),
    ],
    hints=(
        "How often does Python come to the line with `norms.append`, for three batches?",
        "A compiled function gives out what it returns, and nothing else. Let `step` return it.",
        "`return tf.norm(…)` as the last line of `step`, and after it only "
        "`return [step(x, y) for x, y in batches]`.",
    ),
    right=[in_a_variable, gradient_returned],
    wrong=[
        Wrong(
            batch_norms_start,
            cause="symbolic",
            why="The list was filled while the step was drawn up as a graph: once for each kind of "
            "batch, with a tensor that has no numbers.",
            do="Let `step` return the norm, and collect what its calls give.",
            idea="drawn up as a graph",
        ),
        Wrong(
            one_place_for_the_last,
            cause="symbolic",
            why="`last[0]` is overwritten only when the step is traced, not when it runs. What it "
            "holds is a place in the graph, and has no `numpy()`.",
            do="Take the norm from the call: `norm = step(x, y)`, with a `return` in `step`.",
            idea="not when it runs",
        ),
        Wrong(
            numpy_inside,
            cause="left_tensorflow",
            why="In a compiled step there are no values yet, so `.numpy()` has nothing to give.",
            do="Compute the norm with `tf.norm`, return it, and leave NumPy to the caller.",
            idea="no values yet",
        ),
        Wrong(
            one_norm_for_all,
            why="This is one gradient of the mean over all batches put together. The task wants "
            "one for each batch, from that batch's own mean.",
            do="Call the step once for each pair in `batches`.",
            idea="all batches put together",
        ),
        Wrong(
            of_the_weights,
            why="This is the gradient for the layer's weights. The task asks for the one at the "
            "layer's output, which has a row for each row of the batch.",
            do="Keep `activation = hidden(x)`, watch it, and pass it to `tape.gradient`.",
            idea="for the layer's weights",
        ),
    ],
)

# --- gradients_during ---------------------------------------------------------------------


def own_outer_tape(step, layer):
    call, kept = layer.call, []
    with tf.GradientTape(persistent=True) as tape:

        def watched(*args, **kwargs):
            output = call(*args, **kwargs)
            tape.watch(output)
            kept.append(output)
            return output

        layer.call = watched
        step()
        del layer.call
    return [tape.gradient(output, output) for output in kept]


def outputs_instead(step, layer):
    call, kept = layer.call, []

    def keeping(*args, **kwargs):
        kept.append(call(*args, **kwargs))
        return kept[-1]

    layer.call = keeping
    step()
    del layer.call
    return kept


def passes_nothing_on(step, layer):
    call, told = layer.call, []

    @tf.custom_gradient
    def tap(x):
        def backward(gradient):
            told.append(gradient)
            return tf.zeros_like(gradient)

        return tf.identity(x), backward

    layer.call = lambda *args, **kwargs: tap(call(*args, **kwargs))
    step()
    del layer.call
    return told


def on_the_input(step, layer):
    call, told = layer.call, []

    @tf.custom_gradient
    def tap(x):
        def backward(gradient):
            told.append(gradient)
            return gradient

        return tf.identity(x), backward

    layer.call = lambda x, *args, **kwargs: call(tap(x), *args, **kwargs)
    step()
    del layer.call
    return told


def told_too_early(step, layer):
    call, told = layer.call, []

    @tf.custom_gradient
    def tap(x):
        told.append(x)
        return tf.identity(x), lambda gradient: gradient

    layer.call = lambda *args, **kwargs: tap(call(*args, **kwargs))
    step()
    del layer.call
    return told


def step_not_run(step, layer):
    call, told = layer.call, []
    layer.call = lambda *args, **kwargs: reference.gradient_tap(call(*args, **kwargs), told.append)
    del layer.call
    step()
    return told


def with_custom_gradient(step, layer):
    call, told = layer.call, []

    @tf.custom_gradient
    def tap(x):
        def backward(gradient):
            told.append(tf.identity(gradient))
            return gradient

        return x * 1.0, backward

    def call_and_tap(*args, **kwargs):
        return tap(call(*args, **kwargs))

    layer.call = call_and_tap
    step()
    del layer.call
    return told


def by_a_class(step, layer):
    class Tap:
        def __init__(self, inner):
            self.inner, self.told = inner, []

        def __call__(self, *args, **kwargs):
            return self.tapped(self.inner(*args, **kwargs))

        def tapped(self, x):
            return tf.custom_gradient(lambda x: (tf.identity(x), self.backward))(x)

        def backward(self, gradient):
            self.told += [gradient]
            return gradient

    tap = layer.call = Tap(layer.call)
    try:
        step()
    finally:
        del layer.call
    return tap.told


def training_step(times, activation="tanh", persistent=False):
    """A step with a tape of its own, and the layer whose gradients are asked for."""
    before = dense([[0.5, -1.0], [1.5, 0.25]])
    layer = dense([[1.0, 0.5], [-0.5, 2.0]], activation)
    after = dense([[1.0], [-3.0]])
    x = tf.constant([[1.0, 2.0], [-0.5, 0.25], [0.75, -1.0]])

    def step():
        with tf.GradientTape(persistent=persistent) as tape:
            y = before(x)
            for _ in range(times):
                y = layer(y)
            loss = tf.reduce_mean(after(y) ** 2)
        tape.gradient(loss, before.kernel)

    return step, layer


GRADIENTS_DURING = Task(
    function=reference.gradients_during,
    kind="write",
    minutes=15,
    points=6,
    probes=[
        Probe("a layer called once", lambda: training_step(1)),
        Probe("a layer called twice in a row", lambda: training_step(2)),
        Probe("a persistent tape, relu", lambda: training_step(1, "relu", persistent=True)),
    ],
    hints=(
        "Whose tape computes the gradient, and what does it run on its way back?",
        "`tf.custom_gradient` lets you write what the backward pass does at one place. For this "
        "step, replace `layer.call` by one that sends its output through such a function.",
        "`@tf.custom_gradient def tap(x)` returns `tf.identity(x)` and a function `backward(g)` "
        "that appends `g` to a list and returns it. `del layer.call` puts the layer's own back.",
    ),
    right=[with_custom_gradient, by_a_class],
    wrong=[
        Wrong(
            own_outer_tape,
            why="Your tape does not know the step's loss, so it can only be asked for the output's "
            "gradient with respect to itself, and that is ones.",
            do="Leave the tape to the step, and let its backward pass tell you: a custom gradient.",
            idea="does not know the step's loss",
        ),
        Wrong(
            outputs_instead,
            why="These are the layer's outputs, from the forward pass. A gradient comes by only in "
            "the backward pass.",
            do="Send the output through a function with `tf.custom_gradient`, and keep what its "
            "backward function is given.",
            idea="from the forward pass",
        ),
        Wrong(
            passes_nothing_on,
            cause="custom_gradient",
            why="Your tap keeps the gradient to itself and passes zeros on, so everything before "
            "the layer gets nothing, and the training is another one.",
            do="Return `gradient` from the backward function.",
            idea="passes zeros on",
        ),
        Wrong(
            on_the_input,
            why="The tap is on what goes into the layer. The task asks for the gradient at what "
            "comes out of it.",
            do="Call the layer first, and tap its output.",
            idea="what goes into the layer",
        ),
        Wrong(
            told_too_early,
            why="You appended `x` in the forward part of the custom gradient. The gradient is what "
            "the inner, backward function is given.",
            do="Move the `append` into the backward function, with its argument.",
            idea="the forward part",
        ),
        Wrong(
            step_not_run,
            why="The list is empty: when the step ran, the layer had its own `call` again.",
            do="Run `step()` between putting the tap in and taking it out.",
            idea="had its own `call` again",
        ),
    ],
)

# --- quiet_units --------------------------------------------------------------------------


def signed_sum(gradients):
    total = sum(batch.sum(axis=0) for batch in gradients)
    return [int(unit) for unit in np.flatnonzero(total == 0)]


def only_the_last_batch(gradients):
    return [int(unit) for unit in np.flatnonzero(np.all(gradients[-1] == 0, axis=0))]


def any_zero(gradients):
    rows = np.concatenate(gradients)
    return [int(unit) for unit in np.flatnonzero((rows == 0).any(axis=0))]


def one_array(gradients):
    stacked = np.array(gradients)
    return [int(unit) for unit in np.flatnonzero((stacked == 0).all(axis=(0, 1)))]


def rows_for_units(gradients):
    rows = np.concatenate(gradients)
    return [int(row) for row in np.flatnonzero((rows == 0).all(axis=1))]


def small_is_quiet(gradients):
    rows = np.abs(np.concatenate(gradients))
    return [int(unit) for unit in np.flatnonzero(rows.max(axis=0) < 1e-3)]


def put_together(gradients):
    rows = np.concatenate(gradients)
    return [unit for unit in range(rows.shape[1]) if not rows[:, unit].any()]


def by_sets(gradients):
    quiet = set(range(gradients[0].shape[1]))
    for batch in gradients:
        quiet -= {int(unit) for unit in np.nonzero(batch)[1]}
    return sorted(quiet)


def recorded(kind):
    first = np.array([[0, 1, 0, 2, -1], [0, -1, 0, 0, 1], [0, 0, 0, 0, 0]], "float32")
    second = np.array([[0, 2, 0, 0, 1], [0, -2, 0, 0, 2], [0, 0, 0, 0, -3]], "float32")
    last = np.array([[0, 3, 0, 0, 0]], "float32")
    if kind == "tiny":
        return [first * 1e-6, second * 1e-6]
    return [first, second] if kind == "equal" else [first, second, last]


def one_batch_awakens(units):
    """Three batches; each unit of `units` has a gradient in one row of the middle one."""
    batches = [np.zeros((2, 6), "float32") for _ in range(3)]
    batches[1][1, units] = -0.5
    return batches


def each_cancels():
    return [np.array([[0.5, 0.0, -0.0, 2.0], [-0.5, 0.0, 0.0, -2.0]], "float32")]


QUIET_UNITS = Task(
    function=reference.quiet_units,
    kind="write",
    minutes=8,
    points=4,
    probes=[
        Probe("two batches of three rows, five units", lambda: (recorded("equal"),)),
        Probe("a smaller last batch", lambda: (recorded("partial"),)),
        Probe("very small gradients", lambda: (recorded("tiny"),)),
    ],
    hidden=[
        Probe("one batch alone", lambda: (each_cancels(),)),
        Probe("two units awake, in one row", lambda: (one_batch_awakens([0, 4]),)),
        Probe("nobody awake", lambda: (one_batch_awakens([]),)),
        Probe("everybody awake", lambda: (one_batch_awakens(list(range(6))),)),
    ],
    hints=(
        "Can a sum be zero although its terms are not?",
        "Look at every row of every batch. `np.concatenate` puts batches of different size "
        "below one another.",
        "`rows = np.concatenate(gradients)`, then the columns of `rows` in which all elements are "
        "zero, as a list of `int`.",
    ),
    right=[put_together, by_sets],
    wrong=[
        Wrong(
            signed_sum,
            why="Gradients have signs, and in a sum they can cancel: a busy unit looks quiet.",
            do="Ask whether each element is zero, or sum their absolute values.",
            idea="they can cancel",
        ),
        Wrong(
            only_the_last_batch,
            why="You looked at the last batch only. A unit may rest there and work in another.",
            do="Go through all batches.",
            idea="last batch only",
        ),
        Wrong(
            any_zero,
            why="One zero is enough for you. But a ReLU is closed for some rows in a healthy unit, "
            "too; dead is one that is closed for all.",
            do="Ask for `all` rows, not `any`.",
            idea="closed for some rows",
        ),
        Wrong(
            one_array,
            why="`np.array` cannot make one array of batches of different size, and the last batch "
            "of an epoch often is smaller.",
            do="Use `np.concatenate(gradients)`: rows below one another.",
            idea="batches of different size",
        ),
        Wrong(
            rows_for_units,
            why="You looked along the wrong axis: rows are examples, columns are units.",
            do="Reduce over axis 0.",
            idea="the wrong axis",
        ),
        Wrong(
            small_is_quiet,
            why="A small gradient is not none: vanishing gradients are small, and those units can "
            "still learn, with another rate or start.",
            do="Compare with zero exactly; a closed ReLU gives an exact zero.",
            idea="A small gradient is not none",
        ),
    ],
)

# --- merge_replicas -----------------------------------------------------------------------


def all_averaged(rows, weights):
    count = len(rows)
    return tf.add_n(rows) / count, tf.add_n(weights) / count


def weights_averaged(rows, weights):
    return tf.concat(rows, axis=0), tf.add_n(weights) / len(weights)


def rows_added(rows, weights):
    return tf.add_n(rows), tf.add_n(weights)


def side_by_side(rows, weights):
    return tf.concat(rows, axis=1), tf.add_n(weights)


def stacked(rows, weights):
    return tf.stack(rows), tf.add_n(weights)


def weights_concatenated(rows, weights):
    return tf.concat(rows, axis=0), tf.concat(weights, axis=0)


def in_numpy(rows, weights):
    return np.concatenate([np.array(r) for r in rows]), np.sum([np.array(w) for w in weights], 0)


def one_by_one(rows, weights):
    together, total = rows[0], weights[0]
    for more, weight in zip(rows[1:], weights[1:], strict=True):
        together, total = tf.concat([together, more], axis=0), total + weight
    return together, total


def replicas(*sizes):
    """What replicas compute who share one batch; the loss is the mean over the whole batch."""
    x = np.linspace(-1, 1, 2 * sum(sizes)).reshape(-1, 2).astype("float32")
    kernel, out = tf.constant([[1.0, -0.5], [0.5, 2.0]]), tf.constant([[1.0], [-2.0]])
    rows, weights, first = [], [], 0
    for size in sizes:
        part = tf.constant(x[first : first + size])
        first += size
        with tf.GradientTape() as tape:
            tape.watch(kernel)
            hidden = part @ kernel
            loss = tf.reduce_sum((hidden @ out - 1.0) ** 2) / sum(sizes)
        gradients = tape.gradient(loss, [hidden, kernel])
        rows.append(gradients[0])
        weights.append(gradients[1])
    return rows, weights


MERGE_REPLICAS = Task(
    function=reference.merge_replicas,
    kind="write",
    minutes=6,
    points=4,
    probes=[
        Probe("two replicas, three rows each", lambda: replicas(3, 3)),
        Probe("shares of four and two rows", lambda: replicas(4, 2)),
        Probe("four replicas", lambda: replicas(2, 2, 2, 2)),
    ],
    hints=(
        "Does the second device's first row belong to the same example as the first device's?",
        "Each device has rows of its own, and every device has its own part of the sum that is the "
        "weight's gradient.",
        "`tf.concat` over axis 0 for the rows, `tf.add_n` for the weights.",
    ),
    right=[in_numpy, one_by_one],
    wrong=[
        Wrong(
            all_averaged,
            why="Averaged over replicas, as `fit` does with logs: rows of different examples are "
            "mixed, and the weight's gradient is too small.",
            do="Put the rows one after the other, and add the weights' gradients.",
            idea="rows of different examples are mixed",
        ),
        Wrong(
            weights_averaged,
            why="Each replica already divided by the size of the whole batch. If you divide again "
            "by the number of replicas, the weight's gradient is that many times too small.",
            do="Add the weights' gradients.",
            idea="divide again",
        ),
        Wrong(
            rows_added,
            why="Row 0 of one replica and row 0 of another are different examples; their gradients "
            "are not parts of one sum.",
            do="`tf.concat(rows, axis=0)`.",
            idea="are different examples",
        ),
        Wrong(
            side_by_side,
            why="You put the rows side by side, as if the replicas had different units. They have "
            "the same units and different rows.",
            do="Concatenate over axis 0.",
            idea="as if the replicas had different units",
        ),
        Wrong(
            stacked,
            why="`tf.stack` makes a new axis for the replicas, and fails if their shares differ. "
            "One process has only rows and units.",
            do="`tf.concat(rows, axis=0)`.",
            idea="a new axis for the replicas",
        ),
        Wrong(
            weights_concatenated,
            why="All replicas have the same weight. Its gradients are parts of one sum, not rows.",
            do="Add them: `tf.add_n(weights)`.",
            idea="parts of one sum, not rows",
        ),
    ],
)

TASKS = [BATCH_NORMS, GRADIENTS_DURING, QUIET_UNITS, MERGE_REPLICAS]
