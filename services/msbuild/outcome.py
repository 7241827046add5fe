"""Outcome of a project's evaluation, read off its final properties and items.

The preprocessor symbols that the SDK defines for a target framework.

Source: "Preprocessor symbols" in "Target frameworks in SDK-style projects" of the .NET documentation.
"""

from __future__ import annotations

from services.model import Notice
from services.msbuild import package_references
from services.msbuild.items import Item, Items
from services.msbuild.language.frameworks import (
    NET_CORE,
    NET_FRAMEWORK,
    NET_STANDARD,
    Framework,
    Version,
    parse,
    short_name,
)
from services.msbuild.language.info import GlobalUsing, ProjectInfo
from services.msbuild.language.paths import join, parent
from services.msbuild.language.properties import split_list
from services.msbuild.package_references import packages
from services.msbuild.project_file import MAX_EXAMPLES, ProjectFile

_CORE_APP = ((1, 0), (1, 1), (2, 0), (2, 1), (2, 2), (3, 0), (3, 1))
_STANDARD = (*((1, minor) for minor in range(7)), (2, 0), (2, 1))
_FRAMEWORK = (
    *((2, 0), (3, 0), (3, 5), (4, 0), (4, 5), (4, 5, 1), (4, 5, 2), (4, 6), (4, 6, 1), (4, 6, 2)),
    *((4, 7), (4, 7, 1), (4, 7, 2), (4, 8), (4, 8, 1)),
)
_PLATFORMS: dict[str, tuple[Version, ...]] = {
    "windows": (
        *((7, 0), (8, 0), (10, 0, 17763, 0), (10, 0, 18362, 0), (10, 0, 19041, 0), (10, 0, 20348, 0)),
        *((10, 0, 22000, 0), (10, 0, 22621, 0), (10, 0, 26100, 0)),
    ),
    "android": tuple((level, 0) for level in range(21, 37)),
}
_APPLE = {"__UNIFIED__"}
_MOBILE = {
    "MonoAndroid": {"__MOBILE__", "__ANDROID__"},
    "MonoTouch": {"__MOBILE__", "__IOS__"},
    "Xamarin.iOS": {"__MOBILE__", "__IOS__", *_APPLE},
    "Xamarin.TVOS": {"__MOBILE__", "__TVOS__", *_APPLE},
    "Xamarin.WatchOS": {"__MOBILE__", "__WATCHOS__", *_APPLE},
    "Xamarin.Mac": {"__MACOS__", *_APPLE},
    "UAP": {"WINDOWS_UWP", "NETFX_CORE"},
}
"""Symbols that the SDKs of these frameworks define."""
_OF_PLATFORM = {
    "android": {"__MOBILE__", "__ANDROID__"},
    "ios": {"__MOBILE__", "__IOS__", *_APPLE},
    "tvos": {"__MOBILE__", "__TVOS__", *_APPLE},
    "maccatalyst": {"__MOBILE__", "__MACCATALYST__", "__IOS__", "IOS", *_APPLE},
    "macos": {"__MACOS__", *_APPLE},
}
"""Symbols besides the platform's own name. Source: `Microsoft.iOS.Sdk` and its kin, and `Microsoft.Android.Sdk`."""
_DEFAULT_PLATFORM_VERSION: dict[str, Version] = {"windows": (7, 0)}


def framework_symbols(framework: Framework) -> frozenset[str]:
    """`NET8_0`, `NET`, `NETCOREAPP`, the `_OR_GREATER` chains and the platform's symbols."""
    version = framework.version
    if framework.identifier == NET_FRAMEWORK:
        found = {"NETFRAMEWORK", "NET" + _joined(version, "")}
        found |= {f"NET{_joined(known, '')}_OR_GREATER" for known in _FRAMEWORK if known <= version}
    elif framework.identifier == NET_STANDARD:
        found = {"NETSTANDARD", "NETSTANDARD" + _joined(version, "_")}
        found |= {f"NETSTANDARD{_joined(known, '_')}_OR_GREATER" for known in _STANDARD if known <= version}
    elif framework.identifier == NET_CORE:
        found = _core(version) | _platform(framework)
    else:
        found = {framework.identifier.upper(), framework.identifier.upper().replace(".", "_")}
        found |= _MOBILE.get(framework.identifier, set())
    return frozenset(found)


