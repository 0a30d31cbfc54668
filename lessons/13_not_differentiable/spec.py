"""The exercise of `not_differentiable`: probes, points, and what people write instead."""

import numpy as np
import tensorflow as tf

from classroom.spec import Probe, Task, Wrong
from solutions import not_differentiable as reference

# --- soft_f1_and_gradient -----------------------------------------------------------------


def soft_f1_start(truth, probability):
    truth = tf.cast(truth, probability.dtype)
    with tf.GradientTape() as tape:
        tape.watch(probability)
        guess = tf.cast(probability > 0.5, probability.dtype)
        hits = tf.reduce_sum(truth * guess)
        score = 2 * hits / (tf.reduce_sum(truth) + tf.reduce_sum(guess))
    return score, tape.gradient(score, probability)


def probability_as_the_guess(truth, probability):
    truth = tf.cast(truth, probability.dtype)
    with tf.GradientTape() as tape:
        tape.watch(probability)
        guess = probability
        hits = tf.reduce_sum(truth * guess)
        score = 2 * hits / (tf.reduce_sum(truth) + tf.reduce_sum(guess))
    return score, tape.gradient(score, probability)


def with_expected_counts(truth, probability):
    truth = tf.cast(truth, probability.dtype)
    with tf.GradientTape() as tape:
        tape.watch(probability)
        found = tf.reduce_sum(truth * probability)
        false_alarms = tf.reduce_sum((1 - truth) * probability)
        missed = tf.reduce_sum(truth * (1 - probability))
        score = found / (found + (false_alarms + missed) / 2)
    return score, tape.gradient(score, probability)


def derivative_by_hand(truth, probability):
    truth = tf.cast(truth, probability.dtype)
    both = tf.reduce_sum(truth) + tf.reduce_sum(probability)
    score = 2 * tf.reduce_sum(truth * probability) / both
    return score, (2 * truth - score) / both


def rounded_guess(truth, probability):
    truth = tf.cast(truth, probability.dtype)
    with tf.GradientTape() as tape:
        tape.watch(probability)
        guess = tf.round(probability)
        hits = tf.reduce_sum(truth * guess)
        score = 2 * hits / (tf.reduce_sum(truth) + tf.reduce_sum(guess))
    return score, tape.gradient(score, probability)


def zeros_for_none(truth, probability):
    truth = tf.cast(truth, probability.dtype)
    with tf.GradientTape() as tape:
        tape.watch(probability)
        guess = tf.cast(probability > 0.5, probability.dtype)
        hits = tf.reduce_sum(truth * guess)
        score = 2 * hits / (tf.reduce_sum(truth) + tf.reduce_sum(guess))
    return score, tape.gradient(score, probability, unconnected_gradients="zero")


def steep_threshold(truth, probability):
    truth = tf.cast(truth, probability.dtype)
    with tf.GradientTape() as tape:
        tape.watch(probability)
        guess = tf.sigmoid(100 * (probability - 0.5))
        hits = tf.reduce_sum(truth * guess)
        score = 2 * hits / (tf.reduce_sum(truth) + tf.reduce_sum(guess))
    return score, tape.gradient(score, probability)


def threshold_straight_through(truth, probability):
    truth = tf.cast(truth, probability.dtype)
    with tf.GradientTape() as tape:
        tape.watch(probability)
        hard = tf.cast(probability > 0.5, probability.dtype)
        guess = probability + tf.stop_gradient(hard - probability)
        hits = tf.reduce_sum(truth * guess)
        score = 2 * hits / (tf.reduce_sum(truth) + tf.reduce_sum(guess))
    return score, tape.gradient(score, probability)


def soft_hits_hard_total(truth, probability):
    truth = tf.cast(truth, probability.dtype)
    with tf.GradientTape() as tape:
        tape.watch(probability)
        guess = tf.cast(probability > 0.5, probability.dtype)
        hits = tf.reduce_sum(truth * probability)
        score = 2 * hits / (tf.reduce_sum(truth) + tf.reduce_sum(guess))
    return score, tape.gradient(score, probability)


def squares_below(truth, probability):
    truth = tf.cast(truth, probability.dtype)
    with tf.GradientTape() as tape:
        tape.watch(probability)
        hits = tf.reduce_sum(truth * probability)
        score = 2 * hits / (tf.reduce_sum(truth**2) + tf.reduce_sum(probability**2))
    return score, tape.gradient(score, probability)


