import contextlib

import tensorflow as tf

speed = tf.Variable(3.0)
losses, tapes = {}, {}

with contextlib.ExitStack() as stack:
    for name in ("drag", "lift"):
        tapes[name] = stack.enter_context(tf.GradientTape())
    losses["drag"] = 0.4 * speed ** 2

losses["lift"] = 0.1 * speed ** 2 - speed
for name, loss in losses.items():
    print(name, tapes[name].gradient(loss, speed))
