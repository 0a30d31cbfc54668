import tensorflow as tf

entry = tf.keras.Input((3,), name="entry")
hidden = tf.keras.layers.Dense(5, activation="softplus")(entry)
price_model = tf.keras.Model(entry, tf.keras.layers.Dense(1)(hidden))


def sensitivity(model, sample):
    sample = tf.Variable(sample)
    with tf.GradientTape() as tape:
        price = model(sample)
    return tape.gradient(price, model.input)


market = tf.constant([[100.0, 0.2, 1.0]])
try:
    print("delta, vega, theta:", sensitivity(price_model, market))
except AttributeError as problem:
    print("failed:", type(problem).__name__)
