import json
import lzma
import re
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.errors import NotAnAssembly, UsageError
from services.index.framework import members, table
from services.index.framework.assembly import Assembly
from services.index.framework.bindings import Reference
from services.index.framework.build import build
from services.index.framework.facts import MemberFact, exact_first, is_writable, open_name
from services.index.framework.members import MemberTable
from services.index.framework.table import FrameworkTable
from services.model import Kind
from tests.support.assembly_image import library

GENERIC = "System.Collections.Generic"
SEQUENCE = f"{GENERIC}.IEnumerable`1"
TWICE = MemberFact("Twice", Kind.METHOD, True, "!!0[]", "System.String")
AREA = MemberFact("Area", Kind.PROPERTY, False, "System.Double")
TEXT = """\
#source\tn\tNew\t2.0\tone
#source\to\tOld\t1.0\ttwo
@Plain
Box`1 c no Plain.Shape System.IEquatable`1[Plain.Box`1[!0]]
Box`1+Lid s n
Box`1+Lid+Hinge`2 e n
Shape a no
@Plain.Old.Deep
Relic z o
"""


@pytest.fixture(scope="module")
def framework() -> FrameworkTable:
    return table.load()


def test_string_is_a_sealed_class_and_a_sequence_of_characters(framework: FrameworkTable) -> None:
    string = framework.find("System", "String", 0)
    assert string is not None
    assert (string.kind, string.modifiers) == (Kind.CLASS, ("sealed",))
    assert f"{GENERIC}.IEnumerable`1[System.Char]" in string.base_types
    assert {"System.IComparable", f"{GENERIC}.IEnumerable`1"} <= set(string.bases)
    assert string.families >= {"Microsoft.NETCore.App", "netfx"}


@pytest.mark.parametrize(
    ("container", "name", "arity", "kind", "base"),
    [
        (GENERIC, "List", 1, Kind.CLASS, f"{GENERIC}.IReadOnlyList`1"),
        ("System.Threading.Tasks", "Task", 1, Kind.CLASS, "System.Threading.Tasks.Task"),
        ("System.Threading.Tasks", "Task", 0, Kind.CLASS, "System.IAsyncResult"),
        ("System.Threading.Tasks", "ValueTask", 1, Kind.STRUCT, "System.IEquatable`1"),
        (f"{GENERIC}.Dictionary`2", "KeyCollection", 0, Kind.CLASS, f"{GENERIC}.ICollection`1"),
        (f"{GENERIC}.Dictionary`2+KeyCollection", "Enumerator", 0, Kind.STRUCT, f"{GENERIC}.IEnumerator`1"),
        ("System.Collections", "IList", 0, Kind.INTERFACE, "System.Collections.ICollection"),
        ("System.IO", "FileStream", 0, Kind.CLASS, "System.IO.Stream"),
        ("System.Numerics", "INumber", 1, Kind.INTERFACE, "System.Numerics.INumberBase`1"),
        ("Microsoft.AspNetCore.Mvc", "Controller", 0, Kind.CLASS, "Microsoft.AspNetCore.Mvc.ControllerBase"),
        ("Microsoft.Extensions.Hosting", "BackgroundService", 0, Kind.CLASS, "System.IDisposable"),
        (
            "Microsoft.Extensions.Logging",
            "ILogger",
            1,
            Kind.INTERFACE,
            "Microsoft.Extensions.Logging.ILogger",
        ),
        ("Microsoft.EntityFrameworkCore", "DbSet", 1, Kind.CLASS, "System.Linq.IQueryable`1"),
        ("System.Windows.Forms", "Form", 0, Kind.CLASS, "System.Windows.Forms.ContainerControl"),
        ("System.Web.Mvc", "Controller", 0, Kind.CLASS, "System.Web.Mvc.ControllerBase"),
    ],
)
def test_well_known_types_have_their_bases(
    framework: FrameworkTable, container: str, name: str, arity: int, kind: Kind, base: str
) -> None:
    found = framework.find(container, name, arity)
    assert found is not None
    assert (found.kind, found.arity) == (kind, arity)
    assert base in found.bases


@pytest.mark.parametrize(
    ("container", "name", "arity", "kind", "modifiers"),
    [
        ("System", "DayOfWeek", 0, Kind.ENUM, ()),
        ("System", "Func", 2, Kind.DELEGATE, ()),
        ("System", "Int32", 0, Kind.STRUCT, ()),
        ("System", "Enum", 0, Kind.CLASS, ("abstract",)),
        ("System.Linq", "Enumerable", 0, Kind.CLASS, ("static",)),
        ("Microsoft.AspNetCore.Http", "HttpContext", 0, Kind.CLASS, ("abstract",)),
    ],
)
def test_kinds_and_modifiers_are_those_of_the_declaration(
    framework: FrameworkTable, container: str, name: str, arity: int, kind: Kind, modifiers: tuple[str, ...]
) -> None:
    found = framework.find(container, name, arity)
    assert found is not None
    assert (found.kind, found.modifiers) == (kind, modifiers)


