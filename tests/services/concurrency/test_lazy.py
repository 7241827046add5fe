"""Lazy attributes: made at first access, once, whichever thread asks."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from copy import copy

import pytest

from services.concurrency.lazy import lazy


class Owner:
    def __init__(self) -> None:
        self.made: list[str] = []
        self.fails = 0
        self.begun = threading.Event()
        self.goes_on = threading.Event()

    @lazy
    def part(self) -> object:
        """A part."""
        self.made.append("part")
        return object()

    @lazy
    def whole(self) -> tuple[object, object]:
        """Asks for another while it is made."""
        self.made.append("whole")
        return self.part, self.part

    @lazy
    def slow(self) -> object:
        self.made.append("slow")
        self.begun.set()
        assert self.goes_on.wait(60)
        return object()

    @lazy
    def nothing(self) -> None:
        self.made.append("nothing")

    @lazy
    def late(self) -> int:
        self.fails += 1
        if self.fails < 2:
            raise ValueError("not yet")
        return self.fails


def doubled(owner: Owner) -> int:
    """Made elsewhere."""
    owner.made.append("doubled")
    return 2 * owner.late


class Named(Owner):
    once = lazy(doubled)
    again = lazy(doubled)


def test_a_part_is_kept_under_the_name_it_is_given_whoever_makes_it() -> None:
    owner = Named()
    owner.fails = 1
    assert (owner.once, owner.once, owner.made) == (4, 4, ["doubled"])
    assert (Named.once.peek(owner), Named.again.peek(owner)) == (4, None)
    assert (owner.again, owner.made) == (4, ["doubled", "doubled"])


def test_nothing_is_made_before_it_is_asked_for() -> None:
    owner = Owner()
    assert (Owner.part.peek(owner), owner.made) == (None, [])
    first = owner.part
    assert (Owner.part.peek(owner), owner.made) == (first, ["part"])


def test_a_part_is_the_same_ever_after_and_another_owner_has_another() -> None:
    owner, other = Owner(), Owner()
    assert owner.part is owner.part
    assert owner.part is not other.part


def test_a_part_may_ask_for_another() -> None:
    owner = Owner()
    assert owner.whole == (owner.part, owner.part)
    assert owner.made == ["whole", "part"]


def test_none_is_a_part_like_any_other() -> None:
    owner = Owner()
    assert owner.nothing is owner.nothing is None
    assert owner.made == ["nothing"]


def test_whoever_asks_meanwhile_waits_and_gets_the_same() -> None:
    owner = Owner()
    with ThreadPoolExecutor(4) as pool:
        asked = [pool.submit(lambda: owner.slow) for _ in range(4)]
        assert owner.begun.wait(60)
        owner.goes_on.set()
        found = [each.result(60) for each in asked]
    assert len(set(map(id, found))) == 1
    assert owner.made == ["slow"]


def test_what_could_not_be_made_is_tried_again() -> None:
    owner = Owner()
    with pytest.raises(ValueError, match="not yet"):
        _ = owner.late
    assert Owner.late.peek(owner) is None
    assert (owner.late, owner.late) == (2, 2)


def test_the_class_shows_what_the_part_is() -> None:
    assert Owner.part.__doc__ == "A part."


def test_a_value_that_is_known_is_not_computed_until_it_is_dropped() -> None:
    owner = Owner()
    known = object()
    Owner.part.put(owner, known)
    assert (owner.part, owner.made) == (known, [])
    Owner.part.drop(owner)
    Owner.part.drop(owner)
    assert owner.part is not known
    assert owner.made == ["part"]


def test_a_copy_has_what_was_computed_and_computes_the_rest_by_itself() -> None:
    owner = Owner()
    first = owner.part
    other = copy(owner)
    Owner.part.drop(other)
    assert owner.part is first
    assert other.part is not first
    assert (Owner.whole.peek(owner), other.whole) == (None, (other.part, other.part))
    assert Owner.whole.peek(owner) is None
