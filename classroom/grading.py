"""One submission → graded tasks: extract the answers, observe them in a sandbox, judge outside.

Nothing here imports TensorFlow or runs, unpickles or compiles what a student wrote. What comes out
of the sandbox is only data, checked field by field before it is read.
"""

import base64
import hashlib
import json
import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from whynone.vocabulary import CAUSES

from classroom import extract, judge
from classroom.extract import Extracted
from classroom.key import GROUPS, Key, KeyProbe, KeyTask, KeyWrong, decode_file
from classroom.messages import Stop
from classroom.observation import Observation, show, valid
from classroom.sandbox import ENDED, TIMEOUT, TOO_LARGE, Outcome, Sandbox, SandboxFailed, Session

GRADED, NEEDS_ATTENTION = "graded", "needs_attention"
LONGEST = 500  # characters of one sentence of feedback
MOST_NOTES = 20  # of one submission, which may be thousands of files
KEPT = 2.0  # seconds that a task still to come is sure of
LOST = "lost"  # twice in a row the sandbox ended while it ran this answer


MOST_LOST = 6  # sandboxes that one submission may bring down; each costs a start


class ProgramFailed(SandboxFailed):
    """A process says that a probe's own program failed. A student's code can say so, too."""


def no_result(kind: str, message: str) -> Observation:
    return {"kind": "exception", "type": kind, "message": message}


TIMED_OUT = no_result("TimedOut", "There was no result when the time for one call was over.")
CRASHED = no_result("Crashed", "The process ended without a result.")
TOO_MUCH = no_result("TooLarge", "What came back is larger than is read.")
NO_TIME = no_result("NoTime", "The time for the whole submission was over.")
UNREADABLE = {"kind": "other", "type": "something that cannot be read"}
SPECIAL_ADVICE = {
    "TimedOut": "Look at each loop: what in its body ends it?",
    "Crashed": "Did it call `exit()`, or did memory run out? Try it in a fresh kernel.",
    "TooLarge": "Return what the task asks for, and not what led to it.",
    "NoTime": "Which call takes long? Time each of them in the notebook.",
}
SPECIAL = (TIMED_OUT, CRASHED, TOO_MUCH, NO_TIME)


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
    """Grade one submitted file; see `grade_files`.

    Args:
        data: the file's bytes, as handed in.
        name: its file name; the ending says what it is: .ipynb, .md or .py.
        key: the assignment's key, or this student's variant of it.
        sandbox: where the answers run; one submission at a time (see classroom.sandbox).
    """
    return grade_files([(name, data)], key, sandbox)


def grade_files(files: Sequence[tuple[str, bytes]], key: Key, sandbox: Sandbox) -> Grade:
    """Grade a submission of one file or, over several lessons, of one for each.

    Args:
        files: pairs of a file's name and its bytes. What several of them answer counts from the
            last one that has it filled in.
        key: the assignment's key, or this student's variant of it.
        sandbox: where the answers run; one submission at a time.

    Returns:
        A Grade. Whatever a submission does, it ends "graded" or "needs_attention" with a reason.
    """
    began = time.monotonic()
    digests = [hashlib.sha256(data).hexdigest() for _, data in files]
    digest = digests[0]
    if len(files) > 1:
        digest = hashlib.sha256("".join(sorted(digests)).encode()).hexdigest()

    def ended(state: str, reason: str = "", **rest) -> Grade:
        seconds = round(time.monotonic() - began, 3)
        return Grade(state, clean(reason), digest, seconds, sandboxed=sandbox.safe, **rest)

    parts, notes = [], []
    try:
        for name, data in files:
            try:
                parts.append(extract.answers(data, name, key, sandbox.limits))
            except extract.NoTask as nothing:  # a README, a helper, an empty copy
                if len(files) == 1:
                    raise
                notes += [f"{name}: {nothing}"] if name.endswith(".ipynb") else []
        if not parts:
            raise Stop(f"None of the {len(files)} files holds a task's cell.")
        with Run(parts, sandbox, key) as run:
            tasks = tuple(grade_tasks(key, run))
    except Stop as stop:
        return ended(NEEDS_ATTENTION, str(stop))
    except SandboxFailed as failure:
        return ended(NEEDS_ATTENTION, f"The sandbox failed: {failure}")
    except Exception as error:  # ours, not the student's: a teacher must see it, the class go on
        return ended(NEEDS_ATTENTION, f"The grader failed: {type(error).__name__}: {error}")
    notes += [*run.notes, *(note for part in parts for note in part.notes)]
    return ended(GRADED, tasks=tasks, notes=tuple(map(clean, notes[:MOST_NOTES])))


