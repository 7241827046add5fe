"""How many examples a property test tries."""

from __future__ import annotations

import os

from hypothesis import settings


def examples(few: int) -> int:
    """Return `few`, where each example takes long; as many as the profile has when it explores."""
    profile = os.environ.get("HYPOTHESIS_PROFILE", "")
    return settings.get_profile(profile).max_examples if profile == "explore" else few
