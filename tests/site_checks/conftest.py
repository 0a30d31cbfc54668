"""The site that `make site-check` has built, served and looked at. The files here are not named
test_…, so that `make test` passes them by.
"""

import os
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from classroom.environment import ROOT
from tests.browsing import browser
from tests.serving import serving


@pytest.fixture(scope="session")
def site() -> Path:
    folder = Path(os.environ.get("SITE") or ROOT / "site")
    if not (folder / "index.html").exists():
        pytest.fail("The site has not been built: run `make site-check`.")
    return folder


@pytest.fixture(scope="session")
def address(site):
    # Published under SITE_URL, its 404.html asks for files below that address's path.
    with serving(site, urlsplit(os.environ.get("SITE_URL", "")).path.rstrip("/")) as url:
        yield url


@pytest.fixture(scope="session")
def chromium():
    with browser() as opened:
        yield opened