def one_minus_the_score(truth, probability):
    truth = tf.cast(truth, probability.dtype)
    with tf.GradientTape() as tape:
        tape.watch(probability)
        hits = tf.reduce_sum(truth * probability)
        score = 1 - 2 * hits / (tf.reduce_sum(truth) + tf.reduce_sum(probability))
    return score, tape.gradient(score, probability)


SOFT_F1 = Task(
    function=reference.soft_f1_and_gradient,
    kind="repair",
    minutes=8,
    points=4,
    start=soft_f1_start,
    probes=[
        Probe(
            "four mails",
            lambda: (tf.constant([0.0, 0.0, 1.0, 1.0]), tf.constant([0.2, 0.6, 0.4, 0.9])),
        ),
        Probe(
            "a table, integer truths",
            lambda: (
                tf.constant([[1, 0], [0, 1], [1, 1]]),
                tf.constant([[0.7, 0.1], [0.55, 0.8], [0.3, 0.95]]),
            ),
        ),
        Probe(
            "float64",
            lambda: (
                tf.constant([1.0, 0.0, 1.0], tf.float64),
                tf.constant([0.6, 0.7, 0.45], tf.float64),
            ),
        ),
    ],
    hints=(
        "Which line makes a decision, and what would you count if nothing had to be decided?",
        "A mail that is spam with probability 0.7 is seven tenths of a hit.",
        "Let `guess` be `probability` itself.",
    ),
    right=[probability_as_the_guess, with_expected_counts, derivative_by_hand],
    wrong=[
        Wrong(
            soft_f1_start,
            cause="not_differentiable",
            why="The threshold gives booleans, and no gradient leads back through a comparison. "
            "The cast makes numbers of them; it does not bring the gradient back.",
            do="Count with the probabilities themselves: leave the threshold out.",
            idea="no gradient leads back through a comparison",
        ),
        Wrong(
            rounded_guess,
            cause="not_differentiable",
            why="Rounding is the same decision in one word: a staircase, for which the tape has a "
            "rule that returns None.",
            do="Use the probabilities without rounding them.",
            idea="Rounding is the same decision",
        ),
        Wrong(
            zeros_for_none,
            cause="not_differentiable",
            why='`unconnected_gradients="zero"` writes zeros where the tape had no answer. The '
            "score is still cut off from the probabilities.",
            do="Remove the threshold; then the plain `tape.gradient` has an answer.",
            idea="zeros where the tape had no answer",
        ),
        Wrong(
            steep_threshold,
            cause="zeros_saturated",
            why="A steep sigmoid is nearly the staircase: its gradient is next to nothing, except "
            "close to the threshold. The score that was asked for counts probabilities.",
            do="Count each probability as it is, without a sigmoid around it.",
            idea="nearly the staircase",
        ),
        Wrong(
            threshold_straight_through,
            why="This is a straight-through threshold: it counts decisions, and borrows a slope. "
            "The task asks for the score of expected counts, which has a slope of its own.",
            do="Leave the hard guess out, and count with the probabilities.",
            idea="has a slope of its own",
        ),
        Wrong(
            soft_hits_hard_total,
            cause="not_differentiable",
            why="The hits are soft, but the total below the line still counts decisions. Its part "
            "of the gradient is missing, and no None tells you so.",
            do="Sum the probabilities below the line as well.",
            idea="the total below the line still counts decisions",
        ),
        Wrong(
            squares_below,
            why="The squares below the line belong to another form of the Dice loss. Expected "
            "counts are plain sums.",
            do="Sum `truth` and `probability`, not their squares.",
            idea="Expected counts are plain sums",
        ),
        Wrong(
            one_minus_the_score,
            why="This is the loss, one minus the score, so every sign of the gradient is flipped.",
            do="Return the score; subtract it from 1 where you train.",
            idea="one minus the score",
        ),
    ],
)

# --- gradient_straight_through ------------------------------------------------------------


