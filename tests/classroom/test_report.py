"""The pages for students and on the class: what is on them, what is not, and that nothing runs."""

import base64
import dataclasses
import hashlib
import html.parser
import itertools
import re

import pytest

from classroom.files import write_text
from classroom.grade_class import main as run_verb
from classroom.gradebook import Gradebook, Row
from classroom.grading import Grade, ProbeGrade, TaskGrade
from classroom.report import VERBS, class_page, file_name, student_page
from classroom.roster import Student
from tests.classroom.handing_in import KEY
from tests.classroom.stand_in import grade_it, make_class

NASTY = "</main><script>alert(1)</script><img src=x onerror=alert(2)>\" ' & `<b>` \u202e \x1b[2J"
HIDDEN = "the hidden question's label"
TASK = TaskGrade(
    "slope",
    4.0,
    10.0,
    (ProbeGrade("two numbers", "public", True), ProbeGrade(HIDDEN, "hidden", False)),
    f"slope is not there yet {NASTY}",
    (("called", "`slope`"), ("came back", NASTY), (NASTY, "`code` and more")),
    "the values instead",
    "unwatched",
)
GRADE = Grade("graded", "", "ab" * 32, 1.5, (TASK, TaskGrade("count", 5.0, 5.0)), (NASTY,))
LOST = Grade("needs_attention", NASTY, "cd" * 32, 0.1)
ADA = Row("ada", "Ada", True, "ab", "k", 0, True, GRADE, {"slope": (8.0, NASTY), "": (None, "hi")})
EVE = Row("eve", "Eve", True, "cd", "k", 0, None, LOST, {})
SAM = Row("Sam (9)", "Sam (9)", False, "ef", "k", 0, False, GRADE, {})
PAGES = {
    "student": student_page(ADA, KEY, NASTY),
    "attention": student_page(EVE, KEY),
    "class": class_page([ADA, EVE, SAM], KEY, (Student("ada", NASTY), Student("fay", "Fay"))),
    "nobody": class_page([], KEY),
}
VOID = {"meta", "br", "img", "rect", "path"}