def _core(version: Version) -> set[str]:
    found = {"NETCOREAPP", ("NET" if version >= (5, 0) else "NETCOREAPP") + _joined(version, "_")}
    found |= {f"NETCOREAPP{_joined(known, '_')}_OR_GREATER" for known in _CORE_APP if known <= version}
    if version >= (5, 0):
        found |= {"NET"} | {f"NET{major}_0_OR_GREATER" for major in range(5, min(version[0], 99) + 1)}
    return found


def _platform(framework: Framework) -> set[str]:
    platform = framework.platform
    if not platform or framework.version < (5, 0):
        return set()
    name = platform.upper()
    version = framework.platform_version or _DEFAULT_PLATFORM_VERSION.get(platform, ())
    others = _OF_PLATFORM.get(platform, set[str]())
    if not version:
        return {name, *others}
    chain = {
        f"{name}{_joined(known, '_')}_OR_GREATER"
        for known in _PLATFORMS.get(platform, ())
        if known <= version
    }
    return {name, name + _joined(version, "_"), f"{name}{_joined(version, '_')}_OR_GREATER"} | chain | others


def _joined(version: Version, separator: str) -> str:
    return separator.join(str(part) for part in version)


_INTERNALS = ("System.Runtime.CompilerServices.InternalsVisibleTo", "InternalsVisibleTo")
_OUTPUT_FOLDERS = ("/obj/", "/bin/", "/artifacts/")
_DOUBTED = (
    "AssemblyName",
    "RootNamespace",
    "TargetFramework",
    "TargetFrameworks",
    "DefineConstants",
    "LangVersion",
)


def read(project: ProjectFile, items: Items, listed: tuple[str, ...]) -> ProjectInfo:
    """The project's values. `listed`: the target frameworks it offers."""
    value = project.properties.value
    framework = _framework(project)
    _doubt_values(project)
    if framework is None and items.compile and project.properties.is_true("UsingMicrosoftNETSdk"):
        project.doubts.add(f"the target framework: {value('TargetFramework') or 'none is set'}")
    references = _references(project, items)
    _say_unknown(project, listed)
    _say_missing(project, items)
    assembly = _certain(project, "AssemblyName") or value("MSBuildProjectName")
    examples = tuple(project.doubts.found)
    return ProjectInfo(
        name=assembly,
        path=project.path,
        assembly_name=assembly,
        root_namespace=_certain(project, "RootNamespace") or value("MSBuildProjectName").replace(" ", "_"),
        target_framework=framework.moniker if framework else value("TargetFramework") or None,
        target_frameworks=listed or ((framework.moniker,) if framework else ()),
        defines=_defines(project, framework),
        files=project.environment.sources.spelled(items.compile),
        usings=_usings(items),
        references=tuple(path for path in references if path),
        refers_elsewhere=None in references,
        packages=packages(project, items),
        assemblies=package_references.assemblies(project, framework),
        internals_visible_to=_friends(items),
        nullable=value("Nullable").casefold() in ("enable", "annotations"),
        lang_version=value("LangVersion") or None,
        notices=tuple(project.notices),
        unknown=len(examples),
        unknown_examples=examples[:MAX_EXAMPLES],
    )


def _certain(project: ProjectFile, name: str) -> str:
    """A property's value, or nothing where part of it was not understood: half a name is no name."""
    return "" if project.properties.text(name).doubt else project.properties.value(name)


