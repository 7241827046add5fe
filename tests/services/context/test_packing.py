"""What of a ranking is shown within a budget."""

from __future__ import annotations

from collections.abc import Sequence

from services.context.packing import Costs, OutlineExcerpt, Packed, packed, short_of
from services.model import Level


def test_outlines_are_counted_of_the_first_ten_alone_and_signatures_of_the_rest() -> None:
    asked: dict[int, set[Level]] = {}

    def costs(units: Sequence[int], levels: Sequence[Level]) -> dict[int, Costs]:
        for unit in units:
            asked.setdefault(unit, set()).update(levels)
        return {unit: {Level.SIGNATURE: 5, Level.OUTLINE: 50} for unit in units if unit != 3}

    shown = packed(range(60), costs, 1_000, most=40)
    assert [each.unit for each in shown if each.level is Level.OUTLINE] == [0, 1, 2, *range(4, 11)]
    assert [each.unit for each in shown if each.level is Level.SIGNATURE] == list(range(11, 41))
    assert max(unit for unit, levels in asked.items() if Level.OUTLINE in levels) < 20


def _costs(units: Sequence[int], _: Sequence[Level]) -> dict[int, Costs]:
    return {unit: {Level.SIGNATURE: 50, Level.OUTLINE: 100 if unit else 5_000} for unit in units}


def test_a_large_outline_is_shortened_and_made_whole_again_where_room_is_left() -> None:
    asked: list[tuple[int, int, int]] = []

    def shortened(*of: int) -> OutlineExcerpt | None:
        asked.append((of[0], of[1], of[2]))
        return OutlineExcerpt(("M",), 350)

    shown = packed(range(30), _costs, 8_000, most=60, shortened=shortened)
    assert asked == [(0, short_of(8_000), 5_000)]
    assert shown[0] == Packed(0, Level.OUTLINE, 5_000)
    assert sum(each.cost for each in shown) <= 8_000
    narrow = packed(range(60), _costs, 8_000, most=60, shortened=shortened)
    assert narrow[0] == Packed(0, Level.OUTLINE, 350, ("M",))


def test_what_cannot_be_shortened_is_shown_by_its_signature() -> None:
    assert packed([0], _costs, 8_000, most=60, shortened=lambda *_: None)[0].level is Level.SIGNATURE
