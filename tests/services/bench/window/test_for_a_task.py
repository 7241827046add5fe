"""A window for a task: private members where there is room, and members that others use where there is none."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from services.bench.bench import Bench
from services.model import Level, Window
from services.prompt.render.renderer import View
from tests.support.workspace import indexed

METHODS = " ".join(f"public void Do{n}Something(int first, string second) {{ }}" for n in range(150))
FILES = {
    "IStore.cs": "namespace Shop; public interface IStore { int Take(int code, string voucher = null); void Drop(); }",
    "Store.cs": """namespace Shop;
public class Store : IStore
{
    private readonly int _left;
    public int Take(int code, string voucher = null) => Check(code);
    public void Drop() { }
    private int Check(int code) => code;
}
""",
    "Wide.cs": f"namespace Shop; public class Wide {{ {METHODS} private void MoveShelf() {{ }} }}",
    "User.cs": "namespace Shop; public class User { public void Run(Wide wide) { wide.Do77Something(1, null); } }",
}


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    with indexed(tmp_path, FILES) as made:
        yield made


def window(bench: Bench, words: str = "", budget: int = 8_000) -> Window:
    options = bench.models.options()
    limited = replace(options, budget=replace(options.budget, tokens=budget))
    return bench.window.rendering(view=View(words=words, options=limited)).window


def test_what_an_interface_declares_its_implementation_only_names(bench: Bench) -> None:
    for name in ("Store", "IStore"):
        bench.window.pin(name)
    text = window(bench).text
    assert text.index("interface IStore") < text.index("class Store")
    assert text.count("int Take(int code") == 1
    assert "// as declared in IStore: all\n" in text
    bench.window.dismiss("IStore")
    assert "public int Take(int code" in window(bench).text


def test_members_of_large_types_are_joined_though_their_outlines_would_not_be_shorter(tmp_path: Path) -> None:
    names = [f"void Do{n}Something(int first, string second)" for n in range(150)]
    others = " ".join(f"public void Be{n}Other(int first, string second) {{ }}" for n in range(400))
    bodies = " ".join(f"public {name} {{ }}" for name in names)
    files = {
        "IWide.cs": f"namespace Shop; public interface IWide {{ {' '.join(f'{name};' for name in names)} }}",
        "Wide.cs": f"namespace Shop; public class Wide : IWide {{ {others} {bodies} }}",
    }
    with indexed(tmp_path, files) as bench:
        for name in ("IWide", "Wide"):
            bench.window.pin(name, force=True)
        made = window(bench, "Do7Something fails", budget=900)
    assert "// as declared in IWide: " in made.text
    assert made.text.count("void Do7Something(int first") == 1


def test_what_the_base_of_an_interface_declares_is_not_repeated_either(tmp_path: Path) -> None:
    grow, shrink = (
        f"void {name}(int by, string why = null, bool slowly = false)" for name in ("Grow", "Shrink")
    )
    files = {
        "A.cs": f"interface IWide : INarrow {{ {grow}; }} interface INarrow {{ {shrink}; }}",
        "B.cs": f"class Wide : IWide {{ public {grow} {{ }} public {shrink} {{ }} }}",
    }
    with indexed(tmp_path, files) as bench:
        for name in ("IWide", "INarrow", "Wide"):
            bench.window.pin(name)
        text = window(bench).text
    assert text.count(grow) == text.count(shrink) == 1
    assert "// as declared in INarrow: all\n" in text


def test_a_task_that_leaves_room_shows_private_members_and_nothing_else_changes(bench: Bench) -> None:
    bench.window.pin("Store")
    assert "_left" not in window(bench).text
    asked = window(bench, "Count what is left")
    assert " private readonly int _left;\n" in asked.text
    assert " private int Check(int code);\n" in asked.text
    assert [item.level for item in asked.items] == [Level.DECLARATIONS]
    assert [item.level for item in bench.window.render().items] == [Level.OUTLINE]


def test_of_a_large_type_stands_what_others_and_the_task_name_and_small_ones_keep_all(bench: Bench) -> None:
    bench.window.pin("Wide", force=True)
    bench.window.pin("User", level="range", force=True)
    bench.window.pin("Store", force=True)
    made = window(bench, "Move a shelf", budget=900)
    assert made.tokens <= 900
    levels = {item.label: item.level for item in made.items}
    assert levels == {"Wide": Level.USED, "User": Level.RANGE, "Store": Level.DECLARATIONS}
    assert "Do77Something(int first" in made.text
    assert " private void MoveShelf();\n" in made.text
    listed = made.text.count("Something(int first")
    assert 2 < listed < 150
    assert f"// … {150 - listed} more\n" in made.text
    assert made.tokens > 800


def test_room_that_a_large_type_leaves_is_given_to_its_members_and_first_to_those_that_the_task_means(
    bench: Bench,
) -> None:
    bench.window.pin("Wide", force=True)
    made = window(bench, "DO99SOMETHING fails", budget=500)
    assert [item.level for item in made.items] == [Level.USED]
    assert "Do99Something(int first" in made.text
    assert 430 < made.tokens <= 500
    without = window(bench, budget=500)
    assert 430 < without.tokens <= 500
    assert "MoveShelf" not in without.text
    bench.window.set_level("Wide", "used")
    assert window(bench, budget=500).tokens < 150


def test_members_that_others_use_of_a_type_are_not_repeated_by_what_implements_it(tmp_path: Path) -> None:
    methods = " ".join(f"void Do{n}Something(int first, string second);" for n in range(150))
    bodies = methods.replace("void", "public void").replace(");", ") { }")
    files = {
        "IWide.cs": f"namespace Shop; public interface IWide {{ {methods} }}",
        "Wide.cs": f"namespace Shop; public class Wide : IWide {{ {bodies} }}",
        "User.cs": FILES["User.cs"],
    }
    with indexed(tmp_path, files) as bench:
        for name in ("IWide", "Wide"):
            bench.window.pin(name, force=True)
        bench.window.pin("User", level="range", force=True)
        made = window(bench, "Do it", budget=900)
    assert [item.level for item in made.items] == [Level.USED, Level.USED, Level.RANGE]
    assert made.text.count("void Do77Something(int first") == 1
    assert "// as declared in IWide: all\n" in made.text
