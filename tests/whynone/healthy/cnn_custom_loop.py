import tensorflow as tf
from tensorflow.keras import layers

tf.keras.utils.set_random_seed(1)
model = tf.keras.Sequential([
    tf.keras.Input((8, 8, 1)),
    layers.Conv2D(4, 3, activation="relu"),
    layers.MaxPooling2D(),
    layers.Flatten(),
    layers.Dense(3),
])
optimizer = tf.keras.optimizers.SGD(0.05)
loss_fn = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
images = tf.random.normal((6, 8, 8, 1))
labels = tf.constant([0, 1, 2, 0, 1, 2])
for epoch in range(3):
    with tf.GradientTape() as tape:
        logits = model(images, training=True)
        loss = loss_fn(labels, logits)
    grads = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(grads, model.trainable_variables))
    accuracy = tf.reduce_mean(tf.cast(tf.argmax(logits, 1) == tf.cast(labels, tf.int64), tf.float32))
    print(epoch, float(loss).hex(), float(accuracy), [float(tf.norm(g)).hex() for g in grads])
