"""I call a tf function on the output of a layer, between layers

lesson: symbolic_outputs
kind: mistake
cause: symbolic
"""

import tensorflow as tf

keras = tf.keras

print(tf.square(keras.Input((2,), name="inputs")))
