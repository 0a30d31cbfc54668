"""The exercise of `left_tensorflow`: probes, points, and what people write instead."""

import numpy as np
import tensorflow as tf

from classroom.spec import Probe, Task, Wrong
from solutions import left_tensorflow as reference

# --- log_error_and_gradient ---------------------------------------------------------------


def log_error_start(truth, guess):
    with tf.GradientTape() as tape:
        tape.watch(guess)
        error = tf.reduce_mean(np.square(np.log1p(truth) - np.log1p(guess)))
    return error, tape.gradient(error, guess)


def twins_of_each_function(truth, guess):
    with tf.GradientTape() as tape:
        tape.watch(guess)
        error = tf.reduce_mean(tf.square(tf.math.log1p(truth) - tf.math.log1p(guess)))
    return error, tape.gradient(error, guess)


def numpy_names_of_tensorflow(truth, guess):
    tnp = tf.experimental.numpy
    with tf.GradientTape() as tape:
        tape.watch(guess)
        error = tnp.mean(tnp.square(tnp.log1p(truth) - tnp.log1p(guess)))
    return error, tape.gradient(error, guess)


def numpy_for_the_truth_alone(truth, guess):
    known = np.log1p(truth)
    with tf.GradientTape() as tape:
        tape.watch(guess)
        error = tf.reduce_mean((tf.math.log1p(guess) - known) ** 2)
    return error, tape.gradient(error, guess)


def logarithms_still_numpy(truth, guess):
    with tf.GradientTape() as tape:
        tape.watch(guess)
        error = tf.reduce_mean(tf.square(np.log1p(truth) - np.log1p(guess)))
    return error, tape.gradient(error, guess)


def square_still_numpy(truth, guess):
    with tf.GradientTape() as tape:
        tape.watch(guess)
        error = tf.reduce_mean(np.square(tf.math.log1p(truth) - tf.math.log1p(guess)))
    return error, tape.gradient(error, guess)


def converted_afterwards(truth, guess):
    with tf.GradientTape() as tape:
        tape.watch(guess)
        error = np.mean(np.square(np.log1p(truth) - np.log1p(guess)))
        error = tf.convert_to_tensor(error)
        tape.watch(error)
    return error, tape.gradient(error, guess)


def mean_of_numpy_too(truth, guess):
    with tf.GradientTape() as tape:
        tape.watch(guess)
        error = np.mean(np.square(np.log1p(truth) - np.log1p(guess)))
    return error, tape.gradient(error, guess)


def zeros_for_none(truth, guess):
    with tf.GradientTape() as tape:
        tape.watch(guess)
        error = tf.reduce_mean(np.square(np.log1p(truth) - np.log1p(guess)))
    return error, tape.gradient(error, guess, unconnected_gradients="zero")


def wrapped_in_py_function(truth, guess):
    def error_in_numpy(truth, guess):
        return np.mean(np.square(np.log1p(truth) - np.log1p(guess)))

    with tf.GradientTape() as tape:
        tape.watch(guess)
        error = tf.py_function(error_in_numpy, [truth, guess], guess.dtype)
    return error, tape.gradient(error, guess)


def logarithm_without_the_one(truth, guess):
    with tf.GradientTape() as tape:
        tape.watch(guess)
        error = tf.reduce_mean(tf.square(tf.math.log(truth) - tf.math.log(guess)))
    return error, tape.gradient(error, guess)


