"""The exercise of `unwatched_tensor`: probes, points, and what people write instead."""

import keras
import numpy as np
import tensorflow as tf

from classroom.spec import Probe, Task, Wrong
from solutions import unwatched_tensor as reference

# --- input_gradient -----------------------------------------------------------------------


def input_gradient_start(function, x):
    x = tf.convert_to_tensor(x)
    with tf.GradientTape() as tape:
        value = function(x)
    return tape.gradient(value, x)


def with_a_variable(function, x):
    x = tf.Variable(x)
    with tf.GradientTape() as tape:
        value = function(x)
    return tape.gradient(value, x)


def with_a_persistent_tape(function, x):
    tape = tf.GradientTape(persistent=True)
    with tape:
        tape.watch(x)
        total = tf.reduce_sum(function(x))
    gradient = tape.gradient(total, x)
    del tape
    return gradient


def watched_too_late(function, x):
    x = tf.convert_to_tensor(x)
    with tf.GradientTape() as tape:
        value = function(x)
        tape.watch(x)
    return tape.gradient(value, x)


def mean_instead_of_sum(function, x):
    x = tf.convert_to_tensor(x)
    with tf.GradientTape() as tape:
        tape.watch(x)
        value = tf.reduce_mean(function(x))
    return tape.gradient(value, x)


def gradient_of_the_input_itself(function, x):
    x = tf.convert_to_tensor(x)
    with tf.GradientTape() as tape:
        tape.watch(x)
    return tape.gradient(x, x)


def watched_value(function, x):
    x = tf.convert_to_tensor(x)
    with tf.GradientTape() as tape:
        value = function(x)
        tape.watch(value)
    return tape.gradient(value, value)


def a_layer():
    layer = keras.layers.Dense(2)
    layer.build((None, 3))
    layer.set_weights([np.array([[1.0, -2.0], [0.5, 3.0], [2.0, 0.25]]), np.array([0.5, 0.0])])
    return layer


INPUT_GRADIENT = Task(
    function=reference.input_gradient,
    kind="repair",
    minutes=5,
    points=4,
    start=input_gradient_start,
    probes=[
        Probe("a polynomial", lambda: (lambda x: x**3 - x, tf.constant([1.0, -2.0, 0.5]))),
        Probe(
            "a dense layer, two rows", lambda: (a_layer(), tf.constant([[1.0, 2, 3], [0, 1, 0]]))
        ),
        Probe("float64", lambda: (tf.exp, tf.constant([[0.0], [1.0]], tf.float64))),
    ],
    hints=(
        "Which tensors does a tape watch by itself, and is `x` one of them?",
        "Look at the first line inside the block: what has to happen before `function` runs?",
        "`tape.watch(…)` as the block's first line, with the tensor you later ask about.",
    ),
    right=[with_a_variable, with_a_persistent_tape],
    wrong=[
        Wrong(
            input_gradient_start,
            cause="unwatched",
            why="`x` is a plain tensor and the tape was never told to watch it; only trainable "
            "variables are watched by themselves.",
            do="Add `tape.watch(x)` before `function(x)` is called.",
            idea="never told to watch",
        ),
        Wrong(
            watched_too_late,
            cause="watched_late",
            why="`tape.watch(x)` came after `function(x)` had run. Watching works from that line "
            "on; it does not reach back.",
            do="Move `tape.watch(x)` to the top of the block.",
            idea="does not reach back",
        ),
        Wrong(
            mean_instead_of_sum,
            why="This is the gradient of the mean. The task asks for the gradient of the sum, "
            "which the tape takes by itself when the target is not a scalar.",
            do="Pass `function(x)` itself as the target, or `tf.reduce_sum` of it.",
            idea="gradient of the mean",
        ),
        Wrong(
            gradient_of_the_input_itself,
            why="Ones are the gradient of `x` with respect to `x`: the target is not the "
            "function's value.",
            do="Compute `value = function(x)` inside the block and pass `value` as the target.",
            idea="the target is not the function's value",
        ),
        Wrong(
            watched_value,
            why="You watched the function's value and asked for its gradient with respect to "
            "itself. The source is `x`.",
            do="Watch `x`, and pass `x` as the second argument of `tape.gradient`.",
            idea="with respect to itself",
        ),
    ],
)

# --- needs_watch --------------------------------------------------------------------------


def by_class(source):
    if hasattr(source, "path"):
        source = source.value
    if isinstance(source, tf.Variable):
        return not source.trainable
    return True


def by_experiment(source):
    source = getattr(source, "value", source) if hasattr(source, "path") else source
    with tf.GradientTape() as tape:
        value = source * 2.0
    return tape.gradient(value, source) is None


def every_variable_is_watched(source):
    source = source.value if hasattr(source, "path") else source
    return not isinstance(source, tf.Variable)


def keras_variables_need_it(source):
    return not (isinstance(source, tf.Variable) and source.trainable)


def nothing_needs_it(source):
    return False


def everything_needs_it(source):
    return True


def a_frozen_kernel():
    layer = keras.layers.Dense(1, kernel_initializer="ones")
    layer.build((None, 2))
    layer.trainable = False  # after it was made: the optimizer skips it, a tape does not
    return (layer.kernel,)


