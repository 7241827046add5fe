"""Evaluating .NET projects without MSBuild, from their files alone: nothing is ever executed.

`evaluation` is imported by who evaluates: most starts find what an evaluation rests on as it was."""

from services.msbuild.language.info import (
    RULES,
    Evaluation,
    Files,
    OtherFramework,
    Package,
    PackageAssembly,
    ProjectInfo,
    Using,
)

__all__ = [
    "RULES",
    "Evaluation",
    "Files",
    "OtherFramework",
    "Package",
    "PackageAssembly",
    "ProjectInfo",
    "Using",
]
