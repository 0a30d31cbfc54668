"""The files of data/: each has an entry, the bytes that the entry promises, and a way back."""

import hashlib
import json
import re

import pytest

from solutions.data_files import DATA, checksum_of, read_file, read_record
from tests.records import write_data

README = (DATA / "README.md").read_text(encoding="utf-8")
FILES = sorted(file.name for file in DATA.iterdir() if file.name != "README.md")
ENTRIES = dict(re.findall(r"^## (\S+)\n(.*?)(?=^## |\Z)", README, re.M | re.S))


def test_every_file_has_an_entry_and_every_entry_a_file():
    assert sorted(ENTRIES) == FILES


@pytest.mark.parametrize("name", FILES)
def test_an_entry_tells_source_licence_checksum_and_command(name):
    entry = ENTRIES[name]
    digest = hashlib.sha256((DATA / name).read_bytes()).hexdigest()
    assert f"- SHA-256: `{digest}`\n" in entry
    assert "- Source: " in entry and "Licence: " in entry and "- Kept true: " in entry
    assert "```sh\n" in entry or "by the command of the next entry" in entry


def test_all_of_data_is_small():
    assert sum(file.stat().st_size for file in DATA.iterdir()) < 3_000_000


@pytest.fixture
def folder(tmp_path):
    """A data folder of one file."""
    content = b'{"a": [1]}\n'
    digest = hashlib.sha256(content).hexdigest()
    (tmp_path / "a.json").write_bytes(content)
    (tmp_path / "README.md").write_text(
        f"# Data\n\n## b.json\n\n- SHA-256: `{'0' * 64}`\n\n"
        f"## a.json\n\n- SHA-256: `{digest}`\n\n## c.json\n\nNothing yet.\n"
    )
    return tmp_path


def test_a_file_is_read_as_it_is(folder):
    assert read_file("a.json", folder) == b'{"a": [1]}\n'
    assert read_record("a.json", folder) == {"a": [1]}


def test_a_changed_file_is_refused_with_a_way_back(folder):
    old = checksum_of("a.json", folder)
    (folder / "a.json").write_bytes(b'{"a": [2]}\n')
    new = hashlib.sha256(b'{"a": [2]}\n').hexdigest()
    with pytest.raises(ValueError) as caught:
        read_record("a.json", folder)
    assert str(caught.value) == (
        f"data/a.json has the SHA-256 {new[:12]}… and {old[:12]}… was expected, so its content "
        "has changed (11 bytes now) and results would be other ones. Restore it: `git checkout -- "
        "data/a.json`, or make it again with the command in data/README.md."
    )


def test_a_missing_file_is_named_with_a_way_back(folder):
    with pytest.raises(FileNotFoundError) as caught:
        read_file("b.json", folder)
    assert str(caught.value) == (
        "data/b.json is missing, and the lesson computes from it. Restore it: `git checkout -- "
        "data/b.json`, or make it again with the command in data/README.md."
    )


@pytest.mark.parametrize("name", ["c.json", "d.json", "a"])
def test_a_readme_without_the_checksum_is_named(folder, name):
    with pytest.raises(ValueError, match=rf"no entry `## {name}` with a line SHA-256"):
        checksum_of(name, folder)


def test_a_new_record_renews_its_own_checksum_only(folder):
    write_data("a.json", json.dumps({"a": 2}), folder)
    assert read_record("a.json", folder) == {"a": 2}
    assert checksum_of("b.json", folder) == "0" * 64
    with pytest.raises(ValueError, match=r"no entry `## e\.json`"):
        write_data("e.json", "{}", folder)
    assert not (folder / "e.json").exists()
