import tensorflow as tf

cpu = tf.config.list_physical_devices("CPU")[0]
tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 2)
strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
with strategy.scope():
    v = tf.Variable(2.0)

try:
    with strategy.scope(), tf.GradientTape() as tape:
        y = v * v
    print(tape.gradient(y, v))
except ValueError as error:
    print("needs a replica:", str(error)[:40])


@tf.function
def step():
    def replica():
        with tf.GradientTape() as tape:
            y = v * v
        return tape.gradient(y, v)

    return strategy.run(replica)


print([float(r) for r in strategy.experimental_local_results(step())])
