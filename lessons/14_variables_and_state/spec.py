"""The exercise of `variables_and_state`: probes, points, and what people write instead."""

import keras
import numpy as np
import tensorflow as tf

from classroom.spec import Probe, Task, Wrong
from solutions import variables_and_state as reference

# --- gradient_descent ---------------------------------------------------------------------


def gradient_descent_start(loss_function, variables, rate, steps):
    losses = []
    for _ in range(steps):
        with tf.GradientTape() as tape:
            loss = loss_function()
        gradients = tape.gradient(loss, variables)
        variables = [v - rate * g for v, g in zip(variables, gradients, strict=True)]
        losses.append(loss)
    return losses


def assigns_the_new_value(loss_function, variables, rate, steps):
    losses = []
    for _ in range(steps):
        with tf.GradientTape() as tape:
            losses.append(loss_function())
        for v, g in zip(variables, tape.gradient(losses[-1], variables), strict=True):
            v.assign(v - rate * g)
    return losses


def leaves_it_to_an_optimizer(loss_function, variables, rate, steps):
    optimizer = keras.optimizers.SGD(rate)
    losses = []
    for _ in range(steps):
        with tf.GradientTape() as tape:
            loss = loss_function()
        gradients = tape.gradient(loss, variables)
        optimizer.apply_gradients(zip(gradients, variables, strict=True))
        losses.append(loss)
    return losses


def rebinds_the_loop_name(loss_function, variables, rate, steps):
    losses = []
    for _ in range(steps):
        with tf.GradientTape() as tape:
            loss = loss_function()
        gradients = tape.gradient(loss, variables)
        for v, g in zip(variables, gradients, strict=True):
            v = v - rate * g
        losses.append(loss)
    return losses


def makes_new_variables(loss_function, variables, rate, steps):
    losses = []
    for _ in range(steps):
        with tf.GradientTape() as tape:
            loss = loss_function()
        gradients = tape.gradient(loss, variables)
        variables = [tf.Variable(v - rate * g) for v, g in zip(variables, gradients, strict=True)]
        losses.append(loss)
    return losses


def one_loss_for_all_steps(loss_function, variables, rate, steps):
    with tf.GradientTape(persistent=True) as tape:
        loss = loss_function()
    losses = []
    for _ in range(steps):
        gradients = tape.gradient(loss, variables)
        for v, g in zip(variables, gradients, strict=True):
            v.assign_sub(rate * g)
        losses.append(loss)
    return losses


def assigns_the_difference(loss_function, variables, rate, steps):
    losses = []
    for _ in range(steps):
        with tf.GradientTape() as tape:
            loss = loss_function()
        gradients = tape.gradient(loss, variables)
        for v, g in zip(variables, gradients, strict=True):
            v.assign(-rate * g)
        losses.append(loss)
    return losses


def walks_uphill(loss_function, variables, rate, steps):
    losses = []
    for _ in range(steps):
        with tf.GradientTape() as tape:
            loss = loss_function()
        gradients = tape.gradient(loss, variables)
        for v, g in zip(variables, gradients, strict=True):
            v.assign_add(rate * g)
        losses.append(loss)
    return losses


def parabola():
    w = tf.Variable(3.0)
    return lambda: (w - 1.0) ** 2, [w], 0.1, 3


def line():
    slope, bias = tf.Variable([2.0, -1.0]), tf.Variable(0.5, dtype=tf.float32)
    x = tf.constant([[1.0, 2.0], [3.0, 1.0], [0.0, -1.0]])

    def loss_function():
        return tf.reduce_mean((tf.linalg.matvec(x, slope) + bias - [1.0, 0.0, 2.0]) ** 2)

    return loss_function, [slope, bias], 0.05, 4


def keras_weights():
    layer = keras.layers.Dense(1)
    layer.build((None, 2))
    layer.set_weights([np.array([[1.0], [-2.0]]), np.array([0.5])])
    x = tf.constant([[1.0, 2.0], [3.0, 1.0]])
    return lambda: tf.reduce_mean(layer(x) ** 2), layer.trainable_variables, 0.1, 3


