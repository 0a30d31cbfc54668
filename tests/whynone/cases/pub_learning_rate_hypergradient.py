import tensorflow as tf
from tensorflow import keras

keras.utils.set_random_seed(81)
model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1)])
optimizer = keras.optimizers.SGD(0.1)
x, y = tf.random.normal((6, 2)), tf.random.normal((6, 1))
rate = tf.Variable(0.1)

with tf.GradientTape() as outer:
    with tf.GradientTape() as inner:
        train_loss = tf.reduce_mean((model(x) - y) ** 2)
    grads = inner.gradient(train_loss, model.trainable_variables)
    grads = [rate * g for g in grads]
    optimizer.apply_gradients(zip(grads, model.trainable_variables))
    valid_loss = tf.reduce_mean((model(x) - y) ** 2)
print("d valid / d rate", outer.gradient(valid_loss, rate))
