"""Keys pressed one after the other, each of which must call its bound command."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from textual.binding import Binding
from textual.dom import DOMNode

from tests.support.stage import Stage


async def press_each(
    stage: Stage, node: DOMNode, bindings: Sequence[Binding], monkeypatch: pytest.MonkeyPatch
) -> int:
    """Press every key of these bindings of `node`, whose actions are taken down and not done; how many there were."""
    asked, pressed = list[str](), 0
    for binding in bindings:
        act = _action(binding)
        monkeypatch.setattr(node, f"action_{act}", lambda *_, act=act: asked.append(act))
    for binding in bindings:
        for key in binding.key.split(","):
            asked.clear()
            await stage.press(key)
            assert asked == [_action(binding)], key
            pressed += 1
    return pressed


def _action(binding: Binding) -> str:
    return binding.action.partition("(")[0]
