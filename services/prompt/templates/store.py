"""Search path of templates: `.context/templates/NAME.md`, then the user's config folder, then built-in ones."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

from services.errors import UsageError
from services.prompt.templates.template import Template, parse_template
from services.settings.small_file import read_small

FOLDER = "templates"
DEFAULT = "default"
MOST_BYTES = 200_000
_ENDING = ".md"
_NAME = re.compile(r"[A-Za-z0-9][\w.-]{0,63}")

BUILT_IN: Mapping[str, str] = {
    # A model heeds best what it reads first and last.
    DEFAULT: "{{task}}\n\n{{about}}\n\n{{tree}}\n\n{{picture}}\n\n{{changes}}\n\n{{window}}\n\n{{again}}\n",
    "task-first": "{{task}}\n\n{{about}}\n\n{{tree}}\n\n{{picture}}\n\n{{changes}}\n\n{{window}}\n",
    "task-last": "{{about}}\n\n{{tree}}\n\n{{picture}}\n\n{{changes}}\n\n{{window}}\n\n{{task}}\n",
}


class TemplateFiles(Protocol):
    """Subset of `services.workspace.state.StateFolder` used here."""

    def read(self, name: str) -> bytes | None:
        """The bytes of a file, or None where there is none."""
        ...

    def names(self, folder: str) -> tuple[str, ...]:
        """Names of the files in a folder."""
        ...


class Templates:
    """Templates by name. `user_folder`: of the person, None for none."""

    def __init__(self, files: TemplateFiles, user_folder: Path | None) -> None:
        self._files = files
        self._user_folder = user_folder

    def names(self) -> Mapping[str, str]:
        """Return the origin of each template, by name: `workspace`, `user` or `program`."""
        found = dict.fromkeys(BUILT_IN, "program")
        found |= dict.fromkeys(_named(self._users()), "user")
        found |= dict.fromkeys(_named(self._files.names(FOLDER)), "workspace")
        return dict(sorted(found.items()))

    def load(self, name: str) -> Template:
        """The template of that name. Raises UsageError where there is none, InvalidTemplate."""
        text = self._text(name) if _NAME.fullmatch(name) else None
        if text is None:
            there = ", ".join(self.names())
            raise UsageError(
                f"There is no template {name!r}; there are {there}. "
                f"Write one as .context/{FOLDER}/{name}{_ENDING}.",
                template=name,
            )
        return parse_template(name, text)

    def _text(self, name: str) -> str | None:
        for data in (self._files.read(f"{FOLDER}/{name}{_ENDING}"), self._of_user(name)):
            if data is not None:
                return _decoded(name, data)
        return BUILT_IN.get(name)

    def _users(self) -> tuple[str, ...]:
        try:
            return tuple(each.name for each in self._user_folder.iterdir()) if self._user_folder else ()
        except OSError:
            return ()

    def _of_user(self, name: str) -> bytes | None:
        """Return the user's template. Links are followed, since people link their settings from elsewhere."""
        if self._user_folder is None:
            return None
        try:
            return read_small(self._user_folder / f"{name}{_ENDING}", MOST_BYTES)
        except OSError:
            return None
        except ValueError as error:
            raise UsageError(f"The template {name} cannot be read: {error}.", template=name) from error


def _named(files: tuple[str, ...]) -> list[str]:
    names = [file.removesuffix(_ENDING) for file in files if file.endswith(_ENDING)]
    return [name for name in names if _NAME.fullmatch(name)]


def _decoded(name: str, data: bytes) -> str:
    if len(data) > MOST_BYTES:
        raise UsageError(f"The template {name} is larger than {MOST_BYTES} bytes.", template=name)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(f"The template {name} is not UTF-8 (byte {error.start}).", template=name) from error
