"""The exercise of `recurrent_outputs`: probes, points, and what people write instead."""

import keras
import numpy as np
import tensorflow as tf

from classroom.spec import Probe, Task, Wrong
from solutions import recurrent_outputs as reference

# --- the layers that answers are tried on ---------------------------------------------------


def hand_set(layer):
    """The layer, built for two features, with weights that are the same in every run."""
    layer.build((2, 3, 2))
    sizes = np.cumsum([0, *(np.prod(weight.shape) for weight in layer.weights)])
    values = np.sin(np.arange(sizes[-1]) + 1.0)
    pairs = zip(sizes, layer.weights, strict=False)
    layer.set_weights([values[at : at + np.prod(w.shape)].reshape(w.shape) for at, w in pairs])
    return layer


def lstm(**options):
    return hand_set(keras.layers.LSTM(2, **options))


def simple(**options):
    return hand_set(keras.layers.SimpleRNN(2, **options))


def gru(**options):
    return hand_set(keras.layers.GRU(2, **options))


def two_sequences():
    return tf.constant([[[0.5, 1.0], [-1.0, 0.25], [0.75, -0.5]], [[1.0, 0], [0.5, 2], [-1, 1]]])


SCALES = np.array([1.0, -2.0], "float32")


# --- returned_gradients ---------------------------------------------------------------------


def returned_gradients_start(rnn, x, target):
    with tf.GradientTape() as tape:
        returned = keras.tree.flatten(rnn(x))
        value = target(*returned)
    return tape.gradient(value, returned)


def detached_copies(rnn, x, target):
    copies = [tf.stop_gradient(tensor) for tensor in keras.tree.flatten(rnn(x))]
    with tf.GradientTape() as tape:
        tape.watch(copies)
        value = target(*copies)
    return tape.gradient(value, copies, unconnected_gradients="zero")


def variables_instead(rnn, x, target):
    held = [tf.Variable(tensor) for tensor in keras.tree.flatten(rnn(x))]
    with tf.GradientTape() as tape:
        value = target(*[tf.convert_to_tensor(variable) for variable in held])
    found = tape.gradient(value, held)
    return [tf.zeros(v.shape) if g is None else g for g, v in zip(found, held, strict=True)]


def zeros_only(rnn, x, target):
    with tf.GradientTape() as tape:
        returned = keras.tree.flatten(rnn(x))
        value = target(*returned)
    return tape.gradient(value, returned, unconnected_gradients="zero")


def copies_without_zeros(rnn, x, target):
    with tf.GradientTape() as tape:
        returned = [tf.identity(tensor) for tensor in keras.tree.flatten(rnn(x))]
        tape.watch(returned)
        value = target(*returned)
    return tape.gradient(value, returned)


def copies_that_nobody_uses(rnn, x, target):
    with tf.GradientTape() as tape:
        returned = keras.tree.flatten(rnn(x))
        copies = [tf.identity(tensor) for tensor in returned]
        value = target(*returned)
    return tape.gradient(value, copies, unconnected_gradients="zero")


def in_a_graph(rnn, x, target):
    @tf.function
    def run(x):
        with tf.GradientTape() as tape:
            returned = keras.tree.flatten(rnn(x))
            value = target(*returned)
        return tape.gradient(value, returned, unconnected_gradients="zero")

    return run(x)


def run_before_the_tape(rnn, x, target):
    returned = keras.tree.flatten(rnn(x))
    with tf.GradientTape() as tape:
        tape.watch(returned)
        value = target(*returned)
    return tape.gradient(value, returned, unconnected_gradients="zero")


