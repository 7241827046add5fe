"""What the window lacks, in two lines: what is said, and which word does what."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import pytest
from textual.pilot import Pilot

from services.model import Completeness, Level, Missing, Unneeded
from tests.support.stage_bench import TREE
from tests.widgets.host import Ear, Host, painted
from workbench.panes.window_pane import ADD, LIST, MissingLine


def missing(suggested: Level | None = None) -> Missing:
    return Missing(symbol=TREE, named=1, used=0, signature=10, outline=20, suggested=suggested)


def unneeded(refers: int) -> Unneeded:
    return Unneeded(key="k", label="B", tokens=5, refers=refers)


def completeness(
    lacks: Sequence[Missing] = (), idle: Sequence[Unneeded] = (), tokens: int = 0
) -> Completeness:
    return Completeness(
        referred=9 * bool(lacks),
        shown=2,
        types=9,
        types_shown=2,
        missing=tuple(lacks),
        unneeded=tuple(idle),
        room=1000,
        suggested_tokens=tokens,
    )


@asynccontextmanager
async def line_of(
    its: Completeness | None, ear: Ear | None = None, *, add: str = "a", listed: str = "w"
) -> AsyncIterator[tuple[MissingLine, Pilot[None]]]:
    line = MissingLine()
    async with Host(line).run_test(size=(60, 6), message_hook=ear) as pilot:
        line.set_reactive(MissingLine.add_key, add)
        line.set_reactive(MissingLine.list_key, listed)
        line.completeness = its
        await pilot.pause()
        yield line, pilot


OUTLINED = missing(Level.OUTLINE)


@pytest.mark.parametrize(
    ("its", "lines"),
    [
        (
            completeness([OUTLINED] * 3, tokens=412),
            ["3 referred to, not shown [w]", "+412 tokens [a] add", "2 of 9 members shown"],
        ),
        (
            completeness([OUTLINED, missing(), missing()], tokens=90),
            ["3 referred to, not shown [w]", "1 fit: +90 tokens [a] add", "2 of 9 members shown"],
        ),
        (
            completeness([missing()]),
            ["1 referred to, not shown [w]", "none fits the share of pins", "2 of 9 members shown"],
        ),
        (completeness([], [unneeded(0)]), ["1 pin referred to by nothing [w]"]),
        (
            completeness([missing()], [unneeded(0), unneeded(0), unneeded(3)]),
            [
                "1 referred to, not shown [w]",
                "none fits the share of pins",
                "2 of 9 members shown",
                "2 pins referred to by nothing",
            ],
        ),
    ],
    ids=["all fit", "some fit", "none fits", "nothing refers to a pin", "both"],
)
async def test_what_is_missing_and_what_is_idle_is_counted_with_the_keys_that_help(
    its: Completeness, lines: list[str]
) -> None:
    async with line_of(its) as (line, _):
        assert line.display
        assert [" ".join(each.split()) for each in painted(line)] == lines


@pytest.mark.parametrize(
    "its",
    [None, completeness(), completeness([], [unneeded(2)])],
    ids=["not weighed", "complete", "a pin that is asked about"],
)
async def test_where_there_is_nothing_to_say_it_takes_no_line(its: Completeness | None) -> None:
    async with line_of(completeness([missing()])) as (line, pilot):
        line.completeness = its
        await pilot.pause()
        assert not line.display


async def test_the_keys_are_those_in_force_and_one_without_a_key_is_still_there_to_click() -> None:
    async with line_of(completeness([OUTLINED], tokens=1), add="", listed="f2\x1b") as (line, _):
        assert [" ".join(each.split()) for each in painted(line)] == [
            "1 referred to, not shown [f2␛]",
            "+1 token add",
            "2 of 9 members shown",
        ]


async def test_a_click_on_a_word_asks_for_it_and_one_beside_it_for_nothing() -> None:
    ear = Ear(MissingLine.PartPressed)
    async with line_of(completeness([OUTLINED], tokens=412), ear) as (line, pilot):
        first, second, _ = painted(line)
        for words, row, word in ((first, 0, "[w]"), (second, 1, "tokens"), (second, 1, "add")):
            await pilot.click(line, offset=(words.index(word) + 2, row))
        await pilot.pause()
    assert [message.wish for message in ear.heard] == [LIST, ADD]  # pyright: ignore[reportAttributeAccessIssue]
