"""I call scale_loss for mixed precision

lesson: not_none_but_wrong
kind: recipe
cause: loss_scale
claim: The optimizer scales the loss for mixed precision by scale_loss.
expect: value
"""

import tensorflow as tf

keras = tf.keras

optimizer = keras.mixed_precision.LossScaleOptimizer(keras.optimizers.SGD())
optimizer.build([tf.Variable(1.0)])
print(optimizer.scale_loss(tf.constant(3.0)))
