"""The first pass over a project: the properties that every project starts with, those of its files in order, imports
in place, items queued for the second pass.
"""

from __future__ import annotations

from functools import lru_cache

import msgspec

from services.decoding import SMALL, decode
from services.model import Notice
from services.msbuild.language import conditions
from services.msbuild.language.environment import VirtualFiles, sdk_file, toolset_file
from services.msbuild.language.expansion import ExpressionScope, expand, this_file
from services.msbuild.language.paths import TOOLSET, file_name, has_wildcard, join, parent, stem, with_slash
from services.msbuild.language.properties import ExpandedText, Properties, split_list, unescape
from services.msbuild.xmltree import XmlElement, XmlError, parse, plain

LATEST_NET = 10
"""The major version of .NET that counts as current where the workspace does not name one."""
_ARCADE = "Microsoft.DotNet.Arcade.Sdk"


class _Sdk(msgspec.Struct, frozen=True):
    version: str = ""


class _GlobalJson(msgspec.Struct, frozen=True):
    sdk: _Sdk = _Sdk()
    msbuild_sdks: dict[str, str] = msgspec.field(default_factory=dict, name="msbuild-sdks")


def global_properties(environment: VirtualFiles, path: str, solution: str | None) -> dict[str, str]:
    """Reserved and well-known properties of the project at `path`. Source: "MSBuild reserved and
    well-known properties"."""
    absolute = environment.root.absolute(path)
    folder = parent(absolute)
    seeds = {
        "MSBuildProjectName": stem(path),
        "MSBuildProjectFile": file_name(path),
        "MSBuildProjectFullPath": absolute,
        "MSBuildProjectDirectory": folder,
        "MSBuildProjectDirectoryNoRoot": folder.lstrip("/"),
        "MSBuildProjectExtension": "." + path.rpartition(".")[2],
        "MSBuildStartupDirectory": environment.root.folder,
        "MSBuildExtensionsPath": TOOLSET.rstrip("/"),
        "MSBuildExtensionsPath32": TOOLSET.rstrip("/"),
        "MSBuildExtensionsPath64": TOOLSET.rstrip("/"),
        "MSBuildToolsPath": TOOLSET.rstrip("/"),
        "MSBuildBinPath": TOOLSET.rstrip("/"),
        "MSBuildSDKsPath": TOOLSET + "Sdks",
        "MSBuildUserExtensionsPath": TOOLSET.rstrip("/"),
        "MSBuildFrameworkToolsPath": TOOLSET.rstrip("/"),
        "VSToolsPath": TOOLSET + "VisualStudio",
        "MSBuildToolsVersion": "Current",
        "MSBuildRuntimeType": "Core",
        "MSBuildVersion": "17.14.0",
        "MSBuildAssemblyVersion": "15.1",
        "VisualStudioVersion": "17.0",
        "NuGetPackageRoot": TOOLSET + "packages/",
        "OS": "Windows_NT" if environment.system == "windows" else "Unix",
        "ProjectDir": with_slash(folder),
        "ProjectName": stem(path),
        "ProjectPath": absolute,
    }
    return seeds | _solution(environment, solution) | _versions(environment, folder)


def _solution(environment: VirtualFiles, solution: str | None) -> dict[str, str]:
    if solution is None:
        return {}
    absolute = environment.root.absolute(solution)
    return {
        "SolutionDir": with_slash(parent(absolute)),
        "SolutionPath": absolute,
        "SolutionName": stem(solution),
        "SolutionFileName": file_name(solution),
        "SolutionExt": "." + solution.rpartition(".")[2],
    }


def _versions(environment: VirtualFiles, folder: str) -> dict[str, str]:
    """`NetCurrent` and its kin as Arcade defines them: an even version follows an odd one that is still
    supported."""
    above = environment.folder_above(folder, "global.json")
    settings = _global_json((environment.text(f"{above}/global.json") if above else None) or "")
    sdk = settings.sdk.version
    major = _major(settings.msbuild_sdks.get(_ARCADE, "")) or _major(sdk) or LATEST_NET
    seeds = {
        "NETCoreSdkVersion": sdk or f"{LATEST_NET}.0.100",
        "BundledNETCoreAppTargetFrameworkVersion": f"{_major(sdk) or LATEST_NET}.0",
    }
    if _ARCADE not in settings.msbuild_sdks:
        return seeds
    return seeds | {
        "NetCurrent": f"net{major}.0",
        "NetPrevious": f"net{major - 1}.0" if major % 2 == 0 else "",
        "NetMinimum": f"net{major - (2 if major % 2 == 0 else 1)}.0",
        "NetToolCurrent": f"net{major}.0",
        "NetToolMinimum": f"net{major - (2 if major % 2 == 0 else 1)}.0",
        "NetFrameworkCurrent": "net481",
        "NetFrameworkMinimum": "net462",
        "NetFrameworkToolCurrent": "net472",
    }


