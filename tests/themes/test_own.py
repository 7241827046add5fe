"""Themes of one's own: over a theme of the program, and nothing that could stop the screen."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from themes import DARK, LIGHT
from themes.own import own_theme
from workbench.state.own_settings import own_themes


def test_what_is_not_said_is_as_in_the_base() -> None:
    theme = own_theme("dusk", {"base": LIGHT.name, "primary": "#123456", "variables": {"border": "red"}})
    assert (theme.name, theme.primary, theme.dark, theme.surface) == ("dusk", "#123456", False, LIGHT.surface)
    assert theme.variables == {**LIGHT.variables, "border": "red"}
    assert own_theme("same", {}).background == DARK.background


@pytest.mark.parametrize(
    ("name", "table", "said"),
    [
        ("codecortex-dark", {}, "no name"),
        ("a b", {}, "no name"),
        ("x", {"base": "none"}, "no theme 'none'"),
        ("x", {"primary": "loud"}, "it is a colour"),
        ("x", {"primary": 7}, "it is a colour"),
        ("x", {"prime": "red"}, "no 'prime'"),
        ("x", {"dark": "yes"}, "true or false"),
        ("x", {"variables": 3}, "is a table"),
        ("x", {"variables": {"nothing": "red"}}, "no variable 'nothing'"),
        ("x", {"variables": {"block-cursor-text-style": "loud"}}, "any of bold"),
    ],
)
def test_what_cannot_be_is_refused_in_words(name: str, table: Mapping[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        own_theme(name, table)


def test_files_that_are_no_themes_are_said_and_the_others_are_taken(tmp_path: Path) -> None:
    (tmp_path / "good.toml").write_text('primary = "red"\n')
    (tmp_path / "broken.toml").write_text("primary =")
    (tmp_path / "huge.toml").write_text("# " + "x" * 70_000)
    (tmp_path / "folder.toml").mkdir()
    (tmp_path / "notes.txt").write_text("not a theme")
    themes, notices = own_themes(tmp_path)
    assert [theme.name for theme in themes] == ["good"]
    assert [notice.message.split()[2] for notice in notices] == ["broken.toml", "folder.toml", "huge.toml"]
    assert own_themes(tmp_path / "none") == ([], [])
