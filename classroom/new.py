"""`python -m classroom new my_week3`: a commented exercise that `assign` accepts at once."""

import argparse
import sys
from pathlib import Path

from classroom.messages import Stop
from classroom.stubs import MARK

EPILOG = """example:
  python -m classroom new my_week3
  python -m classroom assign my_week3 --out week3 --dry-run

The folder my_week3 then holds three files: the reference with the right answers, spec.py with the
questions and with wrong answers that people give, and exercise.md with the text. Change them and
run the second line again until it says that everything holds.
"""

REFERENCE = '''"""The reference: for each task the right answer. Students never see this file."""

import tensorflow as tf


def slope_at(function, x: float) -> tf.Tensor:
    """Derivative of `function` at the number `x`.

    Args:
        function: takes a scalar tensor and returns one, by TensorFlow operations.
        x: where to take the derivative.

    Returns:
        A float32 scalar.
    """
    # The signature and the docstring above become the stub that students fill in. So the
    # docstring says everything they need: what comes in, with shapes, and what must come back.
    x = tf.convert_to_tensor(x, tf.float32)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    return tape.gradient(y, x)
'''

SPEC = '''"""The specification: questions, points, hints, and what people write instead."""

import {slug} as reference
import tensorflow as tf

from classroom.spec import Probe, Task, Wrong

# --- slope_at -----------------------------------------------------------------------------
# Other right answers, written differently: two or more. They keep the questions fair.


def with_a_variable(function, x):
    variable = tf.Variable(x, dtype=tf.float32)
    with tf.GradientTape() as tape:
        y = function(variable)
    return tape.gradient(y, variable)


def by_a_jacobian(function, x):
    x = tf.constant(x, tf.float32)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    return tape.jacobian(y, x)


# Wrong answers that people really give: three or more, each with the message it deserves.


def never_watched(function, x):
    x = tf.constant(x, tf.float32)
    with tf.GradientTape() as tape:
        y = function(x)
    return tape.gradient(y, x)


def value_instead(function, x):
    return function(tf.constant(x, tf.float32))


def secant(function, x):
    return function(tf.constant(x + 1.0)) - function(tf.constant(x))


# Helpers that a question needs stand at top level, so that they can be handed out with it.


def bell(x):
    return tf.exp(-(x**2))


SLOPE_AT = Task(
    function=reference.slope_at,
    kind="write",  # or "predict", "explain"; "repair" needs start=a_broken_function
    minutes=10,
    points=5,
    # A question is a label and a lambda that makes the arguments anew. From each of these,
    # `assign` makes a hidden one with other numbers: every float is varied, here the x. The
    # numbers that stand in a function's code stay as they are.
    probes=[
        Probe("a parabola at 3", lambda: (tf.square, 3.0)),
        Probe("a bell curve at 0.5", lambda: (bell, 0.5)),
        Probe("a product at 2", lambda: (lambda x: x * tf.sin(x), 2.0)),
    ],
    # Questions of your own that are asked only when the work is graded; may be left out.
    hidden=[Probe("a logarithm at 4", lambda: (tf.math.log, 4.0))],
    hints=(
        "Which kind of source does a tape notice by itself, and is `x` one?",
        "Turn `x` into a tensor first. What must the tape be told before `function` runs?",
        "`tape.watch(x)` as the first line of the block, then `y = function(x)`.",
    ),
    right=[with_a_variable, by_a_jacobian],
    wrong=[
        Wrong(
            never_watched,
            cause="unwatched",
            why="`x` is a plain tensor and the tape was never told to watch it.",
            do="Add `tape.watch(x)` before `function(x)` is called.",
            idea="never told to watch",  # a phrase of `why` or `do`, for the class report
        ),
        Wrong(
            value_instead,
            why="This is the function's value. The task asks how fast it changes.",
            do="Record the call with a `tf.GradientTape` and ask it for the gradient.",
            idea="the function's value",
        ),
        Wrong(
            secant,
            why="This is the change over a whole step of length 1, not the slope at `x`.",
            do="Let a `tf.GradientTape` take the derivative.",
            idea="a whole step",
        ),
    ],
)

TASKS = [SLOPE_AT]
'''

EXERCISE = """# {title}

One task, about 10 minutes. Fill in the function, run its cell, and call `check` on it as often
as you like. `hint(slope_at)` opens one hint at a time.

```python
import tensorflow as tf

from classroom import check, hint
```

## 1. The slope at a point

Write a function that returns the derivative of a function at a number.

```python
{mark}slope_at
```

```python
check(slope_at)
```
"""


def new(folder: Path) -> list[Path]:
    """Write the three files of a master into a new folder; return their paths.

    Raises:
        Stop: the folder's name is no Python name, is taken by a module, or the folder is there.
    """
    slug = folder.name
    if not slug.isidentifier() or slug.lower() != slug:
        raise Stop(
            f"{slug}: name the folder with small letters, digits and _; it becomes a module."
        )
    if slug in sys.stdlib_module_names or slug in ("spec", "classroom", "solutions", "whynone"):
        raise Stop(f"{slug} is the name of a Python module. Take another, such as my_{slug}.")
    if folder.exists():
        raise Stop(f"{folder} is there already. Name a new folder; nothing was written.")
    title = slug.replace("_", " ").capitalize()
    texts = {
        f"{slug}.py": REFERENCE,
        "spec.py": SPEC.format(slug=slug),
        "exercise.md": EXERCISE.format(title=title, mark=MARK),
    }
    folder.mkdir(parents=True)
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8", newline="\n")
    return [folder / name for name in texts]


def main(arguments: list[str] | None = None) -> int:
    form = argparse.ArgumentParser(
        prog="python -m classroom new",
        description="Write a commented exercise to start from.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    form.add_argument("folder", type=Path, help="a new folder; its name becomes the slug")
    try:
        files = new(form.parse_args(arguments).folder)
    except Stop as stop:
        print(stop, file=sys.stderr)
        return 2
    for file in files:
        print(f"wrote {file}")
    print(f"Next: python -m classroom assign {files[0].parent} --out week3 --dry-run")
    return 0


if __name__ == "__main__":
    sys.exit(main())
