"""What nobody expects: ten thousand pins, a name of three hundred characters, a terminal that shrinks under a dialog, a
paste of five megabytes, another folder in the place of the one that is open."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace
from textual import events
from textual.widgets import Input, TextArea

from services.bench import Bench
from services.model import Kind, Window, WindowItem
from services.settings import IndexSettings, Settings
from tests.support.eventually import until
from tests.support.serving import SHOP
from tests.support.stage import SIZE, Stage, on_stage
from tests.support.stage_bench import StageBench, ref
from tests.support.workspace import write_workspace
from tests.widgets.host import painted
from widgets.chrome.pane import Pane

PINS = 10_000
NAME = "Very" + "Long" * 73 + "Name"
SIZES = [(80, 24), (120, 36), (200, 60)]
PASTED = "x = 1; // a line\n" * 300_000
ONE_LINE = "word " * 1_000_000


class _FullBench(StageBench):
    """The window holds ten thousand pins."""

    def render(self, *, format: str = "md") -> Window:  # noqa: A002
        item = WindowItem(key="T", kind="type", label="T", detail="", pinned=True, tokens=10)
        items = tuple(replace(item, key=f"type:T{at}", label=f"Type{at}") for at in range(PINS))
        return replace(super().render(format=format), items=items, tokens=10 * PINS, pinned_tokens=10 * PINS)


async def test_ten_thousand_pins_are_listed_stepped_through_and_reached_at_their_end() -> None:
    async with on_stage(_FullBench()) as stage:
        await stage.press("escape", "3", "end")
        items = stage.main.window.items
        assert items.current is not None
        assert items.current.label == f"Type{PINS - 1}"
        assert any(f"Type{PINS - 1}" in line for line in painted(items))
        await stage.press("up")
        assert items.current.label == f"Type{PINS - 2}"
        assert "10 000" in str(stage.main.window.title) or stage.main.situation.items == PINS


def test_the_name_has_three_hundred_characters() -> None:
    assert len(NAME) == 300


@pytest.mark.parametrize("size", SIZES)
async def test_a_name_of_three_hundred_characters_leaves_its_price_and_every_frame_in_view(
    size: tuple[int, int],
) -> None:
    bench = StageBench(symbols=(ref("T_AAAAAAAA", Kind.CLASS, f"Orchard.{NAME}", 6),))
    async with on_stage(bench, size=size) as stage:
        rows = stage.main.symbols.results
        await until(lambda: painted(rows)[0].rstrip().endswith(" 40"))
        assert "…" in painted(rows)[0]
        await stage.press("enter", "escape", "space")
        for keys in ("m", "ctrl+o", "exclamation_mark"):
            await stage.press(keys)
            assert _fits(stage), keys
            await stage.press("escape")


DIALOGS = ["comma", "question_mark", "t", "ctrl+p", "ctrl+n", "A", "m", "b", "f2", "f7", "V", "dollar_sign"]


@pytest.mark.parametrize("key", DIALOGS)
async def test_a_terminal_that_shrinks_under_a_dialog_leaves_it_whole_and_to_be_closed(key: str) -> None:
    async with on_stage(size=(120, 36)) as stage:
        await stage.press("escape", key)
        for width, height in ((60, 20), (30, 10), (12, 5), (100, 30)):
            await stage.pilot.resize_terminal(width, height)
            await stage.settle()
            assert _fits(stage), (width, height)
        await stage.press("escape")
        assert stage.app.screen is stage.main


def _fits(stage: Stage) -> bool:
    """Whether the frame of what is open lies within the terminal."""
    panes = stage.app.screen.query(Pane)
    return all(stage.app.size.region.contains_region(pane.region) for pane in panes if pane.display)


BOXES = [
    (),
    ("escape", "g"),
    ("ctrl+o",),
    ("escape", "ctrl+n"),
    ("escape", "b"),
    ("escape", "V"),
    ("ctrl+p",),
]


@pytest.mark.parametrize("text", [PASTED, ONE_LINE], ids=["lines", "one line"])
@pytest.mark.parametrize(
    "keys", BOXES, ids=["search", "grep", "go to", "note", "compare", "answer", "palette"]
)
async def test_a_paste_of_five_megabytes_is_refused_with_a_reason_and_what_was_typed_stays(
    keys: tuple[str, ...], text: str
) -> None:
    async with on_stage() as stage:
        if keys:
            await stage.press(*keys)
        box = stage.app.screen.focused
        assert isinstance(box, Input | TextArea)
        await stage.press("x")
        box.post_message(events.Paste(text))
        await stage.settle()
        assert (box.value if isinstance(box, Input) else box.text) == "x"
        assert "Nothing was pasted" in stage.said[-1]
        await stage.press("y")
        assert (box.value if isinstance(box, Input) else box.text) == "xy"


async def test_another_folder_in_the_place_of_the_one_that_is_open_is_told(tmp_path: Path) -> None:
    root = write_workspace(tmp_path / "root", SHOP)
    settings = Settings(index=IndexSettings(workers=1))
    stage = Stage(lambda: Bench.open(root, settings=settings))
    async with stage.app.run_test(size=SIZE, notifications=True) as stage.pilot:  # pyright: ignore[reportAttributeAccessIssue]
        await until(lambda: stage.has_main and stage.main.status.status.freshness == "fresh")
        await stage.settle()
        root.rename(root.with_name("moved"))
        write_workspace(root, {"Other.cs": "public class Other { }"})
        await until(lambda: stage.main.status.status.freshness == "impaired")
        await until(lambda: any("another lies in its place" in each for each in stage.noted))
        assert [path.name for path in root.rglob("*")] == ["Other.cs"]
