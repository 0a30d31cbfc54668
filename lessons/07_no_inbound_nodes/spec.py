"""The exercise of `no_inbound_nodes`: probes, points, and what people write instead."""

import keras
import numpy as np
import tensorflow as tf

from classroom.spec import Probe, Task, Wrong
from solutions import no_inbound_nodes as reference

# --- the models that answers are tried on ---------------------------------------------------


class LeakyCell(keras.layers.Layer):
    """state ← inputs · kernel + keep ∗ state: what is kept decays by a factor of its own."""

    def __init__(self, units):
        super().__init__(name="leaky_cell")
        self.units = self.state_size = units

    def build(self, input_shape):
        self.kernel = self.add_weight(shape=(input_shape[-1], self.units), name="kernel")
        self.keep = self.add_weight(shape=(self.units,), name="keep")

    def call(self, inputs, states):
        state = tf.matmul(inputs, self.kernel) + self.keep * states[0]
        return state, [state]


class Tank(keras.Model):
    def __init__(self, rnn, outputs=1):
        super().__init__(name="tank")
        self.rnn = rnn
        self.out = keras.layers.Dense(outputs, name="out")

    def call(self, inputs):
        return self.out(self.rnn(inputs))


def squared_error(y_true, y_pred):
    return tf.reduce_mean((y_pred - y_true) ** 2)


def two_numbers_a_row(y_true, y_pred):
    return tf.reduce_sum(tf.sin(y_pred) * y_true)


def sequences():
    return tf.constant([[[1.0], [2.0], [3.0]], [[2.0], [0.0], [1.0]]])


def leaky_tank():
    model = Tank(keras.layers.RNN(LeakyCell(2), name="rnn"))
    model(sequences())
    model.set_weights(
        [
            np.array([[1.0, 1.0]]),
            np.array([0.5, 1.0]),
            np.array([[2.0], [-1.0]]),
            np.array([0.0]),
        ]
    )
    return model


def tanh_tank(**options):
    model = Tank(keras.layers.SimpleRNN(3, name="rnn", **options), outputs=2)
    model(sequences())
    model.set_weights(
        [
            np.array([[0.3, -0.6, 0.1]]),
            np.array([[0.2, 0.5, -0.4], [0.0, -0.3, 0.6], [0.7, 0.1, 0.2]]),
            np.array([0.1, 0.0, -0.2]),
            np.array([[1.0, -0.5], [0.4, 2.0], [-1.5, 0.3]]),
            np.array([0.2, -0.1]),
        ]
    )
    return model


def remembering_tank():
    """A tank whose RNN goes on where it stopped: a second pass gives other numbers."""
    model = tanh_tank(stateful=True)
    model.rnn.reset_state()
    return model


def two_features():
    model = Tank(keras.layers.RNN(LeakyCell(3), name="rnn"), outputs=2)
    x = tf.constant([[[1.0, 0.5], [0.0, -1.0], [2.0, 1.0], [0.5, 0.5]]])
    model(x)
    model.set_weights(
        [
            np.array([[1.0, 0.0, -1.0], [0.5, 2.0, 1.0]]),
            np.array([0.5, -0.25, 2.0]),
            np.array([[1.0, -1.0], [0.5, 0.0], [0.25, 3.0]]),
            np.array([0.0, 0.5]),
        ]
    )
    return model, squared_error, x, tf.constant([[1.0, -2.0]])


def leaky_question():
    return leaky_tank(), squared_error, sequences(), tf.constant([[1.5], [1.0]])


def tanh_question():
    return tanh_tank(), two_numbers_a_row, sequences(), tf.constant([[1.0, 2.0], [-0.5, 0.25]])


GRADIENT_PROBES = [
    Probe("a leaky tank, two sequences", leaky_question),
    Probe("a SimpleRNN, another loss", tanh_question),
    Probe("two features, four steps", two_features),
]

# --- output_and_activation ------------------------------------------------------------------


def layers_in_a_row(model, x):
    values = [x]
    for layer in (model.rnn, model.out):
        values.append(layer(values[-1]))
    return values[2], values[1]


def the_call_method_on_an_input(model, x):
    inputs = keras.Input(batch_shape=x.shape)
    activation = model.rnn(inputs)
    output, activation = keras.Model(inputs, [model.out(activation), activation])(x)
    return output, activation


