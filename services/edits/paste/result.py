"""Result of reading an answer: the edits that land, and why the rest does not."""

from __future__ import annotations

import msgspec

from services.edits.paste.hunks import Misfit
from services.source.write.file_edits import FileEdit


class Unplaced(msgspec.Struct, frozen=True):
    """Piece that does not land. `file`: empty where none is certain; `line`: of the file, 0 where none is meant;
    `answer_line`: of the answer; `wanted`, `found`: the first line that differs, in the answer and in the file;
    `places`: lines of the file where it may belong; `is_asked`: a person who names the place could decide."""

    message: str
    answer_line: int
    file: str = ""
    line: int = 0
    wanted: str = ""
    found: str = ""
    places: tuple[int, ...] = ()
    is_asked: bool = False

    @property
    def sentence(self) -> str:
        """All of it, for people."""
        where = f"{self.file}:{self.line}" if self.file and self.line else self.file
        told = f"{where}: {self.message}" if where else self.message
        if self.wanted or self.found:
            told += f" The answer has `{self.wanted.strip()}`, the file `{self.found.strip()}`."
        return f"{told} (Line {self.answer_line} of the answer.)"


class Landing(msgspec.Struct, frozen=True):
    """Edits of an answer. `edits`: those that change something; `problems`: if there are any, nothing is written unless
    a person wants the rest; `there`: files that are already as the answer has them; `notes`: what was passed over."""

    edits: tuple[FileEdit, ...]
    problems: tuple[Unplaced, ...] = ()
    there: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


class LandingDraft(msgspec.Struct):
    """Landing while it is made."""

    edits: list[FileEdit] = msgspec.field(default_factory=list)
    problems: list[Unplaced] = msgspec.field(default_factory=list)
    there: list[str] = msgspec.field(default_factory=list)
    notes: list[str] = msgspec.field(default_factory=list)

    def refuse(self, path: str, misfit: Misfit) -> None:
        """A piece does not land."""
        line = misfit.places[0] if misfit.places else 0
        self.problems.append(
            Unplaced(
                misfit.reason, misfit.line, path, line, misfit.wanted, misfit.found, misfit.places, misfit.is_ambiguous
            )
        )  # fmt: skip

    def landing(self) -> Landing:
        """All of it."""
        return Landing(tuple(self.edits), tuple(self.problems), tuple(self.there), tuple(self.notes))