class Reader(html.parser.HTMLParser):
    """The elements, with attributes, and the text; refuses what is not nested."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags, self.open, self.words = [], [], []
        self.feed(page)
        self.close()
        assert not self.open, self.open

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, f"</{tag}> closes another"

    def handle_data(self, data):
        self.words.append(data)


@pytest.mark.parametrize("name", PAGES)
def test_nothing_of_a_student_s_becomes_markup(name):
    page = PAGES[name]
    reader = Reader(page)
    tags = {tag for tag, _ in reader.tags}
    assert not tags & {"script", "img", "iframe", "link", "object", "a", "form", "b"}
    for _, attributes in reader.tags:
        assert not any(key.startswith("on") or key in ("src", "href") for key in attributes)
    assert "\u202e" not in page and "\x1b" not in page
    assert (
        "url(" not in page
        and "@import" not in page
        and "http:" not in page
        and "https:" not in page
    )


@pytest.mark.parametrize("name", PAGES)
def test_the_policy_allows_our_style_alone(name):
    style = re.search(r"<style>(.*?)</style>", PAGES[name], re.S)[1]
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert f"default-src 'none'; style-src 'sha256-{digest}'" in PAGES[name]
    assert not re.search(r"<[^>]+ style=", PAGES[name])  # the policy would refuse it


@pytest.mark.parametrize("name", PAGES)
def test_a_page_can_be_read_by_anybody(name):
    """Language, one h1, headings without gaps, names of pictures and tables, heads of columns."""
    reader = Reader(PAGES[name])
    tags = reader.tags
    assert dict(tags)["html"]["lang"] == "en"
    assert "viewport" in PAGES[name] and "<title>" in PAGES[name]
    levels = [int(tag[1]) for tag, _ in tags if re.fullmatch("h[1-6]", tag)]
    assert levels[0] == 1 and levels.count(1) == 1
    assert all(b - a <= 1 for a, b in itertools.pairwise(levels))
    for tag, attributes in tags:
        if tag == "svg":
            assert attributes["role"] == "img" and attributes["aria-label"]
        if tag == "th":
            assert attributes["scope"] == "col"
        if attributes.get("role") == "region":
            assert attributes["aria-label"] and attributes["tabindex"] == "0"
    count = [tag for tag, _ in tags].count
    assert count("svg") == count("desc") and count("table") == count("caption")
    assert "@media print" in PAGES[name] and "prefers-color-scheme: dark" in PAGES[name]


def luminance(colour: str) -> float:
    full = colour if len(colour) == 7 else "#" + "".join(2 * c for c in colour[1:])
    parts = [int(full[n : n + 2], 16) / 255 for n in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_every_colour_can_be_told_from_the_paper():
    """WCAG: 4.5 to 1 for text, 3 to 1 for bars; in the light, the dark and the printed theme."""
    style = re.search(r"<style>(.*?)</style>", PAGES["class"], re.S)[1]
    themes = [dict(re.findall(r"--(\w+): (#\w+)", block)) for block in style.split(":root")[1:]]
    assert len(themes) == 3
    for theme in themes:
        for name, least in {"ink": 4.5, "right": 4.5, "wrong": 4.5, "bar": 3}.items():
            for ground in ("paper", "soft"):
                bright, dark = sorted((luminance(theme[name]), luminance(theme[ground])))[::-1]
                assert (bright + 0.05) / (dark + 0.05) >= least, (name, ground, theme)


def test_a_student_sees_points_reasons_and_comments_but_nothing_hidden():
    page = PAGES["student"]
    said = " ".join(" ".join(Reader(page).words).split())
    assert "13 of 15 points" in said  # 8 by hand and 5
    assert "8 of 10 points" in said and "graded were 4" in said
    assert "Of the 1 questions that check asks too, 1 was answered rightly." in said
    assert "Handed in after the due time" in said and "Your teacher writes: hi" in said
    assert HIDDEN not in page and "the values instead" not in page


def test_what_needs_attention_has_no_points_on_its_page():
    said = " ".join(Reader(PAGES["attention"]).words)
    assert "will look at it" in said and "points" not in said


def test_the_class_page_says_who_needs_attention():
    said = " ".join(" ".join(Reader(PAGES["class"]).words).split())
    assert "3 handed in, 1 late; 2 have points, on average 11.0 of 15." in said  # 13 and 9
    for line in ("eve", "Sam (9) is in no row of the roster", "Fay handed in nothing"):
        assert line in said
    assert "You returned the values instead of the derivative." in said and "unwatched" in said


def test_the_bars_say_the_numbers():
    """slope: 8 and 4 of 10, so 60 %; count: 100 %. Sums 13 and 9 of 15: tenths 8 and 6."""
    page = PAGES["class"]
    assert "slope: 60 %; count: 100 %" in page
    widths = [float(w) for w in re.findall(r'class="bar" x="0.5" y="\d+" width="([\d.]+)"', page)]
    assert widths[:2] == [384.0, 640.0]
    assert "9 to 10.5 points: 1" in page and "12 to 13.5 points: 1" in page


def test_misconceptions_are_ordered_by_how_many_have_them():
    rare = dataclasses.replace(TASK, misconception="a rare one", cause=None)
    rows = [ADA, SAM, dataclasses.replace(ADA, student="bob", grade=Grade(
        "graded", "", "x", 0, (rare, TaskGrade("count", 0, 5.0))))]  # fmt: skip
    page = class_page(rows, KEY)
    table = page[page.index("<caption>Misconceptions by") :]
    assert table.index('<td class="n">2</td>') < table.index('<td class="n">1</td>')


@pytest.mark.parametrize(
    ("student", "name"),
    [("ada", "ada"), ("ada@x.org", "ada@x.org"), ("../../etc/x", r"etc_x-\w{8}"),
     ("Ada (4711)", r"Ada_4711-\w{8}"), ("..", r"student-\w{8}"), ("é" * 200, "é{60}-.{8}"),
     ("nul", r"nul-\w{8}"), ("Con.x", r"Con_x-\w{8}"), ("com1", r"com1-\w{8}"), ("cone", "cone")],
)  # fmt: skip
def test_a_label_becomes_a_name_of_one_file(student, name):
    assert re.fullmatch(name, file_name(student))


@pytest.mark.parametrize("letter", ["x", "é", "漢", "𝒜"])
def test_the_page_of_a_label_of_any_length_can_be_written(letter, tmp_path):
    for length in (50, 99, 100, 200):
        page = tmp_path / f"{file_name(letter * length)}.html"
        assert write_text("x", page) and page.exists()


def test_labels_that_look_alike_have_files_of_their_own():
    assert file_name("a b") != file_name("a/b")


def test_the_verbs_write_the_same_bytes_twice(tmp_path, capsys):
    made = []
    for name in ("one", "two"):
        place = tmp_path / name
        make_class(place, 8)
        grade_it(place, workers=3 if name == "one" else 1)
        roster = ["--roster", str(place / "roster.csv")]
        out = ["--out", str(place / "pages")]
        assert run_verb(["feedback", str(place), *out, "--dry-run"], VERBS) == 0
        assert not (place / "pages").exists()
        assert run_verb(["feedback", str(place), *out, *roster], VERBS) == 0
        out = ["--out", str(place / "pages" / "class.html")]
        assert run_verb(["report", str(place), *out, *roster], VERBS) == 0
        made.append({p.name: p.read_bytes() for p in (place / "pages").iterdir()})
    assert made[0] == made[1] and len(made[0]) == 9
    with Gradebook(tmp_path / "one" / "teacher" / "gradebook.sqlite") as book:
        assert len(book.rows()) == 8
    for page in made[0].values():
        Reader(page.decode())
    assert b"For Student 2" in made[0]["s02.html"] and b"&lt;b&gt;None" in made[0]["s02.html"]


@pytest.mark.parametrize("verb", VERBS)
def test_help_has_an_example(verb, capsys):
    with pytest.raises(SystemExit):
        run_verb([verb, "--help"], VERBS)
    assert f"python -m classroom {verb} week3" in capsys.readouterr().out