class Run:
    """The jobs of one submission: its time, its bytes, and a new session if one is lost."""

    def __init__(self, parts: list[Extracted], sandbox: Sandbox, key: Key) -> None:
        self.sandbox = sandbox
        self.parts, self.filled, self.notes = choose(parts, key)
        self.session: Session | None = None
        self.time, self.bytes = sandbox.limits.seconds, sandbox.limits.observations
        self.lost = 0  # how many sandboxes ended under it
        self.waiting = 0  # how often a task's turn is still to come

    def __enter__(self) -> "Run":
        return self

    def __exit__(self, *_) -> None:
        if self.session:
            self.session.close()

    def most(self) -> float:
        """The time that the next call may take; a little is kept for each task still to come."""
        kept = KEPT * max(self.waiting - 1, 0)
        return min(self.sandbox.limits.call, max(self.time - kept, min(KEPT, self.time)))

    def ask(self, task: KeyTask, probes: Sequence[KeyProbe], do: str = "call") -> Outcome:
        """Put probes to the answer in one process. A sandbox that is lost is tried once more."""
        part = self.parts[task.name]
        extra, above = part.extra, part.above[task.name]
        answers = [text for name, text in part.answers.items() if name != task.name]
        files = {name: base64.b64encode(decode_file(text)) for name, text in task.files.items()}
        job = {
            "do": do,
            "task": task.name,
            "answer": part.answers[task.name],
            "others": [*extra[:above], *answers, *extra[above:]],
            "above": above + len(answers),
            "setup": list(task.setup),
            "files": {name: text.decode() for name, text in files.items()},
            "probes": [{"program": probe.program, "vary": probe.vary} for probe in probes],
            "bytes": self.bytes,
        }
        seconds = self.most()
        for last in (False, True):
            try:
                self.session = self.session or self.sandbox.session()
            except SandboxFailed:
                if last:
                    raise
                continue
            began = time.monotonic()
            try:
                outcome = self.session.ask(job, seconds)
            except SandboxFailed:
                self.time -= time.monotonic() - began
                self.session.close()
                self.session = None
                self.lost += 1
                continue
            self.time -= outcome.seconds
            self.bytes -= len(outcome.payload)
            return outcome
        return Outcome(LOST, b"", seconds)


def choose(
    parts: list[Extracted], key: Key
) -> tuple[dict[str, Extracted], list[KeyTask], list[str]]:
    """The file that answers each task, the tasks that are filled in, and what is to be noted.

    A task is answered by the last file in which it is not as it was handed out.
    """
    chosen, filled, notes = {}, [], []
    for task in key.tasks:
        own = [part for part in parts if task.name in part.answers]
        tried = [part for part in own if task.name in part.filled]
        if len({part.answers[task.name] for part in tried}) > 1:
            last = tried[-1].file
            notes.append(f"`{task.name}` is filled in in {len(tried)} files; {last} counts.")
        filled += [task] if tried else []
        if own:
            chosen[task.name] = (tried or own)[-1]
    return chosen, filled, notes


