"""Take the pictures of a report that the documentation shows (extra ``browser``, Chromium).

    python tools/report_pictures.py

Writes docs/images/report-words.png and report-verdict.png, from generated reviews.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from isthmus import Transfer
from isthmus.datasets import make_corpus

_IMAGES = Path(__file__).parents[1] / "docs" / "images"
_PARTS = {
    "report-words.png": "#words svg.words",
    "report-verdict.png": "#verdict",
}


def main() -> None:
    """Fit, write the report and take the pictures."""
    corpus = make_corpus()
    model = Transfer().fit(
        {"books": (corpus.source_texts, corpus.source_labels)},
        target_texts={"kitchen": corpus.target_texts},
    )
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        path = Path(folder) / "report.html"
        model.report(path)
        browser = driver.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        page = browser.new_page(viewport={"width": 1000, "height": 900}, color_scheme="light")
        page.goto(path.as_uri())
        for name, selector in _PARTS.items():
            page.locator(selector).screenshot(path=_IMAGES / name)
        browser.close()


if __name__ == "__main__":
    main()
