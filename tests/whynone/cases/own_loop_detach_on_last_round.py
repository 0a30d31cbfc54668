import tensorflow as tf

damping = tf.Variable(0.2)
rounds = 4
state = tf.constant([1.0, -1.0])

with tf.GradientTape() as tape:
    for k in range(rounds):
        state = state - damping * tf.sin(state)
        if k == rounds - 1:
            state = tf.constant(state.numpy().clip(-1, 1))
    remaining = tf.reduce_sum(state ** 2)

slope = tape.gradient(remaining, damping)
print(f"remaining {remaining.numpy():.4f}", "slope", slope)
