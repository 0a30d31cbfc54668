import numpy as np
import tensorflow as tf
from tensorflow import keras

keras.utils.set_random_seed(18)
auc = keras.metrics.AUC()


def auc_loss(y_true, y_pred):
    auc.reset_state()
    auc.update_state(y_true, y_pred)
    return 1.0 - auc.result()


model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(1, activation="sigmoid")])
x, y = tf.random.normal((8, 3)), tf.constant([[0.0], [1.0]] * 4)
with tf.GradientTape() as tape:
    loss = auc_loss(y, model(x))
print([g is None for g in tape.gradient(loss, model.trainable_variables)])
