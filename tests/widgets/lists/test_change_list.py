"""The files of a change set as rows: what each says, what was seen of them, and where the cursor stays."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import pytest
from textual.pilot import Pilot

from services.model import FileChange
from tests.widgets.host import Host, painted
from widgets.lists.change_list import STATUS_LETTERS, ChangeArrangement, ChangeList


def change(path: str, status: str = "modified", **more: Any) -> FileChange:
    return FileChange(path=path, status=status, **{"added": 1, "deleted": 0, **more})


PATHS = ("a/One.cs", "a/Two.cs", "b/Three.cs")
FILES = tuple(map(change, PATHS))


@asynccontextmanager
async def listed(
    files: Sequence[FileChange], width: int = 50
) -> AsyncIterator[tuple[ChangeList, Pilot[None]]]:
    view = ChangeList(empty="No changes.")
    async with Host(view).run_test(size=(width, 8)) as pilot:
        view.set_files(files)
        await pilot.pause()
        yield view, pilot


async def row_of(file: FileChange, width: int = 50) -> str:
    async with listed([file], width) as (view, _):
        return painted(view)[0].rstrip()


@pytest.mark.parametrize(
    ("file", "row"),
    [
        (change("src/Shop/Basket.cs", added=12, deleted=3), "▸M   Basket.cs  src/Shop +12 −3"),
        (change("Basket.cs", "added", added=1200), "▸A   Basket.cs +1 200 −0"),
        (change("x.png", "untracked", binary=True), "▸?   x.png binary"),
        (change("run.sh", added=0, deleted=0, old_mode="100644", new_mode="100755"), "▸M   run.sh mode"),
        (change("A.cs", added=0, deleted=0, old_mode="100644", new_mode="100644"), "▸M   A.cs ±0"),
        (change("big.cs", added=None, deleted=None), "▸M   big.cs"),
        (change("b/New.cs", "renamed", old_path="b/Old.cs"), "▸R   New.cs ← Old.cs  b +1 −0"),
        (change("b/New.cs", "renamed", old_path="a/New.cs"), "▸R   New.cs ← a/New.cs  b +1 −0"),
        (change("odd.cs", "unheard of"), "▸M   odd.cs +1 −0"),
    ],
    ids=["lines", "added", "binary", "mode", "same mode", "uncounted", "renamed", "moved", "unknown"],
)
async def test_a_row_says_what_happened_to_its_file(file: FileChange, row: str) -> None:
    assert " ".join((await row_of(file)).split()) == " ".join(row.split())


@pytest.mark.parametrize(
    ("words", "left"),
    [
        ("", PATHS),
        ("a t", PATHS[1:2]),
        ("THREE", PATHS[2:]),
        ("modified cs", PATHS),
        ("a b", ()),
        ("gone", ()),
    ],
)
def test_files_are_shown_that_have_every_word_in_their_path_or_in_what_happened_to_them(
    words: str, left: tuple[str, ...]
) -> None:
    rows = ChangeArrangement(words=words).rows(FILES)
    assert tuple(row.file.path for row in rows if row.file) == left


def test_no_two_things_that_happen_to_a_file_have_one_letter() -> None:
    assert len(set(STATUS_LETTERS.values())) == len(STATUS_LETTERS)


@pytest.mark.parametrize(
    "name", ["evil\x1b\x1b\x1b.cs", "a\u202e\u202eb.cs", "漢字漢字漢字.cs", "e\u0301e\u0301e\u0301.cs"]
)
async def test_a_name_is_whole_where_there_is_room_whatever_its_characters_take(name: str) -> None:
    shown = await row_of(change(f"src/{name}"))
    assert "…" not in shown
    assert "\x1b" not in shown
    assert ".cs  src" in shown


@pytest.mark.parametrize("width", [6, 12, 20, 30])
async def test_where_there_is_little_room_the_counts_stay_and_the_name_is_cut(width: int) -> None:
    shown = await row_of(change("src/AVeryLongNameOfAFile.cs", added=7, deleted=8), width)
    assert len(shown) <= width
    if width >= 20:
        assert shown.endswith("+7 −8")
        assert "…" in shown


async def test_what_was_seen_and_what_was_reviewed_are_told_apart_and_reviewed_wins() -> None:
    async with listed(FILES) as (view, pilot):
        view.saw("a/Two.cs")
        view.saw("b/Three.cs")
        view.reviewed = frozenset({"b/Three.cs"})
        await pilot.pause()
        assert [line[3] for line in painted(view)[:3]] == [" ", "·", "✓"]
        assert view.seen == {"a/Two.cs", "b/Three.cs"}


@pytest.mark.parametrize(
    ("after", "current"),
    [
        (("b/Three.cs", "a/Two.cs"), "a/Two.cs"),
        (("a/One.cs", "b/Three.cs"), "b/Three.cs"),
        (("a/One.cs",), "a/One.cs"),
        ((), None),
    ],
    ids=["moved", "gone: its place", "gone with those behind it", "none left"],
)
async def test_the_cursor_stays_on_its_path_or_at_its_place(
    after: Sequence[str], current: str | None
) -> None:
    async with listed(FILES) as (view, _):
        view.cursor = 1
        view.saw("a/One.cs")
        view.set_files([*map(change, after)], keep_cursor=True)
        assert (view.current.path if view.current else None) == current
        assert view.seen == {"a/One.cs"}


async def test_another_change_set_begins_at_its_first_file_with_nothing_seen() -> None:
    async with listed(FILES) as (view, _):
        view.cursor = 2
        view.saw("a/One.cs")
        view.set_files(FILES)
        assert (view.current, view.seen) == (FILES[0], frozenset())


async def test_without_files_it_says_so_and_nothing_is_current() -> None:
    async with listed(()) as (view, _):
        assert (view.current, view.files) == (None, ())
        assert any("No changes." in line for line in painted(view))
