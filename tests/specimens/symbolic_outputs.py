"""What comes of differentiating descriptions, in whatever TensorFlow 2 runs this file.

Prints JSON on the last line. Like its neighbours it is kept to what Python 3.7 and TensorFlow 2.0
know; `tests/record_releases.py` runs it and keeps the answers in data/. The questions about graph
mode come last, because eager execution cannot be switched on again.
"""

import json
import platform

import numpy as np
import tensorflow as tf
from no_inbound_nodes import count_names_anew, keras_version, outcome

keras = tf.keras
K = keras.backend

X = np.array([[1.0, 2.0]], "float32")
Y = np.array([[1.0, 0.0, 2.0]], "float32")
HIDDEN = np.array([[1.0, -1.0], [0.5, 2.0]])
SCORES = np.array([[1.0, -2.0, 0.5], [3.0, 1.0, -1.0]])


class Numbers:
    """What K.function returns is an array; `outcome` asks for `numpy()`."""

    def __init__(self, array):
        self.array = array

    def numpy(self):
        return self.array


def layers():
    hidden = keras.layers.Dense(2, "relu", use_bias=False, name="hidden")
    return hidden, keras.layers.Dense(3, use_bias=False, name="scores")


def functional():
    hidden, scores = layers()
    inputs = keras.Input((2,))
    model = keras.Model(inputs, scores(hidden(inputs)))
    model.set_weights([HIDDEN, SCORES])
    return model, hidden.output


def squared_error(scores):
    return tf.reduce_mean((scores - Y) ** 2)


# --- the recipes of the two questions ---------------------------------------------------------


def sequential_first_called():
    model = keras.Sequential(layers())
    model(tf.constant(X))
    with tf.GradientTape() as tape:
        loss = squared_error(model(tf.constant(X)))
    return tape.gradient(loss, model.get_layer("hidden").output)


def sequential_persistent():
    model = keras.Sequential(layers())
    with tf.GradientTape(persistent=True) as tape:
        loss = squared_error(model(tf.constant(X)))
    tape.gradient(loss, model.trainable_variables)
    return tape.gradient(loss, model.get_layer("hidden").output)


def nested(watch):
    inputs = keras.Input((2,))
    hidden, scores = layers()
    backbone = keras.Model(inputs, hidden(inputs), name="backbone")
    model = keras.Sequential([backbone, scores])
    x = tf.constant(X)
    with tf.GradientTape() as tape:
        if watch:
            tape.watch(x)
        model(x)
        score = model.output[:, 1]
        inner = model.get_layer("backbone").get_layer("hidden")
    return tape.gradient(score, inner.output)


# --- a functional model: what is symbolic, and what a tape makes of it ------------------------


def value_to_symbol():
    model, hidden = functional()
    with tf.GradientTape() as tape:
        loss = squared_error(model(tf.constant(X)))
    return tape.gradient(loss, hidden)


def symbol_to_symbol():
    model, hidden = functional()
    with tf.GradientTape() as tape:
        model(tf.constant(X))
        score = model.output[:, 1]
    return tape.gradient(score, hidden)


def symbol_to_weights():
    model, _ = functional()
    with tf.GradientTape() as tape:
        model(tf.constant(X))
        score = model.output[:, 1]
    return tape.gradient(score, model.trainable_variables)[0]


def watched_symbol():
    model, hidden = functional()
    with tf.GradientTape() as tape:
        tape.watch(hidden)
        loss = squared_error(model(tf.constant(X)))
    return tape.gradient(loss, hidden)


def model_of_both():
    model, hidden = functional()
    both = keras.Model(model.inputs, [hidden, model.output[:, 1]])
    with tf.GradientTape() as tape:
        activation, score = both(tf.constant(X))
    return tape.gradient(score, activation)


# --- the functions of graph mode --------------------------------------------------------------


def backend_gradients():
    model, hidden = functional()
    (gradient,) = K.gradients(model.output[:, 1], [hidden])
    return Numbers(K.function([model.input], [gradient])([X])[0])


def tf_gradients():
    model, hidden = functional()
    (gradient,) = tf.gradients(model.output[:, 1], [hidden])
    return Numbers(K.function([model.input], [gradient])([X])[0])


def optimizer_gradients(**options):
    model, _ = functional()
    score, weights = model.output[:, 1], model.trainable_variables
    gradient = keras.optimizers.SGD(**options).get_gradients(score, weights)[0]
    return Numbers(K.function([model.input], [gradient])([X])[0])


def backend_function():
    model, hidden = functional()
    return Numbers(np.asarray(K.function([model.input], [hidden])([X])[0]))


def tf_gradients_in_a_tf_function():
    model, _ = functional()
    hidden, scores = model.get_layer("hidden"), model.get_layer("scores")

    @tf.function
    def gradient(x):
        activation = hidden(x)
        return tf.gradients(scores(activation)[:, 1], [activation])[0]

    return gradient(tf.constant(X))


EAGER = {
    "Sequential called on data: tape.gradient(loss, layer.output)": sequential_first_called,
    "the same, by a persistent tape, after the weights": sequential_persistent,
    "nested: tape.gradient(model.output[:, 1], inner.output)": lambda: nested(watch=False),
    "the same, with tape.watch(x)": lambda: nested(watch=True),
    "functional: layer.output": lambda: functional()[1],
    "functional: model.output[:, 1]": lambda: functional()[0].output[:, 1],
    "functional: tape.gradient(loss, layer.output)": value_to_symbol,
    "functional: tape.gradient(model.output[:, 1], layer.output)": symbol_to_symbol,
    "functional: tape.gradient(model.output[:, 1], weights)": symbol_to_weights,
    "functional: tape.watch(layer.output)": watched_symbol,
    "functional: a model of layer.output and model.output[:, 1]": model_of_both,
    "K.function, layer.output": backend_function,
    "K.gradients": backend_gradients,
    "tf.gradients": tf_gradients,
    "tf.gradients in a tf.function": tf_gradients_in_a_tf_function,
    "optimizer.get_gradients": optimizer_gradients,
    "optimizer.get_gradients, clipvalue=1": lambda: optimizer_gradients(clipvalue=1.0),
}
NOT_EAGER = {
    "K.gradients, eager execution disabled": backend_gradients,
    "tf.gradients, eager execution disabled": tf_gradients,
    "optimizer.get_gradients, eager execution disabled": optimizer_gradients,
}


def main():
    outcomes = {}
    for name, question in EAGER.items():
        count_names_anew()
        outcomes[name] = outcome(question)
    tf.compat.v1.disable_eager_execution()
    for name, question in NOT_EAGER.items():
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
