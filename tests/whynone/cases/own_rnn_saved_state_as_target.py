import tensorflow as tf

tf.random.set_seed(1)
lstm = tf.keras.layers.LSTM(2, stateful=True)
tokens = tf.random.normal((1, 3, 4))
lstm(tokens)
lstm.reset_states()

with tf.GradientTape() as tape:
    summary = lstm(tokens)
    carry = lstm.states[1]
    penalty = tf.reduce_sum(tf.square(carry))

grads = tape.gradient(penalty, lstm.trainable_variables)
print("summary", summary.shape, [g is not None for g in grads])
