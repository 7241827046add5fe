"""Unity without project files: an assembly for each `.asmdef`, `Assembly-CSharp` and its Editor twin for the rest of
`Assets/`, as the editor compiles them.

Source: "Assembly definitions", "Special folder names" and "Conditional compilation" of the Unity manual."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import msgspec

from services.decoding import decode
from services.model import Notice
from services.msbuild.language.environment import VirtualFiles
from services.msbuild.language.info import ProjectInfo
from services.msbuild.language.paths import parent, stem
from services.msbuild.project_file import ProjectSources
from services.msbuild.xmltree import plain

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


_FRAMEWORK = "netstandard2.1"
_NO_SOURCE = ("Library", "Temp", "Logs", "obj")
"""Folders of a Unity project that the editor fills."""
_MAIN, _EDITOR = "Assembly-CSharp", "Assembly-CSharp-Editor"


class _Definition(msgspec.Struct, rename="camel"):
    name: str = ""
    root_namespace: str = ""
    references: list[str] = []
    define_constraints: list[str] = []
    version_defines: list[VersionDefine] = []
    auto_referenced: bool = True


class _Reference(msgspec.Struct):
    reference: str = ""


class _Assembly(msgspec.Struct):
    """Assembly definition of an `.asmdef`, with the files below it and its `.asmref` files."""

    path: str
    definition: _Definition
    files: list[str]
    notices: list[Notice]


class Unity:
    """The assemblies of a workspace. `is_source`: whether a file is none that the editor made."""

    def __init__(
        self, sources: ProjectSources, project_files: Sequence[str], cs_files: Sequence[str]
    ) -> None:
        self._environment = sources.environment
        self._assemblies: dict[str, _Assembly] = {}
        self._notices: list[Notice] = []
        references: list[str] = []
        for path in sorted(project_files):
            if path.casefold().endswith(".asmdef"):
                self._define(path)
            elif path.casefold().endswith(".asmref"):
                references.append(path)
        self._by_name = {each.definition.name: each for each in reversed(self._assemblies.values())}
        self._folders = {parent(path): each for path, each in reversed(self._assemblies.items())}
        self._folders |= {parent(path): found for path in references if (found := self._referred(path))}
        self._roots = self._unity_roots(cs_files)
        self._no_source = tuple(f"{root}/{name}/".lstrip("/") for root in self._roots for name in _NO_SOURCE)

    def is_source(self, path: str) -> bool:
        """Whether a file is none that the editor made."""
        return not path.startswith(self._no_source)

    def projects(self, cs_files: Sequence[str], unowned: Sequence[str]) -> list[ProjectInfo]:
        """The assemblies that have a file which no project file has."""
        if not self._assemblies and not self._roots:
            return []
        for path in filter(self.is_source, cs_files) if self._folders else ():
            around = self._around(path)
            if around is not None:
                around.files.append(path)
        left = set(unowned)
        made = [each for each in self._assemblies.values() if not left.isdisjoint(each.files)]
        return [*map(self._info, made), *self._rest([path for path in unowned if self.is_source(path)])]

    # Assemblies

    def _define(self, path: str) -> None:
        try:
            text = self._environment.text(self._environment.root.absolute(path)) or ""
            definition = decode(_Definition, plain(text))
        except ValueError as error:
            definition = _Definition()
            self._notices.append(
                Notice(
                    severity="warning", message=f"The assembly definition cannot be read: {error}", file=path
                )
            )
        definition.name = definition.name or stem(path)
        self._assemblies[path] = _Assembly(path, definition, [], self._notices)
        self._notices = []

    def _referred(self, path: str) -> _Assembly | None:
        try:
            text = self._environment.text(self._environment.root.absolute(path)) or ""
            return self._named(decode(_Reference, plain(text)).reference)
        except ValueError:
            return None

    def _named(self, reference: str) -> _Assembly | None:
        """Find the assembly by name, or by `GUID:` and the id in its `.meta` file."""
        kind, _, guid = reference.partition(":")
        return self._guids().get(guid.strip().casefold()) if kind == "GUID" else self._by_name.get(reference)

    def _guids(self) -> dict[str, _Assembly]:
        found: dict[str, _Assembly] = {}
        for path, each in self._assemblies.items():
            text = self._environment.text(self._environment.root.absolute(f"{path}.meta")) or ""
            lines = (line.partition(":") for line in text.split("\n"))
            found |= {value.strip().casefold(): each for name, _, value in lines if name.strip() == "guid"}
        return found

    def _around(self, path: str) -> _Assembly | None:
        """The assembly of the innermost folder around a file that has one."""
        folder = parent(path)
        while folder:
            if (found := self._folders.get(folder)) is not None:
                return found
            folder = parent(folder)
        return self._folders.get("")

    def _info(self, assembly: _Assembly) -> ProjectInfo:
        definition, root = assembly.definition, self._root_of(assembly.path)
        named = [self._named(each) for each in definition.references]
        notices = [*assembly.notices]
        if assembly in named:
            message = f"The assembly {definition.name} references itself."
            notices.append(Notice(severity="warning", message=message, file=assembly.path))
        demanded = {each for each in definition.define_constraints if not each.startswith("!")}
        versions = version_symbols(self._environment, root, definition.version_defines)
        return self._assembly(
            definition.name,
            assembly.path,
            assembly.files,
            references=[each.path for each in named if each is not None and each is not assembly],
            defines=editor_symbols(self._environment, root) | _symbols(demanded) | versions,
            root_namespace=definition.root_namespace,
            notices=notices,
        )

    # What no assembly definition has

    def _unity_roots(self, cs_files: Sequence[str]) -> tuple[str, ...]:
        """Return the folders of Unity projects: `Assets` with an assembly definition, or next to `ProjectSettings`."""
        defined = {_before_assets(path) for path in self._assemblies}
        found = {root for path in cs_files if (root := _before_assets(path)) is not None}
        absolute = self._environment.root.absolute
        settings = "ProjectSettings/ProjectVersion.txt"
        return tuple(
            sorted(
                root
                for root in found
                if root in defined or self._environment.text(absolute(f"{root}/{settings}".lstrip("/")))
            )
        )

    def _root_of(self, path: str) -> str | None:
        around = (root for root in self._roots if not root or path.startswith(f"{root}/"))
        return max(around, key=len, default=None)

    def _rest(self, unowned: Sequence[str]) -> list[ProjectInfo]:
        found: list[ProjectInfo] = []
        for root in self._roots:
            assets = f"{root}/Assets/".lstrip("/")
            files = [path for path in unowned if path.startswith(assets) and self._around(path) is None]
            editor = [path for path in files if "/Editor/" in path[len(assets) - 1 :]]
            defined = [each for each in self._assemblies.values() if each.definition.auto_referenced]
            references = [each.path for each in defined if self._root_of(each.path) == root]
            symbols = editor_symbols(self._environment, root)
            main = [path for path in files if path not in set(editor)]
            own = assets.rstrip("/")
            if main:
                found.append(self._assembly(_MAIN, own, main, references=references, defines=symbols))
            if editor:
                references = [*references, own] if main else references
                found.append(
                    self._assembly(_EDITOR, f"{own}/Editor", editor, references=references, defines=symbols)
                )
        return found

    def _assembly(
        self,
        name: str,
        path: str,
        files: Iterable[str],
        *,
        references: Iterable[str],
        defines: frozenset[str],
        root_namespace: str = "",
        notices: Sequence[Notice] = (),
    ) -> ProjectInfo:
        return ProjectInfo(
            name=name,
            path=path,
            assembly_name=name,
            root_namespace=root_namespace,
            target_framework=_FRAMEWORK,
            target_frameworks=(_FRAMEWORK,),
            defines=defines,
            files=tuple(sorted(files)),
            references=tuple(dict.fromkeys(references)),
            refers_elsewhere=True,
            notices=tuple(notices),
        )


def _before_assets(path: str) -> str | None:
    """The folder that the outermost `Assets` of a path lies in; None where there is none."""
    folder, found, _ = f"/{path}".partition("/Assets/")
    return folder.lstrip("/") if found else None


def _symbols(constraints: Iterable[str]) -> frozenset[str]:
    """The symbols of constraints, each of which may be a choice: `A || B`."""
    names = (each.partition("||")[0].strip() for each in constraints)
    return frozenset(name for name in names if name.replace("_", "a").isalnum())
