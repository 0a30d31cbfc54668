import tensorflow as tf

tf.random.set_seed(9)
embed = tf.keras.layers.Dense(3, activation="tanh")
output = tf.keras.layers.Dense(1)
x = tf.random.normal((2, 4))

with tf.GradientTape() as tape:
    prediction = output(embed(x))
    activation = embed(x)
    score = tf.reduce_mean(prediction)

print("d score / d activation:", tape.gradient(score, activation))
