import tensorflow as tf
from support.training import Trainer

tf.random.set_seed(3)
net = tf.keras.Sequential([
    tf.keras.Input((3,)), tf.keras.layers.Dense(4, activation="relu"), tf.keras.layers.Dense(2)])


def ranking_loss(wanted_order, scores):
    order = tf.argsort(scores, axis=-1)
    return tf.reduce_mean(tf.abs(tf.cast(order, tf.float32) - wanted_order))


trainer = Trainer(net, ranking_loss)
features = tf.random.normal((4, 3))
wanted = tf.constant([[0.0, 1.0]] * 4)
for epoch in range(2):
    loss, updated = trainer.step(features, wanted)
    print("epoch", epoch, "weights updated:", updated)