RETURNED_GRADIENTS = Task(
    function=reference.returned_gradients,
    kind="repair",
    minutes=8,
    points=5,
    start=returned_gradients_start,
    probes=[
        Probe(
            "an LSTM's h and c",
            lambda: (
                lstm(return_state=True),
                two_sequences(),
                lambda output, h, c: tf.reduce_sum(h**2 + c * SCALES),
            ),
        ),
        Probe(
            "an unrolled LSTM's output and c",
            lambda: (
                lstm(return_state=True, unroll=True),
                two_sequences(),
                lambda output, h, c: tf.reduce_sum(output * SCALES + c**2),
            ),
        ),
        Probe(
            "an unrolled LSTM's sequence and states",
            lambda: (
                lstm(return_sequences=True, return_state=True, unroll=True),
                two_sequences(),
                lambda sequence, h, c: tf.reduce_sum(sequence**2) + tf.reduce_sum(h * c),
            ),
        ),
    ],
    hints=(
        "In eager code, which of the returned tensors was computed from which?",
        "Let the target use copies from which nothing else is made, and ask for those copies.",
        "`returned = [tf.identity(t) for t in …]`, `tape.watch(returned)`, and in `tape.gradient` "
        '`unconnected_gradients="zero"`.',
    ),
    right=[detached_copies, variables_instead],
    wrong=[
        Wrong(
            returned_gradients_start,
            cause="derived_source",
            why="In eager code `h` was made from the very `c` that you ask for, so its gradient "
            "has that path in it: it is total, not partial.",
            do="Give the target `tf.identity` of each returned tensor, and ask for those.",
            idea="total, not partial",
        ),
        Wrong(
            zeros_only,
            cause="derived_source",
            why="The zeros are right now, but `h` was made from the very `c` that you ask for, and "
            "that path is still counted.",
            do="Give the target `tf.identity` of each returned tensor, and ask for those.",
            idea="still counted",
        ),
        Wrong(
            copies_without_zeros,
            cause="no_path",
            why="The numbers are right. For a tensor that the target does not use you return "
            "None; it does not move the target, so its partial derivative is zero.",
            do='Pass `unconnected_gradients="zero"` to `tape.gradient`.',
            idea="does not move the target",
        ),
        Wrong(
            copies_that_nobody_uses,
            cause="no_path",
            why="You made copies, but the target was computed from the originals, so no path leads "
            "from a copy to the target.",
            do="Pass the copies to `target`.",
            idea="computed from the originals",
        ),
        Wrong(
            in_a_graph,
            cause="derived_source",
            why="In a `tf.function` the loop is one operation, and its results are not made from "
            "one another. An unrolled layer has no loop: there the path is back.",
            do="Do not count on the loop: give the target `tf.identity` of each tensor.",
            idea="An unrolled layer has no loop",
        ),
        Wrong(
            run_before_the_tape,
            why="Without a recording of the layer nothing is made from anything, which is a good "
            "idea. But an unrolled LSTM's `output` and `h` are one tensor under two names, and the "
            "tape cannot tell which of them the target used.",
            do="Make a copy of each: `tf.identity`.",
            idea="one tensor under two names",
        ),
    ],
)

# --- time_step_gradients -------------------------------------------------------------------------


def runs_the_cell(rnn, x, target):
    state = rnn.get_initial_state(x.shape[0])
    steps = []
    with tf.GradientTape() as tape:
        for inputs in tf.unstack(x, axis=1):
            step, state = rnn.cell(inputs, state)
            steps.append(step)
        returned = tf.stack(steps, axis=1) if rnn.return_sequences else steps[-1]
        value = target(returned)
    return tf.stack(tape.gradient(value, steps, unconnected_gradients="zero"), axis=1)


def adds_a_zero_at_each_step(rnn, x, target):
    state = rnn.get_initial_state(x.shape[0])
    outputs, length = [], x.shape[1]
    probe = tf.Variable(tf.zeros((x.shape[0], length, rnn.units)))
    with tf.GradientTape() as tape:
        for t in range(length):
            output, state = rnn.cell(x[:, t], state)
            output = output + probe[:, t]
            state = [output, *state[1:]]
            outputs.append(output)
        y = tf.stack(outputs, axis=1)
        value = target(y if rnn.return_sequences else output)
    return tf.convert_to_tensor(tape.gradient(value, probe))


def catches_each_call(rnn, x, target):
    from solutions.recurrent_outputs import cell_gradients

    class Around(keras.Model):
        def __init__(self):
            super().__init__()
            self.rnn = rnn

        def call(self, inputs):
            return self.rnn(inputs)

    model = Around()
    model(x)
    found = cell_gradients(model, x, target, rnn.name)
    return tf.stack([output + states[0] for output, states in found], axis=1)


def gradient_of_what_came_back(rnn, x, target):
    with tf.GradientTape() as tape:
        sequence = rnn(x)
        value = target(sequence)
    return tape.gradient(value, sequence)


def gradient_of_the_stack(rnn, x, target):
    state, steps = rnn.get_initial_state(x.shape[0]), []
    with tf.GradientTape() as tape:
        for inputs in tf.unstack(x, axis=1):
            step, state = rnn.cell(inputs, state)
            steps.append(step)
        sequence = tf.stack(steps, axis=1)
        value = target(sequence if rnn.return_sequences else sequence[:, -1])
    return tape.gradient(value, sequence)


def asks_for_the_memory(rnn, x, target):
    state = rnn.get_initial_state(x.shape[0])
    steps, memories = [], []
    with tf.GradientTape() as tape:
        for inputs in tf.unstack(x, axis=1):
            step, state = rnn.cell(inputs, state)
            steps.append(step)
            memories.append(state[-1])
        value = target(tf.stack(steps, axis=1) if rnn.return_sequences else step)
    return tf.stack(tape.gradient(value, memories), axis=1)