DESCENT = Task(
    function=reference.gradient_descent,
    kind="repair",
    minutes=6,
    points=4,
    start=gradient_descent_start,
    probes=[
        Probe("a parabola", parabola),
        Probe("a line", line),
        Probe("the weights of a Dense layer", keras_weights),
    ],
    hints=(
        "What type do the entries of `variables` have before the first step, and after it?",
        "`loss_function` reads the variables that it knows. Look for a method of `tf.Variable` "
        "that subtracts in place.",
        "Instead of the new list: `for v, g in zip(variables, gradients):` and `v.assign_sub(…)`.",
    ),
    right=[assigns_the_new_value, leaves_it_to_an_optimizer],
    wrong=[
        Wrong(
            gradient_descent_start,
            cause="rebound",
            why="`v - rate * g` makes a tensor. From the second step on, `variables` is a list of "
            "tensors that the loss has never seen, so the gradients are None.",
            do="Change the variables in place, with `v.assign_sub(rate * g)`.",
            idea="makes a tensor",
        ),
        Wrong(
            rebinds_the_loop_name,
            cause="rebound",
            why="`v = …` points the name `v` at a new tensor and leaves the variable as it was. "
            "All losses are the same, for nothing has changed.",
            do="Tell the variable itself: `v.assign_sub(rate * g)`.",
            idea="points the name `v` at a new tensor",
        ),
        Wrong(
            makes_new_variables,
            cause="rebound",
            why="These are variables again, but new ones. `loss_function` goes on reading the old "
            "ones, so for the new ones the gradient is None.",
            do="Make no variable inside the loop; change those you were given with `assign_sub`.",
            idea="but new ones",
        ),
        Wrong(
            one_loss_for_all_steps,
            cause="outside_tape",
            why="The loss was computed once, before the loop. It belongs to the old values, and so "
            "does each of its gradients.",
            do="Open a tape and call `loss_function()` in each step.",
            idea="computed once, before the loop",
        ),
        Wrong(
            assigns_the_difference,
            why="`assign` replaces the value: the variable now holds `-rate * g`, and what it held "
            "before is gone.",
            do="Use `assign_sub(rate * g)`, or `assign(v - rate * g)`.",
            idea="`assign` replaces the value",
        ),
        Wrong(
            walks_uphill,
            why="The losses grow: `assign_add` steps in the direction of the gradient, and that is "
            "the way up.",
            do="Subtract: `v.assign_sub(rate * g)`.",
            idea="the way up",
        ),
    ],
)


# --- maml_gradients -----------------------------------------------------------------------


def one_persistent_tape(loss_function, weights, support, query, rate):
    with tf.GradientTape(persistent=True) as tape:
        slopes = tape.gradient(loss_function(weights, support), weights)
        query_loss = loss_function([w - rate * s for w, s in zip(weights, slopes)], query)  # noqa: B905
    return query_loss, tape.gradient(query_loss, weights)


def written_as_a_loop(loss_function, weights, support, query, rate):
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            loss = loss_function(weights, support)
        adapted = []
        for place, slope in enumerate(inner.gradient(loss, weights)):
            adapted.append(tf.subtract(weights[place], tf.multiply(slope, rate)))
        loss = loss_function(adapted, query)
    return loss, outer.gradient(loss, weights)


def step_by_assign_sub(loss_function, weights, support, query, rate):
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            support_loss = loss_function(weights, support)
        for weight, slope in zip(weights, inner.gradient(support_loss, weights), strict=True):
            weight.assign_sub(rate * slope)
        query_loss = loss_function(weights, query)
    return query_loss, outer.gradient(query_loss, weights)


def step_on_copies(loss_function, weights, support, query, rate):
    with tf.GradientTape() as outer:
        fast = [tf.Variable(weight) for weight in weights]
        with tf.GradientTape() as inner:
            support_loss = loss_function(fast, support)
        for weight, slope in zip(fast, inner.gradient(support_loss, fast), strict=True):
            weight.assign_sub(rate * slope)
        query_loss = loss_function(fast, query)
    return query_loss, outer.gradient(query_loss, weights)


