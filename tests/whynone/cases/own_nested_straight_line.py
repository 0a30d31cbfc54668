import tensorflow as tf


def price(quantity):
    return 3.0 * quantity + 2.0


quantity = tf.Variable([1.0, 4.0])
with tf.GradientTape() as outer:
    with tf.GradientTape() as inner:
        total = tf.reduce_sum(price(quantity))
    marginal = inner.gradient(total, quantity)

change_of_marginal = outer.gradient(marginal, quantity)
print("marginal", marginal.numpy())
print("change of marginal", change_of_marginal)
