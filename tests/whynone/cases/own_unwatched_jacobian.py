import tensorflow as tf

joints = tf.constant([0.4, 0.9])
links = [1.0, 0.7]


def hand(angles):
    total = tf.cumsum(angles)
    x = tf.reduce_sum(tf.cos(total) * links)
    y = tf.reduce_sum(tf.sin(total) * links)
    return tf.stack([x, y])


with tf.GradientTape() as tape:
    where = hand(joints)
print("hand", where.numpy().round(3))
print("jacobian", tape.jacobian(where, joints))
