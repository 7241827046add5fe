"""Members for the room that is left: small types whole before large ones, and what the question means first."""

from services.prompt.items import MemberLine
from services.prompt.render.offers import LeftMembers, members_for_room
from services.prompt.tokens.tokenizers import EncodingCounter, counter_for

COUNTER = counter_for("gpt-4o", EncodingCounter())


def lines(prefix: str, names: list[str]) -> LeftMembers:
    made = [
        MemberLine(f"{prefix}{n}", name, f"public void {name}(int value);") for n, name in enumerate(names)
    ]
    return LeftMembers(made, frozenset(each.id for each in made))


def names(prefix: str, count: int) -> list[str]:
    return [f"{prefix}{n}Thing" for n in range(count)]


def test_all_members_come_where_there_is_room_and_none_where_there_is_none() -> None:
    types = {0: lines("A", names("Do", 3)), 4: lines("B", names("Be", 2))}
    assert {at: len(ids) for at, ids in members_for_room(types, "", 1_000, COUNTER).items()} == {0: 3, 4: 2}
    assert members_for_room(types, "", 3, COUNTER) == {}


def test_a_member_of_a_small_type_comes_before_one_of_a_large_type() -> None:
    types = {0: lines("A", names("Do", 100)), 1: lines("B", names("Be", 4))}
    assert set(members_for_room(types, "", 35, COUNTER)) == {1}


def test_of_a_large_type_come_first_those_that_the_question_names_also_as_part_of_one_word() -> None:
    many = [*names("Do", 100), "StreamReadGroup", "StreamTrim"]
    types = {0: lines("A", many)}
    assert members_for_room(types, "Support XREADGROUP", 9, COUNTER) == {0: ("A100",)}
    assert members_for_room(types, "trimming of streams", 9, COUNTER) == {0: ("A101",)}


def test_what_is_listed_already_is_not_chosen_again() -> None:
    its = lines("A", names("Do", 3))
    left = LeftMembers(its.members, frozenset({"A1"}))
    assert members_for_room({0: left}, "", 1_000, COUNTER) == {0: ("A1",)}
