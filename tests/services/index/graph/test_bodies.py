"""What bodies name, summed over files: the same as counted anew, whatever came, went and was forked."""

from __future__ import annotations

from array import array
from collections import Counter
from pathlib import Path
from zlib import crc32

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from services.index.graph.bodies import Bodies
from services.index.graph.by_file import FileEdges
from services.index.graph.packing import naming
from tests.support.workspace import indexed, project

TYPES, FILES, WORDS = range(5), range(4), ("One", "Two", "Ünit")
Edges = tuple[tuple[tuple[int, int, int], ...], frozenset[str]]
"""Of a file: (from type, to type, how often), each pair once, and the words of its bodies."""

EDGES = st.tuples(
    st.dictionaries(
        st.tuples(st.sampled_from(TYPES), st.sampled_from(TYPES)).filter(lambda pair: pair[0] != pair[1]),
        st.integers(1, 3),
        max_size=4,
    ).map(lambda counts: tuple((a, b, count) for (a, b), count in counts.items())),
    st.frozensets(st.sampled_from(WORDS)),
)
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("add"), st.sampled_from(FILES), EDGES),
        st.tuples(st.just("drop"), st.sampled_from(FILES)),
        st.tuples(st.just("name"), st.sampled_from([*WORDS, "Other"])),
        st.tuples(st.just("fork")),
        st.tuples(st.just("keep")),
    ),
    max_size=12,
)


def encoded(edges: Edges) -> bytes:
    words = array("I", sorted(crc32(word.encode()) for word in edges[1]))
    return msgspec.msgpack.encode(FileEdges(edges[0], (), (), (), words.tobytes()))


def told(bodies: Bodies) -> dict[tuple[int, int], int]:
    """Every pair, asked for from both ends."""
    forward = {(a, b): count for a, b, count in bodies.edges()}
    assert forward == {(a, b): n for a in TYPES for b, n in bodies.depends_on(a).items()}
    assert forward == {(a, b): n for b in TYPES for a, n in bodies.used_by(b).items()}
    return forward


def counted(files: dict[int, Edges]) -> Counter[tuple[int, int]]:
    return sum((Counter({(a, b): n}) for edges, _ in files.values() for a, b, n in edges), Counter())


@given(STEPS, st.booleans())
def test_sums_are_those_of_the_files_there_are(steps: list[tuple[object, ...]], asked: bool) -> None:
    bodies, files = Bodies(), dict[int, Edges]()
    for step in steps:
        if asked:
            told(bodies)
        match step:
            case ("add", int(file), (edges, words)) if file not in files:
                files[file] = (edges, words)
                bodies.add(file, encoded(files[file]))
            case ("drop", int(file)):
                files.pop(file, None)
                bodies.drop(file)
            case ("name", str(word)):
                files = {file: found for file, found in files.items() if word not in found[1]}
                bodies.drop_naming([word])
            case ("fork",):
                bodies = bodies.fork()
            case ("keep",):
                bodies = Bodies(bodies.frozen())
            case _:
                pass
    assert told(bodies) == counted(files)
    assert bodies.files() == set(files)
    assert len(bodies) == len(files)
    for file in FILES:
        named = {b for _, b, _ in files[file][0]} if file in files else set[int]()
        assert [bodies.reaches(file, at) for at in TYPES] == [
            at in named if file in files else None for at in TYPES
        ]


@given(st.dictionaries(st.sampled_from(FILES), EDGES, min_size=1), EDGES)
def test_a_fork_changes_nothing_of_what_it_was_made_from(files: dict[int, Edges], more: Edges) -> None:
    bodies = Bodies()
    for file, edges in files.items():
        bodies.add(file, encoded(edges))
    before = told(bodies)
    other = bodies.fork()
    for file in files:
        other.drop(file)
    other.add(9, encoded(more))
    assert told(bodies) == before
    assert told(other) == counted({9: more})
    assert bodies.files() == set(files)


@given(st.lists(st.tuples(st.sampled_from(FILES), EDGES), max_size=5))
def test_the_journal_tells_the_types_of_files_that_came_or_went(changes: list[tuple[int, Edges]]) -> None:
    bodies = Bodies()
    bodies.add(9, encoded((((0, 1, 1),), frozenset())))
    mark, touched = bodies.journal.mark, set[int]()
    for file, edges in changes:
        if file in bodies:
            bodies.drop(file)
        bodies.add(file, encoded(edges))
        touched |= {at for a, b, _ in edges[0] for at in (a, b)}
    assert bodies.journal.since(mark) == touched
    assert bodies.journal.since(bodies.journal.mark) == set()


def test_places_of_types_are_those_in_the_file(tmp_path: Path) -> None:
    text = "class A { }\nclass B { object M(object é) { var x = new A(); return x is A ? typeof(A) : é; } }\n"
    with indexed(tmp_path, {"P.csproj": project(), "X.cs": text}) as bench:
        bench.index.relate()
        assert bench.index.read_bodies()
        catalogue = bench.index.facade.catalogue
        bodies = bench.index.facade.graph().bodies
        (places,) = [found for file in bodies.files() if (found := bodies.places(file)) is not None]
    data = text.encode()
    found = naming(places, catalogue.type_at[0, "A", ""])
    assert [data[each.start : each.end] for each in found] == [b"A"] * 3
    assert [each.kind for each in found] == ["new", "cast", "typeof"]
    assert naming(places, catalogue.type_at[0, "B", ""]) == []
