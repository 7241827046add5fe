"""How a workspace is opened: where its root is, and in which encoding files that are not Unicode are read."""

from __future__ import annotations

from pathlib import Path

import msgspec

from services.errors import UsageError, WorkspaceError
from services.model import Notice
from services.settings import FileSettings, Settings
from services.workspace.files.root import Root
from services.workspace.text import usable_encoding

_NONE = FileSettings().encoding
_PROJECT_ENDINGS = (".sln", ".slnx", ".slnf", ".csproj")
_WHOLE_MACHINE = (
    "Below / lies the whole machine, not a code base. Name the folder of one, or a solution or project file."
)


def opened_root(path: Path, settings: Settings) -> tuple[Root, str | None]:
    """The root of a folder, or of that of a solution or project file, and the name of that file. Raises WorkspaceError;
    for `/` too, but where a solution or project lies right in it."""
    start = None
    if path.suffix.lower() in _PROJECT_ENDINGS and path.is_file():
        path, start = path.parent, path.name
    root = Root.open(path, encoding=_declared(settings))
    if start is None and root.path == Path(root.path.anchor) and not _has_project(root.path):
        root.close()
        raise WorkspaceError(_WHOLE_MACHINE, path=str(path))
    return root, start


def _has_project(folder: Path) -> bool:
    return any(each.suffix.lower() in _PROJECT_ENDINGS for each in folder.iterdir())


def with_usable_encoding(settings: Settings) -> Settings:
    """The settings; without a declared encoding that cannot be used, which is then a notice."""
    if settings.files.encoding == _NONE:
        return settings
    try:
        usable_encoding(settings.files.encoding)
    except UsageError as error:
        advice = "Correct files.encoding in the settings; until then such files are shown and not edited."
        notice = Notice(severity="warning", message=error.message, what_to_do=advice)
        return msgspec.structs.replace(settings, files=FileSettings(), notices=(*settings.notices, notice))
    return settings


def _declared(settings: Settings) -> str | None:
    return None if settings.files.encoding == _NONE else settings.files.encoding
