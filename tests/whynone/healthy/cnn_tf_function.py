import tensorflow as tf
from tensorflow.keras import layers

tf.keras.utils.set_random_seed(2)
model = tf.keras.Sequential([
    tf.keras.Input((6, 6, 2)),
    layers.Conv2D(3, 3, activation="gelu"),
    layers.GlobalAveragePooling2D(),
    layers.Dense(1),
])
optimizer = tf.keras.optimizers.Adam(0.01)
x = tf.random.normal((4, 6, 6, 2))
y = tf.random.normal((4, 1))


@tf.function
def train_step(x, y):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((model(x, training=True) - y) ** 2)
    grads = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(grads, model.trainable_variables))
    return loss, tf.linalg.global_norm(grads)


for step in range(4):
    loss, norm = train_step(x, y)
    print(step, float(loss).hex(), float(norm).hex())
