"""A saliency map with a uint8 image cast inside the block

lesson: not_differentiable
kind: mistake
cause: integer_dtype
"""

import tensorflow as tf

image = tf.constant([[1, 2]], tf.uint8)
with tf.GradientTape() as tape:
    tape.watch(image)
    y = tf.cast(image, tf.float32) * 2.0
print(tape.gradient(y, image))
