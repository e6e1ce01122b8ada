"""A browser for whoever needs one."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from playwright.async_api import Page

from tests.acceptance.browser import open_page


@pytest.fixture
async def page() -> AsyncIterator[Page]:
    async with open_page() as page:
        yield page
