"""What an LMS gives out, and what may hide in it: read as bytes, or refused by name."""

import datetime
import hashlib
import io
import os
import stat
import struct
import threading
import time
import zipfile
from pathlib import Path

import pytest

from classroom import intake
from classroom.intake import collect
from classroom.messages import Stop
from classroom.roster import Student

ADA = Student("ada", "Ada Lovelace", "ada@example.org", moodle="4711", canvas="102")
GRACE = Student("grace", "Grace Hopper", "grace@example.org", moodle="4712", canvas="103")
ZOE = Student("zoe", "Zoë García", "zoe@example.org", moodle="4713", canvas="104")
CLASS = (ADA, GRACE, ZOE)
NOTEBOOK = b'{"cells": []}'


def zipped(place: Path, *members: tuple[str | zipfile.ZipInfo, bytes], name="lms.zip") -> Path:
    file = place / name
    file.write_bytes(zip_bytes(*members))
    return file


def zip_bytes(*members) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, data in members:
            archive.writestr(path, data)
    return made.getvalue()


def files(found) -> dict[str, list[str]]:
    """Whose files were read, by their names."""
    return {s.student or f"?{s.label}": [name for name, _ in s.files] for s in found.submissions}


def reasons(found) -> dict[str, str]:
    return dict(found.refused)


# How systems name what was handed in


def test_moodle_with_a_folder_for_each_student_or_without(tmp_path):
    place = zipped(
        tmp_path,
        ("Ada Lovelace_4711_assignsubmission_file_/a.ipynb", NOTEBOOK),
        ("Ada Lovelace_4711_assignsubmission_file_/b.ipynb", NOTEBOOK),
        ("Hopper Grace_4712_assignsubmission_file_week3.ipynb", NOTEBOOK),
        ("Zoe Garcia_99_assignsubmission_file_/week3.py", b"x = 1"),  # another number: by name
    )
    found = collect(place, CLASS)
    assert files(found) == {
        "ada": ["a.ipynb", "b.ipynb"],
        "grace": ["week3.ipynb"],
        "zoe": ["week3.py"],
    }
    assert not found.missing and not found.unknown and not found.refused


def test_canvas_with_its_own_mark_for_late_work(tmp_path):
    place = zipped(
        tmp_path,
        ("lovelaceada_102_98765_week3.ipynb", NOTEBOOK),
        ("hoppergrace_LATE_103_98766_week3-1.ipynb", NOTEBOOK),
        ("garciazoe_999_98767_week_3.ipynb", NOTEBOOK),
    )
    found = collect(place, CLASS)
    assert files(found) == {
        "ada": ["week3.ipynb"],
        "grace": ["week3-1.ipynb"],
        "zoe": ["week_3.ipynb"],
    }
    assert [s.late for s in found.submissions] == [None, True, None]


METADATA = b"""---
submission_1001:
  :submitters:
  - :name: Ada Lovelace
    :sid: 'ada'
    :email: ada@example.org
  :created_at: 2026-11-30 09:00:00.000000000 Z
submission_1002:
  :submitters:
  - :name: Somebody Else
    :sid:
    :email: GRACE@example.org
  :created_at: 2026-12-02 09:00:00.000000000 Z
"""


def test_gradescope_by_its_list_of_submissions(tmp_path):
    place = zipped(
        tmp_path,
        ("assignment_7_export/submission_metadata.yml", METADATA),
        ("assignment_7_export/submission_1001/week3.ipynb", NOTEBOOK),
        ("assignment_7_export/submission_1002/week3.ipynb", NOTEBOOK),
    )
    due = datetime.datetime(2026, 12, 1, tzinfo=datetime.timezone.utc)
    found = collect(place, CLASS, due=due)
    assert files(found) == {"ada": ["week3.ipynb"], "grace": ["week3.ipynb"]}
    assert [s.late for s in found.submissions] == [False, True]
    assert found.missing == ("zoe",)


@pytest.mark.parametrize(
    "bad", [b"!!python/object/apply:os.system ['touch pwned']", b"- 1\n- 2", b"\xff\xfe\x00"]
)
def test_a_list_that_is_none_is_refused_and_runs_nothing(tmp_path, monkeypatch, bad):
    monkeypatch.chdir(tmp_path)  # where a command of the list's would leave its file
    place = zipped(tmp_path, ("submission_metadata.yml", bad), ("submission_1/ada.ipynb", NOTEBOOK))
    found = collect(place, CLASS)
    assert "not readable" in reasons(found)["submission_metadata.yml"]
    assert not (tmp_path / "pwned").exists()


