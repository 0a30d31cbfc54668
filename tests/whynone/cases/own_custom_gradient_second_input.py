import tensorflow as tf


@tf.custom_gradient
def clipped_product(x, gate):
    out = tf.clip_by_value(x * gate, -1.0, 1.0)

    def backward(dy):
        return dy * gate, None

    return out, backward


x = tf.Variable([0.5, -0.2])
gate = tf.Variable([1.0, 2.0])
with tf.GradientTape() as tape:
    y = clipped_product(x, gate)
    loss = tf.reduce_sum(y)
d_x, d_gate = tape.gradient(loss, [x, gate])
print("x", d_x.numpy(), "gate", d_gate)
