"""The reasoning alone, on small recordings written by hand: no TensorFlow, milliseconds."""

from __future__ import annotations

import pytest
from whynone import places
from whynone.diagnose import diagnose
from whynone.findings import FIELDS
from whynone.recording import (
    Ask,
    Departure,
    Op,
    Place,
    Recording,
    Session,
    Tape,
    Value,
    Variable,
    Wanted,
    Watch,
)


def line(number: int) -> Place:
    return Place("script.py", number, "<module>")


def test_a_model_called_before_the_tape_is_named_by_its_call():
    """Of the lines that led to an operation, the one that a reader can move."""
    home = Place("script.py", 9, "step")
    call, helper, build, step = (
        Place("script.py", number, name)
        for number, name in ((3, "call"), (4, "helper"), (5, "build"), (8, "step"))
    )
    module = Place("script.py", 20, "<module>")
    for chain, wanted in (
        ([module, call, helper], module),
        ([module, step, call], step),
        ([module, helper], helper),
        ([module, call, build], build),
        ([call, helper], helper),
        ([], None),
    ):
        assert places.called_at(chain, home) is wanted


class Story:
    """Writes a recording as a program would run: one call per line of the program."""

    def __init__(self) -> None:
        self.record = Recording()
        self.tape = Tape()
        self.session: Session | None = None
        self.time = 0
        self.names: dict[str, Value] = {}

    def tick(self) -> int:
        self.time += 1
        return self.time

    def tensor(self, name: str, dtype: str = "float32") -> Value:
        value = Value(dtype=dtype, shape=(3,), origin="unknown", time=self.tick())
        self.names[name] = value
        return value

    def variable(self, name: str, trainable: bool = True) -> Value:
        value = Value(dtype="resource", time=self.tick())
        value.variable = Variable(name, trainable)
        self.names[name] = value
        return value

    def open(self, at: int = 1) -> None:
        self.session = Session(self.tape, self.tick(), line(at))
        self.tape.sessions.append(self.session)
        self.recording = True

    def close(self) -> None:
        self.session.closed = self.tick()

    def watch(self, name: str, at: int = 2) -> None:
        self.tape.watches.append(Watch(self.session, self.names[name], self.tick(), line(at)))

    def op(
        self,
        type: str,
        *inputs: str,
        to: str,
        at: int,
        dtype: str = "float32",
        recorded: bool = True,
        during: Ask | None = None,
    ) -> Op:
        values = []
        for name in inputs:
            value = self.names[name]
            if value.dtype == "resource":
                read = Op(
                    "ReadVariableOp",
                    (value,),
                    where=line(at),
                    time=self.tick(),
                    sessions=(self.session,) if recorded and self.session else (),
                )
                value = Value(read, 0)
            values.append(value)
        op = Op(
            type,
            tuple(values),
            1,
            where=line(at),
            time=self.tick(),
            during=during,
            sessions=(self.session,) if recorded and self.session else (),
        )
        self.names[to] = Value(op, 0, dtype, (3,))
        self.record.recent.append(op)
        return op

    def wanted(self, name: str) -> Wanted:
        value = self.names[name]
        kind = "variable" if value.variable is not None else "tensor"
        return Wanted(
            name,
            value,
            kind,
            "EagerTensor",
            value.variable,
            "",
            value.dtype if value.variable is None else "float32",
        )

    def ask(self, target: str, source: str, at: int = 99) -> list[tuple[str, int]]:
        ask = Ask(
            self.tape,
            self.session,
            [self.wanted(target)],
            [self.wanted(source)],
            where=line(at),
            time=self.tick(),
        )
        self.found = diagnose(self.record, ask, [0])
        return [(f.cause, f.line) for f in self.found]


def test_unwatched():
    story = Story()
    story.tensor("x")
    story.open()
    story.op("Mul", "x", to="y", at=5)
    assert story.ask("y", "x") == [("unwatched", 5)]


