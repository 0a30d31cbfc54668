import tensorflow as tf

w = tf.Variable(1.5)
with tf.GradientTape() as tape:
    trial = w ** 3
    if float(trial) > 3.0:
        tape.reset()
        trial = 0.5 * w ** 3
    loss = trial + w
print(float(loss).hex(), float(tape.gradient(loss, w)).hex())
