import tensorflow as tf

tf.random.set_seed(3)
cell = tf.keras.layers.SimpleRNNCell(3)
initial = tf.Variable(tf.zeros((1, 3)), name="initial")
chunks = tf.unstack(tf.random.normal((2, 4, 1, 2)))

state = initial
for i, chunk in enumerate(chunks):
    with tf.GradientTape() as tape:
        if i == 0:
            state = tf.identity(initial)
        for x in tf.unstack(chunk):
            out, state = cell(x, [state])
            state = state[0]
        loss = tf.reduce_sum(out ** 2)
    g = tape.gradient(loss, initial)
    print("chunk", i, "gradient of the initial state:", g is not None)
