import tensorflow as tf

tf.random.set_seed(22)
model = tf.keras.Sequential([tf.keras.Input((3,)), tf.keras.layers.Dense(1)])
mse = tf.keras.metrics.MeanSquaredError()
optimizer = tf.keras.optimizers.SGD(0.1)
x = tf.random.normal((5, 3))
y = tf.reduce_sum(x, axis=1, keepdims=True)

for epoch in range(2):
    with tf.GradientTape() as tape:
        prediction = model(x, training=True)
        loss = mse(y, prediction)
    grads = tape.gradient(loss, model.trainable_variables)
    print("epoch", epoch, [g is None for g in grads])
