"""TensorFlow 2 runs eagerly by default

lesson: what_the_tape_records
kind: seed
seed: 002
claim: Eager execution is already the default.
expect: value True
"""

import tensorflow as tf

print(tf.executing_eagerly())
