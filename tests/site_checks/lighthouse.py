"""Lighthouse: the median of three runs, on a laptop and on a phone. Needs npx, which fetches it."""

import json
import os
import re
import shutil
import statistics
import subprocess

import pytest

from tests.browsing import ARTIFACTS, FLAGS, need_chromium

# The newest that the Node here can run: 13 wants Node 22.19.
VERSIONS = {(22, 19): "13.5.0", (18, 16): "12.8.2"}
LESSON = "09_intermediate_activations/lesson.html"  # the heaviest
LOOKED_AT = (("index.html", "desktop"), ("index.html", "mobile"), (LESSON, "mobile"))
LEAST = {
    "desktop": {"performance": 99, "accessibility": 99, "best-practices": 99, "seo": 99},
    "mobile": {"performance": 95, "accessibility": 100, "best-practices": 100, "seo": 100},
}
RUNS = 3


def version() -> str:
    """Lighthouse's release for this Node; the test is skipped, with the reason, if none fits."""
    if not shutil.which("node") or not shutil.which("npx"):
        pytest.skip("Lighthouse was not run: there is no node and npx here")
    said = subprocess.run(["node", "--version"], capture_output=True, text=True).stdout
    node = tuple(map(int, re.findall(r"\d+", said)[:2]))
    for oldest, release in VERSIONS.items():
        if node >= oldest:
            return release
    pytest.skip(f"Lighthouse was not run: Node {said.strip()} is too old for it")


@pytest.fixture(scope="module")
def lighthouse() -> list[str]:
    """The command, fetched once."""
    command = ["npx", "--yes", f"lighthouse@{version()}"]
    fetched = subprocess.run([*command, "--version"], capture_output=True, text=True, timeout=180)
    if fetched.returncode:
        pytest.skip(f"Lighthouse was not run: npx could not fetch it: {fetched.stderr[-200:]}")
    return command


def scores(command: list[str], url: str, device: str) -> dict[str, float]:
    flags = " ".join(["--headless=new", *FLAGS])
    options = ["--quiet", "--output=json", "--output-path=stdout", f"--chrome-flags={flags}"]
    if device == "desktop":
        options.append("--preset=desktop")
    environ = {**os.environ, "CHROME_PATH": need_chromium()}
    done = subprocess.run(
        [*command, url, *options], capture_output=True, text=True, env=environ, timeout=120
    )
    assert done.returncode == 0, done.stderr[-2000:]
    categories = json.loads(done.stdout)["categories"]
    return {name: round(100 * categories[name]["score"]) for name in LEAST[device]}


@pytest.mark.browser
@pytest.mark.parametrize(("place", "device"), LOOKED_AT)
def test_scores(lighthouse, address, place, device):
    runs = [scores(lighthouse, f"{address}/{place}", device) for _ in range(RUNS)]
    median = {name: statistics.median(run[name] for run in runs) for name in LEAST[device]}
    ARTIFACTS.mkdir(exist_ok=True)
    name = f"lighthouse-{device}-{place.replace('/', '_')}.json"
    (ARTIFACTS / name).write_text(json.dumps({"median": median, "runs": runs}, indent=1))
    low = {
        name: (median[name], least) for name, least in LEAST[device].items() if median[name] < least
    }
    assert not low, f"{place}, {device}: (median, least) {low}; runs {runs}"
