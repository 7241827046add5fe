"""The properties every project starts with: MSBuild's own, and what Arcade's repositories take for
granted."""

from __future__ import annotations

from functools import lru_cache

import msgspec

from services.decoding import SMALL, decode
from services.msbuild.language.environment import VirtualFiles
from services.msbuild.language.paths import TOOLSET, file_name, parent, stem, with_slash
from services.msbuild.xmltree import plain

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
