"""Environment of the main screen, apart from the workspace."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING

from msgspec import Struct

from services.concurrency.background import BackgroundWriter
from workbench.commands.keymap import Keys
from workbench.state.clipboard import Clipboard
from workbench.state.held_keys import HeldKeys, Letters
from workbench.state.own_settings import OwnSettings
from workbench.state.ui_state import Personal

if TYPE_CHECKING:
    from workbench.state.session import Session


class Environment(Struct, frozen=True, kw_only=True):
    """`clipboard`: the ways to copy from a session; `now`: the time of day; `keeper`: writes what is to
    come back; `held`: keeps keys whose command waits for something;
    `letters`: answers single letters while there is no workspace yet."""

    keys: Keys
    clipboard: Callable[[Session], Clipboard]
    personal: Personal
    settings: OwnSettings
    writer: BackgroundWriter
    now: Callable[[], datetime]
    held: HeldKeys
    letters: Letters