def slopes_before_the_outer_tape(loss_function, weights, support, query, rate):
    with tf.GradientTape() as inner:
        support_loss = loss_function(weights, support)
    slopes = inner.gradient(support_loss, weights)
    with tf.GradientTape() as outer:
        fast = [weight - rate * slope for weight, slope in zip(weights, slopes, strict=True)]
        query_loss = loss_function(fast, query)
    return query_loss, outer.gradient(query_loss, weights)


def gradients_at_the_fast_weights(loss_function, weights, support, query, rate):
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            support_loss = loss_function(weights, support)
        slopes = inner.gradient(support_loss, weights)
        fast = [weight - rate * slope for weight, slope in zip(weights, slopes, strict=True)]
        query_loss = loss_function(fast, query)
    return query_loss, outer.gradient(query_loss, fast)


def query_at_the_old_weights(loss_function, weights, support, query, rate):
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            support_loss = loss_function(weights, support)
        slopes = inner.gradient(support_loss, weights)
        weights_now = [weight - rate * slope for weight, slope in zip(weights, slopes)]  # noqa: B905
        query_loss = loss_function(weights, query)
    assert len(weights_now) == len(weights)
    return query_loss, outer.gradient(query_loss, weights)


def cubic():
    def loss_function(weights, batch):
        return tf.reduce_mean((weights[0] - batch) ** 3)

    return loss_function, [tf.Variable(2.0)], tf.constant([1.0]), tf.constant([-1.0, 0.5]), 0.1


def linear_task():
    def loss_function(weights, batch):
        slope, bias = weights
        return tf.reduce_mean((slope * batch[:, 0] + bias - batch[:, 1]) ** 2)

    support, query = tf.constant([[1.0, 2.0], [2.0, 1.0]]), tf.constant([[3.0, 1.0], [-1.0, 0.5]])
    return loss_function, [tf.Variable(0.5), tf.Variable(-0.5)], support, query, 0.1


def small_network():
    def loss_function(weights, batch):
        first, last = weights
        return tf.reduce_mean((tf.tanh(batch[:, :1] @ first) @ last - batch[:, 1:]) ** 2)

    weights = [tf.Variable([[0.5, -1.0]]), tf.Variable([[1.0], [0.25]])]
    support, query = tf.constant([[1.0, 0.5]]), tf.constant([[0.5, 1.0], [2.0, -1.0]])
    return loss_function, weights, support, query, 0.2


MAML = Task(
    function=reference.maml_gradients,
    kind="write",
    minutes=12,
    points=6,
    probes=[
        Probe("a cubic", cubic),
        Probe("a line through points", linear_task),
        Probe("a network of two layers", small_network),
    ],
    hints=(
        "The query loss depends on the weights twice: directly, and through the slopes. Which tape "
        "has to see the slopes being computed?",
        "Put the whole inner step inside the outer block: the inner tape, its `gradient` call, and "
        "the new weights as *tensors*.",
        "In the outer block: `fast = [w - rate * s for w, s in zip(weights, slopes)]`, then "
        "`loss_function(fast, query)`. Ask the outer tape for `weights`.",
    ),
    right=[one_persistent_tape, written_as_a_loop],
    wrong=[
        Wrong(
            step_by_assign_sub,
            cause="variable_state",
            why="`assign_sub` is not recorded: the tape takes the changed weights for the ones it "
            "started from. The number lacks the second derivatives, and your weights have moved.",
            do="Make the new weights as tensors: `w - rate * s`.",
            idea="`assign_sub` is not recorded",
        ),
        Wrong(
            step_on_copies,
            cause="variable_state",
            why="`tf.Variable(weight)` copies a value and no history, so nothing leads from the "
            "query loss back to `weights`, and the gradients are None.",
            do="Make the new weights as tensors, from `weights` themselves.",
            idea="copies a value and no history",
        ),
        Wrong(
            slopes_before_the_outer_tape,
            cause="outside_tape",
            why="The slopes were computed before the outer block. The outer tape takes them for "
            "constants, so the second derivatives are missing.",
            do="Move the inner tape and its `gradient` call into the outer block.",
            idea="takes them for constants",
        ),
        Wrong(
            gradients_at_the_fast_weights,
            cause="rebound",
            why="These are the gradients at the weights after the step. What you want to improve "
            "are the weights before it.",
            do="Ask for `weights`: `outer.gradient(query_loss, weights)`.",
            idea="at the weights after the step",
        ),
        Wrong(
            query_at_the_old_weights,
            cause="no_path",
            why="The query loss was computed with the weights before the step, so the step has no "
            "influence on it.",
            do="Call `loss_function` with the new weights for the query batch.",
            idea="the step has no influence",
        ),
    ],
)


