"""Headless Chromium for the tests that look at the page as a person does."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from playwright.async_api import Page, async_playwright, expect

CHROMIUM = shutil.which("chromium")
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]

# How long a busy machine may take; a passing test never waits for it.
expect.set_options(timeout=20_000)

needs_browser = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed"),
]


@asynccontextmanager
async def open_page() -> AsyncIterator[Page]:
    """A new tab in a new browser."""
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield await browser.new_page(viewport={"width": 1400, "height": 900})
        await browser.close()
