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
from collections.abc import Container, Iterator
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
MOST_OWN = 5_000  # of a student's own zip
LONGEST_NAME = 200  # bytes: a page of feedback is called after it
NESTED = 2  # a zip in the LMS's zip; what is in that one's own zips is refused

# Grace Hopper_4711_assignsubmission_file_week3.ipynb, or the same as a folder's name
MOODLE = re.compile(r"(?P<name>[^/]+?)_(?P<moodle>\d+)_assignsubmission_file_?(?P<rest>.*)")
# hoppergrace_LATE_102_98765_week3-1.ipynb
CANVAS = re.compile(r"(?P<name>[^_/]+)_(?P<late>LATE_)?(?P<canvas>\d+)_\d+_(?P<rest>.+)")
GRADESCOPE = re.compile(r"submission_(?P<number>\d+)")
METADATA = "submission_metadata.yml"

ADDED = ("__MACOSX", "__pycache__", "__init__.py")
LINK = "it is a link or a device, and only regular files are read"
NO_WAITING = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)


@dataclass(frozen=True)
class Submission:
    """What one student handed in. `student` is an id of the roster, or "" if nobody matched."""

    student: str
    label: str  # how the folder or the zip named it
    files: tuple[tuple[str, bytes], ...]  # names without folders
    sha256: str
    late: bool | None = None  # None: neither the file's name nor a time says so
    problem: str = ""  # why none of the files is read; `files` is empty then


@dataclass(frozen=True)
class Intake:
    """What was found. `refused` are pairs of a path and the reason.

    `unread` are those of the roster's students of whom there is nothing but refused files.
    """

    submissions: tuple[Submission, ...]
    missing: tuple[str, ...]  # ids of the roster that handed in nothing
    unknown: tuple[str, ...]  # labels that match nobody in the roster
    refused: tuple[tuple[str, str], ...]
    unread: tuple[Submission, ...] = ()


@dataclass(frozen=True)
class Entry:
    """One regular file: its path inside the folder or zip, when it was written, its bytes.

    Of the path, `given` parts are the LMS's or the teacher's; what is below them is the name of a
    student's own zip, in which the student names things, after others too.
    """

    path: PurePosixPath
    time: datetime.datetime | None
    data: bytes
    given: int


@dataclass(frozen=True)
class Refusal:
    """A file that is left out, and why; `given` as in Entry."""

    path: str
    reason: str
    given: int | None = None


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
    refused: list[Refusal] = []
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
    metadata = gradescope(entries, roster, refused)
    groups: dict[str, list[tuple[Entry, str, bool | None]]] = {}
    owners: dict[str, str] = {}
    for entry in entries:
        if entry.path.name == METADATA:
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
    unread = nothing_read(refused, roster, metadata, groups.keys())
    present = {s.student for s in (*submissions, *unread)}
    return Intake(
        submissions,
        tuple(s.id for s in roster if s.id not in present),
        tuple(s.label for s in submissions if not s.student),
        tuple(sorted((refusal.path, refusal.reason) for refusal in refused)),
        unread,
    )


def nothing_read(
    refused: list[Refusal],
    roster: tuple[Student, ...],
    metadata: dict[str, dict],
    read: Container[str],
) -> tuple[Submission, ...]:
    """The students of whom no file is read, but some were refused: they did hand something in."""
    found: dict[str, list[str]] = {}
    for refusal in refused if roster else ():
        path = PurePosixPath(refusal.path)
        entry = Entry(path, None, b"", refusal.given or len(path.parts))
        _, student, name, *_ = whose(entry, roster, metadata)
        if student and student not in read:
            found.setdefault(student, []).append(f"{name}: {refusal.reason}")
    digests = {student: hashlib.sha256(repr(own).encode()) for student, own in found.items()}
    return tuple(
        Submission(student, student, (), digests[student].hexdigest(), problem="; ".join(own[:3]))
        for student, own in sorted(found.items())
    )


