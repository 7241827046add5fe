"""The house: no folder is crowded, and no modules import each other in a circle."""

from __future__ import annotations

import ast
from collections import Counter
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = ("services", "workbench", "widgets", "themes")
MOST = 12
"""Modules of a folder, without its `__init__`."""


def _modules() -> dict[str, Path]:
    files = [file for package in PACKAGES for file in (ROOT / package).rglob("*.py")]
    return {
        ".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): file
        for file in files
    }


def _typing_only(tree: ast.Module) -> set[ast.AST]:
    blocks = [
        node for node in ast.walk(tree) if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)
    ]
    return {inner for block in blocks for inner in ast.walk(block)}


def _imports(file: Path, modules: dict[str, Path]) -> set[str]:
    """What a module imports of ours when it runs, late imports too."""
    tree = ast.parse(file.read_text("utf-8"))
    skipped = _typing_only(tree)
    found: set[str] = set()
    for node in ast.walk(tree):
        if node in skipped:
            continue
        if isinstance(node, ast.ImportFrom) and node.module:
            inner = [f"{node.module}.{alias.name}" for alias in node.names]
            found |= {name if name in modules else node.module for name in inner}
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
    return found & set(modules)


def test_no_folder_holds_more_modules_than_a_reader_takes_in() -> None:
    sizes = Counter(
        file.parent.relative_to(ROOT) for file in _modules().values() if file.name != "__init__.py"
    )
    assert {str(folder): size for folder, size in sizes.items() if size > MOST} == {}


def test_no_modules_import_each_other_in_a_circle() -> None:
    modules = _modules()
    graph = {name: _imports(file, modules) - {name} for name, file in modules.items()}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as circle:
        pytest.fail(" -> ".join(circle.args[1]))
