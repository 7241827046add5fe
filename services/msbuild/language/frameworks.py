"""Target framework monikers: what they mean, which is highest, which can use which.

Source: "Target frameworks in SDK-style projects" of the .NET documentation."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

import msgspec

from services.concurrency.lazy import expression

NET_CORE = ".NETCoreApp"
NET_STANDARD = ".NETStandard"
NET_FRAMEWORK = ".NETFramework"

_NAMES = {
    "netcoreapp": NET_CORE,
    "netstandard": NET_STANDARD,
    "net": NET_CORE,
    "uap": "UAP",
    "monoandroid": "MonoAndroid",
    "monomac": "MonoMac",
    "monotouch": "MonoTouch",
    "xamarinios": "Xamarin.iOS",
    "xamarinmac": "Xamarin.Mac",
    "xamarintvos": "Xamarin.TVOS",
    "xamarinwatchos": "Xamarin.WatchOS",
    "tizen": "Tizen",
    "netnano": ".NETnanoFramework",
    "netmf": ".NETMicroFramework",
}
_FAMILIES = "|".join(_NAMES).replace("xamarin", r"xamarin\.?")
_MONIKER = expression(rf"({_FAMILIES})(\d+(?:\.\d+)*)(?:-([a-z]+)([\d.]*))?", re.IGNORECASE)
_LONG = expression(r"([\w.]+),Version=v(\d+(?:\.\d+)*)", re.IGNORECASE)
_LONG_NAMES = {name.casefold(): short for short, name in reversed(_NAMES.items())}
_DOTTED = frozenset({NET_CORE, NET_STANDARD})
_RANK = {NET_CORE: 3, NET_STANDARD: 2, NET_FRAMEWORK: 1}
_STANDARD_OF_FRAMEWORK = (((4, 6, 1), (2, 0)), ((4, 6), (1, 3)), ((4, 5, 1), (1, 2)), ((4, 5), (1, 1)))

Version = tuple[int, ...]


class Framework(msgspec.Struct, frozen=True):
    """A parsed moniker: identifier (`.NETCoreApp`), version, and the platform of
    `net8.0-windows10.0.19041.0`."""

    moniker: str
    identifier: str
    version: Version
    platform: str = ""
    platform_version: Version = ()

    @property
    def rank(self) -> tuple[int, Version]:
        """Orders frameworks: .NET over .NET Standard over .NET Framework, then by version."""
        return _RANK.get(self.identifier, 0), self.version


def version_of(text: str) -> Version:
    """`"4.7.2"` or `"v4.7.2"` as numbers. Raises ValueError."""
    return tuple(int(part) for part in text.strip().lstrip("vV").split("."))


@lru_cache(maxsize=512)
def parse(moniker: str) -> Framework | None:
    """The framework of a moniker, short or long; None where it is not one that is known."""
    text = moniker.strip()
    if long := _LONG.fullmatch(text):
        names = {name.casefold(): name for name in (*_NAMES.values(), NET_FRAMEWORK)}
        identifier = names.get(long[1].casefold())
        return Framework(text, identifier, version_of(long[2])) if identifier else None
    match = _MONIKER.fullmatch(text)
    if match is None:
        return None
    family, digits, platform, platform_version = match.groups()
    identifier = _NAMES[family.lower().replace(".", "")]
    if "." in digits:
        version = version_of(digits)
    else:
        version = tuple(int(digit) for digit in digits) if len(digits) > 1 else (int(digits), 0)
    if family.lower() == "net" and version[0] < 5:
        identifier = NET_FRAMEWORK
    if platform_version and not re.fullmatch(r"\d+(\.\d+)*", platform_version):
        return None
    return Framework(
        text,
        identifier,
        version,
        (platform or "").lower(),
        version_of(platform_version) if platform_version else (),
    )


def short_name(identifier: str, version: str) -> str:
    """The moniker of an identifier and a version, as NuGet writes it: `net472`, `monoandroid13.0`, `xamarinios10`; the
    long form of an identifier that is not known. Raises ValueError for what is no version."""
    numbers = version_of(version)
    if identifier == NET_FRAMEWORK:
        return "net" + "".join(map(str, numbers))
    family = _LONG_NAMES.get(identifier.casefold())
    if family is None:
        return f"{identifier},Version=v{'.'.join(map(str, numbers))}"
    is_dotted = identifier in _DOTTED or max(numbers) > 9
    return family + ("." if is_dotted else "").join(map(str, numbers))


def highest(monikers: tuple[str, ...]) -> str | None:
    """The moniker of the highest framework, the first of equals; None for an empty list."""
    return max(monikers, key=_rank, default=None)


def descending(monikers: Iterable[str]) -> list[str]:
    """The monikers, the highest framework first, equals in their order."""
    return sorted(monikers, key=_rank, reverse=True)


def _rank(moniker: str) -> tuple[int, Version]:
    framework = parse(moniker)
    return framework.rank if framework else (0, ())


def is_compatible(target: Framework, candidate: Framework) -> bool:
    """Whether a project for `target` can use a library for `candidate`."""
    if candidate.platform and candidate.platform != target.platform:
        return False
    if candidate.platform_version and target.platform_version < candidate.platform_version:
        return False
    if target.identifier == candidate.identifier:
        return target.version >= candidate.version
    return candidate.identifier == NET_STANDARD and candidate.version <= _standard_of(target)


def _standard_of(target: Framework) -> Version:
    if target.identifier == NET_CORE:
        return (2, 1) if target.version >= (3, 0) else (2, 0) if target.version >= (2, 0) else (1, 6)
    if target.identifier == NET_FRAMEWORK:
        return next(
            (standard for version, standard in _STANDARD_OF_FRAMEWORK if target.version >= version), ()
        )
    return ()
