import tensorflow as tf

tf.keras.utils.set_random_seed(39)
inp = tf.keras.Input((6, 6, 1))
conv = tf.keras.layers.Conv2D(2, 3, activation="relu", name="block")(inp)
net = tf.keras.Model(inp, tf.keras.layers.Flatten()(conv))
features = tf.keras.Model(net.inputs, net.get_layer("block").output)
image = tf.random.uniform((1, 6, 6, 1), seed=5)
for step in range(3):
    with tf.GradientTape() as tape:
        tape.watch(image)
        goal = tf.reduce_mean(features(image)[..., 0])
    image = image + tf.math.l2_normalize(tape.gradient(goal, image))
    print(step, float(goal).hex())