def _framework(project: ProjectFile) -> Framework | None:
    """The framework by its moniker, or for an old-style project by `TargetFrameworkVersion`."""
    moniker = project.properties.value("TargetFramework")
    if moniker:
        return parse(moniker)
    version = project.properties.value("TargetFrameworkVersion")
    identifier = project.properties.value("TargetFrameworkIdentifier") or NET_FRAMEWORK
    if project.properties.value("TargetPlatformIdentifier").upper() == "UAP":
        identifier, version = "UAP", project.properties.value("TargetPlatformVersion")
    if not version:
        return None
    try:
        moniker = short_name(identifier, version)
    except ValueError:
        return None
    return parse(moniker) or Framework(moniker, identifier, ())


def _defines(project: ProjectFile, framework: Framework | None) -> frozenset[str]:
    symbols = set(project.properties.value("DefineConstants").replace(",", " ").replace(";", " ").split())
    is_sdk = project.properties.is_true("UsingMicrosoftNETSdk")
    if framework and is_sdk and not project.properties.is_true("DisableImplicitFrameworkDefines"):
        symbols |= framework_symbols(framework)
    return frozenset(symbol for symbol in symbols if symbol.replace("_", "a").isalnum())


def _doubt_values(project: ProjectFile) -> None:
    for name in _DOUBTED:
        if doubt := project.properties.text(name).doubt:
            project.doubts.add(f"{name}: {doubt}")


def _usings(items: Items) -> tuple[GlobalUsing, ...]:
    usings = (
        GlobalUsing(
            name=item.spec,
            alias=item.metadata.get("alias") or None,
            static=item.metadata.get("static", "").casefold() == "true",
        )
        for item in items.other.get("using", ())
    )
    return tuple(dict.fromkeys(usings))


def _friends(items: Items) -> tuple[str, ...]:
    named = (found for kind, found in items.other.items() if kind.startswith("internalsvisibleto"))
    names = [item.spec for found in named for item in found]
    names += [
        item.metadata.get("_parameter1", "")
        for item in items.other.get("assemblyattribute", ())
        if item.spec.removesuffix("Attribute") in _INTERNALS
    ]
    return tuple(dict.fromkeys(name for raw in names if (name := raw.partition(",")[0].strip())))


def _references(project: ProjectFile, items: Items) -> dict[str | None, None]:
    """Return the referenced projects, each once; None represents missing ones."""
    return {
        _referenced(project, item): None
        for item in items.other.get("projectreference", ())
        if item.metadata.get("referenceoutputassembly", "").casefold() != "false"
    }


def _referenced(project: ProjectFile, item: Item) -> str | None:
    environment = project.environment
    absolute = join(parent(project.absolute), item.spec)
    path = environment.locate(absolute)
    if path is not None and project.sources.load(path) is not None:
        return path
    reason = "lies outside the workspace" if path is None else "is not there"
    project.notice(f"The referenced project {reason}: {item.spec}", item.here, item.line)
    return None


def _say_unknown(project: ProjectFile, listed: tuple[str, ...]) -> None:
    """Target frameworks whose names mean none: those offered, or the project's own."""
    named = listed or split_list(project.properties.value("TargetFramework"))
    unknown = [each for each in named if "$" not in each and parse(each) is None]
    if unknown:
        what = f"target framework{'s' * (len(unknown) > 1)}"
        project.notice(f"No framework is named so ({what}): {', '.join(unknown)}", project.absolute, None)


def _say_missing(project: ProjectFile, items: Items) -> None:
    """Files named and not there; what a build makes is not expected to be there."""
    gone = [m for m in items.missing if not _is_output(project, m.spec)]
    if not gone:
        return
    first = gone[0]
    more = f" and {len(gone) - 1} more" if len(gone) > 1 else ""
    file = project.environment.locate(first.here) or project.path
    message = f"Source files that are named are not in the workspace: {first.spec}{more}"
    project.notices.append(Notice(severity="warning", message=message, file=file, line=first.line))


def _is_output(project: ProjectFile, spec: str) -> bool:
    path = join(parent(project.absolute), spec)
    return any(folder in path for folder in _OUTPUT_FOLDERS) or not path.casefold().endswith(".cs")
