"""The value went through a variable's `assign`, which no tape records."""

from whynone.causes.case import Case, Clue
from whynone.paths import Link, root


def clue(run: list[Link], case: Case) -> Clue:
    link = run[0]
    if link.op.type == "MakeIterator":
        return Clue(
            "not_differentiable",
            link.start.place or link.op.place,
            "the value comes out of a `tf.data` pipeline",
            "A dataset hands values on without their history: no gradient flows through `tf.data`.",
            "Loop over the tensor itself: `for row in tf.unstack(x)`.",
        )
    handle = root(link.op.inputs[0])
    name = handle.variable.name if handle.variable is not None else ""
    variable = f"the variable `{name}`" if name and name != "Variable" else "the variable"
    read = link.start.place
    notes = [(read, "read back here")] if read and read != link.op.place else []
    return Clue(
        "variable_state",
        link.op.place,
        "stored in a variable here",
        f"A value is copied into {variable}, which no tape records; reading the variable later "
        "starts a new chain there.",
        "Use the tensor itself in the computation and assign it for later use only.",
        notes,
    )
