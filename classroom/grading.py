"""One submission → graded tasks: extract the answers, observe them in a sandbox, judge outside.

Nothing here imports TensorFlow or runs, unpickles or compiles what a student wrote. What comes out
of the sandbox is only data, checked field by field before it is read.
"""

from dataclasses import dataclass, field

from classroom.key import Key
from classroom.sandbox import Sandbox

GRADED, NEEDS_ATTENTION = "graded", "needs_attention"


@dataclass(frozen=True)
class ProbeGrade:
    """Whether one probe was answered rightly. The label of a hidden one stays with the teacher."""

    label: str
    group: str  # "public" or "hidden"
    right: bool


@dataclass(frozen=True)
class TaskGrade:
    """The points of one task. `lines` speak of public probes only and may quote the student.

    `lines` are pairs of a label and a sentence (see classroom.feedback); escape them where they
    are shown. `misconception` and `cause` are the key's, where it knows the wrong answer.
    """

    name: str
    points: float
    possible: float
    probes: tuple[ProbeGrade, ...] = ()
    headline: str = ""
    lines: tuple[tuple[str, str], ...] = ()
    misconception: str | None = None
    cause: str | None = None


@dataclass(frozen=True)
class Grade:
    """What became of one submission. `tasks` is empty where `state` is "needs_attention"."""

    state: str  # GRADED or NEEDS_ATTENTION
    reason: str  # why it needs attention; "" if graded
    sha256: str  # of the bytes as handed in
    seconds: float  # wall time; differs from run to run, so keep it out of exports
    tasks: tuple[TaskGrade, ...] = ()
    notes: tuple[str, ...] = field(default=())  # what extraction noticed, for the teacher
    sandboxed: bool = True  # False: graded with --unsafe-no-sandbox

    @property
    def points(self) -> float:
        return round(sum(task.points for task in self.tasks), 2)

    @property
    def possible(self) -> float:
        return sum(task.possible for task in self.tasks)


def grade(data: bytes, name: str, key: Key, sandbox: Sandbox) -> Grade:
    """Grade one submitted file.

    Args:
        data: the file's bytes, as handed in.
        name: its file name; the ending says what it is: .ipynb, .md or .py.
        key: the assignment's key, or this student's variant of it.
        sandbox: where the answers run; one submission at a time (see classroom.sandbox).

    Returns:
        A Grade. Whatever a submission does, it ends "graded" or "needs_attention" with a reason.
    """
    raise NotImplementedError
