"""Properties and items of the SDKs that symbols, files and usings depend on.

The files under `toolset/` are project files, evaluated in the same way as the workspace's own, at the point where the
SDK's would be imported. Sources: the .NET documentation ("MSBuild reference for .NET SDK projects", "Implicit using
directives") and, for the order of evaluation and for Arcade, the public repositories dotnet/sdk and dotnet/arcade."""

from __future__ import annotations

from functools import lru_cache

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
