"""The line on which a key of a TOML file stands."""

from __future__ import annotations

import pytest

from services.settings.load import line_of

TEXT = """\
# mine
window.budget = 100

[ index ]  # of the disk
workers = 2
"target_framework" = "net8.0"
[ui]
keys = { pin = "p" }
[ui.more]
theme = "x"
"""


@pytest.mark.parametrize(
    ("key", "line"),
    [
        ("window.budget", 2),
        ("index", 4),
        ("index.workers", 5),
        ("index.target_framework", 6),
        ("ui.keys.pin", 8),
        ("ui.more.theme", 10),
        ("ui.theme", 0),
        ("workers", 0),
    ],
)
def test_a_key_is_found_on_its_line(key: str, line: int) -> None:
    assert line_of(TEXT, key) == line


def test_no_text_has_no_lines() -> None:
    assert line_of("", "window.budget") == 0
