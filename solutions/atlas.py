"""What a program does in each TensorFlow: the recorded runs behind lessons/atlas.md.

A specimen is a small program in lessons/atlas/ that prints one outcome. data/atlas.json holds what
it printed, or the exception that ended it, in each release.
"""

import re
from collections.abc import Iterable
from difflib import get_close_matches

from solutions.data_files import DATA, read_record

RECORD = DATA / "atlas.json"


def recorded(specimen: str) -> dict[str, str]:
    """What came of one specimen, from TensorFlow 2.0 to today; equal neighbours are one entry.

    Args:
        specimen: the name of a file in lessons/atlas/ without `.py`, such as "spent_tape".

    Returns:
        `{"2.0 to 2.15": "AttributeError: Layer dense has no inbound nodes.", "2.16 to 2.21": …}`

    Raises:
        KeyError: there is no such specimen; the message names similar ones.
    """
    rows = read_record("atlas.json")["rows"]
    outcomes = {
        release: outcome_of(found[specimen])
        for release, found in rows.items()
        if specimen in found and " " not in release  # a release alone, without tf_keras
    }
    if not outcomes:
        known = list(next(iter(rows.values())))
        close = get_close_matches(specimen, known, n=3, cutoff=0.3)
        raise KeyError(
            f"recorded({specimen!r}): no such specimen was run. Similar: {', '.join(close)}. "
            "All are listed in lessons/atlas.md."
        )
    return {span(releases): outcome for releases, outcome in neighbours(outcomes)}


def outcome_of(row: str | list[str]) -> str:
    """A row is an outcome, or an outcome and the warnings on the way."""
    return row if isinstance(row, str) else row[0]


def neighbours(outcomes: dict[str, str]) -> list[tuple[list[str], str]]:
    """Runs of releases with the same outcome: `[(["2.0.4", "2.1.0"], "None"), …]`."""
    runs: list[tuple[list[str], str]] = []
    for release, outcome in outcomes.items():
        if runs and runs[-1][1] == outcome:
            runs[-1][0].append(release)
        else:
            runs.append(([release], outcome))
    return runs


def span(releases: list[str]) -> str:
    """ "2.0 to 2.15" for the first and the last of these, or "2.21" for one."""
    first, last = short(releases[0]), short(releases[-1])
    return first if first == last else f"{first} to {last}"


def short(release: str) -> str:
    """The first two numbers of a release: "2.21.0 tf_keras" → "2.21 tf_keras"."""
    return re.sub(r"^(\d+\.\d+)\.[\w.-]+", r"\1", release)


def in_order(releases: Iterable[str]) -> list[str]:
    """From old to new; TensorFlow with tf_keras, the older Keras, after all others."""

    def place(name: str) -> tuple:
        return " " in name, [int(number) for number in re.findall(r"\d+", name)[:3]], name

    return sorted(releases, key=place)