NEEDS_WATCH = Task(
    function=reference.needs_watch,
    kind="predict",
    minutes=8,
    points=5,
    probes=[
        Probe("tf.constant(1.0)", lambda: (tf.constant(1.0),)),
        Probe("tf.Variable(1.0)", lambda: (tf.Variable(1.0),)),
        Probe("tf.Variable(1.0, trainable=False)", lambda: (tf.Variable(1.0, trainable=False),)),
        Probe("a Dense layer's kernel", lambda: (a_layer().kernel,)),
        Probe("a Dense layer's output", lambda: (a_layer()(tf.ones((1, 3))),)),
    ],
    hidden=[  # the answer is True to one half of them
        Probe("keras.Variable", lambda: (keras.Variable(5.0),)),
        Probe("keras.Variable, not trainable", lambda: (keras.Variable(5.0, trainable=False),)),
        Probe("the kernel of a layer that was frozen later", a_frozen_kernel),
        Probe("the value of a variable", lambda: (tf.Variable([[7.0]]).value(),)),
    ],
    hints=(
        "Which kind of source does a tape notice by itself when it is read?",
        "A tape looks at the class and at the variable's own `trainable` flag. A Keras variable "
        "keeps a `tf.Variable` in `.value`.",
        "`False` exactly for a `tf.Variable` (or the one inside a Keras variable) whose "
        "`trainable` is `True`.",
    ),
    right=[by_class, by_experiment],
    wrong=[
        Wrong(
            every_variable_is_watched,
            cause="non_trainable",
            why="Not every variable: one created with `trainable=False` is not watched by itself.",
            do="Ask the variable for its `trainable` flag as well.",
            idea="created with `trainable=False`",
        ),
        Wrong(
            keras_variables_need_it,
            why="A Keras variable is no `tf.Variable`, but it holds one, and that one is read "
            "(and so watched) when the layer is called.",
            do="Look at `source.value` when the source is a Keras variable.",
            idea="it holds one",
        ),
        Wrong(
            nothing_needs_it,
            cause="unwatched",
            why="A tape watches trainable variables by itself, nothing else. A constant needs "
            "`tape.watch`.",
            do="Return True for tensors.",
            idea="nothing else",
        ),
        Wrong(
            everything_needs_it,
            why="A trainable variable is watched as soon as it is read; `tape.watch` adds nothing.",
            do="Return False for trainable variables.",
            idea="as soon as it is read",
        ),
    ],
)

# --- gradients_of_chosen ------------------------------------------------------------------


def watch_each(function, sources):
    plain = [getattr(s, "value", s) if hasattr(s, "path") else s for s in sources]
    with tf.GradientTape(watch_accessed_variables=False) as tape:
        tape.watch(plain)
        value = function()
    return tape.gradient(value, plain)


def one_tape_a_source(function, sources):
    gradients = []
    for source in sources:
        with tf.GradientTape(watch_accessed_variables=False) as tape:
            tape.watch(source.value if hasattr(source, "path") else source)
            value = tf.reduce_sum(function())
        gradients.append(tape.gradient(value, source))
    return gradients


def watches_nothing(function, sources):
    with tf.GradientTape(watch_accessed_variables=False) as tape:
        value = function()
    return tape.gradient(value, sources)


def watches_every_variable(function, sources):
    with tf.GradientTape() as tape:
        value = function()
    return tape.gradient(value, sources)


def watches_the_keras_variable(function, sources):
    with tf.GradientTape(watch_accessed_variables=False) as tape:
        tape.watch(sources)
        value = function()
    return tape.gradient(value, sources)


def function_called_outside(function, sources):
    value = function()
    with tf.GradientTape(watch_accessed_variables=False) as tape:
        for source in sources:
            tape.watch(source.value if hasattr(source, "path") else source)
    return tape.gradient(value, sources)


def variable_and_tensor():
    w, x = tf.Variable([1.0, 2.0]), tf.constant([3.0, -1.0])
    return lambda: tf.reduce_sum(w**2 * x), [w, x]


def keras_kernel():
    layer = a_layer()
    return lambda: layer(tf.constant([[1.0, 2.0, 3.0]])), [layer.kernel]


def frozen_variable():
    scale = tf.Variable([2.0, 4.0], trainable=False)
    return lambda: tf.reduce_sum(scale**3), [scale]


GRADIENTS_OF_CHOSEN = Task(
    function=reference.gradients_of_chosen,
    kind="write",
    minutes=12,
    points=6,
    probes=[
        Probe("a variable and a tensor", variable_and_tensor),
        Probe("a Keras layer's kernel", keras_kernel),
        Probe("a variable with trainable=False", frozen_variable),
    ],
    hints=(
        "Which argument of `tf.GradientTape` turns the automatic watching off?",
        "With `watch_accessed_variables=False`, every source needs its own `tape.watch`; for a "
        "Keras variable pass `.value`.",
        "Open the tape with `watch_accessed_variables=False`, watch each source, call "
        "`function()`, then one `tape.gradient(value, sources)`.",
    ),
    right=[watch_each, one_tape_a_source],
    wrong=[
        Wrong(
            watches_nothing,
            cause="unwatched",
            why="You turned the automatic watching off and watched nothing yourself, so the tape "
            "recorded nothing.",
            do="Call `tape.watch` on each source before `function()`.",
            idea="watched nothing yourself",
        ),
        Wrong(
            watches_every_variable,
            cause="unwatched",
            why="This tape watches every trainable variable and none of the other sources: the "
            "tensor and the variable with `trainable=False` come back as None.",
            do="Open it with `watch_accessed_variables=False` and watch the sources you are given.",
            idea="none of the other sources",
        ),
        Wrong(
            watches_the_keras_variable,
            why="`tape.watch` refuses a Keras variable: it is a wrapper around a `tf.Variable`.",
            do="Watch `source.value` when the source is a Keras variable.",
            idea="refuses a Keras variable",
        ),
        Wrong(
            function_called_outside,
            cause="outside_tape",
            why="`function()` ran before the block, while the tape was not recording.",
            do="Call `function()` inside the block, after the sources are watched.",
            idea="not recording",
        ),
    ],
)

TASKS = [INPUT_GRADIENT, NEEDS_WATCH, GRADIENTS_OF_CHOSEN]
