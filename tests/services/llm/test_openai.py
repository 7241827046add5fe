"""Answers of an endpoint, whole, broken, late, and without end."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager

import pytest

from services.errors import Cancelled, ModelError, ModelKeyError
from services.llm.client import gathered
from services.llm.openai import OpenAiModel
from services.llm.profiles import Profile
from services.llm.values import (
    ChatMessage,
    End,
    FunctionCall,
    ParameterSchema,
    TextPiece,
    TokenUsage,
    Tool,
    ToolCall,
    ToolCalled,
    ToolFunction,
)
from tests.support.chat_server import (
    DONE,
    ChatServer,
    Reply,
    call,
    chat_server,
    data,
    delta,
    failing,
    streamed,
)
from tests.support.eventually import eventually

ASK = [ChatMessage(role="user", content="What does Retry do?")]
TOOL = Tool(
    function=ToolFunction(
        name="read_file",
        description="Read a file.",
        parameters=ParameterSchema(properties={"path": {"type": "string"}}, required=("path",)),
    )
)
KEY = "sk-proj-4f9a8b7c6d5e"


class Pauses(list[float]):
    """Waits for nothing, and remembers how long it should have."""

    async def __call__(self, seconds: float) -> None:
        self.append(seconds)


def model(server: ChatServer, pauses: Pauses | None = None, **changed: object) -> OpenAiModel:
    profile = Profile(endpoint=server.endpoint, name="m-1", key="env:K", **changed)  # pyright: ignore[reportArgumentType]
    return OpenAiModel(profile, key=lambda: KEY, pause=pauses if pauses is not None else Pauses())


def test_text_comes_in_pieces_then_usage_and_the_end() -> None:
    with chat_server(streamed("Re", "tries.", usage=(12, 3))) as server:
        events = list(model(server).complete(ASK))
    assert events == [TextPiece("Re"), TextPiece("tries."), TokenUsage(12, 3), End("stop")]


def test_the_request_is_the_protocols() -> None:
    with chat_server(streamed("x")) as server:
        gathered(model(server, answer=500).complete(ASK, [TOOL], max_tokens=9_000))
        (asked,) = server.asked
    assert asked.path == "/v1/chat/completions"
    assert asked.headers["authorization"] == f"Bearer {KEY}"
    assert asked.body == {
        "model": "m-1",
        "stream": True,
        "stream_options": {"include_usage": True},
        "max_tokens": 500,
        "messages": [{"role": "user", "content": "What does Retry do?"}],
        "tools": [
            {
                "type": "function",
                "function": {
                    "name": "read_file",
                    "description": "Read a file.",
                    "parameters": {
                        "type": "object",
                        "properties": {"path": {"type": "string"}},
                        "required": ["path"],
                        "additionalProperties": False,
                    },
                },
            }
        ],
    }


def test_a_conversation_with_tools_goes_by_the_names_of_the_wire() -> None:
    called = ToolCall(id="c1", function=FunctionCall(name="read_file", arguments='{"path":"a"}'))
    told = [
        *ASK,
        ChatMessage(role="assistant", tool_calls=(called,)),
        ChatMessage(role="tool", tool_call_id="c1", content="text"),
    ]
    with chat_server(streamed("x")) as server:
        gathered(model(server).complete(told))
        messages = server.asked[0].body["messages"]
    assert messages[1:] == [
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {
                    "id": "c1",
                    "type": "function",
                    "function": {"name": "read_file", "arguments": '{"path":"a"}'},
                }
            ],
        },
        {"role": "tool", "tool_call_id": "c1", "content": "text"},
    ]


def test_azures_address_and_header() -> None:
    with chat_server(streamed("x")) as server:
        profile = Profile(
            endpoint=f"{server.endpoint}/deployments/d?api-version=2025-01-01",
            name="d",
            key="env:K",
            key_header="api-key",
            answer_field="max_completion_tokens",
            usage=False,
        )
        gathered(OpenAiModel(profile, key=lambda: KEY).complete(ASK))
        (asked,) = server.asked
    assert asked.path == "/v1/deployments/d/chat/completions?api-version=2025-01-01"
    assert asked.headers["api-key"] == KEY
    assert "authorization" not in asked.headers
    assert asked.body["max_completion_tokens"] == 8_192
    assert "stream_options" not in asked.body


PARTED = [
    call(0, id="a", name="read_file"),
    call(1, id="b", name="search_text"),
    call(0, '{"pa'),
    call(1, '{"pattern":'),
    call(0, 'th":"x"}'),
    call(1, '"y"}'),
]


def called(id_: str, name: str, arguments: str) -> ToolCalled:
    return ToolCalled(ToolCall(id=id_, function=FunctionCall(name=name, arguments=arguments)))


def test_tool_calls_are_joined_by_their_index() -> None:
    with chat_server(Reply(pieces=[*PARTED, delta("tool_calls"), DONE])) as server:
        events = list(model(server).complete(ASK, [TOOL]))
    assert events == [
        called("a", "read_file", '{"path":"x"}'),
        called("b", "search_text", '{"pattern":"y"}'),
        End("tool_calls"),
    ]


@pytest.mark.parametrize(
    ("pieces", "names"),
    [
        ([call(0, "{}", name="one"), call(1, "{}", name="two")], ["call_0", "call_1"]),
        ([call(None, "{}", name="one"), call(None, "{}", name="two")], ["call_0", "call_1"]),
        ([call(None, "{", id="a", name="one"), call(None, "}", id="a"), call(None, "{}", id="b", name="two")], "ab"),
        ([call(None, "{", name="one"), call(None, "}"), call(None, "{}", name="two")], ["call_0", "call_1"]),
        ([call(0, name="one"), call(1, name="two")], ["call_0", "call_1"]),
        ([call(0, id="", name="one"), call(1, id="", name="two")], ["call_0", "call_1"]),
    ],
)  # fmt: skip
def test_tool_calls_without_index_or_id_are_told_apart(pieces: list[bytes], names: list[str]) -> None:
    with chat_server(Reply(pieces=[*pieces, delta("tool_calls"), DONE])) as server:
        calls = gathered(model(server).complete(ASK)).tool_calls
    assert [(each.id, each.function.name, each.function.arguments) for each in calls] == [
        (names[0], "one", "{}"),
        (names[1], "two", "{}"),
    ]


def test_arguments_that_come_as_an_object_are_the_text_of_it() -> None:
    piece = {"index": 0, "id": "a", "function": {"name": "one", "arguments": {"path": "x"}}}
    with chat_server(Reply(pieces=[delta("tool_calls", tool_calls=[piece]), DONE])) as server:
        (one,) = gathered(model(server).complete(ASK)).tool_calls
    assert one.function.arguments == '{"path":"x"}'


def test_an_endpoint_that_does_not_stream_answers_whole() -> None:
    message = {"role": "assistant", "content": "Whole.", "tool_calls": None}
    answer = {
        "choices": [{"message": message, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 1, "completion_tokens": 2},
    }
    with chat_server(failing(200, answer)) as server:
        assert list(model(server).complete(ASK)) == [TextPiece("Whole."), TokenUsage(1, 2), End("stop")]


def test_an_end_without_done_is_an_end_and_done_without_a_reason_too() -> None:
    with chat_server(Reply(pieces=[delta(content="a"), delta("stop")])) as server:
        assert gathered(model(server).complete(ASK)).content == "a"
    with chat_server(Reply(pieces=[delta(content="a"), DONE])) as server:
        assert gathered(model(server).complete(ASK)).content == "a"


@pytest.mark.parametrize("ending", [b"\n", b"\r\n", b"\r"])
def test_events_may_be_cut_anywhere_and_end_lines_in_any_way(ending: bytes) -> None:
    whole = b"".join([b": ping\n\n", delta(content="Grüße "), delta(content="🎈"), delta("stop"), DONE])
    pieces = [bytes([byte]) for byte in whole.replace(b"\n", ending)]
    with chat_server(Reply(pieces=pieces)) as server:
        assert gathered(model(server).complete(ASK)).content == "Grüße 🎈"


# What goes wrong


def failure_of(asked: Iterator[object]) -> ModelError:
    with pytest.raises(ModelError) as caught:
        list(asked)
    return caught.value


def test_a_wrong_key_is_said_once_and_never_told() -> None:
    echo = {"error": {"message": f"Incorrect API key provided: {KEY}."}}
    with chat_server(failing(401, echo)) as server:
        error = failure_of(model(server).complete(ASK))
        assert len(server.asked) == 1
    assert isinstance(error, ModelKeyError)
    assert "Check `key` in models.toml" in error.message
    assert KEY not in f"{error.message}{error.args}{error.details}"


def test_a_key_that_an_error_in_the_stream_echoes_is_not_told() -> None:
    with chat_server(Reply(pieces=[data({"error": {"message": f"no quota for {KEY}"}})])) as server:
        error = failure_of(model(server).complete(ASK))
    assert KEY not in f"{error.message}{error.args}{error.details}"
    assert "no quota" in error.message


@pytest.mark.parametrize("status", [429, 500, 502, 529])
def test_what_never_passes_is_asked_again_after_one_two_and_four_seconds(status: int) -> None:
    pauses = Pauses()
    with chat_server(failing(status, {"error": {"message": "slow down"}})) as server:
        error = failure_of(model(server, pauses).complete(ASK))
        assert len(server.asked) == 4
    assert pauses == [1.0, 2.0, 4.0]
    assert error.details["status"] == status
    assert "slow down" in error.message


def test_what_passes_by_itself_is_not_an_error() -> None:
    pauses = Pauses()
    with chat_server(failing(503, {}), failing(429, {}, Retry_After="7"), streamed("Here.")) as server:
        assert gathered(model(server, pauses).complete(ASK)).content == "Here."
    assert pauses == [1.0, 7.0]


def test_who_is_to_wait_for_an_hour_is_told_at_once() -> None:
    pauses = Pauses()
    with chat_server(failing(429, {}, Retry_After="3600")) as server:
        error = failure_of(model(server, pauses).complete(ASK))
    assert pauses == []
    assert error.details["retryAfter"] == 3600
    assert "3600 seconds" in error.message


@pytest.mark.parametrize("status", [400, 404, 413, 422])
def test_what_does_not_pass_is_asked_once(status: int) -> None:
    with chat_server(failing(status, {"error": {"message": "no such model m-1"}})) as server:
        error = failure_of(model(server).complete(ASK))
        assert len(server.asked) == 1
    assert error.details["status"] == status
    assert "no such model m-1" in error.message


def test_a_redirect_is_not_followed_with_the_key() -> None:
    with chat_server(Reply(307, (("Location", "http://127.0.0.1:1/v2"),))) as server:
        error = failure_of(model(server).complete(ASK))
    assert "http://127.0.0.1:1/v2" in error.message


BROKEN = [
    (Reply(pieces=[delta(content="Half")], then="cut"), "lost in the middle"),
    (Reply(pieces=[delta(content="Half")]), "lost in the middle"),
    (Reply(pieces=[delta(content="Half"), data({"error": {"message": "500: worker died"}})]), "worker died"),
    (Reply(pieces=[delta(content="Half"), b'data: {"choices": [{"del\n\n']), "no JSON"),
    (Reply(pieces=[delta(content="Half"), b"data: [1]\n\n"]), "Is it OpenAI-compatible"),
    (Reply(pieces=[delta(content="Half"), b"data: " + b"x" * 4_100_000]), "without an end"),
]


@pytest.mark.parametrize(("reply", "why"), BROKEN)
def test_a_stream_that_breaks_gives_what_came_and_then_the_reason(reply: Reply, why: str) -> None:
    told: list[object] = []
    with chat_server(reply) as server, pytest.raises(ModelError, match=re.escape(why)):
        told.extend(model(server).complete(ASK))
    assert told == [TextPiece("Half")]
    assert len(server.asked) == 1, "nothing is asked again once a piece of the answer came"


@pytest.mark.parametrize(
    "body",
    [
        {"choices": "none"},
        {"choices": [None]},
        {"choices": [{"delta": {"tool_calls": [7, {"index": "x"}, {"function": 3}]}}]},
        {"choices": [{"delta": {"content": 5}, "finish_reason": 9}], "usage": {"prompt_tokens": "many"}},
        {"usage": None},
    ],
)
def test_a_chunk_of_another_shape_is_passed_over(body: object) -> None:
    with chat_server(Reply(pieces=[data(body), delta(content="a"), delta("stop"), DONE])) as server:
        assert gathered(model(server).complete(ASK)).content == "a"


def test_nothing_there_is_said_after_the_tries() -> None:
    with chat_server(streamed("x")) as server:
        endpoint = server.endpoint
    pauses = Pauses()
    asked = OpenAiModel(Profile(endpoint=endpoint, name="m"), pause=pauses).complete(ASK)
    assert "cannot be reached" in failure_of(asked).message
    assert pauses == [1.0, 2.0, 4.0]


def test_what_a_library_says_with_a_full_stop_gets_no_second_one() -> None:
    with chat_server(Reply(0)) as server:  # "Server disconnected without sending a response."
        error = failure_of(model(server).complete(ASK))
    assert error.message.startswith("The endpoint cannot be reached: Server disconnected")
    assert not error.message.endswith("..")


def test_a_server_that_never_answers_is_given_up() -> None:
    with chat_server(Reply(0, then="hold")) as server:
        error = failure_of(model(server, wait=0.2).complete(ASK))
        assert len(eventually(lambda: server.asked)) == 1
    assert "did not answer within 0.2 seconds" in error.message


def test_an_answer_without_end_in_time_is_given_up() -> None:
    def drip() -> Iterator[bytes]:
        for _ in range(10_000):
            time.sleep(0.02)
            yield b": ping\n\n"

    with chat_server(Reply(pieces=drip())) as server:
        error = failure_of(model(server, total=0.3).complete(ASK))
    assert "no end after 0.3 seconds" in error.message


def test_an_endless_answer_is_cut_at_its_most() -> None:
    def flood() -> Iterator[bytes]:
        while True:
            yield delta(content="word " * 100)

    with chat_server(Reply(pieces=flood())) as server:
        answer = gathered(model(server, answer=100).complete(ASK))
        assert server.left.wait(30), "the connection is closed"
    assert answer.cut.startswith("It was cut here")
    assert len(answer.content) < 100 * 16 + 1_000


def test_an_answer_of_two_hundred_thousand_tokens_arrives_whole() -> None:
    pieces = [delta(content="word " * 50) for _ in range(4_000)]
    with chat_server(Reply(pieces=[*pieces, delta("stop"), DONE])) as server:
        answer = gathered(model(server, answer=250_000).complete(ASK))
    assert len(answer.content) == 1_000_000


# Stopping


def test_cancelling_closes_the_connection_at_once_while_nothing_comes() -> None:
    cancel = threading.Event()
    with chat_server(Reply(pieces=[delta(content="One")], then="hold")) as server:
        events = model(server).complete(ASK, cancel=cancel)
        assert next(events) == TextPiece("One")
        server.holding.wait(30)
        began = time.monotonic()
        cancel.set()
        with pytest.raises(Cancelled):
            next(events)
        assert server.left.wait(30)
        assert server.gone is not None
        assert server.gone - began < 30
    assert len(server.asked) == 1


@contextmanager
def cancelled_once(holds: Callable[[], object], cancel: threading.Event) -> Iterator[None]:
    """Cancels when something has come about, beside what is done in the block."""
    watch = threading.Thread(target=lambda: (eventually(holds), cancel.set()))
    watch.start()
    yield
    watch.join()


def test_cancelling_ends_a_request_that_no_byte_answered_and_one_that_waits_to_be_made_again() -> None:
    cancel = threading.Event()
    with chat_server(Reply(0, then="hold")) as server:
        with cancelled_once(lambda: server.asked, cancel), pytest.raises(Cancelled):
            list(model(server).complete(ASK, cancel=cancel))
        assert server.left.wait(30)
    again = threading.Event()
    with chat_server(failing(429, {}, Retry_After="50")) as server:
        asked = OpenAiModel(Profile(endpoint=server.endpoint, name="m")).complete(ASK, cancel=again)
        with cancelled_once(lambda: server.asked, again), pytest.raises(Cancelled):
            list(asked)
        assert len(server.asked) == 1


def test_who_stops_reading_closes_the_connection() -> None:
    with chat_server(Reply(pieces=[delta(content="One")], then="hold")) as server:
        with closing(model(server).complete(ASK)) as events:  # pyright: ignore[reportArgumentType]
            assert next(events) == TextPiece("One")
        assert server.left.wait(30)
