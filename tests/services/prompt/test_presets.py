"""Presets as files: a state comes back as it was but for secrets, and two are compared item by item."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.errors import UsageError
from services.model import Level
from services.model.copies import PresetDiff
from services.prompt.items import Anchor
from services.prompt.presets import PREVIOUS, PresetStore, difference
from services.prompt.state import Entry, WindowState
from services.workspace.files.root import Root
from services.workspace.state import StateFolder

SECRET = re.compile(r"pw[0-9]")
texts = st.text(st.sampled_from("ab\n\u00e9\udce9 ") | st.characters(), max_size=8) | st.sampled_from(
    ["pw1", "xpw2"]
)
values = st.recursive(
    texts | st.integers(-9, 9) | st.none(),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from("abc"), inner, max_size=2),
    max_leaves=5,
)
fields = st.dictionaries(st.sampled_from(["text", "pattern", "matches"]), values, max_size=2)


def entries(keys: list[str]) -> st.SearchStrategy[list[Entry]]:
    entry = st.builds(
        Entry,
        key=st.sampled_from(keys),
        at=st.integers(0, 99),
        label=texts,
        level=st.sampled_from(["", *Level]),
        members=st.lists(st.sampled_from(["T_1_A", "T_1_B"]), unique=True).map(tuple),
        follows=st.none() | st.builds(Anchor, file=texts, start=st.integers(0, 9)),
        data=fields,
        extra=st.dictionaries(st.just("later"), values, max_size=1),
    )
    return st.lists(entry, max_size=4, unique_by=lambda each: each.key)


states = st.builds(
    lambda pinned, recent: WindowState(
        pinned=tuple(pinned), recent=tuple(sorted(recent, key=lambda each: -each.at))
    ),
    entries(["type:A", "type:B", "note:1"]),
    entries(["type:C", "file:\u00e9.cs", "later:1"]),
)


class Folder:
    """PresetFiles in memory."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}

    def read(self, name: str) -> bytes | None:
        return self.files.get(name)

    def write(self, name: str, data: bytes) -> None:
        self.files[name] = data

    def names(self, folder: str) -> tuple[str, ...]:
        return tuple(
            sorted(each.removeprefix(f"{folder}/") for each in self.files if each.startswith(folder))
        )

    def remove(self, name: str) -> bool:
        return self.files.pop(name, None) is not None


def store(folder: Folder | StateFolder | None = None, *, masks: bool = True) -> PresetStore:
    return PresetStore(folder or Folder(), lambda text: SECRET.sub("***", text) if masks else text)


@given(states)
def test_a_state_comes_back_as_it_was_kept(state: WindowState) -> None:
    presets = store(masks=False)
    presets.save("one", state)
    assert presets.load("one") == state
    presets.save_previous(state)
    assert presets.load(PREVIOUS) == state


@given(states)
def test_no_secret_stands_anywhere_in_what_is_shared_and_nothing_else_changes(state: WindowState) -> None:
    folder = Folder()
    presets = store(folder)
    presets.save("one", state)
    presets.save_previous(state)
    shared = json.loads(folder.files["presets/one.json"])
    whole = json.loads(folder.files["previous_window.json"])
    assert not SECRET.search(
        json.dumps([_without_anchors(shared["pinned"]), _without_anchors(shared["recent"])])
    )
    assert _masked(_without_anchors(whole)) == _without_anchors(shared)
    assert presets.load(PREVIOUS) == state


def _without_anchors(value: object) -> object:
    """Anchors hold ids, hashes and places, no text."""
    if isinstance(value, dict):
        return {key: _without_anchors(each) for key, each in value.items() if key != "follows"}
    return [_without_anchors(each) for each in value] if isinstance(value, list) else value