def starts_anew_each_step(rnn, x, target):
    start = rnn.get_initial_state(x.shape[0])
    steps = []
    with tf.GradientTape() as tape:
        for inputs in tf.unstack(x, axis=1):
            step, _ = rnn.cell(inputs, start)
            steps.append(step)
        value = target(tf.stack(steps, axis=1) if rnn.return_sequences else step)
    return tf.stack(tape.gradient(value, steps, unconnected_gradients="zero"), axis=1)


def one_call_for_each_prefix(rnn, x, target):
    with tf.GradientTape() as tape:
        steps = []
        for length in range(1, x.shape[1] + 1):
            output = rnn(x[:, :length])
            steps.append(output[:, -1] if rnn.return_sequences else output)
        value = target(rnn(x))
    return tape.gradient(value, steps)


def time_comes_first(rnn, x, target):
    state, steps = rnn.get_initial_state(x.shape[0]), []
    with tf.GradientTape() as tape:
        for inputs in tf.unstack(x, axis=1):
            step, state = rnn.cell(inputs, state)
            steps.append(step)
        value = target(tf.stack(steps, axis=1) if rnn.return_sequences else step)
    return tf.stack(tape.gradient(value, steps))


def gradient_of_the_inputs(rnn, x, target):
    with tf.GradientTape() as tape:
        tape.watch(x)
        value = target(rnn(x))
    return tape.gradient(value, x)


TIME_STEP_GRADIENTS = Task(
    function=reference.time_step_gradients,
    kind="write",
    minutes=15,
    points=7,
    probes=[
        Probe(
            "a SimpleRNN's sequence, of which the last step is used",
            lambda: (
                simple(return_sequences=True),
                two_sequences(),
                lambda sequence: tf.reduce_sum(sequence[:, -1] * SCALES),
            ),
        ),
        Probe(
            "a GRU's last output",
            lambda: (gru(), two_sequences(), lambda last: tf.reduce_sum(last**2 * SCALES)),
        ),
        Probe(
            "an LSTM's sequence, all of it used",
            lambda: (
                lstm(return_sequences=True),
                two_sequences(),
                lambda sequence: tf.reduce_sum(sequence**2 * SCALES),
            ),
        ),
    ],
    hints=(
        "Is a step's tensor, from which the later steps were made, among what the layer returns?",
        "Run the loop yourself: `rnn.get_initial_state(batch)`, then `rnn.cell(inputs, state)` for "
        "each of `tf.unstack(x, axis=1)`. Keep every output.",
        "`value = target(tf.stack(steps, axis=1) if rnn.return_sequences else step)`, then "
        "`tf.stack(tape.gradient(value, steps), axis=1)`.",
    ),
    right=[runs_the_cell, adds_a_zero_at_each_step, catches_each_call],
    wrong=[
        Wrong(
            gradient_of_what_came_back,
            cause="derived_source",
            why="What the layer returns is a copy, made after the last step. No later step was "
            "computed from it, so its gradient leaves them out.",
            do="Get hold of each step's own tensor: run `rnn.cell` in a loop of yours.",
            idea="a copy, made after the last step",
        ),
        Wrong(
            gradient_of_the_stack,
            cause="derived_source",
            why="`tf.stack` makes a new tensor. The loop went on from the single steps, so the "
            "stack's gradient leaves the later steps out.",
            do="Ask for the list of steps, and stack the gradients instead.",
            idea="went on from the single steps",
        ),
        Wrong(
            asks_for_the_memory,
            why="`state[-1]` is the output for a SimpleRNN and a GRU. For an LSTM it is `c`, "
            "another tensor with another gradient.",
            do="Keep the first thing that the cell returns.",
            idea="For an LSTM it is `c`",
        ),
        Wrong(
            starts_anew_each_step,
            why="Every step begins with the first state again, so no step knows of the one before.",
            do="Pass on what the cell returned: `step, state = rnn.cell(inputs, state)`.",
            idea="begins with the first state again",
        ),
        Wrong(
            one_call_for_each_prefix,
            cause="other_call",
            why="Each of these steps is from a call of its own. The target was computed by yet "
            "another call, with equal numbers and other tensors.",
            do="Make one pass, step by step, and compute the target from its outputs.",
            idea="from a call of its own",
        ),
        Wrong(
            time_comes_first,
            why="The numbers are right, but time is the first axis here. The result should be "
            "(batch, time, units).",
            do="`tf.stack(…, axis=1)`.",
            idea="time is the first axis",
        ),
        Wrong(
            gradient_of_the_inputs,
            why="This is the gradient of what goes into the steps. The task asks for what comes "
            "out of them.",
            do="Keep the output of each call of `rnn.cell`, and ask for those.",
            idea="what goes into the steps",
        ),
    ],
)