def test_a_folder_of_files_or_folders_that_begin_with_the_id(tmp_path):
    for path in ("ada_week3.ipynb", "grace/week3.md", "zoe@example.org/a.py", "adam_week3.ipynb"):
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_bytes(NOTEBOOK)
    found = collect(tmp_path, CLASS)
    assert files(found) == {
        "?adam_week3": ["adam_week3.ipynb"],
        "ada": ["ada_week3.ipynb"],
        "grace": ["week3.md"],
        "zoe": ["a.py"],
    }
    assert found.unknown == ("adam_week3",)


def test_without_a_roster_every_label_is_a_student(tmp_path):
    place = zipped(tmp_path, ("one.ipynb", NOTEBOOK), ("two/x.ipynb", NOTEBOOK))
    found = collect(place)
    assert [s.student for s in found.submissions] == ["one", "two"]
    assert not found.unknown and not found.missing


def test_what_systems_add_is_left_aside_without_a_word(tmp_path):
    place = zipped(
        tmp_path,
        ("ada/week3.ipynb", NOTEBOOK),
        ("ada/.ipynb_checkpoints/week3-checkpoint.ipynb", b"old"),
        ("__MACOSX/ada/._week3.ipynb", b"x"),
        ("ada/.DS_Store", b"x"),
    )
    found = collect(place, CLASS)
    assert files(found) == {"ada": ["week3.ipynb"]} and not found.refused


def test_times_of_a_folder_say_who_is_late(tmp_path):
    due = datetime.datetime(2026, 1, 1, tzinfo=datetime.timezone.utc)
    for name, seconds in (("ada.ipynb", -60), ("grace.ipynb", 60)):
        (tmp_path / name).write_bytes(NOTEBOOK)
        os.utime(tmp_path / name, (due.timestamp() + seconds,) * 2)
    assert [s.late for s in collect(tmp_path, CLASS, due=due).submissions] == [False, True]
    assert [s.late for s in collect(tmp_path, CLASS).submissions] == [None, None]


def test_the_digest_is_that_of_the_file_or_covers_each_of_several(tmp_path):
    one = collect(zipped(tmp_path, ("ada/a.py", b"one")), CLASS).submissions[0]
    assert one.sha256 == hashlib.sha256(b"one").hexdigest()
    pairs = [(("a.py", b"1"), ("b.py", b"2")), (("a.py", b"2"), ("b.py", b"1"))]
    pairs += [(("a.py", b"1"), ("c.py", b"2")), (("a.py", b"12"), ("b.py", b""))]
    digests = set()
    for pair in pairs:
        place = zipped(tmp_path, *((f"ada/{name}", data) for name, data in pair))
        digests.add(collect(place, CLASS).submissions[0].sha256)
    assert len(digests) == len(pairs)
    turned = zipped(tmp_path, ("ada/b.py", b"2"), ("ada/a.py", b"1"))
    assert collect(turned, CLASS).submissions[0].sha256 in digests


# What somebody may have put into it


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("../../ada.ipynb", "leads out"),
        ("ada/../../x.ipynb", "leads out"),
        ("/etc/ada.ipynb", "absolute"),
        ("..\\..\\ada.ipynb", "leads out"),
        ("C:\\ada.ipynb", "absolute"),
        ("C:ada.ipynb", "absolute"),
        ("ada\x1b[2J.ipynb", "cannot be shown"),
        ("ada\n.ipynb", "cannot be shown"),
        ("ada/\u202egnp.ipynb", "cannot be shown"),
    ],
)
def test_names_that_lead_elsewhere_are_refused(tmp_path, name, says):
    before = set(tmp_path.rglob("*"))
    place = zipped(tmp_path, (name, NOTEBOOK), ("grace/a.ipynb", NOTEBOOK))
    found = collect(place, CLASS)
    assert files(found) == {"grace": ["a.ipynb"]}
    ((_, reason),) = found.refused
    assert says in reason
    assert set(tmp_path.rglob("*")) == before | {place}


