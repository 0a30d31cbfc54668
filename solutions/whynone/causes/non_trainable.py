"""The source is a variable created with `trainable=False`, which is not watched."""

from whynone.causes.case import Case, Clue
from whynone.paths import Link


def starts(case: Case, link: Link) -> Clue | None:
    variable = case.source.variable
    if variable is None or variable.trainable or case.watched_at(link.recorder.time):
        return None
    made = case.value.place
    return Clue("non_trainable", made or link.recorder.place or case.ask.place,
                "not trainable, so not watched",
                f"`{variable.name}` was created with `trainable=False`, and a tape watches "
                "trainable variables only.",
                "Create it with `trainable=True`, or call `tape.watch(variable)` (for a Keras "
                "variable: `tape.watch(variable.value)`) before it is used.",
                [(link.recorder.place, "used here")] if link.recorder.place else [])
