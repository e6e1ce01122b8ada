"""Links between the pages of the documentation lead somewhere."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

ROOT = Path(__file__).parents[3]
PAGES = sorted([ROOT / "README.md", ROOT / "CHANGELOG.md", *(ROOT / "docs").rglob("*.md")])


def links(page: Path) -> list[str]:
    """The targets of a page's links and pictures."""
    tokens = MarkdownIt().parse(page.read_text(encoding="utf-8"))
    inline = [child for token in tokens for child in token.children or ()]
    return [str(each.attrs[name]) for each in inline for name in ("href", "src") if name in each.attrs]


def anchors(page: Path) -> set[str]:
    """The names that headings get on GitHub: small letters, spaces as dashes, no punctuation."""
    tokens = MarkdownIt().parse(page.read_text(encoding="utf-8"))
    titles = [inline.content for heading, inline in pairwise(tokens) if heading.type == "heading_open"]
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_leads_to_a_page_that_is_there(page: Path) -> None:
    broken = []
    for link in links(page):
        if link.startswith(("http://", "https://", "mailto:")):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        if not target.exists() or (anchor and anchor not in anchors(target)):
            broken.append(link)
    assert not broken


def test_every_page_is_reached_from_the_readme() -> None:
    reached, waiting = set(), [ROOT / "README.md"]
    while waiting:
        page = waiting.pop()
        if page in reached or page.suffix != ".md":
            continue
        reached.add(page)
        local = [link.partition("#")[0] for link in links(page) if "://" not in link]
        waiting += [(page.parent / link).resolve() for link in local if link]
    assert set((ROOT / "docs").rglob("*.md")) <= reached
