"""The page in a browser."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from made_report import made_page

CLICKS = """
<script>
const heads = [...document.querySelectorAll("thead button")];
const names = () => [...document.querySelectorAll("tbody th")]
  .map((cell) => cell.textContent[0]).join("");
const found = [names()];
for (const column of [1, 1, 1, 2, 0]) { heads[column].click(); found.push(names()); }
document.title = "order " + found.join(" ");
</script></body>"""


@pytest.fixture(scope="module")
def browser() -> str:
    found = shutil.which("chromium") or shutil.which("chromium-browser")
    if found is None:
        pytest.skip("the page is opened in Chromium, which is not installed")
    return found


def test_a_click_on_a_head_sorts(browser, tmp_path: Path):
    # The page lets no script in but its own; here it has to let in the one that clicks.
    open_page = re.sub(r"script-src '[^']*'", "script-src 'unsafe-inline'", made_page())
    shown, _ = browse(browser, open_page.replace("</body>", CLICKS), tmp_path)
    # As written; means downwards, upwards, as written again; p downwards, its "-" last; names.
    assert "<title>order LM&lt; ML&lt; &lt;LM LM&lt; M&lt;L &lt;LM</title>" in shown


def test_the_page_runs_its_own_script_and_no_other(browser, tmp_path: Path):
    shown, said = browse(browser, made_page(), tmp_path)
    assert "<button" in shown
    assert "CONSOLE" not in said
    shown, said = browse(browser, made_page().replace("</body>", CLICKS), tmp_path)
    assert "<title>order" not in shown
    assert "CONSOLE" in said


def browse(browser: str, page: str, folder: Path) -> tuple[str, str]:
    """The document after its scripts have run, and what the browser said meanwhile."""
    file = folder / "page.html"
    file.write_text(page, encoding="utf-8")
    options = (
        *("--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-sync"),
        *("--disable-background-networking", "--disable-component-update"),
        *("--enable-logging=stderr", f"--user-data-dir={folder / 'profile'}"),
    )
    command = [browser, *options, "--dump-dom", file.as_uri()]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    return done.stdout, done.stderr
