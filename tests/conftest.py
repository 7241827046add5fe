"""What every test shares."""

from __future__ import annotations

import os
import re
from typing import Any

import pytest_textual_snapshot
from hypothesis import settings
from pytest_textual_snapshot import SVGImageExtension

# A run says the same of the same code: what it says must not depend on luck. To look for examples that nobody has
# seen yet: HYPOTHESIS_PROFILE=explore.
settings.register_profile("same", derandomize=True, deadline=None)
settings.register_profile("explore", max_examples=2000, deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "same"))

_FONT = re.compile(r"@font-face\s*\{[^}]*\}\s*")


class OfflineSvg(SVGImageExtension):
    """A snapshot that fetches nothing: the fonts that an exported screen names by address are left out.

    `file_extension` is the name that syrupy 5 and later read; the plugin sets the one before it.
    """

    file_extension = "svg"

    def serialize(self, *args: Any, **kwargs: Any) -> Any:
        """The drawing without its addresses."""
        return _FONT.sub("", super().serialize(*args, **kwargs))


pytest_textual_snapshot.SVGImageExtension = OfflineSvg
