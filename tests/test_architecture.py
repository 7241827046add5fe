"""docs/ARCHITECTURE.md: each walk is the way that a call takes, and each invariant names a test that is there."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import anyio
import pytest

from tests.support.serving import SHOP, answered, connected, served
from tests.support.walks import walked
from tests.support.workspace import indexed

ROOT = Path(__file__).parents[1]
_STEP = re.compile(r"^\d+\. `([\w/.]+)` `([\w.]+)`", re.MULTILINE)
_TEST = re.compile(r"`(tests/[\w/]+\.py)::(\w+)`")
_INVARIANTS = 25


@cache
def _section(title: str) -> str:
    text = (ROOT / "docs" / "ARCHITECTURE.md").read_text("utf-8")
    return re.split(rf"^#+ {re.escape(title)}\n", text, flags=re.MULTILINE)[1].partition("\n#")[0]


def _pinned(folder: Path) -> list[str]:
    with indexed(folder, SHOP) as bench:
        return walked(lambda: bench.window.pin("Shop.Orders"))


def _outlined(folder: Path) -> list[str]:
    async def ask() -> None:
        async with connected(serving) as client:
            assert "class Orders" in (await answered(client, "get_outline", id="Shop.Orders"))["text"]

    with served(folder) as serving:
        return walked(lambda: anyio.run(ask))


@pytest.mark.parametrize(
    ("title", "walk"), [("A pin becomes text", _pinned), ("A tool call becomes an outline", _outlined)]
)
def test_a_walk_is_the_way_that_the_call_takes(
    title: str, walk: Callable[[Path], list[str]], tmp_path: Path
) -> None:
    steps = ["::".join(step) for step in _STEP.findall(_section(title))]
    taken = walk(tmp_path)
    assert len(steps) >= 5
    assert [step for step in steps if step not in taken] == []
    assert steps == sorted(steps, key=taken.index)


def test_invariants_name_tests_that_are_there() -> None:
    named = _TEST.findall(_section("Invariants"))
    assert len(named) >= _INVARIANTS
    assert [f"{file}::{name}" for file, name in named if name not in _functions(file)] == []


def _functions(file: str) -> set[str]:
    return set(_names(ast.parse((ROOT / file).read_text("utf-8")))) if (ROOT / file).exists() else set()


def _names(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.name
