"""A persistent tape that nobody deletes by hand

lesson: one_tape_many_gradients
kind: seed
seed: 000
claim: Without del tape, a persistent tape stays in memory.
expect: value True
"""

import weakref

import tensorflow as tf


def slope(x):
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
    alive.append(weakref.ref(tape))
    return tape.gradient(y, x)


alive = []
slope(tf.constant(3.0))
print(alive[0]() is not None)
