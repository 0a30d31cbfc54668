"""I call optimizer.minimize with a loss that is computed already

lesson: outside_the_tape
kind: mistake
cause: outside_tape
"""

import tensorflow as tf

keras = tf.keras

w = tf.Variable(3.0)
keras.optimizers.Adam().minimize(w * w, [w])
print(w)
