"""The words that the theme itself says, in one file per language: `theme/words/LANGUAGE.yml`."""

from pathlib import Path

import yaml

FOLDER = Path(__file__).resolve().parent / "words"


def words(language: str) -> dict[str, str]:
    """All words of a language, by key.

    Raises:
        FileNotFoundError: there is no such file; the message says how to add one.
    """
    file = FOLDER / f"{language}.yml"
    if not file.exists():
        raise FileNotFoundError(f"No theme/words/{language}.yml: copy en.yml and translate it.")
    return yaml.safe_load(file.read_text("utf-8"))