@pytest.mark.parametrize("kind", [stat.S_IFLNK, stat.S_IFCHR, stat.S_IFIFO, stat.S_IFBLK])
def test_links_and_devices_in_a_zip_are_refused(tmp_path, kind):
    member = zipfile.ZipInfo("ada/a.ipynb")
    member.create_system, member.external_attr = 3, (kind | 0o777) << 16
    found = collect(zipped(tmp_path, (member, b"/etc/passwd")), CLASS)
    assert not found.submissions
    assert "link or a device" in reasons(found)["ada/a.ipynb"]


def test_links_and_pipes_in_a_folder_are_refused_and_not_followed(tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.ipynb").write_bytes(b"secret")
    place = tmp_path / "place"
    place.mkdir()
    (place / "ada.ipynb").symlink_to(outside / "secret.ipynb")
    (place / "grace").symlink_to(outside)
    os.mkfifo(place / "zoe.ipynb")  # opening it would wait for ever
    (place / "up").symlink_to(place)
    found = collect(place, CLASS)
    assert not found.submissions
    assert set(reasons(found)) == {"ada.ipynb", "grace", "zoe.ipynb", "up"}


def test_a_link_or_pipe_that_is_named_as_a_zip_is_refused(tmp_path):
    place = tmp_path / "place"
    place.mkdir()
    inner = zipped(tmp_path, ("week3.ipynb", NOTEBOOK), name="elsewhere.zip")
    (place / "ada.zip").symlink_to(inner)
    os.mkfifo(place / "grace.zip")
    found = collect(place, CLASS)
    assert not found.submissions and set(reasons(found)) == {"ada.zip", "grace.zip"}


def test_a_bomb_whose_header_lies_is_refused_and_takes_no_memory(tmp_path, monkeypatch):
    """100 MB of zeros; both headers say that it is small."""
    monkeypatch.setattr(intake, "LARGEST_FILE", 1 << 20)
    data = zip_bytes(("ada/a.ipynb", b"\0" * (100 << 20)))
    real, lie = struct.pack("<I", 100 << 20), struct.pack("<I", 1000)
    assert data.count(real) == 2 and len(data) < 200_000
    (tmp_path / "lms.zip").write_bytes(data.replace(real, lie))
    began = time.monotonic()
    found = collect(tmp_path / "lms.zip", CLASS)
    assert not found.submissions and reasons(found)["ada/a.ipynb"]
    assert time.monotonic() - began < 5
    (tmp_path / "lms.zip").write_bytes(data)  # and one that is honest
    assert "104,857,600 bytes" in reasons(collect(tmp_path / "lms.zip", CLASS))["ada/a.ipynb"]


def test_many_small_files_are_bounded_together(tmp_path, monkeypatch):
    monkeypatch.setattr(intake, "LARGEST_ALL", 1000)
    place = zipped(tmp_path, *((f"ada/{n}.py", b"x" * 300) for n in range(6)))
    found = collect(place, CLASS)
    assert len(found.submissions[0].files) == 3
    assert all("unpack to more" in reason for _, reason in found.refused)


def test_many_entries_are_bounded(tmp_path, monkeypatch):
    """A list that is too long is refused in one line, and not in one for each entry."""
    own = zip_bytes(*((f"{n}.py", b"x") for n in range(6)))
    place = zipped(tmp_path, ("ada.zip", own), ("grace.py", b"x"))
    monkeypatch.setattr(intake, "MOST_OWN", 5)
    found = collect(place, CLASS)
    assert files(found) == {"grace": ["grace.py"]}
    assert reasons(found) == {"ada.zip": "it holds 6 files; 5 are read"}
    monkeypatch.setattr(intake, "MOST_ENTRIES", 1)
    with pytest.raises(Stop, match="holds 2 files; 1 are read"):
        collect(place, CLASS)


def test_what_unpacks_to_too_much_is_not_unpacked_to_see_it(tmp_path, monkeypatch):
    """40 files of 5 MB of zeros, each of which may be read; 20 MB hold 4,000 of them."""
    zeros = bytes(intake.LARGEST_FILE)
    inner = zip_bytes(*((f"{n}.py", zeros) for n in range(40)))
    worked = []
    real = zipfile.ZipFile.open
    monkeypatch.setattr(
        zipfile.ZipFile, "open", lambda self, *a, **k: worked.append(a) or real(self, *a, **k)
    )
    place = zipped(tmp_path, ("ada.zip", inner), ("grace.py", b"x"))
    worked.clear()
    found = collect(place, CLASS)
    assert len(found.submissions[0].files) == intake.LARGEST_ZIP // intake.LARGEST_FILE
    assert len(worked) <= 2 + intake.LARGEST_ZIP // intake.LARGEST_FILE
    assert files(found)["grace"] == ["grace.py"]


def test_pictures_and_environments_take_no_room(tmp_path, monkeypatch):
    monkeypatch.setattr(intake, "LARGEST_ZIP", 100_000)
    inner = zip_bytes(
        *((f"hand_in/a{n}.png", b"x" * 30_000) for n in range(9)),
        *((f"hand_in/.venv/lib/{n}.py", b"x" * 30_000) for n in range(9)),
        ("hand_in/__pycache__/a.py", b"x" * 90_000),
        ("hand_in/__z.ipynb", NOTEBOOK),
    )
    found = collect(zipped(tmp_path, ("ada.zip", inner)), CLASS)
    assert files(found) == {"ada": ["__z.ipynb"]}
    assert len(found.refused) == 9 and all(name.endswith(".png") for name, _ in found.refused)


def test_a_student_s_zip_is_read_and_a_zip_in_it_is_not(tmp_path):
    inner = zip_bytes(("week3.ipynb", NOTEBOOK), ("again.zip", zip_bytes(("x.py", b"1"))))
    found = collect(
        zipped(tmp_path, ("Ada Lovelace_4711_assignsubmission_file_/hand_in.zip", inner)), CLASS
    )
    assert files(found) == {"ada": ["week3.ipynb"]}
    ((name, reason),) = found.refused
    assert name.endswith("hand_in/again.zip") and "zip inside a zip" in reason


def test_a_student_s_zip_in_canvas_s_naming(tmp_path):
    inner = zip_bytes(("assignment/week3.ipynb", NOTEBOOK))
    found = collect(zipped(tmp_path, ("lovelaceada_LATE_102_98765_hand_in.zip", inner)), CLASS)
    assert files(found) == {"ada": ["week3.ipynb"]}
    assert found.submissions[0].late is True


def test_many_students_zips_in_a_folder_are_bounded_together(tmp_path, monkeypatch):
    place = tmp_path / "place"
    place.mkdir()
    for name in ("ada", "grace", "zoe"):
        inner = zip_bytes(*((f"{n}.py", b"x" * 300) for n in range(4)))
        (place / f"{name}.zip").write_bytes(inner)
    monkeypatch.setattr(intake, "LARGEST_ALL", 1000)
    found = collect(place, CLASS)
    assert sum(len(names) for names in files(found).values()) == 3
    assert len(found.refused) == 9


@pytest.mark.parametrize("damage", ["cut", "flip", "password"])
def test_a_damaged_member_is_named_and_the_rest_is_read(tmp_path, damage):
    data = bytearray(zip_bytes(("ada/a.ipynb", os.urandom(2000)), ("grace/a.ipynb", NOTEBOOK)))
    if damage == "flip":
        data[500] ^= 0xFF
    elif damage == "cut":
        data[40:60] = bytes(20)
    else:
        for at in (data.index(b"PK\x03\x04") + 6, data.index(b"PK\x01\x02") + 8):
            data[at] |= 1
    (tmp_path / "lms.zip").write_bytes(data)
    found = collect(tmp_path / "lms.zip", CLASS)
    assert files(found) == {"grace": ["a.ipynb"]}
    assert "cannot be unpacked" in reasons(found)["ada/a.ipynb"]


def test_what_is_no_zip_or_another_kind_of_file(tmp_path):
    found = collect(
        zipped(tmp_path, ("ada/a.zip", b"no zip"), ("ada/a.exe", b"MZ"), ("ada/b", b"")), CLASS
    )
    assert set(reasons(found)) == {"ada/a.zip", "ada/a.exe", "ada/b"}
    (tmp_path / "text.zip").write_bytes(b"no zip")
    for place in (tmp_path / "text.zip", tmp_path / "nowhere"):
        with pytest.raises(Stop, match="neither a folder nor a zip"):
            collect(place, CLASS)


def test_an_archive_whose_list_is_damaged_is_refused(tmp_path):
    data = zip_bytes(("ada/a.ipynb", NOTEBOOK))
    at = data.index(b"PK\x01\x02")
    (tmp_path / "lms.zip").write_bytes(data[:at] + b"XXXX" + data[at + 4 :])
    with pytest.raises(Stop, match="list of files is damaged"):
        collect(tmp_path / "lms.zip", CLASS)


def test_file_names_in_another_encoding_are_read(tmp_path):
    """Old Windows zips hold names in code page 437, and Unicode names may be taken apart."""
    place = zipped(tmp_path, ("Zoe\u0308 Garci\u0301a_99_assignsubmission_file_/x.ipynb", NOTEBOOK))
    assert files(collect(place, CLASS)) == {"zoe": ["x.ipynb"]}
    data = zip_bytes(("ada/aufgabe_u.ipynb", NOTEBOOK)).replace(b"aufgabe_u", b"aufgabe_\x81")
    (tmp_path / "lms.zip").write_bytes(data)
    assert files(collect(tmp_path / "lms.zip", CLASS)) == {"ada": ["aufgabe_ü.ipynb"]}


def test_a_file_that_cannot_be_read_is_named(tmp_path):
    (tmp_path / "ada.ipynb").write_bytes(NOTEBOOK)
    (tmp_path / "grace.ipynb").write_bytes(b"x" * (intake.LARGEST_FILE + 1))
    found = collect(tmp_path, CLASS)
    assert files(found) == {"ada": ["ada.ipynb"]}
    assert "5,242,881 bytes" in reasons(found)["grace.ipynb"]


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize(
    ("name", "whose"),
    [
        ("ada_week3.ipynb", "ada"),
        ("ada-b_week3.ipynb", "ada-b"),
        ("ada-b.ipynb", "ada-b"),
        ("ADA-B week 3.ipynb", "ada-b"),
        ("ada-b/week3.ipynb", "ada-b"),
        ("ada-bo_week3.ipynb", "ada"),
        ("a.d.a.ipynb", "a.d.a"),
        ("Sam Lee.ipynb", None),
        ("x/Sam Lee.ipynb", None),
    ],
)
def test_of_ids_that_begin_alike_the_longest_and_of_twins_none(tmp_path, name, whose, turned):
    roster = tuple(Student(id) for id in ("ada", "ada-b", "a.d.a"))
    roster += (Student("sam1", "Sam Lee"), Student("sam2", "Sam Lee"))
    found = collect(zipped(tmp_path, (name, NOTEBOOK)), roster[::-1] if turned else roster)
    assert found.submissions[0].student == (whose or "")


@pytest.mark.parametrize(
    "inner",
    [
        ("lovelaceada_102_1_a.ipynb", NOTEBOOK),
        ("Ada Lovelace_4711_assignsubmission_file_/a.ipynb", NOTEBOOK),
        ("submission_1/a.ipynb", NOTEBOOK),
    ],
    ids=lambda member: member[0],
)
@pytest.mark.parametrize("way", ["folder", "zip"])
def test_what_a_stranger_names_in_a_zip_is_nobodys(tmp_path, inner, way):
    """Nobody of the roster owns `zed.zip`; then nothing in it says whose it is."""
    said = b'"submission_1":\n  :submitters:\n  - :sid: ada\n'
    data = zip_bytes(inner, ("submission_metadata.yml", said))
    place = tmp_path / "given"
    place.mkdir()
    if way == "folder":
        (place / "zed.zip").write_bytes(data)
    else:
        place = zipped(tmp_path, ("zed.zip", data))
    found = collect(place, CLASS)
    assert found.unknown == ("zed",) and not found.submissions[0].student


def test_a_list_within_a_students_zip_is_not_read(tmp_path):
    """Ten lines of YAML that stand for 10**27 names."""
    lines = [
        "a0: &a0 [x, x]",
        *(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 29)),
    ]
    bomb = "\n".join([*lines, "submission_1:", "  :submitters:", "  - :sid: *a28", ""]).encode()
    for name in ("zed.zip", "ada.zip"):
        began = time.monotonic()
        inner = zip_bytes(("submission_metadata.yml", bomb), ("a.ipynb", NOTEBOOK))
        found = collect(zipped(tmp_path, (name, inner)), CLASS)
        assert len(found.submissions) == 1 and not found.refused
        assert time.monotonic() - began < 5


