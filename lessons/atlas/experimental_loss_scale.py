"""I make a mixed_precision.experimental.LossScaleOptimizer

lesson: not_none_but_wrong
kind: recipe
cause: loss_scale
claim: The loss is scaled by an optimizer of the experimental module.
expect: value
"""

import tensorflow as tf

keras = tf.keras

module = keras.mixed_precision.experimental
optimizer = module.LossScaleOptimizer(keras.optimizers.SGD(), "dynamic")
print(optimizer.get_scaled_loss(tf.constant(3.0)))
