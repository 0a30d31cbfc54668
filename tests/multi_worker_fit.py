"""Run twice by tests/test_gradients_while_training.py: what `fit` says with two workers."""

import sys
from pathlib import Path

import tensorflow as tf

strategy = tf.distribute.MultiWorkerMirroredStrategy()

import keras  # noqa: E402
import numpy as np  # noqa: E402


def outcome():
    with strategy.scope():
        model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1)])
        model.compile("sgd", "mse")
    try:
        x = np.ones((8, 2), "float32")
        model.fit(x, x[:, :1], batch_size=4, verbose=0)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return "no error"


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(outcome())
