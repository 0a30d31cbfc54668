import tensorflow as tf

tf.random.set_seed(18)
actor = tf.keras.Sequential([tf.keras.Input((3,)), tf.keras.layers.Dense(2)])
critic = tf.keras.Sequential([tf.keras.Input((3,)), tf.keras.layers.Dense(1)])
states = tf.random.normal((4, 3))
returns = tf.constant([[1.0], [0.2], [0.5], [0.9]])

with tf.GradientTape() as tape:
    value = critic(states)
    advantage = tf.stop_gradient(returns - value)
    log_p = tf.nn.log_softmax(actor(states))[:, :1]
    actor_loss = -tf.reduce_mean(log_p * advantage)
    critic_loss = tf.reduce_mean((returns - value) ** 2)


def update(network, loss):
    grads = tape.gradient(loss, network.trainable_variables)
    for v, g in zip(network.trainable_variables, grads):
        v.assign_sub(0.05 * g)


update(actor, actor_loss)
update(critic, critic_loss)
print("updated both")
