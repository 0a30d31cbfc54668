"""Submissions by students who want points, answers or the grader itself without the work.

Each attack is the body of the function `input_gradient(function, x)`, in a cell of its own. It may
use HARD, what the first public probe expects: an attack may say what it likes of the public
question, and must not gain a hidden point.
"""

from dataclasses import dataclass
from textwrap import dedent, indent

HARD = "tf.constant([2.0, 11.0, -0.25])"
PWNED = "pwned-by-a-submission"  # the name of every file that an attack tries to leave behind


@dataclass(frozen=True)
class Attack:
    """One submission. `shown` must appear in its public feedback, `never` nowhere."""

    name: str
    source: str
    shown: str = ""
    never: str = ""
    before: str = ""  # source above the function, in the same cell
    hangs: bool = False

    @property
    def cell(self) -> str:
        body = indent(dedent(self.source).strip(), "    ")
        head = f"# TASK: input_gradient\n{dedent(self.before)}\n"
        lines = f"HARD = {HARD}\n\n\ndef input_gradient(function, x):\n{body}\n"
        return head + lines


def table(text: str) -> dict[str, str]:
    """Sources by name: each begins with a line `### name`."""
    found = {}
    for piece in text.split("\n### ")[1:]:
        name, _, source = piece.partition("\n")
        found[name.strip()] = source.strip("\n")
    return found
