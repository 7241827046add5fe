"""Templates of copies: search path, placeholders, and the folder tree.

A template is text with `{{placeholder}}`, and `\\{{` for two braces. A paragraph (lines between empty ones) whose
placeholders are all empty is left out, with the empty lines after it, so that one template serves with a task and
without. Values are inserted as they are: they are not searched for placeholders.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Protocol

import msgspec

from services.errors import InvalidTemplate, UsageError
from services.settings.personal import read_small

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


PLACEHOLDERS: Mapping[str, str] = {
    "window": "the prompt window",
    "task": "what the model is to do",
    "again": "the task once more, where it is short beside the budget",
    "about": "that the window is a part of the workspace, and how to ask for more; nothing for JSON",
    "tree": "the folders of the workspace, how many source files each has, and those in the window, where asked for",
    "picture": "how the types of the window hang together, as Mermaid, where that is asked for",
    "changes": "what changed since the last copy, where only that is copied",
    "workspace": "the workspace's name",
    "model": "the model that the window is for",
}
"""What each placeholder stands for."""

_TOKEN = re.compile(r"\\\{\{|\{\{(?:[ \t]*(?P<name>\w+)[ \t]*\}\})?")


class Slot(msgspec.Struct, frozen=True):
    """A placeholder."""

    name: str


Line = tuple[str | Slot, ...]


class Template(msgspec.Struct, frozen=True):
    """A template that can be filled in. `paragraphs`: lines, empty lines at the end of each included."""

    name: str
    paragraphs: tuple[tuple[Line, ...], ...]

    def fill(self, values: Mapping[str, str]) -> str:
        """The text with `values` by placeholder; what is not among them is empty. It ends its last line."""
        kept = [each for each in self.paragraphs if _is_shown(each, values)]
        return "".join(_filled(line, values) for each in kept for line in each).rstrip("\n") + "\n"


def parse_template(name: str, text: str) -> Template:
    """The template of a text. Raises InvalidTemplate for a placeholder that does not exist or is not closed, and for a
    template without the window."""
    source = text.replace("\r\n", "\n").removeprefix("\ufeff")
    lines = [_line(name, line, number) for number, line in enumerate(source.split("\n"), start=1)]
    if not any(part == Slot("window") for line in lines for part in line):
        raise _error(name, (1, 1), "has no {{window}}, so it would hand over nothing")
    return Template(name, _paragraphs(lines))


def _line(name: str, text: str, number: int) -> Line:
    parts: list[str | Slot] = []
    done = 0
    for match in _TOKEN.finditer(text):
        parts.append(text[done : match.start()])
        done = match.end()
        if match[0].startswith("\\"):
            parts.append("{{")
        elif match["name"] in PLACEHOLDERS:
            parts.append(Slot(match["name"]))
        else:
            where = (number, match.start() + 1)
            raise _error(
                name,
                where,
                f"has no placeholder {match[0]}" if match["name"] else "has {{ without a name and }}",
            )
    return tuple(part for part in (*parts, text[done:]) if part != "")


def _error(name: str, where: tuple[int, int], what: str) -> InvalidTemplate:
    line, column = where
    known = ", ".join(f"{{{{{each}}}}}" for each in PLACEHOLDERS)
    return InvalidTemplate(
        f"The template {name}, line {line}, column {column}: it {what}. "
        f"There are {known}; \\{{{{ stands for two braces.",
        template=name,
        line=line,
        column=column,
        known=list(PLACEHOLDERS),
    )


def _paragraphs(lines: list[Line]) -> tuple[tuple[Line, ...], ...]:
    made: list[list[Line]] = [[]]
    for line in lines:
        if line and made[-1] and not made[-1][-1]:
            made.append([])
        made[-1].append(line)
    return tuple(map(tuple, made))


def _is_shown(paragraph: tuple[Line, ...], values: Mapping[str, str]) -> bool:
    slots = [part for line in paragraph for part in line if isinstance(part, Slot)]
    return not slots or any(values.get(slot.name) for slot in slots)


def _filled(line: Line, values: Mapping[str, str]) -> str:
    text = "".join(values.get(part.name, "") if isinstance(part, Slot) else part for part in line)
    alone = len(line) == 1 and isinstance(line[0], Slot)
    # Blank lines between paragraphs are the template's.
    return f"{text.rstrip(chr(10)) if alone else text}\n"


MOST_LINES = 120


def folder_tree(files: Iterable[str], *, held: Collection[str] = (), most: int = MOST_LINES) -> str:
    """Every folder with files in or below it, indented, with how many are right in it, and those of them that are
    `held`, marked. The deepest are left out first where there are more than `most`, but for those that hold some; a
    line that says how many ends the text then. Paths are parted by `/`."""
    here: Counter[str] = Counter(file.rpartition("/")[0] for file in files)
    folders = {parent for folder in here for parent in _with_parents(folder)}
    depth = max((folder.count("/") for folder in folders), default=0)
    shown = folders
    kept = {parent for file in held for parent in _with_parents(file.rpartition("/")[0])}
    while len(shown) > most and depth > 0:
        depth -= 1
        shown = {folder for folder in folders if folder.count("/") <= depth or folder in kept}
    lines = [
        "\n".join([_folder_line(folder, here[folder]), *_held_lines(folder, held)])
        for folder in sorted(shown, key=lambda each: each.split("/"))
    ]
    left = len(folders) - min(len(shown), most)
    return "\n".join([*lines[:most], *([f"… {left} more folders"] if left else [])])


def _with_parents(folder: str) -> Iterable[str]:
    parts = folder.split("/")
    return ("/".join(parts[: n + 1]) for n in range(len(parts)))


def _held_lines(folder: str, held: Collection[str]) -> list[str]:
    names = (file.rpartition("/") for file in held)
    indent = "  " * (folder.count("/") + 1)
    return [f"{indent}{name} *" for parent, _, name in sorted(names) if parent == folder]


def _folder_line(folder: str, files: int) -> str:
    name = folder.rpartition("/")[2] or "."
    count = f"  {files} {'file' if files == 1 else 'files'}" if files else ""
    return f"{'  ' * folder.count('/')}{name}/{count}"