def asks_the_layer(model, x):
    output = model(x)
    return output, model.rnn.output


def asks_for_a_sub_model(model, x):
    parts = keras.Model(model.input, [model.out.output, model.rnn.output])
    return parts(x)


def runs_the_rnn_again(model, x):
    output = model(x)
    return output, model.rnn(x)


def runs_the_model_after_the_rnn(model, x):
    activation = model.rnn(x)
    output = model(x)
    return output, activation


def the_other_way_round(model, x):
    activation = model.rnn(x)
    return activation, model.out(activation)


OUTPUT_AND_ACTIVATION = Task(
    function=reference.output_and_activation,
    kind="write",
    minutes=5,
    points=4,
    probes=[
        Probe("a leaky tank, two sequences", lambda: (leaky_tank(), sequences())),
        Probe("a SimpleRNN", lambda: (tanh_tank(), sequences())),
        Probe("an RNN that remembers", lambda: (remembering_tank(), sequences())),
    ],
    hints=(
        "What does the model's `call` do with `x`, line by line, and what does it return?",
        "`call` is `self.out(self.rnn(inputs))`. What if these were two lines of your function?",
        "`activation = model.rnn(x)`, then return `model.out(…)` of that same tensor, and it.",
    ),
    right=[layers_in_a_row, the_call_method_on_an_input],
    wrong=[
        Wrong(
            asks_the_layer,
            cause="never_called",
            why="A layer of a subclassed model has no `output`: it was called on values, and "
            "Keras notes an output only where a layer is called on a `keras.Input`.",
            do="Call the layer yourself, `activation = model.rnn(x)`, and keep what it returns.",
            idea="called on values",
        ),
        Wrong(
            asks_for_a_sub_model,
            cause="never_called",
            why="`keras.Model(model.input, …)` cuts a piece out of a graph of symbolic calls. A "
            "subclassed model has no such graph, so there is no `model.input` either.",
            do="Call the two layers one after the other, on `x` itself.",
            idea="no such graph",
        ),
        Wrong(
            runs_the_rnn_again,
            cause="other_call",
            why="`model.rnn(x)` after `model(x)` is a second pass. The activation is not the one "
            "that the output was made of; an RNN that remembers shows the difference.",
            do="Call `model.rnn` once, and give its result to `model.out`.",
            idea="is a second pass",
        ),
        Wrong(
            runs_the_model_after_the_rnn,
            cause="other_call",
            why="The output is not made of your activation: `model(x)` calls the RNN once more, "
            "and an RNN that remembers goes on from where your call left it.",
            do="Replace `model(x)` by `model.out(activation)`.",
            idea="calls the RNN once more",
        ),
        Wrong(
            the_other_way_round,
            why="Both tensors are right, in the wrong order: the output comes first.",
            do="Return `output, activation`.",
            idea="the output comes first",
        ),
    ],
)

# --- rnn_output_gradient --------------------------------------------------------------------


def rnn_output_gradient_start(model, loss_function, x, y):
    with tf.GradientTape() as tape:
        output = model(x)
        loss = loss_function(y, output)
    return tape.gradient(loss, model.rnn.output)


def watches_what_the_rnn_gave(model, loss_function, x, y):
    activation = model.rnn(x)
    with tf.GradientTape(watch_accessed_variables=False) as tape:
        tape.watch(activation)
        loss = loss_function(y, model.out(activation))
    return tape.gradient(loss, activation)


def makes_it_functional(model, loss_function, x, y):
    inputs = keras.Input(x.shape[1:])
    output = model.call(inputs)
    both = keras.Model(inputs, [model.rnn.output, output])
    with tf.GradientTape() as tape:
        activation, output = both(x)
        loss = loss_function(y, output)
    return tape.gradient(loss, activation)


def watches_the_layers_output(model, loss_function, x, y):
    with tf.GradientTape() as tape:
        tape.watch(model.get_layer("rnn").output)
        loss = loss_function(y, model(x))
    return tape.gradient(loss, model.get_layer("rnn").output)


def differentiates_a_second_pass(model, loss_function, x, y):
    with tf.GradientTape() as tape:
        activation = model.rnn(x)
        output = model(x)
        loss = loss_function(y, output)
    return tape.gradient(loss, activation)


