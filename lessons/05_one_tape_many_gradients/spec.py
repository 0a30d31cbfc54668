"""The exercise of `one_tape_many_gradients`: probes, points, and what people write instead."""

import keras
import numpy as np
import tensorflow as tf

from classroom.spec import Probe, Task, Wrong
from solutions import one_tape_many_gradients as reference

# --- gradients_along ----------------------------------------------------------------------


def gradients_along_start(steps, x):
    value, received = tf.convert_to_tensor(x), []
    with tf.GradientTape() as tape:
        for step in steps:
            tape.watch(value)
            received.append(value)
            value = step(value)
    return [tape.gradient(value, source) for source in received]


def with_a_persistent_tape(steps, x):
    value, received = tf.convert_to_tensor(x), []
    with tf.GradientTape(persistent=True) as tape:
        for step in steps:
            tape.watch(value)
            received.append(value)
            value = step(value)
    gradients = [tape.gradient(value, source) for source in received]
    del tape
    return gradients


def as_a_dict(steps, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        received = {0: x}
        for number, step in enumerate(steps, start=1):
            received[number] = step(received[number - 1])
        target = tf.reduce_sum(received.pop(len(steps)))
    found = tape.gradient(target, received)
    return [found[number] for number in sorted(found)]


def backwards_by_hand(steps, x):
    received = [x]
    for step in steps[:-1]:
        received.append(step(received[-1]))
    gradients, upstream = [], None
    for step, source in zip(reversed(steps), reversed(received), strict=True):
        with tf.GradientTape() as tape:
            tape.watch(source)
            value = step(source)
        upstream = tape.gradient(value, source, output_gradients=upstream)
        gradients.insert(0, upstream)
    return gradients


def each_step_alone(steps, x):
    gradients, value = [], tf.convert_to_tensor(x)
    for step in steps:
        with tf.GradientTape() as tape:
            tape.watch(value)
            output = step(value)
        gradients.append(tape.gradient(output, value))
        value = output
    return gradients


def outputs_instead(steps, x):
    value, outputs = tf.convert_to_tensor(x), []
    with tf.GradientTape() as tape:
        for step in steps:
            tape.watch(value)
            value = step(value)
            outputs.append(value)
    return tape.gradient(value, outputs)


def nothing_watched(steps, x):
    value, received = tf.convert_to_tensor(x), []
    with tf.GradientTape() as tape:
        for step in steps:
            received.append(value)
            value = step(value)
    return tape.gradient(value, received)


def target_and_source_swapped(steps, x):
    value, received = tf.convert_to_tensor(x), []
    with tf.GradientTape() as tape:
        tape.watch(value)
        for step in steps:
            received.append(value)
            value = step(value)
    return tape.gradient(received, received[0])


def a_layer(weights, activation=None):
    layer = keras.layers.Dense(len(weights[0]), activation)
    layer.build((None, len(weights)))
    layer.set_weights([np.array(weights), np.full(len(weights[0]), 0.25)])
    return layer


def two_layers():
    first = a_layer([[0.5, -0.5], [0.25, 0.5]], "tanh")
    return [first, a_layer([[2.0], [-1.0]])], tf.constant([[1.0, 2.0], [0.0, -1.0]])


GRADIENTS_ALONG = Task(
    function=reference.gradients_along,
    kind="repair",
    minutes=7,
    points=4,
    start=gradients_along_start,
    probes=[
        Probe("two steps without weights", lambda: ([tf.exp, tf.sin], tf.constant([0.5, -1.0]))),
        Probe("two dense layers, two rows", two_layers),
        Probe(
            "three steps, float64",
            lambda: (
                [tf.square, lambda v: v * 3.0, tf.tanh],
                tf.constant([[0.5], [0.25]], tf.float64),
            ),
        ),
    ],
    hints=(
        "How often may you ask a tape that is not persistent?",
        "Look at the last line: what may the second argument of `tape.gradient` be, besides a "
        "tensor?",
        "`received` is a list already: hand it over whole, `tape.gradient(value, …)`.",
    ),
    right=[with_a_persistent_tape, as_a_dict, backwards_by_hand],
    wrong=[
        Wrong(
            gradients_along_start,
            cause="spent_tape",
            why="The loop calls `tape.gradient` once for each source, and the first call used the "
            "record up.",
            do="Ask once, with the whole list: `tape.gradient(value, received)`.",
            idea="used the record up",
        ),
        Wrong(
            each_step_alone,
            why="A new tape for each step gives the step's own slope only: what the later steps do "
            "to it is missing.",
            do="Let one tape record all the steps, and ask it about the last output.",
            idea="the step's own slope only",
        ),
        Wrong(
            outputs_instead,
            why="These are the gradients with respect to what each step returns; the last of "
            "them is always one. The task asks about what each step receives.",
            do="Append `value` to the list before the step is called.",
            idea="what each step receives",
        ),
        Wrong(
            nothing_watched,
            cause="unwatched",
            why="Nobody told the tape to watch the first tensor. It records a step only if "
            "something is watched, and steps without weights bring nothing along.",
            do="Call `tape.watch(value)` before the step is called.",
            idea="Nobody told the tape",
        ),
        Wrong(
            target_and_source_swapped,
            why="The list stands in the place of the target, so the tape added the gradients of "
            "several targets.",
            do="The last output is the target: `tape.gradient(value, received)`.",
            idea="in the place of the target",
        ),
    ],
)

# --- gradients_of_each --------------------------------------------------------------------


def plain(source):
    """The `tf.Variable` inside a Keras variable."""
    return source.value if hasattr(source, "path") else source


def asked_in_a_loop(losses, sources):
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([plain(source) for source in tf.nest.flatten(sources)])
        values = losses()
    gradients = {}
    for name in values:
        gradients[name] = tape.gradient(values[name], sources)
    del tape
    return gradients


def forward_again_for_each(losses, sources):
    result = {}
    for name in losses():
        with tf.GradientTape() as tape:
            for source in tf.nest.flatten(sources):
                tape.watch(plain(source))
            value = losses()[name]
        result[name] = tape.gradient(value, sources)
    return result


def on_an_ordinary_tape(losses, sources):
    with tf.GradientTape() as tape:
        tape.watch([plain(source) for source in tf.nest.flatten(sources)])
        values = losses()
    return {name: tape.gradient(value, sources) for name, value in values.items()}


def all_targets_at_once(losses, sources):
    with tf.GradientTape() as tape:
        tape.watch([plain(source) for source in tf.nest.flatten(sources)])
        values = losses()
    return tape.gradient(values, sources)


def the_sum_under_each_name(losses, sources):
    with tf.GradientTape() as tape:
        tape.watch([plain(source) for source in tf.nest.flatten(sources)])
        values = losses()
        total = tf.add_n(list(values.values()))
    gradients = tape.gradient(total, sources)
    return dict.fromkeys(values, gradients)


def tensors_not_watched(losses, sources):
    with tf.GradientTape(persistent=True) as tape:
        values = losses()
    return {name: tape.gradient(value, sources) for name, value in values.items()}


def losses_before_the_block(losses, sources):
    values = losses()
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([plain(source) for source in tf.nest.flatten(sources)])
    return {name: tape.gradient(value, sources) for name, value in values.items()}


def zeros_for_none(losses, sources):
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([plain(source) for source in tf.nest.flatten(sources)])
        values = losses()
    return {
        name: tape.gradient(value, sources, unconnected_gradients="zero")
        for name, value in values.items()
    }


def variable_and_tensor():
    w, x = tf.Variable([1.0, 2.0]), tf.constant([3.0, -1.0])

    def losses():
        return {"product": tf.reduce_sum(w * x), "curved": tf.reduce_sum(w**2 * x**3)}

    return losses, {"w": w, "x": x}


def two_layers_and_a_penalty():
    layers, x = two_layers()

    def losses():
        error = tf.reduce_mean(layers[1](layers[0](x)) ** 2)
        return {"error": error, "size": tf.reduce_sum(tf.square(layers[1].kernel))}

    return losses, [layers[0].kernel, layers[1].kernel]


def three_losses():
    w = tf.Variable(2.0)
    return lambda: {"first": w, "second": w**2, "third": w**3}, [w]


GRADIENTS_OF_EACH = Task(
    function=reference.gradients_of_each,
    kind="write",
    minutes=10,
    points=6,
    probes=[
        Probe("a variable and a tensor", variable_and_tensor),
        Probe("two layers and a penalty", two_layers_and_a_penalty),
        Probe("three losses of one variable", three_losses),
    ],
    hints=(
        "Several sources fit into one call. What does a tape do with several targets?",
        "Look up `persistent` in the lesson. And does the tape watch every source by itself?",
        "`with tf.GradientTape(persistent=True) as tape:`, watch each source (of a Keras variable "
        "its `.value`), `values = losses()`; then `tape.gradient(value, sources)` for each name.",
    ),
    right=[asked_in_a_loop, forward_again_for_each],
    wrong=[
        Wrong(
            on_an_ordinary_tape,
            cause="spent_tape",
            why="The first loss's gradients used the tape up, and it is asked once for each loss.",
            do="Open it with `persistent=True`.",
            idea="used the tape up",
        ),
        Wrong(
            all_targets_at_once,
            cause="summed",
            why="Several targets in one call are added up: this is one set of gradients, that of "
            "the losses' sum.",
            do="Call `tape.gradient` once for each loss, on a persistent tape.",
            idea="are added up",
        ),
        Wrong(
            the_sum_under_each_name,
            cause="summed",
            why="You differentiated the sum of the losses, so each name got the same gradients.",
            do="Use each loss as a target of its own, on a persistent tape.",
            idea="each name got the same gradients",
        ),
        Wrong(
            tensors_not_watched,
            cause="unwatched",
            why="A trainable variable is watched by itself; a tensor among the sources is not.",
            do="Call `tape.watch` on the sources before `losses()`.",
            idea="a tensor among the sources is not",
        ),
        Wrong(
            losses_before_the_block,
            cause="outside_tape",
            why="`losses()` ran before the block, while the tape was not recording.",
            do="Call `losses()` inside the block, after the sources are watched.",
            idea="was not recording",
        ),
        Wrong(
            zeros_for_none,
            why="A loss that does not use a source should give None there. Zeros hide the "
            "difference between no path and no slope.",
            do="Leave `unconnected_gradients` out.",
            idea="between no path and no slope",
        ),
    ],
)

# --- gradient_penalty ---------------------------------------------------------------------


def gradient_penalty_start(critic, x):
    with tf.GradientTape() as outer:
        x = tf.convert_to_tensor(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            scores = critic(x)
    slopes = inner.gradient(scores, x)
    squares = tf.reduce_sum(tf.reshape(slopes, [x.shape[0], -1]) ** 2, axis=1)
    lengths = tf.sqrt(squares + 1e-12)
    penalty = tf.reduce_mean((lengths - 1.0) ** 2)
    return penalty, outer.gradient(penalty, critic.trainable_variables)


def with_tf_norm(critic, x):
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            inner.watch(x)
            total = tf.reduce_sum(critic(x))
        slopes = tf.reshape(inner.gradient(total, x), [len(x), -1])
        penalty = tf.reduce_mean(tf.square(tf.norm(slopes, axis=1) - 1.0))
    return penalty, outer.gradient(penalty, critic.trainable_variables)


def slopes_in_a_function(critic, x):
    def lengths():
        with tf.GradientTape() as tape:
            tape.watch(x)
            scores = critic(x)
        slopes = tape.gradient(scores, x)
        axes = list(range(1, len(x.shape)))
        return tf.sqrt(tf.reduce_sum(slopes * slopes, axis=axes))

    with tf.GradientTape() as tape:
        penalty = tf.reduce_mean((lengths() - 1.0) ** 2)
    return penalty, tape.gradient(penalty, critic.trainable_variables)


def penalty_outside(critic, x):
    x = tf.convert_to_tensor(x)
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            inner.watch(x)
            scores = critic(x)
        slopes = inner.gradient(scores, x)
    squares = tf.reduce_sum(tf.reshape(slopes, [x.shape[0], -1]) ** 2, axis=1)
    lengths = tf.sqrt(squares + 1e-12)
    penalty = tf.reduce_mean((lengths - 1.0) ** 2)
    return penalty, outer.gradient(penalty, critic.trainable_variables)


def one_persistent_tape(critic, x):
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        scores = critic(x)
    slopes = tape.gradient(scores, x)
    lengths = tf.norm(tf.reshape(slopes, [x.shape[0], -1]), axis=1)
    penalty = tf.reduce_mean((lengths - 1.0) ** 2)
    return penalty, tape.gradient(penalty, critic.trainable_variables)


def one_ordinary_tape(critic, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        scores = critic(x)
        slopes = tape.gradient(scores, x)
        lengths = tf.norm(tf.reshape(slopes, [x.shape[0], -1]), axis=1)
        penalty = tf.reduce_mean((lengths - 1.0) ** 2)
    return penalty, tape.gradient(penalty, critic.trainable_variables)


def scores_as_target(critic, x):
    x = tf.convert_to_tensor(x)
    with tf.GradientTape(persistent=True) as outer:
        with tf.GradientTape() as inner:
            inner.watch(x)
            scores = critic(x)
        slopes = inner.gradient(scores, x)
        lengths = tf.norm(tf.reshape(slopes, [x.shape[0], -1]), axis=1)
        penalty = tf.reduce_mean((lengths - 1.0) ** 2)
    return penalty, outer.gradient(scores, critic.trainable_variables)


def one_length_for_the_batch(critic, x):
    x = tf.convert_to_tensor(x)
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            inner.watch(x)
            scores = critic(x)
        slopes = inner.gradient(scores, x)
        penalty = (tf.sqrt(tf.reduce_sum(slopes**2)) - 1.0) ** 2
    return penalty, outer.gradient(penalty, critic.trainable_variables)


def slopes_of_the_mean(critic, x):
    x = tf.convert_to_tensor(x)
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            inner.watch(x)
            scores = tf.reduce_mean(critic(x))
        slopes = inner.gradient(scores, x)
        lengths = tf.norm(tf.reshape(slopes, [x.shape[0], -1]), axis=1)
        penalty = tf.reduce_mean((lengths - 1.0) ** 2)
    return penalty, outer.gradient(penalty, critic.trainable_variables)


def a_critic():
    hidden = a_layer([[0.5, -1.0], [1.0, 0.25]], "tanh")
    return keras.Sequential([keras.Input((2,)), hidden, a_layer([[1.5], [-0.5]])])


def an_image_critic():
    flat = keras.layers.Flatten()
    hidden = a_layer([[0.5, -1.0], [1.0, 0.25], [-0.5, 0.5], [2.0, 1.0]], "softplus")
    return keras.Sequential([keras.Input((2, 2, 1)), flat, hidden, a_layer([[1.0], [-2.0]])])


def images():
    return tf.reshape(tf.constant([0.1, 0.2, 0.3, 0.4, -0.5, 0.0, 0.5, 1.0]), (2, 2, 2, 1))


GRADIENT_PENALTY = Task(
    function=reference.gradient_penalty,
    kind="repair",
    minutes=10,
    points=6,
    start=gradient_penalty_start,
    probes=[
        Probe(
            "a critic with one hidden layer, three rows",
            lambda: (a_critic(), tf.constant([[1.0, 0.5], [-0.5, 0.25], [0.0, 1.0]])),
            rtol=1e-4,
        ),
        Probe("a critic of two small images", lambda: (an_image_critic(), images()), rtol=1e-4),
        Probe(
            "a linear critic",
            lambda: (a_layer([[3.0], [4.0]]), tf.constant([[1.0, 0.5], [-0.5, 0.25]])),
            rtol=1e-4,
        ),
    ],
    hints=(
        "Which tape should have recorded the walk back that gives the slopes?",
        "Look at where the outer block ends, and which lines stand between the weights and "
        "`penalty`.",
        "Indent the lines from `slopes = inner.gradient(scores, x)` to `penalty = …` by four "
        "spaces: inside `outer`, but outside `inner`.",
    ),
    right=[with_tf_norm, slopes_in_a_function],
    wrong=[
        Wrong(
            gradient_penalty_start,
            cause="second_order",
            why="`inner.gradient` ran after the outer block, so the outer tape did not record the "
            "walk back: to it, the slopes are constants.",
            do="Indent `slopes = …` and the lines down to `penalty` into the outer block.",
            idea="did not record the walk back",
        ),
        Wrong(
            penalty_outside,
            cause="outside_tape",
            why="The slopes are recorded now, but the penalty is computed from them after the "
            "outer block has ended.",
            do="Indent the lines from `squares` to `penalty` as well.",
            idea="after the outer block has ended",
        ),
        Wrong(
            one_persistent_tape,
            cause="second_order",
            why="`persistent=True` lets you ask twice, but the first answer was computed after the "
            "block, where this tape records nothing.",
            do="Use two tapes, and call `inner.gradient` inside the outer block.",
            idea="lets you ask twice",
        ),
        Wrong(
            one_ordinary_tape,
            cause="spent_tape",
            why="One tape was asked for the slopes and then for the weights' gradients. Its first "
            "answer used it up.",
            do="Use two tapes: an inner one for the slopes, an outer one for the weights.",
            idea="used it up",
        ),
        Wrong(
            scores_as_target,
            why="These are the gradients of the scores, not of the penalty: the slopes were "
            "computed, but the last line does not use them.",
            do="Pass `penalty` as the target of `outer.gradient`.",
            idea="gradients of the scores",
        ),
        Wrong(
            one_length_for_the_batch,
            why="This takes one length over the whole batch. Each example has a slope of its own, "
            "whose length should be 1.",
            do="Sum the squares over all axes but the first, then take the mean over the examples.",
            idea="one length over the whole batch",
        ),
        Wrong(
            slopes_of_the_mean,
            why="The slopes of the mean score are too short by a factor: the number of examples.",
            do="Pass the critic's scores themselves to `inner.gradient`; a tape adds them up.",
            idea="slopes of the mean score",
        ),
    ],
)

TASKS = [GRADIENTS_ALONG, GRADIENTS_OF_EACH, GRADIENT_PENALTY]