# --- initial_state_gradients ----------------------------------------------------------------


def initial_state_gradients_start(rnn, x, target, states):
    with tf.GradientTape() as tape:
        tape.watch(states)
        returned = rnn(x)
        value = target(*keras.tree.flatten(returned))
    return tape.gradient(value, states)


def by_keyword(rnn, x, target, states):
    with tf.GradientTape() as tape:
        tape.watch(states)
        returned = rnn(x, initial_state=states)
        value = target(*keras.tree.flatten(returned))
    return tape.gradient(value, states)


def variables_as_start(rnn, x, target, states):
    held = [tf.Variable(state) for state in states]
    with tf.GradientTape() as tape:
        returned = rnn(x, [tf.convert_to_tensor(variable) for variable in held])
        value = target(*keras.tree.flatten(returned))
    return tape.gradient(value, held)


def puts_them_in_variables(rnn, x, target, states):
    with tf.GradientTape() as tape:
        tape.watch(states)
        held = [tf.Variable(state) for state in states]
        returned = rnn(x, initial_state=[variable.value() for variable in held])
        value = target(*keras.tree.flatten(returned))
    return tape.gradient(value, states)


def never_watches_them(rnn, x, target, states):
    with tf.GradientTape() as tape:
        returned = rnn(x, initial_state=states)
        value = target(*keras.tree.flatten(returned))
    return tape.gradient(value, states)


def only_the_first(rnn, x, target, states):
    others = [tf.zeros_like(state) for state in states[1:]]
    with tf.GradientTape() as tape:
        tape.watch(states)
        returned = rnn(x, initial_state=[states[0], *others])
        value = target(*keras.tree.flatten(returned))
    return tape.gradient(value, states, unconnected_gradients="zero")


def zeros_for_none(rnn, x, target, states):
    with tf.GradientTape() as tape:
        tape.watch(states)
        returned = rnn(x)
        value = target(*keras.tree.flatten(returned))
    return tape.gradient(value, states, unconnected_gradients="zero")


def start_state(number=1):
    return [tf.constant([[0.5, -0.25], [0.75, 1.0]]) / (n + 1.0) for n in range(number)]


INITIAL_STATE_GRADIENTS = Task(
    function=reference.initial_state_gradients,
    kind="repair",
    minutes=9,
    points=4,
    start=initial_state_gradients_start,
    probes=[
        Probe(
            "a SimpleRNN",
            lambda: (simple(), two_sequences(), lambda y: tf.reduce_sum(y**2), start_state()),
        ),
        Probe(
            "an LSTM, h and c",
            lambda: (
                lstm(return_state=True),
                two_sequences(),
                lambda output, h, c: tf.reduce_sum(output * SCALES + c),
                start_state(2),
            ),
        ),
        Probe(
            "a stateful GRU",
            lambda: (
                gru(stateful=True),
                two_sequences(),
                lambda y: tf.reduce_sum(y * SCALES),
                start_state(),
            ),
        ),
    ],
    hints=(
        "From which states does `rnn(x)` start? Who told it about yours?",
        "Look at the arguments that a recurrent layer takes when it is called.",
        "`rnn(x, initial_state=…)`.",
    ),
    right=[by_keyword, variables_as_start],
    wrong=[
        Wrong(
            initial_state_gradients_start,
            cause="no_path",
            why="The layer was not given your states and began at its own. Watching a tensor does "
            "not put it to use.",
            do="Pass them: `rnn(x, initial_state=states)`.",
            idea="began at its own",
        ),
        Wrong(
            puts_them_in_variables,
            cause="variable_state",
            why="You copied the states into variables. A tape does not follow a value into a "
            "variable, so no path leads back to `states`.",
            do="Pass the tensors themselves as `initial_state`.",
            idea="does not follow a value into a variable",
        ),
        Wrong(
            never_watches_them,
            cause="unwatched",
            why="The states are plain tensors, and the tape was not told to watch them.",
            do="Keep `tape.watch(states)` at the top of the block.",
            idea="not told to watch",
        ),
        Wrong(
            only_the_first,
            why="An LSTM starts from two states. You handed over `h` and let `c` be zero.",
            do="Pass the whole list as `initial_state`.",
            idea="starts from two states",
        ),
        Wrong(
            zeros_for_none,
            cause="no_path",
            why="Zeros in place of None hide the reason: the layer was not given these states at "
            "all.",
            do="Pass them: `rnn(x, initial_state=states)`.",
            idea="hide the reason",
        ),
    ],
)

TASKS = [RETURNED_GRADIENTS, TIME_STEP_GRADIENTS, INITIAL_STATE_GRADIENTS]
