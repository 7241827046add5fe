"""Windows of many items and of huge types: within the budget, whole lines, and in bounded time."""

import time
from pathlib import Path

from msgspec.structs import replace

from services.bench.bench import Bench
from services.model import Window
from services.prompt.items import Chosen, ItemKey
from services.prompt.render.renderer import View
from tests.support.workspace import indexed


def window(bench: Bench, words: str) -> Window:
    options = bench.models.options()
    limited = replace(options, budget=replace(options.budget, tokens=8_000))
    return bench.window.rendering(view=View(words=words, options=limited)).window


def test_of_a_type_with_3000_members_the_room_holds_those_that_the_task_means(tmp_path: Path) -> None:
    members = " ".join(f"public void Do{n}Something(int first, string second) {{ }}" for n in range(3_000))
    with indexed(tmp_path, {"Huge.cs": f"namespace Shop; public class Huge {{ {members} }}"}) as bench:
        bench.window.pin("Huge", force=True)
        began = time.process_time()
        made = window(bench, "Do2999Something is slow")
        taken = time.process_time() - began
    assert "Do2999Something(int first" in made.text
    assert 7_000 < made.tokens <= 8_000
    assert taken < 20


def test_a_window_of_300_items_stays_within_the_budget_and_says_what_is_left_out(tmp_path: Path) -> None:
    files = {
        f"T{n}.cs": f"namespace Shop; public class T{n} {{ public void Do{n}() {{ }} private int _left{n}; }}"
        for n in range(300)
    }
    with indexed(tmp_path, files) as bench:
        ids = [bench.lookup.found(f"T{n}").id for n in range(300)]
        bench.window.unchecked.pin_all([Chosen(key=ItemKey("type", id_)) for id_ in ids], force=True)
        made = window(bench, "Do299 fails")
    assert made.tokens <= 8_000
    assert len(made.items) == 300
    assert "Not shown" in made.text or len(made.omitted) + len(made.lowered) == 0
