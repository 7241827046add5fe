"""Batches: edits planned one on another, written as one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from services.bench import Bench
from services.errors import EditConflict, SymbolNotFound, UsageError, VersionConflict
from services.model.writes import EditKind, EditRequest
from services.operations import by_name
from services.source.journal.actor import Owner, acting
from tests.support.workspace import edit, indexed, project

SHOP = (
    "namespace Shop;\n"
    "public class Basket\n{\n    public int Count;\n    public void Add(int n) { Count += n; }\n}\n"
    "public class Till\n{\n    void Sell(Basket b) { b.Add(1); b.Count = 2; }\n}\n"
)
FILES = {"Shop.csproj": project(), "Basket.cs": SHOP}


def rename(name: str, new: str) -> EditRequest:
    return EditRequest(kind=EditKind.RENAME, object=name, text=new)


EDITS = (
    rename("Shop.Basket.Add", "Put"),
    rename("Shop.Basket", "Cart"),
    EditRequest(kind=EditKind.SIGNATURE, object="Shop.Cart.Put", text="n, int twice := 2"),
    EditRequest(kind=EditKind.MOVE, object="Shop.Till"),
    EditRequest(kind=EditKind.INTERFACE, object="Shop.Cart", text="ICart", members=("Put",)),
    rename("Shop.ICart", "IPile"),
)


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    with indexed(tmp_path, FILES) as opened:
        yield opened


def _all(bench: Bench) -> dict[str, str]:
    return {path.name: path.read_text("utf-8") for path in Path(bench.root).glob("*.cs")}


def test_edits_are_planned_on_what_those_before_them_leave(bench: Bench) -> None:
    before = _all(bench)
    answer = bench.refactoring.apply(EDITS)
    made = _all(bench)
    assert answer.moves == {"Basket.cs": "Cart.cs"}
    assert made.keys() == {"Cart.cs", "Till.cs", "IPile.cs"}
    assert "class Cart : IPile" in made["Cart.cs"]
    assert "void Put(int n, int twice)" in made["Cart.cs"]
    assert "b.Put(1, 2); b.Count = 2;" in made["Till.cs"]
    assert "void Put(int n, int twice);" in made["IPile.cs"]
    assert len(bench.writing.history(None, limit=9).entries) == 1
    bench.writing.undo(None)
    assert _all(bench) == before


def test_a_batch_is_written_when_it_is_committed(bench: Bench) -> None:
    before = _all(bench)
    id_ = bench.batches.begin().id
    for each in EDITS:
        bench.batches.add(id_, each)
    assert _all(bench) == before
    assert "+public interface IPile" in bench.batches.commit(id_, rehearse=True).diff
    assert bench.batches.commit(id_).written
    assert _all(bench).keys() == {"Cart.cs", "Till.cs", "IPile.cs"}
    with pytest.raises(UsageError, match="no open batch"):
        bench.batches.commit(id_)


def test_an_edit_that_does_not_hold_is_not_added(bench: Bench) -> None:
    id_ = bench.batches.begin().id
    bench.batches.add(id_, rename("Shop.Basket", "Cart"))
    with pytest.raises(EditConflict, match=r"Edit 2: .*There is a type Till"):
        bench.batches.add(id_, rename("Shop.Cart", "Till"))
    with pytest.raises(SymbolNotFound, match=r"Edit 2: .*Shop\.Basket"):
        bench.batches.add(id_, rename("Shop.Basket", "Pile"))
    assert bench.batches.get(id_).edits == (rename("Shop.Basket", "Cart"),)


def test_an_aborted_batch_leaves_nothing(bench: Bench) -> None:
    before = _all(bench)
    id_ = bench.batches.begin().id
    bench.batches.add(id_, EDITS[0])
    assert bench.batches.abort(id_).edits == EDITS[:1]
    assert _all(bench) == before
    with pytest.raises(UsageError, match="no open batch"):
        bench.batches.add(id_, EDITS[1])


def test_a_batch_is_planned_again_on_files_that_went_on(bench: Bench) -> None:
    id_ = bench.batches.begin().id
    bench.batches.add(id_, EDITS[0])
    edit(Path(bench.root), "Basket.cs", SHOP.replace("b.Count = 2;", "b.Add(3);"))
    bench.batches.commit(id_)
    assert "b.Put(1); b.Put(3);" in _all(bench)["Basket.cs"]


def test_a_batch_without_edits_and_one_of_a_wrong_name_are_refused(bench: Bench) -> None:
    with pytest.raises(UsageError, match="no edit"):
        bench.batches.commit(bench.batches.begin().id)
    for name in ("", "E_../../x", "P_AAAAAAAA", "E_AAAAAAAA"):
        with pytest.raises(UsageError, match="no open batch"):
            bench.batches.get(name)


def test_a_batch_belongs_to_the_agent_that_opened_it(bench: Bench) -> None:
    with acting(Owner("one", "1")):
        id_ = bench.batches.begin().id
    with acting(Owner("two", "2")), pytest.raises(UsageError, match="another's"):
        bench.batches.add(id_, EDITS[0])
    with acting(Owner("one", "1")):
        bench.batches.add(id_, EDITS[0])
    assert bench.batches.commit(id_).written, "a person may"


def test_an_edit_for_a_batch_is_no_proposal(bench: Bench) -> None:
    """What an agent adds to a batch is not asked about; committing it is."""
    from services.operations.edits.consent import _asks

    operation, commit = by_name("RenameSymbol"), by_name("CommitEditBatch")
    assert operation is not None
    assert commit is not None
    assert _asks(bench, operation, {"object": "Shop.Till"})
    assert not _asks(bench, operation, {"object": "Shop.Till", "batch": "E_AAAAAAAA"})
    assert _asks(bench, commit, {"batch": "E_AAAAAAAA"})


def test_a_preview_names_each_place_and_what_stands_against_it(bench: Bench) -> None:
    shown = bench.refactoring.preview(rename("Shop.Basket.Count", "Add"))
    assert [(each.line, each.column) for each in shown.places] == [(4, 16), (5, 30), (9, 39)]
    assert "There is" in shown.conflicts[0].reason or "already" in shown.conflicts[0].reason
    assert "+    public int Add;" in shown.diff
    assert _all(bench) == {"Basket.cs": SHOP}


def test_a_file_that_changes_between_plan_and_write_is_not_written(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    from services.bench.edits.stage import Stage

    edits = Stage.edits

    def changed(stage: Stage) -> object:
        edit(Path(bench.root), "Basket.cs", SHOP + "// went on\n")
        return edits(stage)

    monkeypatch.setattr(Stage, "edits", changed)
    with pytest.raises(VersionConflict, match="changed meanwhile"):
        bench.refactoring.apply(EDITS)
    assert _all(bench) == {"Basket.cs": SHOP + "// went on\n"}


@pytest.mark.parametrize(
    ("kind", "name", "text"),
    [
        (EditKind.RENAME, "Shop.Far", "Near"),
        (EditKind.RENAME, "Shop.Far.Go", "Run"),
        (EditKind.SIGNATURE, "Shop.Far.Go", ""),
        (EditKind.MOVE, "Shop.Far", ""),
        (EditKind.INTERFACE, "Shop.Far", "IFar"),
    ],
)
def test_what_another_configuration_declares_is_refused(
    bench: Bench, tmp_path: Path, kind: EditKind, name: str, text: str
) -> None:
    edit(
        tmp_path,
        "Far.cs",
        "namespace Shop;\n#if NET472\npublic class Far { public void Go(int n) { } }\n#endif\n",
    )
    bench.index.refresh()
    before = _all(bench)
    with pytest.raises(UsageError, match=r"another configuration \(#if NET472\)"):
        bench.refactoring.apply([EditRequest(kind=kind, object=name, text=text)])
    assert _all(bench) == before
