"""Inputs and results of an evaluation: frozen values, paths relative to the workspace root
with `/`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from services.model import Notice, Value
from services.msbuild.language.paths import parent
from services.workspace.source_kinds import is_markup

RULES = 11
"""Version of the rules, raised whenever the same project files evaluate to another result: stored results of older
rules are evaluated again."""


class ScannedFiles(Protocol):
    """The workspace as the evaluation may see it. Names are relative to the root, with `/`, as on disk."""

    @property
    def cs_files(self) -> Sequence[str]:
        """Every `.cs` and `.csx` file of the scan, sorted."""
        ...

    @property
    def markup_files(self) -> Sequence[str]:
        """Every markup file of the scan with embedded C#, sorted."""
        ...

    @property
    def project_files(self) -> Sequence[str]:
        """Every sln, slnx, slnf, csproj, props, targets, projitems and shproj file of the scan."""
        ...

    def read(self, path: str) -> bytes | None:
        """The bytes of one file, or None where there is none or it may not be opened."""
        ...


class GlobalUsing(Value, frozen=True, kw_only=True):
    """Global using directive: a namespace, a type where `static` is set, or the target of `alias`."""

    name: str
    alias: str | None = None
    static: bool = False


class Package(Value, frozen=True, kw_only=True):
    """Package that a project compiles against. `version`: as requested, a range too; empty where there is none.
    `flows`: whether projects that refer to this one get it as well."""

    name: str
    version: str = ""
    flows: bool = True


class PackageAssembly(Value, frozen=True, kw_only=True):
    """An assembly of a package that was restored. `path`: in the packages folder; `places`: where on this machine it
    may be, a path for each such folder, the first one that is there counts; `table`: where what it declares was read
    into, empty until that has been done."""

    package: str
    version: str
    path: str
    places: tuple[str, ...]
    table: str = ""


class OtherFramework(Value, frozen=True, kw_only=True):
    """Files that a project compiles for another target framework alone. `name`: the framework, with the operating
    system where only that one offers it; `defines`: its preprocessor symbols."""

    name: str
    defines: frozenset[str]
    files: tuple[str, ...]


class ProjectInfo(Value, frozen=True, kw_only=True):
    """Evaluated project.

    `name` is unique in the workspace; `path` is the project file, or the folder (`.` for the root) where there is
    none. `defines` are preprocessor symbols; the files of each framework in `others`, which are among `files`, are
    read with its own. `markup`: the markup files among `files`; `namespaces`: by folder, the namespace that its
    `_Imports.razor` declares. `files` and `references` are paths; `refers_elsewhere`: whether there are further
    references, to projects that are missing, outside the workspace or in another language; `assemblies`: assemblies
    of packages that the last restore recorded. `unknown` counts the conditions, functions, imports and SDKs that were
    not understood and could have mattered; `unknown_examples` quotes some. `evaluated` is False where the result is a
    folder's files because no project file could be read."""

    name: str
    path: str
    assembly_name: str
    root_namespace: str
    target_framework: str | None = None
    target_frameworks: tuple[str, ...] = ()
    defines: frozenset[str] = frozenset()
    files: tuple[str, ...] = ()
    others: tuple[OtherFramework, ...] = ()
    markup: tuple[str, ...] = ()
    namespaces: tuple[tuple[str, str], ...] = ()
    usings: tuple[GlobalUsing, ...] = ()
    references: tuple[str, ...] = ()
    refers_elsewhere: bool = False
    packages: tuple[Package, ...] = ()
    assemblies: tuple[PackageAssembly, ...] = ()
    internals_visible_to: tuple[str, ...] = ()
    nullable: bool = False
    lang_version: str | None = None
    notices: tuple[Notice, ...] = ()
    unknown: int = 0
    unknown_examples: tuple[str, ...] = ()
    evaluated: bool = True

    def symbols(self, path: str) -> frozenset[str]:
        """Return the symbols for reading a file: the preprocessor symbols of the framework that compiles it; for
        markup, `namespace:` and the namespace of its class; for a view, the dotted folder in the project instead."""
        if is_markup(path):
            return frozenset({f"namespace:{self._namespace(path)}"})
        other = self._other(path)
        return other.defines if other is not None else self.defines

    def other_framework(self, path: str) -> str:
        """Return the target framework that alone compiles a file; empty where the project's own one does."""
        other = self._other(path)
        return other.name if other is not None else ""

    def _other(self, path: str) -> OtherFramework | None:
        return next((other for other in self.others if path in other.files), None)

    def _namespace(self, path: str) -> str:
        project, folder = parent(self.path), parent(path)
        if path.lower().endswith(".cshtml"):
            return ".".join(["", *_below(project, folder)])
        said = [(place, name) for place, name in self.namespaces if _is_in(folder, place)]
        place, name = max(said, key=lambda each: len(each[0]), default=(project, self.root_namespace))
        parts = [*(name.split(".") if name else []), *_below(place, folder)]
        return ".".join(map(_identifier, parts))


def _is_in(folder: str, place: str) -> bool:
    return not place or folder == place or folder.startswith(f"{place}/")


def _below(place: str, folder: str) -> list[str]:
    """The names of the folders that lead from one to another."""
    return [each for each in folder[len(place) :].split("/") if each] if _is_in(folder, place) else []


def _identifier(name: str) -> str:
    """A part of the name of a project, or the name of a folder, as a part of a namespace."""
    text = "".join(each if each.isalnum() or each == "_" else "_" for each in name)
    return f"_{text}" if text[:1].isdigit() else text


class Evaluation(Value, frozen=True, kw_only=True):
    """All projects, sorted by path, and everything a person should know, each notice once."""

    projects: tuple[ProjectInfo, ...]
    notices: tuple[Notice, ...] = ()