def test_watched_late():
    story = Story()
    story.tensor("x")
    story.open()
    story.op("Mul", "x", to="y", at=5)
    story.watch("x", at=6)
    assert story.ask("y", "x") == [("watched_late", 5)]


def test_non_trainable():
    story = Story()
    story.variable("scale", trainable=False)
    story.open()
    story.op("Mul", "scale", to="y", at=5)
    assert story.ask("y", "scale") == [("non_trainable", 5)]


@pytest.mark.parametrize(
    ("kind", "cause"),
    [
        ("Round", "not_differentiable"),
        ("StopGradient", "stop_gradient"),
        ("Unique", "unregistered_gradient"),
    ],
)
def test_an_operation_breaks_it(kind, cause):
    story = Story()
    story.variable("w")
    story.record.gradient_of = lambda op: {"Round": [False], "Unique": "unregistered"}.get(
        op.type, [True] * len(op.inputs)
    )
    story.open()
    story.op("Mul", "w", to="h", at=4)
    story.op(kind, "h", to="r", at=5)
    story.op("Sum", "r", to="y", at=6)
    assert story.ask("y", "w") == [(cause, 5)]


def test_integers_between():
    """A cast to int is named itself; argmax is named, not the integer that it makes."""
    for kind, cause in (("Cast", "integer_dtype"), ("ArgMax", "not_differentiable")):
        story = Story()
        story.variable("w")
        story.record.gradient_of = lambda op: [op.type not in ("ArgMax",)] * len(op.inputs)
        story.open()
        story.op("Mul", "w", to="h", at=4)
        story.op(kind, "h", to="i", at=5, dtype="int64")
        story.op("Cast", "i", to="f", at=6)
        assert story.ask("f", "w") == [(cause, 5)]


def test_integer_source():
    story = Story()
    story.tensor("n", dtype="int32")
    story.open()
    story.op("Cast", "n", to="y", at=5)
    assert story.ask("y", "n") == [("integer_dtype", 5)]


def test_outside_before_and_after():
    story = Story()
    story.variable("w")
    story.op("Mul", "w", to="a", at=3, recorded=False)
    story.op("Tanh", "a", to="b", at=4, recorded=False)
    story.open()
    story.op("Sum", "b", to="y", at=6)
    assert story.ask("y", "w") == [("outside_tape", 4)], "the last line before the tape"
    story = Story()
    story.variable("w")
    story.open()
    story.op("Mul", "w", to="a", at=5)
    story.close()
    story.session, session = None, story.session
    story.op("Sum", "a", to="b", at=7, recorded=False)
    story.op("Neg", "b", to="y", at=8, recorded=False)
    story.session = session
    assert story.ask("y", "w") == [("outside_tape", 7)], "the first line after the tape"


def test_recording_stopped():
    story = Story()
    story.variable("w")
    story.open()
    story.session.pauses.append([story.tick(), None, line(4)])
    story.op("Mul", "w", to="h", at=5, recorded=False)
    story.session.pauses[-1][1] = story.tick()
    story.op("Sum", "h", to="y", at=6)
    assert story.ask("y", "w") == [("recording_stopped", 5)]


def test_left_tensorflow():
    story = Story()
    story.variable("w")
    story.open()
    story.op("Mul", "w", to="h", at=4)
    story.record.departures.append(Departure(story.names["h"], story.tick(), line(5)))
    story.tensor("back")
    story.op("Sum", "back", to="y", at=7)
    assert story.ask("y", "w") == [("left_tensorflow", 5)]


def test_variable_state():
    story = Story()
    story.variable("w")
    story.variable("state")
    story.open()
    story.op("Mul", "w", to="h", at=4)
    write = Op(
        "AssignVariableOp",
        (story.names["state"], story.names["h"]),
        0,
        where=line(5),
        time=story.tick(),
    )
    story.names["state"].wrote(write)
    story.op("Sum", "state", to="y", at=6)
    assert story.ask("y", "w") == [("variable_state", 5)]


