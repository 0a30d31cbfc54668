"""Every page, light and dark, laptop and phone: axe, errors, other hosts, width, weight."""

import json
import os
from importlib.resources import files
from pathlib import Path

import pytest

from classroom.environment import ROOT
from tests.browsing import ARTIFACTS
from tests.serving import compressed, pages

SITE = Path(os.environ.get("SITE") or ROOT / "site")
AXE = (files("axe_playwright_python") / "axe.min.js").read_text()
LAPTOP, PHONE = {"width": 1366, "height": 768}, {"width": 390, "height": 844}
HTML, WHOLE = 15 * 1024, 250 * 1024  # bytes on the wire
TABLES = {"errors.html": 20 * 1024, "atlas.html": 20 * 1024}  # hundreds of rows, to look one up
TEMPLATES = ("index", "errors", "03_unwatched_tensor/lesson", "03_unwatched_tensor/exercise")


@pytest.fixture
def opened(chromium, address):
    """A new page, with what went wrong on it."""
    context = chromium.new_context(viewport=LAPTOP, color_scheme="light", reduced_motion="reduce")
    page = context.new_page()
    page.problems, page.weight = [], {}
    page.on("console", lambda m: page.problems.append(m.text) if m.type == "error" else None)
    page.on("pageerror", lambda error: page.problems.append(str(error)))
    page.on(
        "request",
        lambda r: None if r.url.startswith((address, "data:")) else page.problems.append(r.url),
    )
    page.on("response", lambda r: page.weight.update({r.url: r}))
    yield page
    context.close()


def violations(page, *rules: str) -> list[str]:
    """What axe finds, each with the markup; all rules if none is named, "-rule" leaves one out."""
    options: dict = {"resultTypes": ["violations"]}
    if rules and rules[0].startswith("-"):
        options["rules"] = {rule[1:]: {"enabled": False} for rule in rules}
    elif rules:
        options["runOnly"] = {"type": "rule", "values": list(rules)}
    found = page.evaluate("options => axe.run(document, options)", options)["violations"]
    return [f"{v['id']}: {v['nodes'][0]['html'][:200]} ({len(v['nodes'])})" for v in found]


def choose(page, scheme: str) -> None:
    """Choose the colours, as the button in the header does."""
    palette = ("light", "dark").index(scheme)
    page.evaluate(f"document.getElementById('__palette_{palette}').click()")
    page.wait_for_function(
        "scheme => document.body.dataset.mdColorScheme === scheme",
        arg=("default", "slate")[palette],
    )


def look(page, *, width: dict, scheme: str, rules: tuple[str, ...] = ()) -> None:
    page.set_viewport_size(width)
    choose(page, scheme)
    wide = page.evaluate("document.documentElement.scrollWidth")
    assert wide <= width["width"], f"{wide} px wide on a screen of {width['width']}"
    assert violations(page, *rules) == [], f"{scheme}, {width['width']} px"


@pytest.mark.browser
@pytest.mark.parametrize("place", pages(SITE))
def test_a_page(opened, address, site, place):
    opened.goto(f"{address}/{place}")
    opened.evaluate("for (const d of document.querySelectorAll('details')) d.open = true")
    opened.evaluate(AXE)
    look(opened, width=LAPTOP, scheme="light")
    # A table's later rows have the first ones' colours, and axe needs seconds for hundreds of them.
    opened.add_style_tag(content="tr:nth-child(n + 30) { display: none }")
    look(opened, width=LAPTOP, scheme="dark", rules=("color-contrast",))
    look(opened, width=PHONE, scheme="dark", rules=("-color-contrast",))  # the colours are the same
    assert opened.problems == []
    weigh(opened, address, site, place)


def weigh(page, address, site, place):
    """The page's HTML, and all that it loads before anybody searches; noted for the table."""
    loaded = {
        site / url.removeprefix(f"{address}/").split("?")[0].split("#")[0] for url in page.weight
    }
    html, whole = compressed(site / place), sum(map(compressed, filter(Path.is_file, loaded)))
    ARTIFACTS.mkdir(exist_ok=True)
    note = {"page": place, "html": html, "whole": whole, "requests": len(loaded)}
    file = ARTIFACTS / "site-weights" / f"{place.replace('/', '_')}.json"
    file.parent.mkdir(exist_ok=True)
    file.write_text(json.dumps(note))
    assert html <= TABLES.get(place, HTML), f"{html} bytes of HTML, compressed"
    assert whole <= WHOLE, f"{whole} bytes in all: {sorted(f.name for f in loaded)}"


@pytest.mark.browser
@pytest.mark.parametrize("place", TEMPLATES)
def test_the_search_and_the_menu_when_open(opened, address, place):
    opened.goto(f"{address}/{place}.html")
    opened.evaluate(AXE)
    for width, scheme in ((LAPTOP, "light"), (LAPTOP, "dark"), (PHONE, "light"), (PHONE, "dark")):
        opened.set_viewport_size(width)
        choose(opened, scheme)
        opened.keyboard.press("/")
        opened.keyboard.type("tape.watch")
        opened.locator(".md-search-result__link").first.wait_for()
        opened.wait_for_timeout(100)
        assert violations(opened) == [], f"search, {scheme}, {width}"
        opened.keyboard.press("Escape")
        if width is PHONE:
            opened.locator(".for__drawer").press("Enter")
            assert violations(opened) == [], f"menu, {scheme}"
            opened.locator("#__drawer").evaluate("box => box.click()")
    assert opened.problems == []


@pytest.mark.browser
def test_faults_would_be_seen(opened, address):
    """The checks themselves: a page with one fault of each kind."""
    opened.goto(f"{address}/404.html")
    opened.set_content(
        """<html lang="en"><head><title>Faults</title></head><body><main><h1>Faults</h1>
        <img src="data:image/gif;base64,R0lGODlhAQABAAAAACw="><p style="width: 2000px">wide</p>
        <p style="color: #aaa; background: #fff">pale</p>
        <script>console.error("said"); new Image().src = "http://127.0.0.2:9/other"</script>
        </main></body></html>"""
    )
    opened.evaluate(AXE)
    found = " ".join(violations(opened))
    assert "image-alt" in found and "color-contrast" in found
    assert violations(opened, "color-contrast") != [] and violations(opened, "html-has-lang") == []
    assert opened.evaluate("document.documentElement.scrollWidth") > LAPTOP["width"]
    assert "said" in opened.problems and "http://127.0.0.2:9/other" in opened.problems
