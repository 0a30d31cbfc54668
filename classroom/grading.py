"""One submission → graded tasks: extract the answers, observe them in a sandbox, judge outside.

Nothing here imports TensorFlow or runs, unpickles or compiles what a student wrote. What comes out
of the sandbox is only data, checked field by field before it is read.
"""

import base64
import hashlib
import json
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from whynone.vocabulary import CAUSES

from classroom import extract, judge
from classroom.extract import Extracted
from classroom.key import Key, KeyProbe, KeyTask, KeyWrong, decode_file
from classroom.messages import Stop
from classroom.observation import Observation, show, valid
from classroom.sandbox import ENDED, TIMEOUT, TOO_LARGE, Outcome, Sandbox, SandboxFailed, Session

GRADED, NEEDS_ATTENTION = "graded", "needs_attention"
LONGEST = 500  # characters of one sentence of feedback
LOST = "lost"  # twice in a row the sandbox ended while it ran this answer


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

    try:
        parts = [extract.answers(data, name, key, sandbox.limits) for name, data in files]
        with Run(parts, key, sandbox) as run:
            tasks = tuple(grade_task(task, run) for task in key.tasks)
    except Stop as stop:
        return ended(NEEDS_ATTENTION, str(stop))
    except SandboxFailed as failure:
        return ended(NEEDS_ATTENTION, f"The sandbox failed: {failure}")
    except Exception as error:  # ours, not the student's: a teacher must see it, the class go on
        return ended(NEEDS_ATTENTION, f"The grader failed: {type(error).__name__}: {error}")
    notes = tuple(clean(note) for part in parts for note in part.notes)
    return ended(GRADED, tasks=tasks, notes=notes)


class Run:
    """The jobs of one submission: its time, its bytes, and a new session if one is lost."""

    def __init__(self, parts: list[Extracted], key: Key, sandbox: Sandbox) -> None:
        self.parts, self.sandbox = parts, sandbox
        self.session: Session | None = None
        self.time, self.bytes = sandbox.limits.seconds, sandbox.limits.observations
        self.waiting = len(key.tasks)  # tasks that still have a share of the time

    def part_of(self, task: KeyTask) -> Extracted | None:
        """The file that answers a task: the last in which it is not as it was handed out."""
        own = [part for part in self.parts if task.name in part.answers]
        filled = [p for p in own if not extract.same_text(p.answers[task.name], task.stub)]
        return (filled or own or [None])[-1]

    def __enter__(self) -> "Run":
        return self

    def __exit__(self, *_) -> None:
        if self.session:
            self.session.close()

    def share(self) -> float:
        """The time that the next call may take: what is left is shared by the tasks to come."""
        return min(self.sandbox.limits.call, self.time / max(self.waiting, 1))

    def ask(self, task: KeyTask, probes: Sequence[KeyProbe], do: str = "call") -> Outcome:
        """Put probes to the answer in one process. A sandbox that is lost is tried once more."""
        part = self.part_of(task)
        files = {name: base64.b64encode(decode_file(text)) for name, text in task.files.items()}
        job = {
            "do": do,
            "task": task.name,
            "answer": part.answers[task.name],
            "others": [
                *part.extra,
                *(text for name, text in part.answers.items() if name != task.name),
            ],
            "setup": list(task.setup),
            "files": {name: text.decode() for name, text in files.items()},
            "probes": [{"program": probe.program, "vary": probe.vary} for probe in probes],
            "bytes": self.bytes,
        }
        seconds = self.share()
        for _ in range(2):
            if self.session is None:
                self.session = self.sandbox.session()
            began = time.monotonic()
            try:
                outcome = self.session.ask(job, seconds)
            except SandboxFailed:
                self.time -= time.monotonic() - began
                self.session.close()
                self.session = None
                continue
            self.time -= outcome.seconds
            self.bytes -= len(outcome.payload)
            return outcome
        return Outcome(LOST, b"", seconds)


