"""The exercise of `whynone`: probes, points, and what people write instead."""

from whynone import by_hand as reference
from whynone.by_hand import Step

from classroom.spec import Probe, Task, Wrong

# --- diagnosis_of ---------------------------------------------------------------------------


def a_table(program):
    return {
        "nested": ("other_call", 28),
        "training_loop": ("rebound", 20),
        "second_order": ("second_order", 32),
        "state": ("variable_state", 17),
        "symbolic": ("symbolic", 22),
    }[program]


def a_chain_of_ifs(program):
    if program == "nested":
        return "other_call", 28
    if program == "training_loop":
        return "rebound", 20
    if program == "second_order":
        return "second_order", 32
    if program == "state":
        return "variable_state", 17
    return "symbolic", 22


def two_lists(program):
    programs = ["nested", "training_loop", "second_order", "state", "symbolic"]
    causes = ["other_call", "rebound", "second_order", "variable_state", "symbolic"]
    where = programs.index(program)
    return causes[where], [28, 20, 32, 17, 22][where]


def the_lines_that_asked(program):
    asked = {"nested": 31, "training_loop": 18, "second_order": 35, "state": 32, "symbolic": 22}
    return a_table(program)[0], asked[program]


def the_lines_that_complained(program):
    raised = {"nested": 32, "training_loop": 20, "second_order": 36, "state": 33, "symbolic": 22}
    return a_table(program)[0], raised[program]


def counted_from_zero(program):
    cause, line = a_table(program)
    return cause, line - 1


def everything_unwatched(program):
    return "unwatched", a_table(program)[1]


def the_first_of_the_two_calls(program):
    return ("other_call", 26) if program == "nested" else a_table(program)


def a_tensor_that_nobody_watched(program):
    return ("unwatched", 16) if program == "training_loop" else a_table(program)


def the_penalty_outside(program):
    return ("outside_tape", 33) if program == "second_order" else a_table(program)


def the_state_is_not_trainable(program):
    return ("non_trainable", 13) if program == "state" else a_table(program)


def a_layer_never_called(program):
    return ("never_called", 22) if program == "symbolic" else a_table(program)


PROGRAMS = ("nested", "training_loop", "second_order", "state", "symbolic")

DIAGNOSIS_OF = Task(
    function=reference.diagnosis_of,
    kind="explain",
    minutes=15,
    points=5,
    probes=[Probe(f"programs/{name}.py", lambda name=name: (name,)) for name in PROGRAMS],
    hidden=[],  # none: the question is about these five programs, and `check` asks about all
    hints=(
        "Which object is the source, and which objects was the target computed from? Point at "
        "both in the program before you look at anything between them.",
        "nested: how often does the backbone run? training_loop: what type has `slope` after the "
        "first epoch? second_order: which blocks are open when the first gradient is asked for? "
        "state: where does `hidden` come from? symbolic: what is a layer's `output`?",
        "One is a second call, one binds a name again, one gradient is asked for after both "
        "blocks, one value goes through an `assign`, one source holds no values.",
    ),
    right=[a_chain_of_ifs, two_lists],
    wrong=[
        Wrong(
            the_lines_that_asked,
            why="Your causes are right. The lines are those that asked for the gradient, and a "
            "question breaks nothing.",
            do="Name the line that you would change; the table above the task says which.",
            idea="a question breaks nothing",
        ),
        Wrong(
            the_lines_that_complained,
            why="Your causes are right. The lines are those where the program failed or printed "
            "None, which is later than the break.",
            do="Walk back from there, to the line that you would change.",
            idea="later than the break",
        ),
        Wrong(
            counted_from_zero,
            why="Every line is one too small: editors and tracebacks count lines from 1.",
            do="Take the numbers as `show` prints them.",
            idea="count lines from 1",
        ),
        Wrong(
            everything_unwatched,
            cause="unwatched",
            why="The lines are right. But `tape.watch` would repair none of the five: each source "
            "is known to its tape, or is nothing that a tape could know.",
            do="Ask question 3 before question 4: is the source the object that was used?",
            idea="would repair none of the five",
        ),
        Wrong(
            the_first_of_the_two_calls,
            cause="other_call",
            why="In `nested` you name line 26, which made the source. It is needed. The line to "
            "change is the second call, which computed everything anew.",
            do="Take line 28: it must use the features of line 26.",
            idea="the second call",
        ),
        Wrong(
            a_tensor_that_nobody_watched,
            cause="rebound",
            why="In `training_loop` the tensor is unwatched, true, but why is there a tensor? "
            "`slope` was a variable, until a line put the result of a subtraction in its place.",
            do="Look for the line that binds the name `slope` again.",
            idea="put the result of a subtraction in its place",
        ),
        Wrong(
            the_penalty_outside,
            cause="second_order",
            why="In `second_order` the penalty is outside, but moving it alone into the block "
            "helps nothing: it starts from a first gradient that no outer tape saw.",
            do="Name the line that asked for the first gradient.",
            idea="a first gradient that no outer tape saw",
        ),
        Wrong(
            the_state_is_not_trainable,
            cause="variable_state",
            why="In `state` a trainable state would not help: no tape records an `assign`, so what "
            "is read back has no history.",
            do="Name the line that stores the value in the variable.",
            idea="no tape records an `assign`",
        ),
        Wrong(
            a_layer_never_called,
            cause="symbolic",
            why="In `symbolic` the layer was called, on the symbolic inputs. Its `output` exists, "
            "and is a description without values.",
            do="Look for the cause that speaks of a KerasTensor.",
            idea="a description without values",
        ),
    ],
)

