"""The chats of a workspace: one readable file each, in its state folder."""

from __future__ import annotations

import re
from typing import Protocol

from services.errors import UsageError
from services.llm.chats.chat import Chat, read_chat, written

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
