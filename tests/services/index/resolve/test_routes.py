"""Routes as names of methods: templates from attributes on controllers and actions."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from services.bench.bench import Bench
from services.bench.window.context import ContextRequest
from services.errors import AmbiguousSymbol, SymbolNotFound
from services.index.resolve.routes import Segment, asked_route, asked_routes, segments
from tests.support.workspace import indexed

FILES = {
    "Base.cs": 'namespace Web; [ApiController, Route("api/[controller]")] public class BaseController { }',
    "Playlists.cs": r"""namespace Web;
public class PlaylistsController : BaseController
{
    [HttpGet] public void List() { }
    [HttpGet("{id:int}", Name = "one")] public void One(int id) { }
    [HttpGet("mine")] public void Mine() { }
    [HttpPost("{id}/songs/{*rest}")] public void Add(string id, string rest) { }
    [HttpDelete(@"{code:regex(^\d{{3}}/(a|b+)+$)}/gone")] public void Drop(string code) { }
    [HttpGet("~/health"), HttpHead("/health")] public void Health() { }
    [AcceptVerbs("PUT", "PATCH", Route = "[action]/{id?}")] public void RenameAsync(int? id) { }
    [HttpGet(Names.Secret)] public void Hidden() { }
    [HttpGet("{broken")] public void Broken() { }
}
public class Caller { public void Call(PlaylistsController to) { to.One(1); } }
""",
}


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    with indexed(tmp_path, FILES) as made:
        yield made


@pytest.mark.parametrize(
    ("route", "method"),
    [
        ("GET /api/Playlists", "List"),
        ("GET /api/playlists/{id}", "One"),
        ("GET /api/playlists/17?fields=name", "One"),
        ("GET https://shop.example/api/playlists/mine", "Mine"),
        ("POST /api/playlists/a/songs/b/c", "Add"),
        ("DELETE /api/playlists/123/gone", "Drop"),
        ("GET /health", "Health"),
        ("HEAD /health", "Health"),
        ("PATCH /api/playlists/rename", "RenameAsync"),
        ("PUT /api/playlists/rename/5", "RenameAsync"),
    ],
)
def test_a_route_names_the_method_that_answers_it(bench: Bench, route: str, method: str) -> None:
    assert bench.lookup.resolve(route).symbol is not None
    assert bench.lookup.resolve(route).resolved.path == f"Web.PlaylistsController.{method}"  # pyright: ignore


def test_usages_and_context_know_routes(bench: Bench) -> None:
    answer = bench.usages.find("GET /api/playlists/{id}")
    assert [usage.file for usage in answer.usages] == ["Playlists.cs"]
    found = bench.context.find(ContextRequest(words="500 from GET /api/playlists/5 since Monday"))
    assert found.items[0].symbol.label == "PlaylistsController"
    assert [(place.kind, place.text) for place in found.places] == [("route", "GET /api/playlists/5")]


def test_a_route_that_nothing_answers_says_what_is_read(bench: Bench) -> None:
    with pytest.raises(SymbolNotFound, match="attributes"):
        bench.usages.find("DELETE /api/playlists")
    with pytest.raises((SymbolNotFound, AmbiguousSymbol)):
        bench.usages.find("GET /api/playlists/no-number/none")


def test_templates_with_patterns_are_taken_apart_without_running_them() -> None:
    assert segments("a/{id:regex(^\\d{{2}}/x$)}/B") == (
        Segment("a"),
        Segment(None, ("regex(^\\d\0" + "2\1/x$)",)),
        Segment("b"),
    )
    began = time.process_time()
    assert len(segments("{" * 5_000 + "/" + "a{{}}" * 5_000)) >= 1
    assert time.process_time() - began < 2


def test_only_a_verb_and_a_path_are_a_route() -> None:
    assert asked_route("GET /a/b") == ("GET /a/b", "GET", "/a/b")
    assert asked_route("/a/b") is None
    assert asked_route("Get the /list") is None
    text = "HTTP \"GET /a?x=1\" then GET /a, POST '/b/{id}'"
    assert [each[1:] for each in asked_routes(text)] == [("GET", "/a"), ("POST", "/b/{id}")]
