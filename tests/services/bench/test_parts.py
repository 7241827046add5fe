"""What a bench makes when it is opened, and what only when it is asked for."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from pathlib import Path

from services.bench.parts import Parts
from services.concurrency.lazy import made, once
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
        self.making = threading.RLock()
        self.times = 0

    @property
    @once
    def slow(self) -> int:
        """How often it was made."""
        time.sleep(0.02)
        self.times += 1
        return self.times

    @property
    @once
    def other(self) -> int:
        """Made of the slow one."""
        return self.slow + 1


def test_a_part_is_made_once_whichever_threads_ask() -> None:
    owner = Owner()
    assert made(owner, Owner.slow) is None
    answers: list[int] = []
    threads = [threading.Thread(target=lambda: answers.append(owner.other + owner.slow)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (answers, owner.times, made(owner, Owner.slow)) == ([3, 3, 3, 3], 1, 1)


def test_a_start_that_searches_imports_nothing_that_it_does_not_need(tmp_path: Path) -> None:
    with indexed(tmp_path, FILES):
        pass
    code = (
        "import sys\nfrom pathlib import Path\nfrom services.bench import Bench\n"
        "from services.settings import Settings\n"
        f"with Bench.open(Path({str(tmp_path)!r}), settings=Settings()) as bench:\n"
        "    assert bench.load() and bench.search('alpha').hits\n"
        "    assert not bench.refresh()\n"
        "print(*sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert set(UNASKED) & set(done.stdout.split()) == set()


def test_opened_and_closed_a_bench_has_made_no_window(tmp_path: Path) -> None:
    with indexed(tmp_path, FILES) as bench:
        bench.search("a")
        assert made(bench, Parts.curation) is None
        bench.pin("Alpha")
        assert made(bench, Parts.curation) is bench.curation
    with opened(tmp_path) as bench:
        assert bench.load()
        assert bench.pinned_ids() == {bench.resolve("Alpha").symbol.id}