def one_submission(
    student: str, label: str, parts: list[tuple[Entry, str, bool | None]]
) -> Submission:
    # `week3 (1)` and `week3-1` come after `week3`: of two tries the last counts
    files = sorted(((name, entry.data) for entry, name, _ in parts), key=by_stem)
    digest = hashlib.sha256()
    for name, data in files:
        if len(files) > 1:  # of a single file it is what `sha256sum` says
            digest.update(f"{len(name)} {name} {len(data)} ".encode())
        digest.update(data)
    known = [late for *_, late in parts if late is not None]
    return Submission(
        student, label, tuple(files), digest.hexdigest(), any(known) if known else None
    )


def by_stem(file: tuple[str, bytes]) -> tuple[str, str, bytes]:
    return (PurePosixPath(file[0]).stem, *file)


# Reading


def is_wanted(path: PurePosixPath) -> bool:
    """Whether a file is to be read. What programs add by themselves is left aside without a word.

    Raises:
        Refused: nothing of the kind is read.
    """
    if any(part.startswith(".") or part in ADDED for part in path.parts):
        return False
    if path.name != METADATA and path.suffix.lower() not in (*ENDINGS, ".zip"):
        raise Refused(f"it is none of {', '.join(ENDINGS)}")
    return True


def from_folder(folder: Path, refused: list[Refusal], room: Room) -> Iterator[Entry]:
    """The regular files below a folder. Links, also to folders, are refused and not followed."""

    def shut(error: OSError) -> None:
        path = printable(Path(error.filename).relative_to(folder).as_posix())
        refused.append(Refusal(path, f"it cannot be read ({error.strerror})"))

    for above, folders, names in os.walk(folder, onerror=shut, followlinks=False):
        folders.sort()
        for name in [*(d for d in folders if (Path(above) / d).is_symlink()), *sorted(names)]:
            file = Path(above) / name
            path = PurePosixPath(printable(file.relative_to(folder).as_posix()))
            try:
                if not stat.S_ISREG(file.lstat().st_mode):
                    raise Refused(LINK)
                if not is_wanted(path):
                    continue
                most = LARGEST_ZIP if zipped(path) else LARGEST_FILE
                # The file may have become another since it was looked at: a link, or a pipe
                with open(os.open(file, os.O_RDONLY | NO_WAITING), "rb") as opened:
                    about = os.fstat(opened.fileno())
                    if not stat.S_ISREG(about.st_mode):
                        raise Refused(LINK)
                    if about.st_size > most:
                        raise Refused(f"it has {about.st_size:,} bytes; {most:,} are read")
                    data = opened.read(most)
                if zipped(path):
                    yield from nested(path, data, refused, room, 1)
                    continue
                room.take(len(data))
                time = datetime.datetime.fromtimestamp(about.st_mtime, datetime.timezone.utc)
                yield Entry(path, time, data, len(path.parts))
            except Refused as reason:
                refused.append(Refusal(str(path), str(reason)))
            except OSError as error:
                refused.append(Refusal(str(path), f"it cannot be read ({error.strerror})"))


def from_zip(
    data: bytes,
    refused: list[Refusal],
    room: Room,
    inside: PurePosixPath | None = None,
    depth: int = 0,
) -> Iterator[Entry]:
    """The regular files of a zip archive, each checked before a byte of it is unpacked.

    Raises:
        Refused: the archive's own list cannot be read, or is too long.
    """
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
    except Exception as error:  # a damaged list leads to errors of many kinds
        raise Refused(f"its list of files is damaged ({error})") from error
    most = MOST_ENTRIES if inside is None else MOST_OWN
    if len(archive.infolist()) > most:
        raise Refused(f"it holds {len(archive.infolist()):,} files; {most:,} are read")
    given = len(inside.parts) if inside else None
    for member in archive.infolist():
        if member.is_dir():
            continue
        shown = f"{inside}/{member.filename}" if inside else member.filename
        try:
            path = safe_path(member)
            if not is_wanted(path):
                continue
            most = LARGEST_ZIP if zipped(path) else LARGEST_FILE
            if member.file_size > most:
                raise Refused(f"it says it has {member.file_size:,} bytes; {most:,} are read")
            room.take(member.file_size)  # before the work, so that it is bounded too
            with archive.open(member) as opened:
                content = opened.read(member.file_size + 1)  # its header may lie about the size
            if len(content) > member.file_size:
                raise Refused("it unpacks to more than it says")
            path = inside / path if inside else path
            if zipped(path):
                yield from nested(path, content, refused, room, depth + 1)
            else:  # a zip's times have no zone
                yield Entry(path, None, content, given or len(path.parts))
        except Refused as reason:
            refused.append(Refusal(shown, str(reason), given))
        except (zipfile.BadZipFile, RuntimeError, NotImplementedError, EOFError, OSError) as error:
            refused.append(Refusal(shown, f"it cannot be unpacked ({error})", given))
        except Exception as error:  # zlib, lzma and bz2 have errors of their own
            refused.append(Refusal(shown, f"it cannot be unpacked ({type(error).__name__})", given))


