from __future__ import annotations

import pytest

from services.model import Progress
from tests.widgets.host import Host, painted
from widgets.chrome.status_bar import ProgressLine, amount, rate, time_left


def progress(done: int, total: int | None, *, unit: str = "files", elapsed: float = 0.0) -> Progress:
    return Progress(phase="indexing", done=done, total=total, unit=unit, elapsed=elapsed)


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (progress(0, 0), ("0 files", "", "")),
        (progress(10, None, elapsed=2), ("10 files", "5/s", "")),
        (progress(10, 40, elapsed=2), ("10 of 40 files", "5/s", "6 s left")),
        (progress(10, 40, elapsed=0.1), ("10 of 40 files", "", "")),
        (progress(50, 40, elapsed=2), ("50 of 40 files", "25/s", "0 s left")),
        (progress(1, 400, elapsed=2), ("1 of 400 files", "0/s", "13 min left")),
        (progress(2_000_000, 7_000_000, unit="bytes", elapsed=4), ("2.0 of 7.0 MB", "0.5 MB/s", "10 s left")),
    ],
)
def test_amount_rate_and_time(value: Progress, said: tuple[str, str, str]) -> None:
    assert (amount(value), rate(value), time_left(value)) == said


async def test_the_line_says_how_to_cancel_and_is_blank_without_work() -> None:
    line = ProgressLine(cancel_hint="esc cancels")
    async with Host(line).run_test(size=(100, 3)) as pilot:
        assert painted(line)[0].strip() == ""
        line.progress = progress(10, 40, elapsed=2)
        await pilot.pause()
        said = " ".join(painted(line)[0].split())
        assert said == "indexing █████ 10 of 40 files 5/s 6 s left esc cancels"
