import tensorflow as tf

tf.keras.utils.set_random_seed(42)
lstm = tf.keras.layers.LSTM(2, use_cudnn=False)
x = tf.random.normal((1, 3, 2))
lstm(x)
with tf.GradientTape() as outer:
    with tf.GradientTape() as inner:
        inner.watch(x)
        y = tf.reduce_sum(lstm(x))
    penalty = tf.reduce_sum(inner.gradient(y, x) ** 2)
print([float(tf.reduce_sum(g)).hex() for g in outer.gradient(penalty, lstm.trainable_variables)])
