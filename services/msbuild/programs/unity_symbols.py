"""Preprocessor symbols of Unity: of the editor and its version, of the project's settings, of package versions."""

from __future__ import annotations

import re
from collections.abc import Iterable

import msgspec

from services.decoding import decode
from services.msbuild.language.environment import VirtualFiles
from services.msbuild.project.xmltree import plain

Version = tuple[int, ...]

_PLAIN = frozenset(
    {
        *("DEBUG", "TRACE", "UNITY_EDITOR", "UNITY_EDITOR_64", "UNITY_EDITOR_WIN", "UNITY_STANDALONE"),
        *("UNITY_STANDALONE_WIN", "UNITY_64", "UNITY_ASSERTIONS", "UNITY_INCLUDE_TESTS", "ENABLE_MONO"),
        *("ENABLE_PROFILER", "ENABLE_UNITYWEBREQUEST", "CSHARP_7_3_OR_NEWER", "NET_STANDARD_2_0"),
        *("NET_STANDARD", "NETSTANDARD", "NETSTANDARD2_1", "NET_STANDARD_2_1"),
    }
)
"""Symbols of an editor on Windows that builds for Windows."""
_RELEASES: tuple[Version, ...] = (
    *((5, minor) for minor in range(3, 7)),
    *((year, minor) for year in (2017, 2018, 2019) for minor in range(1, 5)),
    *((year, minor) for year in (2020, 2021, 2022, 2023) for minor in range(1, 4)),
    *((6000, minor) for minor in range(4)),
)
_EDITOR_VERSION = re.compile(r"m_EditorVersion:\s*(\d+(?:\.\d+)*)")
_DEFINES = re.compile(r"^[ \t]+(?:\d+|[A-Za-z]\w*):[ \t]*([A-Za-z_][\w;]*)[ \t]*\r?$", re.MULTILINE)
_SECTION = re.compile(r"^  scriptingDefineSymbols:[ \t]*\r?\n((?:    [^\n]*\n?)*)", re.MULTILINE)
_NUMBERS = re.compile(r"\d+")
_RANGE = re.compile(r"\s*([\[(])\s*([^,\])]*?)\s*(?:,\s*([^\])]*?)\s*)?([\])])\s*")


class VersionDefine(msgspec.Struct):
    """Symbol that is defined for some versions of a package, or of Unity."""

    name: str = ""
    expression: str = ""
    define: str = ""


class _Manifest(msgspec.Struct):
    dependencies: dict[str, object] = {}
    version: str = ""


def editor_symbols(environment: VirtualFiles, root: str | None) -> frozenset[str]:
    """Return the symbols that the editor defines for a Unity project in the folder `root`. An editor of unknown
    version counts as the latest."""
    version = _editor_version(environment, root) or _RELEASES[-1]
    found = {f"UNITY_{'_'.join(map(str, version[:count]))}" for count in (1, 2, 3)}
    found |= {f"UNITY_{'_'.join(map(str, each))}_OR_NEWER" for each in _RELEASES if each <= version[:2]}
    settings = _text(environment, root, "ProjectSettings/ProjectSettings.asset")
    section = _SECTION.search(settings)
    for line in _DEFINES.findall(section[1]) if section is not None else ():
        found.update(symbol for symbol in line.split(";") if symbol)
    return _PLAIN | found


def version_symbols(
    environment: VirtualFiles, root: str | None, defines: Iterable[VersionDefine]
) -> frozenset[str]:
    """Return the symbols whose version condition is met."""
    return frozenset(
        each.define
        for each in defines
        if (version := _version(environment, root, each.name)) is not None and _fits(version, each.expression)
    )


def _editor_version(environment: VirtualFiles, root: str | None) -> Version:
    found = _EDITOR_VERSION.search(_text(environment, root, "ProjectSettings/ProjectVersion.txt"))
    return _numbers(found[1]) if found is not None else ()


def _version(environment: VirtualFiles, root: str | None, package: str) -> Version | None:
    """Return the version of an installed package; None where it is unknown."""
    if package == "Unity":
        return _editor_version(environment, root) or None
    embedded = _manifest(environment, root, f"Packages/{package}/package.json").version
    said = _manifest(environment, root, "Packages/manifest.json").dependencies.get(package)
    return _numbers(embedded or said) if embedded or isinstance(said, str) else None


def _manifest(environment: VirtualFiles, root: str | None, path: str) -> _Manifest:
    try:
        return decode(_Manifest, plain(_text(environment, root, path) or "{}"))
    except ValueError:
        return _Manifest()


def _text(environment: VirtualFiles, root: str | None, path: str) -> str:
    if root is None:
        return ""
    return environment.text(environment.root.absolute(f"{root}/{path}".lstrip("/"))) or ""


def _numbers(text: object) -> Version:
    return tuple(int(each[:9]) for each in _NUMBERS.findall(str(text).partition("-")[0])[:4])


def _fits(version: Version, expression: str) -> bool:
    """Whether a version is in a range: `1.2` and above, `[1.2,2.0)`, `[1.2]`."""
    if not expression.strip():
        return True
    match = _RANGE.fullmatch(expression)
    if match is None:
        return version >= _numbers(expression)
    opens, low, high, closes = match.groups()
    if high is None:
        return version == _numbers(low)
    above = not low or (version >= _numbers(low) if opens == "[" else version > _numbers(low))
    below = not high or (version <= _numbers(high) if closes == "]" else version < _numbers(high))
    return above and below
