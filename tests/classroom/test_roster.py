"""The class as a CSV file: what is read, what is refused, and who is found by which name."""

import pytest

from classroom.messages import Stop
from classroom.roster import Student, find, read_roster


def roster(folder, content: str | bytes):
    file = folder / "roster.csv"
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    return read_roster(file)


def test_only_the_id_is_needed_and_other_columns_are_left_aside(tmp_path):
    (ada, bob) = roster(tmp_path, "group,id,name\nA,ada,Ada Lovelace\nB,bob,\n")
    assert ada == Student("ada", "Ada Lovelace")
    assert (bob.shown, ada.shown) == ("bob", "Ada Lovelace")


def test_what_spreadsheets_write_is_read(tmp_path):
    """A byte order mark, Windows' line ends, and the semicolons of half of Europe."""
    (ada,) = roster(tmp_path, "\ufeffid;name;moodle\r\nada;Lovelace, Ada;4711\r\n".encode())
    assert ada == Student("ada", "Lovelace, Ada", moodle="4711")


def test_tabs_short_rows_and_spaces_around_a_cell_are_read_in_the_files_order(tmp_path):
    (zoe, bob) = roster(tmp_path, "id\tname\tmoodle\n zoe \t Zoë\t12 \nbob\n")
    assert zoe == Student("zoe", "Zoë", moodle="12")
    assert bob == Student("bob")


def test_a_name_in_quotes_keeps_its_line_end_and_the_line_is_counted(tmp_path):
    (ada,) = roster(tmp_path, 'id,name\r\nada,"Ada\r\nLovelace"\r\n')
    assert ada.name == "Ada\r\nLovelace"
    with pytest.raises(Stop, match="line 4"):
        roster(tmp_path, 'id,name\nada,"Ada\nLovelace"\n../bob,\n')


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("name\nAda\n", "no column `id`"),
        ("id,name\n", "no row"),
        ("", "no row"),
        ("id\nada\n../bob\n", "line 3"),
        ("id\n\n .\n", "cannot name a file"),
        ("id\nada\nbob\nADA\n", "'ADA' is there twice"),
        ("id\na/b\n", "cannot name a file"),
        ("id\n-rf\n", "cannot name a file"),
        (f"id\n{'x' * 101}\n", "cannot name a file"),
        (f'id,name\nada,"{"x" * 200_000}"\n', "cannot be read"),
        (b"id\n\xff\xfe\n", "cannot be read"),
    ],
)
def test_what_is_wrong_is_named(tmp_path, content, says):
    with pytest.raises(Stop, match="The roster") as stopped:
        roster(tmp_path, content)
    assert says in str(stopped.value)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(Stop, match="cannot be read"):
        read_roster(tmp_path / "none.csv")


CLASS = (Student("zoe", "Zoë García", moodle="12"), Student("jo", "Jo Li"), Student("jo2", "Jo Li"))


@pytest.mark.parametrize(
    "written", ["Zoë García", "zoe garcia", "Zoe\u0308 Garci\u0301a", "ZOËGARCÍA"]
)
def test_accents_case_and_spaces_do_not_count(written):
    assert find(CLASS, "name", written).id == "zoe"


def test_two_of_one_name_are_nobody_and_so_is_an_empty_name():
    assert find(CLASS, "name", "Jo Li") is None
    assert find(CLASS[:1], "email", "") is None and find(CLASS[:1], "canvas", "-") is None
    assert find(CLASS, "moodle", "12").id == "zoe"
    assert find(CLASS, "moodle", "1") is None
