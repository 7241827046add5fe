"""Chats as files, the places in answers, and what was spent."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.errors import UsageError
from services.llm.chat import Chat, new_chat, read_chat, written
from services.llm.citations import citations, links
from services.llm.spending import Spending, Spent
from services.llm.values import ChatMessage, FunctionCall, ToolCall

TEXTS = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r"), max_size=60),
    st.sampled_from(
        ["<!-- chat {} -->", "a\n<!-- chat x", "## You\n\nb", "\\<!-- chat {}", "\n\n", "--> <!--", ""]
    ),
)
CALLS = st.builds(
    lambda name, text: ToolCall(id="1", function=FunctionCall(name=name, arguments=text)), TEXTS, TEXTS
)
MESSAGES = st.builds(
    ChatMessage,
    role=st.sampled_from(["user", "assistant", "tool"]),
    content=st.none() | TEXTS,
    tool_calls=st.lists(CALLS, max_size=2).map(tuple),
    tool_call_id=st.none() | st.just("1"),
)


@given(TEXTS, st.lists(MESSAGES, max_size=4), st.lists(TEXTS, max_size=2))
def test_a_chat_is_read_as_it_was_written(title: str, messages: list[ChatMessage], asked: list[str]) -> None:
    chat = Chat(id="C_1", title=" ".join(title.split()), messages=tuple(messages), questions=tuple(asked))
    assert read_chat(written(chat)) == chat


@pytest.mark.parametrize("text", ["", "# Chat: x\n", "<!-- chat {} -->\n", '<!-- chat {"id": 3} -->\n'])
def test_a_damaged_file_says_so(text: str) -> None:
    with pytest.raises(UsageError, match="damaged"):
        read_chat(text)


def test_a_file_of_a_version_that_wrote_no_end_is_read() -> None:
    chat = Chat(id="C_1", title="Title", profile="p", started_at=1, messages=(ChatMessage("user", "Why?"),))
    text = written(chat)
    older = text.removesuffix('\n<!-- chat {"end":1} -->\n').replace(',"ends":true', "")
    assert older.count("<!-- chat") == 2
    assert read_chat(older) == chat
    with pytest.raises(UsageError, match="its end is missing"):
        read_chat(text[: text.rindex("<!-- chat")])


def test_a_chat_is_named_after_the_first_line_of_its_question() -> None:
    assert new_chat("\n\nWhy?\nmore").title == "Why?"
    assert len(new_chat("x" * 500).title) == 70


FILES = {"src/A.cs": 10, "B.cs": 3}


def places(answer: str) -> list[tuple[str, str, str]]:
    found = citations(answer, FILES.get, {"Demo.A": "T_1"}.get)
    return [(each.text, each.target, each.problem) for each in found]


def test_places_are_held_against_the_workspace() -> None:
    assert places("See src/A.cs:3-4, (B.cs:2), B.cs and `Demo.A`.") == [
        ("src/A.cs:3-4", "src/A.cs:3-4", ""),
        ("B.cs:2", "B.cs:2", ""),
        ("B.cs", "B.cs", ""),
        ("Demo.A", "T_1", ""),
    ]
    assert places("src/A.cs:11 src/None.cs:1") == [
        ("src/A.cs:11", "", "src/A.cs has 10 lines."),
        ("src/None.cs:1", "", "There is no file src/None.cs."),
    ]


def test_names_in_prose_are_places_where_they_are_symbols() -> None:
    known = {"RetryHelper": "T_2", "Demo.A": "T_1", "IRetry": "T_3", "Retry": "T_4"}
    answer = (
        "Demo.A calls RetryHelper (IRetry), `new RetryHelper()`, CancellationToken, Retry and src/A.cs:3."
    )
    found = citations(answer, FILES.get, known.get)
    assert [(each.text, each.target) for each in found] == [
        ("Demo.A", "T_1"),
        ("RetryHelper", "T_2"),
        ("IRetry", "T_3"),
        ("src/A.cs:3", "src/A.cs:3"),
    ]


def test_names_that_nothing_is_known_by_are_marked_and_others_are_not() -> None:
    known = {"Demo.A": "T_1", "Demo.A.Run": "T_1_1", "HttpClient": "", "Task.Run": "", "Twice": ""}
    answer = (
        "`Demo.A.Runs()`, Demo.A.Halt, Other.Name, `RetryHelpers`, `HttpClient`, `Task.Run`, `Twice`, `local.Thing`, "
        "`true`, `Name` and GitHub"
    )
    found = citations(answer, FILES.get, lambda path: known.get(path.partition("(")[0]))
    assert [(each.text, each.problem) for each in found] == [
        ("Demo.A.Runs()", "The index has no Demo.A.Runs()."),
        ("Demo.A.Halt", "The index has no Demo.A.Halt."),
        ("RetryHelpers", "The index has no RetryHelpers."),
    ]


@pytest.mark.parametrize(
    "answer", ["Use foo.Bar() at 3.5, e.g. `var x`", "https://a.example/src/A.cs:3", "v1.2.3"]
)
def test_what_only_looks_like_a_place_is_none(answer: str) -> None:
    assert places(answer) == []


def test_places_become_links_outside_of_code() -> None:
    answer = "`B.cs:2` and src/No.cs:1\n```\nB.cs:1\n```\nB.cs:3"
    found = citations(answer, FILES.get, lambda _: None)
    shown = answer
    for start, end, text in reversed([*links(answer, found, lambda target: f"place:{target}")]):
        shown = shown[:start] + text + shown[end:]
    assert shown == "[`B.cs:2`](place:B.cs:2) and src/No.cs:1 ✗\n```\nB.cs:1\n```\n[B.cs:3](place:B.cs:3)"


def test_what_was_spent_is_summed_by_day_and_profile(tmp_path: Path) -> None:
    day = ["2026-11-22"]
    spending = Spending(tmp_path / "s" / "spending.json", lambda: day[0])
    spending.add("a", Spent(1, 2, 0.5))
    day[0] = "2026-11-23"
    spending.add("a", Spent(10, 20, 0.5))
    spending.add("b", Spent(1, 1, 0.0))
    assert Spending(tmp_path / "s" / "spending.json", lambda: day[0]).today() == Spent(11, 21, 0.5)
    assert [*spending.days()] == ["2026-11-22", "2026-11-23"]
    (tmp_path / "s" / "spending.json").write_text("{")
    assert spending.today() == Spent()
