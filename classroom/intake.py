"""Takes in what was handed in: a folder, or the zip that Moodle, Canvas or Gradescope gives out.

Only regular files are read, and only as bytes: nothing is unpacked onto the disk. What is refused
is named with its reason, and the rest of the class is not held up by it.
"""

import datetime
import hashlib
import io
import os
import re
import stat
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

import yaml

from classroom.messages import Stop
from classroom.roster import Student, find, plain

ENDINGS = (".ipynb", ".md", ".py")
LARGEST_FILE = 5 << 20  # bytes of one notebook
LARGEST_ZIP = 4 * LARGEST_FILE  # of a student's own zip
LARGEST_ALL = 4 << 30  # of all that is read, as it is kept in memory
MOST_ENTRIES = 200_000
NESTED = 2  # a zip in the LMS's zip; what is in that one's own zips is refused

# Grace Hopper_4711_assignsubmission_file_week3.ipynb, or the same as a folder's name
MOODLE = re.compile(r"(?P<name>[^/]+?)_(?P<moodle>\d+)_assignsubmission_file_?(?P<rest>.*)")
# hoppergrace_LATE_102_98765_week3-1.ipynb
CANVAS = re.compile(r"(?P<name>[^_/]+)_(?P<late>LATE_)?(?P<canvas>\d+)_\d+_(?P<rest>.+)")
GRADESCOPE = re.compile(r"submission_(?P<number>\d+)")
METADATA = "submission_metadata.yml"


@dataclass(frozen=True)
class Submission:
    """What one student handed in. `student` is an id of the roster, or "" if nobody matched."""

    student: str
    label: str  # how the folder or the zip named it
    files: tuple[tuple[str, bytes], ...]  # names without folders
    sha256: str
    late: bool | None = None  # None: neither the file's name nor a time says so


@dataclass(frozen=True)
class Intake:
    """What was found. `refused` are pairs of a path and the reason."""

    submissions: tuple[Submission, ...]
    missing: tuple[str, ...]  # ids of the roster that handed in nothing
    unknown: tuple[str, ...]  # labels that match nobody in the roster
    refused: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Entry:
    """One regular file: its path inside the folder or zip, when it was written, its bytes."""

    path: PurePosixPath
    time: datetime.datetime | None
    data: bytes


class Refused(Exception):
    """One file is left out; the text is the reason."""


class Room:
    """How many bytes may still be read."""

    def __init__(self, left: int, whole: "Room | None" = None) -> None:
        self.left, self.whole = left, whole

    def take(self, size: int) -> None:
        if size > self.left:
            raise Refused("with it, all together would unpack to more than is read")
        if self.whole:
            self.whole.take(size)
        self.left -= size


def collect(
    place: Path,
    roster: tuple[Student, ...] = (),
    *,
    due: datetime.datetime | None = None,
) -> Intake:
    """Read a folder or zip of submissions and match them with the roster.

    Who handed something in is read from Moodle's, Canvas's or Gradescope's naming, else from the
    first folder or the file's name, which then begins with the student's id. Without a roster
    every label is a student of its own.

    Args:
        place: a folder, or a zip file.
        roster: the class; see classroom.roster.
        due: a time with its zone. A file that was written later is late, where the zip or folder
            keeps times; Canvas's own mark counts too.

    Raises:
        Stop: there is nothing to read at `place`.
    """
    refused: list[tuple[str, str]] = []
    room = Room(LARGEST_ALL)
    if place.is_dir():
        entries = list(from_folder(place, refused, room))
    elif place.is_file() and zipfile.is_zipfile(place):
        try:
            entries = list(from_zip(place.read_bytes(), refused, room))
        except Refused as reason:
            raise Stop(f"{place}: {reason}. Download it from the LMS again.") from reason
    else:
        raise Stop(f"{place} is neither a folder nor a zip file. Name what the LMS gave you.")
    metadata = gradescope(entries, refused)
    groups: dict[str, list[tuple[Entry, str, bool | None]]] = {}
    owners: dict[str, str] = {}
    for entry in entries:
        if entry.path.name == METADATA or entry.path.name.startswith((".", "__MACOSX")):
            continue
        if "__MACOSX" in entry.path.parts or ".ipynb_checkpoints" in entry.path.parts:
            continue
        if entry.path.suffix.lower() not in ENDINGS:
            refused.append((str(entry.path), f"it is none of {', '.join(ENDINGS)}"))
            continue
        label, student, name, late, time = whose(entry, roster, metadata)
        if late is None and due and time:
            late = time > due
        key = student or f"?{label}"
        owners.setdefault(key, label)
        groups.setdefault(key, []).append((entry, name, late))
    submissions = tuple(
        one_submission("" if key.startswith("?") else key, owners[key], groups[key])
        for key in sorted(groups)
    )
    present = {s.student for s in submissions}
    return Intake(
        submissions,
        tuple(s.id for s in roster if s.id not in present),
        tuple(s.label for s in submissions if not s.student),
        tuple(sorted(refused)),
    )


