"""File-based apps: a C# file that is a program of its own, with the project that the SDK would make of its directives.

Source: "File-based apps" of the .NET documentation, and `FileBasedProgram` in the public repository dotnet/sdk."""

from __future__ import annotations

from collections.abc import Sequence

from services.msbuild.language.globs import has_wildcard
from services.msbuild.language.info import ProjectInfo
from services.msbuild.language.paths import join, parent
from services.msbuild.programs.directives import Directive, begins_with_statements, directives, is_file_app
from services.msbuild.project.project import FrameworkChoice, evaluate_element
from services.msbuild.project.project_file import ProjectSources
from services.msbuild.project.seeds import LATEST_NET
from services.msbuild.project.xmltree import XmlElement

MAX_INCLUDED = 200
_SDK = "Microsoft.NET.Sdk"
_DEFAULTS = {
    "OutputType": "Exe",
    "TargetFramework": f"net{LATEST_NET}.0",
    "ImplicitUsings": "enable",
    "Nullable": "enable",
    "EnableDefaultCompileItems": "false",
}


def file_apps(sources: ProjectSources, files: Sequence[str], choice: FrameworkChoice) -> list[ProjectInfo]:
    """Return the programs among files without a project: those with a `#!` or `#:` line, and those with top-level
    statements where there are several, which no compilation can have together."""
    contents = {path: sources.environment.read(path) or b"" for path in files if path.endswith(".cs")}
    apps = [path for path, content in contents.items() if is_file_app(content)]
    others = [path for path in contents if path not in apps and begins_with_statements(contents[path])]
    found = [_app(sources, path, choice) for path in apps]
    if len(others) > 1:
        found += [_app(sources, path, choice, loose=True) for path in others]
    return [info for info in found if info is not None]


def _app(
    sources: ProjectSources, path: str, choice: FrameworkChoice, *, loose: bool = False
) -> ProjectInfo | None:
    """The app that begins at `path`. `loose`: without a directive, it sees what else belongs to no project."""
    given = _directives(sources, path)
    info = evaluate_element(sources, path, choice, _project(sources, path, given))
    if info is None or not loose:
        return info
    from msgspec.structs import replace

    return replace(info, references=(*info.references, "."))


def _directives(sources: ProjectSources, path: str) -> list[tuple[str, Directive]]:
    """Return the directives of a file and of the files it includes, each with its file."""
    found: list[tuple[str, Directive]] = []
    waiting, seen = [path], {path}
    while waiting and len(seen) <= MAX_INCLUDED:
        file = waiting.pop(0)
        for each in directives(sources.environment.read(file) or b""):
            found.append((file, each))
            target = _located(sources, file, each.value) if each.name == "include" else None
            if target is not None and target.endswith(".cs") and target not in seen:
                seen.add(target)
                waiting.append(target)
    return found


def _located(sources: ProjectSources, file: str, value: str) -> str | None:
    environment = sources.environment
    if has_wildcard(value):
        return None
    return environment.locate(join(parent(environment.root.absolute(file)), value))


def _project(sources: ProjectSources, path: str, given: Sequence[tuple[str, Directive]]) -> XmlElement:
    """The project file that the SDK makes of the directives."""
    root = sources.environment.root
    properties, items = XmlElement("PropertyGroup", 1), XmlElement("ItemGroup", 1)
    for name, value in _DEFAULTS.items():
        properties.children.append(XmlElement(name, 1, text=value))
    items.children.append(_item("Compile", root.absolute(path), 1))
    sdks: list[str] = []
    for file, each in given:
        value = each.value
        place = join(parent(root.absolute(file)), value)
        place = value if file == path and each.name != "project" else place
        name, _, version = value.replace(" ", "").partition("@")
        if each.name == "sdk":
            sdks.append(f"{name}/{version}" if version else name)
        elif each.name == "property":
            key, _, text = value.partition("=")
            properties.children.append(XmlElement(key.strip(), each.line, text=text.strip()))
        elif each.name == "package" and name:
            items.children.append(_item("PackageReference", name, each.line, {"Version": version.strip("*")}))
        elif each.name == "project":
            items.children.append(_item("ProjectReference", _referenced(sources, place), each.line))
        elif each.name in ("include", "exclude") and value.casefold().endswith((".cs", "*")):
            attribute = "Include" if each.name == "include" else "Remove"
            items.children.append(XmlElement("Compile", each.line, {attribute: place}))
    return XmlElement("Project", 1, {"Sdk": ";".join(sdks) or _SDK}, [properties, items])


def _item(kind: str, include: str, line: int, metadata: dict[str, str] | None = None) -> XmlElement:
    return XmlElement(kind, line, {"Include": include, **(metadata or {})})


def _referenced(sources: ProjectSources, absolute: str) -> str:
    """The project that a path means: itself, or the one in a folder."""
    if absolute.casefold().endswith("proj"):
        return absolute
    found = sources.environment.project_files(f"{absolute.rstrip('/')}/*.csproj")
    return sources.environment.root.absolute(found[0]) if found else absolute
