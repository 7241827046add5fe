"""A catalogue of which most is gone is packed: what is there answers as before, and as an index made anew."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from benchmarks.index.branch_switches import Dump, differences, dump
from services.bench.bench import Bench
from services.index.catalog import renumber
from services.index.catalog.catalogue import Catalogue
from services.index.catalog.renumber import is_sparse, packed
from tests.support.workspace import edit, indexed, opened, project, write_workspace

CORE, APP, TOOL = "Core/Core.csproj", "App/App.csproj", "Tool/Tool.csproj"
USES = project("<TargetFramework>net8.0</TargetFramework>").replace(
    "</Project>", '<ItemGroup><ProjectReference Include="../Core/Core.csproj" /></ItemGroup></Project>'
)
FILES = {
    CORE: project("<TargetFramework>net8.0</TargetFramework>"),
    APP: USES,
    "Core/Base.cs": "namespace Core; public partial class Base { public Base Next() => this; }",
    "Core/More.cs": "namespace Core; public partial class Base { public class Inner { public Base B; } }",
    "App/Main.cs": "using Core; namespace App; public class Main : Base { Inner i = new(); void Run() => Next(); }",
    "App/Part.cs": "namespace App; file class Hidden { } public record R(Main M);",
}
OTHER = {
    TOOL: USES,
    "Tool/Tool.cs": "using Core; namespace Tool; public class Tool : Base { public Main M; } public class Main { }",
    "Core/Less.cs": "namespace Core; public class Less { public Base B; public Less Next() => this; }",
    "App/Main.cs": "using Core; namespace App; public class Main : Less { void Run() => Next(); }",
}


def catalogue(bench: Bench) -> Catalogue:
    return bench.index.facade.catalogue


def whole(bench: Bench) -> Dump:
    """All that is known once everything is read."""
    bench.index.refresh()
    bench.index.relate()
    bench.index.read_bodies()
    return dump(bench)


def switch(folder: Path, *, there: bool) -> None:
    """Files of the other branch come, or go."""
    for name, text in OTHER.items():
        if there:
            edit(folder, name, text)
        elif name in FILES:
            edit(folder, name, FILES[name])
        else:
            (folder / name).unlink()


def test_switching_there_and_back_keeps_a_catalogue_as_small_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(renumber, "_FEW", 8)
    with indexed(tmp_path / "kept" / "w", FILES) as bench:
        whole(bench)
        rows = len(catalogue(bench).columns.dead)
        for number in range(24):
            switch(tmp_path / "kept" / "w", there=number % 2 == 0)
            found = whole(bench)
            sizes = (
                len(catalogue(bench).columns.dead),
                catalogue(bench).type_count,
                len(catalogue(bench).files),
            )
            assert all(size < 4 * rows + 8 for size in sizes), sizes
            if number in (5, 14, 23):
                write_workspace(tmp_path / f"fresh{number}" / "w", FILES | (OTHER if number % 2 == 0 else {}))
                with opened(tmp_path / f"fresh{number}" / "w") as fresh:
                    assert differences(found, whole(fresh)) == []


def test_what_is_packed_at_every_pass_is_what_a_fresh_index_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(renumber, "_FEW", -1_000_000)
    choose = random.Random(3)
    names, every = sorted({*FILES, *OTHER}), [FILES, OTHER]
    with indexed(tmp_path / "kept" / "w", FILES) as bench:
        for round_ in range(12):
            name = choose.choice(names)
            text = choose.choice(every).get(name)
            if text is None:
                (tmp_path / "kept" / "w" / name).unlink(missing_ok=True)
            else:
                edit(tmp_path / "kept" / "w", name, text)
            before = catalogue(bench)
            found = whole(bench)
            assert catalogue(bench).version >= before.version
            fresh_folder = tmp_path / f"fresh{round_}" / "w"
            for path in (tmp_path / "kept" / "w").rglob("*.cs*"):
                write_workspace(
                    fresh_folder, {str(path.relative_to(tmp_path / "kept" / "w")): path.read_bytes()}
                )
            with opened(fresh_folder) as fresh:
                assert differences(found, whole(fresh)) == [], (round_, name)


def test_packed_holds_what_is_there_and_nothing_else(tmp_path: Path) -> None:
    with indexed(tmp_path, FILES) as bench:
        switch(tmp_path, there=True)
        bench.index.refresh()
        switch(tmp_path, there=False)
        bench.index.refresh()
        old = catalogue(bench)
        new, numbers = packed(old)
        assert len(new) == len(old) and new.version > old.version
        assert list(new.files) == [new.files[numbers.files[at]] for at, each in enumerate(old.files) if each]
        assert [each.fqn for each in new.types] == [each.fqn for _, each in old.live_types()]
        assert new.type_count < old.type_count
        assert len(new.columns.dead) < len(old.columns.dead)
        assert not is_sparse(new)
