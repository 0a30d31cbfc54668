import numpy as np
import tensorflow as tf
from tensorflow import keras

keras.utils.set_random_seed(50)


class Corridor:
    def reset(self):
        self.at = 0
        return np.array([self.at], "float32")

    def step(self, action):
        self.at += 1 if action == 1 else -1
        return np.array([self.at], "float32"), float(self.at), abs(self.at) >= 2


policy = keras.Sequential([keras.Input((1,)), keras.layers.Dense(2, activation="softmax")])


def play(env):
    state, done, log_probs, rewards = env.reset(), False, [], []
    while not done and len(rewards) < 10:
        probs = policy(state[None])
        action = int(tf.random.categorical(tf.math.log(probs), 1)[0, 0])
        log_probs.append(tf.math.log(probs[0, action]))
        state, reward, done = env.step(action)
        rewards.append(reward)
    return log_probs, rewards


log_probs, rewards = play(Corridor())
returns = np.cumsum(rewards[::-1])[::-1].astype("float32")
with tf.GradientTape() as tape:
    loss = -tf.reduce_sum(tf.stack(log_probs) * returns)
grads = tape.gradient(loss, policy.trainable_variables)
keras.optimizers.Adam(0.01).apply_gradients(zip(grads, policy.trainable_variables))
