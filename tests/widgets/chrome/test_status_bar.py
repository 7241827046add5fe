from __future__ import annotations

import pytest

from services.model import Progress
from tests.widgets.host import Host, painted
from widgets.chrome.status_bar import StatusBar, StatusLine

FULL = StatusLine("Newtonsoft.Json", "main", 3, 612, "fresh", None, 11.4)


async def line(status: StatusLine, width: int = 110) -> str:
    bar = StatusBar()
    async with Host(bar).run_test(size=(width, 3)) as pilot:
        bar.status = status
        await pilot.pause()
        return painted(bar)[0]


async def test_place_and_state() -> None:
    shown = await line(FULL)
    assert " ".join(shown.split()) == (
        "CodeCortex Newtonsoft.Json · main · 3 projects · 612 types ● fresh idle 11 ms"
    )


async def test_what_others_did_comes_before_the_state_and_takes_a_third_at_most() -> None:
    said = "claude changed ResilienceContextPolicy.cs 13:26"
    assert f"{said}  ● fresh" in await line(StatusLine(freshness="fresh", others=said), 150)
    cut = await line(StatusLine("Polly", freshness="fresh", others=said), 80)
    assert "claude changed Resi" in cut
    assert "13:26" not in cut


async def test_a_job_has_a_bar_and_a_rate() -> None:
    job = Progress(phase="indexing", done=50, total=100, elapsed=5)
    assert (await line(StatusLine(job=job))).split() == ["CodeCortex", "indexing", "█████", "50%", "10/s"]


async def test_a_job_of_unknown_length_counts() -> None:
    assert "scanning 50" in await line(StatusLine(job=Progress(phase="scanning", done=50, total=None)))


@pytest.mark.parametrize("width", [1, 10, 30, 50, 80])
async def test_what_does_not_fit_is_cut_on_the_left_side_first(width: int) -> None:
    shown = await line(FULL, width)
    assert len(shown) <= width
    if width >= 30:
        assert "fresh  idle" in shown


async def test_nothing_known_yet() -> None:
    assert (await line(StatusLine())).split() == ["CodeCortex", "idle"]


async def test_a_branch_with_a_hostile_name_sends_nothing() -> None:
    shown = await line(StatusLine("[b]x", "a\x1b]0;t\x07\u202e"))
    assert "[b]x · a␛]0;t␇⟨U+202E⟩" in shown
