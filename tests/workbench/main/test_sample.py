"""The workbench over the real services and the sample solution: find, open, pin, copy, leave, come back."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from services.bench import Bench
from services.semantic.values import Author, NoteFields
from services.settings import Settings
from tests.support.eventually import until
from tests.support.stage import Stage
from tests.support.steady import SteadyBench

KEPT = NoteFields(role="Keeps the book.", lifecycle="a", edge_cases="b", limitations="c", recommendations="d")
SCREENSHOTS = Path(__file__).parents[3] / "screenshots"
_FONT = re.compile(r"@font-face\s*\{[^}]*\}\s*")
_TIME_READ = re.compile(r"(read&#160;it&#160;)\d+")
"""Of a lock, which the clock counts down."""


@pytest.fixture
def stage(orchard: Path) -> Callable[..., Stage]:
    """Stages on one copy of the sample, in which nothing has been done yet."""

    def make(theme: str = "codecortex-dark") -> Stage:
        settings = Settings()
        made = Stage(lambda: SteadyBench.open(orchard, settings=settings))
        made.app.theme = theme
        return made

    return make


async def test_find_open_pin_copy_and_come_back(stage: Callable[..., Stage]) -> None:
    played = stage()
    async with played.app.run_test(size=(120, 36), notifications=True) as played.pilot:
        await played.settle()
        await played.type("harvestledger")
        main = played.main
        assert main.symbols.current is not None
        assert main.symbols.current.label == "HarvestLedger"
        await played.press("ctrl+@", "enter")
        assert " class HarvestLedger" in main.code.text[0].split("\n")[0]
        await played.press("s")
        assert "class HarvestLedger" in main.code.source.laid_out(main.code.source.cursor_line - 1).text
        await played.press("y")
        assert main.window.window is not None
        assert len(played.copied) == 1
        assert played.copied[0].endswith("\n\n" + main.window.window.text.rstrip("\n") + "\n")
        assert "HarvestLedger" in played.copied[0]
        assert re.fullmatch(
            r"[\d\u00a0]+ tokens(?: \([^)]*\))?, \d items? copied to the system clipboard\.", played.noted[-1]
        )
    again = stage()
    async with again.app.run_test(size=(120, 36)) as again.pilot:
        await again.settle()
        assert again.main.symbols.box.value == "harvestledger"
        assert again.main.code.view == "source"
        assert again.main.symbols.results.row_at(0).pinned
        assert again.noted == []


async def test_notes_of_the_open_type_are_read_and_follow_what_is_opened(stage: Callable[..., Stage]) -> None:
    played = stage()
    async with played.app.run_test(size=(120, 36)) as played.pilot:
        await played.settle()
        await played.type("harvestledger")
        await played.press("enter", "i")
        await played.settle()
        note = played.main.code.text[0]
        assert note.startswith("# Orchard.Harvesting.HarvestLedger")
        assert "nobody wrote a note" in note
        assert "The book of what was picked." in note
        bench = played.main.code.visits.bench
        assert bench is not None
        bench.notes.put(bench.lookup.found("HarvestLedger").whole.id, KEPT, Author.PERSON, "ada")
        await played.press("o", "i")
        await played.settle()
        assert "cached, by ada" in played.main.code.text[0]
        assert "Keeps the book." in played.main.code.text[0]


@pytest.mark.parametrize(
    ("name", "size", "keys", "theme"),
    [
        ("outline", (120, 36), ("enter",), "codecortex-dark"),
        ("source", (120, 36), ("enter", "s"), "codecortex-dark"),
        ("semantic", (120, 36), ("enter", "i"), "codecortex-dark"),
        ("light", (120, 36), ("enter", "s"), "codecortex-light"),
        ("contrast", (120, 36), ("enter",), "codecortex-contrast"),
        ("narrow", (80, 24), ("enter",), "codecortex-dark"),
        ("wide", (200, 60), ("enter",), "codecortex-dark"),
        ("help", (120, 36), ("escape", "question_mark"), "codecortex-dark"),
        ("usages", (120, 36), ("down", "down", "enter", "u"), "codecortex-dark"),
        ("grep", (120, 36), ("enter", "g", *"decimal"), "codecortex-dark"),
        ("edit", (120, 36), ("enter", "s", "e", *"// weighed twice", "enter"), "codecortex-dark"),
    ],
)
async def test_screenshots(
    request: pytest.FixtureRequest,
    stage: Callable[..., Stage],
    name: str,
    size: tuple[int, int],
    keys: tuple[str, ...],
    theme: str,
) -> None:
    """The pictures of README: drawn anew with `--snapshot-update`, as the snapshots are, and else let be."""
    played = stage(theme)
    async with played.app.run_test(size=size) as played.pilot:
        await played.settle()
        played.app.theme = theme
        await played.press("slash")
        await played.type("ledger")
        for target in ("Orchard.Harvesting.HarvestLedger", "Orchard.Trees.Tree"):
            played.main.session.change(lambda bench, target=target: bench.window.pin(target))
        await played.settle()
        await played.press(*keys)
        await played.rest()

        def at_rest() -> str | None:
            shot = played.app.export_screenshot(title="CodeCortex")
            return shot if "fresh" in shot or "Keys" in shot else None

        drawn = _TIME_READ.sub(r"\g<1>2", _FONT.sub("", await until(at_rest)))
    assert "Orchard" in drawn
    if request.config.getoption("--snapshot-update"):
        SCREENSHOTS.joinpath(f"{name}.svg").write_text(drawn, encoding="utf-8")


async def test_what_another_process_pins_shows_by_itself(stage: Callable[..., Stage], orchard: Path) -> None:
    played = stage()
    async with played.app.run_test(size=(120, 36)) as played.pilot:
        await played.settle()
        with Bench.open(orchard, settings=Settings()) as other:
            other.index.load()
            other.window.pin("HarvestLedger")

        def pinned() -> list[str]:
            window = played.main.window.window
            return [item.label for item in window.items if item.pinned] if window else []

        assert await until(pinned) == ["HarvestLedger"]


async def test_what_is_typed_before_the_workspace_is_open_stays(stage: Callable[..., Stage]) -> None:
    first = stage()
    async with first.app.run_test(size=(120, 36)) as first.pilot:
        await first.settle()
        await first.type("orchard")
    again = stage()
    async with again.app.run_test(size=(120, 36)) as again.pilot:
        await again.pilot.press(*"ledger")
        await again.settle()
        assert again.main.symbols.box.value == "ledger"
        assert again.main.symbols.current is not None
        assert "Ledger" in again.main.symbols.current.label
