"""Partial members: two declarations, one member."""

from __future__ import annotations

from pathlib import Path

from services.bench.bench import Bench
from services.model import Symbol
from tests.support.workspace import edit, indexed

CONTRACT = """
namespace N;
public partial class C
{
    /// <summary>What it says.</summary>
    public partial int Count { get; set; }
    public partial string Name(string? text, int times = 3);
    public partial event System.Action Gone;
    public partial C();
    partial void Hook();
    public partial int this[int at] { get; }
}
"""
BODIES = """
namespace N;
partial class C
{
    public partial int Count { get => 1; set { } }
    public async partial System.String Name(System.String? text, int other) => "";
    public partial event System.Action Gone { add { } remove { } }
    public partial C() { }
    public partial int this[int at] => at;
    void Use() { Count = 2; Name("a"); }
}
"""


def members(bench: Bench) -> dict[str, Symbol]:
    """By kind and name; two of the same would be one too few."""
    found = [symbol for symbol in bench.index.symbols() if not symbol.is_type and not symbol.implicit]
    named = {f"{symbol.kind} {symbol.name}": symbol for symbol in found}
    assert len(named) == len(found)
    return named


def test_two_halves_are_one_member_with_the_id_of_the_contract(tmp_path: Path) -> None:
    with indexed(tmp_path, {"A.cs": CONTRACT}) as bench:
        alone = members(bench)
        edit(tmp_path, "B.cs", BODIES)
        bench.index.refresh()
        both = members(bench)
    assert {name: symbol.id for name, symbol in alone.items()} == {
        name: symbol.id for name, symbol in both.items() if name != "method Use"
    }
    assert all("." not in symbol.id for symbol in both.values())
    assert both["property Count"].file == "B.cs"
    assert both["property Count"].doc_first_line == "What it says."
    assert both["property Count"].accessors == {"get": "public", "set": "public"}
    assert both["method Name"].signature == "public partial string Name(string? text, int times = 3)"
    assert both["method Hook"].file == "A.cs"


def test_a_body_that_comes_changes_no_signature(tmp_path: Path) -> None:
    with indexed(tmp_path, {"A.cs": CONTRACT, "B.cs": "namespace N; partial class C {}"}) as bench:
        before = bench.outlines.detail("N.C").hashes
        edit(tmp_path, "B.cs", BODIES.replace("void Use()", "static void Use()"))
        bench.index.refresh()
        after = bench.outlines.detail("N.C").hashes
        edit(tmp_path, "B.cs", BODIES.replace("void Use()", "static void Use()").replace("=> 1", "=> 2"))
        bench.index.refresh()
        edited = bench.outlines.detail("N.C").hashes
    assert (before["structure"], before["doc"]) == (after["structure"], after["doc"])
    assert before["impl"] != after["impl"] != edited["impl"]


def test_usages_of_a_partial_member_are_bound(tmp_path: Path) -> None:
    with indexed(tmp_path, {"A.cs": CONTRACT, "B.cs": BODIES}) as bench:
        for name in ("N.C.Count", "N.C.Name"):
            (usage,) = bench.usages.find(name).usages
            assert (usage.grade, usage.line) == ("bound", 10)


def test_both_halves_are_found_as_the_one_member(tmp_path: Path) -> None:
    with indexed(tmp_path, {"A.cs": CONTRACT, "B.cs": BODIES}) as bench:
        hits = [
            hit.symbol for hit in bench.index.search("Count", limit=10).hits if hit.symbol.label == "Count"
        ]
        assert len(hits) == 1
        at_contract, at_body = (
            bench.lookup.resolve(f"{file}:{line}").symbol for file, line in (("A.cs", 6), ("B.cs", 5))
        )
        assert at_contract is not None
        assert at_body is not None
        assert at_contract.id == at_body.id == hits[0].id