def grade_task(task: KeyTask, run: Run) -> TaskGrade:
    """Ask every probe of one task and judge what came back."""
    part = run.part_of(task)
    source = part.answers[task.name] if part else None
    if source is None or extract.same_text(source, task.stub):
        run.waiting -= 1
        done = "there is no cell for it" if source is None else "it is still as it was handed out"
        probes = tuple(ProbeGrade(probe.label, probe.group, False) for probe in task.probes)
        return TaskGrade(task.name, 0.0, task.points, probes, f"{task.name}: {done}")
    seen = observe_task(task, run)
    run.waiting -= 1
    differences = [
        judge.difference(probe.expected, got, probe.rtol, probe.atol)
        for probe, got in zip(task.probes, seen, strict=True)
    ]
    rights = [difference is None for difference in differences]
    points = sum(worth for worth, right in zip(task.worth(), rights, strict=True) if right)
    probes = tuple(
        ProbeGrade(probe.label, probe.group, right)
        for probe, right in zip(task.probes, rights, strict=True)
    )
    known = recognise(task, seen) if not all(rights) else None
    headline, lines, cause = explain(task, seen, differences, known, run)
    return TaskGrade(
        task.name,
        round(points, 2),
        task.points,
        probes,
        headline,
        lines,
        known.idea if known else None,
        known.cause if known else cause,
    )


def observe_task(task: KeyTask, run: Run) -> list[Observation]:
    """One observation for each probe, each from a process of its own, or in warm mode from one.

    After a call that did not finish, the task's other probes are not asked: they would take the
    time of the tasks to come.
    """
    seen: list[Observation] = []
    together = run.sandbox.warm
    while len(seen) < len(task.probes):
        if run.time <= 0 or run.bytes <= 0:
            seen.append(NO_TIME if run.time <= 0 else TOO_MUCH)
            continue
        if seen and seen[-1] == TIMED_OUT:
            seen.append(TIMED_OUT)
            continue
        left = task.probes[len(seen) :]
        asked = left if together else left[:1]
        outcome = run.ask(task, asked)
        seen += read(outcome, len(asked))
        together = False  # what the shared process left unanswered is asked one by one
    return seen


def read(outcome: Outcome, asked: int) -> list[Observation]:
    """What a process wrote, as valid observations; at least one, at most as many as were asked.

    The bytes may have been written by the student's code.
    """
    seen = []
    for body in frames(outcome.payload)[:asked]:
        try:
            one = json.loads(body)
        except (ValueError, RecursionError):
            one = None
        if type(one) is dict and one.get("kind") == "broken":
            raise SandboxFailed(f"a probe's own program raised {one.get('message')}")
        seen.append(one if valid(one) else UNREADABLE)
    if (len(seen) < asked and outcome.status != ENDED) or not seen:
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
    run: Run,
) -> tuple[str, tuple[tuple[str, str], ...], str | None]:
    """A headline, lines about the first public probe that went wrong, and whynone's cause."""
    public = [n for n, probe in enumerate(task.probes) if probe.group == "public"]
    failed = next((n for n in public if differences[n] is not None), None)
    if failed is None:
        right = sum(difference is None for difference in differences)
        if right == len(differences):
            return f"{task.name}: right", (), None
        lines = (("why", "It is right on the examples you know and wrong on others like them."),)
        return f"{task.name} is not there yet", lines, None
    got, probe = seen[failed], task.probes[failed]
    lines = [("called", f"`{task.name}` — {probe.label}"), ("came back", show(got))]
    cause = None
    if got in SPECIAL:
        lines = [lines[0], ("stopped", got["message"]), ("to do", SPECIAL_ADVICE[got["type"]])]
    else:
        lines.append(("expected", show(probe.expected)))
        found = None
        if not known and got["kind"] != "exception" and "None" in show(got):
            found = why_none(task, probe, run)
        if known:
            lines += [("why", known.why), ("to do", known.do)]
        elif found:
            cause = found["cause"]
            lines += [("line", f"`{found['line']}`"), ("why", found["message"])]
            lines += [("to do", found["fix"])] if found["fix"] else []
        else:
            lines.append(("why", differences[failed]))
    said = "raised an error" if got["kind"] == "exception" else "is not there yet"
    cleaned = tuple((label, clean(sentence)) for label, sentence in lines)
    return f"{task.name} {said}", cleaned, cause


def why_none(task: KeyTask, probe: KeyProbe, run: Run) -> dict[str, str] | None:
    """What whynone says inside the sandbox; a student's code may have written it."""
    if run.time <= 0 or run.bytes <= 0:
        return None
    found = frames(run.ask(task, [probe], do="why").payload)
    try:
        said = json.loads(found[0])
        texts = [said[label] for label in ("line", "message", "fix")]
        known = said["kind"] == "why" and said["cause"] in CAUSES
    except (ValueError, RecursionError, LookupError, TypeError):
        return None
    return said if known and all(type(text) is str for text in texts) else None


def clean(text: str) -> str:
    """One line of printable characters, of bounded length: it may quote a student."""
    text = " ".join(text.split())
    text = "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