# --- truncated_backpropagation ------------------------------------------------------------


def truncated_backpropagation_start(step, memory, inputs, variables):
    total = 0.0
    with tf.GradientTape() as tape:
        for x in inputs:
            state, loss = step(tf.convert_to_tensor(memory), x)
            memory.assign(state)
            total += loss
    return total, tape.gradient(total, variables), memory


def stores_at_each_step_too(step, memory, inputs, variables):
    total, state = 0.0, tf.convert_to_tensor(memory)
    with tf.GradientTape() as tape:
        for x in inputs:
            state, loss = step(state, x)
            memory.assign(state)
            total += loss
    return total, tape.gradient(total, variables), memory


def keeps_a_list_of_states(step, memory, inputs, variables):
    with tf.GradientTape() as tape:
        states, losses = [memory + 0.0], []
        for x in inputs:
            following, loss = step(states[-1], x)
            states.append(following)
            losses.append(loss)
        total = tf.reduce_sum(tf.stack(losses))
    memory.assign(states[-1])
    return total, tape.gradient(total, variables), memory


def never_stored(step, memory, inputs, variables):
    total, state = 0.0, tf.convert_to_tensor(memory)
    with tf.GradientTape() as tape:
        for x in inputs:
            state, loss = step(state, x)
            total += loss
    return total, tape.gradient(total, variables), memory


def detached_between_steps(step, memory, inputs, variables):
    total, state = 0.0, tf.convert_to_tensor(memory)
    with tf.GradientTape() as tape:
        for x in inputs:
            state, loss = step(tf.stop_gradient(state), x)
            total += loss
    memory.assign(state)
    return total, tape.gradient(total, variables), memory


def begins_from_zeros(step, memory, inputs, variables):
    total, state = 0.0, tf.zeros_like(memory)
    with tf.GradientTape() as tape:
        for x in inputs:
            state, loss = step(state, x)
            total += loss
    memory.assign(state)
    return total, tape.gradient(total, variables), memory


def last_loss_only(step, memory, inputs, variables):
    state = tf.convert_to_tensor(memory)
    with tf.GradientTape() as tape:
        for x in inputs:
            state, loss = step(state, x)
    memory.assign(state)
    return loss, tape.gradient(loss, variables), memory


def never_carried(step, memory, inputs, variables):
    total, state = 0.0, tf.convert_to_tensor(memory)
    with tf.GradientTape() as tape:
        for x in inputs:
            following, loss = step(state, x)
            total += loss
    memory.assign(following)
    return total, tape.gradient(total, variables), memory


def moving_average():
    w = tf.Variable(2.0)

    def step(state, x):
        state = 0.5 * state + w * x
        return state, state**2

    return step, tf.Variable(1.0, trainable=False), tf.constant([1.0, -2.0, 3.0]), [w]


def recurrent_cell():
    write, keep = tf.Variable([[1.0, -0.5]]), tf.Variable([[0.5, 0.25], [-0.5, 1.0]])

    def step(state, x):
        state = tf.tanh(state @ keep + x @ write)
        return state, tf.reduce_sum(state)

    memory = tf.Variable([[0.25, -0.25]], trainable=False)
    return step, memory, [tf.constant([[1.0]]), tf.constant([[-0.5]])], [write, keep]


def one_input():
    w = tf.Variable(3.0)
    memory = tf.Variable(0.5, trainable=False)
    return lambda state, x: (state * w, w * state * x), memory, [tf.constant(2.0)], [w]