def rnn_before_the_block(model, loss_function, x, y):
    activation = model.rnn(x)
    with tf.GradientTape() as tape:
        output = model.out(activation)
        loss = loss_function(y, output)
    return tape.gradient(loss, activation)


def gradient_of_the_output(model, loss_function, x, y):
    with tf.GradientTape() as tape:
        activation = model.rnn(x)
        output = model.out(activation)
    return tape.gradient(output, activation)


def weights_of_the_rnn(model, loss_function, x, y):
    with tf.GradientTape() as tape:
        output = model(x)
        loss = loss_function(y, output)
    return tape.gradient(loss, model.rnn.trainable_variables)


RNN_OUTPUT_GRADIENT = Task(
    function=reference.rnn_output_gradient,
    kind="repair",
    minutes=5,
    points=4,
    start=rnn_output_gradient_start,
    probes=GRADIENT_PROBES,
    hints=(
        "Which tensor was the loss computed from, and what is its name in this function?",
        "`model(x)` hides it. Write the two calls of `call` in its place, inside the block.",
        "`activation = model.rnn(x)`, `output = model.out(activation)`, and `activation` as the "
        "second argument of `tape.gradient`.",
    ),
    right=[watches_what_the_rnn_gave, makes_it_functional],
    wrong=[
        Wrong(
            rnn_output_gradient_start,
            cause="never_called",
            why="`model.rnn.output` does not exist in a subclassed model. And where it exists, it "
            "holds no values: the tape needs the tensor that this pass computed.",
            do="Split `model(x)` into `model.rnn(x)` and `model.out(activation)`, and ask for "
            "`activation`.",
            idea="the tensor that this pass computed",
        ),
        Wrong(
            watches_the_layers_output,
            cause="never_called",
            why="Watching does not bring `output` into being. A layer called on values has none, "
            "so there is nothing to watch.",
            do="Call `model.rnn(x)` inside the block. Its result needs no watch, because it "
            "depends on the layer's weights.",
            idea="nothing to watch",
        ),
        Wrong(
            differentiates_a_second_pass,
            cause="other_call",
            why="The loss comes from `model(x)`, which calls the RNN a second time. Your "
            "`activation` has the same numbers, but the loss was not computed from it.",
            do="Use it: `output = model.out(activation)`.",
            idea="not computed from it",
        ),
        Wrong(
            rnn_before_the_block,
            cause="unwatched",
            why="`activation` was computed before the block, so to this tape it is a constant.",
            do="Move `activation = model.rnn(x)` into the block (or watch it there).",
            idea="to this tape it is a constant",
        ),
        Wrong(
            gradient_of_the_output,
            why="This is the gradient of the model's output, summed. The loss is missing: how far "
            "the output is from `y` plays no part.",
            do="Compute `loss = loss_function(y, output)` inside the block and differentiate that.",
            idea="The loss is missing",
        ),
        Wrong(
            weights_of_the_rnn,
            why="These are the gradients of the RNN's weights, one for each weight. The task asks "
            "for the gradient of what the RNN returned, one number for each unit of each row.",
            do="Keep `activation = model.rnn(x)` and pass it as the second argument.",
            idea="gradients of the RNN's weights",
        ),
    ],
)

# --- weight_and_rnn_output_gradients --------------------------------------------------------


def a_flat_list_cut_in_two(model, loss_function, x, y):
    with tf.GradientTape() as tape:
        activation = model.rnn(x)
        loss = loss_function(y, model.out(activation))
    *weights, gradient = tape.gradient(loss, [*model.trainable_variables, activation])
    return weights, gradient


def a_persistent_tape(model, loss_function, x, y):
    with tf.GradientTape(persistent=True) as tape:
        activation = model.rnn(x)
        loss = loss_function(y, model.out(activation))
    weights = tape.gradient(loss, model.trainable_variables)
    gradient = tape.gradient(loss, activation)
    del tape
    return weights, gradient


def asks_a_spent_tape(model, loss_function, x, y):
    with tf.GradientTape() as tape:
        activation = model.rnn(x)
        loss = loss_function(y, model.out(activation))
    weights = tape.gradient(loss, model.trainable_variables)
    gradient = tape.gradient(loss, activation)
    return weights, gradient


