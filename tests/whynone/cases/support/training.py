"""A small trainer."""
import tensorflow as tf


class Trainer:
    def __init__(self, model, loss_fn, rate=0.05):
        self.model = model
        self.loss_fn = loss_fn
        self.rate = rate

    def step(self, inputs, targets):
        with tf.GradientTape() as tape:
            loss = self.loss_fn(targets, self.model(inputs))
        weights = self.model.trainable_variables
        gradients = tape.gradient(loss, weights)
        updated = 0
        for weight, gradient in zip(weights, gradients):
            if gradient is not None:
                weight.assign_sub(self.rate * gradient)
                updated += 1
        return loss, updated