def one_submission(
    student: str, label: str, parts: list[tuple[Entry, str, bool | None]]
) -> Submission:
    files = tuple(sorted((name, entry.data) for entry, name, _ in parts))
    digest = hashlib.sha256()
    for name, data in files:
        if len(files) > 1:  # of a single file it is what `sha256sum` says
            digest.update(f"{len(name)} {name} {len(data)} ".encode())
        digest.update(data)
    known = [late for *_, late in parts if late is not None]
    return Submission(student, label, files, digest.hexdigest(), any(known) if known else None)


# Reading


def from_folder(folder: Path, refused: list[tuple[str, str]], room: Room) -> Iterator[Entry]:
    """The regular files below a folder. Links, also to folders, are refused and not followed."""
    for above, folders, names in os.walk(folder, followlinks=False):
        folders.sort()
        for name in [*(d for d in folders if (Path(above) / d).is_symlink()), *sorted(names)]:
            file = Path(above) / name
            path = PurePosixPath(file.relative_to(folder).as_posix())
            try:
                about = file.lstat()
                if not stat.S_ISREG(about.st_mode):
                    raise Refused("it is a link or a device, and only regular files are read")
                most = LARGEST_ZIP if zipped(path) else LARGEST_FILE
                if about.st_size > most:
                    raise Refused(f"it has {about.st_size:,} bytes; {most:,} are read")
                # O_NOFOLLOW: the file may have become a link since it was looked at
                with open(os.open(file, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0)), "rb") as f:
                    data = f.read(most)
                if zipped(path):
                    yield from nested(path, data, refused, room, 1)
                    continue
                room.take(len(data))
                time = datetime.datetime.fromtimestamp(about.st_mtime, datetime.timezone.utc)
                yield Entry(path, time, data)
            except Refused as reason:
                refused.append((str(path), str(reason)))
            except OSError as error:
                refused.append((str(path), f"it cannot be read ({error.strerror})"))


def from_zip(
    data: bytes,
    refused: list[tuple[str, str]],
    room: Room,
    inside: PurePosixPath | None = None,
    depth: int = 0,
) -> Iterator[Entry]:
    """The regular files of a zip archive, each checked before a byte of it is unpacked.

    Raises:
        Refused: the archive's own list cannot be read.
    """
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
    except Exception as error:  # a damaged list leads to errors of many kinds
        raise Refused(f"its list of files is damaged ({error})") from error
    for number, member in enumerate(archive.infolist()):
        if member.is_dir():
            continue
        shown = str(inside / member.filename if inside else member.filename)
        try:
            path = safe_path(member)
            if number >= MOST_ENTRIES:
                raise Refused(f"the archive has more than {MOST_ENTRIES:,} entries")
            most = LARGEST_ZIP if zipped(path) else LARGEST_FILE
            if member.file_size > most:
                raise Refused(f"it says it has {member.file_size:,} bytes; {most:,} are read")
            with archive.open(member) as opened:
                content = opened.read(most + 1)  # its header may lie about the size
            if len(content) > most:
                raise Refused("it unpacks to more than is read")
            room.take(len(content))
            path = inside / path if inside else path
            if zipped(path):
                yield from nested(path, content, refused, room, depth + 1)
            else:
                yield Entry(path, None, content)  # a zip's times have no zone
        except Refused as reason:
            refused.append((shown, str(reason)))
        except (zipfile.BadZipFile, RuntimeError, NotImplementedError, EOFError, OSError) as error:
            refused.append((shown, f"it cannot be unpacked ({error})"))
        except Exception as error:  # zlib, lzma and bz2 have errors of their own
            refused.append((shown, f"it cannot be unpacked ({type(error).__name__})"))


def nested(
    path: PurePosixPath, data: bytes, refused: list[tuple[str, str]], room: Room, depth: int
) -> Iterator[Entry]:
    """The files of a student's own zip, as if it were a folder of its name."""
    if depth > NESTED - 1:
        raise Refused("it is a zip inside a zip inside a zip")
    if not zipfile.is_zipfile(io.BytesIO(data)):
        raise Refused("it is no readable zip file")
    own = Room(LARGEST_ZIP, room)  # what one student's zip unpacks to is not the class's room
    yield from from_zip(data, refused, own, path.with_suffix(""), depth)


def zipped(path: PurePosixPath) -> bool:
    return path.suffix.lower() == ".zip"


