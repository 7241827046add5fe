"""Programs without a project file: file-based apps (`#!` and `#:` lines), scripts (`.csx`) and LINQPad queries.

Sources: "File-based apps" of the .NET documentation, `FileBasedProgram` in the public repository dotnet/sdk, and "C#
scripting" (`#load`, `#r`).

A script may use globals of its host, which no file declares: it sees every project of the workspace, unless it names
some by `#r`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from html import unescape
from typing import NamedTuple

from services.model import Notice
from services.msbuild.language.info import GlobalUsing, Package, ProjectInfo
from services.msbuild.language.paths import file_name, has_wildcard, join, parent, stem
from services.msbuild.project import FrameworkChoice, evaluate_element
from services.msbuild.project_file import LATEST_NET, ProjectSources
from services.msbuild.xmltree import XmlElement
from services.workspace.source_kinds import QUERY, QUERY_HEADER, is_query, is_script

_MOST = 64 * 1024
"""Bytes of a file that its head is looked for in."""
_DIRECTIVE = re.compile(rb"[ \t]*#(?::[ \t]*(\w+)|(load|r)\b)[ \t]*([^\r\n]*)")
_SKIPPED = re.compile(
    rb"\s+|//[^\r\n]*|/\*.*?(?:\*/|\Z)|\#[^\r\n]*"
    rb"|(?:global\s+)?using\s+(?!var\b)(?:static\s+|unsafe\s+)*[\w.:@]+\s*(?:<[^;(){}]*>)?\s*(?:=[^;]*)?;"
    rb"|extern\s+alias\s+\w+\s*;|\[\s*(?:assembly|module)\s*:[^\]]*\]",
    re.DOTALL,
)
_DECLARES = re.compile(
    rb"\[|\}|namespace\b"
    rb"|(?:(?:public|internal|private|protected|static|sealed|abstract|partial|unsafe|readonly|ref|file|new)\s+)*"
    rb"(?:class|struct|interface|enum|delegate(?!\s*[*{(])|record(?=\s+[\w@])|extension(?=\s*[<(]))\b"
)
_PACKAGE = re.compile(rb"<NuGetReference\b(?:\s+Version=\"([^\"]*)\")?[^>]*>([^<]*)</")
_ASSEMBLY = re.compile(rb"<Reference\b[^>]*>([^<]*)</")
_EVERY_LINE = re.compile(rb"^[^\r\n]*", re.MULTILINE)


class Directive(NamedTuple):
    """Directive: its name (`package`, `load` …), its arguments, and its line."""

    name: str
    value: str
    line: int


def directives(content: bytes) -> list[Directive]:
    """The `#:`, `#load` and `#r` lines before the first line of code."""
    found: list[Directive] = []
    head = content[:_MOST].removeprefix(b"\xef\xbb\xbf")
    for number, match in enumerate(_EVERY_LINE.finditer(head), 1):
        line = match[0].strip()
        directive = _DIRECTIVE.match(line)
        if directive is not None:
            name, value = directive[1] or directive[2], directive[3].strip().strip(b'"')
            found.append(Directive(_text(name).casefold(), _text(value), number))
        elif line and not line.startswith((b"#", b"//", b"/*", b"*", b"using ")):
            break
    return found


def is_file_app(content: bytes) -> bool:
    """Whether a file declares itself a program: by a `#!` or a `#:` line."""
    head = content.removeprefix(b"\xef\xbb\xbf")
    return head.startswith(b"#!") or (b"#:" in head[:_MOST] and bool(directives(content)))


def begins_with_statements(content: bytes) -> bool:
    """Whether the first thing in a file, behind directives and usings, is a statement: no compilation has two such
    files."""
    head = content[:_MOST].removeprefix(b"\xef\xbb\xbf")
    at = 0
    while (match := _SKIPPED.match(head, at)) is not None:
        at = match.end()
    return at < len(head) and _DECLARES.match(head, at) is None


def _text(value: bytes) -> str:
    return value.decode("utf-8", "replace")


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


MAX_LOADED = 500
_USINGS = (
    "System",
    "System.IO",
    "System.Collections.Generic",
    "System.Diagnostics",
    "System.Dynamic",
    "System.Linq",
    "System.Linq.Expressions",
    "System.Text",
    "System.Threading.Tasks",
)
"""The namespaces that `csi.rsp` imports."""


def scripts(
    sources: ProjectSources, files: Sequence[str], projects: Sequence[ProjectInfo]
) -> list[ProjectInfo]:
    """A project for each script that is no part of another; scripts that load each other in a circle are the first
    one's."""
    found = sorted(filter(is_script, files))
    given = {path: _script_directives(sources.environment.read(path) or b"") for path in found}
    queries = {path.casefold(): path for path in found if is_query(path)}
    loads = {path: _loaded(sources, path, given[path], queries) for path in found}
    loaded = {target for path, targets in loads.items() for target in targets if target != path}
    begins = [path for path in found if path not in loaded]
    taken: set[str] = set()
    made: list[ProjectInfo] = []
    for path in (*begins, *found):
        if path not in taken:
            parts = _parts(path, loads)
            taken.update(parts)
            made.append(_script(sources, parts, given, projects, queries))
    return made


