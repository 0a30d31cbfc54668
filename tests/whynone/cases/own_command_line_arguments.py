import argparse
import sys

import numpy as np
import tensorflow as tf


def blur(row, width):
    kernel = np.ones(width, "float32") / width
    return np.convolve(row, kernel, mode="same")


def main(argv=None):
    parser = argparse.ArgumentParser()
    parser.add_argument("--width", type=int, default=5)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(argv)
    tf.random.set_seed(options.seed)
    row = tf.Variable(tf.random.uniform((6,), seed=options.seed))
    with tf.GradientTape() as tape:
        smooth = blur(row, options.width)
        contrast = tf.reduce_max(smooth) - tf.reduce_min(smooth)
    gradient = tape.gradient(contrast, row)
    print("width", options.width, "gradient", gradient)
    return 0 if gradient is not None else 3


if __name__ == "__main__":
    sys.exit(main())
