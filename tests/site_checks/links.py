"""Every link of the built site, with its fragment; nothing is fetched from other hosts."""

import shutil
import subprocess


def lychee(folder) -> subprocess.CompletedProcess:
    program = shutil.which("lychee")
    assert program, "lychee is missing: it comes with requirements.txt"
    command = [program, "--offline", "--include-fragments", "--no-progress", "--format", "detailed"]
    # 404.html is served from any depth, so its links begin at the host's root.
    command += ["--exclude-path", "404.html", str(folder)]
    return subprocess.run(command, capture_output=True, text=True)


def test_every_link_and_fragment(site):
    done = lychee(site)
    assert done.returncode == 0, (done.stdout + done.stderr)[-3000:]


def test_a_broken_fragment_would_be_seen(tmp_path):
    (tmp_path / "a.html").write_text('<p id="here"><a href="b.html#here">b</a></p>')
    (tmp_path / "b.html").write_text('<p id="there">b</p>')
    assert lychee(tmp_path).returncode != 0
    (tmp_path / "b.html").write_text('<p id="here">b</p>')
    assert lychee(tmp_path).returncode == 0
