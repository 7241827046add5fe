"""Settings: each value defined once, layered defaults < user file < project file < environment < flags."""

from services.settings.definitions import Definition, definitions
from services.settings.load import PROJECT_FILE, load, user_file_path
from services.settings.values import (
    AgentSettings,
    CacheSettings,
    EditSettings,
    FileSettings,
    IndexSettings,
    ResidentSettings,
    ReviewSettings,
    SemanticSettings,
    Settings,
    UiSettings,
    WindowSettings,
)

__all__ = [
    "PROJECT_FILE",
    "AgentSettings",
    "CacheSettings",
    "Definition",
    "EditSettings",
    "FileSettings",
    "IndexSettings",
    "ResidentSettings",
    "ReviewSettings",
    "SemanticSettings",
    "Settings",
    "UiSettings",
    "WindowSettings",
    "definitions",
    "load",
    "user_file_path",
]
