import tensorflow as tf

tf.random.set_seed(7)
make = tf.keras.layers.Dense(3, name="make")
judge = tf.keras.layers.Dense(1, name="judge")
noise = tf.random.normal((4, 2))


def judged(sample):
    return judge(tf.stop_gradient(sample))


with tf.GradientTape(persistent=True) as tape:
    fake = make(noise)
    judge_loss = tf.reduce_mean(tf.nn.softplus(judged(fake)))
    make_loss = tf.reduce_mean(tf.nn.softplus(-judged(fake)))
print("judge", [g is not None for g in tape.gradient(judge_loss, judge.trainable_variables)])
print("make", [g is not None for g in tape.gradient(make_loss, make.trainable_variables)])
