"""What files tell of names is united by what they tell now, in whatever order they came and went."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from services.index.names.packages import Deduction, Deductions

TOLD = st.lists(st.tuples(st.sampled_from("AB"), st.integers(0, 1), st.sampled_from(["N", "M"])), max_size=3)
STEPS = st.lists(st.tuples(st.integers(0, 3), TOLD, st.booleans()), max_size=8)


def project_of(file: int) -> int:
    return file % 2


def united(files: dict[int, list[Deduction]]) -> dict[tuple[int, str, int], frozenset[str]]:
    found: dict[tuple[int, str, int], set[str]] = {}
    for file, told in files.items():
        for name, arity, namespace in told:
            found.setdefault((project_of(file), name, arity), set()).add(namespace)
    return {key: frozenset(namespaces) for key, namespaces in found.items()}


@given(STEPS)
def test_the_table_is_what_the_files_of_now_tell(steps: list[tuple[int, list[Deduction], bool]]) -> None:
    deductions, files = Deductions(), dict[int, list[Deduction]]()
    for file, told, publishes in steps:
        deductions.drop(file)
        deductions.add(file, project_of(file), told)
        files[file] = told
        if publishes:
            deductions.publish()
            assert deductions.table == united(files)
    deductions.publish()
    assert deductions.table == united(files)
    assert deductions.by_file() == {file: told for file, told in files.items() if told}


@given(STEPS, STEPS)
def test_a_fork_goes_its_own_way(
    before: list[tuple[int, list[Deduction], bool]], after: list[tuple[int, list[Deduction], bool]]
) -> None:
    first = Deductions()
    for file, told, _ in before:
        first.drop(file)
        first.add(file, project_of(file), told)
    first.publish()
    table, files = dict(first.table), first.by_file()
    other = first.fork()
    for file, told, _ in after:
        other.drop(file)
        other.add(file, project_of(file), told)
    other.publish()
    assert (first.table, first.by_file()) == (table, files)
    first.publish()
    assert first.table == table


def test_the_table_is_another_only_where_something_in_it_is() -> None:
    deductions = Deductions()
    deductions.add(1, 0, [("A", 0, "N")])
    deductions.publish()
    table = deductions.table
    deductions.add(2, 0, [("A", 0, "N")])
    deductions.drop(1)
    deductions.publish()
    assert deductions.table is table
    deductions.drop(2)
    deductions.publish()
    assert (deductions.table, table) == ({}, {(0, "A", 0): frozenset({"N"})})
