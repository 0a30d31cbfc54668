import tensorflow as tf

tf.random.set_seed(7)
classifier = tf.keras.Sequential([
    tf.keras.Input((4,)),
    tf.keras.layers.Dense(6, activation="relu"),
    tf.keras.layers.Dense(3),
])
criterion = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
optimizer = tf.keras.optimizers.Adam(0.01)


def train_step(labels, logits):
    with tf.GradientTape() as tape:
        loss = criterion(labels, logits)
    grads = tape.gradient(loss, classifier.trainable_variables)
    optimizer.apply_gradients(zip(grads, classifier.trainable_variables))
    return loss


features = tf.random.normal((5, 4))
targets = tf.constant([0, 1, 2, 0, 1])
for epoch in range(2):
    predictions = classifier(features, training=True)
    value = train_step(targets, predictions)
    print("epoch", epoch, "loss", round(float(value), 4))