LOG_ERROR = Task(
    function=reference.log_error_and_gradient,
    kind="repair",
    minutes=6,
    points=4,
    start=log_error_start,
    probes=[
        Probe("three counts", lambda: (tf.constant([1.0, 4.0, 9.0]), tf.constant([2.0, 2.0, 8.0]))),
        Probe("a table", lambda: (tf.constant([[1.0], [3.0]]), tf.constant([[0.5], [7.0]]))),
        Probe(
            "float64",
            lambda: (tf.constant([2.0, 5.0], tf.float64), tf.constant([3.0, 1.0], tf.float64)),
        ),
    ],
    hints=(
        "Which of the functions in this line belong to TensorFlow, and which only take a tensor's "
        "numbers?",
        "`np.square` has the twin `tf.square`. Look for `log1p` in `tf.math`.",
        "`tf.reduce_mean(tf.square(… - …))`, with `tf.math.log1p` of `truth` and of `guess`.",
    ),
    right=[numpy_names_of_tensorflow, numpy_for_the_truth_alone],
    wrong=[
        Wrong(
            log_error_start,
            cause="left_tensorflow",
            why="`np.log1p` and `np.square` take the numbers out of the tensor and return an "
            "array. `tf.reduce_mean` makes a new tensor of it, without a history.",
            do="Use TensorFlow's twins of both functions.",
            idea="without a history",
        ),
        Wrong(
            logarithms_still_numpy,
            cause="left_tensorflow",
            why="The square is TensorFlow's now, but the guess has left before it gets there: one "
            "NumPy function on the way is enough.",
            do="Replace `np.log1p` by `tf.math.log1p`, too.",
            idea="one NumPy function on the way is enough",
        ),
        Wrong(
            square_still_numpy,
            cause="left_tensorflow",
            why="The logarithms are recorded, but `np.square` behind them breaks the chain.",
            do="Replace `np.square` by `tf.square`.",
            idea="`np.square` behind them",
        ),
        Wrong(
            converted_afterwards,
            cause="left_tensorflow",
            why="`tf.convert_to_tensor` makes a tensor of the number, and `watch` watches it from "
            "then on. Neither brings back how the number was computed.",
            do="Compute the error with TensorFlow functions from the start.",
            idea="brings back how the number was computed",
        ),
        Wrong(
            mean_of_numpy_too,
            cause="left_tensorflow",
            why="The target is a NumPy number, and `tape.gradient` looks for a tensor's `_id` in "
            "vain.",
            do="Use TensorFlow's functions throughout: the target must be a tensor.",
            idea="the target must be a tensor",
        ),
        Wrong(
            zeros_for_none,
            cause="left_tensorflow",
            why='`unconnected_gradients="zero"` only writes 0 where None would stand. The error '
            "does change with the guess.",
            do="Leave it out, and repair the line that leaves TensorFlow.",
            idea="only writes 0 where None would stand",
        ),
        Wrong(
            wrapped_in_py_function,
            cause="left_tensorflow",
            why="`tf.py_function` differentiates the TensorFlow operations inside the Python "
            "function. Yours calls NumPy, so zero comes back.",
            do="Use TensorFlow functions; then `py_function` is not needed either.",
            idea="differentiates the TensorFlow operations inside",
        ),
        Wrong(
            logarithm_without_the_one,
            why="`log1p(x)` is the logarithm of `1 + x`. You took the logarithm of `x`.",
            do="Use `tf.math.log1p`.",
            idea="logarithm of `1 + x`",
        ),
    ],
)

# --- first_broken_step --------------------------------------------------------------------


def one_tape_for_the_chain(steps, x):
    value = x
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        values = []
        for step in steps:
            value = step(value)
            values.append(value)
    for index, value in enumerate(values):
        if not isinstance(value, tf.Tensor) or tape.gradient(value, x) is None:
            return index
    return None