def test_an_optimizer_step_is_no_path():
    """A variable that shaped another one through an earlier training step is not connected."""
    story = Story()
    story.variable("unused")
    story.variable("w")
    story.open()
    earlier = Ask(story.tape, story.session, [], [])
    story.op("Mul", "unused", to="g", at=3, during=earlier)
    write = Op(
        "AssignVariableOp",
        (story.names["w"], story.names["g"]),
        0,
        where=line(4),
        time=story.tick(),
    )
    story.names["w"].wrote(write)
    story.op("Sum", "w", to="y", at=6)
    assert story.ask("y", "unused") == [("no_path", 99)]


def test_derived_source():
    story = Story()
    story.tensor("x")
    story.open()
    story.watch("x")
    story.op("StridedSlice", "x", to="part", at=4)
    story.op("Sum", "x", to="y", at=5)
    assert story.ask("y", "part") == [("derived_source", 4)]


def test_other_call():
    story = Story()
    story.variable("kernel")
    story.tensor("x")
    story.open()
    story.op("MatMul", "x", "kernel", to="h", at=4)
    story.op("MatMul", "x", "kernel", to="again", at=5)
    story.op("Sum", "again", to="y", at=6)
    assert story.ask("y", "h") == [("other_call", 5)]


def test_second_order():
    story = Story()
    story.variable("w")
    story.open()
    story.op("Square", "w", to="y", at=4)
    story.close()
    inner = Ask(Tape(), None, [story.wanted("y")], [story.wanted("w")], where=line(6))
    story.op("Mul", "w", to="first", at=6, recorded=False, during=inner)
    assert story.ask("first", "w") == [("second_order", 6)]


def test_no_path_and_swapped():
    story = Story()
    story.variable("a")
    story.variable("b")
    story.open()
    story.op("Sum", "a", to="y", at=4)
    assert story.ask("y", "b") == [("no_path", 99)]
    assert "depends on `a`" in story.found[0].message
    assert story.ask("a", "y")[0][0] == "no_path"
    assert "Swap" in story.found[0].fix


def test_two_causes_on_one_way_and_on_two():
    for second in ("h", "s"):
        story = Story()
        story.variable("w")
        story.record.gradient_of = lambda op: [op.type != "Floor"] * len(op.inputs)
        story.open()
        story.op("Mul", "w", to="h", at=4)
        story.op("StopGradient", "h", to="s", at=5)
        story.op("Floor", second, to="f", at=6)
        story.op("AddV2", "s", "f", to="y", at=7) if second == "h" else story.op(
            "Sum", "f", to="y", at=7
        )
        assert sorted(story.ask("y", "w")) == [("not_differentiable", 6), ("stop_gradient", 5)]


def test_the_whole_way_wins_over_a_broken_one():
    """A branch through `round` beside one that only needs a watch: the watch is what is missing."""
    story = Story()
    story.tensor("x")
    story.record.gradient_of = lambda op: [op.type != "Round"] * len(op.inputs)
    story.open()
    story.op("Round", "x", to="r", at=4)
    story.op("Mul", "x", to="h", at=5)
    story.op("AddV2", "r", "h", to="y", at=6)
    assert story.ask("y", "x") == [("unwatched", 5)]


def test_long_histories_are_walked_without_recursion():
    story = Story()
    story.variable("w")
    story.op("Mul", "w", to="v", at=1, recorded=False)
    story.open()
    for _ in range(5_000):
        story.op("Tanh", "v", to="v", at=3)
    assert story.ask("v", "w") == [("outside_tape", 1)]


def test_the_format_is_a_contract():
    story = Story()
    story.tensor("x")
    story.open()
    story.op("Mul", "x", to="y", at=5)
    story.ask("y", "x")
    finding = story.found[0].as_dict()
    assert tuple(finding) == FIELDS
    assert finding["version"] == 1
    assert (finding["source"], finding["target"], finding["lesson"]) == (
        "x",
        "y",
        "unwatched_tensor",
    )
    for key in (
        "cause",
        "file",
        "line",
        "column",
        "gradient_line",
        "source",
        "target",
        "message",
        "fix",
        "lesson",
    ):
        assert key in finding