def _script_directives(content: bytes) -> list[Directive]:
    """The directives of a script, or of a query: those of its header among them."""
    header = QUERY_HEADER.match(content)
    if header is None:
        return directives(content)
    named = [f"nuget:{_text(name)},{_text(version)}" for version, name in _PACKAGE.findall(header[0])]
    named += [unescape(_text(file)) for file in _ASSEMBLY.findall(header[0])]
    left = b"\n" * header[0].count(b"\n") + content[header.end() :]
    return [*(Directive("r", value, 1) for value in named), *directives(left)]


def _loaded(
    sources: ProjectSources, path: str, given: Sequence[Directive], queries: Mapping[str, str]
) -> list[str]:
    found = (_target(sources, path, each.value, queries) for each in given if _is_load(each))
    return [each for each in found if each is not None]


def _is_load(directive: Directive) -> bool:
    return directive.name == "load" and ":" not in directive.value


def _target(sources: ProjectSources, path: str, value: str, queries: Mapping[str, str]) -> str | None:
    """The file of the workspace that a script loads; a query is named without its suffix."""
    environment = sources.environment
    located = environment.locate(join(parent(environment.root.absolute(path)), value)) or ""
    if is_query(path):
        return queries.get(located.casefold().removesuffix(QUERY) + QUERY)
    return environment.sources.find(located) and located


def _parts(path: str, loads: dict[str, list[str]]) -> list[str]:
    """A script and all that it loads, each once."""
    found: dict[str, None] = {}
    waiting = [path]
    while waiting and len(found) < MAX_LOADED:
        current = waiting.pop()
        if current not in found:
            found[current] = None
            waiting += loads.get(current) or ()
    return [*found]


def _script(
    sources: ProjectSources,
    parts: Sequence[str],
    given: dict[str, list[Directive]],
    projects: Sequence[ProjectInfo],
    queries: Mapping[str, str],
) -> ProjectInfo:
    path = parts[0]
    named = [each for part in parts for each in given.get(part, ()) if each.name == "r"]
    packages = [_package(each.value) for each in named if each.value.casefold().startswith("nuget:")]
    assemblies = {stem(file_name(each.value)).casefold() for each in named}
    meant = [info.path for info in projects if info.assembly_name.casefold() in assemblies]
    return ProjectInfo(
        name=file_name(path),
        path=path,
        assembly_name=stem(path),
        root_namespace="",
        target_framework=f"net{LATEST_NET}.0",
        target_frameworks=(f"net{LATEST_NET}.0",),
        defines=frozenset({"DEBUG", "TRACE"}),
        files=tuple(sorted(parts)),
        markup=tuple(sorted(parts)) if is_query(path) else (),
        usings=() if is_query(path) else tuple(GlobalUsing(name=name) for name in _USINGS),
        references=tuple(meant or [info.path for info in projects if info.evaluated]),
        refers_elsewhere=True,
        packages=tuple(packages),
        notices=tuple(_missing(sources, parts, given, queries)),
    )


def _package(value: str) -> Package:
    name, _, version = value.partition(":")[2].partition(",")
    return Package(name=name.strip(), version=version.strip())


def _missing(
    sources: ProjectSources,
    parts: Sequence[str],
    given: dict[str, list[Directive]],
    queries: Mapping[str, str],
) -> list[Notice]:
    found: list[Notice] = []
    for part in parts:
        for each in filter(_is_load, given.get(part, ())):
            if _target(sources, part, each.value, queries) is None:
                message = f"The script that is loaded is not in the workspace: {each.value}"
                found.append(Notice(severity="warning", message=message, file=part, line=each.line))
    return found[:1]
