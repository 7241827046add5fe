"""Only what changed: where room is short, that is not what the window happens to have room for."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from services.bench.bench import Bench
from services.errors import UsageError
from services.model import ItemFlag
from services.model.copies import Copy
from services.prompt.items import CopyRequest
from tests.support.workspace import edit, indexed

LONG = "".join(f"line {n} of a file that is far too long for the window\n" for n in range(400))
LARGE = "class Large\n{\n" + "".join(f"    int Member{n}() => {n} * {n};\n" for n in range(40)) + "}\n"
OTHER = LARGE.replace("Large", "Other")
BUDGET = 1_000


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    with indexed(tmp_path, {"long.txt": LONG, "Large.cs": LARGE, "Other.cs": OTHER}) as bench:
        bench.models.choose(None, BUDGET)
        yield bench


def copied(bench: Bench, *, changed: bool = False) -> Copy:
    made = bench.copying.prepare(CopyRequest(changed=changed))
    bench.copying.keep(made)
    return made


def flags(bench: Bench) -> list[tuple[ItemFlag, ...]]:
    return [item.flags for item in bench.window.render().items]


def test_what_is_cut_is_not_handed_over_again_until_it_changes(bench: Bench) -> None:
    bench.window.pin("long.txt", force=True)
    copied(bench)
    assert flags(bench) == [(ItemFlag.CUT,)]
    with pytest.raises(UsageError, match="Nothing changed"):
        copied(bench, changed=True)
    edit(bench.root, "long.txt", LONG.replace("line 3 ", "line three "))
    assert copied(bench, changed=True).changed == ("long.txt",)


def test_what_lost_detail_to_another_pin_is_not_handed_over_again(bench: Bench) -> None:
    bench.window.pin("Large.cs", force=True)
    copied(bench)
    bench.window.pin("Other.cs", force=True)
    assert (ItemFlag.LOWERED,) in flags(bench)
    made = copied(bench, changed=True)
    assert (made.changed, made.added) == ((), ("Other.cs",))
    assert "class Large" not in made.text
    with pytest.raises(UsageError, match="Nothing changed"):
        copied(bench, changed=True)


def test_what_the_window_has_no_room_for_is_handed_over_where_it_changed(bench: Bench) -> None:
    bench.window.pin_note("word " * 600, force=True)
    copied(bench)
    bench.window.pin_note("other " * 600, force=True)
    assert (ItemFlag.CUT,) in flags(bench)
    made = copied(bench, changed=True)
    assert len(made.added) == 1
    assert "other other" in made.text


def test_more_detail_that_a_person_asks_for_is_handed_over(bench: Bench) -> None:
    bench.window.pin("Large.cs", level="signature")
    copied(bench)
    bench.window.set_level("Large.cs", "whole", force=True)
    assert copied(bench, changed=True).changed == ("Large.cs",)
