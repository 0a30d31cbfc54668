import keras
import tensorflow as tf

keras.utils.set_random_seed(9)
inp = keras.Input((4,))
scores = keras.layers.Dense(3, name="scores")(inp)
winner = keras.ops.argmax(scores, axis=-1)
onehot = keras.ops.one_hot(winner, 3)
model = keras.Model(inp, keras.layers.Dense(1, name="value")(onehot))
model.compile(optimizer="sgd", loss="mse")

x = tf.random.normal((4, 4))
with tf.GradientTape() as tape:
    loss = model.compute_loss(x, tf.ones((4, 1)), model(x))
for v, g in zip(model.trainable_variables, tape.gradient(loss, model.trainable_variables)):
    print(v.path, g is not None)
