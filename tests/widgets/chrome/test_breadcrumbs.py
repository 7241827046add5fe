"""The way from a namespace to a member: what of it fits, and where a click leads."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from tests.widgets.host import Ear, Host, painted
from widgets.chrome.breadcrumbs import Breadcrumbs

STEPS = (("N_1", "Orchard"), ("T_1", "Tree"), ("M_1", "Prune()"))


async def shown(steps: Sequence[tuple[str, str]], room: int, titled: str = "") -> str:
    """What is painted where there are so many cells for the steps."""
    bar = Breadcrumbs()
    async with Host(bar).run_test(size=(room + 1, 3)) as pilot:
        bar.steps, bar.titled = steps, titled
        await pilot.pause()
        return painted(bar)[0].strip()


@pytest.mark.parametrize(
    ("room", "line"),
    [
        (40, "Orchard ▸ Tree ▸ Prune()"),
        (24, "Orchard ▸ Tree ▸ Prune()"),
        (23, "Tree ▸ Prune()"),
        (14, "Tree ▸ Prune()"),
        (13, "Prune()"),
        (11, ""),
    ],
    ids=str,
)
async def test_what_does_not_fit_is_left_out_in_front(room: int, line: str) -> None:
    assert await shown(STEPS, room) == line


async def test_a_step_takes_the_cells_that_it_is_shown_in() -> None:
    steps = (("N_1", "漢字漢字"), ("T_1", "e\u0301" * 4), ("M_1", "Height"))
    assert await shown(steps, 24) == "漢字漢字 ▸ " + "e\u0301" * 4 + " ▸ Height"
    assert await shown(steps, 23) == "e\u0301" * 4 + " ▸ Height"


async def test_the_last_step_is_cut_where_it_alone_is_too_long() -> None:
    assert await shown((("T_1", "Tree"), ("M_1", "PruneEveryBranchOfIt()")), 14) == "PruneEveryBra…"


async def test_a_last_step_that_the_title_says_is_left_out() -> None:
    assert await shown(STEPS, 40, titled="Prune()") == "Orchard ▸ Tree"
    assert await shown(STEPS[-1:], 40, titled="Prune()") == ""
    assert await shown(STEPS, 40, titled="Tree") == "Orchard ▸ Tree ▸ Prune()"


async def test_nowhere_is_blank() -> None:
    assert await shown((), 40) == ""


async def test_names_are_text_and_send_nothing() -> None:
    assert await shown((("T_1", "[b]A\x1b[2J"), ("T_2", "\u202eB")), 40) == "[b]A␛[2J ▸ ⟨U+202E⟩B"


async def test_a_click_follows_the_step_under_it_and_between_steps_nothing() -> None:
    ear, bar = Ear(Breadcrumbs.Followed), Breadcrumbs()
    async with Host(bar).run_test(size=(25, 3), message_hook=ear) as pilot:
        bar.steps = STEPS
        await pilot.pause()
        line = painted(bar)[0]
        for word in ("Orchard", "Prune", "▸", "Tree"):
            await pilot.click(bar, offset=(line.index(word) + 1, 0))
        await pilot.pause()
    assert [message.target for message in ear.heard] == ["N_1", "M_1", "T_1"]  # pyright: ignore[reportAttributeAccessIssue]
