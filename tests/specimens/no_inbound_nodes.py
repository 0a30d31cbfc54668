"""What `layer.output` is, in whatever TensorFlow 2 runs this file: JSON on the last line.

Self-contained on purpose (Python 3.7 and TensorFlow 2.0 are enough), so that old releases can be
asked. `tests/record_releases.py` runs it and keeps the answers in data/.
"""

import json
import os
import platform

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import numpy as np
import tensorflow as tf

keras = tf.keras

X = np.array([[[1.0], [2.0], [3.0]], [[2.0], [0.0], [1.0]]], "float32")
Y = np.array([[1.5], [1.0]], "float32")
WEIGHTS = [
    np.array([[1.0, 1.0]]),  # the cell's kernel
    np.array([0.5, 1.0]),  # the cell's keep
    np.array([[2.0], [-1.0]]),  # the dense layer's kernel
    np.array([0.0]),  # its bias
]
NO_VALUE = "a tensor without values"


class LeakyCell(keras.layers.Layer):
    def __init__(self, units):
        super().__init__()
        self.units = self.state_size = units

    def build(self, input_shape):
        self.kernel = self.add_weight(shape=(input_shape[-1], self.units), name="kernel")
        self.keep = self.add_weight(shape=(self.units,), name="keep")
        self.built = True

    def call(self, inputs, states):
        state = tf.matmul(inputs, self.kernel) + self.keep * states[0]
        return state, [state]


class Tank(keras.Model):
    def __init__(self):
        super().__init__()
        self.rnn = keras.layers.RNN(LeakyCell(2), name="leaky_rnn")
        self.out = keras.layers.Dense(1)

    def call(self, inputs):
        return self.out(self.rnn(inputs))


def layers():
    return [keras.layers.RNN(LeakyCell(2), name="leaky_rnn"), keras.layers.Dense(1)]


def squared_error(model):
    return tf.reduce_mean((model(tf.constant(X)) - Y) ** 2)


# --- subclassed: one situation a function; each returns the recurrent layer -----------------


def subclassed_new():
    return Tank().get_layer("leaky_rnn")


def subclassed_called_on_data():
    model = Tank()
    model(tf.constant(X))
    return model.get_layer("leaky_rnn")


def subclassed_built_with_a_shape():
    model = Tank()
    model.build((None, 3, 1))
    return model.get_layer("leaky_rnn")


def subclassed_fitted():
    model = Tank()
    model.compile(optimizer="sgd", loss="mse")
    model.fit(X, Y, verbose=0)
    return model.get_layer("leaky_rnn")


def subclassed_called_on_input():
    model = Tank()
    model(keras.Input((3, 1)))
    return model.get_layer("leaky_rnn")


def subclassed_call_method_on_input():
    model = Tank()
    model.call(keras.Input((3, 1)))
    return model.get_layer("leaky_rnn")


def subclassed_with_input_shape():
    class Shaped(Tank):
        def __init__(self):
            super().__init__()
            self.rnn = keras.layers.RNN(LeakyCell(2), input_shape=(3, 1), name="leaky_rnn")

    model = Shaped()
    model(tf.constant(X))
    return model.get_layer("leaky_rnn")


# --- the same layers, arranged otherwise ------------------------------------------------------


def sequential_new():
    return keras.Sequential(layers()).layers[0]


def sequential_called_on_data():
    model = keras.Sequential(layers())
    model(tf.constant(X))
    return model.layers[0]


def sequential_with_input_shape():
    first = keras.layers.RNN(LeakyCell(2), input_shape=(3, 1), name="leaky_rnn")
    return keras.Sequential([first, keras.layers.Dense(1)]).layers[0]


def sequential_with_input():
    first, last = layers()
    model = keras.Sequential([keras.Input((3, 1)), first, last])
    return next(layer for layer in model.layers if layer.name == "leaky_rnn")


def functional():
    first, last = layers()
    inputs = keras.Input((3, 1))
    model = keras.Model(inputs, last(first(inputs)))
    return model.get_layer("leaky_rnn")


# --- what people then do with it --------------------------------------------------------------


def output_of(make_layer):
    return lambda: make_layer().output


def question_of_the_subclassed_model():
    model = Tank()
    with tf.GradientTape() as tape:
        tape.watch(model.get_layer("leaky_rnn").output)
        loss = squared_error(model)
    return tape.gradient(loss, model.get_layer("leaky_rnn").output)


def sequential_for_a_gradient():
    first, last = layers()
    model = keras.Sequential([keras.Input((3, 1)), first, last])
    model.set_weights(WEIGHTS)
    return model, first


