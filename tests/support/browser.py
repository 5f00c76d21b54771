"""A real browser for pages: Debian's Chromium, driven by Playwright, which must not download one of its own."""

import contextlib
import shutil
from pathlib import Path

from support.databases import absent
from support.optional import need

NAMES = ("chromium", "chromium-browser", "google-chrome")
# Without a network of its own to talk to: a browser that looks for updates would only wait.
ALONE = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync"]


@contextlib.contextmanager
def open_browser():
    """A Chromium; a test skips where there is none, except where everything is required."""
    driver = need("playwright.sync_api")
    found = next(filter(None, map(shutil.which, NAMES)), None)
    if found is None:
        absent("there is no Chromium; install Debian's package chromium")
    with driver.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=ALONE)
        try:
            yield browser
        finally:
            browser.close()


def new_context(browser, **settings):
    """A context of its own, which is offline and as large as a screen unless said otherwise."""
    return browser.new_context(**{"viewport": {"width": 1400, "height": 900}, "offline": True, **settings})


class Visit:
    """A page that was opened from disk, offline, with all that it said and asked for on the way."""

    def __init__(self, browser, path, shared=None, **settings):
        self.context = shared or new_context(browser, **settings)
        self.page, self.alone = self.context.new_page(), shared is None
        self.said, self.requests, self.sent = [], [], []
        # What gets past the page's policy comes here, and no further.
        self.context.route(lambda url: not url.startswith("file:"), self._stop)
        self.page.on("console", lambda message: self.said.append(message.text))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.on("dialog", lambda dialog: (self.said.append(dialog.message), dialog.dismiss()))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.goto(Path(path).as_uri())

    def close(self):
        """Close the page, and its context if it is of nobody else."""
        self.page.close()
        self.context.unroute_all()
        if self.alone:
            self.context.close()

    def _stop(self, route):
        self.sent.append(route.request.url)
        route.abort()

    def ready(self):
        """Wait until the first answers are there."""
        self.page.wait_for_selector("html[data-ready]", timeout=60_000)
        return self.page


def figures(page, given, do=None, asked=None):
    """All answers of the page: node -> level -> probability, lower, upper, privacy; of one where others take long."""
    return page.evaluate("([given, set, asked]) => discreet.ask(given, set, asked)", [given, do or {}, asked])
