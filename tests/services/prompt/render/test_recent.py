"""The order of the recent part."""

from __future__ import annotations

from services.prompt.render.renderer import weighed
from services.prompt.state import Entry


def keys(entries: tuple[Entry, ...]) -> list[str]:
    return [entry.key for entry in entries]


RECENT = (*(Entry(f"type:T_{n}", 10 - n) for n in range(4)), Entry("member:T_9_AB", 1), Entry("file:T_9", 0))


def test_without_active_packs_the_last_used_comes_first() -> None:
    assert weighed(RECENT, frozenset()) == RECENT


def test_a_type_of_an_active_pack_weighs_half_as_much_again() -> None:
    # Weights 6 5 4 3 2 1: three times 1.5 passes 4, not 5.
    assert keys(weighed(RECENT, {"T_3"}))[:4] == ["type:T_0", "type:T_1", "type:T_3", "type:T_2"]


def test_a_member_counts_as_its_type_and_a_file_never_does() -> None:
    assert keys(weighed(RECENT, {"T_9"}))[3:] == ["type:T_3", "member:T_9_AB", "file:T_9"]
