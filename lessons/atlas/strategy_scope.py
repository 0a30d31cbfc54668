"""I use a tape in strategy.scope() and not in strategy.run

lesson: gradients_while_training
kind: mistake
"""

import tensorflow as tf

devices = tf.config.experimental
halves = [devices.VirtualDeviceConfiguration() for _ in range(2)]
cpu = devices.list_physical_devices("CPU")[0]
devices.set_virtual_device_configuration(cpu, halves)
strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
with strategy.scope():
    w = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = w * w
    print(tape.gradient(y, w))
