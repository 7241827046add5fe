"""A workspace in memory: what the evaluation reads, without a disk."""

from __future__ import annotations

from collections.abc import Mapping

from services.msbuild import Evaluation, ProjectInfo
from services.msbuild.evaluation import evaluate
from services.workspace.source_kinds import CSHARP_SUFFIXES, PROJECT_SUFFIXES, is_markup


class Memory:
    """`Files` over a dictionary of path to text. `reads` lists every path that was asked for."""

    def __init__(self, files: Mapping[str, str | bytes]) -> None:
        self.contents = {
            path: text.encode() if isinstance(text, str) else text for path, text in files.items()
        }
        self.cs_files = sorted(path for path in files if path.endswith(CSHARP_SUFFIXES))
        self.markup_files = sorted(filter(is_markup, files))
        self.project_files = sorted(path for path in files if path.endswith(PROJECT_SUFFIXES))
        self.reads: list[str] = []

    def read(self, path: str) -> bytes | None:
        self.reads.append(path)
        return self.contents.get(path)


def sources(*paths: str) -> dict[str, str | bytes]:
    """Empty C# files."""
    return dict.fromkeys(paths, "")


def sdk(body: str = "", framework: str = "net8.0", name: str = "Microsoft.NET.Sdk") -> str:
    """An SDK-style project file."""
    target = (
        f"<PropertyGroup><TargetFramework>{framework}</TargetFramework></PropertyGroup>" if framework else ""
    )
    return f'<Project Sdk="{name}">{target}{body}</Project>'


def workspace(files: Mapping[str, str | bytes], **options) -> Evaluation:
    """All projects of these files, as on Linux."""
    return evaluate(Memory(files), **{"root_name": "Work", "platform": "linux", **options})


def only(files: Mapping[str, str | bytes], **options) -> ProjectInfo:
    """The one project that has a project file."""
    (project,) = (info for info in workspace(files, **options).projects if info.path != ".")
    return project


def properties(xml: str, **options) -> ProjectInfo:
    """The one project `A/A.csproj` with these property elements, and one file."""
    return only(
        {"A/A.csproj": sdk(f"<PropertyGroup>{xml}</PropertyGroup>"), **sources("A/One.cs")}, **options
    )


def messages(evaluation: Evaluation) -> list[str]:
    """What the notices say."""
    return [notice.message for notice in evaluation.notices]
