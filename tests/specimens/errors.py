"""What people paste into a search box, from whatever TensorFlow 2 runs this file: JSON last.

Self-contained on purpose (Python 3.7 and TensorFlow 2.1 are enough), so that old releases can be
asked. `tests/record_releases.py` runs it and keeps the answers in data/.

Each snippet makes the mistake that its title names. Its outcome is the exception's class and the
first line of its message, or what the gradient is; and the warnings on the way.
"""

import json
import logging
import os
import platform
import re
import warnings

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import numpy as np
import tensorflow as tf

keras = tf.keras

SNIPPETS = {}  # title: (slug of the lesson, function)
MACHINE = (
    (re.compile(r" at 0x[0-9a-f]+"), ""),
    (re.compile(r"(?<![\w.:/])(/[\w.+-]+)+/(?=[\w.+-]+)"), ""),  # a file's folders
)


class NotHere(Exception):
    """This release has nothing that the snippet could call."""


def snippet(title, lesson):
    def add(function):
        SNIPPETS[title] = (lesson, function)
        return function

    return add


def dense():
    return keras.layers.Dense(1, kernel_initializer="ones", name="dense")


def functional_model():
    inputs = keras.Input((2,), name="inputs")
    return keras.Model(inputs, dense()(inputs))


def recorded(function, x):
    """A tape that watches x, and function(x)."""
    with tf.GradientTape() as tape:
        tape.watch(x)
        target = function(x)
    return tape, target


def gradient(function, x):
    tape, target = recorded(function, x)
    return tape.gradient(target, x)


def pairs(gradients, variables):
    return list(zip(gradients, variables))  # noqa: B905 - Python 3.7 has no strict


def three():
    return tf.constant(3.0)


def row():
    return tf.constant([[1.0, 2.0]])


def column():
    return tf.constant([1.0, 2.0, 3.0])


# --- the tape -------------------------------------------------------------------------------


@snippet("I ask a tape a second time", "one_tape_many_gradients")
def spent():
    x = three()
    tape, y = recorded(tf.square, x)
    tape.gradient(y, x)
    return tape.gradient(y, x)


@snippet("I ask a tape for a Jacobian after a gradient", "one_tape_many_gradients")
def spent_jacobian():
    x = column()
    tape, y = recorded(tf.square, x)
    tape.gradient(y, x)
    return tape.jacobian(y, x)


@snippet("I made a tape without `with`", "outside_the_tape")
def never_entered():
    tape, x = tf.GradientTape(), three()
    return tape.gradient(x * x, x)


@snippet("I call stop_recording after the block", "one_tape_many_gradients")
def stopped_twice():
    tape, _ = recorded(tf.square, three())
    with tape.stop_recording():
        pass


@snippet("I ask for a Jacobian with experimental_use_pfor=False", "summed_targets")
def jacobian_without_pfor():
    x = column()
    tape, y = recorded(tf.square, x)
    return tape.jacobian(y, x, experimental_use_pfor=False)


@snippet("I ask batch_jacobian for a target without the batch axis", "summed_targets")
def batch_jacobian():
    x = tf.ones((2, 3))
    tape, y = recorded(lambda x: tf.reduce_sum(x, 0)[:, None], x)
    return tape.batch_jacobian(y, x)


@snippet("I ask batch_jacobian for the gradient of a vector", "summed_targets")
def batch_jacobian_of_vector():
    x = column()
    tape, y = recorded(tf.square, x)
    return tape.batch_jacobian(y, x)


@snippet("I never watched my input", "unwatched_tensor")
def unwatched():
    x = three()
    with tf.GradientTape() as tape:
        y = x * x
    return tape.gradient(y, x)


@snippet("I call a method on the gradient, which is None", "unwatched_tensor")
def none_has_no_numpy():
    return unwatched().numpy()


@snippet("I multiply the gradient, which is None, by a learning rate", "unwatched_tensor")
def rate_times_none():
    return 0.1 * unwatched()


@snippet("I give the gradient, which is None, to tf.reduce_mean", "unwatched_tensor")
def mean_of_none():
    return tf.reduce_mean(unwatched())


@snippet("I index the gradient, which is None", "unwatched_tensor")
def index_of_none():
    return unwatched()[0]


@snippet("I watch my input after the operation that uses it", "unwatched_tensor")
def watched_late():
    x = three()
    with tf.GradientTape() as tape:
        y = x * x
        tape.watch(x)
    return tape.gradient(y, x)


