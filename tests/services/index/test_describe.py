"""Types as values: parts merged, access narrowed, docs from the files."""

from pathlib import Path

from services.model import Symbol
from tests.support.workspace import edit, indexed

FILES = {
    "A.cs": """namespace N;
/// <summary>Holds <see cref="T:N.Item"/>s. More.</summary>
public partial class Box<T> : IBox where T : class
{
    /// <summary>Adds one.</summary>
    public void Add(T item) { }
    void IBox.Clear() { }
    protected class Inner { public int Depth { get; private set; } }
}
""",
    "B.cs": """namespace N;
partial class Box<T> : IOther
{
    internal int count;
}
internal struct Item { public int X; }
""",
}


def by_fqn(symbols: tuple[Symbol, ...] | list[Symbol]) -> dict[str, Symbol]:
    return {each.fqn: each for each in symbols if not each.implicit}


def test_parts_make_one_type(tmp_path: Path) -> None:
    with indexed(tmp_path, FILES) as bench:
        detail = bench.detail("Box")
        assert [(part.file, part.start_line, part.end_line) for part in detail.parts] == [
            *(("A.cs", 3, 9), ("B.cs", 2, 5))
        ]
        assert [member.name for member in detail.members if not member.implicit] == ["Add", "Clear", "count"]
        assert [ref.label for ref in detail.nested] == ["Inner"]
        assert detail.doc == "Holds Items. More."
        symbol = detail.symbol
        assert (symbol.fqn, symbol.arity, symbol.type_parameters) == ("N.Box`1", 1, ("T",))
        assert (symbol.accessibility.declared, symbol.accessibility.effective) == ("public", "public")
        assert symbol.signature == "public class Box<T> where T : class"
        assert [base.text for base in symbol.bases or ()] == ["IBox", "IOther"]
        assert symbol.doc_first_line == "Holds Items."


def test_access_is_narrowed_by_what_encloses(tmp_path: Path) -> None:
    with indexed(tmp_path, FILES) as bench:
        found = by_fqn(list(bench.symbols()))
    depth = found["N.Box`1+Inner.Depth"]
    assert (depth.accessibility.declared, depth.accessibility.effective) == ("public", "protected")
    assert depth.accessors == {"get": "public", "set": "private"}
    assert depth.declaring_type == "N.Box`1+Inner"
    assert found["N.Box`1+Inner"].declaring_type == "N.Box`1"
    assert found["N.Item.X"].accessibility.effective == "internal"
    clear = found["N.Box`1.Clear"]
    assert (clear.explicit_interface, clear.accessibility.effective) == ("IBox", "private")


def test_a_doc_of_a_file_that_has_changed_since_is_not_guessed(tmp_path: Path) -> None:
    with indexed(tmp_path, FILES) as bench:
        edit(tmp_path, "A.cs", "// moved\n" + FILES["A.cs"])
        found = by_fqn(list(bench.symbols()))
        assert found["N.Box`1.Add"].doc_first_line is None
        bench.refresh()
        assert by_fqn(list(bench.symbols()))["N.Box`1.Add"].doc_first_line == "Adds one."


def test_other_line_endings_do_not_shift_what_is_read(tmp_path: Path) -> None:
    with indexed(tmp_path, FILES) as bench:
        edit(tmp_path, "A.cs", FILES["A.cs"].replace("\n", "\r\n"))
        assert by_fqn(list(bench.symbols()))["N.Box`1.Add"].doc_first_line is None


def test_hashes_of_a_type_do_not_depend_on_its_files(tmp_path: Path) -> None:
    one = {"A.cs": "partial class A { public int X; }\npartial class A { int y; }"}
    other = {"A.cs": "partial class A { int y; }", "B.cs": "partial class A { public int X; }"}
    with indexed(tmp_path / "one", one) as bench:
        first = bench.detail("A").hashes
    with indexed(tmp_path / "two", other) as bench:
        assert bench.detail("A").hashes == first
