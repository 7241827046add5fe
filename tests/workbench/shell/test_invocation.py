from __future__ import annotations

import os
from pathlib import Path

import pytest

import workbench.app
from services.settings import Settings
from workbench.shell.options import Seams


@pytest.mark.parametrize(("said", "counts"), [(None, "1000"), ("30", "30")])
def test_the_screen_is_painted_as_often_as_needed_or_as_somebody_says(
    monkeypatch: pytest.MonkeyPatch, said: str | None, counts: str
) -> None:
    monkeypatch.setattr(workbench.app, "run", lambda *_: int(os.environ["TEXTUAL_FPS"]))
    monkeypatch.delenv("TEXTUAL_FPS", raising=False)
    if said:
        monkeypatch.setenv("TEXTUAL_FPS", said)
    assert Seams().start_workbench(Path(), Settings()) == int(counts)
