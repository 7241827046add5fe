"""Which lines of which files a page shows: only those count as read under their token (SAFETY, Writes)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from services.server.paging import CURSOR
from services.source.read.reading import Reading


def deliver(reading: Reading, page: Any) -> None:
    """Counts the lines that a page of an answer shows."""
    for path, first, last in shown(page):
        reading.delivered(path, first, last)


def shown(page: Any) -> Iterator[tuple[str, int, int]]:
    """(file, first, last) of the lines of source in a page. A line that is cut by the page's end is shown by the page
    that has its end; answers that are no lines of source show none."""
    if not (isinstance(page, Mapping) and page.get("content") and "token" in page):
        return
    stretches = [(piece["file"], piece["startLine"], piece["endLine"]) for piece in page.get("pieces", ())]
    if not stretches and not page.get("includeType"):
        stretches = [(page["file"], page["startLine"], page["endLine"])]
    if CURSOR in page and stretches and not page["content"].endswith("\n"):
        path, first, last = stretches[-1]
        stretches[-1] = (path, first, last - 1)
    yield from (each for each in stretches if each[1] <= each[2])
