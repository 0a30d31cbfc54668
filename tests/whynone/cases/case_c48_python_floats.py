import tensorflow as tf

angles = tf.Variable([0.3, 1.2, -0.7])
lengths = [1.0, 0.8, 0.5]
goal = (1.5, 0.9)

with tf.GradientTape() as tape:
    terms = []
    for i, length in enumerate(lengths):
        reach = length * tf.cos(angles[i])
        terms.append(float(reach))
    x_end = tf.convert_to_tensor(sum(terms))
    distance = (x_end - goal[0]) ** 2

grad = tape.gradient(distance, angles)
print(f"distance {distance.numpy():.4f}")
print("gradient", grad)
