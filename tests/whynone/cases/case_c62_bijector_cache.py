import tensorflow as tf


class CachedScale:
    def __init__(self, factor):
        self.factor = factor
        self._cache = {}

    def forward(self, x):
        if id(x) not in self._cache:
            self._cache[id(x)] = x * self.factor
        return self._cache[id(x)]


factor = tf.Variable(2.0)
bijector = CachedScale(factor)
data = tf.constant([1.0, 2.0])

for epoch in range(3):
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(bijector.forward(data) ** 2)
    grad = tape.gradient(loss, factor)
    print("epoch", epoch, "gradient", None if grad is None else float(grad))
