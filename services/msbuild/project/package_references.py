"""Packages that a project compiles against, as NuGet reads them off its items or its `packages.config`.

A global package reference gives the compiler nothing: its assets are those of a build tool.

Source: "Package references in project files" and "Central Package Management" of the NuGet documentation."""

from __future__ import annotations

import re
from collections.abc import Iterator

from services.msbuild.language.info import Package
from services.msbuild.language.paths import join, parent
from services.msbuild.project.items import Item, Items
from services.msbuild.project.project_file import ProjectFile
from services.msbuild.project.xmltree import XmlElement

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
