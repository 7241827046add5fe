"""Names in code bound by the rules of the language.

The texts in `language` have a case after each line `### title | symbol`: in its source, `§` stands before the usages of
the symbol that are bound, all of them.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.support.workspace import indexed

_CASE = re.compile(r"### (.+) \| (.+)\n((?:(?!### ).*\n?)*)")


def _cases() -> list[object]:
    text = "\n".join(
        each.read_text("utf-8") for each in sorted(Path(__file__).with_name("language").iterdir())
    )
    return [pytest.param(symbol, marked, id=title) for title, symbol, marked in _CASE.findall(text)]


@pytest.mark.parametrize(("symbol", "marked"), _cases())
def test_a_name_is_bound_as_the_language_binds_it(tmp_path: Path, symbol: str, marked: str) -> None:
    wanted = [
        (line, found.start() - at)
        for line, text in enumerate(marked.split("\n"), 1)
        for at, found in enumerate(re.finditer("§", text))
    ]
    with indexed(tmp_path, {"Case.cs": marked.replace("§", "")}) as bench:
        usages = bench.usages.find(symbol).usages
    assert [(usage.line, usage.column) for usage in usages if usage.grade == "bound"] == wanted
