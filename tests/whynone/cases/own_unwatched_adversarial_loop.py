import tensorflow as tf

tf.random.set_seed(16)
victim = tf.keras.Sequential([
    tf.keras.Input((4,)), tf.keras.layers.Dense(6, activation="relu"), tf.keras.layers.Dense(3)])
loss_fn = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
clean = tf.random.normal((2, 4))
labels = tf.constant([0, 2])

adversarial = clean + 0.0
for step in range(2):
    with tf.GradientTape() as tape:
        loss = loss_fn(labels, victim(adversarial))
    direction = tape.gradient(loss, adversarial)
    if direction is None:
        print("no direction")
        break
    adversarial = adversarial + 0.1 * tf.sign(direction)