def test_a_base_class_comes_before_the_interfaces_and_stands_alone(framework: FrameworkTable) -> None:
    kinds = {found.fqn: found.kind for found in framework}
    for found in framework:
        classes = [position for position, base in enumerate(found.bases) if kinds[base] is Kind.CLASS]
        assert classes in ([], [0]), found.fqn


def test_every_base_and_argument_in_the_table_is_a_type_of_the_table(framework: FrameworkTable) -> None:
    names = {found.fqn for found in framework}
    bases = {base for found in framework for base in found.base_types}
    assert {open_name(base) for base in bases} <= names


def test_every_name_can_be_written_in_a_program(framework: FrameworkTable) -> None:
    for namespace in framework.namespaces:
        for found in framework.types_in(namespace):
            assert is_writable(found.fqn.removeprefix(f"{namespace}.")), found.fqn


def test_namespaces_include_every_dotted_prefix(framework: FrameworkTable) -> None:
    assert {"System", "System.Collections", "Microsoft", "Microsoft.AspNetCore"} <= framework.namespaces
    assert all(
        name.rpartition(".")[0] in framework.namespaces for name in framework.namespaces if "." in name
    )


def test_a_table_within_families_forgets_the_types_of_the_others(framework: FrameworkTable) -> None:
    assert framework.find("System.Web", "HttpContext") is not None
    current = framework.within({"Microsoft.NETCore.App", "Microsoft.AspNetCore.App"})
    assert current.find("System.Web", "HttpContext") is None
    assert current.find("Microsoft.AspNetCore.Http", "HttpContext") is not None
    assert "System.Web" in current.namespaces
    assert "System.Web.UI" not in current.namespaces
    assert not framework.within(()).namespaces


def test_unknown_names_and_arities_are_not_found(framework: FrameworkTable) -> None:
    assert framework.find("System", "Strung") is None
    assert framework.find(GENERIC, "List", 3) is None
    assert framework.find("No.Such", "String") is None
    assert framework.get("") is None
    assert framework.types_in("No.Such") == ()


def test_a_container_is_a_namespace_or_a_type() -> None:
    tiny = FrameworkTable(TEXT)
    assert [found.fqn for found in tiny.types_in("Plain")] == ["Plain.Box`1", "Plain.Shape"]
    assert [found.fqn for found in tiny.types_in("Plain.Box`1")] == ["Plain.Box`1+Lid"]
    hinge = tiny.find("Plain.Box`1+Lid", "Hinge", 2)
    assert hinge is not None
    assert (hinge.arity, hinge.kind) == (2, Kind.ENUM)


def test_sources_say_who_has_a_type() -> None:
    tiny = FrameworkTable(TEXT)
    assert tiny.namespaces == {"Plain", "Plain.Old", "Plain.Old.Deep"}
    assert [source.version for source in tiny.sources] == ["2.0", "1.0"]
    old = tiny.within({"Old"})
    assert old.get("Plain.Box`1+Lid") is None
    assert [found.fqn for found in old] == ["Plain.Box`1", "Plain.Shape", "Plain.Old.Deep.Relic"]
    assert tiny.within({"New"}).namespaces == {"Plain"}


def test_an_assembly_offers_what_a_program_can_name() -> None:
    assembly = Assembly(library())
    facts = {fact.fqn: fact for fact in assembly.types()}
    assert assembly.name == "Tiny"
    assert {name: fact.kind for name, fact in facts.items()} == {
        "Tiny.Box`1": Kind.CLASS,
        "Tiny.Box`1+Colour": Kind.ENUM,
        "Tiny.Box`1+Cursor": Kind.STRUCT,
        "Tiny.Tools": Kind.CLASS,
        "Tiny.Pipe": Kind.CLASS,
        "Tiny.Done": Kind.DELEGATE,
    }
    assert facts["Tiny.Box`1"].bases == (f"{GENERIC}.List`1[!0]", "System.IDisposable")
    assert facts["Tiny.Tools"].modifiers == ("static",)
    assert facts["Tiny.Done"].bases == ()
    assert list(assembly.forwarded()) == ["System.Uri"]


def test_an_internal_base_class_is_stepped_over() -> None:
    (pipe,) = (fact for fact in Assembly(library()).types() if fact.name == "Pipe")
    assert pipe.bases == ("System.IO.Stream",)


@pytest.mark.parametrize("image", [b"", b"MZ", b"plain text", library()[:300], library()[:700]])
def test_what_is_not_an_assembly_is_refused(image: bytes) -> None:
    with pytest.raises(NotAnAssembly):
        list(Assembly(image).types())


