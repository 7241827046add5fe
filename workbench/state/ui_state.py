"""UI state restored on the next start: the theme for the person, the rest for the workspace.

What the program remembers of a person, whatever the workspace: the theme they chose, the first steps they have
taken.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Protocol, TypeVar

import msgspec

from services.concurrency.background import BackgroundWriter
from services.concurrency.exclusion import Guarded
from services.decoding import decode
from services.settings.personal import personal_folder

UI_FILE = "ui.json"


class DiffOptions(msgspec.Struct, frozen=True, kw_only=True):
    """How a diff is shown. `split`: both sides side by side; `wrap`: long lines go on in the next row; `ignore_space`:
    lines that differ in white space alone are the same; `context`: lines around each change."""

    split: bool = False
    wrap: bool = False
    ignore_space: bool = False
    context: int = 3


class StateFiles(Protocol):
    """Named files that outlive the program."""

    def read(self, name: str) -> bytes | None:
        """The bytes of a file, or None where there is none. Raises OSError."""
        ...

    def write(self, name: str, data: bytes) -> None:
        """Replace a file atomically. Raises OSError."""
        ...


class CopyChoice(msgspec.Struct, frozen=True, kw_only=True):
    """How somebody copied last otherwise than usual. `form`, `template`: empty for those of the settings."""

    form: str = ""
    template: str = ""
    task: str = ""
    part_tokens: int | None = None
    tree: bool = False
    picture: bool = False


class Mark(msgspec.Struct, frozen=True):
    """Place that a person gave a letter. `place`: as it is opened; `symbol`: id of the symbol around it, empty where
    there is none, and `offset` its lines below the beginning of that, which an edit above does not move."""

    letter: str
    place: str
    label: str = ""
    symbol: str = ""
    offset: int = 0


class UiState(msgspec.Struct, frozen=True, kw_only=True):
    """State of a workspace. `opened`: id of the symbol that was open; `zoomed`: whether one pane filled the screen;
    `wraps`: whether long lines of source are wrapped; `questions`: those that context was found for, the last one
    first; `searches`, `patterns`: what was looked for among symbols and in files, likewise; `marks`: by letter."""

    query: str = ""
    opened: str = ""
    view: str = "outline"
    zoomed: bool = False
    wraps: bool = False
    diff: DiffOptions = DiffOptions()
    copy: CopyChoice = CopyChoice()
    questions: tuple[str, ...] = ()
    searches: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()
    marks: tuple[Mark, ...] = ()


class PersonalState(msgspec.Struct, frozen=True, kw_only=True):
    """State of a person. `theme`: chosen on the screen while the settings had `over`, and ignored once they have
    another; `done`: commands of the first steps (workbench/commands/help_text.py) that were followed; `widths`:
    hundredths for the list and the prompt window, 0 for the usual ones."""

    theme: str = ""
    over: str = ""
    done: tuple[str, ...] = ()
    widths: tuple[int, int] = (0, 0)

    def theme_for(self, setting: str) -> str:
        """Return the theme to start with where the settings have `setting`."""
        return self.theme if self.theme and self.over == setting else setting


S = TypeVar("S", UiState, PersonalState)


def load(files: StateFiles, kind: type[S]) -> S:
    """Return the stored state; the defaults where there is none, or none that can be read, without a notice."""
    try:
        data = files.read(UI_FILE)
        return decode(kind, data) if data else kind()
    except (OSError, msgspec.MsgspecError):
        return kind()


def save(files: StateFiles, state: UiState | PersonalState) -> None:
    """Store the state. Raises OSError."""
    files.write(UI_FILE, msgspec.json.format(msgspec.json.encode(state)) + b"\n")


class PersonalFiles:
    """The person's own folder for state, made when first written to."""

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder

    @property
    def folder(self) -> Path:
        """The folder of the files: the platform's place for state unless another was given."""
        if self._folder is None:
            self._folder = personal_folder("state")
        return self._folder

    def read(self, name: str) -> bytes | None:
        """The bytes of a file, or None where there is none. Raises OSError."""
        try:
            return (self.folder / name).read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            return None

    def write(self, name: str, data: bytes) -> None:
        """Replace a file: readers see the old bytes or the new. Raises OSError."""
        from services.workspace.files.durable import private_file, private_folder

        private_folder(self.folder)
        with private_file(self.folder / name) as file:
            file.write(data)


_NAME = "personal"


class Personal:
    """State of a person, stored at every change; failure to write is ignored."""

    def __init__(self, files: StateFiles, keeper: BackgroundWriter) -> None:
        self._files = files
        self._keeper = keeper
        self._state: PersonalState | None = None
        self._unkept: Guarded[dict[str, Any]] = Guarded({})

    @property
    def state(self) -> PersonalState:
        """The state as known to this process."""
        if self._state is None:
            self._state = load(self._files, PersonalState)
        return self._state

    def change(self, **changes: Any) -> None:
        """Change some of it, at once for this process and soon on disk. Changes stored by other processes meanwhile
        are preserved."""
        with self._unkept as unkept:
            self._state = msgspec.structs.replace(self.state, **changes)
            unkept |= changes
        self._keeper.keep(_NAME, self._keep)

    def _keep(self) -> None:
        """Off the screen's thread. What cannot be written is tried again with the next change."""
        kept = load(self._files, PersonalState)
        with self._unkept as unkept:
            changes = dict(unkept)
            self._state = state = msgspec.structs.replace(kept, **changes)
        save(self._files, state)
        with self._unkept as unkept:
            for name in [name for name, value in changes.items() if unkept.get(name) == value]:
                unkept.pop(name, None)