def grade_tasks(key: Key, run: Run) -> Iterator[TaskGrade]:
    """Observe every task's public probes, then the hidden ones, and judge.

    In this order no process that is told a hidden question runs before one whose words a student
    will read.
    """
    tasks = run.filled
    seen: dict[str, dict[int, Observation]] = {task.name: {} for task in key.tasks}
    why: dict[str, dict[str, str] | None] = {}
    run.waiting = 2 * len(tasks)
    for group in GROUPS:
        for task in tasks:
            numbers = [n for n, probe in enumerate(task.probes) if probe.group == group]
            stuck = TIMED_OUT in seen[task.name].values()
            got = observe_probes(task, [task.probes[n] for n in numbers], run, stuck)
            seen[task.name].update(zip(numbers, got, strict=True))
            if group == "public":
                why[task.name] = why_none(task, seen[task.name], run)
            run.waiting -= 1
    for task in key.tasks:
        if task in tasks:
            ordered = [seen[task.name][number] for number in range(len(task.probes))]
            yield judge_task(task, ordered, why[task.name])
        else:
            yield untouched(task, task.name in run.parts)


def untouched(task: KeyTask, there: bool) -> TaskGrade:
    done = "it is still as it was handed out" if there else "there is no cell for it"
    probes = tuple(ProbeGrade(probe.label, probe.group, False) for probe in task.probes)
    return TaskGrade(task.name, 0.0, task.points, probes, f"{task.name}: {done}")


def judge_task(task: KeyTask, seen: list[Observation], why: dict[str, str] | None) -> TaskGrade:
    """Compare one task's observations with the key's."""
    differences = [
        judge.difference(probe.expected, got, probe.rtol, probe.atol)
        for probe, got in zip(task.probes, seen, strict=True)
    ]
    rights = [difference is None for difference in differences]
    points = sum(worth for worth, right in zip(task.worth(), rights, strict=True) if right)
    known = recognise(task, seen) if not all(rights) else None
    headline, lines = explain(task, seen, differences, known, why)
    cause = known.cause if known else why and why["cause"]
    return TaskGrade(
        name=task.name,
        points=round(points, 2),
        possible=task.points,
        probes=tuple(
            ProbeGrade(probe.label, probe.group, right)
            for probe, right in zip(task.probes, rights, strict=True)
        ),
        headline=headline,
        lines=lines,
        misconception=known.idea if known else None,
        cause=cause,
    )


def observe_probes(
    task: KeyTask, probes: list[KeyProbe], run: Run, stuck: bool
) -> list[Observation]:
    """One observation for each probe, each from a process of its own; in warm mode from one.

    After a call that did not finish, the task's other probes are not asked: they would take the
    time of the tasks to come.
    """
    seen: list[Observation] = []
    together = run.sandbox.warm
    while len(seen) < len(probes):
        if stuck or TIMED_OUT in seen:
            seen.append(TIMED_OUT)
        elif run.time <= 0 or run.bytes <= 0:
            seen.append(NO_TIME if run.time <= 0 else TOO_MUCH)
        elif run.lost >= MOST_LOST:
            seen.append(CRASHED)
        else:
            left = probes[len(seen) :]
            asked = left if together else left[:1]
            outcome = run.ask(task, asked)
            try:
                seen += read(outcome, asked)
            except ProgramFailed:
                read(run.ask(task, asked, do="make"), asked)  # raises again if it is true
                seen.append(UNREADABLE)
            together = False  # what the shared process left unanswered is asked one by one
    return seen


def read(outcome: Outcome, asked: Sequence[KeyProbe]) -> list[Observation]:
    """What a process wrote, as valid observations; at least one, at most as many as were asked.

    The bytes may have been written by the student's code.

    Raises:
        ProgramFailed: the process says that a probe's own program failed.
    """
    seen = []
    for probe, body in zip(asked, frames(outcome.payload), strict=False):
        try:
            one = json.loads(body)
        except (ValueError, RecursionError):
            one = None
        if type(one) is dict and one.get("kind") == "broken":
            said = f": {one.get('message')}" if probe.group == "public" else ""
            which = f"the probe {probe.label!r}" if probe.group == "public" else "a hidden probe"
            raise ProgramFailed(f"the program of {which} failed{said}")
        seen.append(one if valid(one) else UNREADABLE)
    if (len(seen) < len(asked) and outcome.status != ENDED) or not seen:
        seen.append({TIMEOUT: TIMED_OUT, TOO_LARGE: TOO_MUCH}.get(outcome.status, CRASHED))
    return seen


