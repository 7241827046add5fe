"""A line as words."""

from __future__ import annotations

import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.errors import CommandRefused
from services.llm.commands.words import LONGEST, words_of


@given(
    st.lists(
        st.text(st.characters(exclude_characters="\n\r\0", exclude_categories=["Cs"]), max_size=12),
        max_size=6,
    )
)
def test_words_that_a_shell_quotes_are_read_back(words: list[str]) -> None:
    assert words_of(shlex.join(words)) == words


@given(st.text(st.sampled_from("ab '\"\\$`|&;<>()*?[]{}!~#^\n\t"), max_size=12))
def test_what_is_taken_reads_as_a_shell_reads_it(line: str) -> None:
    try:
        words = words_of(line)
    except CommandRefused:
        return
    assert words == shlex.split(line, posix=True)


@pytest.mark.parametrize("line", ["a 'b", 'a "b', "a\\", "a\nb", "a\0b", "x" * (LONGEST + 1)])
def test_what_is_no_line_is_refused(line: str) -> None:
    with pytest.raises(CommandRefused):
        words_of(line)


def test_signs_that_a_shell_expands_are_plain() -> None:
    assert words_of("a* ?b [c] {d,e} !f ~g #h ^i HEAD~1 HEAD@{1} --include=*.cs") == [
        "a*", "?b", "[c]", "{d,e}", "!f", "~g", "#h", "^i", "HEAD~1", "HEAD@{1}", "--include=*.cs",
    ]  # fmt: skip