def one_flat_list(model, loss_function, x, y):
    with tf.GradientTape() as tape:
        activation = model.rnn(x)
        loss = loss_function(y, model.out(activation))
    return tape.gradient(loss, [*model.trainable_variables, activation])


def weights_right_activation_none(model, loss_function, x, y):
    with tf.GradientTape() as tape:
        activation = model.rnn(x)
        loss = loss_function(y, model(x))
    weights, gradient = tape.gradient(loss, [model.trainable_variables, activation])
    return weights, gradient


def rnn_out_of_the_block(model, loss_function, x, y):
    activation = model.rnn(x)
    with tf.GradientTape() as tape:
        tape.watch(activation)
        loss = loss_function(y, model.out(activation))
    weights, gradient = tape.gradient(loss, [model.trainable_variables, activation])
    return weights, gradient


def weights_of_the_rnn_only(model, loss_function, x, y):
    with tf.GradientTape() as tape:
        activation = model.rnn(x)
        loss = loss_function(y, model.out(activation))
    weights, gradient = tape.gradient(loss, [model.rnn.trainable_variables, activation])
    return weights, gradient


WEIGHT_AND_RNN_OUTPUT_GRADIENTS = Task(
    function=reference.weight_and_rnn_output_gradients,
    kind="write",
    minutes=8,
    points=5,
    probes=GRADIENT_PROBES,
    hints=(
        "How often does a tape answer, and how many sources may one question name?",
        "`tape.gradient` takes a list of sources, also a list with a list in it, and answers in "
        "the same arrangement.",
        "One pass in two parts inside the block, then "
        "`tape.gradient(loss, [model.trainable_variables, activation])`.",
    ),
    right=[a_flat_list_cut_in_two, a_persistent_tape],
    wrong=[
        Wrong(
            asks_a_spent_tape,
            cause="spent_tape",
            why="A tape answers once and forgets. The second `tape.gradient` finds it empty.",
            do="Ask one question for both: "
            "`tape.gradient(loss, [model.trainable_variables, activation])`.",
            idea="answers once and forgets",
        ),
        Wrong(
            one_flat_list,
            why="All the gradients are there, but in one flat list: the activation's sits behind "
            "those of the weights.",
            do="Return two things: the list for the weights, then the activation's gradient.",
            idea="in one flat list",
        ),
        Wrong(
            weights_right_activation_none,
            cause="other_call",
            why="The weights' gradients are right, but `model(x)` calls the RNN a second time, "
            "and the loss was not computed from your `activation`.",
            do="Compute the loss from it: `loss_function(y, model.out(activation))`.",
            idea="calls the RNN a second time",
        ),
        Wrong(
            rnn_out_of_the_block,
            cause="outside_tape",
            why="The RNN ran before the block, so its weights' gradients are None: the tape saw "
            "nothing but the last layer.",
            do="Move `activation = model.rnn(x)` into the block.",
            idea="ran before the block",
        ),
        Wrong(
            weights_of_the_rnn_only,
            why="The gradients of the last layer's weights are missing: `model.rnn` knows its own "
            "weights only.",
            do="Ask for `model.trainable_variables`.",
            idea="the last layer's weights are missing",
        ),
    ],
)

# --- hidden_state_gradients -----------------------------------------------------------------


def step_by_step(model, loss_function, x, y):
    states = model.rnn.get_initial_state(x.shape[0])
    outputs = []
    with tf.GradientTape() as tape:
        for t in range(x.shape[1]):
            output, states = model.rnn.cell(x[:, t], states)
            outputs.append(output)
        loss = loss_function(y, model.out(outputs[-1]))
    gradients = tape.gradient(loss, outputs)
    return tf.transpose(tf.stack(gradients), [1, 0, 2])


def adds_a_watched_zero(model, loss_function, x, y):
    state = model.rnn.get_initial_state(x.shape[0])[0]
    zero = tf.zeros([x.shape[0], x.shape[1], state.shape[-1]])
    with tf.GradientTape() as tape:
        tape.watch(zero)
        for t in range(x.shape[1]):
            state = model.rnn.cell(x[:, t], [state])[0] + zero[:, t]
        loss = loss_function(y, model.out(state))
    return tape.gradient(loss, zero)


