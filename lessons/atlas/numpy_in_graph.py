"""I call .numpy() in a loss that fit or tf.function traces

lesson: left_tensorflow
kind: mistake
cause: left_tensorflow
"""

import tensorflow as tf

square = tf.function(lambda x: x.numpy() ** 2, autograph=False)
print(square(tf.constant(3.0)))
