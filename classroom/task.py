"""What a task is made of: plain data, in an exercise's spec.py and in a student's zip alike."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass, field

from classroom.observation import Observation

KINDS = ("predict", "repair", "write", "explain")


@dataclass(frozen=True)
class Probe:
    """One question put to an answer: a label for the learner and a maker of fresh arguments."""

    label: str
    arguments: Callable[[], tuple]
    rtol: float = 1e-5
    atol: float = 1e-6
    # In a student's zip, where there is no reference: what must come back, its values sealed.
    sealed: Observation | None = field(default=None, compare=False)


@dataclass(frozen=True)
class Wrong:
    """A wrong answer that people really give, and what its feedback must say."""

    answer: Callable
    why: str  # the misconception, as one or two sentences to the learner
    do: str  # the smallest change
    idea: str  # a word or phrase of `why` or `do` that names the misconception
    cause: str | None = None  # a slug of whynone.vocabulary.CAUSES, where one fits


@dataclass(frozen=True)
class Task:
    """A task: the reference function gives the stub's signature and docstring, and the answer."""

    function: Callable
    kind: str
    minutes: int
    points: int
    probes: list[Probe]
    hints: tuple[str, str, str]
    right: list[Callable]
    wrong: list[Wrong]
    start: Callable | None = None  # for "repair": the broken function whose body the stub shows
    hidden: list[Probe] = field(default_factory=list)  # asked only when an assignment is graded
    slug: str = field(default="", compare=False)  # filled in by load_tasks
    read: str = field(default="", compare=False)  # where the lesson is; filled in by load_tasks

    @property
    def name(self) -> str:
        return self.function.__name__

    @property
    def goal(self) -> str:
        """The first line of the docstring."""
        return (inspect.getdoc(self.function) or self.name).splitlines()[0]
