import tensorflow as tf


class Base(tf.Module):
    def __call__(self, x):
        for stage in self.stages():
            x = stage(x)
        return x


class Codec(Base):
    def __init__(self):
        super().__init__()
        self.gain = tf.Variable(3.0, name="gain")

    def stages(self):
        return (self.amplify, self.pack, self.unpack)

    def amplify(self, x):
        return self.gain * x

    def pack(self, x):
        return tf.bitcast(x, tf.int32)

    def unpack(self, x):
        return tf.bitcast(x, tf.float32)


codec = Codec()
with tf.GradientTape() as tape:
    loss = tf.reduce_mean(codec(tf.constant([0.1, 0.2])) ** 2)
print("gain gradient", tape.gradient(loss, codec.gain))
