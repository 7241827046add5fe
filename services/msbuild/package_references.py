"""Packages that a project compiles against, from its items or its `packages.config`, and their restored assemblies.

A global package reference gives the compiler nothing: its assets are those of a build tool.

Source: "Package references in project files" and "Central Package Management" of the NuGet documentation.

Source: "project.assets.json" in "How NuGet resolves package dependencies" of the NuGet documentation, and the output
of `dotnet restore`. The file is a build's, not the project's: records of a project of another name, or in another
shape, are ignored.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

from services.decoding import LARGE, decode
from services.msbuild.items import Item, Items
from services.msbuild.language import frameworks
from services.msbuild.language.info import Package, PackageAssembly
from services.msbuild.language.paths import file_name, join, normalise, parent
from services.msbuild.project_file import ProjectFile
from services.msbuild.xmltree import XmlElement

_FILE = "project.assets.json"
_VERSIONS = (3, 4)
_FOLDERS = ("MSBuildProjectExtensionsPath", "BaseIntermediateOutputPath")


class _Asset(msgspec.Struct):
    type: str = ""
    compile: dict[str, object] = {}


class _Library(msgspec.Struct):
    path: str = ""


class _Restore(msgspec.Struct, rename="camel"):
    project_path: str = ""


class _AssetsProject(msgspec.Struct):
    restore: _Restore = msgspec.field(default_factory=_Restore)


class _Assets(msgspec.Struct, rename="camel"):
    version: int
    targets: dict[str, dict[str, _Asset]] = {}
    libraries: dict[str, _Library] = {}
    package_folders: dict[str, object] = {}
    project: _AssetsProject = msgspec.field(default_factory=_AssetsProject)


def assemblies(project: ProjectFile, framework: frameworks.Framework | None) -> tuple[PackageAssembly, ...]:
    """Return the assemblies of a project's packages for a framework; none where it was not restored."""
    assets = next(filter(None, map(_read, _contents(project))), None)
    if assets is None or framework is None:
        return ()
    named = assets.project.restore.project_path
    if named and file_name(named).casefold() != file_name(project.path).casefold():
        return ()
    target = next((each for key, each in assets.targets.items() if _is_for(key, framework)), {})
    return tuple(_restored_assemblies(assets, target))


def _contents(project: ProjectFile) -> Iterator[bytes]:
    for folder in _folders(project):
        path = project.environment.locate(join(join(parent(project.absolute), folder), _FILE))
        content = project.environment.read(path) if path else None
        if content is not None:
            yield content


def _folders(project: ProjectFile) -> dict[str, None]:
    """Candidate folders of the file, relative to the project, the likeliest first."""
    value = project.properties.value
    found = [value(name) for name in _FOLDERS]
    if project.properties.is_true("UseArtifactsOutput"):
        above = project.environment.folder_above(parent(project.absolute), "Directory.Build.props")
        root = value("ArtifactsPath") or join(above or parent(project.absolute), "artifacts")
        found.append(join(root, f"obj/{value('MSBuildProjectName')}"))
    return dict.fromkeys(filter(None, (*found, "obj")))


def _read(content: bytes) -> _Assets | None:
    try:
        assets = decode(_Assets, content.removeprefix(b"\xef\xbb\xbf"), LARGE)
    except msgspec.DecodeError:
        return None
    return assets if assets.version in _VERSIONS else None


def _is_for(key: str, framework: frameworks.Framework) -> bool:
    """Whether a key of the targets is a framework, without a runtime: ``net8.0``, ``.NETFramework,Version=v4.7.2``."""
    found = frameworks.parse(key)
    return found is not None and (found.identifier, found.version, found.platform) == (
        framework.identifier,
        framework.version,
        framework.platform,
    )


def _restored_assemblies(assets: _Assets, target: dict[str, _Asset]) -> Iterator[PackageAssembly]:
    for key, asset in target.items():
        name, _, version = key.partition("/")
        library = assets.libraries.get(key)
        if asset.type != "package" or library is None:
            continue
        for inside in asset.compile:
            path = f"{library.path}/{inside}"
            # Paths that leave the packages folder are ignored.
            if path.casefold().endswith(".dll") and normalise(path) == path and ".." not in path.split("/"):
                places = tuple(f"{folder.rstrip('/')}/{path}" for folder in assets.package_folders)
                yield PackageAssembly(package=name, version=version, path=path, places=places)


_ASSEMBLY_VERSION = re.compile(r"Version=([\d.]+)", re.IGNORECASE)
_FOLDER_VERSION = re.compile(r"\.(\d+(?:\.\d+)+)(?:-[\w.]+)?[\\/]lib[\\/]", re.IGNORECASE)
_COMPILED = {"all", "compile"}


def packages(project: ProjectFile, items: Items) -> tuple[Package, ...]:
    """Return every package whose assemblies the compiler receives, each once by name, at its first mention."""
    found: dict[str, Package] = {}
    for package in (*_referenced(project, items), *_configured(project), *_assemblies(items)):
        found.setdefault(package.name.casefold(), package)
    return tuple(found.values())


def _referenced(project: ProjectFile, items: Items) -> Iterator[Package]:
    central = _central(project, items)
    for item in items.other.get("packagereference", ()):
        if _is_compiled(item):
            own = item.metadata.get("versionoverride") or item.metadata.get("version")
            version = own or central.get(item.spec.casefold(), "")
            yield Package(name=item.spec, version=_numbers(version), flows=_flows(item))


def _central(project: ProjectFile, items: Items) -> dict[str, str]:
    """Versions by folded name, where they are managed centrally."""
    if not project.properties.is_true("ManagePackageVersionsCentrally"):
        return {}
    return {
        item.spec.casefold(): item.metadata.get("version", "")
        for item in items.other.get("packageversion", ())
    }


def _is_compiled(item: Item) -> bool:
    included = _assets(item, "includeassets") or _COMPILED
    return bool(included & _COMPILED) and not _assets(item, "excludeassets") & _COMPILED


def _flows(item: Item) -> bool:
    return not _assets(item, "privateassets") & _COMPILED


def _assets(item: Item, name: str) -> set[str]:
    return {part.strip().casefold() for part in item.metadata.get(name, "").split(";") if part.strip()}


def _configured(project: ProjectFile) -> Iterator[Package]:
    """Read the packages of an old-style project from `packages.config` in its folder. Its assemblies do not flow to
    others."""
    if project.properties.is_true("UsingMicrosoftNETSdk"):
        return
    path = project.environment.locate(join(parent(project.absolute), "packages.config"))
    root = project.sources.load(path) if path is not None else None
    if isinstance(root, XmlElement) and root.name == "packages":
        for element in root.children:
            name, version = element.attribute("id"), element.attribute("version")
            if name and element.attribute("developmentDependency").casefold() != "true":
                yield Package(name=name, version=_numbers(version), flows=False)


def _assemblies(items: Items) -> Iterator[Package]:
    """Return the referenced assemblies; a package's folder gives a more exact version than the assembly."""
    for item in items.other.get("reference", ()):
        name, _, identity = item.spec.partition(",")
        folder = _FOLDER_VERSION.search(item.metadata.get("hintpath", ""))
        version = folder or _ASSEMBLY_VERSION.search(identity)
        if version is not None:
            yield Package(name=name.strip(), version=version[1], flows=False)


def _numbers(version: str) -> str:
    """Return the version as written, or an empty text where part of it is unknown."""
    return "" if "$(" in version or "@(" in version else version.strip()
