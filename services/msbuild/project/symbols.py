"""The preprocessor symbols that the SDK defines for a target framework.

Source: "Preprocessor symbols" in "Target frameworks in SDK-style projects" of the .NET documentation."""

from __future__ import annotations

from services.msbuild.language.frameworks import NET_CORE, NET_FRAMEWORK, NET_STANDARD, Framework, Version

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
        found = {framework.identifier.upper()}
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
    if not version:
        return {name}
    chain = {
        f"{name}{_joined(known, '_')}_OR_GREATER"
        for known in _PLATFORMS.get(platform, ())
        if known <= version
    }
    return {name, name + _joined(version, "_"), f"{name}{_joined(version, '_')}_OR_GREATER"} | chain


def _joined(version: Version, separator: str) -> str:
    return separator.join(str(part) for part in version)
