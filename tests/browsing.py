"""A Chromium for tests that look at pages as a person does."""

import contextlib
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

ARTIFACTS = Path(__file__).resolve().parent.parent / "artifacts"  # screenshots, not committed
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"]


def chromium_path() -> str | None:
    return shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("chrome")


def need_chromium() -> str:
    """The browser's path; without one the test is skipped with a reason, but never in CI."""
    path = chromium_path()
    if path is None:
        reason = "no Chromium here; on Debian: apt install chromium"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    return path


@contextlib.contextmanager
def browser() -> Iterator:
    """A Playwright browser, closed at the end."""
    path = need_chromium()
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield chromium
        chromium.close()


def bring_drawings_in(page) -> None:
    """Scroll to each drawing that is a file of its own: it comes into the page when it is near."""
    page.evaluate(
        """async () => {
          for (let tries = 0; tries < 200; tries++) {
            const drawing = document.querySelector("img.drawing");
            if (!drawing) return scrollTo(0, 0);
            drawing.scrollIntoView();
            await new Promise((resolve) => setTimeout(resolve, 20));
          }
          throw Error("a drawing has not come");
        }"""
    )


def screenshot(page, name: str) -> None:
    ARTIFACTS.mkdir(exist_ok=True)
    page.screenshot(path=ARTIFACTS / f"{name}.png")
