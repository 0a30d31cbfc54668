import tensorflow as tf
from tensorflow.keras import layers

tf.random.set_seed(0)
critic = tf.keras.Sequential([
    tf.keras.Input((3,)),
    layers.Dense(4, activation="tanh"),
    layers.Dense(1, name="out"),
])
real = tf.random.normal((4, 3))
fake = tf.random.normal((4, 3))

with tf.GradientTape() as outer:
    blend = real + tf.random.uniform((4, 1)) * (fake - real)
    with tf.GradientTape() as inner:
        inner.watch(blend)
        score = critic(blend)
    slope = inner.gradient(score, blend)
    penalty = tf.reduce_mean((tf.norm(slope, axis=1) - 1.0) ** 2)

weights = critic.trainable_variables
for w, g in zip(weights, outer.gradient(penalty, weights)):
    print(w.path, "None" if g is None else "ok")