@lru_cache(maxsize=4)  # it is asked for once a project and framework
def _global_json(text: str) -> _GlobalJson:
    if len(text) > SMALL.size:
        return _GlobalJson()
    try:
        return decode(_GlobalJson, plain(text or "{}"), SMALL)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return _GlobalJson()


def _major(version: str) -> int:
    digits = version.partition(".")[0]
    return int(digits) if len(digits) < 3 and digits.isdecimal() else 0


MAX_IMPORTS = 400
MAX_NESTING = 60
MAX_NOTICES = 20
MAX_EXAMPLES = 5
_FROM_OWN_FILE = frozenset({"Import", "ImportGroup", "PropertyGroup"})
"""Elements in whose conditions a relative path is relative to their own file. Source: MSBuild's `Evaluator.cs`,
`GetCurrentDirectoryForConditionEvaluation`."""
_TEST_PACKAGE = "Microsoft.NET.Test.Sdk"
"""The package whose own props file sets `IsTestProject`."""


class ProjectSources(msgspec.Struct):
    """Project files read and parsed once for all projects. A bad one is its error."""

    environment: VirtualFiles
    _parsed: dict[str, XmlElement | XmlError | None] = msgspec.field(default_factory=dict)

    def load(self, path: str) -> XmlElement | XmlError | None:
        """The root element of a workspace path; None where there is no such file."""
        if path not in self._parsed:
            content = self.environment.read(path)
            self._parsed[path] = None if content is None else _parsed(content)
        return self._parsed[path]


def _parsed(content: bytes) -> XmlElement | XmlError:
    try:
        return parse(content)
    except XmlError as error:
        return error


class QueuedGroup(msgspec.Struct):
    """An ItemGroup or Target to look at once properties are final, and its file (virtual absolute path)."""

    element: XmlElement
    here: str


class Doubts(msgspec.Struct):
    """Doubts about one project, each once."""

    found: dict[str, None] = msgspec.field(default_factory=dict)

    def add(self, what: str) -> None:
        """Count one thing."""
        self.found.setdefault(" ".join(what.split())[:200])


