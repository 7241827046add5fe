"""States of notes after any sequence of edits, renames, moves, branch switches and deletions are those that another
process, which never saw any of it happen, computes from the files."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.bench.bench import Bench
from services.semantic.values import Author, NoteAnswer, NoteFields, NoteState
from tests.support.workspace import edit, indexed, opened, project

TEXT = """namespace Shop;
/// <summary>{name}, documented.</summary>
public class {name}
{{
    {other} other;
    public int First{name}() {{ return 1; }}
    public int Second{name}() {{ return 2; }}
    public int Third{name}() {{ return 3; }}
}}
"""
FILES = {
    ".gitignore": "*.db*\nsemantic-history/\n",
    "Shop.csproj": project(),
    "Basket.cs": TEXT.format(name="Basket", other="Till"),
    "Till.cs": TEXT.format(name="Till", other="Voucher"),
    "Voucher.cs": TEXT.format(name="Voucher", other="string"),
}
BRANCHES = ("main", "side")


class Shop:
    """A repository of three types that are edited, renamed, moved and deleted, on two branches."""

    def __init__(self, folder: Path, bench: Bench) -> None:
        self.folder, self.bench = folder, bench
        self.git("init", "-q", "-b", "main")
        self.commit(0, 0)

    def git(self, *arguments: str) -> None:
        command = ["git", "-C", str(self.folder), "-c", "user.name=a", "-c", "user.email=a@b", *arguments]
        subprocess.run(command, check=True, capture_output=True)

    def files(self) -> list[Path]:
        return sorted(self.folder.rglob("*.cs"))

    def rewrite(self, number: int, change: Callable[[str], str]) -> None:
        files = self.files()
        if files:
            file = files[number % len(files)]
            edit(self.folder, str(file.relative_to(self.folder)), change(file.read_text()))

    def edit_body(self, which: int, how: int) -> None:
        self.rewrite(which, lambda text: re.sub(r"return \d+", f"return {how}", text, count=1))

    def edit_structure(self, which: int, how: int) -> None:
        self.rewrite(
            which, lambda text: re.sub(r"public \w+ First", f"public {('int', 'long')[how % 2]} First", text)
        )

    def edit_documentation(self, which: int, how: int) -> None:
        self.rewrite(which, lambda text: re.sub(r"documented\w*", f"documented{how}", text))

    def name_another(self, which: int, how: int) -> None:
        other = ("Till", "Voucher", "Basket", "string")[how % 4]
        self.rewrite(which, lambda text: re.sub(r"\w+ other;", f"{other} other;", text))

    def rename(self, which: int, how: int) -> None:
        self.rewrite(
            which, lambda text: re.sub(r"class \w+", f"class {('Cart', 'Purse', 'Basket')[how % 3]}", text)
        )

    def change_namespace(self, which: int, how: int) -> None:
        self.rewrite(
            which, lambda text: re.sub(r"namespace \w+", f"namespace {('Shop', 'Store')[how % 2]}", text)
        )

    def move(self, which: int, how: int) -> None:
        files = self.files()
        if files:
            file = files[which % len(files)]
            target = self.folder / ("", "sub")[how % 2] / file.name
            target.parent.mkdir(exist_ok=True)
            if not target.exists():
                file.rename(target)

    def delete(self, which: int, _: int) -> None:
        files = self.files()
        if files:
            files[which % len(files)].unlink()

    def commit(self, _: int, __: int) -> None:
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", "a step")

    def switch(self, which: int, _: int) -> None:
        """To another branch, which begins here where there is none; what is not committed is thrown away."""
        branch = BRANCHES[which % 2]
        known = subprocess.run(
            ["git", "-C", str(self.folder), "rev-parse", "-q", "--verify", branch],
            capture_output=True,
            check=False,
        )
        self.git("checkout", "-q", "-f", *([branch] if known.returncode == 0 else ["-b", branch]))

    def subject(self, fqn: str) -> str:
        """What a type was called at first: its members are named after it, and keep their names."""
        return next(name[5:] for name in self.members(fqn) if name.startswith("First"))

    def members(self, fqn: str) -> list[str]:
        return [each.name for each in self.bench.index.facade.symbols() if each.fqn.startswith(f"{fqn}.")]

    def note(self, which: int, _: int) -> None:
        """On a type that is there; its name is in it."""
        found = sorted(self.notes())
        if found:
            name = found[which % len(found)]
            texts = dict.fromkeys(NoteFields.__struct_fields__, f"On {self.subject(name)}.")
            self.bench.notes.put(
                self.bench.lookup.sure(name).whole.id, NoteFields(**texts), Author.PERSON, "ada"
            )

    def notes(self) -> dict[str, NoteAnswer]:
        return notes_of(self.bench)


STEPS = (
    "edit_body",
    "edit_structure",
    "edit_documentation",
    "name_another",
    "rename",
    "change_namespace",
    "move",
)
STEPS += ("delete", "commit", "switch", "switch", "note", "note", "note")


def notes_of(bench: Bench) -> dict[str, NoteAnswer]:
    """By the full name of the type."""
    index = bench.index.facade
    ids = {
        symbol.fqn: symbol.id
        for symbol in index.symbols()
        if symbol.id.count("_") == 1 and symbol.kind != "namespace"
    }
    return {fqn: bench.notes.get(id_) for fqn, id_ in ids.items()}


@given(
    steps=st.lists(
        st.tuples(st.sampled_from(STEPS), st.integers(0, 3), st.integers(0, 3)), min_size=3, max_size=14
    )
)
def test_states_are_those_that_are_computed_afresh(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, int, int]]
) -> None:
    folder = tmp_path_factory.mktemp("shop")
    with indexed(folder, FILES) as bench:
        shop = Shop(folder, bench)
        for what, which, how in steps:
            getattr(shop, what)(which, how)
            bench.index.refresh()
        seen = shop.notes()
        of = {fqn: shop.subject(fqn) for fqn in seen}
    copy = tmp_path_factory.mktemp("afresh") / "shop"
    shutil.copytree(folder, copy)
    with opened(copy) as fresh:
        fresh.index.refresh()
        assert notes_of(fresh) == seen
    for fqn, note in seen.items():
        if note.state is NoteState.CACHED:
            assert note.fields.role == f"On {of[fqn]}.", "no note of another type"


def on(bench: Bench, fqn: str) -> NoteAnswer:
    return bench.notes.get(bench.lookup.sure(fqn).whole.id)


@pytest.mark.parametrize("is_tracked", [True, False], ids=["tracked notes", "notes that git ignores"])
def test_a_note_goes_with_its_type_to_another_branch_and_back(tmp_path: Path, is_tracked: bool) -> None:
    ignored = {} if is_tracked else {".gitignore": ".context/\n"}
    with indexed(tmp_path, FILES | ignored) as bench:
        shop = Shop(tmp_path, bench)
        shop.note(0, 0)
        shop.commit(0, 0)
        shop.switch(1, 0)
        shop.rename(0, 0)
        bench.index.refresh()
        assert on(bench, "Shop.Cart").fields.role == "On Basket."
        shop.commit(0, 0)
        shop.switch(0, 0)
        bench.index.refresh()
        assert (on(bench, "Shop.Basket").fields.role, on(bench, "Shop.Basket").state) == (
            "On Basket.",
            "cached",
        )
        shop.switch(1, 0)
        bench.index.refresh()
        assert (on(bench, "Shop.Cart").fields.role, on(bench, "Shop.Cart").state) == ("On Basket.", "stale")
        assert len(list(bench.notes.store.all())) == 1


def test_a_note_goes_with_a_type_that_takes_the_name_of_one_that_is_gone(tmp_path: Path) -> None:
    with indexed(tmp_path, FILES) as bench:
        shop = Shop(tmp_path, bench)
        shop.note(0, 0)
        shop.note(1, 0)
        (tmp_path / "Basket.cs").unlink()
        bench.index.refresh()
        edit(tmp_path, "Till.cs", (tmp_path / "Till.cs").read_text().replace("class Till", "class Basket"))
        bench.index.refresh()
        note = on(bench, "Shop.Basket")
        assert (note.fields.role, note.state) == ("On Till.", "stale")
        assert [each.fields.role for each in bench.notes.store.history(note.type_id)] == ["On Basket."]


def test_a_note_says_what_a_type_that_it_names_is_called_now(tmp_path: Path) -> None:
    with indexed(tmp_path, FILES) as bench:
        shop = Shop(tmp_path, bench)
        shop.note(0, 0)
        edit(tmp_path, "Till.cs", (tmp_path / "Till.cs").read_text().replace("class Till", "class Counter"))
        edit(
            tmp_path, "Basket.cs", (tmp_path / "Basket.cs").read_text().replace("Till other", "Counter other")
        )
        bench.index.refresh()
        assert "Shop.Counter, which it names, was renamed." in on(bench, "Shop.Basket").reasons
