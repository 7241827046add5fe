"""What the screen imports before it is painted: nothing that parses, counts or searches."""

from __future__ import annotations

import subprocess
import sys

HEAVY = {"services.bench", "services.index", "services.syntax", "services.prompt", "services.workspace"}
HEAVY |= {
    "numpy",
    "tree_sitter",
    "tiktoken",
    "sqlite3",
    "pyperclip",
    "tomlkit",
    "watchdog",
    "rapidfuzz",
    "re2",
}

LATER = {
    "workbench.main.main",
    "workbench.commands.commands",
    "workbench.state.session",
    "workbench.state.clipboard",
}
"""What the main screen needs, and the one that is painted before it does not."""


def test_the_screen_is_painted_without_the_services() -> None:
    code = "import sys, workbench.app; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert (HEAVY | LATER) & set(done.stdout.split()) == set()
