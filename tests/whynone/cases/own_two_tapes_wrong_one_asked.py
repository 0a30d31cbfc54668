import tensorflow as tf

tf.random.set_seed(6)
encoder = tf.keras.layers.Dense(2)
policy = tf.keras.layers.Dense(2)
x = tf.random.normal((3, 4))

with tf.GradientTape() as encoder_tape:
    code = encoder(x)
    smooth = tf.reduce_mean(code ** 2)
with tf.GradientTape() as policy_tape:
    decision = tf.reduce_mean(policy(code))

print(encoder_tape.gradient(decision, encoder.trainable_variables))