MEMORY = Task(
    function=reference.truncated_backpropagation,
    kind="repair",
    minutes=8,
    points=5,
    start=truncated_backpropagation_start,
    probes=[
        Probe("a moving average", moving_average),
        Probe("a recurrent cell", recurrent_cell),
        Probe("one input", one_input),
    ],
    hints=(
        "The total is right. By which route does the second step get the state of the first?",
        "Let a Python name carry the state from step to step, and use the variable only at the two "
        "ends.",
        "Before the loop `state = tf.convert_to_tensor(memory)`, in it `state, loss = step(state, "
        "x)`, after it `memory.assign(state)`.",
    ),
    right=[stores_at_each_step_too, keeps_a_list_of_states],
    wrong=[
        Wrong(
            truncated_backpropagation_start,
            cause="variable_state",
            why="From step to step the state goes through a variable. `assign` is not recorded, so "
            "each step's gradient stops at what it reads from `memory`.",
            do="Carry the state as a tensor, and assign it once, after the loop.",
            idea="goes through a variable",
        ),
        Wrong(
            never_stored,
            why="Total and gradients are right, but `memory` still holds its old value: the next "
            "chunk would begin where this one began.",
            do="After the loop, store the last state: `memory.assign(state)`.",
            idea="still holds its old value",
        ),
        Wrong(
            detached_between_steps,
            cause="stop_gradient",
            why="`stop_gradient` between two steps cuts what you wanted to keep: the influence of "
            "earlier steps on later ones.",
            do="Pass the state on as it is. `assign` after the loop detaches it already.",
            idea="cuts what you wanted to keep",
        ),
        Wrong(
            begins_from_zeros,
            why="The state began at zero, so what the earlier chunk had left in `memory` was lost.",
            do="Begin with the value of the variable: `state = tf.convert_to_tensor(memory)`.",
            idea="began at zero",
        ),
        Wrong(
            last_loss_only,
            why="This is the loss of the last step. The names `loss` of the earlier steps were "
            "overwritten before anybody added them up.",
            do="Keep a total, and ask the tape for the gradient of that.",
            idea="the loss of the last step",
        ),
        Wrong(
            never_carried,
            why="Each step began from the same state: the name that `step` is given never changes.",
            do="Bind the result to the same name: `state, loss = step(state, x)`.",
            idea="from the same state",
        ),
    ],
)


# --- untracked_variables ------------------------------------------------------------------


def by_identity(model, x):
    with tf.GradientTape() as tape:
        model(x)
    tracked = [variable.value for variable in model.weights]
    return [v for v in tape.watched_variables() if not any(v is known for known in tracked)]


def by_reference(model, x):
    with tf.GradientTape() as tape:
        model(x)
    read = {variable.ref(): variable for variable in tape.watched_variables()}
    for variable in model.variables:
        read.pop(variable.value.ref(), None)
    return list(read.values())


def compared_by_name(model, x):
    with tf.GradientTape() as tape:
        model(x)
    tracked = {variable.name for variable in model.variables}
    return [v for v in tape.watched_variables() if v.name not in tracked]


def compared_with_keras_objects(model, x):
    with tf.GradientTape() as tape:
        model(x)
    tracked = {id(variable) for variable in model.variables}
    return [v for v in tape.watched_variables() if id(v) not in tracked]


def compared_by_value(model, x):
    with tf.GradientTape() as tape:
        model(x)
    tracked = [variable.numpy() for variable in model.variables]
    return [
        v
        for v in tape.watched_variables()
        if not any(np.array_equal(v.numpy(), known) for known in tracked)
    ]


def frozen_ones_too(model, x):
    with tf.GradientTape() as tape:
        model(x)
    tracked = {variable.value.ref() for variable in model.trainable_variables}
    return [v for v in tape.watched_variables() if v.ref() not in tracked]


def without_a_gradient(model, x):
    with tf.GradientTape() as tape:
        value = tf.reduce_sum(model(x))
    gradients = tape.gradient(value, model.trainable_variables)
    pairs = zip(model.trainable_variables, gradients, strict=True)
    return [variable.value for variable, gradient in pairs if gradient is None]


class Scale(keras.layers.Layer):
    """A layer whose factor Keras does not see."""

    def __init__(self, factor):
        super().__init__()
        self.factor = tf.Variable(factor)

    def call(self, x):
        return self.factor * x


def dense(kernel, **options):
    layer = keras.layers.Dense(len(kernel[0]), use_bias=False, **options)
    layer.build((None, len(kernel)))
    layer.set_weights([np.array(kernel)])
    return layer


