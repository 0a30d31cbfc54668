import tensorflow as tf

hot = tf.Variable(1.2, name="hot")
cold = tf.Variable(0.4, name="cold")


def response(temperature):
    if temperature > 0:
        return hot * temperature
    return cold * temperature


with tf.GradientTape() as tape:
    loss = (response(3.0) - 2.0) ** 2
g_hot, g_cold = tape.gradient(loss, (hot, cold))
print("hot", float(g_hot), "cold", g_cold)