@snippet("I ask for the gradient of a slice, x[0], and used all of x", "outside_the_tape")
def derived_source():
    x = column()
    tape, y = recorded(lambda x: tf.reduce_sum(x * x), x)
    return tape.gradient(y, x[0])


@snippet("My variable was made with trainable=False", "unwatched_tensor")
def non_trainable():
    w = tf.Variable(3.0, trainable=False)
    with tf.GradientTape() as tape:
        y = w * w
    return tape.gradient(y, w)


@snippet("I watch a layer's weight, or model.trainable_variables", "unwatched_tensor")
def watch_keras_variable():
    layer = dense()
    layer(tf.ones((1, 1)))  # one weight: its value fits on the message's first line
    with tf.GradientTape() as tape:
        tape.watch(layer.trainable_variables)
        y = layer(tf.ones((1, 1)))
    return tape.gradient(y, layer.trainable_variables[0])


@snippet("I watch a NumPy array", "unwatched_tensor")
def watch_array():
    return gradient(tf.square, np.array([3.0]))


@snippet("I asked for model.trainable_variables and got a list", "weights_or_inputs")
def list_of_gradients():
    model = functional_model()
    with tf.GradientTape() as tape:
        y = model(row())
    return tape.gradient(y, model.trainable_variables).shape


@snippet("I call numpy() on the gradient of an embedding", "weights_or_inputs")
def indexed_slices():
    table = tf.Variable(tf.ones((4, 2)))
    with tf.GradientTape() as tape:
        y = tf.nn.embedding_lookup(table, [0, 3])
    return tape.gradient(y, table).numpy()


@snippet("I compute the loss after the block", "outside_the_tape")
def loss_outside():
    x = three()
    tape, y = recorded(tf.square, x)
    return tape.gradient(y + 1.0, x)


@snippet("I slice the output after the block", "outside_the_tape")
def slice_outside():
    x = column()
    tape, y = recorded(tf.square, x)
    return tape.gradient(y[0], x)


@snippet("I give the optimizer only None", "outside_the_tape")
def no_gradients():
    model = functional_model()
    y = model(row())
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(y)
    weights = model.trainable_variables
    keras.optimizers.SGD().apply_gradients(pairs(tape.gradient(loss, weights), weights))


@snippet("I fit a model whose loss has no gradient", "not_differentiable")
def fit_without_gradients():
    model = functional_model()
    model.compile(optimizer="sgd", loss=lambda y, p: tf.reduce_mean(tf.round(p)))
    model.fit(np.ones((1, 2)), np.ones((1, 1)), verbose=0)


@snippet("Some of my layers do not reach the loss", "what_the_tape_records")
def some_gradients():
    used, unused = tf.Variable(3.0, name="used"), tf.Variable(3.0, name="unused")
    with tf.GradientTape() as tape:
        y = used * used
    gradients = tape.gradient(y, [used, unused])
    keras.optimizers.SGD().apply_gradients(pairs(gradients, [used, unused]))
    return gradients[1]


@snippet("The loss does not depend on the variable", "what_the_tape_records")
def no_path():
    w = tf.Variable(3.0)
    return recorded(tf.square, three())[0].gradient(three(), w)


@snippet("I call tf.gradients, from TensorFlow 1", "what_the_tape_records")
def tf_gradients():
    x = three()
    return tf.gradients(x * x, x)


@snippet("The first gradient was taken outside the outer tape", "one_tape_many_gradients")
def second_order_outside():
    x = three()
    with tf.GradientTape() as outer:
        outer.watch(x)
        inner, y = recorded(lambda x: x**3, x)
    first = inner.gradient(y, x)
    return outer.gradient(first, x)


@snippet("The second derivative of a straight line", "one_tape_many_gradients")
def second_order_of_line():
    x = three()
    with tf.GradientTape() as outer:
        outer.watch(x)
        first = gradient(lambda x: 2.0 * x, x)
    return outer.gradient(first, x)


# --- inside a model -------------------------------------------------------------------------


@snippet("I ask for layer.output of a layer that was called on data", "no_inbound_nodes")
def layer_output():
    layer = dense()
    layer(row())
    return layer.output


@snippet("I ask for model.output of a Sequential without Input", "no_inbound_nodes")
def sequential_output():
    return keras.Sequential([dense()]).output


@snippet("I ask for model.input of a Sequential without Input", "no_inbound_nodes")
def sequential_input():
    return keras.Sequential([dense()]).input


@snippet("I ask for the gradient of layer.output", "symbolic_outputs")
def symbolic_source():
    model = functional_model()
    with tf.GradientTape() as tape:
        y = model(row())
    return tape.gradient(y, model.layers[-1].output)