def the_returned_sequence(model, loss_function, x, y):
    every_step = keras.layers.RNN(model.rnn.cell, return_sequences=True)
    with tf.GradientTape() as tape:
        states = every_step(x)
        loss = loss_function(y, model.out(states[:, -1]))
    return tape.gradient(loss, states)


def the_stack_as_source(model, loss_function, x, y):
    states = model.rnn.get_initial_state(x.shape[0])
    steps = []
    with tf.GradientTape() as tape:
        for inputs in tf.unstack(x, axis=1):
            step, states = model.rnn.cell(inputs, states)
            steps.append(step)
        stacked = tf.stack(steps, axis=1)
        loss = loss_function(y, model.out(step))
    return tape.gradient(loss, stacked)


def time_comes_first(model, loss_function, x, y):
    states = model.rnn.get_initial_state(x.shape[0])
    steps = []
    with tf.GradientTape() as tape:
        for inputs in tf.unstack(x, axis=1):
            step, states = model.rnn.cell(inputs, states)
            steps.append(step)
        loss = loss_function(y, model.out(step))
    return tf.stack(tape.gradient(loss, steps))


def every_step_from_zero(model, loss_function, x, y):
    start = model.rnn.get_initial_state(x.shape[0])
    steps = []
    with tf.GradientTape() as tape:
        for inputs in tf.unstack(x, axis=1):
            step, _ = model.rnn.cell(inputs, start)
            steps.append(step)
        loss = loss_function(y, model.out(step))
    zero = tf.UnconnectedGradients.ZERO
    return tf.stack(tape.gradient(loss, steps, unconnected_gradients=zero), axis=1)


def gradient_of_the_inputs(model, loss_function, x, y):
    with tf.GradientTape() as tape:
        tape.watch(x)
        loss = loss_function(y, model(x))
    return tape.gradient(loss, x)


HIDDEN_STATE_GRADIENTS = Task(
    function=reference.hidden_state_gradients,
    kind="write",
    minutes=15,
    points=7,
    probes=GRADIENT_PROBES,
    hints=(
        "`model.rnn` is a loop over time. Where in it is the tensor of each step, and who keeps "
        "it?",
        "Write the loop yourself: `model.rnn.cell(inputs, states)` returns a step's output and "
        "the states for the next; `model.rnn.get_initial_state(batch)` gives the first.",
        "Append each `step` to a list inside the block, compute the loss from the last, ask for "
        "`tape.gradient(loss, steps)`, and stack the answers with `axis=1`.",
    ),
    right=[step_by_step, adds_a_watched_zero],
    wrong=[
        Wrong(
            the_returned_sequence,
            cause="other_call",
            why="The sequence that an RNN returns is a copy, stacked after the loop. Later steps "
            "were computed from the originals, so only the last step seems to count and the "
            "others are zero.",
            do="Run the loop yourself with `model.rnn.cell`, and keep each step's own tensor.",
            idea="a copy, stacked after the loop",
        ),
        Wrong(
            the_stack_as_source,
            cause="derived_source",
            why="You stacked the steps and asked for the stack. The loss was computed from the "
            "steps, not from the stack that was made of them.",
            do="Pass the list of steps as the source, and stack the gradients.",
            idea="not from the stack",
        ),
        Wrong(
            time_comes_first,
            why="The numbers are right, but time comes first: `tf.stack` puts the new axis in "
            "front. The task asks for (batch, time, units).",
            do="`tf.stack(…, axis=1)`.",
            idea="time comes first",
        ),
        Wrong(
            every_step_from_zero,
            why="Each step starts from the initial state, so no step remembers the one before.",
            do="Hand the returned states on: `step, states = model.rnn.cell(inputs, states)`.",
            idea="no step remembers",
        ),
        Wrong(
            gradient_of_the_inputs,
            why="This is the gradient of the inputs, (batch, time, features). The task asks for "
            "what the cell returned at each step.",
            do="Keep the cell's output of each step, and make those the sources.",
            idea="the gradient of the inputs",
        ),
    ],
)

TASKS = [
    OUTPUT_AND_ACTIVATION,
    RNN_OUTPUT_GRADIENT,
    WEIGHT_AND_RNN_OUTPUT_GRADIENTS,
    HIDDEN_STATE_GRADIENTS,
]
