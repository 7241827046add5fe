"""Taking back what one did to the window: exactly that, and nothing of what others did."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.bench.bench import Bench
from services.bench.window.restoring import without
from services.errors import BudgetExceeded, UsageError
from services.prompt.state import Entry, WindowState
from tests.support.workspace import edit, indexed

KEYS = st.lists(st.sampled_from("abcdef"), unique=True)


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    with indexed(tmp_path, {f"{name}.cs": f"class {name} {{ }}\n" for name in "ABC"}) as bench:
        yield bench


def pinned(bench: Bench) -> list[str]:
    return [item.key for item in bench.window.render().items if item.pinned]


def test_the_last_changes_are_without_one_after_the_other(bench: Bench) -> None:
    bench.undo.doing("pinning A", lambda: bench.window.pin("A.cs"))
    bench.undo.doing("pinning B", lambda: bench.window.pin("B.cs"))
    bench.undo.doing("moving B", lambda: bench.window.move("B.cs", before="A.cs"))
    bench.undo.doing("dismissing A", lambda: bench.window.dismiss("A.cs"))
    assert pinned(bench) == ["file:B.cs"]
    seen = []
    while bench.undo.last:
        what, window = bench.undo.undo()
        seen.append((what, [item.label for item in window.items if item.pinned]))
    assert seen == [
        ("dismissing A", ["B.cs", "A.cs"]),
        ("moving B", ["A.cs", "B.cs"]),
        ("pinning B", ["A.cs"]),
        ("pinning A", []),
    ]
    with pytest.raises(UsageError, match="nothing to undo"):
        bench.undo.undo()


def test_what_is_without_is_as_it_is_now(bench: Bench) -> None:
    bench.window.pin("A")
    bench.undo.doing("dismissing A", lambda: bench.window.dismiss("A"))
    edit(bench.root, "A.cs", "public class A { public int Width; }\n")
    _, window = bench.undo.undo()
    assert "Width" in window.text


def test_what_changed_nothing_or_failed_is_not_without(bench: Bench) -> None:
    bench.undo.doing("looking", bench.window.render)
    with pytest.raises(BudgetExceeded):
        bench.undo.doing("failing", lambda: (_ for _ in ()).throw(BudgetExceeded("no room", needed=1)))
    assert bench.undo.last == ""


def test_what_others_did_since_stays(bench: Bench) -> None:
    bench.undo.doing("pinning A", lambda: bench.window.pin("A.cs"))
    bench.window.pin("B.cs")
    bench.undo.undo()
    assert pinned(bench) == ["file:B.cs"]


def _state(keys: list[str]) -> WindowState:
    return WindowState(pinned=tuple(Entry(key=f"file:{key}", at=0) for key in keys))


def _keys(state: WindowState) -> list[str]:
    return [entry.key.removeprefix("file:") for entry in state.pinned]


@given(before=KEYS, after=KEYS)
def test_where_nobody_else_did_anything_all_is_as_it_was(before: list[str], after: list[str]) -> None:
    assert _keys(without(_state(before), _state(after), _state(after))) == before


@given(before=KEYS, after=KEYS, now=KEYS)
def test_pins_of_others_are_never_lost_and_what_they_took_out_stays_out(
    before: list[str], after: list[str], now: list[str]
) -> None:
    found = _keys(without(_state(before), _state(after), _state(now)))
    if now == after:
        return
    theirs, gone = set(now) - set(after) - set(before), (set(before) & set(after)) - set(now)
    assert theirs <= set(found)
    assert not gone & set(found)
    assert set(before) - set(after) <= set(found)
    assert not (set(after) - set(before)) & set(found)
    assert len(set(found)) == len(found)