def _masked(value: object) -> object:
    if isinstance(value, dict):
        return {key: _masked(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_masked(each) for each in value]
    return SECRET.sub("***", value) if isinstance(value, str) else value


@given(states, states)
def test_two_states_are_compared_both_ways_alike(first: WindowState, second: WindowState) -> None:
    there, back = difference(first, second, ("1", "2")), difference(second, first, ("2", "1"))
    assert (there.only_first, there.only_second) == (back.only_second, back.only_first)
    assert (there.same, there.reordered, len(there.changed)) == (back.same, back.reordered, len(back.changed))
    both = len({*_keys(first)} & {*_keys(second)})
    assert there.same + len(there.changed) == both
    assert len(there.only_first) + both == len(_keys(first))


@given(states)
def test_a_state_is_like_itself(state: WindowState) -> None:
    assert difference(state, state, ("1", "1")) == PresetDiff(
        first="1",
        second="1",
        only_first=(),
        only_second=(),
        changed=(),
        same=len(_keys(state)),
        reordered=False,
    )


def _keys(state: WindowState) -> list[str]:
    return [each.key for each in (*state.pinned, *state.recent)]


A = Entry("type:A", 1, "Shop.A")


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        pytest.param({"level": "outline"}, {}, (), id="the usual level, chosen or not"),
        pytest.param({"level": "range"}, {}, ("Shop.A: pinned at range -> pinned",), id="another level"),
        pytest.param({"members": ("1", "2")}, {"members": ("2", "1")}, (), id="members in another order"),
        pytest.param(
            {"level": "bodies", "members": ("1",)},
            {"level": "bodies", "members": ("1", "2")},
            ("Shop.A: pinned at bodies with 1 body -> pinned at bodies with 2 bodies",),
            id="more members",
        ),
        pytest.param(
            {"level": "bodies", "members": ("1",)},
            {"level": "bodies", "members": ("2",)},
            ("Shop.A: pinned at bodies with 1 body -> pinned at bodies with 1 body, of other members",),
            id="other members",
        ),
        pytest.param({"at": 1}, {"at": 2, "label": "A", "version": "9"}, (), id="when, and how it was called then"),
    ],
)  # fmt: skip
def test_how_an_item_is_shown_is_compared(
    first: dict[str, object], second: dict[str, object], expected: tuple[str, ...]
) -> None:
    states = [
        WindowState(pinned=(Entry(**{"key": "type:A", "at": 1, "label": "Shop.A", **given}),))  # pyright: ignore[reportArgumentType]
        for given in (first, second)
    ]
    assert difference(states[0], states[1], ("1", "2")).changed == expected


def test_the_order_is_that_of_pins_that_both_have() -> None:
    def pins(keys: str) -> WindowState:
        return WindowState(pinned=tuple(Entry(f"type:{key}", 1) for key in keys))

    for first, second, expected in (
        ("AB", "BA", True),
        ("AXB", "ABY", False),
        ("AB", "", False),
        ("ABX", "XA", True),
    ):
        assert difference(pins(first), pins(second), ("", "")).reordered is expected


def test_presets_are_listed_by_name_and_what_is_none_is_not(tmp_path: Path) -> None:
    folder = StateFolder.open(Root.open(tmp_path))
    presets = store(folder)
    for name in ("b", "a.1", "\u00e9t\u00e9"):
        presets.save(name, WindowState(pinned=(A,)))
    for name in ("previous.json", "no name.json", "a.txt"):
        folder.write(f"presets/{name}", b"{}")
    assert presets.names() == ("a.1", "b", "\u00e9t\u00e9")
    presets.save_previous(WindowState())
    assert presets.names() == ("a.1", "b", "previous", "\u00e9t\u00e9")


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"", id="empty"),
        pytest.param(b"[]", id="a list"),
        pytest.param(b'{"pinned": [{}]}', id="an item without a key"),
        pytest.param(b'{"pinned": [{"key": "type:A", "pinnedAt": "x"}]}', id="a time of another type"),
        pytest.param(b'{"pinned": ' + b"[" * 9_000, id="nested too deep"),
        pytest.param(b'{"pinned": "\xff"}', id="no UTF-8"),
        pytest.param(b'{"pinned": [{"key": "\\udce9', id="cut behind half a pair"),
    ],
)
def test_a_damaged_one_is_listed_with_why_and_refused_by_name(data: bytes) -> None:
    folder = Folder()
    presets = store(folder)
    folder.write("presets/bad.json", data)
    [row] = presets.rows()
    assert (row.name, row.pinned, row.labels) == ("bad", 0, ())
    assert "The preset 'bad' cannot be read" in row.problem
    with pytest.raises(UsageError) as raised:
        presets.load("bad")
    assert raised.value.details == {"preset": "bad"}


def test_a_row_says_what_is_pinned_by_its_label_or_its_key() -> None:
    presets = store()
    presets.save("one", WindowState(pinned=(A, Entry("type:B", 2)), recent=(Entry("type:C", 3, "C"),)))
    [row] = presets.rows()
    assert (row.pinned, row.recent, row.labels, row.problem) == (2, 1, ("Shop.A", "type:B"), "")


def test_one_that_is_not_there_names_those_that_are() -> None:
    presets = store()
    with pytest.raises(UsageError, match="there are: none yet"):
        presets.load("one")
    presets.save("two", WindowState())
    presets.save("three", WindowState())
    with pytest.raises(UsageError, match="there are: three, two"):
        presets.load("one")
    with pytest.raises(UsageError, match="no preset 'one'"):
        presets.delete("one")
    presets.delete("two")
    assert presets.names() == ("three",)


@pytest.mark.parametrize("target", ["real.json", "/etc/hostname", "../none", "linked.json"])
def test_a_link_is_no_preset(target: str, tmp_path: Path) -> None:
    folder = StateFolder.open(Root.open(tmp_path))
    presets = store(folder)
    presets.save("real", WindowState(pinned=(A,)))
    (folder.where / "presets" / "linked.json").symlink_to(target)
    assert presets.names() == ("real",)
    with pytest.raises(UsageError, match="There is no preset 'linked'"):
        presets.load("linked")
    presets.delete("linked")
    assert (presets.names(), presets.load("real").pinned) == (("real",), (A,))
