"""What the main screen is given beside the workspace."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING

from msgspec import Struct

from workbench.clipboard import Clipboard
from workbench.keeper import Keeper
from workbench.keymap import Keys
from workbench.own_settings import OwnSettings
from workbench.personal import Personal

if TYPE_CHECKING:
    from workbench.session import Session


class Around(Struct, frozen=True, kw_only=True):
    """`clipboard`: the ways to copy from a session; `now`: the time of day; `keeper`: writes what is to
    come back."""

    keys: Keys
    clipboard: Callable[[Session], Clipboard]
    personal: Personal
    settings: OwnSettings
    keeper: Keeper
    now: Callable[[], datetime]
