import tensorflow as tf

tf.random.set_seed(9)
cell_count = 3
rnn = tf.keras.layers.SimpleRNN(cell_count, stateful=True)
series = tf.random.normal((1, 4, 2))
rnn(series)
start = tf.constant([[0.5, -0.5, 0.1]])

with tf.GradientTape() as tape:
    tape.watch(start)
    rnn.states[0].assign(start)
    final = rnn(series)
    goal = tf.reduce_sum(final ** 2)

print("goal", goal.shape)
print("d goal / d start:", tape.gradient(goal, start))