@given(st.dictionaries(st.integers(0, len(library()) - 1), st.integers(0, 255), min_size=1, max_size=8))
def test_a_damaged_assembly_is_read_or_refused_and_nothing_else(changes: dict[int, int]) -> None:
    image = bytearray(library())
    for position, byte in changes.items():
        image[position] = byte
    try:
        assembly = Assembly(bytes(image))
        names = [fact.name for fact in assembly.types()] + [fact.name for _, fact in assembly.members()]
        assert all(map(is_writable, names))
        assert all(isinstance(name, str) for name in (assembly.name, *assembly.forwarded()))
    except NotAnAssembly:
        return


def bindings(folder: Path, namespace: str, *types: Mapping[str, object]) -> None:
    plain: dict[str, object] = {"ownerIdentity": "Lib", "kind": "Class", "accessibility": "Public"}
    plain |= {"isAbstract": False, "isSealed": False}
    listed = [{**plain, **entry, "targetName": f"{namespace}.{entry['targetName']}"} for entry in types]
    content = {"provider": {"namespace": namespace}, "targetSurface": {"types": listed}}
    (folder / namespace).mkdir(parents=True)
    (folder / namespace / "bindings.json").write_text(json.dumps(content))


def generic(name: str, *arguments: str) -> dict[str, object]:
    return {"targetName": name, "typeArguments": list(arguments)}


def test_arguments_in_bindings_are_resolved_or_marked_unknown(tmp_path: Path) -> None:
    bindings(
        tmp_path / "core", "System", {"targetName": "String"}, {"targetName": "Pair`2", "kind": "Struct"}
    )
    bindings(tmp_path / "core", "Other", {"targetName": "String"}, {"targetName": "Twin"})
    bases = [generic("A`1", "Pair_2[[String,T]]"), generic("B`1", "Twin"), generic("C`1", "Unheard[]")]
    own = {"targetName": "Mine`1", "typeParameters": ["T"], "interfaces": bases}
    hidden = {"targetName": "Hidden", "accessibility": "Internal"}
    bindings(tmp_path / "app", "App", {"targetName": "Twin"}, own, hidden)
    facts = {
        fact.name: fact for fact in Reference([tmp_path / "core", tmp_path / "app"]).types(tmp_path / "app")
    }
    assert facts["Mine`1"].bases == ("A`1[System.Pair`2[System.String,!0]]", "B`1[App.Twin]", "C`1[?[]]")
    assert "Hidden" not in facts


def source_folders(root: Path) -> dict[str, Path]:
    packed = Path(table.__file__).with_name("types.txt.xz").read_bytes()
    letters = re.findall(r"^#source\t(\w)", lzma.decompress(packed).decode(), re.MULTILINE)
    folders = {letter: root / letter for letter in letters}
    for folder in folders.values():
        folder.mkdir()
    return folders


def test_a_table_is_built_from_bindings_and_assemblies(tmp_path: Path) -> None:
    folders = source_folders(tmp_path)
    shape = {"targetName": "Shape", "baseType": generic("Lib.Unseen"), "interfaces": [generic("Lib.IShape")]}
    shape["properties"] = [member("Area", ":System.Double")]
    bindings(folders["c"], "Lib", shape, {"targetName": "IShape", "kind": "Interface"})
    bindings(folders["a"], "Internal.Lib", {"targetName": "Secret"})
    (folders["o"] / "Tiny.dll").write_bytes(library())
    (folders["f"] / "Unwanted.dll").write_bytes(library())
    assert build(folders, tmp_path) == 8
    built = FrameworkTable(lzma.decompress((tmp_path / "types.txt.xz").read_bytes()).decode())
    built_members = MemberTable(lzma.decompress((tmp_path / "members.txt.xz").read_bytes()).decode())
    lib_shape, box = built.find("Lib", "Shape"), built.find("Tiny", "Box", 1)
    assert lib_shape is not None
    assert lib_shape.bases == ("Lib.IShape",)
    assert box is not None
    assert [source.version for source in box.sources] == ["3.1"]
    assert built.namespaces == {"Lib", "Tiny"}
    assert built_members.find("Tiny.Tools", "Twice") == (TWICE,)
    assert built_members.find("Lib.Shape", "Area") == (AREA,)


