import tensorflow as tf

tf.random.set_seed(2)
inputs = tf.keras.Input((5,), name="features")
hidden = tf.keras.layers.Dense(3, name="hidden")(inputs)
score = tf.keras.layers.Dense(1, name="score")(hidden)
model = tf.keras.Model(inputs, [hidden, score])
sgd = tf.keras.optimizers.SGD(0.05)

batch = tf.random.normal((8, 5))
with tf.GradientTape() as tape:
    code, prediction = model(batch, training=True)
    sparsity = tf.reduce_mean(tf.abs(code))

grads = tape.gradient(sparsity, model.trainable_variables)
for v, g in zip(model.trainable_variables, grads):
    print(v.path, g is not None)
