"""What a learner sees after `check` or `hint`: text in a terminal, HTML in a notebook."""

from dataclasses import dataclass, field
from html import escape


@dataclass(frozen=True)
class Feedback:
    """The result of one check.

    `status` is "passed", "wrong", "untouched" or "error". `points` of `out_of` were earned; with
    `out_of` 0 nothing is said of points, as in an assignment that is graded later.
    `lines` holds pairs of a label and a sentence, in the order in which one reads them: what was
    called, what came back, what was expected, why, what to do, where to read.
    """

    task: str
    status: str
    headline: str
    points: float
    out_of: int
    lines: list[tuple[str, str]] = field(default_factory=list)

    @property
    def passed(self) -> bool:
        return self.status == "passed"

    def text(self, label: str) -> str:
        """The sentence behind a label, or an empty string."""
        return next((sentence for key, sentence in self.lines if key == label), "")

    @property
    def score(self) -> str:
        return f"  [{self.points:g} of {self.out_of} points]" if self.out_of else ""

    def __repr__(self) -> str:
        mark = {"passed": "✓", "untouched": "·"}.get(self.status, "✗")
        rows = [f"{mark} {self.headline}{self.score}"]
        rows += [f"  {label:<9} {sentence}" for label, sentence in self.lines]
        return "\n".join(rows)

    def _repr_html_(self) -> str:
        # Colour only repeats what the mark and the words say; both themes' text stays readable.
        colour = {"passed": "#2e7d32", "untouched": "#607d8b"}.get(self.status, "#c62828")
        mark = {"passed": "✓", "untouched": "·"}.get(self.status, "✗")
        rows = "".join(
            f"<dt style='font-weight:600;white-space:nowrap'>{escape(label)}</dt>"
            f"<dd style='margin:0'>{markup(sentence)}</dd>"
            for label, sentence in self.lines
        )
        grid = "display:grid;grid-template-columns:max-content 1fr;gap:.3em 1em;margin:.6em 0 0"
        return (
            f"<div role='status' style='border-left:.3em solid {colour};padding:.3em 1em'>"
            f"<strong>{mark} {markup(self.headline)}</strong>{self.score}"
            f"<dl style='{grid}'>{rows}</dl></div>"
        )


@dataclass(frozen=True)
class Hint:
    """One hint of a task, and how many there are."""

    task: str
    number: int
    out_of: int
    sentence: str

    def __repr__(self) -> str:
        more = "" if self.number == self.out_of else "   (ask again for the next one)"
        return f"Hint {self.number} of {self.out_of} for {self.task}: {self.sentence}{more}"

    def _repr_html_(self) -> str:
        return f"<div>{markup(repr(self))}</div>"


def markup(sentence: str) -> str:
    """Escape a sentence for HTML; what stands in backticks becomes code."""
    pieces = escape(sentence).split("`")
    if len(pieces) % 2 == 0:  # an unpaired backtick: leave it as it is
        return escape(sentence)
    return "".join(f"<code>{p}</code>" if i % 2 else p for i, p in enumerate(pieces))
