"""How types hang together: of the window, around a symbol, in every format."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path

import pytest

from services.bench import Bench
from services.model import GraphFormat
from services.prompt.items import CopyRequest
from services.settings import IndexSettings, Settings
from tests.support.workspace import indexed, project, write_workspace

CODE = """namespace Zoo;
public interface IAnimal { }
public class Animal : IAnimal { }
public class Dog : Animal { public Bowl<int> Bowl; }
public class Bowl<T> { }
public class Keeper { public void Feed() { new Dog(); } }
public class Stranger { }
"""


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    with indexed(tmp_path, {"Zoo.csproj": project(), "Zoo.cs": CODE}) as opened:
        yield opened


def test_around_a_type_stand_what_it_names_and_what_names_it_also_in_bodies(bench: Bench) -> None:
    drawn = bench.pictures.picture("Zoo.Dog")
    assert {node.name for node in drawn.nodes} == {"Dog", "Animal", "Bowl<T>", "Keeper"}
    assert [node.name for node in drawn.nodes if node.shown] == ["Dog"]
    names = {node.id: node.name for node in drawn.nodes}
    assert {(names[edge.source], edge.relation, names[edge.target]) for edge in drawn.edges} == {
        ("Dog", "inherits", "Animal"), ("Dog", "uses", "Bowl<T>"), ("Keeper", "uses", "Dog"),
    }  # fmt: skip
    assert drawn.text.splitlines()[0] == "classDiagram"
    assert "  Animal <|-- Dog" in drawn.text
    assert '  class Bowl_T["Bowl<T>"]' in drawn.text
    assert drawn.tokens > 0


def test_the_window_is_drawn_and_goes_into_a_copy_where_that_is_wanted(bench: Bench) -> None:
    bench.window.pin("Zoo.Dog")
    bench.window.pin("Zoo.IAnimal")
    bench.window.pin("Zoo.Animal")
    drawn = bench.pictures.picture()
    assert "  IAnimal <|.. Animal" in drawn.text
    plain = bench.copying.prepare(CopyRequest())
    assert "classDiagram" not in plain.text
    copied = bench.copying.prepare(CopyRequest(picture=True))
    assert f"```mermaid\n{drawn.text}```" in copied.text
    assert copied.tokens > plain.tokens


@pytest.mark.parametrize("format_", [GraphFormat.MERMAID, GraphFormat.DOT, GraphFormat.SVG])
def test_a_picture_says_that_bodies_are_still_being_read(tmp_path: Path, format_: str) -> None:
    write_workspace(tmp_path, {"Zoo.csproj": project(), "Zoo.cs": CODE})
    said = "1 file is still being read: arrows may be missing."
    with Bench.open(tmp_path, settings=Settings(index=IndexSettings(workers=1)), patience=1.0) as bench:
        bench.index.refresh()
        early = bench.pictures.picture("Zoo.Dog", format=format_)
        assert (early.unread, early.lacks, said in early.text) == (1, said, True)
        assert "Keeper" not in early.text
        bench.index.read_bodies()
        late = bench.pictures.picture("Zoo.Dog", format=format_)
        assert (late.unread, late.lacks, "being read" in late.text) == (0, "", False)
        assert "Keeper" in late.text


def test_of_nothing_nothing_is_drawn(bench: Bench) -> None:
    assert bench.pictures.picture().nodes == ()


@pytest.mark.parametrize("format_", list(GraphFormat))
def test_every_format(bench: Bench, format_: GraphFormat) -> None:
    drawn = bench.pictures.picture("Zoo.Dog", format=format_, depth=2, limit=4)
    assert (len(drawn.nodes), drawn.left_out) == (4, 1)
    if format_ is GraphFormat.SVG:
        root = ET.fromstring(drawn.text)
        texts = [each.text for each in root.iter("{http://www.w3.org/2000/svg}text")]
        assert sorted(filter(None, texts)) == sorted(node.name for node in drawn.nodes)
    elif format_ is GraphFormat.DOT:
        assert drawn.text.startswith("digraph types {")
        assert drawn.text.count("->") == len(drawn.edges)
    elif format_ is GraphFormat.JSON:
        assert drawn.text == ""
