"""What a reader does: from a symptom, on paper, over several days."""

import re

import pytest

from classroom.lessons import existing_slugs, lesson_folder

pytestmark = pytest.mark.browser
LESSON = f"{lesson_folder('unwatched_tensor').name}/lesson.html"


@pytest.fixture
def page(chromium):
    context = chromium.new_context(viewport={"width": 1366, "height": 768})
    yield context.new_page()
    context.close()


def test_a_symptom_leads_to_its_lesson_in_four_clicks_by_keyboard(page, address):
    page.goto(f"{address}/index.html")
    for summary in ("None", "for the output of a layer"):
        page.locator("summary", has_text=summary).first.press("Enter")
    link = page.get_by_role("link", name="the layer is in a model inside my model")
    assert link.is_visible()
    link.press("Enter")
    page.wait_for_url("**/10_nested_models/lesson.html")


def test_without_scripts_the_tree_opens_and_every_lesson_is_four_clicks_away(chromium, address):
    context = chromium.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{address}/index.html")
    page.locator("details.branch > summary").first.click()
    assert page.locator("details.branch details.branch > summary").first.is_visible()
    html = page.content()
    context.close()
    found, depth = {}, 0
    for tag, slug in re.findall(r'(<details class="branch"|</details>)|href="\d\d_(\w+)/les', html):
        depth += {'<details class="branch"': 1, "</details>": -1}.get(tag, 0)
        if slug and depth:
            found[slug] = min(found.get(slug, 9), depth + 1)  # a click each, and the link's own
    assert set(found) == set(existing_slugs()) and max(found.values()) <= 4, found


def test_each_reader_finds_the_first_step_without_scrolling(page, address):
    page.goto(f"{address}/index.html")
    steps = page.locator(".starts a").all() + page.locator("article > details > summary").all()
    assert len(steps) >= 7
    for step in steps:
        box = step.bounding_box()
        assert box["y"] + box["height"] <= 768, step.inner_text()


def test_on_paper_everything_that_opens_is_closed(page, address):
    page.goto(f"{address}/{LESSON}")
    page.evaluate("for (const d of document.querySelectorAll('details')) d.open = true")
    page.emulate_media(media="print")
    inside = page.locator("details > :not(summary)").all()
    assert len(inside) >= 3 and not any(part.is_visible() for part in inside)
    for gone in (".md-header", ".md-sidebar", ".md-footer", ".headerlink", ".mark-line"):
        assert not any(part.is_visible() for part in page.locator(gone).all()), gone
    assert page.locator("article h1").is_visible() and page.locator("pre").first.is_visible()


def test_progress_is_remembered_in_this_browser(page, address):
    page.goto(f"{address}/index.html")
    assert not page.locator("#progress").is_visible()
    page.goto(f"{address}/{LESSON}")
    button = page.locator("button.mark")
    button.press("Enter")
    assert button.get_attribute("aria-pressed") == "true"
    page.goto(f"{address}/index.html")
    said = page.locator("#progress").inner_text()
    assert f"1 of {len(existing_slugs())}" in said
    assert (
        page.locator("#progress a")
        .get_attribute("href")
        .endswith("01_what_the_tape_records/lesson.html")
    )
    assert page.locator(f'.md-nav--primary a[href$="{LESSON}"] .read').count() == 1
    assert page.context.cookies() == []
    page.locator("#progress button").click()
    assert not page.locator("#progress").is_visible()
    assert page.evaluate("localStorage.getItem('read-lessons')") == "[]"


@pytest.mark.parametrize(("width", "shown"), [(1366, False), (390, True)])
def test_the_menus_button_is_there_where_the_menu_is_not(page, address, width, shown):
    page.set_viewport_size({"width": width, "height": 800})
    page.goto(f"{address}/{LESSON}")
    for name in (".for__drawer", ".for__search"):
        assert page.locator(name).is_visible() == shown, name


def test_a_choice_of_colours_stays_and_pictures_follow_it(page, address):
    page.emulate_media(color_scheme="light")
    page.goto(f"{address}/{LESSON}")
    card = page.locator(".tape-picture .card").first
    light = card.evaluate("e => getComputedStyle(e).fill")
    page.locator("label[for=__palette_1]").click()
    assert page.locator("body").get_attribute("data-md-color-scheme") == "slate"
    assert card.evaluate("e => getComputedStyle(e).fill") != light
    page.reload()
    assert page.locator("body").get_attribute("data-md-color-scheme") == "slate"


def test_the_atlas_shows_what_is_asked_for(page, address):
    page.goto(f"{address}/atlas.html")
    rows = page.locator("article table:has(th:nth-child(9)) tbody tr")
    counted = page.locator("#atlas-filter output")
    symptom, release = page.locator("#atlas-filter select").all()
    word = page.locator("#atlas-filter input")
    cells = rows.evaluate_all("rows => rows.map(r => [...r.cells].map(c => c.innerText.trim()))")
    newest = len(cells[0]) - 1

    def shown() -> list[str]:
        names = rows.evaluate_all(
            "rows => rows.filter(r => r.checkVisibility()).map(r => r.cells[0].innerText.trim())"
        )
        assert counted.inner_text() == f"{len(names)} of {len(cells)} programs"
        return names

    assert shown() == [row[0] for row in cells]
    word.fill("Jacobian")
    assert shown() == [row[0] for row in cells if "jacobian" in row[0].lower()] != []
    word.fill("")
    sign = next(row[newest] for row in cells if len(row[newest]) == 1)
    symptom.select_option(sign)
    assert shown() == [row[0] for row in cells if any(c.endswith(sign) for c in row[1:])] != []
    release.select_option(index=newest)
    expected = [row[0] for row in cells if row[newest].endswith(sign)]
    assert shown() == expected and 0 < len(expected) < len(cells)
    assert "asked" in (rows.first.locator("td").nth(newest).get_attribute("class") or "")


def test_a_lost_reader_finds_the_way(page, address):
    assert page.goto(f"{address}/no/such/page.html").status == 404
    assert page.locator("article a").first.is_visible()
    page.keyboard.press("/")
    page.keyboard.type("nested model")
    page.locator(".md-search-result__link[href*='10_nested_models/']").first.wait_for()
    page.keyboard.press("Escape")
    page.locator("article a").first.click()
    page.wait_for_url(f"{address}/index.html")
    assert page.locator("details.branch").first.is_visible()