def moved_by_a_stopped_difference(function, tail, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        value = tail(x + tf.stop_gradient(function(x) - x))
    return value, tape.gradient(value, x)


def with_a_custom_gradient(function, tail, x):
    @tf.custom_gradient
    def step(x):
        return function(x), lambda upstream: upstream

    with tf.GradientTape() as tape:
        tape.watch(x)
        value = tail(step(x))
    return value, tape.gradient(value, x)


def tail_alone(function, tail, x):
    middle = function(x)
    with tf.GradientTape() as tape:
        tape.watch(middle)
        value = tail(middle)
    return value, tape.gradient(value, middle)


def passed_through(function, tail, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        value = tail(tf.grad_pass_through(function)(x))
    return value, tape.gradient(value, x)


def nothing_done(function, tail, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        value = tail(function(x))
    return value, tape.gradient(value, x)


def everything_stopped(function, tail, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        value = tail(tf.stop_gradient(x + function(x) - x))
    return value, tape.gradient(value, x)


def function_left_out(function, tail, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        value = tail(x)
    return value, tape.gradient(value, x)


def slope_taken_at_x(function, tail, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        smooth = tail(x)
    return tail(function(x)), tape.gradient(smooth, x)


def both_added(function, tail, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        value = tail(x + tf.stop_gradient(function(x)))
    return value, tape.gradient(value, x)


def function_not_stopped(function, tail, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        value = tail(function(x) + x - tf.stop_gradient(x))
    return value, tape.gradient(value, x)


def upstream_forgotten(function, tail, x):
    @tf.custom_gradient
    def step(x):
        return function(x), lambda upstream: tf.ones_like(upstream)

    with tf.GradientTape() as tape:
        tape.watch(x)
        value = tail(step(x))
    return value, tape.gradient(value, x)


def above_zero(x):
    return tf.where(x > 0.0, tf.ones_like(x), tf.zeros_like(x))


STRAIGHT_THROUGH = Task(
    function=reference.gradient_straight_through,
    kind="write",
    minutes=10,
    points=4,
    probes=[
        Probe("rounding", lambda: (tf.round, tf.square, tf.constant([0.2, 1.7, -2.6]))),
        Probe(
            "a threshold", lambda: (above_zero, tf.exp, tf.constant([[0.5, -1.0], [2.0, -0.25]]))
        ),
        Probe(
            "a function with a slope of its own",
            lambda: (tf.square, tf.sin, tf.constant([0.5, -1.5])),
        ),
        Probe(
            "one number for all",
            lambda: (tf.floor, lambda y: tf.reduce_prod(y), tf.constant([2.5, 3.5, 1.25])),
        ),
    ],
    hints=(
        "Which two things do you want to be different: the value, or the way back?",
        "`tf.stop_gradient(y)` has the value of `y` and no way back. What can you add to it that "
        "is zero, and has a derivative of one?",
        "`tail(tf.stop_gradient(function(x)) + x - tf.stop_gradient(x))`, inside the tape's block.",
    ),
    right=[moved_by_a_stopped_difference, with_a_custom_gradient, passed_through, tail_alone],
    wrong=[
        Wrong(
            nothing_done,
            cause="not_differentiable",
            why="The gradient goes through `function` itself: it ends there if `function` has no "
            "derivative, and it is multiplied by that derivative if it has one.",
            do="Stop the gradient at `function(x)`, and add something that is zero and passes it.",
            idea="goes through `function` itself",
        ),
        Wrong(
            everything_stopped,
            cause="stop_gradient",
            why="The `x` that should pass the gradient stands inside `tf.stop_gradient`, too. Now "
            "nothing passes.",
            do="Keep one `x` outside: `x + tf.stop_gradient(function(x) - x)`.",
            idea="stands inside `tf.stop_gradient`, too",
        ),
        Wrong(
            function_left_out,
            why="This is `tail(x)`: the hard step is missing from the value as well.",
            do="The value has to be `tail(function(x))`; only the way back leaves `function` out.",
            idea="missing from the value as well",
        ),
        Wrong(
            slope_taken_at_x,
            why="The value is right, but the slope of `tail` was taken at `x`. Straight through, "
            "it is taken at `function(x)`, where the value was computed.",
            do="Take value and gradient from one and the same call of `tail`.",
            idea="was taken at `x`",
        ),
        Wrong(
            both_added,
            why="`x` passes the gradient, but it also adds to the value: the tail gets "
            "`x + function(x)`.",
            do="Take the value of `x` away again: `x - tf.stop_gradient(x)` is zero.",
            idea="it also adds to the value",
        ),
        Wrong(
            function_not_stopped,
            why="`function(x)` is not stopped. You will not notice with `tf.round`, but a function "
            "with a slope of its own adds that slope to the one.",
            do="Wrap `function(x)` in `tf.stop_gradient`.",
            idea="`function(x)` is not stopped",
        ),
        Wrong(
            upstream_forgotten,
            cause="custom_gradient",
            why="Your backward function returns ones, whatever comes from above. A derivative of "
            "one means: hand on the upstream gradient.",
            do="Return `upstream` itself.",
            idea="hand on the upstream gradient",
        ),
    ],
)

# --- tape_verdict -------------------------------------------------------------------------


def gradient_and_watch(function, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        value = function(x)
    return tape.gradient(value, x)


def with_counts(function, x):
    try:
        gradient = gradient_and_watch(function, x)
    except LookupError:
        return "LookupError"
    if gradient is None:
        return "None"
    tests = {"NaN": tf.math.is_nan, "inf": tf.math.is_inf, "value": lambda g: g != 0}
    for word, test in tests.items():
        if tf.math.count_nonzero(test(gradient)) > 0:
            return word
    return "zeros"


def from_the_largest(function, x):
    x = tf.Variable(x)
    try:
        with tf.GradientTape() as tape:
            value = tf.cast(function(x), x.dtype)
        gradient = tape.gradient(value, x)
    except LookupError as error:
        return type(error).__name__
    if gradient is None:
        return str(gradient)
    largest = np.max(np.abs(gradient))
    if np.isfinite(largest):
        return "value" if largest > 0 else "zeros"
    return "NaN" if np.isnan(largest) else "inf"


def not_watched(function, x):
    try:
        with tf.GradientTape() as tape:
            value = function(x)
        gradient = tape.gradient(value, x)
    except LookupError:
        return "LookupError"
    if gradient is None:
        return "None"
    if np.isnan(gradient).any():
        return "NaN"
    if np.isinf(gradient).any():
        return "inf"
    return "value" if np.any(gradient) else "zeros"


def lookup_error_not_caught(function, x):
    gradient = gradient_and_watch(function, x)
    if gradient is None:
        return "None"
    if np.isnan(gradient).any():
        return "NaN"
    if np.isinf(gradient).any():
        return "inf"
    return "value" if np.any(gradient) else "zeros"


def zeros_called_none(function, x):
    try:
        gradient = gradient_and_watch(function, x)
    except LookupError:
        return "LookupError"
    if gradient is None or not np.any(gradient):
        return "None"
    if np.isnan(gradient).any():
        return "NaN"
    return "inf" if np.isinf(gradient).any() else "value"


def none_called_zeros(function, x):
    try:
        with tf.GradientTape() as tape:
            tape.watch(x)
            value = function(x)
        gradient = tape.gradient(value, x, unconnected_gradients="zero")
    except LookupError:
        return "LookupError"
    if np.isnan(gradient).any():
        return "NaN"
    if np.isinf(gradient).any():
        return "inf"
    return "value" if np.any(gradient) else "zeros"


def nan_compared(function, x):
    try:
        gradient = gradient_and_watch(function, x)
    except LookupError:
        return "LookupError"
    if gradient is None:
        return "None"
    if np.any(gradient == np.nan):
        return "NaN"
    if np.any(np.abs(gradient) == np.inf):
        return "inf"
    return "value" if np.any(gradient) else "zeros"


def every_number_is_a_value(function, x):
    try:
        gradient = gradient_and_watch(function, x)
    except LookupError:
        return "LookupError"
    if gradient is None:
        return "None"
    return "value" if np.any(gradient) else "zeros"


def one_zero_is_enough(function, x):
    try:
        gradient = gradient_and_watch(function, x)
    except LookupError:
        return "LookupError"
    if gradient is None:
        return "None"
    if np.isnan(gradient).any():
        return "NaN"
    if np.isinf(gradient).any():
        return "inf"
    return "value" if np.all(gradient) else "zeros"


def log_where_positive(x):
    return tf.where(x > 0.0, tf.math.log(x), 0.0)


def root_and_length(x):
    return tf.sqrt(x[0]) + tf.norm(x[1:])


TAPE_VERDICT = Task(
    function=reference.tape_verdict,
    kind="write",
    minutes=12,
    points=8,
    probes=[
        Probe("tf.exp", lambda: (tf.exp, tf.constant([0.4, 1.3]))),
        Probe("tf.round", lambda: (tf.round, tf.constant([0.4, 1.3]))),
        Probe("tf.sign", lambda: (tf.sign, tf.constant([0.4, 1.3]))),
        Probe("tf.argmax", lambda: (tf.argmax, tf.constant([0.4, 1.3]))),
        Probe("tf.unique", lambda: (lambda x: tf.unique(x).y, tf.constant([0.4, 1.3]))),
        Probe("tf.nn.relu, half of it dead", lambda: (tf.nn.relu, tf.constant([-0.4, 1.3]))),
        Probe("tf.sqrt at 0", lambda: (tf.sqrt, tf.constant([0.0, 1.0]))),
        Probe("tf.norm at 0", lambda: (tf.norm, tf.constant([0.0, 0.0]))),
    ],
    hidden=[
        Probe("a polynomial", lambda: (lambda x: x**3 - x, tf.constant([0.5, 2.0], tf.float64))),
        Probe("floor, then a square", lambda: (lambda x: tf.floor(x) ** 2, tf.constant([1.5]))),
        Probe(
            "clipped everywhere",
            lambda: (lambda x: tf.clip_by_value(x, 0.0, 1.0), tf.constant([[3.0], [-2.0]])),
        ),
        Probe(
            "a factorisation",
            lambda: (lambda x: tf.linalg.lu(x)[0], tf.constant([[2.0, 1.0], [1.0, 3.0]])),
        ),
        Probe("a logarithm at 0", lambda: (tf.math.log, tf.constant([0.0, 2.0]))),
        Probe("a logarithm behind where", lambda: (log_where_positive, tf.constant([0.0, 4.0]))),
        Probe("infinity beside NaN", lambda: (root_and_length, tf.constant([0.0, 0.0, 0.0]))),
    ],
    hints=(
        "Which of the six answers is no return value at all?",
        "Catch the LookupError around `tape.gradient`. Test for None before you look at numbers, "
        "and for NaN before you compare them.",
        "`try: … except LookupError`, then `is None`, then `np.isnan(…).any()`, "
        "`np.isinf(…).any()`, and at last `np.any(gradient)` for a value or zeros.",
    ),
    right=[with_counts, from_the_largest],
    wrong=[
        Wrong(
            not_watched,
            cause="unwatched",
            why="`x` is a plain tensor and nobody watches it, so the answer is None for every "
            "function.",
            do="Call `tape.watch(x)` before `function(x)`.",
            idea="nobody watches it",
        ),
        Wrong(
            lookup_error_not_caught,
            cause="unregistered_gradient",
            why="For an operation without a rule, `tape.gradient` does not return: it raises a "
            "LookupError.",
            do='Put `tape.gradient` into `try`, and return "LookupError" in `except LookupError`.',
            idea="does not return",
        ),
        Wrong(
            zeros_called_none,
            cause="zeros_flat",
            why="Zeros are an answer: the tape found the way and it is flat. None says that it "
            "found no way.",
            do='Test `gradient is None` alone; return "zeros" when every entry is zero.',
            idea="Zeros are an answer",
        ),
        Wrong(
            none_called_zeros,
            cause="not_differentiable",
            why='`unconnected_gradients="zero"` turns None into zeros, so that the two can no '
            "longer be told apart.",
            do="Call `tape.gradient` without it.",
            idea="no longer be told apart",
        ),
        Wrong(
            nan_compared,
            cause="nan",
            why="NaN is not equal to anything, itself included. A comparison with `np.nan` never "
            "finds one.",
            do="Use `np.isnan` or `tf.math.is_nan`.",
            idea="not equal to anything, itself included",
        ),
        Wrong(
            every_number_is_a_value,
            cause="nan",
            why="NaN and infinity are counted as values here: both are different from zero.",
            do="Ask `np.isnan(…).any()` and `np.isinf(…).any()` first.",
            idea="counted as values",
        ),
        Wrong(
            one_zero_is_enough,
            why="One zero among the entries makes this say zeros. The word stands for a gradient "
            "in which every entry is zero.",
            do="Use `np.any(gradient)`: a single entry apart from zero makes it a value.",
            idea="in which every entry is zero",
        ),
    ],
)

TASKS = [SOFT_F1, STRAIGHT_THROUGH, TAPE_VERDICT]
