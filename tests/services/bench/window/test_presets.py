"""Presets: what was kept comes back, loading can be taken back, and two can be compared."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from services.bench.bench import Bench
from services.errors import UsageError
from tests.support.workspace import edit, indexed


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    with indexed(
        tmp_path, {"A.cs": "class A { }\n", "B.cs": "class B { }\n", "C.cs": "class C { }\n"}
    ) as bench:
        yield bench


def pinned(bench: Bench) -> list[str]:
    return [item.key for item in bench.window.render().items if item.pinned]


def test_what_was_kept_comes_back_and_loading_can_be_taken_back(bench: Bench) -> None:
    bench.window.pin("A.cs")
    bench.window.set_level("A.cs", "outline")
    bench.presets.save("review")
    kept = bench.window.render().text
    bench.window.unpin("A.cs")
    bench.window.pin("B.cs")
    other = bench.window.render().text
    assert bench.presets.load("review").text == kept
    assert bench.presets.load("previous").text == other
    assert pinned(bench) == ["file:B.cs"]
    assert [row.name for row in bench.presets.list().presets] == ["previous", "review"]


TOKEN = "ghp_" + "a8Kd3LmQ9z" * 3 + "Xy7Rt2"
"""As GitHub issues them."""


def test_what_a_team_shares_holds_no_secret_and_what_was_there_before_is_whole(bench: Bench) -> None:
    folder = bench.root / ".context"
    bench.window.pin_note(f"Log in with {TOKEN} before anything else.")
    bench.presets.save("review")
    assert TOKEN[:12] not in (folder / "presets" / "review.json").read_text("utf-8")
    assert TOKEN in bench.window.unchecked.state().pinned[0].data["text"]
    bench.presets.load("review")
    bench.presets.load("previous")
    assert TOKEN in bench.window.unchecked.state().pinned[0].data["text"]
    assert not any(TOKEN in each.read_text("utf-8") for each in (folder / "presets").iterdir())


def test_a_label_is_cut_behind_what_is_secret_in_it(bench: Bench) -> None:
    """A token that is cut is no token any more, and would go out."""
    bench.window.pin_note(f"Log in with {TOKEN} before anything else.")
    bench.presets.save("review")
    labels = [*bench.presets.list().presets[0].labels, bench.window.render().items[0].label]
    assert len(labels) == 2
    for label in labels:
        assert "ghp_" not in label
        assert label.startswith("Log in with [[secret:")


def test_the_state_before_a_preset_is_kept_by_loading_alone(bench: Bench) -> None:
    for name in ("previous", "current"):
        with pytest.raises(UsageError, match="Choose another name"):
            bench.presets.save(name)


def test_what_comes_back_is_as_it_is_now(bench: Bench) -> None:
    bench.window.pin("A")
    bench.presets.save("review")
    bench.window.dismiss("A")
    edit(bench.root, "A.cs", "public class A { public int Height; }\n")
    assert "Height" in bench.presets.load("review").text


def test_two_presets_and_the_window_are_compared(bench: Bench) -> None:
    bench.window.pin("A.cs")
    bench.window.pin("B.cs")
    bench.presets.save("one")
    bench.window.unpin("A.cs")
    bench.window.dismiss("B.cs")
    bench.window.pin("C.cs")
    found = bench.presets.difference("one")
    assert (found.only_first, found.only_second) == (("B.cs",), ("C.cs",))
    assert found.changed == ("A.cs: pinned -> recent",)
    bench.window.pin("A.cs", level="whole")
    assert bench.presets.difference("one").changed == ()
    assert bench.presets.difference("one", "one").same == 2


def test_other_bodies_and_another_order_are_a_difference(bench: Bench) -> None:
    edit(bench.root, "A.cs", "public class A { int One() => 1; int Two() => 2; }\n")
    bench.window.pin("A", level="bodies", members=("One",))
    bench.window.pin("B.cs")
    bench.presets.save("one")
    bench.window.set_level("A", "bodies", members=("Two",))
    found = bench.presets.difference("one")
    what = "pinned at bodies with 1 body"
    assert found.changed == (f"A: {what} -> {what}, of other members",)
    assert (found.same, found.reordered) == (1, False)
    bench.presets.load("one")
    bench.window.move("B.cs", before="A")
    found = bench.presets.difference("one")
    assert (found.changed, found.same, found.reordered) == ((), 2, True)


def test_the_name_of_the_window_as_it_is_is_taken(bench: Bench) -> None:
    with pytest.raises(UsageError, match="names the window as it is"):
        bench.presets.save("current")


def test_one_is_removed_and_a_damaged_one_is_listed_with_why(bench: Bench) -> None:
    bench.presets.save("one")
    bench.state.shared.write("presets/bad.json", b"{")
    rows = {row.name: row for row in bench.presets.list().presets}
    assert "cannot be read" in rows["bad"].problem
    bench.window.pin("A.cs")
    with pytest.raises(UsageError, match="cannot be read"):
        bench.presets.load("bad")
    assert pinned(bench) == ["file:A.cs"]
    bench.presets.delete("one")
    with pytest.raises(UsageError, match="no preset"):
        bench.presets.delete("one")


@pytest.mark.parametrize("name", ["", "../x", "a/b", ".x", "a\0", "x" * 65])
def test_a_name_that_is_none_is_refused(bench: Bench, name: str) -> None:
    with pytest.raises(UsageError, match="no name for a preset"):
        bench.presets.save(name)