@snippet("I ask for the gradient of model.output", "symbolic_outputs")
def symbolic_target():
    model = functional_model()
    with tf.GradientTape() as tape:
        model(row())
    return tape.gradient(model.output, model.trainable_variables)[0]


@snippet("I watch layer.output, or model.input", "symbolic_outputs")
def watch_symbolic():
    model = functional_model()
    with tf.GradientTape() as tape:
        tape.watch(model.input)
        y = model(row())
    return tape.gradient(y, model.input)


@snippet("I call numpy() on layer.output", "symbolic_outputs")
def numpy_of_symbolic():
    return functional_model().layers[-1].output.numpy()


@snippet("I call a tf function on the output of a layer, between layers", "symbolic_outputs")
def tf_on_symbolic():
    return tf.square(keras.Input((2,), name="inputs"))


@snippet("I call K.gradients on model.output", "symbolic_outputs")
def backend_gradients():
    model = functional_model()
    return keras.backend.gradients(model.output, model.input)


@snippet("I call layer.get_output_at", "intermediate_activations")
def get_output_at():
    return functional_model().layers[-1].get_output_at(0)


@snippet("I call the layer a second time to get its output", "outside_the_tape")
def other_call():
    model = functional_model()
    with tf.GradientTape() as tape:
        y = model(row())
        again = model.layers[-1](row())
    return tape.gradient(y, again)


@snippet("I built a Sequential with add and made a second model of it", "intermediate_activations")
def stale_node():
    model = keras.Sequential()
    model.add(keras.Input((2,)) if hasattr(keras, "ops") else keras.layers.InputLayer((2,)))
    model.add(keras.layers.Dense(2, kernel_initializer="ones", name="hidden"))
    model.add(dense())
    hidden = model.layers[-2].output
    both = keras.Model(model.inputs, [hidden, model.outputs[0]])
    with tf.GradientTape() as tape:
        activation, y = both(row())
    return tape.gradient(y, activation)


@snippet("I make a model from the outer input to a layer of the inner model", "nested_models")
def nested():
    inner = functional_model()
    inputs = keras.Input((2,), name="outer_inputs")
    outer = keras.Model(inputs, inner(inputs))
    return keras.Model(outer.input, [inner.layers[-1].output, outer.output])


@snippet("I ask for an RNN's returned sequence, at the earlier steps", "recurrent_outputs")
def earlier_steps():
    rnn = keras.layers.SimpleRNN(2, return_sequences=True)
    with tf.GradientTape() as tape:
        states = rnn(tf.ones((1, 3, 1)))
        y = tf.reduce_sum(states[:, -1])
    return tape.gradient(y, states)[:, :-1]


# --- broken chains --------------------------------------------------------------------------


@snippet("My loss is a NumPy number", "left_tensorflow")
def numpy_target():
    x = three()
    tape, y = recorded(lambda x: tf.square(x).numpy(), x)
    return tape.gradient(y, x)


@snippet("My loss is a Python number, from float() or .item()", "left_tensorflow")
def float_target():
    x = three()
    tape, y = recorded(lambda x: float(tf.square(x)), x)
    return tape.gradient(y, x)


@snippet("I ask for the gradient of a NumPy array", "left_tensorflow")
def numpy_source():
    x = np.array([3.0], "float32")
    with tf.GradientTape() as tape:
        y = tf.square(x)
    return tape.gradient(y, x)


@snippet("My loss calls a NumPy function", "left_tensorflow")
def numpy_function():
    return gradient(lambda x: tf.reduce_sum(tf.constant(np.square(x))), three())


@snippet("I call .numpy() in a loss that fit or tf.function traces", "left_tensorflow")
def numpy_in_graph():
    return tf.function(lambda x: x.numpy(), autograph=False)(three())


@snippet("I call a NumPy function in a loss that tf.function traces", "left_tensorflow")
def numpy_function_in_graph():
    return tf.function(lambda x: np.square(np.array(x)), autograph=False)(three())


@snippet("My loss goes through model.predict", "left_tensorflow")
def predict():
    model = functional_model()
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(model.predict(np.ones((1, 2)), verbose=0))
    return tape.gradient(y, model.trainable_variables)[0]


@snippet("My loss uses tf.numpy_function", "left_tensorflow")
def tf_numpy_function():
    return gradient(lambda x: tf.numpy_function(np.square, [x], tf.float32), three())


@snippet("My loss uses tf.py_function with a NumPy function in it", "left_tensorflow")
def py_function():
    return gradient(lambda x: tf.py_function(np.square, [x], tf.float32), three())


