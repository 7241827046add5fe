"""Walks through the program: which of our functions a call passes, in the order in which each is first called."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

ROOT = Path(__file__).parents[2]
_OURS = tuple(f"{ROOT / package}/" for package in ("services", "workbench", "widgets", "themes"))


def walked(call: Callable[[], object]) -> list[str]:
    """Return `path::qualified name` of each function that `call` passes, on whichever thread of this process."""
    found: dict[CodeType, None] = {}

    def note(frame: FrameType, event: str, _: Any) -> None:
        if event == "call" and frame.f_code not in found and frame.f_code.co_filename.startswith(_OURS):
            found[frame.f_code] = None

    before = sys.getprofile()
    threading.setprofile(note)
    sys.setprofile(note)
    try:
        call()
    finally:
        sys.setprofile(before)
        threading.setprofile(None)
    return [
        f"{Path(code.co_filename).relative_to(ROOT)}::{code.co_qualname}"
        for code in list(found)
        if "<" not in code.co_qualname
    ]


def modules(walk: list[str]) -> list[str]:
    """Return the modules of a walk, each once."""
    return list(dict.fromkeys(step.partition("::")[0] for step in walk))
