"""The exercise of `what_the_tape_records`: probes, points, and what people write instead."""

import keras
import numpy as np
import tensorflow as tf

from classroom.spec import Probe, Task, Wrong
from solutions import what_the_tape_records as reference

# --- watched_names ------------------------------------------------------------------------


def watched_names_start(function):
    with tf.GradientTape() as tape:
        names = [variable.name for variable in tape.watched_variables()]
        function()
    return sorted(names)


def asked_inside_the_block(function):
    with tf.GradientTape() as tape:
        function()
        watched = tape.watched_variables()
    return sorted(variable.name for variable in watched)


def with_a_loop(function):
    tape = tf.GradientTape(persistent=True)
    with tape:
        function()
    names = []
    for variable in tape.watched_variables():
        names.append(variable.name)
    names.sort()
    return names


def called_after_the_block(function):
    with tf.GradientTape() as tape:
        pass
    function()
    return sorted(variable.name for variable in tape.watched_variables())


def variables_themselves(function):
    with tf.GradientTape() as tape:
        function()
    return list(tape.watched_variables())


def automatic_watching_off(function):
    with tf.GradientTape(watch_accessed_variables=False) as tape:
        function()
    return sorted(variable.name for variable in tape.watched_variables())


def two_variables():
    slope, offset = tf.Variable([2.0, 1.0], name="slope"), tf.Variable(0.5, name="offset")
    x = tf.constant([3.0, 4.0])
    return (lambda: slope * x + offset,)


def one_of_three_is_read():
    read = tf.Variable(1.0, name="read")
    frozen = tf.Variable(1.0, trainable=False, name="frozen")
    tf.Variable(1.0, name="unread")
    return (lambda: read * frozen,)


def a_layer():
    layer = keras.layers.Dense(1, name="dense")
    layer.build((None, 2))
    layer.set_weights([np.array([[1.0], [2.0]]), np.array([0.0])])
    return (lambda: layer(tf.ones((1, 2))),)


def read_in_a_loop():
    z, a, m = (tf.Variable(1.0, name=name) for name in "zam")
    return (lambda: sum(v * turn for turn in (1.0, 2.0) for v in (z, a, m)),)


def behind_a_frozen_layer():
    layers = [keras.layers.Dense(1, use_bias=False, name=name) for name in ("below", "above")]
    model = keras.Sequential([keras.Input((1,)), *layers], name="tower")
    layers[0].trainable = False  # the optimizer skips it; a tape does not
    return (lambda: model(tf.ones((2, 1))),)


def only_one_branch_runs():
    warm, cold = tf.Variable(1.0, name="warm"), tf.Variable(1.0, name="cold")
    limit = tf.Variable(0.5, name="limit", trainable=False)
    return (lambda: warm * 2.0 if tf.constant(1.0) < limit else cold * limit,)


WATCHED_NAMES = Task(
    function=reference.watched_names,
    kind="repair",
    minutes=5,
    points=3,
    start=watched_names_start,
    probes=[
        Probe("two variables and a tensor", two_variables),
        Probe("one trainable variable is read, another is not", one_of_three_is_read),
        Probe("a Dense layer", a_layer),
    ],
    hidden=[
        Probe("three variables, each read twice", read_in_a_loop),
        Probe("a model with a frozen layer", behind_a_frozen_layer),
        Probe("two branches, of which one runs", only_one_branch_runs),
    ],
    hints=(
        "At the moment when you ask the tape, which variables have been read?",
        "Compare the order of the two lines inside the block with what the docstring promises.",
        "Move the line `function()` up, so that it is the first line of the block.",
    ),
    right=[asked_inside_the_block, with_a_loop],
    wrong=[
        Wrong(
            watched_names_start,
            why="The tape was asked before `function()` ran. It begins to watch a variable at the "
            "moment the variable is read, so its list was still empty.",
            do="Call `function()` first, then ask for `tape.watched_variables()`.",
            idea="asked before",
        ),
        Wrong(
            called_after_the_block,
            cause="outside_tape",
            why="`function()` ran after the block had ended, and a tape notices only what is read "
            "inside it.",
            do="Move `function()` into the `with` block.",
            idea="after the block had ended",
        ),
        Wrong(
            variables_themselves,
            why="These are the variables themselves. The task asks for their names.",
            do="Take `variable.name` of each, and sort the list.",
            idea="asks for their names",
        ),
        Wrong(
            automatic_watching_off,
            cause="unwatched",
            why="`watch_accessed_variables=False` switches off the very thing you want to see: a "
            "variable is no longer watched because it is read.",
            do="Open the tape without that argument.",
            idea="switches off",
        ),
    ],
)

# --- recorded_steps -----------------------------------------------------------------------


def stone():
    return [
        ("rise", ["speed", "time"]),
        ("square", ["time"]),
        ("fall", ["square", "g"]),
        ("height", ["rise", "fall"]),
    ]