def safe_path(member: zipfile.ZipInfo) -> PurePosixPath:
    """The path of an archive's member, if it stays below the folder it is unpacked into."""
    kind = stat.S_IFMT(member.external_attr >> 16)
    if kind and kind != stat.S_IFREG:
        raise Refused("it is a link or a device, and only regular files are read")
    name = member.filename.replace("\\", "/")
    path = PurePosixPath(name)
    if path.is_absolute() or re.match(r"[A-Za-z]:", name):
        raise Refused("its name is absolute")
    if ".." in path.parts:
        raise Refused("its name leads out of the archive (`..`)")
    if not path.parts or any(not part.isprintable() for part in path.parts):
        raise Refused("its name holds characters that cannot be shown")
    return path


# Whose is it?


def whose(
    entry: Entry, roster: tuple[Student, ...], metadata: dict[str, dict]
) -> tuple[str, str, str, bool | None, datetime.datetime | None]:
    """Label, student's id or "", the file's own name, late or not if it says so, and its time."""
    path, time = entry.path, entry.time
    # What is inside a student's folder or zip is the student's to name, after others too.
    first, inner = path.parts[0], path.parts[1:]
    if inner and not any(form.fullmatch(first) for form in (MOODLE, CANVAS, GRADESCOPE)):
        own = next((s for s in roster if owns(s, first)), None)
        if own:
            return named(roster, own, first, path.name, None, time)
    for depth, part in enumerate(path.parts):
        last = depth == len(path.parts) - 1
        if match := MOODLE.fullmatch(part):
            student = find(roster, "moodle", match["moodle"]) or find(roster, "name", match["name"])
            name = match["rest"] if last and match["rest"] else path.name
            return named(roster, student, f"{match['name']} ({match['moodle']})", name, None, time)
        if match := CANVAS.fullmatch(part):
            student = find(roster, "canvas", match["canvas"]) or by_turned_name(
                roster, match["name"]
            )
            late = bool(match["late"]) or None
            label = f"{match['name']} ({match['canvas']})"
            return named(roster, student, label, match["rest"] if last else path.name, late, time)
        if (match := GRADESCOPE.fullmatch(part)) and part in metadata:
            about = metadata[part]
            student = next(
                filter(None, (find(roster, c, about[c]) for c in ("id", "email", "name"))), None
            )
            label = about["id"] or about["email"] or part
            return named(roster, student, label, path.name, None, about["time"] or time)
    label = path.parts[0] if len(path.parts) > 1 else path.stem
    student = next((s for s in roster if owns(s, label)), None)
    return named(roster, student, label, path.name, None, time)


def named(roster, student, label, name, late, time):
    """With no roster, the label is the student."""
    return label, student.id if student else "" if roster else label, name, late, time


def owns(student: Student, label: str) -> bool:
    """Whether a folder's or file's name is the id, the address or the name, or begins with the id.

    `ada_week3` is ada's; so is `ada week3`. `adam` is not.
    """
    if plain(label) in {plain(student.id), plain(student.email), plain(student.name)} - {""}:
        return True
    after = label[len(student.id) :]
    return label.casefold().startswith(student.id.casefold()) and after[:1] in {"_", " ", "-"}


def by_turned_name(roster: tuple[Student, ...], name: str) -> Student | None:
    """Canvas writes the family name first: Grace Hopper is `hoppergrace`."""
    found = []
    for student in roster:
        words = student.name.replace(",", " ").split()
        turned = {plain("".join(words[n:] + words[:n])) for n in range(len(words))}
        found += [student] if plain(name) in turned else []
    return found[0] if len(found) == 1 else None


def gradescope(entries: list[Entry], refused: list[tuple[str, str]]) -> dict[str, dict]:
    """What Gradescope's metadata file says of each submission: id, email, name and time."""
    about = {}
    for entry in entries:
        if entry.path.name != METADATA:
            continue
        if any(map(GRADESCOPE.fullmatch, entry.path.parts)):
            continue  # within a submission, so a student wrote it
        try:
            read = yaml.safe_load(entry.data) or {}
            for folder, said in read.items():
                first = (said.get(":submitters") or [{}])[0]
                time = said.get(":created_at")
                if isinstance(time, datetime.datetime) and time.tzinfo is None:
                    time = time.replace(tzinfo=datetime.timezone.utc)
                about[str(folder)] = {
                    "id": str(first.get(":sid") or ""),
                    "email": str(first.get(":email") or ""),
                    "name": str(first.get(":name") or ""),
                    "time": time if isinstance(time, datetime.datetime) else None,
                }
        except (yaml.YAMLError, AttributeError, TypeError, RecursionError) as error:
            why = f"it is not readable as Gradescope's list ({type(error).__name__})"
            refused.append((str(entry.path), why))
    return about
