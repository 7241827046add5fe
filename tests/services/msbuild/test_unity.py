"""Unity folders without project files."""

from __future__ import annotations

import json

import pytest

from services.msbuild import ProjectInfo
from services.msbuild.unity import _fits, _numbers
from tests.services.msbuild.memory import messages, sdk, sources, workspace


def asmdef(name: str, *references: str, **more: object) -> str:
    return json.dumps({"name": name, "references": references, **more})


GAME = {
    "Game/Assets/Core/Core.asmdef": asmdef("Core", defineConstraints=["HAS_CORE", "!NOT_ME"]),
    "Game/Assets/Core/Core.asmdef.meta": "fileFormatVersion: 2\nguid: 0123abcd\n",
    "Game/Assets/Play/Play.asmdef": asmdef(
        "Play",
        "GUID:0123ABCD",
        "Play",
        "Unity.Mathematics",
        versionDefines=[
            {"name": "com.unity.entities", "expression": "[1.0,2.0)", "define": "HAS_ENTITIES"},
            {"name": "com.unity.entities", "expression": "3.0", "define": "NEWER"},
        ],
    ),
    "Game/Assets/Other/Play.asmref": '{ "reference": "Play" }',
    "Game/Packages/manifest.json": '{ "dependencies": { "com.unity.entities": "1.2.3-pre.4" } }',
    "Game/ProjectSettings/ProjectVersion.txt": "m_EditorVersion: 2021.3.10f1\n",
    "Game/ProjectSettings/ProjectSettings.asset": "  scriptingDefineSymbols:\n    1: MINE;YOURS\n  other: 1\n",
    **sources(
        "Game/Assets/Core/A.cs",
        "Game/Assets/Core/Editor/E.cs",
        "Game/Assets/Play/P.cs",
        "Game/Assets/Other/O.cs",
    ),
    **sources(
        "Game/Assets/Free.cs",
        "Game/Assets/Tools/Editor/Tool.cs",
        "Game/Library/PackageCache/X.cs",
        "Game/Temp/Y.cs",
    ),
}


def by_name(files: dict[str, str]) -> dict[str, ProjectInfo]:
    return {info.name: info for info in workspace(files).projects}


def test_an_assembly_definition_is_a_project():
    found = by_name(GAME)
    assert set(found) == {"Core", "Play", "Assembly-CSharp", "Assembly-CSharp-Editor"}
    assert found["Core"].files == ("Game/Assets/Core/A.cs", "Game/Assets/Core/Editor/E.cs")
    assert found["Play"].files == ("Game/Assets/Other/O.cs", "Game/Assets/Play/P.cs")
    assert found["Play"].references == ("Game/Assets/Core/Core.asmdef",)
    assert found["Assembly-CSharp"].files == ("Game/Assets/Free.cs",)
    assert found["Assembly-CSharp-Editor"].files == ("Game/Assets/Tools/Editor/Tool.cs",)
    assert set(found["Assembly-CSharp-Editor"].references) == {
        *("Game/Assets", "Game/Assets/Core/Core.asmdef", "Game/Assets/Play/Play.asmdef")
    }


def test_symbols_come_from_the_editor_settings_constraints_and_packages():
    found = by_name(GAME)
    common = {"UNITY_EDITOR", "UNITY_2021_3_OR_NEWER", "UNITY_2021_3_10", "MINE", "YOURS"}
    assert common <= found["Play"].defines & found["Assembly-CSharp"].defines
    assert "UNITY_2022_1_OR_NEWER" not in found["Play"].defines
    assert "HAS_ENTITIES" in found["Play"].defines and "NEWER" not in found["Play"].defines
    assert "HAS_CORE" in found["Core"].defines and "HAS_CORE" not in found["Play"].defines


def test_an_assembly_that_references_itself_is_told():
    assert "The assembly Play references itself." in messages(workspace(GAME))


def test_a_definition_that_is_no_json_still_has_its_files():
    found = by_name({"Assets/A/A.asmdef": "{ no", "Assets/A/X.cs": ""})
    assert found["A"].files == ("Assets/A/X.cs",)
    assert "cannot be read" in found["A"].notices[0].message


def test_what_project_files_compile_needs_no_definition():
    files = {"A.csproj": sdk(), "Assets/A/A.asmdef": asmdef("A"), "Assets/A/X.cs": ""}
    assert [info.name for info in workspace(files).projects] == ["A"]


def test_a_folder_named_assets_alone_is_no_unity_project():
    assert [info.path for info in workspace({"Assets/X.cs": ""}).projects] == ["."]


@pytest.mark.parametrize(
    ("version", "expression", "fits"),
    [
        *(("1.2.3", "1.2", True), ("1.2.3", "1.3", False), ("1.2", "[1.2]", True), ("1.3", "[1.2]", False)),
        *(
            ("2.0", "[1.0,2.0)", False),
            ("2.0", "[1.0,2.0]", True),
            ("1.0", "(1.0,2.0)", False),
            ("9", "", True),
        ),
        *(("9", "[1.0,]", True), ("1", "nonsense", True)),
    ],
)
def test_versions_are_compared_with_ranges(version: str, expression: str, fits: bool):
    assert _fits(_numbers(version), expression) is fits