@snippet("I watch an integer tensor", "not_differentiable")
def integer_watched():
    return gradient(tf.square, tf.constant(3))


@snippet("I ask for the gradient of an integer variable: tf.Variable(3)", "not_differentiable")
def integer_source():
    w = tf.Variable(3)
    with tf.GradientTape() as tape:
        y = tf.cast(w, tf.float32) ** 2
    return tape.gradient(y, w)


@snippet("My loss is an integer", "not_differentiable")
def integer_target():
    return gradient(lambda x: tf.cast(x, tf.int32), three())


@snippet("My loss uses argmax", "not_differentiable")
def argmax():
    return gradient(lambda x: tf.cast(tf.argmax(x), tf.float32), column())


@snippet("My loss uses round, or a threshold", "not_differentiable")
def rounding():
    return gradient(tf.round, column())


@snippet("My loss uses tf.stop_gradient", "not_differentiable")
def stopped():
    return gradient(lambda x: tf.stop_gradient(x) ** 2, three())


@snippet("My loss uses an operation without a gradient, tf.unique", "not_differentiable")
def unregistered():
    return gradient(lambda x: tf.unique(x)[0], column())


@snippet("My custom_gradient returns nothing, or too few gradients", "not_differentiable")
def too_few_gradients():
    @tf.custom_gradient
    def square(x):
        return x * x, lambda upstream: []

    return gradient(square, three())


@snippet("My custom_gradient returns too many gradients", "not_differentiable")
def too_many_gradients():
    @tf.custom_gradient
    def square(x):
        return x * x, lambda upstream: (upstream, upstream)

    return gradient(square, three())


@snippet("My custom_gradient uses a variable", "not_differentiable")
def custom_gradient_with_variable():
    w = tf.Variable(2.0)

    @tf.custom_gradient
    def scale(x):
        return w * x, lambda upstream: upstream * w

    return gradient(scale, three())


@snippet("I call assign_sub after w = w - rate * gradient", "variables_and_state")
def assign_sub():
    w = tf.Variable(3.0)
    w = w - 0.1
    w.assign_sub(0.1)


@snippet("The second step, after w = w - rate * gradient", "variables_and_state")
def second_step():
    w = tf.Variable(3.0)
    for _ in range(2):
        with tf.GradientTape() as tape:
            y = w * w
        found = tape.gradient(y, w)
        w = w - (0.1 * found if found is not None else 0.0)
    return found


@snippet("I give the optimizer tensors, not variables", "variables_and_state")
def optimizer_with_tensors():
    keras.optimizers.SGD().apply_gradients([(tf.ones(()), three())])


@snippet("My value goes through a variable's assign", "variables_and_state")
def through_assign():
    w = tf.Variable(0.0)
    return gradient(lambda x: w.assign(x) * 2.0, three())


@snippet("The trainable_variables of a Lambda layer that uses a variable", "variables_and_state")
def lambda_layer():
    w = tf.Variable(2.0, name="w")
    layer = keras.layers.Lambda(lambda x: w * x, name="scale")
    with tf.GradientTape():
        layer(row())
    return layer.trainable_variables


# --- not None, but wrong --------------------------------------------------------------------


@snippet("A relu unit that is below zero for every example", "not_none_but_wrong")
def dead_relu():
    return gradient(tf.nn.relu, -column())


@snippet("A softmax or sigmoid that is sure of itself", "not_none_but_wrong")
def saturated():
    return gradient(tf.sigmoid, 100.0 + column())


@snippet("My loss uses tf.sign", "not_none_but_wrong")
def sign():
    return gradient(tf.sign, column())


@snippet("The square root, or the norm, of zero", "not_none_but_wrong")
def norm_at_zero():
    return gradient(tf.norm, tf.zeros(3))


@snippet("tf.where guards a logarithm, and the gradient is NaN all the same", "not_none_but_wrong")
def guarded():
    return gradient(lambda x: tf.where(x > 0.0, x * tf.math.log(x), 0.0 * x), tf.zeros(3))


@snippet("I call get_scaled_loss for mixed precision", "not_none_but_wrong")
def scaled_loss():
    optimizer = getattr(keras.mixed_precision, "LossScaleOptimizer", None)
    if optimizer is None:
        raise NotHere
    return optimizer(keras.optimizers.SGD()).get_scaled_loss(three())


# --- while training -------------------------------------------------------------------------


@snippet("I call optimizer.minimize", "gradients_while_training")
def minimize():
    w = tf.Variable(3.0)
    keras.optimizers.Adam().minimize(lambda: w * w, [w])
    return w


