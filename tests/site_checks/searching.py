"""The search: each error text and twenty questions, each answered in the first three results."""

import re
from html import unescape
from pathlib import Path

import pytest

pytestmark = pytest.mark.browser

# What somebody types, and a piece of the address that one of the first three results must have.
QUERIES = {
    "has no inbound nodes": "07_no_inbound_nodes/",
    "The layer sequential has never been called and thus has no defined output": "errors.html#row-",
    "Graph disconnected: cannot obtain value for tensor": "errors.html#row-",
    "'KerasTensor' object has no attribute '_id'": "errors.html#row-",
    "A non-persistent GradientTape can only be used to compute one set": "errors.html#row-",
    "No gradients provided for any variable": "errors.html#row-",
    "Gradients do not exist for variables ['unused:0'] when minimizing": "errors.html#row-",
    "LookupError: gradient registry has no entry for: Unique": "errors.html#row-",
    "Output with path `0` is not connected to `inputs`": "errors.html#row-",
    "tf.gradients is not supported when eager execution is enabled": "errors.html#row-",
    "unsupported operand type(s) for *: 'float' and 'NoneType'": "errors.html#row-",
    "tape.watch": "03_unwatched_tensor/",
    "trainable=False": "14_variables_and_state/",
    "get_output_at": "errors.html#row-",
    "watch_accessed_variables": "unwatched_tensor",
    "batch_jacobian": "06_summed_targets/",
    "persistent=True": "05_one_tape_many_gradients/",
    "gradient_straight_through": "reference/not_differentiable",
    "tf.numpy_function": "left_tensorflow",
    "not_differentiable": "glossary.html#row-",
    "Grad-CAM": "glossary.html#grad-cam",  # which leads to the lesson
    "chain rule": "glossary.html#chain-rule",
}


# Texts that are little but a tensor's shape and value, or its type: the page is found, and the row
# among the look-alikes (fourteen "Passed in object") that the search folds behind "more on this
# page".
FOLDED = ("NotImplementedError: ('Trying to update a Tensor", "ValueError: Passed in object ")


@pytest.fixture(scope="module")
def search(chromium, address):
    """A function that types a query and returns the results' addresses, as a reader sees them."""
    page = chromium.new_page()
    page.goto(f"{address}/404.html")
    field = page.locator("[data-md-component=search-query]").first
    field.click()

    def results(words: str) -> list[list[str]]:
        """For each of the first three results, its addresses: the page's and its sections'."""
        for typed, answered in (("", "!"), (words, "")):  # the last answer goes, then one comes
            field.fill(typed)
            field.press("End")  # the search listens to the keyboard
            meta = "document.querySelector('.md-search-result__meta').textContent"
            page.wait_for_function(f"() => {answered}/\\d/.test({meta})", timeout=20_000)
        return page.evaluate(
            """() => [...document.querySelectorAll(".md-search-result__item")].slice(0, 3).map(
                item => [...item.querySelectorAll("a")].map(a => a.href.replace(/[?][^#]*/, "")))"""
        )

    yield results
    page.close()


@pytest.mark.parametrize("words", QUERIES)
def test_a_question_is_answered_in_the_first_three_results(search, words):
    found = search(words)
    assert any(QUERIES[words] in link for item in found for link in item[:3]), found


def quoted(text: str, page: Path) -> bool:
    """Whether a page holds an error's first sentence, up to where the list of errors cuts it."""
    shown = unescape(re.sub("<.*?>", "", page.read_text("utf-8")))
    sentence = text.split(": ", 1)[-1].split(". ")[0].rstrip(" …")
    return len(sentence) > 40 and sentence in " ".join(shown.split())


def test_each_error_text_leads_to_its_row(search, site):
    html = (site / "errors.html").read_text()
    row = r'<tr id="(row-[^"]+)"[^>]*>\s*<td><code>(.*?)</code></td>(.*?)</tr>'
    rows = re.findall(row, html, re.DOTALL)
    texts = {name: unescape(re.sub("<.*?>", "", text)) for name, text, _ in rows}
    lessons = {name: re.findall(r'href="([^"]+/lesson.html)', cells) for name, _, cells in rows}
    errors = {name: text for name, text in texts.items() if len(text) > 8}  # not `None`, …
    assert len(errors) > 50
    absent, folded = [], []
    for name, text in errors.items():
        # Texts that differ in a name only are each other's neighbours: all of these lead there.
        results = search(text)
        found = [[link.split("#")[-1] for link in item] for item in results]
        quoting = [page for page in lessons[name] if quoted(text, site / page)]
        if any(link.endswith(page) for item in results for link in item[:1] for page in quoting):
            continue  # the row's own lesson, which has the text too
        if not any(name in item for item in found):
            absent.append(text)
        elif not any(name in item[:6] for item in found) and not text.startswith(FOLDED):
            folded.append(text)  # behind "more on this page"
    assert not absent, f"{len(absent)} of {len(errors)}: {absent[:3]}"
    assert not folded, f"{len(folded)} of {len(errors)}: {folded}"


def test_opened_from_a_disk_it_searches_too(chromium, site):
    page = chromium.new_page()
    problems = []
    page.on("console", lambda m: problems.append(m.text) if m.type == "error" else None)
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.goto(f"{site.as_uri()}/03_unwatched_tensor/lesson.html")
    field = page.locator("[data-md-component=search-query]").first
    field.click()
    for words in ("has no inbound nodes", 'tape.watch "x"'):
        field.fill("")
        page.keyboard.type(words)
        place = QUERIES[words.split(' "')[0]]
        result = page.locator(f".md-search-result__link[href*='{place}']").first
        result.wait_for(timeout=30_000)
    result.click()
    page.wait_for_url(f"**/{place}**")
    assert page.locator("article h1").is_visible() and problems == []
    page.close()
