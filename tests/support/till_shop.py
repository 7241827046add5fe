"""A small Python project whose last commit adds a module without tests, and a model that writes these."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from services.llm.values import (
    ChatMessage,
    End,
    Event,
    FunctionCall,
    TextPiece,
    TokenUsage,
    Tool,
    ToolCall,
    ToolCalled,
)
from tests.support.review_change import git
from tests.support.workspace import PYTEST_INI, write_workspace

TEST = "checks/test_till.py"
WRONG = "import till\n\n\ndef test_pays():\n    assert till.pay(2) == 5\n"
RIGHT = "import till\n\n\ndef test_pays():\n    assert till.pay(2) == 4\n"


def till_shop(folder: Path) -> Path:
    """The project, in a repository with two commits."""
    write_workspace(folder, {
        "checks/pytest.ini": f"{PYTEST_INI}pythonpath = .\n",
        "checks/test_shop.py": "import shop\n\n\ndef test_half():\n    assert shop.half(4) == 2\n",
        "checks/shop.py": "def half(a):\n    return a // 2\n",
        ".gitignore": "__pycache__/\n.pytest_cache/\n",
    })  # fmt: skip
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "one")
    write_workspace(folder, {"checks/till.py": "def pay(a):\n    return a * 2\n"})
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "two")
    return folder


def calling(id_: str, name: str, arguments: object) -> Sequence[Event]:
    """An answer that calls one tool."""
    call = ToolCall(
        id=id_, function=FunctionCall(name=name, arguments=msgspec.json.encode(arguments).decode())
    )
    return TextPiece("I call it."), ToolCalled(call), TokenUsage(10, 5), End("tool_calls")


class TillModel:
    """Writes a wrong test, and the right one once it is handed back what failed; it goes by the messages alone, so that
    it answers the same when it is asked again. `asked`: how often."""

    def __init__(self) -> None:
        self.asked = 0

    def complete(
        self,
        messages: Sequence[ChatMessage],
        tools: Sequence[Tool] = (),
        *,
        max_tokens: int | None = None,
        cancel: threading.Event | None = None,
    ) -> Iterator[Event]:
        del max_tokens, cancel
        self.asked += 1
        assert "write-test-file" in {each.name for each in tools}
        task = messages[1].content or ""
        if messages[-1].role == "tool":
            yield from (TextPiece("The tests are written."), TokenUsage(10, 5), End())
            return
        text = RIGHT if "this failed" in task else WRONG
        assert "this failed" not in task or "assert 4 == 5" in task
        yield from calling(f"call-{len(messages)}", "write-test-file", {"path": TEST, "content": text})
