import tensorflow as tf

growth = tf.Variable(1.1)
population = tf.constant(2.0)

with tf.GradientTape() as tape:
    states = []
    state = population * 1.0
    for year in range(4):
        state = state * growth
        states.append(state)
    trajectory = tf.stack(states)
    final_error = (state - 3.0) ** 2

per_year = tape.gradient(final_error, trajectory)
print("final error", round(float(final_error), 4))
print("influence of every year:", per_year)
