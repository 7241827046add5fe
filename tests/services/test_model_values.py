"""What values say of themselves."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from msgspec.structs import replace

from services.model import (
    DiffLine,
    FileChange,
    Hunk,
    Kind,
    ModelPrice,
    Progress,
    Proposal,
    SymbolRef,
    is_member_id,
    is_of_tests,
    is_symbol_id,
    may_be_expression,
)
from services.model.diffs import ProposalState
from tests.support.workspace import indexed

LINES = st.lists(st.sampled_from("-+ "), min_size=1, max_size=12)


def hunk(signs: list[str], old: int = 1, new: int = 1) -> Hunk:
    """As git numbers it: the first line of a side, or the one before where it has none."""
    at, lines = [old, new], []
    for sign in signs:
        numbers = [None if sign == other else at[side] for side, other in enumerate("+-")]
        lines.append(DiffLine(text="x", old=numbers[0], new=numbers[1]))
        at = [place + (number is not None) for place, number in zip(at, numbers, strict=True)]
    counts = at[0] - old, at[1] - new
    return Hunk(
        old_start=old if counts[0] else old - 1,
        old_count=counts[0],
        new_start=new if counts[1] else new - 1,
        new_count=counts[1],
        lines=tuple(lines),
    )


@given(LINES, st.integers(1, 50), st.integers(1, 50))
def test_a_line_of_a_diff_has_the_sign_that_diffs_write(signs: list[str], old: int, new: int) -> None:
    assert [line.sign for line in hunk(signs, old, new).lines] == signs


@given(LINES, st.integers(1, 50), st.integers(1, 50))
def test_the_range_of_a_hunk_is_its_lines_on_the_new_side_or_the_one_before(
    signs: list[str], old: int, new: int
) -> None:
    its = hunk(signs, old, new)
    numbers = [line.new for line in its.lines if line.new]
    start, end = its.new_range
    if numbers:
        assert (start, end) == (numbers[0], numbers[-1])
    else:
        assert start == end == max(1, new - 1)


@pytest.mark.parametrize(
    ("old", "new", "changed"),
    [("100644", "100755", True), ("100644", "100644", False), ("", "100644", False), ("100644", "", False)],
    ids=["changed", "same", "added", "deleted"],
)
def test_a_mode_changes_where_a_file_stays(old: str, new: str, changed: bool) -> None:
    assert FileChange(path="a", status="modified", old_mode=old, new_mode=new).mode_changed is changed


PROPOSAL = Proposal(
    id="P_1", operation="setObjectSource", arguments={"object": "A.cs", "lockHandle": "h"}, object="A.cs", diff="",
    agent="claude", created_at=0, decided_by="ada/screen", reason="Not now.",
)  # fmt: skip


@pytest.mark.parametrize(
    ("state", "outcome"),
    [
        (ProposalState.PENDING, "waits for a decision"),
        (ProposalState.APPLIED, "was applied by ada"),
        (ProposalState.CHANGED, "was applied by ada, with other lines"),
        (ProposalState.REFUSED, "was refused by ada: Not now."),
        (ProposalState.WITHDRAWN, "was withdrawn by ada"),
    ],
)
def test_what_became_of_a_proposal_is_the_end_of_a_sentence(state: ProposalState, outcome: str) -> None:
    assert replace(PROPOSAL, state=state).outcome == outcome


@pytest.mark.parametrize(
    "handles", [{}, {"lockHandle": "h"}, {"lockHandles": ["h", "i"]}], ids=["none", "one", "several"]
)
def test_what_a_proposal_changes_is_told_without_the_handle_of_a_lock(handles: dict[str, object]) -> None:
    assert replace(PROPOSAL, arguments={"object": "A.cs", **handles}).change == {"object": "A.cs"}


@given(st.integers(0, 10**9), st.none() | st.integers(0, 10**9))
def test_how_far_work_is_is_never_more_than_all_and_unknown_without_a_total(
    done: int, total: int | None
) -> None:
    fraction = Progress(phase="x", done=done, total=total).fraction
    if not total:
        assert fraction is None
    else:
        assert fraction == min(1, done / total)


def test_a_price_is_that_of_a_million_tokens() -> None:
    price = ModelPrice(profile="big", sent=1.25, received=10, currency="USD")
    assert (price.of(0), price.of(1_000_000), price.of(8_000)) == (0, 1.25, 0.01)


def symbol(container: str, label: str, path: str) -> SymbolRef:
    return SymbolRef(
        id="T_1", kind=Kind.METHOD, label=label, path=path, container=container, file="A.cs", start_line=1, end_line=1,
        project="P", access="public",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("shown", "full"),
    [
        (symbol("Json.Reader", "Read(int)", "Json.Reader<T>.Read"), "Json.Reader<T>.Read(int)"),
        (symbol("Json.Reader", "Read(int)", "Json.Reader.Read"), "Json.Reader.Read(int)"),
        (symbol("", "Program", "Program"), "Program"),
        (symbol("A.B.C", "D<T>", "A.B<X>.C<Y>.D<T>"), "A.B<X>.C<Y>.D<T>"),
        (symbol("A+(", "x", "A+(.x"), "A+(.x"),
    ],
    ids=["generic", "plain", "global", "nested", "no name"],
)
def test_a_symbol_is_called_in_full_with_the_type_parameters_of_what_it_is_in(
    shown: SymbolRef, full: str
) -> None:
    assert shown.full == full


def test_ids_that_the_index_gives_are_told_from_each_other_and_from_files(
    tmp_path: Path,
) -> None:
    twice = "class A { void Go() { } void Go() { int x; } int Size; class B { } }\n"
    with indexed(tmp_path, {"A.cs": twice}) as bench:
        found = [hit.symbol for query in ("A", "B", "Go", "Size") for hit in bench.index.search(query).hits]
    assert any(symbol.id.endswith(".2") for symbol in found)
    for each in found:
        assert is_symbol_id(each.id)
        assert is_member_id(each.id) is (each.kind is not Kind.CLASS)


@pytest.mark.parametrize(
    "text",
    ["", "T_", "T_ABC_", "T_ABC.2", "T_A_B.", "a_b_c.cs", "T_A/B_C", "T_A_B\n", "t_a_b", "N_ABCDEFGH"],
    ids=ascii,
)
def test_what_is_not_written_as_an_id_is_none(text: str) -> None:
    assert (is_symbol_id(text), is_member_id(text)) == (False, False)


@given(st.text(max_size=20))
def test_a_member_is_a_symbol(text: str) -> None:
    assert is_symbol_id(text) or not is_member_id(text)


@pytest.mark.parametrize("pattern", ["Foo(", "a.b", "int x;", "{", "A::B", "", "a-b", "<T>", "#if", "a/b"])
def test_a_pattern_that_reads_as_code_is_not_taken_for_an_expression(pattern: str) -> None:
    assert not may_be_expression(pattern)


@given(st.text(st.sampled_from("ab()."), max_size=8))
def test_whatever_no_expression_needs_a_sign_for_means_itself(text: str) -> None:
    assert not may_be_expression(text)
    assert may_be_expression(re.escape(text)) is (re.escape(text) != text)


@pytest.mark.parametrize(
    ("name", "tests"),
    [("Shop.Tests", True), ("Shop.UnitTests", True), ("Shop", False), ("Contest", False), ("Latest", False)],
)
def test_a_project_of_tests_is_known_by_a_word_of_its_name(name: str, tests: bool) -> None:
    assert is_of_tests(name) is tests


STEPS = st.text("AB.<>,", max_size=8)


@given(STEPS, STEPS)
@example("A<T>.B.C", "A.B")
@example("A<B<C>>.D", "A.D")
@example("Node<T>", "Node")
@example("N.Outer<A, B>.Inner", "N.Outer.Inner")
def test_a_full_name_has_the_type_parameters_of_its_containers(path: str, container: str) -> None:
    ref = SymbolRef(
        id="T_1",
        kind=Kind.METHOD,
        label="Run()",
        path=path,
        container=container,
        file="A.cs",
        start_line=1,
        end_line=1,
        project="",
        access="public",
    )
    steps = (rf"{re.escape(step)}(?:<[^<>]*>)?" for step in container.split("."))
    owner = re.match(r"\.".join(steps), path)
    assert ref.full == f"{owner[0] if owner is not None else container}.Run()".lstrip(".")
