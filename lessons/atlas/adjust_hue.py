"""tf.image.adjust_hue as augmentation inside the block

lesson: not_differentiable
kind: mistake
cause: unregistered_gradient
"""

import tensorflow as tf

x = tf.ones((1, 2, 2, 3)) * 0.5
with tf.GradientTape() as tape:
    tape.watch(x)
    y = tf.image.adjust_hue(x, 0.1)
print(tape.gradient(y, x))
