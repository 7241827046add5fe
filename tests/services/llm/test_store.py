"""Chats as files of the workspace: only names of chats reach the disk."""

from __future__ import annotations

import pytest

from services.errors import UsageError
from services.llm.chat import Chat, Chats, file_of
from services.llm.values import ChatMessage


class Memory:
    """A state folder in memory."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.asked: list[str] = []
        self.aside: list[str] = []

    def read(self, name: str) -> bytes | None:
        self.asked.append(name)
        return self.files.get(name)

    def write(self, name: str, data: bytes) -> None:
        self.files[name] = data

    def names(self, folder: str) -> tuple[str, ...]:
        return tuple(name.removeprefix(f"{folder}/") for name in self.files if name.startswith(f"{folder}/"))

    def remove(self, name: str) -> bool:
        self.asked.append(name)
        return self.files.pop(name, None) is not None

    def quarantine(self, name: str, what: str) -> None:
        assert what == "A chat"
        self.aside.append(name)
        del self.files[name]


def chat(number: int, text: str = "hello") -> Chat:
    said = ChatMessage(role="user", content=text)
    return Chat(id=f"C_20260101-00000{number}-abcd", title="T", messages=(said,))


@pytest.fixture
def memory() -> Memory:
    return Memory()


def test_a_chat_is_read_as_it_was_kept_and_the_last_is_the_latest(memory: Memory) -> None:
    chats = Chats(memory)
    for number in (2, 1, 3):
        chats.keep(chat(number))
    assert chats.get(chat(1).id) == chat(1)
    assert chats.get("last") == chat(3)
    assert chats.ids() == [chat(number).id for number in (3, 2, 1)]
    assert chats.listed(2) == [chat(3), chat(2)]


def test_a_lone_surrogate_is_replaced_and_keeps_no_chat_from_being_read(memory: Memory) -> None:
    chats = Chats(memory)
    chats.keep(chat(1, "a\udcffb"))
    assert chats.get("last").messages[0].content == "a?b"


@pytest.mark.parametrize(
    "id_", ["C_1", "../settings", "C_20260101-000001-abcd/..", "C_20260101-000001-abcd\n", ""]
)
def test_what_is_no_name_of_a_chat_reaches_no_file(memory: Memory, id_: str) -> None:
    chats = Chats(memory)
    chats.keep(chat(1))
    with pytest.raises(UsageError, match="no chat"):
        chats.get(id_)
    assert not chats.remove(id_)
    assert memory.asked == []


def test_none_yet_is_said_so(memory: Memory) -> None:
    with pytest.raises(UsageError, match="There is no chat yet"):
        Chats(memory).get("last")


def test_damaged_files_are_set_aside_and_strange_ones_left_out_of_the_list(memory: Memory) -> None:
    chats = Chats(memory)
    chats.keep(chat(1))
    chats.keep(chat(2))
    memory.files[file_of(chat(2).id)] = b"no chat"
    memory.files["chats/notes.md"] = memory.files["chats/C_20260101-000009-abcd.txt"] = b""
    assert chats.ids() == [chat(2).id, chat(1).id]
    assert chats.listed() == [chat(1)]
    assert memory.aside == [file_of(chat(2).id)]
    with pytest.raises(UsageError):
        chats.get(chat(2).id)


@pytest.mark.parametrize("kind", ["cut", "cut before the end", "zeroed", "noise"])
def test_a_chat_that_is_not_whole_is_damaged(memory: Memory, kind: str) -> None:
    chats = Chats(memory)
    chats.keep(chat(1, "a question of some length\n" * 400))
    whole = memory.files[file_of(chat(1).id)]
    middle = len(whole) // 2
    memory.files[file_of(chat(1).id)] = {
        "cut": whole[:middle],
        "cut before the end": whole[: whole.rindex(b"<!--")],
        "zeroed": whole[:middle] + bytes(500) + whole[middle + 500 :],
        "noise": whole[:middle] + b"\xfe\x93\x12" + whole[middle + 3 :],
    }[kind]
    assert chats.listed() == []
    assert memory.aside == [file_of(chat(1).id)]


def test_a_zero_that_was_said_is_replaced_and_damages_nothing(memory: Memory) -> None:
    chats = Chats(memory)
    chats.keep(chat(1, "a\0b"))
    assert chats.listed() == [chat(1, "a\ufffdb")]


def test_a_removed_chat_is_gone_for_good(memory: Memory) -> None:
    chats = Chats(memory)
    chats.keep(chat(1))
    assert chats.remove(chat(1).id)
    assert not chats.remove(chat(1).id)
    assert chats.ids() == []
