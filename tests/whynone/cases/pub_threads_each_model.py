import threading

import tensorflow as tf

tf.keras.utils.set_random_seed(23)
results = {}


def worker(name, broken):
    v = tf.Variable(2.0, name=name)
    with tf.GradientTape() as tape:
        y = v ** 2
        if broken:
            y = tf.constant(y.numpy())
    results[name] = tape.gradient(y, v)


threads = [threading.Thread(target=worker, args=(f"v{i}", i == 1)) for i in range(3)]
for t in threads:
    t.start()
for t in threads:
    t.join()
print({k: v is None for k, v in sorted(results.items())})
