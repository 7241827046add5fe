"""PasteFiles in memory that answers are pasted onto."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from services.edits.paste.landing import land
from services.edits.paste.result import Landing
from services.workspace.text import Text, decode


class MemoryFiles:
    """Port of `services.edits.paste.targets.PasteFiles`. `seen`: what was handed over, the latest first."""

    def __init__(
        self, disk: Mapping[str, str | bytes], seen: Mapping[str, Sequence[str | bytes]] = {}
    ) -> None:
        self.disk = {path: _text(path, text) for path, text in disk.items()}
        self.handed = {path: [_text(path, text) for text in texts] for path, texts in seen.items()}
        self.refused: dict[str, str] = {}

    def seen(self, path: str) -> Sequence[Text]:
        return self.handed.get(path, ())

    def seen_paths(self) -> Sequence[str]:
        return list(self.handed)

    def read(self, path: str) -> Text | None:
        return self.disk.get(path)

    def refusal(self, path: str, /) -> str:
        return self.refused.get(path, "")

    def paths(self) -> Sequence[str]:
        return list(self.disk)


def pasted(answer: str, files: MemoryFiles | Mapping[str, str | bytes]) -> Landing:
    """Return the result of an answer on files; of a mapping, as files on disk that were handed over unchanged."""
    if not isinstance(files, MemoryFiles):
        files = MemoryFiles(files, {path: [text] for path, text in files.items()})
    return land(answer, files)


def after(landing: Landing, path: str) -> str | None:
    """Return the text of a file afterwards; None where it is deleted. Fails where a piece is not applied, or the file
    is unchanged."""
    assert not landing.problems, [problem.sentence for problem in landing.problems]
    made = next(edit.after for edit in landing.edits if edit.path == path)
    return None if made is None else made.decode()


def _text(path: str, text: str | bytes) -> Text:
    return decode(text.encode() if isinstance(text, str) else text, path)