def two_layers():
    return [
        ("scaled", ["image", "mean"]),
        ("h1", ["scaled", "kernel1"]),
        ("h2", ["h1", "kernel2"]),
        ("score", ["h2"]),
        ("brightness", ["scaled"]),
    ]


def residual_block():
    return [
        ("z1", ["x", "w1"]),
        ("a1", ["z1"]),
        ("noise", []),
        ("z2", ["a1", "w2"]),
        ("sum", ["z2", "x"]),
        ("noisy", ["sum", "noise"]),
        ("size", ["x"]),
    ]


def two_heads():
    return [
        ("body", ["image", "w0"]),
        ("left", ["body", "w1"]),
        ("right", ["body", "w2"]),
        ("loss_left", ["left", "labels"]),
        ("loss_right", ["right", "labels"]),
        ("total", ["loss_left", "loss_right"]),
    ]


def with_two_lists(steps, watched):
    recorded = []
    for result, inputs in steps:
        if any(name in watched or name in recorded for name in inputs):
            recorded.append(result)
    return recorded


def by_growing_a_list(steps, watched):
    known = list(watched)
    for step in steps:
        touched = [name for name in step[1] if name in known]
        if len(touched) > 0:
            known = [*known, step[0]]
    return known[len(watched) :]


def only_watched_inputs(steps, watched):
    return [result for result, inputs in steps if any(name in watched for name in inputs)]


def all_inputs_must_be_followed(steps, watched):
    followed, recorded = set(watched), []
    for result, inputs in steps:
        if all(name in followed for name in inputs):
            followed.add(result)
            recorded.append(result)
    return recorded


def everything_in_the_block(steps, watched):
    return [result for result, inputs in steps]


def only_the_first_input(steps, watched):
    followed, recorded = set(watched), []
    for result, inputs in steps:
        if inputs[0] in followed:
            followed.add(result)
            recorded.append(result)
    return recorded


RECORDED_STEPS = Task(
    function=reference.recorded_steps,
    kind="predict",
    minutes=10,
    points=4,
    probes=[
        Probe("the stone, `speed` is watched", lambda: (stone(), ["speed"])),
        Probe("the stone, `time` is watched", lambda: (stone(), ["time"])),
        Probe(
            "two layers, the kernels are watched", lambda: (two_layers(), ["kernel1", "kernel2"])
        ),
        Probe("two layers, the image is watched", lambda: (two_layers(), ["image"])),
        Probe("nothing is watched", lambda: (stone(), [])),
    ],
    hidden=[
        Probe("a residual block, `w2` is watched", lambda: (residual_block(), ["w2"])),
        Probe("a residual block, `x` is watched", lambda: (residual_block(), ["x"])),
        Probe("two heads, one head's weight is watched", lambda: (two_heads(), ["w1"])),
        Probe("two heads, the labels are watched", lambda: (two_heads(), ["labels"])),
    ],
    hints=(
        "`height` uses neither `speed` nor `time` itself. Why is it recorded all the same?",
        "Keep a set of names that the tape follows. It begins as `watched`. When does a name join?",
        "For each step: if any input is in the set, put the result into the set and into the "
        "answer.",
    ),
    right=[with_two_lists, by_growing_a_list],
    wrong=[
        Wrong(
            only_watched_inputs,
            why="You record a step only if it uses something watched directly. What a recorded "
            "step made is followed as well, so the chain goes on from there.",
            do="Add the result of every recorded step to the names that count.",
            idea="is followed as well",
        ),
        Wrong(
            all_inputs_must_be_followed,
            why="You want every input of a step to be followed. One followed input is enough: a "
            "constant beside it does not stop the recording.",
            do="Ask `any(...)` where you ask `all(...)`.",
            idea="One followed input is enough",
        ),
        Wrong(
            everything_in_the_block,
            cause="unwatched",
            why="You record everything that runs in the block. A tape skips each step in which "
            "nothing is watched and nothing was made from something watched.",
            do="Look at each step's inputs before you record it.",
            idea="A tape skips",
        ),
        Wrong(
            only_the_first_input,
            why="You look at one input of a step only. To a tape, `x * w` and `w * x` are alike: "
            "any of the inputs may be the followed one.",
            do="Ask whether any name in `inputs` is followed.",
            idea="any of the inputs",
        ),
    ],
)

# --- gradient_is_none ---------------------------------------------------------------------


def forward_from_the_source(steps, watched, target, source):
    recorded, followed = [], set(watched)
    for result, inputs in steps:
        if followed & set(inputs):
            followed.add(result)
            recorded.append((result, inputs))
    if source not in followed:
        return True
    reached = {source}
    for result, inputs in recorded:
        if reached & set(inputs):
            reached.add(result)
    return target not in reached