def test_a_build_wants_a_folder_for_every_source(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as refused:
        build({"c": tmp_path}, tmp_path)
    assert "f" in refused.value.details["letters"]


def member(name: str, signature: str, **more: object) -> dict[str, object]:
    plain = {"targetName": name, "canonicalSignature": signature, "normalizedSignature": name}
    return {**plain, "visibility": "Public", "isStatic": False, "emitScope": "ClassSurface", **more}


def test_members_in_bindings_have_their_types_or_unknown_arguments(tmp_path: Path) -> None:
    version = "Core, Version=1.0.0.0, Culture=neutral"
    closed = f"System.Pair_2[[System.String,{version}],[System.Byte[],{version}]]"
    methods = [
        member("Find", "(System.String,T):T"),
        member("Pairs", f"():{closed}"),
        member("Lists", "():List_1[]"),
        member("Walk", "():Cursor"),
        member("Seen", "(System.String):TOther"),
        member("Secret", "():System.String", visibility="Internal"),
        member("Shown", "():System.String", emitScope="ViewOnly"),
        member("Extend", f"({closed},List_1):System.Void", isStatic=True, isExtensionMethod=True),
    ]
    fields = [
        {
            **member("Zero", ""),
            "canonicalSignature": None,
            "normalizedSignature": "Zero|System.Byte|static=false",
        }
    ]
    indexer = member("Item", "[System.Int32]:T", isIndexer=True)
    own = {
        "targetName": "Mine`1",
        "typeParameters": ["T"],
        "methods": methods,
        "fields": fields,
        "properties": [indexer],
    }
    bindings(
        tmp_path,
        "App",
        own,
        {"targetName": "List`1"},
        {"targetName": "Mine`1+Cursor"},
        {"targetName": "X+Cursor"},
    )
    found = {
        fact.name: fact for owner, fact in Reference([tmp_path]).members(tmp_path) if owner == "App.Mine`1"
    }
    pair = "System.Pair`2[System.String,System.Byte[]]"
    assert {name: fact.type for name, fact in found.items()} == {
        "Find": "!0",
        "Pairs": pair,
        "Lists": "App.List`1[?][]",
        "Walk": "App.Mine`1+Cursor[?]",
        "Seen": "?",
        "Extend": "System.Void",
        "Zero": "System.Byte",
        "Item": "!0",
    }
    assert found["Extend"].receiver == pair
    assert (found["Item"].kind, found["Zero"].kind) == (Kind.INDEXER, Kind.FIELD)


def test_an_assembly_tells_the_types_of_its_members() -> None:
    found = set(Assembly(library()).members())
    assert found == {
        ("Tiny.Tools", TWICE),
        ("Tiny.Tools", MemberFact("Limit", Kind.FIELD, True, "System.Int32")),
        ("Tiny.Pipe", MemberFact("Size", Kind.PROPERTY, False, "System.Int64")),
        ("Tiny.Pipe", MemberFact("Item", Kind.INDEXER, False, "System.Char")),
    }


def test_an_exact_fact_stands_for_the_vague_ones_of_the_same_shape() -> None:
    def first(returned: str, receiver: str | None) -> MemberFact:
        return MemberFact("First", Kind.METHOD, True, returned, receiver)

    exact = first("!!0", f"{SEQUENCE}[!!0]")
    vague, other = first("?", f"{SEQUENCE}[?]"), first("?", "System.Linq.IQueryable`1[?]")
    assert exact_first([vague, other, exact, exact]) == (exact, other)
    assert exact_first([vague]) == (vague,)


@pytest.mark.parametrize(
    ("owner", "name", "kind", "type_"),
    [
        ("System.String", "Length", Kind.PROPERTY, "System.Int32"),
        (f"{GENERIC}.List`1", "GetEnumerator", Kind.METHOD, f"{GENERIC}.List`1+Enumerator[!0]"),
        (f"{GENERIC}.Dictionary`2", "Item", Kind.INDEXER, "!1"),
        ("System.Threading.Tasks.Task`1", "Result", Kind.PROPERTY, "!0"),
        ("System.Math", "PI", Kind.FIELD, "System.Double"),
        (
            "Microsoft.AspNetCore.Http.HttpContext",
            "Request",
            Kind.PROPERTY,
            "Microsoft.AspNetCore.Http.HttpRequest",
        ),
    ],
)
def test_well_known_members_have_their_types(owner: str, name: str, kind: Kind, type_: str) -> None:
    found = members.load().find(owner, name)
    assert [(fact.kind, fact.type) for fact in found] == [(kind, type_)]


def test_extension_methods_are_found_by_namespace() -> None:
    selects = members.load().extensions("System.Linq", "Select")
    assert (f"{SEQUENCE}[!!0]", f"{SEQUENCE}[!!1]") in {(fact.receiver, fact.type) for fact in selects}
    assert all(fact.is_static for fact in selects)
    assert members.load().extensions("No.Such", "Select") == ()


def test_members_belong_to_types_of_the_table(framework: FrameworkTable) -> None:
    for namespace in ("System", "System.Linq", "Microsoft.AspNetCore.Mvc", "System.Web.UI"):
        for found in framework.types_in(namespace):
            for fact in members.load().of(found.fqn):
                assert found.kind is not Kind.ENUM
                assert fact.name.isidentifier()
    assert members.load().of("No.Such") == ()
