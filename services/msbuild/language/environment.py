"""Environment that a project file may query: which files exist, their content, the operating system, and the files
of the SDKs that symbols and usings depend on.

The files under `toolset/` are project files, evaluated in the same way as the workspace's own, at the point where
the SDK's would be imported. Sources: the .NET documentation ("MSBuild reference for .NET SDK projects", "Implicit
using directives") and, for the order of evaluation and for Arcade, the public repositories dotnet/sdk and
dotnet/arcade.
"""

from __future__ import annotations

from functools import lru_cache

from services.msbuild.language.info import ScannedFiles
from services.msbuild.language.paths import TOOLSET, FileTable, VirtualRoot, file_name, join, parent
from services.msbuild.xmltree import XmlElement, parse

_SDKS: dict[str, tuple[str, str]] = {
    "microsoft.net.sdk": ("net.props", "net.targets"),
    "microsoft.net.sdk.web": ("web.props", "plain.targets"),
    "microsoft.net.sdk.worker": ("worker.props", "plain.targets"),
    "mstest.sdk": ("mstest.props", "plain.targets"),
    "microsoft.build.notargets": ("no-sources.props", "plain.targets"),
    "microsoft.build.traversal": ("no-sources.props", "plain.targets"),
    "microsoft.dotnet.arcade.sdk": ("arcade.props", "empty.props"),
    "microsoft.dotnet.helix.sdk": ("empty.props", "empty.props"),
}
_PLAIN = ("plain.props", "plain.targets")
_PLAIN_SDKS = frozenset(
    {
        "microsoft.net.sdk.razor",
        "microsoft.net.sdk.blazorwebassembly",
        "microsoft.net.sdk.webassembly",
        "microsoft.net.sdk.windowsdesktop",
        "microsoft.net.sdk.functions",
        "aspire.apphost.sdk",
        "godot.net.sdk",
        "msbuild.sdk.extras",
        "uno.sdk",
    }
)
_MOBILE = {
    "xamarin.android.csharp.targets": "MonoAndroid",
    "xamarin.ios.csharp.targets": "Xamarin.iOS",
    "xamarin.ios.appextension.csharp.targets": "Xamarin.iOS",
    "xamarin.tvos.csharp.targets": "Xamarin.TVOS",
    "xamarin.watchos.csharp.targets": "Xamarin.WatchOS",
    "xamarin.mac.csharp.targets": "Xamarin.Mac",
}
"""Files that name the framework of an old-style project, besides C#."""
TOOLSET_FILES = frozenset({"microsoft.common.props", "microsoft.csharp.targets", *_MOBILE})
"""Files of MSBuild itself that an old-style project imports, by folded name. All other files of MSBuild are ignored.
"""


_MOBILE_TARGETS = b"""<Project>
  <PropertyGroup>
    <TargetFrameworkIdentifier Condition="'$(TargetFrameworkIdentifier)' == ''">%s</TargetFrameworkIdentifier>
    <TargetFrameworkVersion Condition="'$(TargetFrameworkVersion)' == ''">v1.0</TargetFrameworkVersion>
  </PropertyGroup>
  <Import Project="$(MSBuildToolsPath)/Microsoft.CSharp.targets" />
</Project>"""


def sdk_file(sdk: str, name: str) -> XmlElement | None:
    """The `Sdk.props` or `Sdk.targets` (`name`) of an SDK such as `Microsoft.NET.Sdk/8.0.1`; None for an
    unknown one."""
    folded = sdk.partition("/")[0].strip().casefold()
    pair = _PLAIN if folded in _PLAIN_SDKS else _SDKS.get(folded)
    return _load(pair[name.casefold() == "sdk.targets"]) if pair else None


def toolset_file(name: str) -> XmlElement | None:
    """Return the content of `Microsoft.Common.props` and `Microsoft.CSharp.targets`, by file name; None for any
    other."""
    return _load(name.casefold()) if name.casefold() in TOOLSET_FILES else None


@lru_cache(maxsize=32)
def _load(name: str) -> XmlElement:
    if name in _MOBILE:
        return parse(_MOBILE_TARGETS % _MOBILE[name].encode())
    from importlib.resources import files

    return parse(files("services.msbuild").joinpath("toolset", name).read_bytes())


SYSTEMS = {"win32": "windows", "cygwin": "windows", "darwin": "osx"}
MAX_READ = 1024 * 1024


class VirtualFiles:
    """The workspace as seen by conditions and functions: absolute virtual paths in, answers out."""

    __slots__ = ("_files", "_other", "_present", "_texts", "root", "sources", "system")

    def __init__(self, files: ScannedFiles, root: VirtualRoot, platform: str) -> None:
        self._files = files
        self._other = FileTable(files.project_files)
        self._present: dict[str, bool] = {}
        self._texts: dict[str, str | None] = {}
        self.sources = FileTable(files.cs_files)
        self.root = root
        self.system = SYSTEMS.get(platform, "linux")

    def locate(self, absolute: str) -> str | None:
        """The workspace path of a file as spelled on disk, or None for one outside the root. It need not
        exist."""
        relative = self.root.relative(absolute)
        if relative is None:
            return None
        return self._other.find(relative) or self.sources.find(relative) or relative

    def read(self, path: str) -> bytes | None:
        """The bytes of a workspace path, or None."""
        return self._files.read(path) if path else None

    def is_file(self, absolute: str) -> bool:
        """Whether that file exists inside the root."""
        relative = self.root.relative(absolute)
        if not relative or absolute.endswith(("/", "\\")):
            return False
        if self._other.find(relative) or self.sources.find(relative):
            return True
        if relative not in self._present:
            self._present[relative] = relative in self._texts or self._files.read(relative) is not None
        return self._present[relative]

    def exists(self, absolute: str) -> bool:
        """Whether a file or folder is there. Folders are known by the sources and project files below
        them."""
        if absolute.startswith(TOOLSET):
            return file_name(absolute).casefold() in TOOLSET_FILES
        relative = self.root.relative(absolute)
        if relative is None:
            return False
        return self.sources.is_folder(relative) or self._other.is_folder(relative) or self.is_file(absolute)

    def project_files(self, pattern: str) -> tuple[str, ...]:
        """The workspace paths of project files that an absolute pattern matches."""
        relative = self.root.relative(pattern)
        return self._other.spelled(self._other.glob(relative)) if relative else ()

    def folder_above(self, start: str, name: str) -> str:
        """The nearest folder from `start` upwards, within the root, that holds `name`; `""` where none
        does."""
        folder = join(self.root.folder, start).rstrip("/")
        while self.root.relative(folder) is not None:
            if self.is_file(join(folder, name)):
                return folder
            folder = parent(folder)
        return ""

    def text(self, absolute: str) -> str | None:
        """The text of a small file inside the root, or None."""
        relative = self.locate(absolute)
        if relative and relative not in self._texts:
            content = self.read(relative)
            is_small = content is not None and len(content) <= MAX_READ
            self._texts[relative] = content.decode("utf-8-sig", "replace") if content and is_small else None
        return self._texts[relative] if relative else None
