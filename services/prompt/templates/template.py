"""The grammar of a template: text with `{{placeholder}}`, and `\\{{` for two braces.

A paragraph (lines between empty ones) whose placeholders are all empty is left out, with the empty lines after it, so
that one template serves with a task and without. Values are put in as they are: nothing in them is a placeholder.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from services.errors import InvalidTemplate

PLACEHOLDERS: Mapping[str, str] = {
    "window": "the prompt window",
    "task": "what the model is to do",
    "again": "the task once more, where it is short beside the budget",
    "about": "that the window is a part of the workspace, and how to ask for more; nothing for JSON",
    "tree": "the folders of the workspace and how many source files each has, where that is asked for",
    "picture": "how the types of the window hang together, as Mermaid, where that is asked for",
    "changes": "what changed since the last copy, where only that is copied",
    "workspace": "the workspace's name",
    "model": "the model that the window is for",
}
"""What each placeholder stands for."""

_TOKEN = re.compile(r"\\\{\{|\{\{(?:[ \t]*(?P<name>\w+)[ \t]*\}\})?")


@dataclass(frozen=True, slots=True)
class Slot:
    """A placeholder."""

    name: str


Line = tuple[str | Slot, ...]


@dataclass(frozen=True, slots=True)
class Template:
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


# The folders of a workspace as a text for models.

MOST_LINES = 120


def folder_tree(files: Iterable[str], *, most: int = MOST_LINES) -> str:
    """Every folder with files in or below it, indented, with how many are right in it. The deepest are left out first
    where there are more than `most`; a line that says how many ends the text then. Paths are parted by `/`."""
    here: Counter[str] = Counter(file.rpartition("/")[0] for file in files)
    folders = {parent for folder in here for parent in _with_parents(folder)}
    depth = max((folder.count("/") for folder in folders), default=0)
    shown = folders
    while len(shown) > most and depth > 0:
        depth -= 1
        shown = {folder for folder in folders if folder.count("/") <= depth}
    lines = [_folder_line(folder, here[folder]) for folder in sorted(shown, key=lambda each: each.split("/"))]
    left = len(folders) - min(len(shown), most)
    return "\n".join([*lines[:most], *([f"… {left} more folders"] if left else [])])


def _with_parents(folder: str) -> Iterable[str]:
    parts = folder.split("/")
    return ("/".join(parts[: n + 1]) for n in range(len(parts)))


def _folder_line(folder: str, files: int) -> str:
    name = folder.rpartition("/")[2] or "."
    count = f"  {files} {'file' if files == 1 else 'files'}" if files else ""
    return f"{'  ' * folder.count('/')}{name}/{count}"
