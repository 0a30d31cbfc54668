import tensorflow as tf

cpu = tf.config.list_physical_devices("CPU")[0]
try:
    tf.config.set_logical_device_configuration(
        cpu, [tf.config.LogicalDeviceConfiguration(), tf.config.LogicalDeviceConfiguration()])
except RuntimeError:
    pass
strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
with strategy.scope():
    w = tf.Variable([1.0, -2.0])


def replica_step(x):
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum((w * x) ** 2)
    g = tape.gradient(loss, w)
    return loss, g


@tf.function
def distributed_step(batch):
    losses, grads = strategy.run(replica_step, args=(batch,))
    total = strategy.reduce(tf.distribute.ReduceOp.SUM, losses, axis=None)
    return total, strategy.reduce(tf.distribute.ReduceOp.SUM, grads, axis=None)


batches = strategy.experimental_distribute_values_from_function(
    lambda context: tf.constant([1.0, 2.0]) * float(context.replica_id_in_sync_group + 1))
total, grad = distributed_step(batches)
print(float(total).hex(), grad.numpy().tolist())
