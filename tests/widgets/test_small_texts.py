from __future__ import annotations

from tests.widgets.host import Host, painted
from widgets.chrome.pane import EmptyState
from widgets.chrome.search_box import CountLine, Counts


async def test_the_count_line_says_how_many_and_how_fast() -> None:
    line = CountLine()
    async with Host(line).run_test(size=(40, 3)) as pilot:
        assert painted(line)[0].strip() == ""
        line.counts = Counts(1204, 18230, 3.2)
        await pilot.pause()
        assert " ".join(painted(line)[0].split()) == "1 204 of 18 230 · 3 ms"
        line.counts = Counts(0, 5)
        await pilot.pause()
        assert painted(line)[0].strip() == "0 of 5"


async def test_an_empty_state_is_a_sentence_and_advice_as_text() -> None:
    state = EmptyState("No [b]symbols[/b]", "Press / \x1b")
    async with Host(state).run_test(size=(40, 9)):
        shown = [line.strip() for line in painted(state) if line.strip()]
        assert shown == ["No [b]symbols[/b]", "Press / ␛"]
