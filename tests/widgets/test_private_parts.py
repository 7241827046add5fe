"""What is Textual's own business is touched in one module, so that a new version is looked at there alone."""

from __future__ import annotations

import ast
import io
import sys
from pathlib import Path

import pytest
from textual.app import App
from textual.screen import ModalScreen
from textual.scroll_view import ScrollView
from textual.widgets import Input, OptionList, TextArea

from widgets.textual_private import without_descriptor

ROOT = Path(__file__).parents[2]
HOME = ROOT / "widgets" / "textual_private.py"
FILES = [file for floor in ("workbench", "widgets") for file in (ROOT / floor).rglob("*.py")]
CLASSES = (App, Input, ModalScreen, OptionList, ScrollView, TextArea)


def _is_private(name: str) -> bool:
    """Handlers (`_on_key`) are asked for by name, as documented."""
    return name.startswith("_") and not name.startswith(("__", "_on_"))


def _methods() -> set[str]:
    """Of Textual's classes, private."""
    bases = [base for each in CLASSES for base in each.__mro__ if base.__module__.startswith("textual")]
    return {
        name for base in bases for name, part in vars(base).items() if _is_private(name) and callable(part)
    }


METHODS = _methods()


def _touched(tree: ast.Module) -> set[str]:
    """Private modules and names of Textual that are imported, and private methods of its widgets that are called from,
    or overridden in, classes that do not have methods of that name for themselves."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "textual":
            names = [*(node.module or "").split("."), *(alias.name for alias in node.names)]
            found |= {name for name in names if _is_private(name)}
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in METHODS:
            inner = node.func.value
            if isinstance(inner, ast.Call) and isinstance(inner.func, ast.Name) and inner.func.id == "super":
                found.add(node.func.attr)
        if isinstance(node, ast.ClassDef):
            own = {
                part.name for part in node.body if isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef)
            }
            called = {
                each.func.attr
                for each in ast.walk(node)
                if isinstance(each, ast.Call)
                and isinstance(each.func, ast.Attribute)
                and isinstance(each.func.value, ast.Name)
                and each.func.value.id == "self"
            }
            found |= {name for name in called & METHODS if name not in own}
    return found


@pytest.mark.parametrize(
    "text",
    [
        "from textual._compositor import Compositor",
        "from textual.geometry import _something",
        "class A:\n    def f(self):\n        self._scroll_update(1)",
        "class A:\n    def _refresh_styles(self):\n        super()._scroll_update(1)",
    ],
)
def test_touching_is_seen(text: str) -> None:
    assert _touched(ast.parse(text))


def test_private_parts_of_textual_are_touched_in_one_module() -> None:
    touched = {
        str(file.relative_to(ROOT)): names
        for file in FILES
        if file != HOME and (names := _touched(ast.parse(file.read_text("utf-8"))))
    }
    assert len(FILES) > 100
    assert touched == {}


def test_what_is_overridden_there_is_still_there() -> None:
    assert "_update_focus_styles" in METHODS


async def test_standard_error_under_a_screen_names_no_descriptor() -> None:
    app = App[None]()
    without_descriptor(app)
    async with app.run_test():
        with pytest.raises(io.UnsupportedOperation):
            sys.stderr.fileno()
