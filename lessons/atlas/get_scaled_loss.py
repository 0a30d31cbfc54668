"""I call get_scaled_loss for mixed precision

lesson: not_none_but_wrong
kind: recipe
cause: loss_scale
claim: The optimizer scales the loss for mixed precision by get_scaled_loss.
expect: value
"""

import tensorflow as tf

keras = tf.keras

optimizer = keras.mixed_precision.LossScaleOptimizer(keras.optimizers.SGD())
print(optimizer.get_scaled_loss(tf.constant(3.0)))