def each_step_as_a_question(steps, x):
    def passes(step, x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            value = step(x)
        try:
            return value, tape.gradient(value, x) is not None
        except AttributeError:
            return value, False

    for index in range(len(steps)):
        x, good = passes(steps[index], x)
        if not good:
            return index
    return None


def nothing_watched(steps, x):
    for index, step in enumerate(steps):
        with tf.GradientTape() as tape:
            value = step(x)
        if not tf.is_tensor(value) or tape.gradient(value, x) is None:
            return index
        x = value
    return None


def arrays_not_expected(steps, x):
    for index, step in enumerate(steps):
        with tf.GradientTape() as tape:
            tape.watch(x)
            value = step(x)
        if tape.gradient(value, x) is None:
            return index
        x = value
    return None


def only_looks_at_the_class(steps, x):
    for index, step in enumerate(steps):
        x = step(x)
        if not tf.is_tensor(x):
            return index
    return None


def zeros_are_broken_too(steps, x):
    for index, step in enumerate(steps):
        with tf.GradientTape() as tape:
            tape.watch(x)
            value = step(x)
        gradient = tape.gradient(value, x) if tf.is_tensor(value) else None
        if gradient is None or not np.any(gradient):
            return index
        x = value
    return None


def the_last_one(steps, x):
    broken = None
    for index, step in enumerate(steps):
        x = tf.convert_to_tensor(x)
        with tf.GradientTape() as tape:
            tape.watch(x)
            value = step(x)
        if not tf.is_tensor(value) or tape.gradient(value, x) is None:
            broken = index
        x = value
    return broken


def counted_from_one(steps, x):
    number = 1
    for step in steps:
        with tf.GradientTape() as tape:
            tape.watch(x)
            value = step(x)
        if not tf.is_tensor(value) or tape.gradient(value, x) is None:
            return number
        x = value
        number += 1
    return None


def same_input_for_each(steps, x):
    for index, step in enumerate(steps):
        with tf.GradientTape() as tape:
            tape.watch(x)
            value = step(x)
        if not tf.is_tensor(value) or tape.gradient(value, x) is None:
            return index
    return None


def squares_in_numpy(y):
    return tf.numpy_function(np.square, [y], tf.float32)


def as_a_constant(y):
    return tf.constant(y.numpy())


def only_above_two(y):
    return y * y if float(y[0]) > 2 else as_a_constant(y)


FIRST_BROKEN_STEP = Task(
    function=reference.first_broken_step,
    kind="explain",
    minutes=10,
    points=5,
    probes=[
        Probe(
            "a NumPy function in second place",
            lambda: ([tf.exp, np.square, tf.reduce_sum], tf.constant([1.0, 2.0])),
        ),
        Probe("TensorFlow only", lambda: ([tf.exp, tf.sin, tf.reduce_sum], tf.constant([0.5, 1]))),
        Probe(
            "two broken steps",
            lambda: ([tf.sin, tf.square, squares_in_numpy, as_a_constant], tf.constant([1.0, 2])),
        ),
        Probe(
            "a relu that is off, then a constant",
            lambda: ([tf.nn.relu, as_a_constant, tf.square], tf.constant([-1.0, -2.0])),
        ),
        Probe(
            "a step that looks at its input",
            lambda: ([lambda y: y * 3.0, only_above_two], tf.constant([1.0, 0.5])),
        ),
    ],
    hidden=[
        Probe(
            "the fourth of five",
            lambda: (
                [tf.sin, tf.exp, tf.square, squares_in_numpy, tf.reduce_sum],
                tf.constant([0.25, 3.0]),
            ),
        ),
        Probe(
            "a NumPy function in first place",
            lambda: ([np.tanh, tf.exp, as_a_constant], tf.constant([1.0, -1.0])),
        ),
        Probe(
            "zeros all the way",
            lambda: ([tf.nn.relu, tf.square, lambda y: 4.0 * y], tf.constant([-1.0, -3.0])),
        ),
        Probe(
            "two places with a constant",
            lambda: ([tf.exp, tf.sqrt, as_a_constant, as_a_constant], tf.constant([[2.0]])),
        ),
        Probe(
            "a step that looks at what the step before it made",
            lambda: ([lambda y: 0.5 * y, only_above_two, tf.sin], tf.constant([3.0, 1.0])),
        ),
    ],
    hints=(
        "If you put a tape around one step only, what does its gradient tell you about that step?",
        "For each step: watch its input, call it, and ask for the gradient of its value. What if "
        "the value is an array?",
        "`if not tf.is_tensor(value) or tape.gradient(value, x) is None: return index`, then go "
        "on with `x = value`.",
    ),
    right=[one_tape_for_the_chain, each_step_as_a_question],
    wrong=[
        Wrong(
            nothing_watched,
            cause="unwatched",
            why="The step's input is a plain tensor. Without `tape.watch`, each step looks broken.",
            do="Call `tape.watch(x)` before the step.",
            idea="each step looks broken",
        ),
        Wrong(
            arrays_not_expected,
            cause="left_tensorflow",
            why="A step may return an array, and `tape.gradient` refuses what is no tensor.",
            do="Ask `tf.is_tensor(value)` first: an array is a broken step as well.",
            idea="an array is a broken step as well",
        ),
        Wrong(
            only_looks_at_the_class,
            cause="left_tensorflow",
            why="A constant that was made from an array is a tensor too. What it lost is its "
            "history, and only a tape knows about that.",
            do="Ask a tape for the gradient of the step's value.",
            idea="What it lost is its history",
        ),
        Wrong(
            zeros_are_broken_too,
            why="A relu that is off passes a gradient on, and it is zero. Zero is an answer; None "
            "is the lack of one.",
            do="Compare with None only.",
            idea="Zero is an answer",
        ),
        Wrong(
            the_last_one,
            why="You went on after the first broken step and returned a later one.",
            do="Return at once when a step is broken.",
            idea="went on after the first",
        ),
        Wrong(
            counted_from_one,
            why="Python counts from zero: `steps[index]` should be the broken step.",
            do="Use `enumerate(steps)`.",
            idea="counts from zero",
        ),
        Wrong(
            same_input_for_each,
            why="Each step got the first input. A step works on the value of the step before it.",
            do="End the loop's body with `x = value`.",
            idea="the value of the step before it",
        ),
    ],
)

# --- gradient_through_numpy ---------------------------------------------------------------


def by_custom_gradient(function, backward, after, x):
    @tf.custom_gradient
    def known(x):
        def gradient(upstream):
            return tf.constant(backward(x.numpy(), upstream.numpy()), x.dtype)

        return tf.constant(function(x.numpy()), x.dtype), gradient

    with tf.GradientTape() as tape:
        tape.watch(x)
        value = after(known(x))
    return tape.gradient(value, x)


def by_hand(function, backward, after, x):
    middle = tf.convert_to_tensor(function(x.numpy()), x.dtype)
    with tf.GradientTape() as tape:
        tape.watch(middle)
        value = after(middle)
    upstream = tape.gradient(value, middle)
    return tf.convert_to_tensor(backward(x.numpy(), upstream.numpy()), x.dtype)


def by_output_gradients(function, backward, after, x):
    middle = tf.Variable(function(x.numpy()), dtype=x.dtype)
    with tf.GradientTape() as tape:
        value = tf.reduce_sum(after(middle))
    return backward(np.asarray(x), np.asarray(tape.gradient(value, middle)))


def numpy_function_alone(function, backward, after, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        value = after(tf.numpy_function(function, [x], x.dtype))
    return tape.gradient(value, x)


def py_function_alone(function, backward, after, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        value = after(tf.py_function(lambda y: function(y.numpy()), [x], x.dtype))
    return tape.gradient(value, x)


def upstream_left_out(function, backward, after, x):
    value = function(x.numpy())
    return tf.convert_to_tensor(backward(x.numpy(), np.ones_like(value)), x.dtype)


def upstream_twice(function, backward, after, x):
    @tf.custom_gradient
    def known(x):
        def gradient(upstream):
            return upstream * backward(x.numpy(), upstream.numpy())

        return tf.constant(function(x.numpy()), x.dtype), gradient

    with tf.GradientTape() as tape:
        tape.watch(x)
        value = after(known(x))
    return tape.gradient(value, x)


def backward_not_returned(function, backward, after, x):
    @tf.custom_gradient
    def known(x):
        def gradient(upstream):
            return backward(x.numpy(), upstream.numpy())

        return tf.constant(function(x.numpy()), x.dtype)

    with tf.GradientTape() as tape:
        tape.watch(x)
        value = after(known(x))
    return tape.gradient(value, x)


def arguments_exchanged(function, backward, after, x):
    @tf.custom_gradient
    def known(x):
        def gradient(upstream):
            return tf.constant(backward(upstream.numpy(), x.numpy()), x.dtype)

        return tf.constant(function(x.numpy()), x.dtype), gradient

    with tf.GradientTape() as tape:
        tape.watch(x)
        value = after(known(x))
    return tape.gradient(value, x)


def custom_but_unwatched(function, backward, after, x):
    @tf.custom_gradient
    def known(x):
        def gradient(upstream):
            return tf.constant(backward(x.numpy(), upstream.numpy()), x.dtype)

        return tf.constant(function(x.numpy()), x.dtype), gradient

    with tf.GradientTape() as tape:
        value = after(known(x))
    return tape.gradient(value, x)


def filtered(x):
    return np.convolve(x, [0.5, 0.25, -1.0], "same")


def filtered_backward(x, upstream):
    return np.convolve(upstream, [-1.0, 0.25, 0.5], "same")


GRADIENT_THROUGH_NUMPY = Task(
    function=reference.gradient_through_numpy,
    kind="write",
    minutes=12,
    points=6,
    probes=[
        Probe(
            "a cube, then a sine",
            lambda: (lambda x: x**3, lambda x, u: 3 * x**2 * u, tf.sin, tf.constant([1.0, -0.5])),
        ),
        Probe(
            "a convolution, float64",
            lambda: (
                filtered,
                filtered_backward,
                tf.square,
                tf.constant([1.0, 2.0, -1.0, 0.5], tf.float64),
            ),
        ),
        Probe(
            "a sum over each row",
            lambda: (
                lambda x: x.sum(axis=1),
                lambda x, u: u[:, None] * np.ones_like(x),
                tf.exp,
                tf.constant([[0.5, 1.0, -1.0], [0.0, 0.25, 0.5]]),
            ),
        ),
    ],
    hints=(
        "The chain rule has two factors here. Which of them does the tape know, and who knows the "
        "other?",
        "A function decorated with `tf.custom_gradient` returns two things: its value, and a "
        "function that turns the upstream gradient into the gradient of its input.",
        "`return tf.constant(function(x.numpy()), x.dtype), gradient`, where `gradient(upstream)` "
        "returns `backward(x.numpy(), upstream.numpy())` as a tensor.",
    ),
    right=[by_custom_gradient, by_hand, by_output_gradients],
    wrong=[
        Wrong(
            numpy_function_alone,
            cause="left_tensorflow",
            why="`tf.numpy_function` hands the value to NumPy and has no gradient. It cannot guess "
            "that `backward` belongs to it.",
            do="Put it into a function with `tf.custom_gradient` that returns `backward`'s answer.",
            idea="has no gradient",
        ),
        Wrong(
            py_function_alone,
            cause="left_tensorflow",
            why="`tf.py_function` differentiates TensorFlow operations inside the Python function. "
            "There are none, so it gives zero.",
            do="Use `tf.custom_gradient` and call `backward` yourself.",
            idea="There are none",
        ),
        Wrong(
            upstream_left_out,
            why="`backward` got ones as `upstream`: that is the gradient of `sum(function(x))`. "
            "What `after` does is missing.",
            do="Pass the gradient of `after`'s value with respect to the function's value.",
            idea="What `after` does is missing",
        ),
        Wrong(
            upstream_twice,
            why="`backward` multiplies by `upstream` already, and you multiply once more.",
            do="Return what `backward` returns.",
            idea="multiply once more",
        ),
        Wrong(
            backward_not_returned,
            cause="custom_gradient",
            why="A function under `tf.custom_gradient` returns a pair: its value and its gradient "
            "function. Yours returns the value alone.",
            do="End it with `return value, gradient`.",
            idea="returns a pair",
        ),
        Wrong(
            arguments_exchanged,
            why="`backward` takes the array first and `upstream` second. You passed them the other "
            "way round.",
            do="Call `backward(x, upstream)`.",
            idea="the other way round",
        ),
        Wrong(
            custom_but_unwatched,
            cause="unwatched",
            why="The custom gradient is there, but `x` is a plain tensor and nobody watches it.",
            do="Add `tape.watch(x)` as the block's first line.",
            idea="nobody watches it",
        ),
    ],
)

# --- finite_differences -------------------------------------------------------------------


def rows_of_the_identity(function, x, step=1e-6):
    x = np.asarray(x, np.float64)
    moves = step * np.eye(x.size).reshape(x.size, *x.shape)
    total = [np.sum(function(x + m)) - np.sum(function(x - m)) for m in moves]
    return np.reshape(total, x.shape) / (2 * step)


def one_entry_at_a_time(function, x, step=1e-6):
    flat = np.array(x, dtype=float).ravel()
    shape = np.shape(x)
    gradient = []
    for place in range(len(flat)):
        kept = flat[place]
        flat[place] = kept + step
        up = float(np.sum(function(flat.reshape(shape).copy())))
        flat[place] = kept - step
        down = float(np.sum(function(flat.reshape(shape).copy())))
        flat[place] = kept
        gradient.append((up - down) / step / 2)
    return np.array(gradient).reshape(shape)


def all_entries_at_once(function, x, step=1e-6):
    x = np.array(x, np.float64)
    return np.asarray((function(x + step) - function(x - step)) / (2 * step))


def sum_of_all_entries_at_once(function, x, step=1e-6):
    x = np.array(x, np.float64)
    gradient = np.zeros_like(x)
    for index in np.ndindex(*x.shape):
        gradient[index] = np.sum(function(x + step) - function(x - step)) / (2 * step)
    return gradient


def up_only(function, x, step=1e-6):
    x = np.array(x, np.float64)
    gradient = np.zeros_like(x)
    for index in np.ndindex(*x.shape):
        move = np.zeros_like(x)
        move[index] = step
        gradient[index] = np.sum(function(x + move) - function(x)) / step
    return gradient


def divided_by_one_step(function, x, step=1e-6):
    x = np.array(x, np.float64)
    gradient = np.zeros_like(x)
    for index in np.ndindex(*x.shape):
        move = np.zeros_like(x)
        move[index] = step
        gradient[index] = np.sum(function(x + move) - function(x - move)) / step
    return gradient


def in_float32(function, x, step=1e-6):
    x = np.array(x, np.float32)
    gradient = np.zeros_like(x)
    for index in np.ndindex(*x.shape):
        move = np.zeros_like(x)
        move[index] = step
        gradient[index] = np.sum(function(x + move) - function(x - move)) / (2 * step)
    return gradient


def array_as_it_is(function, x, step=1e-6):
    gradient = np.zeros_like(x)
    for index in np.ndindex(*x.shape):
        move = np.zeros_like(x)
        move[index] = step
        gradient[index] = np.sum(function(x + move) - function(x - move)) / (2 * step)
    return gradient


def mean_of_the_function(function, x, step=1e-6):
    x = np.array(x, np.float64)
    gradient = np.zeros_like(x)
    for index in np.ndindex(*x.shape):
        move = np.zeros_like(x)
        move[index] = step
        gradient[index] = np.mean(function(x + move) - function(x - move)) / (2 * step)
    return gradient


def by_a_tape(function, x, step=1e-6):
    x = tf.convert_to_tensor(x, tf.float64)
    with tf.GradientTape() as tape:
        tape.watch(x)
        value = tf.reduce_sum(function(x))
    return tape.gradient(value, x)


def neighbours(x):
    return x[:-1] * np.sin(x[1:])


FINITE_DIFFERENCES = Task(
    function=reference.finite_differences,
    kind="write",
    minutes=10,
    points=5,
    probes=[
        Probe("a function of neighbours", lambda: (neighbours, np.array([1.0, 2.0, -0.5]))),
        Probe("a large step", lambda: (np.exp, np.array([[0.0, 1.0]]), 0.5)),
        Probe("an array of integers", lambda: (lambda x: x**3, np.array([1, -2]))),
        Probe("a TensorFlow function", lambda: (tf.square, np.array([[1.0], [3.0]]))),
    ],
    hints=(
        "How much does `sum(function(x))` change when one entry of `x` moves by `step`, and the "
        "others stay?",
        "Per entry two calls, at `x + move` and `x - move`, where `move` is zero but for one "
        "entry. How far apart are the two?",
        "`gradient[index] = np.sum(function(x + move) - function(x - move)) / (2 * step)`, with "
        "everything in float64.",
    ),
    right=[rows_of_the_identity, one_entry_at_a_time],
    wrong=[
        Wrong(
            all_entries_at_once,
            why="You moved every entry at the same time, and got one difference for each entry of "
            "the *value*. That mixes up what the single entries do.",
            do="Loop over the entries of `x`, and move one at a time.",
            idea="every entry at the same time",
        ),
        Wrong(
            sum_of_all_entries_at_once,
            why="`x + step` moves the whole array, so each entry of your gradient holds the sum of "
            "all of them.",
            do="Make a `move` of zeros, and set `move[index] = step`.",
            idea="moves the whole array",
        ),
        Wrong(
            up_only,
            why="You moved up but not down. On a curve that is off by about half a step times the "
            "second derivative.",
            do="Take the difference of `x + move` and `x - move`, and divide by `2 * step`.",
            idea="up but not down",
        ),
        Wrong(
            divided_by_one_step,
            why="From `x - move` to `x + move` it is two steps, and you divided by one.",
            do="Divide by `2 * step`.",
            idea="it is two steps",
        ),
        Wrong(
            in_float32,
            why="float32 keeps about seven digits. A step of 0.000001 drowns in its rounding.",
            do="Start with `x = np.array(x, np.float64)`.",
            idea="drowns in its rounding",
        ),
        Wrong(
            array_as_it_is,
            cause="integer_dtype",
            why="For an array of integers, `zeros_like` is an array of integers as well, and your "
            "step is rounded to 0.",
            do="Start with `x = np.array(x, np.float64)`.",
            idea="rounded to 0",
        ),
        Wrong(
            mean_of_the_function,
            why="This is the gradient of the mean of the function's entries. The task asks for "
            "their sum.",
            do="Use `np.sum`.",
            idea="gradient of the mean",
        ),
        Wrong(
            by_a_tape,
            cause="left_tensorflow",
            why="A tape sees TensorFlow operations only, so it cannot judge a NumPy function. Here "
            "nothing should depend on a tape.",
            do="Call `function` at moved points, and subtract.",
            idea="cannot judge a NumPy function",
        ),
    ],
)

TASKS = [LOG_ERROR, FIRST_BROKEN_STEP, GRADIENT_THROUGH_NUMPY, FINITE_DIFFERENCES]