def gradient_of_output():
    model, rnn = sequential_for_a_gradient()
    with tf.GradientTape() as tape:
        loss = squared_error(model)
    return tape.gradient(loss, rnn.output)


def watch_output():
    model, rnn = sequential_for_a_gradient()
    with tf.GradientTape() as tape:
        tape.watch(rnn.output)
        loss = squared_error(model)
    return tape.gradient(loss, rnn.output)


def second_call_of_the_layer():
    model = Tank()
    model(tf.constant(X))
    with tf.GradientTape() as tape:
        again = model.rnn(tf.constant(X))
        loss = squared_error(model)
    return tape.gradient(loss, again)


def layers_one_by_one():
    model = Tank()
    model(tf.constant(X))
    model.set_weights(WEIGHTS)
    with tf.GradientTape() as tape:
        hidden = model.rnn(tf.constant(X))
        loss = tf.reduce_mean((model.out(hidden) - Y) ** 2)
    return tape.gradient(loss, hidden)


def two_output_model_of_the_call_method():
    model = Tank()
    inputs = keras.Input((3, 1))
    output = model.call(inputs)
    rewired = keras.Model(inputs, [model.rnn.output, output])
    rewired.set_weights(WEIGHTS)
    with tf.GradientTape() as tape:
        hidden, output = rewired(tf.constant(X))
        loss = tf.reduce_mean((output - Y) ** 2)
    return tape.gradient(loss, hidden)


def two_output_model():
    model, rnn = sequential_for_a_gradient()
    both = keras.Model(model.inputs, [rnn.output, model.outputs[0]])
    with tf.GradientTape() as tape:
        hidden, output = both(tf.constant(X))
        loss = tf.reduce_mean((output - Y) ** 2)
    return tape.gradient(loss, hidden)


def dense_on_plain_numbers():
    model = keras.Sequential([keras.layers.Dense(1)])
    return model(tf.constant([1.0, 2.0, 3.0]))


QUESTIONS = {
    "subclassed, new: rnn.output": output_of(subclassed_new),
    "subclassed, called on data: rnn.output": output_of(subclassed_called_on_data),
    "subclassed, built with a shape: rnn.output": output_of(subclassed_built_with_a_shape),
    "subclassed, layer given input_shape: rnn.output": output_of(subclassed_with_input_shape),
    "subclassed, after fit: rnn.output": output_of(subclassed_fitted),
    "subclassed, called on keras.Input: rnn.output": output_of(subclassed_called_on_input),
    "subclassed, model.call on keras.Input: rnn.output": output_of(subclassed_call_method_on_input),
    "Sequential, new: rnn.output": output_of(sequential_new),
    "Sequential, called on data: rnn.output": output_of(sequential_called_on_data),
    "Sequential, layer given input_shape: rnn.output": output_of(sequential_with_input_shape),
    "Sequential with keras.Input: rnn.output": output_of(sequential_with_input),
    "functional: rnn.output": output_of(functional),
    "subclassed: tape.watch(rnn.output)": question_of_the_subclassed_model,
    "Sequential: tape.gradient(loss, rnn.output)": gradient_of_output,
    "Sequential: tape.watch(rnn.output)": watch_output,
    "Sequential: model with two outputs": two_output_model,
    "subclassed, model.call on keras.Input: model with two outputs": (
        two_output_model_of_the_call_method
    ),
    "subclassed: tape.gradient(loss, rnn(x)), a second call": second_call_of_the_layer,
    "subclassed: layers called one by one": layers_one_by_one,
    "Sequential([Dense(1)]) on a vector": dense_on_plain_numbers,
}


def outcome(question):
    """An exception's type and first line, None, the numbers, or NO_VALUE."""
    try:
        answer = question()
    except Exception as error:
        first_line = (str(error).strip().splitlines() or [""])[0]
        return {"raised": type(error).__name__, "said": first_line}
    if answer is None:
        return {"gave": None}
    try:
        return {"gave": np.round(answer.numpy().astype("float64"), 4).tolist()}
    except (AttributeError, NotImplementedError):
        return {"gave": NO_VALUE, "shape": list(answer.shape)}


def count_names_anew():
    """So that a message does not depend on the questions before it."""
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


def main():
    outcomes = {}
    for name, question in QUESTIONS.items():
        count_names_anew()
        outcomes[name] = outcome(question)
    seen = {
        "tensorflow": tf.__version__,
        "keras": keras_version(),
        "python": platform.python_version(),
        "outcomes": outcomes,
    }
    print(json.dumps(seen))


if __name__ == "__main__":
    main()
