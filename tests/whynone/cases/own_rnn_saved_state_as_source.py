import tensorflow as tf

tf.random.set_seed(2)
gru = tf.keras.layers.GRU(2, stateful=True)
head = tf.keras.layers.Dense(1)
frames = tf.random.normal((1, 4, 3))
gru(frames)

with tf.GradientTape() as tape:
    last = gru(frames)
    score = tf.reduce_sum(head(last))

memory = gru.states[0]
print("d score / d memory:", tape.gradient(score, memory.value))