def frames(payload: bytes) -> list[bytes]:
    """The complete frames at the beginning of what a process wrote."""
    found, at = [], 0
    while at + 4 <= len(payload):
        size = int.from_bytes(payload[at : at + 4], "big")
        if at + 4 + size > len(payload):
            break
        found.append(payload[at + 4 : at + 4 + size])
        at += 4 + size
    return found


def recognise(task: KeyTask, seen: list[Observation]) -> KeyWrong | None:
    """The bank's wrong answer that behaves like this one on every probe, if it is the only one."""
    alike = [
        wrong
        for wrong in task.wrong
        if all(
            behaves_alike(theirs, got, probe)
            for theirs, got, probe in zip(wrong.observations, seen, task.probes, strict=True)
        )
    ]
    return alike[0] if len({wrong.idea for wrong in alike}) == 1 else None


def behaves_alike(theirs: Observation, got: Observation, probe: KeyProbe) -> bool:
    if theirs["kind"] == got["kind"] == "exception":
        numbers_aside = {re.sub(r"\d+", "#", seen["message"]) for seen in (theirs, got)}
        return theirs["type"] == got["type"] and len(numbers_aside) == 1
    return judge.same(theirs, got, probe.rtol, probe.atol)


def explain(
    task: KeyTask,
    seen: list[Observation],
    differences: list[str | None],
    known: KeyWrong | None,
    why: dict[str, str] | None,
) -> tuple[str, tuple[tuple[str, str], ...]]:
    """A headline, and lines about the first public probe that went wrong."""
    failed = first_public(task, differences)
    if failed is None:
        if all(difference is None for difference in differences):
            return f"{task.name}: right", ()
        lines = (("why", "It is right on the examples you know and wrong on others like them."),)
        return f"{task.name} is not there yet", lines
    got, probe = seen[failed], task.probes[failed]
    lines = [("called", f"`{task.name}` — {probe.label}")]
    if got in SPECIAL:
        lines += [("stopped", got["message"]), ("to do", SPECIAL_ADVICE[got["type"]])]
    else:
        lines += [("came back", show(got)), ("expected", show(probe.expected))]
        if known:
            lines += [("why", known.why), ("to do", known.do)]
        elif why:
            lines += [("line", f"`{why['line']}`"), ("why", why["message"]), ("to do", why["fix"])]
        else:
            lines.append(("why", differences[failed]))
    said = "raised an error" if got["kind"] == "exception" else "is not there yet"
    return f"{task.name} {said}", tuple((label, clean(text)) for label, text in lines if text)


def first_public(task: KeyTask, differences: list[str | None]) -> int | None:
    public = (n for n, probe in enumerate(task.probes) if probe.group == "public")
    return next((n for n in public if differences[n] is not None), None)


def why_none(task: KeyTask, seen: dict[int, Observation], run: Run) -> dict[str, str] | None:
    """What whynone says inside the sandbox of the first None that came from a public probe.

    A student's code may have written it.
    """
    wrong = (n for n, got in seen.items() if not same_as_expected(task.probes[n], got))
    first = next(wrong, None)
    if first is None or seen[first]["kind"] == "exception" or "None" not in show(seen[first]):
        return None
    if run.time <= 0 or run.bytes <= 0:
        return None
    found = frames(run.ask(task, [task.probes[first]], do="why").payload)
    try:
        said = json.loads(found[0])
        texts = [said[label] for label in ("cause", "line", "message", "fix")]
        good = said["kind"] == "why" and all(type(text) is str for text in texts)
    except (ValueError, RecursionError, LookupError, TypeError):
        return None
    return said if good and said["cause"] in CAUSES else None


def same_as_expected(probe: KeyProbe, got: Observation) -> bool:
    return judge.same(probe.expected, got, probe.rtol, probe.atol)


def clean(text: str) -> str:
    """One line of printable characters, of bounded length: it may quote a student."""
    text = re.sub(r"\b0x[0-9a-f]{6,}\b", "0x…", " ".join(text.split()))  # where an object lay
    text = "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
