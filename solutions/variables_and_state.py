"""Variables that keep their identity, and state that is carried as a tensor.

A `tf.Variable` is a place that holds a value. Arithmetic on it makes a new tensor; only `assign`,
`assign_sub` and their like change the place, and no tape records how a value got there.
"""

from collections.abc import Callable, Iterable, Sequence

import keras
import tensorflow as tf

from solutions.unwatched_tensor import backing_variable

LESSON = "Lesson: variables_and_state."

Variable = tf.Variable | keras.Variable


def gradient_descent(
    loss_function: Callable[[], tf.Tensor],
    variables: Sequence[Variable],
    rate: float,
    steps: int,
) -> list[tf.Tensor]:
    """Run `steps` steps of `w ← w - rate · ∂loss/∂w`, changing the variables in place.

    Args:
        loss_function: takes no arguments, reads the variables and returns a scalar.
        variables: trainable floating-point `tf.Variable`s or Keras variables.
        rate: the learning rate.
        steps: how many steps.

    Returns:
        List of `steps` scalar tensors: the loss before each step.

    Raises:
        TypeError: an entry of `variables` is no variable.
        ValueError: the loss does not depend on one of them.
    """
    require_variables(variables, "gradient_descent: variables")
    losses = []
    for _ in range(steps):
        with tf.GradientTape() as tape:
            loss = loss_function()
        gradients = tape.gradient(loss, variables)
        require_gradients(gradients, "gradient_descent", "loss_function()")
        for variable, gradient in zip(variables, gradients, strict=True):
            variable.assign_sub(rate * gradient)
        losses.append(loss)
    return losses


def maml_gradients(
    loss_function: Callable[[list, tf.Tensor], tf.Tensor],
    weights: Sequence[Variable],
    support: tf.Tensor,
    query: tf.Tensor,
    rate: float,
) -> tuple[tf.Tensor, list[tf.Tensor]]:
    """Query loss after one step of descent on the support loss, and its gradients at `weights`.

    The gradients go through the step, so they hold second derivatives of the support loss
    (MAML: Finn, Abbeel and Levine 2017, arXiv:1703.03400). The weights do not change.

    Args:
        loss_function: takes `(weights, batch)`, weights as a list, and returns a scalar.
        weights: trainable floating-point `tf.Variable`s or Keras variables.
        support: the batch of the step.
        query: the batch of the loss after the step.
        rate: learning rate of the step.

    Returns:
        The query loss, a scalar, and a list in the order and shapes of `weights`.

    Raises:
        TypeError: an entry of `weights` is no variable.
        ValueError: one of the two losses does not depend on one of the weights it is given.
    """
    require_variables(weights, "maml_gradients: weights")
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            support_loss = loss_function(list(weights), support)
        slopes = inner.gradient(support_loss, weights)
        require_gradients(slopes, "maml_gradients", "the support loss")
        fast = [weight - rate * slope for weight, slope in zip(weights, slopes, strict=True)]
        query_loss = loss_function(fast, query)
    gradients = outer.gradient(query_loss, weights)
    require_gradients(gradients, "maml_gradients", "the query loss")
    return query_loss, gradients


def truncated_backpropagation(
    step: Callable[[tf.Tensor, tf.Tensor], tuple[tf.Tensor, tf.Tensor]],
    memory: Variable,
    inputs: Iterable[tf.Tensor],
    variables: Sequence[Variable],
) -> tuple[tf.Tensor, list[tf.Tensor], Variable]:
    """Total loss of one chunk of a sequence, and its gradients through all steps of the chunk.

    Within the chunk the state goes from step to step as a tensor. Afterwards `memory` holds the
    last state, for the next chunk to begin with; no gradient goes back into an earlier chunk.

    Args:
        step: takes `(state, x)` and returns `(next state, loss)`, the loss a scalar.
        memory: a variable with the state before the first input.
        inputs: what `step` takes, one entry a step.
        variables: the variables to differentiate for.

    Returns:
        The sum of the losses, its gradients in the order of `variables`, and `memory` itself.

    Raises:
        TypeError: `memory` or an entry of `variables` is no variable.
        ValueError: there are no inputs, the state's shape is not that of `memory`, or the total
            does not depend on one of the variables. Then `memory` has not changed.
    """
    require_variable(memory, "truncated_backpropagation: memory")
    require_variables(variables, "truncated_backpropagation: variables")
    losses = []
    with tf.GradientTape() as tape:
        state = tf.convert_to_tensor(memory)
        for x in inputs:
            state, loss = step(state, x)
            losses.append(loss)
        if not losses:
            raise ValueError(
                "truncated_backpropagation: inputs is empty, so there is no loss. Give it at least "
                f"one input; a generator is empty after its first use. {LESSON}"
            )
        total = tf.add_n(losses)
    gradients = tape.gradient(total, variables)
    require_gradients(gradients, "truncated_backpropagation", "the sum of the losses")
    if state.shape != memory.shape:
        raise ValueError(
            f"truncated_backpropagation: step returned a state of shape {tuple(state.shape)}, and "
            f"memory has shape {tuple(memory.shape)}. A variable keeps its shape. Return the next "
            f"state first and the loss second, the state in the shape it came in. {LESSON}"
        )
    memory.assign(state)
    return total, gradients, memory


def untracked_variables(model: keras.layers.Layer, x: tf.Tensor) -> list[tf.Variable]:
    """The trainable variables that `model(x)` reads and that `model.variables` does not list.

    An optimizer that is given `model.trainable_variables` never changes them, and saving the
    model leaves them out. A tape finds them: it watches what is read, whoever owns it.

    Args:
        model: a Keras model or layer.
        x: what it takes.

    Returns:
        List of `tf.Variable`s in the order in which they were made; empty if all are tracked. Of a
        Keras variable it holds the `tf.Variable` inside.

    Raises:
        TypeError: `model` is no Keras model or layer.
    """
    if not isinstance(model, keras.layers.Layer):
        raise TypeError(
            f"untracked_variables(model, x) got a {type(model).__name__}, no Keras model. Its "
            f"list of variables is what is compared. Pass a Keras model or layer first. {LESSON}"
        )
    with tf.GradientTape() as tape:
        model(x)
    tracked = {backing_variable(variable).ref() for variable in model.variables}
    return [variable for variable in tape.watched_variables() if variable.ref() not in tracked]


def require_variables(variables: Sequence[object], what: str) -> None:
    """Raise a TypeError unless each entry is a variable."""
    for number, variable in enumerate(variables):
        require_variable(variable, f"{what}[{number}]")


def require_variable(value: object, what: str) -> None:
    """Raise a TypeError unless the value is a variable."""
    if not isinstance(value, Variable):
        raise TypeError(
            f"{what} is a {type(value).__name__}, no variable. Arithmetic on a variable, such as "
            "w - rate * g, makes a tensor, which no tape watches by itself and nobody can assign "
            "to. Make the variable once with tf.Variable, and change it with assign or assign_sub. "
            f"{LESSON}"
        )


def require_gradients(gradients: Sequence[tf.Tensor | None], called: str, what: str) -> None:
    """Raise a ValueError unless each variable got a gradient."""
    missing = [str(number) for number, gradient in enumerate(gradients) if gradient is None]
    if missing:
        raise ValueError(
            f"{called}: the gradient came back None for variable {', '.join(missing)} of "
            f"{len(gradients)}. In this call, {what} was not computed from it, or came by way "
            "of an assign, or the variable is not trainable. Compute it anew from the variables at "
            f"each call, and carry new values as tensors. {LESSON}"
        )
