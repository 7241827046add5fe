"""Restored workspaces: a packages folder in NuGet's layout, and the files that `dotnet restore` writes for a
project."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

SHOP = Path(__file__).with_name("samples") / "assembly" / "Shop.dll"
"""Compiled from `Shop.cs` beside it."""


def restore(
    project: Path, packages: Path, assemblies: Mapping[str, bytes], *, framework: str = "net8.0"
) -> None:
    """Put assemblies, by ``Name/Version/file.dll``, where a restore does, and register them in the project's
    `obj`."""
    target: dict[str, object] = {}
    libraries: dict[str, object] = {}
    for key, image in assemblies.items():
        name, version, file = key.split("/")
        inside, path = f"lib/{framework}/{file}", f"{name.lower()}/{version}"
        where = packages / path / inside
        where.parent.mkdir(parents=True, exist_ok=True)
        where.write_bytes(image)
        target[f"{name}/{version}"] = {"type": "package", "compile": {inside: {}}, "runtime": {inside: {}}}
        libraries[f"{name}/{version}"] = {"type": "package", "path": path, "files": [inside]}
    assets = {
        "version": 3,
        "targets": {framework: target, f"{framework}/linux-x64": {}},
        "libraries": libraries,
        "packageFolders": {f"{packages}/": {}},
        "project": {"restore": {"projectPath": str(project)}},
    }
    out = project.parent / "obj" / "project.assets.json"
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(json.dumps(assets), "utf-8")
