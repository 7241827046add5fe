"""`file` types: each is known in its own file alone, whatever else bears its name."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from services.bench import Bench
from services.errors import AmbiguousSymbol
from services.model import Symbol
from tests.services.index.symbols.test_identities import type_id
from tests.support.workspace import edit, indexed, opened, project

ONE = """namespace N;
file class Helper { public int First() => 1; public class In { public int Deep; } }
class One { int Go() => new Helper().First() + new Helper.In().Deep; }
"""
TWO = """namespace N;
file class Helper { public int Second() => 2; }
class Two { int Go(Helper h) => h.Second(); }
"""
EVERYONES = """namespace N;
class Helper { public int Third() => 3; }
class Three { int Go() => new Helper().Third(); }
"""
EXTENSIONS = """namespace N;
file static class Ex { public static int Twice(this int n) => 2 * n; }
class Five { int Go() => 5.Twice(); }
"""
FILES = {"P.csproj": project(), "One.cs": ONE, "Two.cs": TWO, "Three.cs": EVERYONES}


def types(bench: Bench, name: str = "Helper") -> dict[str, Symbol]:
    """The types of a name by the file that they stand in."""
    return {each.file: each for each in bench.index.symbols() if each.is_type and each.name == name}


def used(bench: Bench, path: str) -> list[tuple[str, int, str]]:
    return [(each.file, each.line, each.grade) for each in bench.usages.find(path).usages]


def test_each_is_a_symbol_with_members_of_its_own(tmp_path: Path) -> None:
    with indexed(tmp_path, FILES) as bench:
        found = types(bench)
        assert {file: each.id for file, each in found.items()} == {
            "One.cs": type_id("N.Helper|class|0|P|One.cs"),
            "Two.cs": type_id("N.Helper|class|0|P|Two.cs"),
            "Three.cs": type_id("N.Helper|class|0|P"),
        }
        members = {file: bench.outlines.detail(each.id).members for file, each in found.items()}
        written = {file: [m.name for m in all_ if not m.implicit] for file, all_ in members.items()}
        assert written == {"One.cs": ["First"], "Two.cs": ["Second"], "Three.cs": ["Third"]}
        assert bench.health.status().types == 7


def test_one_alone_has_the_usual_id(tmp_path: Path) -> None:
    with indexed(tmp_path, {"P.csproj": project(), "One.cs": ONE}) as bench:
        (found,) = types(bench).values()
        assert found.id == type_id("N.Helper|class|0")


def test_names_mean_the_one_of_their_file_before_others(tmp_path: Path) -> None:
    with indexed(tmp_path, FILES) as bench:
        found = types(bench)
        assert used(bench, found["One.cs"].id) == [("One.cs", 3, "bound")] * 2
        assert used(bench, found["Two.cs"].id) == [("Two.cs", 3, "bound")]
        assert used(bench, found["Three.cs"].id) == [("Three.cs", 3, "bound")]
        assert used(bench, "First") == [("One.cs", 3, "bound")]
        assert used(bench, "N.Helper.In.Deep") == [("One.cs", 3, "bound")]
        (uses,) = [t for t in bench.outlines.detail("N.Two").depends_on if t.fqn == "N.Helper"]
        assert uses.type_id == found["Two.cs"].id


def test_extension_methods_of_a_file_are_called_in_it_alone(tmp_path: Path) -> None:
    files = {"P.csproj": project(), "Five.cs": EXTENSIONS, "Six.cs": EXTENSIONS.replace("Five", "Six")}
    with indexed(tmp_path, files) as bench:
        for file, owner in types(bench, "Ex").items():
            assert used(bench, bench.outlines.detail(owner.id).members[0].id) == [(file, 3, "bound")]


def test_what_they_share_a_path_with_is_told_by_its_place(tmp_path: Path) -> None:
    with indexed(tmp_path, FILES) as bench, pytest.raises(AmbiguousSymbol) as raised:
        bench.outlines.detail("N.Helper")
    places = sorted(each["place"] for each in raised.value.details["candidates"])
    assert places == ["One.cs:2", "Three.cs:2", "Two.cs:2"]


def test_they_come_and_go_one_by_one(tmp_path: Path) -> None:
    with indexed(tmp_path, FILES) as bench:
        edit(tmp_path, "Two.cs", TWO.replace("file class", "class").replace("Helper", "Other"))
        changes = {(each.fqn, str(each.change)) for each in bench.index.refresh()}
        assert changes == {("N.Helper", "removed"), ("N.Other", "added"), ("N.Two", "internal")}
        assert set(types(bench)) == {"One.cs", "Three.cs"}
    with opened(tmp_path) as bench:
        assert bench.index.load()
        assert set(types(bench)) == {"One.cs", "Three.cs"}


def test_a_file_that_is_renamed_takes_them_along(tmp_path: Path) -> None:
    with indexed(tmp_path, FILES) as bench:
        old = types(bench)["One.cs"].id
        (tmp_path / "One.cs").rename(tmp_path / "First.cs")
        changes = {(each.fqn, str(each.change)) for each in bench.index.refresh()}
        assert ("N.Helper", "moved") in changes
        assert bench.outlines.detail(old).symbol.file == "First.cs"


ACCESS = st.sampled_from(["file class X { int m; }", "class X { int m; }", ""])


@given(
    st.dictionaries(st.sampled_from("ABC"), ACCESS, min_size=1),
    st.dictionaries(st.sampled_from("ABC"), ACCESS),
)
@settings(max_examples=15)
def test_any_change_leaves_what_a_fresh_index_has(
    tmp_path_factory: pytest.TempPathFactory, before: Mapping[str, str], after: Mapping[str, str]
) -> None:
    def whole(bench: Bench) -> list[tuple[str, str]]:
        return sorted((each.id, each.file) for each in bench.index.symbols() if not each.implicit)

    files = {"P.csproj": project(), **{f"{name}.cs": text for name, text in before.items()}}
    folder = tmp_path_factory.mktemp("kept")
    with indexed(folder, files) as bench:
        for name, text in after.items():
            edit(folder, f"{name}.cs", text)
        bench.index.refresh()
        now = {**files, **{f"{name}.cs": text for name, text in after.items()}}
        with indexed(tmp_path_factory.mktemp("fresh"), now) as fresh:
            assert whole(bench) == whole(fresh)