class ProjectFile:
    """Project during the first pass. `groups` is the input of the second pass; `targets` never run."""

    def __init__(self, sources: ProjectSources, path: str, properties: Properties) -> None:
        self.sources = sources
        self.environment = sources.environment
        self.path = path
        self.properties = properties
        self.absolute = self.environment.root.absolute(path)
        self.groups: list[QueuedGroup] = []
        self.targets: list[QueuedGroup] = []
        self.notices: list[Notice] = []
        self.doubts = Doubts()
        self._imported: set[str] = set()
        self._open: set[str] = {self.absolute.casefold()}
        self._nesting = 0
        self._scopes: dict[str, ExpressionScope] = {}

    def evaluate(self, root: XmlElement) -> None:
        """Run the first pass over the project's root element."""
        if _references_package(root, _TEST_PACKAGE):
            self.properties.put("_ReferencesTestSdk", ExpandedText("true"))
        self._walk_file(root, self.absolute)

    def scope(self, here: str) -> ExpressionScope:
        """Return the scope of expressions in the file `here`."""
        scope = self._scopes.get(here)
        if scope is None:
            scope = self._scopes[here] = ExpressionScope(
                self.properties, self.environment, self.absolute, this_file(here)
            )
        return scope

    def holds(self, element: XmlElement, here: str) -> bool:
        """Whether an element's condition holds; one that is not understood does not, and is counted."""
        condition = element.attribute("Condition")
        if not condition:
            return True
        scope = self.scope(here)
        folder = parent(here) if element.name in _FROM_OWN_FILE else None
        answer = conditions.evaluate(condition, scope, lambda text: _plain(expand(text, scope)), folder)
        if answer is None:
            self.doubts.add(condition)
        return bool(answer)

    def expand(self, text: str, here: str) -> str:
        """`text` with its properties, where it matters: a doubt in it is counted."""
        expanded = expand(text, self.scope(here))
        if expanded.doubt:
            self.doubts.add(expanded.doubt)
        return expanded.value

    def notice(self, message: str, here: str, line: int | None, severity: str = "warning") -> None:
        """Report a notice about a line of a file of this project, unless there are too many."""
        if len(self.notices) >= MAX_NOTICES:
            return
        file = self.environment.locate(here) or self.path
        self.notices.append(Notice(severity=severity, message=message, file=file, line=line))

    def _walk_file(self, root: XmlElement, here: str) -> None:
        """Walk a file, between the props and targets of the SDKs that it names: one that is imported may name some."""
        names = [name.strip() for name in root.attribute("Sdk").split(";") if name.strip()]
        names += [child.attribute("Name") for child in root.children if child.name == "Sdk"]
        for name in names:
            self._import_sdk(name, "Sdk.props")
        self._walk(root, here)
        for name in names:
            self._import_sdk(name, "Sdk.targets")

    def _walk(self, parent_element: XmlElement, here: str) -> None:
        if self._nesting >= MAX_NESTING:
            self.doubts.add("imports and choices nested too deeply")
            return
        self._nesting += 1
        self._run(parent_element, here)
        self._nesting -= 1

    def _run(self, parent_element: XmlElement, here: str) -> None:
        for element in parent_element.children:
            if element.name == "PropertyGroup":
                self._set_properties(element, here)
            elif element.name == "ItemGroup":
                self.groups.append(QueuedGroup(element, here))
            elif element.name == "Import":
                self._import(element, here)
            elif element.name == "ImportGroup" and self.holds(element, here):
                self._walk(element, here)
            elif element.name == "Choose":
                self._choose(element, here)
            elif element.name == "Target":
                self.targets.append(QueuedGroup(element, here))

    def _set_properties(self, group: XmlElement, here: str) -> None:
        if not self.holds(group, here):
            return
        scope = self.scope(here)
        for element in group.children:
            if self.holds(element, here):
                self.properties.put(element.name, expand(element.text, scope))

    def _choose(self, element: XmlElement, here: str) -> None:
        for branch in element.children:
            if branch.name == "Otherwise" or (branch.name == "When" and self.holds(branch, here)):
                self._walk(branch, here)
                return

    def _import(self, element: XmlElement, here: str) -> None:
        if not self.holds(element, here):
            return
        if sdk := element.attribute("Sdk"):
            self._import_sdk(sdk, file_name(element.attribute("Project")))
            return
        for raw in split_list(self.expand(element.attribute("Project"), here)):
            self._import_path(join(parent(here), unescape(raw)), element, here)

    def _import_sdk(self, sdk: str, name: str) -> None:
        if name.casefold() not in ("sdk.props", "sdk.targets"):
            return
        root = sdk_file(sdk, name)
        if root is None:
            self.doubts.add(f"the SDK {sdk}")
            root = sdk_file("Microsoft.NET.Sdk", name)
        folded = f"{sdk.partition('/')[0]}/{name}".casefold()
        if root is not None and folded not in self._imported:
            self._imported.add(folded)
            self._walk(root, f"{TOOLSET}{sdk}/{name}")

    def _import_path(self, absolute: str, element: XmlElement, here: str) -> None:
        if has_wildcard(absolute):
            for path in self.environment.project_files(absolute):
                self._import_file(path, element, here)
            return
        path = self.environment.locate(absolute)
        if path is None and (toolset := toolset_file(file_name(absolute))):
            self._import_once(absolute, toolset, element, here)
        elif path is None and not absolute.startswith(TOOLSET):
            self.doubts.add(f"an import from outside the workspace: {element.attribute('Project')}")
        elif path is not None:
            self._import_file(path, element, here)

    def _import_file(self, path: str, element: XmlElement, here: str) -> None:
        root = self.sources.load(path)
        if root is None:
            self.doubts.add(f"an import that is not there: {element.attribute('Project')}")
        elif isinstance(root, XmlError):
            self.notice(f"Cannot be read: {root.message}", self.environment.root.absolute(path), root.line)
            self.doubts.add(f"an import that cannot be read: {path}")
        else:
            self._import_once(self.environment.root.absolute(path), root, element, here)

    def _import_once(self, absolute: str, root: XmlElement, element: XmlElement, here: str) -> None:
        folded = absolute.casefold()
        if folded in self._open:
            self.notice(
                f"The imports go in a circle: {file_name(absolute)} is being read", here, element.line
            )
        elif folded not in self._imported and len(self._imported) < MAX_IMPORTS:
            self._imported.add(folded)
            self._open.add(folded)
            self._walk_file(root, absolute)
            self._open.discard(folded)


def _references_package(root: XmlElement, package: str) -> bool:
    items = (item for group in root.children if group.name == "ItemGroup" for item in group.children)
    return any(
        item.name == "PackageReference" and item.attribute("Include").casefold() == package.casefold()
        for item in items
    )


def _plain(text: ExpandedText) -> ExpandedText:
    """In the first pass there are no items: what refers to one is not understood."""
    if "@(" in text.value or "%(" in text.value:
        return ExpandedText("", text.value)
    return text
