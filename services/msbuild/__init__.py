"""Evaluating .NET projects without MSBuild, from their files alone: nothing is ever executed.

`evaluation` is imported by who evaluates: most starts find what an evaluation rests on as it was."""

from services.msbuild.language.info import (
    RULES,
    Evaluation,
    GlobalUsing,
    OtherFramework,
    Package,
    PackageAssembly,
    ProjectInfo,
    ScannedFiles,
)

__all__ = [
    "RULES",
    "Evaluation",
    "GlobalUsing",
    "OtherFramework",
    "Package",
    "PackageAssembly",
    "ProjectInfo",
    "ScannedFiles",
]
