"""Property functions and the members of .NET's strings, as the MSBuild reference has them."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from services.msbuild.language.environment import VirtualFiles
from services.msbuild.language.functions import call, combine
from services.msbuild.language.paths import VirtualRoot
from services.msbuild.language.properties import MAX_LENGTH
from services.msbuild.language.strings import NetFolder, NetVersion, member, replaced
from tests.services.msbuild.memory import Memory

FILES: dict[str, str | bytes] = {
    "Directory.Build.props": "<Project/>",
    "src/A/A.csproj": "<Project/>",
    "src/A/One.cs": "",
    "src/version.txt": "1.2.3;x",
}
NUMBERS = st.integers(-10_000, 10_000)
VERSIONS = st.lists(st.integers(0, 99), min_size=1, max_size=4)


def asked(type_name: str, name: str, *arguments: Any, platform: str = "linux") -> Any:
    environment = VirtualFiles(Memory(FILES), VirtualRoot("Work"), platform)
    return call((environment, "/Work/src/A"), type_name, name, list(arguments))


def msbuild(name: str, *arguments: Any, **given_: Any) -> Any:
    return asked("MSBuild", name, *arguments, **given_)


def path(name: str, *arguments: Any) -> Any:
    return asked("System.IO.Path", name, *arguments)


# Files of the workspace


def test_a_file_above_is_found_from_the_folder_of_the_project_up() -> None:
    assert msbuild("GetPathOfFileAbove", "Directory.Build.props") == "/Work/Directory.Build.props"
    assert msbuild("GetPathOfFileAbove", "Directory.Build.props", "..") == "/Work/Directory.Build.props"
    assert msbuild("GetPathOfFileAbove", "gone.props") == ""
    assert msbuild("GetDirectoryNameOfFileAbove", ".", "A.csproj") == "/Work/src/A"


def test_nothing_above_the_root_is_found() -> None:
    assert msbuild("GetPathOfFileAbove", "Directory.Build.props", "/") == ""


def test_files_and_folders_are_there_as_the_workspace_has_them() -> None:
    assert asked("System.IO.File", "Exists", "One.cs")
    assert asked("System.IO.Directory", "Exists", "../A")
    assert not asked("System.IO.File", "Exists", "/etc/passwd")
    assert str(asked("System.IO.Directory", "GetParent", "/Work/src/A")) == "/Work/src"


def test_the_text_of_a_file_is_read_and_what_has_a_meaning_in_it_is_escaped() -> None:
    assert asked("System.IO.File", "ReadAllText", "../version.txt") == "1.2.3%3bx"


@pytest.mark.parametrize("file", ["/etc/passwd", "../../../secret.txt", "gone.txt"])
def test_the_text_of_a_file_that_is_not_of_the_workspace_is_not_understood(file: str) -> None:
    with pytest.raises(KeyError):
        asked("System.IO.File", "ReadAllText", file)


# The system


@pytest.mark.parametrize(
    ("platform", "name", "unix"),
    [("linux", "Linux", True), ("darwin", "OSX", True), ("win32", "Windows", False)],
)
def test_the_system_is_the_caller_s(platform: str, name: str, unix: bool) -> None:
    for other in ("Linux", "OSX", "Windows", "FreeBSD", "Plan9"):
        assert msbuild("IsOsPlatform", other, platform=platform) is (other == name)
    assert msbuild("IsOsUnixLike", platform=platform) is unix
    wanted = {"OSX": "IsMacOS"}.get(name, f"Is{name}")
    assert asked("System.OperatingSystem", wanted, platform=platform)


def test_what_the_machine_alone_knows_is_empty() -> None:
    assert asked("System.Environment", "GetEnvironmentVariable", "HOME") == ""


# Paths


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        (("a", "b"), "a/b"),
        (("a/", "b"), "a/b"),
        (("a", "/b"), "/b"),
        (("", "b"), "b"),
        (("a", "b", "c.x"), "a/b/c.x"),
    ],
)
def test_an_absolute_part_throws_away_what_came_before_it(parts: tuple[str, ...], expected: str) -> None:
    assert combine(*parts) == path("Combine", *parts) == expected


@pytest.mark.parametrize(
    ("name", "arguments", "expected"),
    [
        ("GetFileName", ("a/b.cs",), "b.cs"),
        ("GetFileName", ("a\\b.cs",), "b.cs"),
        ("GetFileNameWithoutExtension", ("a/b.c.cs",), "b.c"),
        ("GetFileNameWithoutExtension", ("a/b",), "b"),
        ("GetExtension", ("a.b/c",), ""),
        ("GetExtension", ("c.x",), ".x"),
        ("HasExtension", ("c",), False),
        ("ChangeExtension", ("a/b.cs", ".g.cs"), "a/b.g.cs"),
        ("ChangeExtension", ("a/b.cs", ""), "a/b"),
        ("GetDirectoryName", ("a/b/c",), "a/b"),
        ("IsPathRooted", ("/a",), True),
        ("IsPathRooted", ("a",), False),
        ("GetFullPath", ("../B/x",), "/Work/src/B/x"),
        ("TrimEndingDirectorySeparator", ("a/b/",), "a/b"),
    ],
)
def test_paths(name: str, arguments: tuple[str, ...], expected: object) -> None:
    assert path(name, *arguments) == expected


@given(
    st.lists(st.sampled_from(["a", "b", "C"]), max_size=4),
    st.lists(st.sampled_from(["a", "b", "C"]), max_size=4),
)
def test_a_relative_path_leads_from_the_one_to_the_other(first: list[str], second: list[str]) -> None:
    base, target = "/" + "/".join(first), "/" + "/".join(second)
    relative = msbuild("MakeRelative", base, target)
    steps = list(first)
    for part in filter(None, relative.split("/")):
        if part == "..":
            steps.pop()
        else:
            steps.append(part)
    assert steps == second


def test_a_path_ends_with_one_slash() -> None:
    assert msbuild("EnsureTrailingSlash", "a") == msbuild("EnsureTrailingSlash", "a/") == "a/"
    assert msbuild("NormalizePath", "..", "B") == "/Work/src/B"
    assert msbuild("NormalizeDirectory", "..", "B") == "/Work/src/B/"


# Versions and numbers


@given(VERSIONS, VERSIONS)
@example([1], [1, 0])
@example([1, 0, 0], [1, 0, 0, 1])
def test_versions_compare_number_by_number_and_missing_ones_are_zero(
    first: list[int], second: list[int]
) -> None:
    texts = (".".join(map(str, first)), ".".join(map(str, second)))
    padded = tuple([*each, 0, 0, 0, 0][:4] for each in (first, second))
    assert msbuild("VersionEquals", *texts) is (padded[0] == padded[1])
    assert msbuild("VersionGreaterThan", *texts) is (padded[0] > padded[1])
    assert msbuild("VersionLessThanOrEquals", *texts) is (padded[0] <= padded[1])
    assert msbuild("VersionNotEquals", *texts) is not msbuild("VersionEquals", *texts)
    assert msbuild("VersionLessThan", *texts) is not msbuild("VersionGreaterThanOrEquals", *texts)


@given(VERSIONS)
def test_neither_a_v_nor_what_follows_a_sign_counts_in_a_version(parts: list[int]) -> None:
    plain = ".".join(map(str, parts))
    assert msbuild("VersionEquals", f" v{plain}-beta.1+build", plain)


@given(NUMBERS, NUMBERS)
def test_whole_numbers_are_calculated_as_such(first: int, second: int) -> None:
    assert int(msbuild("Add", first, str(second))) == first + second
    assert int(msbuild("Subtract", str(first), second)) == first - second
    assert int(msbuild("Multiply", first, second)) == first * second
    assert int(msbuild("BitwiseAnd", first, second)) == first & second


@pytest.mark.parametrize(
    ("name", "arguments", "expected"),
    [
        ("Divide", ("7", "2"), "3"),
        ("Divide", ("7.0", "2"), "3.5"),
        ("Modulo", ("7", "2"), "1"),
        ("Add", ("0x10", "1"), "17"),
        ("Add", ("1.5", "1"), "2.5"),
        ("ValueOrDefault", ("", "d"), "d"),
        ("ValueOrDefault", ("v", "d"), "v"),
    ],
)
def test_numbers_and_defaults(name: str, arguments: tuple[str, ...], expected: str) -> None:
    assert str(msbuild(name, *arguments)) == expected


@pytest.mark.parametrize("name", ["Divide", "Modulo"])
def test_nothing_is_divided_by_zero(name: str) -> None:
    with pytest.raises(ValueError):
        msbuild(name, "1", "0")


@pytest.mark.parametrize("number", ["1" * 31, "one", ""])
def test_what_is_no_number_is_not_understood(number: str) -> None:
    with pytest.raises(ValueError):
        msbuild("Add", number, "1")


# Frameworks


@pytest.mark.parametrize(
    ("target", "candidate", "expected"),
    [
        ("net8.0", "net6.0", True),
        ("net6.0", "net8.0", False),
        ("net8.0", "netstandard2.0", True),
        ("net472", "netstandard2.0", True),
        ("net45", "netstandard2.0", False),
        ("netstandard2.0", "net8.0", False),
        ("net8.0-windows", "net8.0", True),
        ("", "net8.0", False),
    ],
)
def test_a_framework_can_use_what_is_not_newer_than_it(target: str, candidate: str, expected: bool) -> None:
    assert msbuild("IsTargetFrameworkCompatible", target, candidate) is expected


@pytest.mark.parametrize(
    ("moniker", "identifier", "version"),
    [
        ("net8.0", ".NETCoreApp", "8.0"),
        ("net472", ".NETFramework", "4.7.2"),
        ("netstandard2.1", ".NETStandard", "2.1"),
        ("netcoreapp3.1", ".NETCoreApp", "3.1"),
    ],
)
def test_a_moniker_tells_its_framework(moniker: str, identifier: str, version: str) -> None:
    assert msbuild("GetTargetFrameworkIdentifier", moniker) == identifier
    assert msbuild("GetTargetFrameworkVersion", moniker) == version


def test_a_platform_is_a_part_of_a_moniker() -> None:
    moniker = "net8.0-windows10.0.19041.0"
    assert msbuild("GetTargetPlatformIdentifier", moniker).casefold() == "windows"
    assert msbuild("GetTargetPlatformVersion", moniker) == "10.0.19041.0"


# Strings


@given(st.text("abcXYZ", max_size=12), st.text("abcXYZ", min_size=1, max_size=2))
def test_texts_are_searched_with_case_unless_asked_otherwise(value: str, part: str) -> None:
    assert member(value, "Contains", [part]) is (part in value)
    assert member(value, "StartsWith", [part]) is value.startswith(part)
    assert member(value, "IndexOf", [part]) == value.find(part)
    ignoring = [part, "OrdinalIgnoreCase"]
    assert member(value, "Contains", ignoring) is (part.lower() in value.lower())
    assert member(value, "ENDSWITH", ignoring) is value.lower().endswith(part.lower())


@given(st.text("abc", max_size=12), st.integers(0, 12), st.integers(0, 12))
def test_a_part_of_a_text_is_all_there_or_not_understood(value: str, start: int, length: int) -> None:
    if start + length <= len(value):
        assert member(value, "Substring", [str(start), length]) == value[start : start + length]
        assert member(value, "Remove", [start, length]) == value[:start] + value[start + length :]
    else:
        with pytest.raises(IndexError):
            member(value, "Substring", [start, length])


def test_no_text_is_counted_from_its_end() -> None:
    for name in ("Substring", "Chars", ""):
        with pytest.raises(IndexError):
            member("abc", name, ["-1"])


@pytest.mark.parametrize(
    ("value", "name", "arguments", "expected"),
    [
        ("a;b,c", "Split", [";,"], ["a", "b", "c"]),
        ("a;;b", "Split", [";", "RemoveEmptyEntries"], ["a", "b"]),
        ("a b", "Split", [], ["a", "b"]),
        ("--a-", "Trim", ["-"], "a"),
        ("--a-", "TrimStart", ["-"], "a-"),
        ("Ab", "ToUpperInvariant", [], "AB"),
        ("7", "PadLeft", ["3", "0"], "007"),
        ("ab", "Insert", ["1", "-"], "a-b"),
        ("b", "CompareTo", ["a"], 1),
        ("b", "CompareTo", ["b"], 0),
        ("b", "CompareTo", ["c"], -1),
        ("abc", "Length", None, 3),
        ("abc", "ToString", [], "abc"),
        (["a", "b"], "", ["1"], "b"),
        (["a", "b"], "Length", None, 2),
        (NetVersion((1, 2, 3)), "ToString", ["2"], "1.2"),
        (NetVersion((1, 2)), "Build", None, -1),
        (NetVersion((1, 2)), "CompareTo", ["1.3"], -1),
        (NetFolder("/a/b/"), "Name", None, "b"),
        (NetFolder("/a/b"), "Parent", None, NetFolder("/a")),
    ],
)
def test_members(value: Any, name: str, arguments: list[Any] | None, expected: Any) -> None:
    assert member(value, name, arguments) == expected


@pytest.mark.parametrize("text", ["1", "1.2.3.4.5", "1.x", ""])
def test_a_version_has_two_to_four_numbers(text: str) -> None:
    with pytest.raises(ValueError):
        NetVersion.parse(text)


def test_a_text_is_never_made_absurdly_long() -> None:
    with pytest.raises(ValueError):
        replaced("a" * 1000, "a", "b" * MAX_LENGTH)
    with pytest.raises(ValueError):
        replaced("a", "", "b")
    assert len(member("a", "PadRight", ["999999999"])) <= 1000


@pytest.mark.parametrize(
    ("type_name", "name"),
    [("System.IO.File", "Delete"), ("System.Diagnostics.Process", "Start"), ("MSBuild", "GetRegistryValue")],
)
def test_whatever_is_not_here_is_not_understood(type_name: str, name: str) -> None:
    with pytest.raises(KeyError):
        asked(type_name, name, "x")


def test_a_format_fills_its_places_or_is_not_understood() -> None:
    assert asked("System.String", "Format", "{0}-{1}-{0}", "a", "b") == "a-b-a"
    with pytest.raises(ValueError):
        asked("System.String", "Format", "{0:N2}", "1")
