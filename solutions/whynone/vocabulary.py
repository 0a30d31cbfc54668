"""The causes of a gradient that is None, zero, NaN or wrong: one slug and one sentence each.

These slugs are used everywhere: in `whynone`'s reports, in the exercises' feedback and in the
glossary. This module imports nothing, so that anyone can read the list without TensorFlow.
"""

CAUSES: dict[str, str] = {
    "unwatched": "The source is a plain tensor that no tape was told to watch.",
    "watched_late": "`tape.watch` was called after the operation that used the source.",
    "outside_tape": (
        "A link between source and target was computed while the tape was not recording."
    ),
    "recording_stopped": (
        "A link was computed inside `tape.stop_recording()`, or `reset()` erased it."
    ),
    "spent_tape": "A tape that is not persistent was asked for gradients a second time.",
    "left_tensorflow": (
        "A value became a NumPy array or a Python number, and came back as a constant."
    ),
    "not_differentiable": "An operation on the path has no derivative that passes a gradient on.",
    "unregistered_gradient": "TensorFlow has no gradient function for an operation on the path.",
    "integer_dtype": (
        "The source, the target or a value between them has an integer or boolean dtype."
    ),
    "stop_gradient": "`tf.stop_gradient` (or its Keras name) stands on the path.",
    "custom_gradient": "A `tf.custom_gradient` function returned None or too few gradients.",
    "variable_state": "The value went through a variable's `assign`, which no tape records.",
    "rebound": "The Python name now holds another object than the one that was differentiated.",
    "non_trainable": (
        "The source is a variable created with `trainable=False`, which is not watched."
    ),
    "derived_source": "The source was made from the tensor that was used, by a slice or a reshape.",
    "other_call": "The source comes from another call of the layer than the one behind the target.",
    "no_path": "The target does not depend on the source.",
    "symbolic": "The source or the target is a KerasTensor: a description, not a value.",
    "never_called": "The layer or the model was never called, so its output is not defined.",
    "disconnected_model": "The tensors asked for belong to two graphs that are not connected.",
    "second_order": "The first gradient was not recorded by an outer tape, or does not vary.",
    "zeros_saturated": (
        "The gradient exists and is zero: an activation is saturated or a unit is dead."
    ),
    "zeros_flat": "The gradient exists and is zero: an operation's derivative is zero everywhere.",
    "nan": (
        "The gradient exists and is NaN: an operation's derivative is infinite or undefined here."
    ),
    "summed": "The target is not a scalar, so the gradient is the sum over its elements.",
    "loss_scale": "The loss was scaled for mixed precision and the gradient was not scaled back.",
}
