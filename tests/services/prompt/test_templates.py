"""Templates: placeholders, paragraphs that go, errors with their place, and whose file counts."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.errors import InvalidTemplate, UsageError
from services.prompt.templates import BUILT_IN, PLACEHOLDERS, Templates, parse_template
from tests.services.prompt.support import MemoryFiles

TEXT = st.text(st.characters(blacklist_categories=("Cs",), blacklist_characters="\r"), max_size=30)


class Files(MemoryFiles):
    def names(self, folder: str) -> tuple[str, ...]:
        return tuple(name.partition("/")[2] for name in self.files if name.startswith(f"{folder}/"))


def filled(text: str, **values: str) -> str:
    return parse_template("t", text).fill(values)


def test_values_are_put_in_and_nothing_in_them_is_a_placeholder() -> None:
    text = "# {{ task }} for {{model}}\n\n{{window}}\n"
    assert filled(text, task="{{window}}", model="m", window="```\nW\n```\n") == (
        "# {{window}} for m\n\n```\nW\n```\n"
    )


def test_a_paragraph_without_values_goes_with_its_heading() -> None:
    text = "Intro.\n\n## Task\n{{task}}\n\n\n{{window}}"
    assert filled(text, window="W\n") == "Intro.\n\nW\n"
    assert filled(text, window="W\n", task="T") == "Intro.\n\n## Task\nT\n\n\nW\n"


def test_blank_lines_between_paragraphs_are_the_templates() -> None:
    text = "{{task}}\n\n{{window}}\n\n{{again}}"
    assert filled(text, task="T\n", window="W\n\n", again="T") == "T\n\nW\n\nT\n"


def test_braces_can_be_written() -> None:
    assert filled(r"\{{task}} {{window}}", window="W", task="T") == "{{task}} W\n"


@pytest.mark.parametrize(
    ("text", "line", "column", "says"),
    [
        ("{{window}}\nab {{wnidow}}", 2, 4, "no placeholder {{wnidow}}"),
        ("{{window}} {{", 1, 12, "without a name"),
        ("{{window}} {{a b}}", 1, 12, "without a name"),
        ("nothing", 1, 1, "has no {{window}}"),
    ],
)
def test_an_error_says_where(text: str, line: int, column: int, says: str) -> None:
    with pytest.raises(InvalidTemplate) as caught:
        parse_template("t", text)
    assert says in caught.value.message
    assert f"line {line}, column {column}" in caught.value.message
    assert caught.value.details == {
        "template": "t",
        "line": line,
        "column": column,
        "known": list(PLACEHOLDERS),
    }


def test_the_templates_of_the_program_give_the_window_alone_without_a_task() -> None:
    for name in BUILT_IN:
        assert Templates(Files(), None).load(name).fill({"window": "W\n"}) == "W\n"


@given(TEXT, TEXT)
def test_a_value_comes_through_whole(task: str, window: str) -> None:
    text = filled("<{{task}}|{{window}}>", task=task, window=window)
    assert text == (f"<{task}|{window}>\n" if task or window else "\n")


def test_the_workspace_comes_before_the_person_and_both_before_the_program(tmp_path: Path) -> None:
    files = Files()
    templates = Templates(files, tmp_path)
    assert templates.names() == {
        "default": "program",
        "task-first": "program",
        "task-last": "program",
    }
    (tmp_path / "default.md").write_text("mine {{window}}")
    (tmp_path / "review.md").write_bytes(b"\xef\xbb\xbfreview\r\n{{window}}")
    assert templates.load("default").fill({"window": "W"}) == "mine W\n"
    assert templates.load("review").fill({"window": "W"}) == "review\nW\n"
    files.write("templates/default.md", b"ours {{window}}")
    assert templates.load("default").fill({"window": "W"}) == "ours W\n"
    assert templates.names() == {
        "default": "workspace",
        "review": "user",
        "task-first": "program",
        "task-last": "program",
    }


@pytest.mark.parametrize("name", ["nope", "../secrets", "a/b", "", ".hidden", "a\0"])
def test_one_that_is_not_there_is_said_with_those_that_are(name: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there are default, task-first, task-last"):
        Templates(Files(), tmp_path).load(name)


def test_the_users_one_that_cannot_be_read_is_told_and_not_taken_for_missing(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.md")
    (tmp_path / "long.md").write_bytes(b"{{window}}" + b"x" * 200_000)
    with pytest.raises(UsageError, match="pipe cannot be read: it is not a regular file"):
        Templates(Files(), tmp_path).load("pipe")
    with pytest.raises(UsageError, match="long cannot be read: it is larger than 200000 bytes"):
        Templates(Files(), tmp_path).load("long")


def test_one_that_is_no_text_or_too_large_is_refused() -> None:
    files = Files()
    files.write("templates/a.md", b"\xff{{window}}")
    files.write("templates/b.md", b"{{window}}" + b"x" * 200_000)
    with pytest.raises(UsageError, match="not UTF-8"):
        Templates(files, None).load("a")
    with pytest.raises(UsageError, match="larger than"):
        Templates(files, None).load("b")