# --- recordings -----------------------------------------------------------------------------


def chain():
    return [Step(3, "a", ("x",)), Step(4, "b", ("y",)), Step(5, "loss", ("a",))]


def meeting_again():
    return [
        Step(2, "h", ("x", "w")),
        Step(3, "left", ("h",)),
        Step(4, "right", ("h",), "stop_gradient"),
        Step(4, "shown", ("right",)),
        Step(6, "loss", ("right", "left")),
        Step(7, "late", ("loss",)),
    ]


def side_road():
    return [
        Step(2, "scaled", ("x",)),
        Step(3, "shown", ("scaled",), "left_tensorflow"),
        Step(4, "mask", ("y",), "not_differentiable"),
        Step(5, "h", ("scaled", "mask")),
        Step(6, "loss", ("h",)),
    ]


def cut_twice():
    return [
        Step(10, "levels", ("image",), "not_differentiable"),
        Step(11, "maps", ("levels", "kernel")),
        Step(14, "mean", ("maps",), "left_tensorflow"),
        Step(15, "loss", ("mean", "wanted")),
    ]


def both_ways_cut():
    return [
        Step(2, "one", ("x",)),
        Step(3, "index", ("one",), "not_differentiable"),
        Step(4, "kept", ("x",), "stop_gradient"),
        Step(5, "loss", ("index", "kept")),
    ]


def encoder():
    return [
        Step(4, "tokens", ("text",), "left_tensorflow"),
        Step(6, "embedded", ("tokens", "table")),
        Step(7, "left", ("embedded", "w")),
        Step(7, "right", ("embedded", "w")),
        Step(9, "both", ("left", "right")),
        Step(12, "printed", ("both",), "left_tensorflow"),
        Step(15, "loss", ("both", "labels")),
    ]


def two_losses():
    return [
        Step(3, "h", ("x", "w")),
        Step(5, "y1", ("h", "v1")),
        Step(6, "y2", ("h", "v2"), "stop_gradient"),
        Step(8, "l1", ("y1",)),
        Step(9, "l2", ("y2", "y1")),
        Step(10, "metric", ("y2",), "not_differentiable"),
        Step(11, "total", ("l1", "l2")),
    ]


# --- lines_behind ---------------------------------------------------------------------------


def recursively(recording, target):
    makers = {step.made: step for step in recording}
    found = set()

    def visit(name):
        if name in makers and name not in found:
            found.add(name)
            for before in makers[name].read:
                visit(before)

    visit(target)
    return [step.line for step in recording if step.made in found]


def with_a_list_of_what_waits(recording, target):
    waiting, numbers = [target], set()
    while waiting:
        name = waiting.pop()
        for number, step in enumerate(recording):
            if step.made == name and number not in numbers:
                numbers.add(number)
                waiting.extend(step.read)
    return [recording[number].line for number in sorted(numbers)]


def one_step_only(recording, target):
    last = next(step for step in recording if step.made == target)
    return [step.line for step in recording if step.made in (target, *last.read)]


def all_that_ran_before(recording, target):
    lines = []
    for step in recording:
        lines.append(step.line)
        if step.made == target:
            return lines
    return lines


def a_step_for_each_way(recording, target):
    for step in recording:
        if step.made == target:
            lines = []
            for name in step.read:
                if any(other.made == name for other in recording):
                    lines += a_step_for_each_way(recording, name)
            return [*lines, step.line]
    return []