def nested(
    path: PurePosixPath, data: bytes, refused: list[Refusal], room: Room, depth: int
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
        raise Refused(LINK)
    name = member.filename.replace("\\", "/")
    path = PurePosixPath(name)
    if path.is_absolute() or re.match(r"[A-Za-z]:", name):
        raise Refused("its name is absolute")
    if ".." in path.parts:
        raise Refused("its name leads out of the archive (`..`)")
    if not path.parts or any(not part.isprintable() for part in path.parts):
        raise Refused("its name holds characters that cannot be shown")
    if any(len(part.encode()) > LONGEST_NAME for part in path.parts):
        raise Refused(f"its name is longer than {LONGEST_NAME} bytes")
    return path


def printable(text: str) -> str:
    """A student's text as one line that a terminal shows and does not obey."""
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)


# Whose is it?


def whose(
    entry: Entry, roster: tuple[Student, ...], metadata: dict[str, dict]
) -> tuple[str, str, str, bool | None, datetime.datetime | None]:
    """Label, student's id or "", the file's own name, late or not if it says so, and its time."""
    path, time, parts = entry.path, entry.time, entry.path.parts[: entry.given]
    # What is inside a student's folder is the student's to name, after others too.
    if len(path.parts) > 1 and not is_lms(parts[0]):
        own = owner(roster, parts[0])
        if own:
            return named(roster, own, parts[0], path.name, None, time)
    for depth, part in enumerate(parts):
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
    return named(roster, owner(roster, label), label, path.name, None, time)


def is_lms(folder: str) -> bool:
    return any(form.fullmatch(folder) for form in (MOODLE, CANVAS, GRADESCOPE))


def named(roster, student, label, name, late, time):
    """With no roster, the label is the student."""
    return label, student.id if student else "" if roster else label, name, late, time


def owner(roster: tuple[Student, ...], label: str) -> Student | None:
    """Whose id, address or name a folder's or file's name is; else whose id it begins with.

    `ada_week3` is ada's; so is `ada week3`. `adam` is not. `ada-b_week3` is ada-b's, if there is
    one. What fits two students alike is nobody's.
    """
    for column in ("id", "email", "name"):
        if student := find(roster, column, label):
            return student
    begun = [s for s in roster if label.casefold().startswith(s.id.casefold())]
    begun = [s for s in begun if label[len(s.id) :][:1] in {"_", " ", "-"}]
    return max(begun, key=lambda student: len(student.id), default=None)


def by_turned_name(roster: tuple[Student, ...], name: str) -> Student | None:
    """Canvas writes the family name first: Grace Hopper is `hoppergrace`."""
    found = []
    for student in roster:
        words = student.name.replace(",", " ").split()
        turned = {plain("".join(words[n:] + words[:n])) for n in range(len(words))}
        found += [student] if plain(name) in turned else []
    return found[0] if len(found) == 1 else None


def gradescope(
    entries: list[Entry], roster: tuple[Student, ...], refused: list[Refusal]
) -> dict[str, dict]:
    """What Gradescope's metadata file says of each submission: id, email, name and time."""
    about = {}
    for entry in entries:
        if entry.path.name != METADATA:
            continue
        folders = entry.path.parts[:-1]
        if entry.given <= len(folders) or any(
            is_lms(part) or owner(roster, part) for part in folders
        ):
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
            refused.append(Refusal(str(entry.path), why))
    return about