def scaled():
    return keras.Sequential([keras.Input((2,)), dense([[1.0], [3.0]]), Scale(2.0)]), tf.ones((1, 2))


def frozen_and_lambda():
    hidden = dense([[0.5, -1.0]])
    frozen = dense([[4.0]], trainable=False)
    layers = [frozen, keras.layers.Lambda(lambda x: hidden(x)), keras.layers.BatchNormalization()]
    return keras.Sequential([keras.Input((1,)), *layers]), tf.ones((2, 1))


def all_tracked():
    return keras.Sequential([keras.Input((2,)), dense([[1.0], [3.0]])]), tf.ones((1, 2))


def equal_numbers():
    return keras.Sequential([keras.Input((1,)), dense([[2.0]]), Scale([[2.0]])]), tf.ones((1, 1))


class Mixture(keras.layers.Layer):
    """Two variables in a list, one that is never read, and one that no tape watches."""

    def __init__(self, first, second):
        super().__init__()
        self.parts = [tf.Variable(first), tf.Variable(second)]
        self.spare = tf.Variable(-9.0)
        self.steps = tf.Variable(-8.0, trainable=False)

    def call(self, x):
        return x * self.parts[1] + self.parts[0] * self.steps


def mixture():
    return keras.Sequential([keras.Input((1,)), dense([[2.0]]), Mixture(5.0, 7.0)]), tf.ones((1, 1))


def in_a_model_of_the_model():
    inner = keras.Sequential([keras.Input((2,)), Scale([3.0, 4.0]), dense([[1.0], [6.0]])])
    return keras.Sequential([keras.Input((2,)), inner, Scale(0.5)]), tf.ones((1, 2))


UNTRACKED = Task(
    function=reference.untracked_variables,
    kind="write",
    minutes=10,
    points=5,
    probes=[
        Probe("a tf.Variable as an attribute", scaled),
        Probe("a frozen layer, and a layer inside a Lambda", frozen_and_lambda),
        Probe("all variables are tracked", all_tracked),
        Probe("a tracked and an untracked variable hold equal numbers", equal_numbers),
    ],
    hidden=[
        Probe("a list of variables, and some beside it", mixture),
        Probe("a model in a model", in_a_model_of_the_model),
    ],
    hints=(
        "Who knows each trainable variable that was read, whoever owns it?",
        "`tape.watched_variables()` lists `tf.Variable`s. `model.variables` lists Keras variables; "
        "the `tf.Variable` inside is their `.value`.",
        "Collect `{v.value.ref() for v in model.variables}`, and keep the watched ones whose "
        "`.ref()` is not among them.",
    ),
    right=[by_identity, by_reference],
    wrong=[
        Wrong(
            compared_by_name,
            why="A Keras variable is called `kernel`, and the `tf.Variable` inside it "
            "`dense/kernel:0`. The names never match, so each variable looks untracked.",
            do="Compare the objects: `v.value.ref()` of one list with `v.ref()` of the other.",
            idea="The names never match",
        ),
        Wrong(
            compared_with_keras_objects,
            why="`model.variables` holds Keras variables, and the tape the `tf.Variable` inside "
            "each. They are never the same object.",
            do="Unwrap first: `variable.value`.",
            idea="never the same object",
        ),
        Wrong(
            compared_by_value,
            why="Two variables may hold equal numbers and still be two. The untracked one passed "
            "for its look-alike.",
            do="Compare identity, with `ref()` or `is`, not the values.",
            idea="equal numbers and still be two",
        ),
        Wrong(
            frozen_ones_too,
            cause="non_trainable",
            why="A frozen layer's weights are tracked. They are only missing from "
            "`trainable_variables`, and the tape still watches them.",
            do="Compare with `model.variables`, or `model.weights`.",
            idea="frozen layer's weights are tracked",
        ),
        Wrong(
            without_a_gradient,
            cause="no_path",
            why="You asked about the variables that the model lists. The ones you look for are not "
            "in that list.",
            do="Begin with `tape.watched_variables()` and take away what the model lists.",
            idea="not in that list",
        ),
    ],
)

TASKS = [DESCENT, MAML, MEMORY, UNTRACKED]