@snippet("I call optimizer.minimize with a loss that is computed already", "outside_the_tape")
def minimize_a_value():
    w = tf.Variable(3.0)
    keras.optimizers.Adam().minimize(w * w, [w])


@snippet("I call optimizer.get_gradients", "gradients_while_training")
def get_gradients():
    model = functional_model()
    optimizer = keras.optimizers.Adam()
    return optimizer.get_gradients(model.output, model.trainable_variables)


@snippet("I call optimizer.get_gradients for a loss that uses round", "not_differentiable")
def get_gradients_of_round():
    model = functional_model()
    get = keras.optimizers.Adam().get_gradients
    return get(tf.round(model.output), model.trainable_variables)


@snippet("I give TensorBoard write_grads=True", "gradients_while_training")
def write_grads():
    return keras.callbacks.TensorBoard(write_grads=True)


@snippet("I use a tape in strategy.scope() and not in strategy.run", "gradients_while_training")
def strategy_scope():
    logging.disable(logging.WARNING)  # it says that these are no GPUs
    strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
    logging.disable(logging.NOTSET)
    with strategy.scope():
        w = tf.Variable(3.0)
        with tf.GradientTape() as tape:
            y = w * w
        return tape.gradient(y, w)


# --- asking ---------------------------------------------------------------------------------


class Listener(logging.Handler):
    """Keeps the first line of each warning that is logged."""

    def __init__(self):
        super().__init__(logging.WARNING)
        self.heard = []

    def emit(self, record):
        self.heard.append(first_line(record.getMessage()))


def first_line(text):
    """The first line, without the addresses and folders of this machine."""
    line = (str(text).strip().splitlines() or [""])[0].strip()
    for pattern, instead in MACHINE:
        line = pattern.sub(instead, line)
    return line


def message(error):
    """The first line of the message; for one from traced code, the line that names the error."""
    lines = [line.strip() for line in str(error).splitlines()]
    if lines and lines[0] == "in user code:":
        mark = f"{type(error).__name__}: "
        lines = [line[len(mark) :] for line in lines if line.startswith(mark)] or lines
    return first_line("\n".join(lines))


def in_a_word(answer):
    """None, an empty list, zeros, NaN, or a value."""
    if answer is None or (isinstance(answer, list) and not answer):
        return str(answer)
    try:
        numbers = np.asarray(answer.numpy())
    except (AttributeError, NotImplementedError):
        return "a value"
    if np.isnan(numbers).any():
        return "NaN"
    return "a value" if numbers.any() else "zeros"


def outcome(function):
    """What came of it: `raised` and `said`, or `gave`; `warned` if there were warnings."""
    listener = Listener()
    loggers = [logging.getLogger(name) for name in ("tensorflow", "absl")]
    kept = [(logger, logger.handlers[:], logger.propagate) for logger in loggers]
    for logger in loggers:
        logger.handlers, logger.propagate = [listener], False
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", UserWarning)
            result = {"gave": in_a_word(function())}
    except NotHere:
        result = {"absent": True}
    except Exception as error:
        result = {"raised": type(error).__name__, "said": message(error)}
    finally:
        for logger, handlers, propagate in kept:
            logger.handlers, logger.propagate = handlers, propagate
    spoken = [first_line(w.message) for w in caught if issubclass(w.category, UserWarning)]
    warned = sorted({*listener.heard, *spoken})
    return {**result, "warned": warned} if warned else result


def count_names_anew():
    """So that a message does not depend on the snippets before it."""
    try:
        keras.backend.clear_session(free_memory=False)  # Keras 3: a second faster each time
    except TypeError:
        keras.backend.clear_session()


def keras_version():
    try:
        return keras.__version__
    except AttributeError:  # TensorFlow 2.13 to 2.15 keep it in the package alone
        import keras as package

        return package.__version__


def two_processors():
    """For the snippet with a strategy; before TensorFlow starts."""
    devices = tf.config.experimental
    configuration = [devices.VirtualDeviceConfiguration() for _ in range(2)]
    cpu = devices.list_physical_devices("CPU")[0]
    devices.set_virtual_device_configuration(cpu, configuration)


def main():
    two_processors()
    outcomes = {}
    for title, (lesson, function) in SNIPPETS.items():
        count_names_anew()
        outcomes[title] = {"lesson": lesson, **outcome(function)}
    seen = {
        "tensorflow": tf.__version__,
        "keras": keras_version(),
        "python": platform.python_version(),
        "outcomes": outcomes,
    }
    print(json.dumps(seen))


if __name__ == "__main__":
    main()
