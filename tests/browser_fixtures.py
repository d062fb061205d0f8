"""Fixtures of the tests of pages: the Chromium of the system, driven by Playwright."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

__all__ = ["browser", "open_page", "pytest_collection_modifyitems", "run_axe", "screenshot"]

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Route

_PROGRAMS = ("chromium", "chromium-browser", "google-chrome")


@pytest.hookimpl(tryfirst=True)  # before xdist reads the groups
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keep all tests with a browser in one process, so that one browser runs at a time."""
    for item in items:
        if "browser" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.xdist_group("browser"))


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """One browser for all tests; they are skipped without it."""
    if not os.environ.get("ISTHMUS_BROWSER_TESTS"):
        pytest.skip("pages are opened in Chromium by: make browser")
    reason = "the tests of pages need the extra 'browser': make browser"
    playwright = pytest.importorskip("playwright.sync_api", reason=reason)
    program = next(filter(None, map(shutil.which, _PROGRAMS)), None)
    if program is None:
        pytest.skip("the tests of pages need Chromium, for example the Debian package chromium")
    # Containers have little shared memory, and their root cannot make a sandbox.
    arguments = ["--disable-dev-shm-usage"]
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        arguments.append("--no-sandbox")
    with playwright.sync_playwright() as driver:
        chromium = driver.chromium.launch(executable_path=program, args=arguments)
        yield chromium
        chromium.close()


class PageOpener:
    """Opens pages and keeps the problems that they have; the fixture ``open_page``.

    ``problems`` are the errors of the script and of the console, and the addresses of all requests
    except the one for the page. No other request is answered.
    """

    def __init__(self, browser: Browser) -> None:
        self.problems: list[str] = []
        self._browser = browser
        self._contexts: list[BrowserContext] = []

    def __call__(
        self,
        path: Path,
        width: int = 1280,
        height: int = 900,
        dark: bool = False,
        with_script: bool = True,
        for_print: bool = False,
    ) -> Page:
        """Open the file on a screen of this size; the test closes nothing itself."""
        context = self._browser.new_context(
            viewport={"width": width, "height": height},
            color_scheme="dark" if dark else "light",
            # An animation would make positions depend on the time.
            reduced_motion="reduce",
            java_script_enabled=with_script,
        )
        self._contexts.append(context)
        address = path.resolve().as_uri()

        def answer(route: Route) -> None:
            if route.request.url.partition("#")[0] == address:
                route.continue_()
            else:
                self.problems.append(f"request: {route.request.url}")
                route.abort()

        def keep_errors(message: ConsoleMessage) -> None:
            if message.type in ("error", "warning"):
                self.problems.append(f"console: {message.text}")

        context.route("**/*", answer)
        page = context.new_page()
        page.on("console", keep_errors)
        page.on("pageerror", lambda error: self.problems.append(f"script: {error}"))
        page.on("popup", lambda popup: self.problems.append(f"window: {popup.url}"))
        if for_print:
            page.emulate_media(media="print")
        page.goto(address)
        return page

    def close(self) -> None:
        """Close what was opened."""
        for context in self._contexts:
            context.close()


@pytest.fixture
def open_page(browser: Browser) -> Iterator[PageOpener]:
    """Open a page by its path: ``open_page(path, width=360, dark=True)``.

    The test fails at its end if the page had an error or tried to load anything.
    """
    opener = PageOpener(browser)
    yield opener
    opener.close()
    assert not opener.problems, "\n".join(opener.problems)


@pytest.fixture
def run_axe() -> Callable[[Page], None]:
    """Check the accessibility of an open page: ``run_axe(page)``."""
    reason = "the tests of pages need the extra 'browser': make browser"
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason=reason)

    def run(page: Page) -> None:
        violations = axe.Axe().run(page).response["violations"]
        lines = []
        for violation in violations:
            lines.append(f"{violation['id']} ({violation['impact']}): {violation['help']}")
            for node in violation["nodes"][:5]:
                lines.append(f"  {node['target']}: {node['html'][:200]}")
                checks = [*node["any"], *node["all"], *node["none"]]
                lines += [f"    {check['message']}" for check in checks]
            if len(violation["nodes"]) > 5:
                lines.append(f"  and {len(violation['nodes']) - 5} more")
        assert not lines, "\n".join(["axe:", *lines])

    return run


@pytest.fixture
def screenshot() -> Callable[[Page, str], None]:
    """Write a picture of the whole page to the folder that ISTHMUS_SCREENSHOTS names, if it does.

    ``screenshot(page, "benchmark-dark")`` writes ``benchmark-dark.png``.
    """

    def write(page: Page, name: str) -> None:
        folder = os.environ.get("ISTHMUS_SCREENSHOTS", "")
        if folder:
            page.screenshot(path=Path(folder) / f"{name}.png", full_page=True)

    return write
