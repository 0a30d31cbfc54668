"""By keyboard alone: every control of every page is reached in its order, seen, and works."""

import os
from pathlib import Path

import pytest

from classroom.environment import ROOT
from classroom.lessons import lesson_folder
from tests.serving import pages

pytestmark = pytest.mark.browser
SITE = Path(os.environ.get("SITE") or ROOT / "site")
LESSON, EXERCISE = (
    f"{lesson_folder('unwatched_tensor').name}/{name}.html" for name in ("lesson", "exercise")
)
KINDS = (
    "index.html", LESSON, EXERCISE, "glossary.html", "teachers.html",
    "atlas/unwatched_tensor.html", "reference/unwatched_tensor.html",
)  # fmt: skip

# Numbers what a person could click and see, in the page's order.
MARK = """() => {
  let count = 0;
  const wanted = "a[href], button, summary, input, select, [tabindex]";
  for (const e of document.querySelectorAll(wanted)) {
    delete e.dataset.reach;
    if (!e.checkVisibility({checkVisibilityCSS: true}) || e.disabled) continue;
    if (e.tabIndex < 0 && !e.matches("a, summary")) continue;
    // There when they are needed; or covered by the menu.
    if (e.closest(".md-search__output, .md-skip, .md-top, [inert]")) continue;
    const box = e.getBoundingClientRect();
    if (box.right <= 0 || !box.width) continue;
    if (e.type === "radio" && !e.checked) continue;  // arrows reach the others
    e.dataset.reach = count++;
  }
  return count;
}"""

# What a person sees of the focus: the control's number; whether the focus shows; whether nothing
# lies above it. `way` notes it at every key.
WATCH = """() => {
  const ring = (x) => {
    const style = x && getComputedStyle(x);
    return style && style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0;
  };
  window.seen = (e) => {
    const typed = e.matches("input:not([type=radio], [type=range])");  // has a caret, and opens
    const label = document.querySelector(`label[for="${e.id || "?"}"]:not([hidden])`);
    const shows = (box) => {
      const [left, right] = [Math.max(0, box.left), Math.min(innerWidth, box.right)];
      const [top, bottom] = [Math.max(0, box.top), Math.min(innerHeight, box.bottom)];
      if (left >= right || top >= bottom) return false;
      const there = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
      return there && (e.contains(there) || there.contains(e) || label?.contains(there));
    };
    const boxes = [...(e.matches(".md-option") ? label : e).getClientRects()];
    const free = Boolean(typed || boxes.some(shows));
    return [Number(e.dataset.reach), Boolean(typed || ring(e) || ring(label)), free];
  };
  window.way = [];
  addEventListener("keydown", () => {
    if (document.activeElement.dataset.reach) way.push(seen(document.activeElement));
  }, true);
}"""

# Every control in turn, without keys: what cannot take the focus, or would be out of order, is
# told by a number alone.
EACH = """() => [...document.querySelectorAll("[data-reach]")].map((e) => {
  if (e.matches(".md-search__input")) return seen(e);  // would open, and cover the page
  e.focus({focusVisible: true});
  return document.activeElement === e && e.tabIndex === 0 ? seen(e) : [Number(e.dataset.reach)];
})"""


@pytest.fixture
def page(chromium):
    context = chromium.new_context(viewport={"width": 1366, "height": 768}, reduced_motion="reduce")
    yield context.new_page()
    context.close()


