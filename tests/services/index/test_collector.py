"""What stays as long as the process is not walked over again."""

from __future__ import annotations

import gc

from services.concurrency.gc_pause import freeze_objects


def test_what_is_there_is_left_out_of_the_collectors_walks() -> None:
    kept = [[] for _ in range(1_000)]
    before = gc.get_freeze_count()
    try:
        freeze_objects()
        assert gc.get_freeze_count() >= before + len(kept)
    finally:
        gc.unfreeze()