def test_a_file_that_becomes_a_pipe_while_it_is_looked_at_is_refused(tmp_path, monkeypatch):
    (tmp_path / "regular").write_bytes(NOTEBOOK)
    place = tmp_path / "place"
    place.mkdir()
    os.mkfifo(place / "ada.ipynb")
    real = Path.lstat
    monkeypatch.setattr(  # what it was a moment ago
        Path, "lstat", lambda self: real(tmp_path / "regular" if self.suffix else self)
    )
    found: list = []
    reader = threading.Thread(target=lambda: found.append(collect(place, CLASS)), daemon=True)
    reader.start()
    reader.join(5)
    assert found, "it waits for somebody to write into the pipe"
    assert "link or a device" in reasons(found[0])["ada.ipynb"]


def test_a_folder_that_may_not_be_read_is_named(tmp_path, monkeypatch):
    for name in ("ada", "grace"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.ipynb").write_bytes(NOTEBOOK)
    real = os.scandir

    def scandir(path):
        if Path(path).name == "ada":
            raise PermissionError(13, "Permission denied", str(path))
        return real(path)

    monkeypatch.setattr(os, "scandir", scandir)
    found = collect(tmp_path, CLASS)
    assert files(found) == {"grace": ["a.ipynb"]} and found.missing == ("zoe",)
    assert reasons(found) == {"ada": "it cannot be read (Permission denied)"}
    assert [s.problem for s in found.unread] == ["ada: it cannot be read (Permission denied)"]


def test_a_name_in_no_encoding_stops_nobody(tmp_path):
    for name in (b"ada_\xdcbung.ipynb", b"\xff\x1b[2J.ipynb", b"grace/\xff.ipynb"):
        path = os.fsencode(tmp_path) + b"/" + name
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(NOTEBOOK)
    with open(tmp_path / "grace" / "b.ipynb", "wb") as file:
        file.write(NOTEBOOK)
    found = collect(tmp_path, CLASS)
    assert {s.student for s in found.submissions} == {"ada", "grace", ""}
    for submission in found.submissions:
        for text in (submission.label, *(name for name, _ in submission.files)):
            assert text.isprintable() and text.encode()


def test_a_long_name_is_refused(tmp_path):
    found = collect(zipped(tmp_path, ("x" * 300 + ".ipynb", NOTEBOOK), ("ada.py", b"x")))
    assert [s.student for s in found.submissions] == ["ada"]
    assert "longer than 200 bytes" in found.refused[0][1]


def test_who_handed_in_what_is_not_read_is_not_missing(tmp_path, monkeypatch):
    monkeypatch.setattr(intake, "LARGEST_FILE", 1000)
    link = zipfile.ZipInfo("Zo\u00eb Garc\u00eda_4713_assignsubmission_file_/a.ipynb")
    link.create_system, link.external_attr = 3, (stat.S_IFLNK | 0o777) << 16
    place = zipped(
        tmp_path,
        ("Ada Lovelace_4711_assignsubmission_file_/week3.ipynb", b"x" * 1001),
        ("Ada Lovelace_4711_assignsubmission_file_/week3.docx", b"x"),
        ("Grace Hopper_4712_assignsubmission_file_hand_in.zip", zip_bytes(("a.qmd", b"x"))),
        (link, b"/etc/passwd"),
    )
    found = collect(place, CLASS)
    assert not found.submissions and not found.missing and len(found.refused) == 4
    said = {s.student: s.problem for s in found.unread}
    assert set(said) == {"ada", "grace", "zoe"}
    assert "week3.ipynb: it says it has 1,001 bytes; 1,000 are read" in said["ada"]
    assert "week3.docx: it is none of .ipynb, .md, .py" in said["ada"]
    assert "a.qmd: it is none of" in said["grace"] and "link" in said["zoe"]
    again = collect(place, CLASS).unread
    assert again == found.unread, "the same again is not graded again"
    stranger = zip_bytes(("/lovelaceada_102_1_a.ipynb", b"x"), ("ada/../a.ipynb", b"x"))
    of_a_stranger = zipped(tmp_path, ("export/zed.zip", stranger))
    assert not collect(of_a_stranger, CLASS).unread, "nobody speaks for ada"
    with_a_file = zipped(tmp_path, ("ada/a.ipynb", b"x" * 1001), ("ada/b.ipynb", NOTEBOOK))
    assert not collect(with_a_file, CLASS).unread
