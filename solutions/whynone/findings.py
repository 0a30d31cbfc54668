"""What whynone reports, as plain data: the contract behind `--json`.

`--json FILE` writes a list of objects with the keys of `FIELDS`; an empty list means that every
gradient was healthy. Positions count lines from 1 and columns from 1. `version` grows when a key
changes its meaning or goes; new keys may appear without it.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field

VERSION = 1
FIELDS = (
    "version",
    "cause",
    "file",
    "line",
    "column",
    "end_column",
    "gradient_file",
    "gradient_line",
    "source",
    "target",
    "message",
    "label",
    "fix",
    "lesson",
    "notes",
    "times",
    "result",
)

LESSONS = {
    "unwatched": "unwatched_tensor",
    "watched_late": "unwatched_tensor",
    "outside_tape": "outside_the_tape",
    "recording_stopped": "outside_the_tape",
    "spent_tape": "one_tape_many_gradients",
    "left_tensorflow": "left_tensorflow",
    "not_differentiable": "not_differentiable",
    "unregistered_gradient": "not_differentiable",
    "integer_dtype": "not_differentiable",
    "stop_gradient": "not_differentiable",
    "custom_gradient": "not_differentiable",
    "variable_state": "variables_and_state",
    "rebound": "variables_and_state",
    "non_trainable": "unwatched_tensor",
    "derived_source": "outside_the_tape",
    "other_call": "outside_the_tape",
    "no_path": "what_the_tape_records",
    "symbolic": "symbolic_outputs",
    "never_called": "no_inbound_nodes",
    "disconnected_model": "nested_models",
    "second_order": "one_tape_many_gradients",
    "zeros_saturated": "not_none_but_wrong",
    "zeros_flat": "not_none_but_wrong",
    "nan": "not_none_but_wrong",
    "summed": "summed_targets",
    "loss_scale": "not_none_but_wrong",
}


@dataclass
class Finding:
    """One cause of one gradient that is missing or wrong.

    `cause` is a slug of `whynone.vocabulary.CAUSES`, or "unknown" if whynone could not tell.
    `file` and `line` are the culprit; `gradient_line` is the line that asked. `notes` are further
    lines, each `{"file", "line", "text"}`. `times` counts repetitions of the same finding.
    """

    cause: str
    file: str
    line: int | None
    source: str
    target: str
    message: str
    fix: str
    column: int | None = None
    end_column: int | None = None
    gradient_file: str = ""
    gradient_line: int | None = None
    label: str = ""
    lesson: str = ""
    notes: list[dict] = field(default_factory=list)
    times: int = 1
    result: str = "None"
    version: int = VERSION
    shown: bool = False
    way: list[dict] = field(default_factory=list)

    def as_dict(self) -> dict:
        """The finding as `--json` writes it."""
        known = asdict(self)
        return {name: known[name] for name in FIELDS}


def write_json(findings: list[Finding], path: str) -> None:
    """Write the list of findings; an empty list if there were none."""
    with open(path, "w", encoding="utf-8") as file:
        json.dump([finding.as_dict() for finding in findings], file, indent=2)
        file.write("\n")