def walk(page) -> tuple[int, list[list]]:
    """The number of controls, and what has the focus on the way through the whole page."""
    wanted = page.evaluate(MARK)
    page.evaluate("way = []")
    for _ in range(2 * wanted // 20 + 5):  # code that scrolls takes the focus, too
        for _ in range(20):
            page.keyboard.down("Tab")
        way = page.evaluate("way")
        if [number for number, _, _ in way].count(0) > 1:  # once round
            break
    begins = [n for n, (number, _, _) in enumerate(way) if number == 0]
    return wanted, way[begins[0] : begins[1] if begins[1:] else None] if begins else way


def named(page, numbers) -> list[str]:
    """The markup of some controls, for a message."""
    some = sorted(set(numbers))[:5]
    html = "numbers => numbers.map(n => document.querySelector(`[data-reach='${n}']`).outerHTML)"
    return [text[:160] for text in page.evaluate(html, some)]


def opened(page, url: str, width: int) -> None:
    """A page with all that opens opened, from its beginning."""
    page.set_viewport_size({"width": width, "height": 800})
    page.goto(url)
    page.evaluate("for (const d of document.querySelectorAll('details')) d.open = true")
    page.evaluate(WATCH)


def complaints(page, way: list[list]) -> dict[str, list[str]]:
    """What a person would complain about on the way, each with some of the controls."""
    found = {
        "no mark of the focus": [number for number, ring, _ in way if not ring],
        "something lies above": [number for number, _, free in way if not free],
    }
    return {what: named(page, numbers) for what, numbers in found.items() if numbers}


@pytest.mark.parametrize("place", pages(SITE))
def test_every_control_takes_the_focus_in_order_and_shows_it(page, address, place):
    for width in (1366, 390):
        opened(page, f"{address}/{place}", width)
        wanted = page.evaluate(MARK)
        way = page.evaluate(EACH)
        out = [number for number, *rest in way if not rest]
        assert wanted > 4 and not out, (width, named(page, out))
        assert complaints(page, way) == {}, width


@pytest.mark.parametrize("place", KINDS)
@pytest.mark.parametrize("width", [1366, 390])
def test_the_tab_key_reaches_everything_in_order(page, address, place, width):
    opened(page, f"{address}/{place}", width)
    wanted, way = walk(page)
    order = [number for number, _, _ in way]
    missing = set(range(wanted)) - set(order)
    assert wanted > 10 and not missing, (len(missing), named(page, missing))
    assert order == sorted(order)
    assert complaints(page, way) == {}


def focused(page, selector: str) -> bool:
    return page.evaluate("selector => document.activeElement.matches(selector)", selector)


def test_the_first_key_offers_to_skip_to_the_text(page, address):
    page.goto(f"{address}/{LESSON}")
    page.keyboard.press("Tab")
    assert focused(page, ".md-skip") and page.locator(".md-skip").is_visible()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    assert focused(page, "article *")


def test_what_opens_opens_and_closes(page, address):
    page.goto(f"{address}/{EXERCISE}")
    summary = page.locator("details.hint > summary").first
    for key, opened in (("Enter", True), ("Space", False)):
        summary.press(key)
        assert summary.evaluate("s => s.parentElement.open") == opened


def test_code_is_copied_and_an_output_is_not_offered(page, address):
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto(f"{address}/{LESSON}")
    code = page.locator("article .highlight:not(.output):has(button)").first
    code.locator("button").first.press("Enter")
    page.wait_for_function("navigator.clipboard.readText().then(text => text.length > 0)")
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied.strip() == code.locator("code").inner_text().strip()
    assert page.locator("article .output button").count() == 0


@pytest.mark.parametrize("width", [1366, 390])
def test_the_search_opens_leads_on_and_closes(page, address, width):
    page.set_viewport_size({"width": width, "height": 800})
    page.goto(f"{address}/{LESSON}")
    page.locator(".for__search" if width < 960 else "[data-md-component=search-query]").focus()
    page.keyboard.press("Enter")
    page.wait_for_function("document.activeElement.matches('[data-md-component=search-query]')")
    page.keyboard.type("batch_jacobian")
    page.locator(".md-search-result__link").first.wait_for()
    page.keyboard.press("Escape")
    page.wait_for_function("!document.getElementById('__search').checked")
    page.keyboard.press("/")
    page.wait_for_function("document.activeElement.matches('[data-md-component=search-query]')")
    page.locator(".md-search-result__link").first.wait_for()
    page.keyboard.press("ArrowDown")
    page.wait_for_function("document.activeElement.matches('.md-search-result__link')")
    page.keyboard.press("Enter")
    page.wait_for_url("**/06_summed_targets/**")


def test_the_menu_opens_holds_the_focus_and_closes(page, address):
    page.set_viewport_size({"width": 390, "height": 800})
    page.goto(f"{address}/{LESSON}")
    button = page.locator(".for__drawer")
    button.press("Enter")
    assert button.get_attribute("aria-expanded") == "true"
    page.evaluate(WATCH)
    wanted, way = walk(page)
    missing = set(range(wanted)) - {number for number, _, _ in way}
    assert wanted > 20 and not missing, named(page, missing)
    page.keyboard.press("Escape")
    assert button.get_attribute("aria-expanded") == "false" and focused(page, ".for__drawer")
