import tensorflow as tf

tf.random.set_seed(15)
model = tf.keras.Sequential([
    tf.keras.Input((3,)), tf.keras.layers.Dense(2, activation="relu"), tf.keras.layers.Dense(1)])
x = tf.random.normal((4, 3))


def input_and_weight_gradients(model, x):
    with tf.GradientTape(watch_accessed_variables=False) as tape:
        tape.watch(x)
        y = tf.reduce_sum(model(x))
    return tape.gradient(y, [x] + model.trainable_variables)


for g in input_and_weight_gradients(model, x):
    print(None if g is None else tuple(g.shape))
