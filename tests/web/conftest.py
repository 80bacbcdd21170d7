"""One browser for all tests of a file, and servers that end with the test."""

from __future__ import annotations

import shutil
from contextlib import ExitStack
from urllib.parse import urlsplit

import pytest

from thalweg.web.server import PageServer
from thalweg.web.shelves import FolderShelf

ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


@pytest.fixture(scope="module")
def browser():
    """A real browser without a window; no longer than need be, since it keeps an event loop running."""
    path = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if path is None:
        pytest.skip("there is no Chromium on this machine")
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with playwright.sync_playwright() as running:
        started = running.chromium.launch(executable_path=path, args=list(ARGUMENTS))
        yield started
        started.close()


@pytest.fixture
def open_page(browser):
    """Opens a page; at the end no page may have complained, or asked another host for anything."""
    complaints, asked, tolerated = [], [], []
    with ExitStack() as stack:

        def opened(address, size=(1300, 760), tolerate=(), **options):
            context = browser.new_context(viewport={"width": size[0], "height": size[1]}, **options)
            stack.callback(context.close)
            page = context.new_page()
            page.set_default_timeout(8_000)
            tolerated.extend(tolerate)
            page.on("console", lambda said: complaints.append(said.text) if said.type in ("error", "warning") else None)
            page.on("pageerror", lambda error: complaints.append(str(error)))
            page.on("dialog", lambda dialog: complaints.append(f"dialog {dialog.message}"))
            page.on("request", lambda request: asked.append(request.url))
            page.goto(address)
            return page

        yield opened
    assert [said for said in complaints if not any(part in said for part in tolerated)] == []
    assert {urlsplit(url).hostname for url in asked} <= {"127.0.0.1", None, ""}
    assert {urlsplit(url).scheme for url in asked} <= {"http", "file", "data"}


@pytest.fixture
def serve():
    """Serves a shelf, or the runs below a folder; returns the address."""
    with ExitStack() as stack:

        def served(shelf, port=0):
            server = PageServer(shelf if hasattr(shelf, "runs") else FolderShelf([shelf]), port=port)
            stack.callback(stop, server)
            server.start()
            return server.address

        yield served


def stop(server):
    server.shutdown()
    server.server_close()
