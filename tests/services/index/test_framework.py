import json
import lzma
import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from benchmarks.tables.bindings import Reference
from benchmarks.tables.framework_table import build
from services.errors import UsageError
from services.index.names import framework as types_of_frameworks
from services.index.names.framework import FrameworkTable, is_writable, open_name
from services.model import Kind
from tests.support.assembly_image import library

GENERIC = "System.Collections.Generic"
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
    return types_of_frameworks.load()


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
    packed = Path(types_of_frameworks.__file__).with_name("types.txt.xz").read_bytes()
    letters = re.findall(r"^#source\t(\w)", lzma.decompress(packed).decode(), re.MULTILINE)
    folders = {letter: root / letter for letter in letters}
    for folder in folders.values():
        folder.mkdir()
    return folders


def test_a_table_is_built_from_bindings_and_assemblies(tmp_path: Path) -> None:
    folders = source_folders(tmp_path)
    shape = {"targetName": "Shape", "baseType": generic("Lib.Unseen"), "interfaces": [generic("Lib.IShape")]}
    bindings(folders["c"], "Lib", shape, {"targetName": "IShape", "kind": "Interface"})
    bindings(folders["a"], "Internal.Lib", {"targetName": "Secret"})
    (folders["o"] / "Tiny.dll").write_bytes(library())
    (folders["f"] / "Unwanted.dll").write_bytes(library())
    assert build(folders, tmp_path) == 8
    built = FrameworkTable(lzma.decompress((tmp_path / "types.txt.xz").read_bytes()).decode())
    lib_shape, box = built.find("Lib", "Shape"), built.find("Tiny", "Box", 1)
    assert lib_shape is not None
    assert lib_shape.bases == ("Lib.IShape",)
    assert box is not None
    assert [source.version for source in box.sources] == ["3.1"]
    assert built.namespaces == {"Lib", "Tiny"}


def test_a_build_wants_a_folder_for_every_source(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as refused:
        build({"c": tmp_path}, tmp_path)
    assert "f" in refused.value.details["letters"]
