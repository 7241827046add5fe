"""Which types of the framework table a project has for sure, by its target framework.

The table holds the types of .NET, .NET Framework and their desktop together. A name that two of them have is told apart
by what the project is for: in `namespace System.Windows.Forms`, `Point` is not WPF's `System.Windows.Point`.
"""

from __future__ import annotations

from dataclasses import dataclass

from services.index.framework.table import FrameworkType
from services.msbuild.language import frameworks

_CORE = frozenset({"Microsoft.NETCore.App", "Microsoft.AspNetCore.App"})
_FULL = frozenset({"netfx"})
_DESKTOP = "netfx desktop"
_FORMS = ("System.Windows.Forms", "System.Drawing", "System.ComponentModel", "Accessibility")


@dataclass(frozen=True, slots=True)
class Likely:
    """What is likely of one project. `unlikely`: families that it is not for; `desktop`: whether it may be a desktop
    program."""

    unlikely: frozenset[str]
    desktop: bool

    @classmethod
    def of(cls, moniker: str | None) -> Likely:
        """By a target framework moniker; everything is likely where that is not known."""
        framework = frameworks.parse(moniker) if moniker else None
        if framework is None:
            return cls(frozenset(), desktop=True)
        full = framework.identifier == frameworks.NET_FRAMEWORK
        return cls(_CORE if full else _FULL, desktop=full or framework.platform == "windows")

    def has(self, type_: FrameworkType) -> bool:
        """Whether the project has a type for sure, or by a package that is known."""
        families = type_.families - self.unlikely
        if families != {_DESKTOP}:
            return bool(families)
        # WPF is asked for by a property of its own; Windows Forms alone is more common.
        return self.desktop and type_.fqn.startswith(_FORMS)
