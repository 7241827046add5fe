"""What a bench makes when it is opened, and what only when it is asked for."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from pathlib import Path

from services.bench import Bench
from services.concurrency.lazy import lazy
from tests.support.workspace import indexed, opened, project

FILES = {"A.csproj": project(), "A.cs": "public class Alpha { }"}
UNASKED = (
    "services.bench.window.curation",
    "services.bench.window.packs",
    "services.bench.edits.patching",
    "services.bench.queries.sources",
    "services.index.names.binder",
    "services.prompt.render.renderer",
    "services.source.write.writer",
    "watchdog",
)


class Owner:
    """Has a part that takes long to make, and one that asks for it."""

    def __init__(self) -> None:
        self.times = 0

    @lazy
    def slow(self) -> int:
        """How often it was made."""
        time.sleep(0.02)
        self.times += 1
        return self.times

    @lazy
    def other(self) -> int:
        """Made of the slow one."""
        return self.slow + 1


def test_a_part_is_made_once_whichever_threads_ask() -> None:
    owner = Owner()
    assert Owner.slow.peek(owner) is None
    answers: list[int] = []
    threads = [threading.Thread(target=lambda: answers.append(owner.other + owner.slow)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (answers, owner.times, Owner.slow.peek(owner)) == ([3, 3, 3, 3], 1, 1)


def test_a_start_that_searches_imports_nothing_that_it_does_not_need(tmp_path: Path) -> None:
    with indexed(tmp_path, FILES):
        pass
    code = (
        "import sys\nfrom pathlib import Path\nfrom services.bench import Bench\n"
        "from services.settings import Settings\n"
        f"with Bench.open(Path({str(tmp_path)!r}), settings=Settings()) as bench:\n"
        "    assert bench.index.load() and bench.index.search('alpha').hits\n"
        "    assert not bench.index.refresh()\n"
        "print(*sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert set(UNASKED) & set(done.stdout.split()) == set()


def test_opened_and_closed_a_bench_has_made_no_window(tmp_path: Path) -> None:
    with indexed(tmp_path, FILES) as bench:
        bench.index.search("a")
        assert Bench.window.peek(bench) is None
        bench.window.pin("Alpha")
        assert Bench.window.peek(bench) is bench.window
    with opened(tmp_path) as bench:
        assert bench.index.load()
        assert [each.label for each in bench.window.render().items if each.pinned] == ["Alpha"]
