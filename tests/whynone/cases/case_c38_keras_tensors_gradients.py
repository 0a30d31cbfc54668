import tensorflow as tf

features = tf.keras.Input((3,))
dense = tf.keras.layers.Dense(2, activation="relu")(features)
model = tf.keras.Model(features, tf.keras.layers.Dense(1)(dense))


def loss_tensor(output):
    return tf.reduce_mean(output ** 2)


symbolic_loss = loss_tensor(model.output)
slopes = tf.gradients(symbolic_loss, model.input)
print(slopes)
