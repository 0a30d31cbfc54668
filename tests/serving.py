"""The built site, served as a host serves it: compressed, on a port of its own."""

import contextlib
import functools
import gzip
import http.server
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

from classroom.environment import ROOT

COMPRESSED = (".html", ".css", ".js", ".json", ".svg", ".xml", ".txt", ".map")


def build(folder: Path, *options: str) -> subprocess.CompletedProcess:
    """Build the site into `folder`, as if no repository and no address were configured."""
    command = [sys.executable, "-m", "mkdocs", "build", "--site-dir", str(folder), *options]
    environ = {**os.environ, "NO_MKDOCS_2_WARNING": "1", "REPOSITORY_URL": "", "SITE_URL": ""}
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, env=environ)


def pages(site: Path) -> list[str]:
    """The addresses of all pages, from the site's root."""
    return sorted(file.relative_to(site).as_posix() for file in site.rglob("*.html"))


def compressed(file: Path) -> int:
    """A file's size on the wire."""
    data = file.read_bytes()
    return len(gzip.compress(data)) if file.suffix in COMPRESSED else len(data)


class Handler(http.server.SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def __init__(self, *args, base: str, **options):
        self.base = base  # the site's folder on its host
        super().__init__(*args, **options)

    def log_message(self, *args):
        pass

    def do_GET(self):
        file = Path(self.translate_path(self.path.removeprefix(self.base)))
        there = self.path.startswith(f"{self.base}/") and file.is_file()
        if not there:
            file = Path(self.directory) / "404.html"
        data = file.read_bytes()
        self.send_response(200 if there else 404)
        self.send_header("Content-Type", self.guess_type(str(file)))
        self.send_header("Cache-Control", "max-age=600")
        if file.suffix in COMPRESSED and "gzip" in self.headers.get("Accept-Encoding", ""):
            data = gzip.compress(data)
            self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        with contextlib.suppress(ConnectionError):
            self.wfile.write(data)


@contextlib.contextmanager
def serving(site: Path, base: str = "") -> Iterator[str]:
    """The address under which the folder is served, until the end of the block."""
    handler = functools.partial(Handler, directory=site, base=base)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}{base}"
        server.shutdown()
