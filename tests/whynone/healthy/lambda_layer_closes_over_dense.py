import tensorflow as tf

tf.keras.utils.set_random_seed(45)
dense = tf.keras.layers.Dense(2)
dense.build((None, 3))
model = tf.keras.Sequential([tf.keras.Input((3,)), tf.keras.layers.Lambda(lambda z: dense(z))])
x = tf.random.normal((4, 3))
with tf.GradientTape() as tape:
    loss = tf.reduce_mean(model(x) ** 2)
print(len(model.trainable_variables), [
    g.numpy().ravel().tolist() for g in tape.gradient(loss, dense.trainable_variables)])