def from_the_target_on(recording, target):
    makers = {step.made: step for step in recording}
    waiting, lines = [target], []
    while waiting:
        step = makers.get(waiting.pop(0))
        if step is not None and step.line not in lines:
            lines.append(step.line)
            waiting += step.read
    return lines


def stops_at_a_broken_step(recording, target):
    needed = {target}
    for step in reversed(recording):
        if step.made in needed and step.broken is None:
            needed.update(step.read)
    return [step.line for step in recording if step.made in needed]


LINES_BEHIND = Task(
    function=reference.lines_behind,
    kind="write",
    minutes=8,
    points=4,
    probes=[
        Probe("a chain beside another", lambda: (chain(), "loss")),
        Probe("two ways that meet again", lambda: (meeting_again(), "loss")),
        Probe("a chain of four", lambda: (cut_twice(), "loss")),
        Probe("a target in the middle", lambda: (side_road(), "h")),
    ],
    hidden=[
        Probe("two steps of one line", lambda: (encoder(), "loss")),
        Probe("one of the two steps of a line", lambda: (encoder(), "right")),
        Probe("a sum of two losses", lambda: (two_losses(), "total")),
        Probe("one of the two losses", lambda: (two_losses(), "l2")),
        Probe("a step that nobody reads", lambda: (two_losses(), "metric")),
    ],
    hints=(
        "If you know that a name is needed, which names are then needed, too?",
        "Go through the recording from its end: a step stands behind every step that it reads "
        "from, so one pass is enough. Keep a set of the names needed so far.",
        "`needed = {target}`; for each `step` of `reversed(recording)`: if `step.made in needed`, "
        "`needed.update(step.read)`. Then collect the lines in the recording's order.",
    ),
    right=[recursively, with_a_list_of_what_waits],
    wrong=[
        Wrong(
            one_step_only,
            why="You look one step back. What the target read was computed from something, too.",
            do="Go on from each name that you find, until no step made it.",
            idea="one step back",
        ),
        Wrong(
            all_that_ran_before,
            why="Running before the target is not the same as having a part in it: some of these "
            "steps made names that nobody on the way reads.",
            do="Keep a step only if its `made` is needed by a step that you kept already.",
            idea="not the same as having a part in it",
        ),
        Wrong(
            a_step_for_each_way,
            why="Where two ways meet again, you count the shared step once for each way.",
            do="Remember in a set which names you have visited.",
            idea="once for each way",
        ),
        Wrong(
            from_the_target_on,
            why="These lines are in the order of your walk, from the target back, and a line that "
            "two steps share is told once.",
            do="Collect the names first. Then go through the recording from its start and take "
            "the line of each step whose `made` you collected.",
            idea="in the order of your walk",
        ),
        Wrong(
            stops_at_a_broken_step,
            why="You stop at a step that lets no gradient through. The target was computed from "
            "what lies behind it all the same.",
            do="Leave `broken` out of this walk; it is the next task's question.",
            idea="computed from what lies behind it",
        ),
    ],
)

# --- first_break ----------------------------------------------------------------------------


def forwards_and_backwards(recording, target, source):
    makers = {step.made: step for step in recording}

    def ways(name):
        if name == source:
            return [[]]
        if name not in makers:
            return []
        step = makers[name]
        return [[*way, step] for before in step.read for way in ways(before)]

    found = ways(target)
    if not found:
        return "no_path", makers[target].line
    if any(all(step.broken is None for step in way) for way in found):
        return None
    on_the_way = {step.made for way in found for step in way}
    for step in recording:
        if step.made in on_the_way and step.broken is not None:
            return step.broken, step.line


def three_sets(recording, target, source):
    behind, after, whole = {target}, {source}, {source}
    for step in reversed(recording):
        behind |= set(step.read) if step.made in behind else set()
    for step in recording:
        if after & set(step.read):
            after.add(step.made)
        if whole & set(step.read) and not step.broken:
            whole.add(step.made)
    if target in whole:
        return None
    for step in recording:
        if step.broken and step.made in behind & after and step.made != source:
            return step.broken, step.line
    for step in recording:
        if step.made == target:
            return "no_path", step.line


def first_in_the_recording(recording, target, source):
    known = three_sets(recording, target, source)
    if known is not None and known[0] != "no_path":
        known = None
    for step in recording:
        if step.broken:
            return step.broken, step.line
    return known


def behind_the_target_only(recording, target, source):
    lines = recursively(recording, target)
    if three_sets(recording, target, source) == ("no_path", lines[-1]):
        return "no_path", lines[-1]
    for step in recording:
        if step.line in lines and step.broken:
            return step.broken, step.line
    return None


