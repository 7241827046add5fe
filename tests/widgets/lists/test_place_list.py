"""Rows of places: what of a long line is shown."""

from __future__ import annotations

import pytest

from tests.widgets.host import Host, painted
from widgets.lists.place_list import PlaceList, PlaceRow

TEXT = "    return await manager.ReportPlaybackStoppedAsync(session, arguments).ConfigureAwait(false);"


@pytest.mark.parametrize(
    ("hit", "width", "shown"),
    [
        ("return", 30, "▸7 return await manager.Report"),
        ("session", 30, "▸7 …(session, arguments).Confi"),
        ("Configure", 30, "▸7 …).ConfigureAwait(false);"),
        ("StoppedAsync", 24, "▸7 …StoppedAsync(session"),
    ],
)
async def test_a_line_that_is_scrolled_to_what_matched_begins_with_a_word(
    hit: str, width: int, shown: str
) -> None:
    at = TEXT.index(hit)
    view = PlaceList()
    async with Host(view).run_test(size=(width, 4)):
        view.set_rows([PlaceRow("A.cs", 7, TEXT, spans=((at, at + len(hit)),))])
        assert painted(view)[0].rstrip() == shown.rstrip()