def by_recursion(steps, watched, target, source):
    inputs_of = dict(steps)

    def followed(name):
        return name in watched or any(followed(i) for i in inputs_of.get(name, []))

    def uses(name):
        return name == source or any(uses(i) for i in inputs_of.get(name, []))

    return not (followed(source) and uses(target))


def is_the_source_watched(steps, watched, target, source):
    return source not in watched


def is_the_target_recorded(steps, watched, target, source):
    followed, recorded = set(watched), []
    for result, inputs in steps:
        if any(name in followed for name in inputs):
            followed.add(result)
            recorded.append(result)
    return target not in recorded


def does_the_target_use_it(steps, watched, target, source):
    used = {target}
    for result, inputs in reversed(steps):
        if result in used:
            used.update(inputs)
    return source not in used


def are_both_followed(steps, watched, target, source):
    followed = set(watched)
    for result, inputs in steps:
        if any(name in followed for name in inputs):
            followed.add(result)
    return not (source in followed and target in followed)


GRADIENT_IS_NONE = Task(
    function=reference.gradient_is_none,
    kind="predict",
    minutes=12,
    points=5,
    probes=[
        Probe("height by time, `speed` is watched", lambda: (stone(), ["speed"], "height", "time")),
        Probe("height by rise, `speed` is watched", lambda: (stone(), ["speed"], "height", "rise")),
        Probe("height by fall, `speed` is watched", lambda: (stone(), ["speed"], "height", "fall")),
        Probe("height by time, `time` is watched", lambda: (stone(), ["time"], "height", "time")),
        Probe(
            "fall by speed, both are watched", lambda: (stone(), ["speed", "time"], "fall", "speed")
        ),
        Probe(
            "brightness by h1, everything is watched",
            lambda: (two_layers(), ["image", "kernel1", "kernel2"], "brightness", "h1"),
        ),
        Probe(
            "score by h1, the kernels are watched",
            lambda: (two_layers(), ["kernel1", "kernel2"], "score", "h1"),
        ),
    ],
    hidden=[  # the answer is True to one half of them
        Probe("noisy by x, `w2` is watched", lambda: (residual_block(), ["w2"], "noisy", "x")),
        Probe("noisy by z2, `w2` is watched", lambda: (residual_block(), ["w2"], "noisy", "z2")),
        Probe(
            "size by w1, `x` and `w1` are watched",
            lambda: (residual_block(), ["x", "w1"], "size", "w1"),
        ),
        Probe(
            "sum by a1, `x` and `w1` are watched",
            lambda: (residual_block(), ["x", "w1"], "sum", "a1"),
        ),
        Probe(
            "loss_left by w2, all weights are watched",
            lambda: (two_heads(), ["w0", "w1", "w2"], "loss_left", "w2"),
        ),
        Probe(
            "total by body, all weights are watched",
            lambda: (two_heads(), ["w0", "w1", "w2"], "total", "body"),
        ),
        Probe(
            "left by loss_left, all weights are watched",
            lambda: (two_heads(), ["w0", "w1", "w2"], "left", "loss_left"),
        ),
        Probe("total by w0, `w0` is watched", lambda: (two_heads(), ["w0"], "total", "w0")),
    ],
    hints=(
        "Two things must be true of the source. Which question does each of them answer: is it "
        "in the record, and is it on the way?",
        "Find the recorded steps first. Then walk from the target: its step's inputs, their "
        "steps' inputs, and so on.",
        "The answer is `False` exactly if the source is followed (watched, or the result of a "
        "recorded step) and you meet it on the walk back from the target.",
    ),
    right=[forward_from_the_source, by_recursion],
    wrong=[
        Wrong(
            is_the_source_watched,
            why="You ask only whether the source is watched. A tensor that a recorded step made "
            "is a source too, and a watched one that the target never used gives None.",
            do="Find the recorded steps, then walk back from the target.",
            idea="that a recorded step made",
        ),
        Wrong(
            is_the_target_recorded,
            why="You ask only whether the target was recorded. That says that there is a way "
            "back to something, not that it leads to this source.",
            do="Walk the recorded steps back from the target and see whether you meet the source.",
            idea="a way back to something",
        ),
        Wrong(
            does_the_target_use_it,
            cause="unwatched",
            why="The target was computed from the source, but this does not help if the tape took "
            "no notice: the source is neither watched nor made by a recorded step.",
            do="Ask in addition whether the source is followed.",
            idea="took no notice",
        ),
        Wrong(
            are_both_followed,
            cause="no_path",
            why="Both are followed by the tape, but on different ways: the target may never have "
            "used the source.",
            do="Walk back from the target and see whether you meet the source.",
            idea="on different ways",
        ),
    ],
)

TASKS = [WATCHED_NAMES, RECORDED_STEPS, GRADIENT_IS_NONE]
