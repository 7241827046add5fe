"""Pieces of an answer joined, as different endpoints send them, and what is none."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.errors import ModelError
from services.llm.values import (
    MOST_ARGUMENTS,
    MOST_CALLS,
    End,
    Event,
    FunctionCall,
    Joiner,
    TextPiece,
    TokenUsage,
    ToolCall,
    ToolCalled,
    error_text,
)


def joined(*chunks: Any, ends: bool = True) -> list[Event]:
    joiner = Joiner()
    found = [event for chunk in chunks for event in joiner.take(json.dumps(chunk))]
    if ends:
        list(joiner.take(" [DONE] "))
    return [*found, *joiner.rest()]


def piece(**delta: Any) -> dict[str, Any]:
    return {"choices": [{"delta": delta}]}


def calling(*calls: dict[str, Any]) -> dict[str, Any]:
    return piece(tool_calls=list(calls))


def called(id_: str, name: str, arguments: str = "{}") -> ToolCalled:
    return ToolCalled(ToolCall(id=id_, function=FunctionCall(name=name, arguments=arguments)))


@given(st.lists(st.text(min_size=1, max_size=5), max_size=6))
def test_text_comes_at_once_and_in_order(pieces: list[str]) -> None:
    assert joined(*(piece(content=each) for each in pieces)) == [*map(TextPiece, pieces), End("stop")]


@pytest.mark.parametrize("nothing", [None, "", 5, ["a"]])
def test_what_is_no_text_is_none(nothing: object) -> None:
    assert joined(piece(content=nothing), {"choices": None}, {"choices": [None, 3]}, {}) == [End("stop")]


def test_an_answer_that_came_whole_and_only_the_first_choice_count() -> None:
    whole = {"choices": [{"message": {"content": "all"}}, {"delta": {"content": "other"}}]}
    assert joined(whole) == [TextPiece("all"), End("stop")]


def test_a_call_is_joined_by_its_index_and_comes_at_the_end() -> None:
    found = joined(
        calling({"index": 0, "id": "x", "function": {"name": "read", "arguments": '{"a'}}),
        calling({"index": 1, "id": "y", "function": {"name": "grep", "arguments": "{}"}}),
        piece(content="meanwhile"),
        calling({"index": 0, "function": {"arguments": '": 1}'}}),
    )
    assert found == [
        TextPiece("meanwhile"),
        called("x", "read", '{"a": 1}'),
        called("y", "grep"),
        End("tool_calls"),
    ]


def test_a_call_is_joined_by_its_id_where_it_has_no_index() -> None:
    found = joined(
        calling(
            {"id": "x", "function": {"name": "read", "arguments": "["}},
            {"id": "y", "function": {"name": "b"}},
        ),
        calling({"id": "x", "function": {"arguments": "]"}}),
    )
    assert found[:2] == [called("x", "read", "[]"), called("y", "b")]


def test_a_call_without_either_goes_on_until_another_is_named() -> None:
    found = joined(
        calling({"function": {"name": "a", "arguments": "["}}),
        calling({"function": {"arguments": "]"}}),
        calling({"function": {"name": "b"}}),
        calling({"function": "damaged"}),
    )
    assert found[:-1] == [called("call_0", "a", "[]"), called("call_1", "b")]


def test_a_name_that_comes_again_with_every_piece_is_one_name_and_one_in_pieces_is_joined() -> None:
    again = [calling({"index": 0, "function": {"name": "read", "arguments": each}}) for each in "[]"]
    assert joined(*again)[0] == called("call_0", "read", "[]")
    parts = [calling({"index": 0, "id": "i", "function": {"name": each}}) for each in ("re", "ad")]
    assert joined(*parts)[0] == called("i", "read")


def test_arguments_may_come_as_what_they_are_and_true_is_no_index() -> None:
    found = joined(calling({"index": True, "id": "i", "function": {"name": "a", "arguments": {"b": [1]}}}))
    assert found[0] == called("i", "a", '{"b":[1]}')


def test_usage_is_told_once_before_the_end_and_only_where_it_makes_sense() -> None:
    good = {"usage": {"prompt_tokens": 3, "completion_tokens": 4}}
    assert joined(good) == [TokenUsage(3, 4), End("stop")]
    for bad in ({"prompt_tokens": 3}, {"prompt_tokens": -1, "completion_tokens": 4}, 7, None):
        assert joined({"usage": bad}) == [End("stop")]
    wrong = {"usage": {"prompt_tokens": 1, "completion_tokens": -1}}
    assert joined(good, wrong) == [TokenUsage(3, 4), End("stop")]


def test_the_reason_of_the_endpoint_ends_an_answer_that_has_no_other_end() -> None:
    chunk = {"choices": [{"delta": {"content": "a"}, "finish_reason": "length"}]}
    assert joined(chunk, ends=False) == [TextPiece("a"), End("length")]
    with pytest.raises(ModelError, match="connection was lost"):
        joined(piece(content="a"), ends=False)


def test_what_was_received_is_counted() -> None:
    joiner = Joiner()
    for chunk in (
        piece(content="four"),
        calling({"index": 0, "function": {"name": "n", "arguments": "[1]"}}),
    ):
        list(joiner.take(json.dumps(chunk)))
    assert joiner.received == 7


@pytest.mark.parametrize("data", ["no json", '{"a":', "[1]", '"text"', "7"])
def test_what_is_no_chunk_is_an_error_that_quotes_it(data: str) -> None:
    with pytest.raises(ModelError, match="OpenAI-compatible") as raised:
        list(Joiner().take(data))
    assert repr(data) in raised.value.message or data in raised.value.message


def test_an_error_in_the_midst_breaks_the_answer_off() -> None:
    with pytest.raises(ModelError, match=r"broke the answer off: too long \(by far\)"):
        joined(piece(content="a"), {"error": {"message": "too long\n(by far)"}})


def test_more_calls_or_arguments_than_can_be_run_are_refused() -> None:
    most = [calling({"index": at, "function": {"name": "a"}}) for at in range(MOST_CALLS)]
    assert len(joined(*most)) == MOST_CALLS + 1
    with pytest.raises(ModelError, match="more tools"):
        joined(*most, calling({"index": MOST_CALLS}))
    half = calling({"index": 0, "function": {"name": "a", "arguments": "x" * (MOST_ARGUMENTS // 2)}})
    assert len(joined(half, half)) == 2
    with pytest.raises(ModelError, match="more tools"):
        joined(half, half, calling({"index": 0, "function": {"arguments": "x"}}))


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ({"error": {"message": "no"}}, "no"),
        ({"error": {"detail": "no"}}, "no"),
        ({"error": "no"}, "no"),
        ({"detail": "no\n  more"}, "no more"),
        ("plain", "plain"),
        ({"error": {"code": 5}}, "{'code': 5}"),
        ([1], "[1]"),
        ("x" * 301, "x" * 300 + "…"),
        ("x" * 300, "x" * 300),
    ],
)
def test_what_an_endpoint_says_of_an_error_is_found_where_it_says_it(answer: object, said: str) -> None:
    assert error_text(answer) == said
