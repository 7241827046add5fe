"""Settings: each value defined once, layered defaults < user file < project file < environment < flags."""

from services.settings.definitions import SettingDefinition, definitions
from services.settings.load import PROJECT_FILE, load, user_file_path
from services.settings.values import (
    AdtSettings,
    AgentSettings,
    CacheSettings,
    EditSettings,
    FileSettings,
    IndexSettings,
    ResidentSettings,
    ReviewSettings,
    SemanticSettings,
    Settings,
    TeamSettings,
    UiSettings,
    WebhookSettings,
    WindowSettings,
    WorkflowSettings,
)

__all__ = [
    "PROJECT_FILE",
    "AdtSettings",
    "AgentSettings",
    "CacheSettings",
    "EditSettings",
    "FileSettings",
    "IndexSettings",
    "ResidentSettings",
    "ReviewSettings",
    "SemanticSettings",
    "SettingDefinition",
    "Settings",
    "TeamSettings",
    "UiSettings",
    "WebhookSettings",
    "WindowSettings",
    "WorkflowSettings",
    "definitions",
    "load",
    "user_file_path",
]
