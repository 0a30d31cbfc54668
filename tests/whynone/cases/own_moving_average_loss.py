import tensorflow as tf


class SmoothLoss(tf.Module):
    def __init__(self, decay):
        super().__init__()
        self.decay = decay
        self.value = tf.Variable(0.0, trainable=False)

    def __call__(self, loss):
        self.value.assign(self.decay * self.value + (1.0 - self.decay) * loss)
        return self.value.read_value()


smooth = SmoothLoss(0.9)
w = tf.Variable([1.0, 2.0])
for step in range(2):
    with tf.GradientTape() as tape:
        loss = smooth(tf.reduce_sum(w ** 2))
    g = tape.gradient(loss, w)
    print(step, round(float(loss), 3), g)
