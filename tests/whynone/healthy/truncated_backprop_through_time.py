import tensorflow as tf

tf.keras.utils.set_random_seed(5)
cell = tf.keras.layers.LSTMCell(3)
head = tf.keras.layers.Dense(1)
chunks = tf.unstack(tf.random.normal((3, 4, 1, 2)))
state = [tf.zeros((1, 3)), tf.zeros((1, 3))]
for i, chunk in enumerate(chunks):
    state = [tf.stop_gradient(s) for s in state]
    with tf.GradientTape() as tape:
        for x in tf.unstack(chunk):
            out, state = cell(x, state)
        loss = tf.reduce_sum(head(out) ** 2)
    variables = cell.trainable_variables + head.trainable_variables
    grads = tape.gradient(loss, variables)
    for v, g in zip(variables, grads):
        v.assign_sub(0.1 * g)
    print(i, float(loss).hex(), float(tf.linalg.global_norm(grads)).hex())
