import threading

import tensorflow as tf

results = {}


def work(name, start):
    v = tf.Variable(start)
    with tf.GradientTape() as tape:
        loss = tf.exp(v) * v
    results[name] = float(tape.gradient(loss, v)).hex()


threads = [threading.Thread(target=work, args=(f"t{i}", 0.5 * i)) for i in range(3)]
for t in threads:
    t.start()
for t in threads:
    t.join()
print(sorted(results.items()))
