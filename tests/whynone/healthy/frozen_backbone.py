import tensorflow as tf
from tensorflow.keras import layers

tf.keras.utils.set_random_seed(34)
backbone = tf.keras.Sequential([tf.keras.Input((4,)), layers.Dense(3, "relu")], name="backbone")
backbone.trainable = False
inp = tf.keras.Input((4,))
model = tf.keras.Model(inp, layers.Dense(2, name="head")(backbone(inp)))
x, y = tf.random.normal((5, 4)), tf.constant([0, 1, 1, 0, 1])
with tf.GradientTape() as tape:
    loss = tf.reduce_mean(
        tf.nn.sparse_softmax_cross_entropy_with_logits(y, model(x, training=True)))
grads = tape.gradient(loss, model.trainable_variables)
print(len(grads), [g.numpy().ravel().tolist() for g in grads])
