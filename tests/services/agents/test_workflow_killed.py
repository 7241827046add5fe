"""The test workflow in the program itself, killed at each write to the forge, before and after it is taken."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

from tests.support.chat_server import DONE, Asked, ChatServer, Reply, call, delta, streamed
from tests.support.forge import NOTIFY_SECRET, TOKEN, Forge, forge_of
from tests.support.review_change import git
from tests.support.till_shop import RIGHT, TEST, WRONG, till_shop

WRITES = ("push", "request", "notice")


def answered(asked: Asked) -> Reply:
    """As TillModel answers, over the wire."""
    messages = asked.body["messages"]
    if messages[-1]["role"] == "tool":
        return streamed("The tests are written.", usage=(10, 5))
    text = RIGHT if "this failed" in messages[1]["content"] else WRONG
    arguments = json.dumps({"path": TEST, "content": text})
    pieces = [call(0, arguments, id=f"c{len(messages)}", name="write-test-file"), delta("tool_calls"), DONE]
    return Reply(pieces=pieces)


class Deaths:
    """Kills the process under way at each write once before it is taken, and once after."""

    def __init__(self, forge: Forge) -> None:
        self.victim: subprocess.Popen[bytes] | None = None
        self.left = {(name, when) for name in WRITES for when in ("before", "after")}
        forge.before = lambda name: self._die(name, "before")
        forge.after = lambda name: self._die(name, "after")

    def _die(self, name: str, when: str) -> bool:
        if (name, when) not in self.left or self.victim is None:
            return False
        self.left.remove((name, when))
        os.kill(self.victim.pid, signal.SIGKILL)
        self.victim.wait()
        return True


def test_killed_at_each_write_to_the_forge_it_is_there_once(tmp_path: Path) -> None:
    shop = till_shop(tmp_path / "shop")
    model = ChatServer(answered)
    (tmp_path / "config/codecortex").mkdir(parents=True)
    models = f'default = "m"\n[models.m]\nendpoint = "{model.endpoint}"\nname = "m-1"\n'
    (tmp_path / "config/codecortex/models.toml").write_text(models)
    variables = {
        **os.environ, "XDG_CONFIG_HOME": str(tmp_path / "config"), "XDG_STATE_HOME": str(tmp_path / "state"),
        "GITHUB_TOKEN": TOKEN, "NOTIFY_SECRET": NOTIFY_SECRET, "CODECORTEX_RESIDENT": "off",
    }  # fmt: skip
    try:
        with forge_of("github", shop, tmp_path / "server") as forge:
            deaths = Deaths(forge)
            words = [
                "--root", str(shop), "--set", f"review.github={forge.address}",
                "--set", "workflow.project=github:octo/demo", "--set", f"workflow.notify={forge.address}/notify",
                "workflow", "start", "tests", "HEAD",
                "--allow", "write", "--allow", "run", "--allow", "publish", "--wait", "--json",
            ]  # fmt: skip
            codes, printed = [-signal.SIGKILL], b""
            while codes[-1] == -signal.SIGKILL:
                process = subprocess.Popen(
                    [sys.executable, "-m", "workbench", *words], env=variables, stdout=subprocess.PIPE
                )
                deaths.victim = process
                printed, _ = process.communicate()
                codes.append(process.returncode)
                assert len(codes) < 15
            (op,) = json.loads(printed)["ops"]
            assert (codes[-1], op["state"], op.get("error")) == (0, "done", None)
            assert op["result"]["passed"], op["result"]
            assert (deaths.left, codes.count(-signal.SIGKILL)) == (set(), 7)
            assert forge.faults == []
            assert len(forge.branches()) == 2
            (commit,) = {each for name, each in forge.branches().items() if name != "main"}
            assert git(forge.repository, "show", f"{commit}:{TEST}") + "\n" == RIGHT
            assert git(forge.repository, "rev-list", "--count", f"main..{commit}") == "1"
            assert len(forge.requests) == 1
            assert len({key for key, _ in forge.notices}) == 1
    finally:
        model.close()
