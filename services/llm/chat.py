"""A chat as a value, and as a Markdown file that people read and the program reads back."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from typing import Any, Protocol

import msgspec

from services.decoding import decode
from services.errors import UsageError
from services.llm.values import ChatMessage

_TITLE = 70
_MARK = re.compile(r"^<!-- chat (\{.*\}) -->$", re.MULTILINE)
_WORDS = {"user": "You", "assistant": "Model", "tool": "Tool", "system": "System"}
_HEAD = "# Chat: "
_ENDS = "ends"
"""In the head of a file that a mark ends, so that a cut one is told from a shorter chat; older files have none."""


class Chat(msgspec.Struct, frozen=True, kw_only=True):
    """Chat with a model. `id`: `C_`, time and letters; `profile`: of models.toml, empty where answers were pasted;
    `sent`, `received`: tokens of all requests; `questions`: as typed by the person, where a message contains the
    window as well; `cut`: how the last answer was cut, as a sentence; times in ms since 1970."""

    id: str
    title: str
    profile: str = ""
    started_at: int = 0
    sent: int = 0
    received: int = 0
    cost: float = 0.0
    currency: str = ""
    messages: tuple[ChatMessage, ...] = ()
    questions: tuple[str, ...] = ()
    cut: str = ""

    @property
    def tokens(self) -> int:
        """Tokens of all requests, sent and received."""
        return self.sent + self.received

    @property
    def answer(self) -> str:
        """Return the last message of the model."""
        said = (each.content for each in reversed(self.messages) if each.role == "assistant" and each.content)
        return next(said, "")

    def up_to_question(self) -> tuple[Chat, str]:
        """The chat without its last question and what came of it, and that question. Raises UsageError."""
        for at in range(len(self.messages) - 1, -1, -1):
            if self.messages[at].role == "user":
                question = self.questions[-1] if self.questions else self.messages[at].content or ""
                before = msgspec.structs.replace(
                    self, messages=self.messages[:at], questions=self.questions[:-1]
                )
                return before, question
        raise UsageError("Nothing was asked in this chat yet.")


def new_chat(question: str, profile: str = "") -> Chat:
    """An empty one, named after its first question."""
    import secrets

    now = time.time()
    stamp = time.strftime("%Y%m%d-%H%M%S", time.gmtime(now))
    first = next((line.strip() for line in question.splitlines() if line.strip()), "Chat")
    title = first if len(first) <= _TITLE else f"{first[: _TITLE - 1]}…"
    return Chat(
        id=f"C_{stamp}-{secrets.token_hex(2)}", title=title, profile=profile, started_at=int(now * 1000)
    )


def written(chat: Chat) -> str:
    """The file of a chat."""
    head = {**msgspec.to_builtins(chat), _ENDS: True}
    head.pop("messages")
    when = time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(chat.started_at / 1000))
    cost = f", {chat.cost:.4f} {chat.currency}" if chat.currency else ""
    about = f"{when} · {chat.profile or 'pasted'} · {chat.sent} tokens sent, {chat.received} received{cost}"
    parts = [f"{_HEAD}{chat.title}\n\n{about}\n{_mark(head)}\n"]
    for message in chat.messages:
        fields = {key: value for key, value in msgspec.to_builtins(message).items() if key != "content"}
        called = "".join(
            f"\n> called {_line(call.function.name)} `{_line(call.function.arguments)}`"
            for call in message.tool_calls
        )
        content = "" if message.content is None else _escaped(message.content)
        fields["none"] = message.content is None
        parts.append(f"{_mark(fields)}\n## {_WORDS.get(message.role, message.role)}{called}\n\n{content}\n")
    return "\n".join((*parts, f"{_mark({'end': len(chat.messages)})}\n"))


def read_chat(text: str) -> Chat:
    """The chat of a file. Raises UsageError where it is none."""
    try:
        (head, _), *said = _blocks(text)
        if head.pop(_ENDS, False):
            *said, (end, _) = said or [({}, "")]
            if end != {"end": len(said)}:
                raise ValueError("its end is missing")
        return msgspec.convert({**head, "messages": [_message(fields, body) for fields, body in said]}, Chat)
    except (ValueError, KeyError) as error:
        raise UsageError(f"The file of the chat is damaged: {error}.") from error


def _blocks(text: str) -> Iterator[tuple[dict[str, Any], str]]:
    """Yield the attributes of each mark and the text between it and the next."""
    marks = [*_MARK.finditer(text)]
    for at, found in enumerate(marks):
        end = marks[at + 1].start() - 1 if at + 1 < len(marks) else len(text)
        yield decode(Any, found[1]), text[found.end() + 1 : end]


def _message(fields: dict[str, Any], body: str) -> dict[str, Any]:
    _, _, content = body.partition("\n\n")
    none = fields.pop("none", False)
    return fields | {"content": None if none else _unescaped(content.removesuffix("\n"))}


def _mark(fields: dict[str, Any]) -> str:
    data = msgspec.json.encode(fields).decode().replace("--", "-\\u002d").replace(">", "\\u003e")
    return f"<!-- chat {data} -->"


def _escaped(text: str) -> str:
    """A text no line of which reads as a mark."""
    return re.sub(r"^(\\*<!-- chat )", r"\\\1", text, flags=re.MULTILINE)


def _unescaped(text: str) -> str:
    return re.sub(r"^\\(\\*<!-- chat )", r"\1", text, flags=re.MULTILINE)


def _line(text: str) -> str:
    short = " ".join(text.split()).replace("`", "'")
    return short if len(short) <= 120 else f"{short[:119]}…"


FOLDER = "chats"
_ID = re.compile(r"C_\d{8}-\d{6}-[0-9a-f]{4}")


class ChatFiles(Protocol):
    """The state of a workspace, as far as it is used here."""

    def read(self, name: str) -> bytes | None:
        """The bytes of a file; None where there is none."""
        ...

    def write(self, name: str, data: bytes) -> None:
        """Replace a file. Raises ReadOnly."""
        ...

    def names(self, folder: str) -> tuple[str, ...]:
        """The files of a folder."""
        ...

    def remove(self, name: str) -> bool:
        """Remove a file."""
        ...

    def quarantine(self, name: str, what: str) -> None:
        """Move a damaged file aside and log a warning."""
        ...


class Chats:
    """Thread-safe as far as the state is."""

    def __init__(self, files: ChatFiles) -> None:
        self._files = files

    def keep(self, chat: Chat) -> None:
        """Write a chat. Raises ReadOnly."""
        self._files.write(file_of(chat.id), written(chat).replace("\0", "\ufffd").encode("utf-8", "replace"))

    def get(self, id_: str) -> Chat:
        """A chat by its id; `last` is the latest. Raises UsageError."""
        if id_ == "last":
            id_ = next(iter(self.ids()), "")
        data = self._files.read(file_of(id_)) if _ID.fullmatch(id_) else None
        if data is None:
            raise UsageError(f"There is no chat {id_ or 'yet'}. `codecortex chats` lists them.", chat=id_)
        try:
            text = data.decode()
        except UnicodeDecodeError as error:
            raise UsageError(f"The file of the chat is damaged: {error}.", chat=id_) from error
        if "\0" in text:
            raise UsageError("The file of the chat is damaged: there are zeros in it.", chat=id_)
        return read_chat(text)

    def ids(self) -> list[str]:
        """The ids of all, latest first."""
        names = (name.removesuffix(".md") for name in self._files.names(FOLDER) if name.endswith(".md"))
        return sorted(filter(_ID.fullmatch, names), reverse=True)

    def listed(self, most: int = 50) -> list[Chat]:
        """The latest; a damaged file is set aside, with a word."""
        found: list[Chat] = []
        for id_ in self.ids()[:most]:
            try:
                found.append(self.get(id_))
            except UsageError:
                self._files.quarantine(file_of(id_), "A chat")
        return found

    def remove(self, id_: str) -> bool:
        """Remove a chat for good; False where there is none. Raises ReadOnly."""
        return bool(_ID.fullmatch(id_)) and self._files.remove(file_of(id_))


def file_of(id_: str) -> str:
    """The name of a chat's file in the state folder."""
    return f"{FOLDER}/{id_}.md"
