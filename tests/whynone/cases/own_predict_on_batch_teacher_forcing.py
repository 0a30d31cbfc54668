import tensorflow as tf

tf.random.set_seed(18)
prior = tf.keras.Sequential([tf.keras.Input((3,)), tf.keras.layers.Dense(2, name="prior")])
decoder = tf.keras.Sequential([tf.keras.Input((2,)), tf.keras.layers.Dense(3, name="decoder")])
x = tf.random.normal((4, 3))

with tf.GradientTape() as tape:
    code = prior.predict_on_batch(x)
    loss = tf.reduce_mean((decoder(code) - x) ** 2)

variables = prior.trainable_variables + decoder.trainable_variables
for v, g in zip(variables, tape.gradient(loss, variables)):
    print(v.path, g is not None)
