"""A dozen screenshots for a person to look at: artifacts/site-*.png, which are not committed."""

import pytest

from classroom.lessons import lesson_folder
from tests.browsing import screenshot

LESSON, EXERCISE = (
    f"{lesson_folder('unwatched_tensor').name}/{name}.html" for name in ("lesson", "exercise")
)
VIEWS = {  # name: page, colours, width, what is scrolled to, what is opened
    "home": ("index.html", "light", 1366, None, None),
    "home-open": ("index.html", "dark", 1366, "details.branch", "details.branch"),
    "home-phone": ("index.html", "dark", 390, None, None),
    "lesson": (LESSON, "light", 1366, None, None),
    "lesson-predict": (LESSON, "dark", 1366, "details", "details"),
    "lesson-picture-phone": (LESSON, "light", 390, ".output-figure", None),
    "lesson-12-picture-phone": (
        "12_left_tensorflow/lesson.html", "dark", 390, ".output-figure", None
    ),
    "exercise": (EXERCISE, "light", 1366, "details.hint", "details.hint"),
    "exercise-phone": (EXERCISE, "dark", 390, None, None),
    "errors": ("errors.html", "light", 1366, "table", None),
    "glossary-causes": ("glossary.html", "dark", 1366, "table", None),
    "glossary-causes-phone": ("glossary.html", "light", 390, "table", None),
    "module": ("reference/unwatched_tensor.html", "dark", 1366, None, None),
    "lost": ("404.html", "light", 390, None, None),
}  # fmt: skip


@pytest.mark.browser
@pytest.mark.parametrize("name", VIEWS)
def test_a_view(chromium, address, name):
    place, scheme, width, to, opened = VIEWS[name]
    context = chromium.new_context(
        color_scheme=scheme, viewport={"width": width, "height": 844 if width < 500 else 768}
    )
    page = context.new_page()
    page.goto(f"{address}/{place}")
    if opened:
        page.locator(opened).first.evaluate("e => { e.open = true }")
    if to:
        page.locator(to).first.evaluate("e => scrollTo(0, e.getBoundingClientRect().top - 80)")
    page.wait_for_timeout(300)
    screenshot(page, f"site-{name}")
    context.close()


@pytest.mark.browser
def test_the_search_and_the_paper(chromium, address):
    context = chromium.new_context(viewport={"width": 1366, "height": 768})
    page = context.new_page()
    page.goto(f"{address}/{LESSON}")
    page.keyboard.press("/")
    page.keyboard.type("AttributeError: Layer dense has no inbound nodes.")
    page.locator(".md-search-result__link").first.wait_for()
    page.wait_for_timeout(400)
    screenshot(page, "site-search")
    page.goto(f"{address}/{LESSON}")
    page.emulate_media(media="print")
    page.set_viewport_size({"width": 794, "height": 1123})  # A4 at 96 dots an inch
    screenshot(page, "site-paper")
    context.close()