def nearest_to_the_target(recording, target, source):
    if three_sets(recording, target, source) is None:
        return None
    behind, after = {target}, {source}
    for step in reversed(recording):
        behind |= set(step.read) if step.made in behind else set()
    for step in recording:
        after |= {step.made} if after & set(step.read) else set()
    for step in reversed(recording):
        if step.broken and step.made in behind & after:
            return step.broken, step.line
    return three_sets(recording, target, source)


def any_cut_on_the_way(recording, target, source):
    behind, after = {target}, {source}
    for step in reversed(recording):
        behind |= set(step.read) if step.made in behind else set()
    for step in recording:
        after |= {step.made} if after & set(step.read) else set()
    if target not in after:
        return "no_path", next(step.line for step in recording if step.made == target)
    for step in recording:
        if step.broken and step.made in behind & after:
            return step.broken, step.line
    return None


def no_way_is_no_break(recording, target, source):
    known = three_sets(recording, target, source)
    return None if known and known[0] == "no_path" else known


FIRST_BREAK = Task(
    function=reference.first_break,
    kind="write",
    minutes=12,
    points=7,
    probes=[
        Probe("one way, cut twice", lambda: (cut_twice(), "loss", "image")),
        Probe("a source that joins behind the first cut", lambda: (cut_twice(), "loss", "kernel")),
        Probe("nothing cut", lambda: (chain(), "loss", "x")),
        Probe("cuts on side roads", lambda: (side_road(), "loss", "x")),
        Probe("a second way around the cut", lambda: (meeting_again(), "loss", "w")),
        Probe("two ways, both cut", lambda: (both_ways_cut(), "loss", "x")),
        Probe("no way", lambda: (chain(), "loss", "y")),
    ],
    hidden=[
        Probe("cut at the first step", lambda: (encoder(), "loss", "text")),
        Probe("a source that joins behind it", lambda: (encoder(), "loss", "table")),
        Probe("cut at the last step", lambda: (encoder(), "printed", "w")),
        Probe("a name that comes in later", lambda: (encoder(), "left", "labels")),
        Probe("one way of three is cut", lambda: (two_losses(), "total", "x")),
        Probe("the only way is cut", lambda: (two_losses(), "total", "v2")),
        Probe("cut twice, from the start", lambda: (two_losses(), "metric", "w")),
        Probe("cut twice, from between", lambda: (two_losses(), "metric", "y2")),
        Probe("the other loss", lambda: (two_losses(), "l1", "v2")),
    ],
    hints=(
        "A step matters if it lies between the two. Which walk finds the steps behind the target, "
        "and which finds those that come from the source?",
        "Walk back from the target and keep the names. Then walk forwards from the source, twice: "
        "over all steps, and over the unbroken ones alone.",
        "Target reached over unbroken steps: None. Target not reached at all: `no_path`. Else the "
        "first broken step whose `made` is in both walks.",
    ),
    right=[forwards_and_backwards, three_sets],
    wrong=[
        Wrong(
            first_in_the_recording,
            why="You take the first broken step of the whole recording. Some stand on side roads, "
            "and never lie between the source and the target.",
            do="Keep the steps that the target was computed from and that come from the source.",
            idea="on side roads",
        ),
        Wrong(
            behind_the_target_only,
            why="Your steps lie behind the target, but some do not come from this source: what is "
            "cut there belongs to another one.",
            do="Walk forwards from the source as well, and keep what is in both walks.",
            idea="do not come from this source",
        ),
        Wrong(
            nearest_to_the_target,
            why="Where a way is cut twice, you name the cut nearest to the target. The task asks "
            "for the one nearest to the source.",
            do="Go through the recording from its start.",
            idea="nearest to the source",
        ),
        Wrong(
            any_cut_on_the_way,
            why="One way is cut, but another is whole, and a gradient takes every way there is. "
            "It is None only if all ways are cut.",
            do="First walk forwards over unbroken steps alone: if that reaches the target, None.",
            idea="only if all ways are cut",
        ),
        Wrong(
            no_way_is_no_break,
            cause="no_path",
            why="You found nothing cut, because there is nothing to cut: no step of the source's "
            "leads to the target, so the tape returns None.",
            do='Return `("no_path", line)` if the walk from the source does not reach the target.',
            idea="there is nothing to cut",
        ),
    ],
)

TASKS = [DIAGNOSIS_OF, LINES_BEHIND, FIRST_BREAK]
