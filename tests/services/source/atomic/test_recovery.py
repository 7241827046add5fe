"""After a loss of power: what was begun beside the journal may be on the disk in part."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from services.errors import ReadOnly
from services.source.atomic.system_calls import SystemCalls
from tests.support.writing import ME, Failing, Place, in_child

PATCH = "".join(f"--- a/{name}\n+++ b/{name}\n@@ -1 +1 @@\n-one\n+two\n" for name in ("a.cs", "b.cs"))


def write(place: Place, names: list[str]) -> None:
    handle = place.writer.lock("all", names, ME).lock_handle or ""
    tokens = {name: place.token(name) for name in names}
    diff = PATCH if len(names) > 1 else PATCH[: len(PATCH) // 2]
    place.writer.patch(diff, tokens, [handle], owner=ME)


def died_before_the_exchange(folder: Path, names: list[str]) -> None:
    """The temp files are written and the journal has the old bytes; then the process is gone."""

    class Dying(Failing):
        def run(self, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
            self.at = len(self.names) + 1 if function.__name__ == "renameat2" else 0
            return super().run(function, *args, **kwargs)

    assert in_child(lambda: write(Place(folder, calls=Dying(kill="before")), names)) == 9


@pytest.mark.parametrize("names", [["a.cs"], ["a.cs", "b.cs"]])
@pytest.mark.parametrize("rest", [b"", b"tw", b"\0" * 4])
def test_a_temp_file_that_is_not_whole_is_removed_and_nothing_else_is_said(
    tmp_path: Path, names: list[str], rest: bytes
) -> None:
    for name in names:
        (tmp_path / name).write_bytes(b"one\n")
    died_before_the_exchange(tmp_path, names)
    left = list(tmp_path.glob(".codecortex-*"))
    assert len(left) == len(names)
    for path in left:
        path.write_bytes(rest)
    place = Place(tmp_path)
    assert place.writer.recover() == 1
    assert [(tmp_path / name).read_bytes() for name in names] == [b"one\n"] * len(names)
    assert place.left_over() == []
    assert place.writer.notices() == ()
    assert place.writer.history(None).entries == ()
    place.close()


def test_what_happens_beside_is_waited_for_and_its_failure_told(tmp_path: Path) -> None:
    class FullDisk(SystemCalls):
        def run(self, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
            if function.__name__ == "fsync":
                raise OSError(28, "No space left on device")
            return super().run(function, *args, **kwargs)

    place = Place(tmp_path, calls=FullDisk())
    place.put("a.cs", b"one\n")
    with pytest.raises(ReadOnly, match=r"^Nothing was written\. a\.cs cannot be written: No space left"):
        write(place, ["a.cs"])
    assert place.bytes("a.cs") == b"one\n"
    assert place.left_over() == []
    assert place.writer.history(None).entries == ()
    place.close()
