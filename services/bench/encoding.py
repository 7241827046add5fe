"""The encoding that the settings declare for files that are not Unicode."""

from __future__ import annotations

import msgspec

from services.errors import UsageError
from services.model import Notice
from services.settings import FileSettings, Settings
from services.workspace.text import usable_encoding

_NONE = FileSettings().encoding


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


def declared(settings: Settings) -> str | None:
    """What is declared; None where nothing is."""
    return None if settings.files.encoding == _NONE else settings.files.encoding
