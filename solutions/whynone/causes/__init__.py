"""The causes, one module each, and the order in which they are asked.

A module answers through the functions it has:

- `asked(case)`: the question itself shows the cause (a KerasTensor, an integer, a NumPy scalar).
- `breaks(link, case)`: this link on the way is broken by this cause; `clue(run, case)` says why.
- `starts(case, link)`: the way is whole, but the source was not on the tape when it was used.
- `apart(case)`: there is no way from the target to the source.
- `zero(case, op)`, `broken(case, op)`: this operation makes the gradient zero, or not finite.
- `raised(case, error)`, `uncaught(error, place)`: an exception whose text names the cause.
"""

from whynone.causes import (
    custom_gradient,
    derived_source,
    disconnected_model,
    integer_dtype,
    left_tensorflow,
    nan,
    never_called,
    no_path,
    non_trainable,
    not_differentiable,
    other_call,
    outside_tape,
    rebound,
    recording_stopped,
    second_order,
    spent_tape,
    stop_gradient,
    symbolic,
    unregistered_gradient,
    unwatched,
    variable_state,
    watched_late,
    zeros_flat,
    zeros_saturated,
)

ASKED = (symbolic, left_tensorflow, integer_dtype)
LINKS = (
    second_order,
    recording_stopped,
    outside_tape,
    custom_gradient,
    stop_gradient,
    left_tensorflow,
    unregistered_gradient,
    integer_dtype,
    not_differentiable,
)
STARTS = (watched_late, non_trainable, rebound, unwatched)
APART = (
    rebound,
    other_call,
    derived_source,
    left_tensorflow,
    second_order,
    not_differentiable,
    no_path,
)
RAISED = (symbolic, spent_tape, left_tensorflow, unwatched, custom_gradient, unregistered_gradient)
ZERO = (zeros_saturated, zeros_flat)
NOT_FINITE = (nan,)
UNCAUGHT = (never_called, disconnected_model)

BY_SLUG = {
    module.__name__.rpartition(".")[2]: module
    for module in (*LINKS, *STARTS, *APART, variable_state)
}
