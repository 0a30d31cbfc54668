"""Every page, light and dark, laptop and phone: axe, errors, other hosts, width, weight."""

import json
import os
from importlib.resources import files
from pathlib import Path

import pytest

from classroom.environment import ROOT
from tests.browsing import ARTIFACTS, bring_drawings_in
from tests.serving import compressed, pages

SITE = Path(os.environ.get("SITE") or ROOT / "site")
AXE = (files("axe_playwright_python") / "axe.min.js").read_text()
LAPTOP, PHONE = {"width": 1366, "height": 768}, {"width": 390, "height": 844}
ZOOMED = {"width": 320, "height": 256}  # a laptop's 1280 × 1024 at 400 %
HTML, WHOLE = 15 * 1024, 250 * 1024  # bytes on the wire
TABLES = {"errors.html": 20 * 1024, "atlas.html": 20 * 1024}  # hundreds of rows, to look one up
CONTRAST = "color-contrast"
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
    return found(page, "document", options)


def pale(page) -> list[str]:
    """Texts with too little contrast: one of each look."""
    assert page.evaluate(LOOKS) > 5
    options = {"resultTypes": ["violations"], "runOnly": {"type": "rule", "values": [CONTRAST]}}
    return found(page, '[...document.querySelectorAll("[data-look]")]', options)


def found(page, where: str, options: dict) -> list[str]:
    said = page.evaluate(f"options => axe.run({where}, options)", options)["violations"]
    return [f"{v['id']}: {v['nodes'][0]['html'][:200]} ({len(v['nodes'])})" for v in said]


# Marks one text of each look: its colour, size and weight, on what it lies, and what lets that
# shine through. Texts that look alike have one contrast, and a table has thousands of them.
LOOKS = """() => {
  for (const e of document.querySelectorAll("[data-look]")) delete e.dataset.look;
  const under = new Map();  // what an element adds to the ground below it, down to the page's
  const ground = (e) => {
    if (!e) return "";
    if (!under.has(e)) {
      const s = getComputedStyle(e);
      const own = [s.backgroundColor, s.backgroundImage, s.opacity, s.filter, s.mixBlendMode];
      const plain = "rgba(0, 0, 0, 0) none 1 none normal";
      under.set(e, ground(e.parentElement) + (own.join(" ") === plain ? "" : own.join(" ") + ";"));
    }
    return under.get(e);
  };
  const looks = new Set();
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const e = texts.currentNode.parentElement;
    if (!texts.currentNode.data.trim() || !e.checkVisibility({checkVisibilityCSS: true})) continue;
    const s = getComputedStyle(e);
    const look = [s.color, s.fill, s.fontSize, s.fontWeight, ground(e)].join("|");
    if (!looks.has(look)) e.dataset.look = looks.size;
    looks.add(look);
  }
  return looks.size;
}"""


def choose(page, scheme: str) -> None:
    """Choose the colours, as the button in the header does."""
    palette = ("light", "dark").index(scheme)
    page.evaluate(f"document.getElementById('__palette_{palette}').click()")
    page.wait_for_function(
        "scheme => document.body.dataset.mdColorScheme === scheme",
        arg=("default", "slate")[palette],
    )


@pytest.mark.browser
@pytest.mark.parametrize("place", pages(SITE))
def test_a_page(opened, address, site, place):
    opened.goto(f"{address}/{place}")
    bring_drawings_in(opened)
    opened.evaluate("for (const d of document.querySelectorAll('details')) d.open = true")
    opened.evaluate(AXE)
    for width, scheme in ((LAPTOP, "light"), (LAPTOP, "dark"), (PHONE, "dark"), (PHONE, "light")):
        opened.set_viewport_size(width)
        choose(opened, scheme)
        where = f"{scheme}, {width['width']} px"
        assert pale(opened) == [], where
        if (width is PHONE) == (scheme == "dark"):  # colours do not matter here
            assert violations(opened, f"-{CONTRAST}") == [], where
    for width in (LAPTOP, PHONE, ZOOMED):
        opened.set_viewport_size(width)
        wide = opened.evaluate("document.documentElement.scrollWidth")
        assert wide <= width["width"], f"{wide} px wide on a screen of {width['width']}"
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
