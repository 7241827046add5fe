"""A served workspace while it is being indexed, and calls that are cancelled."""

from __future__ import annotations

import threading

import anyio
import pytest
from mcp import Client

from services.bench import Bench
from services.errors import Busy, Cancelled, NotAllowed, UsageError
from services.model import Progress
from services.operations import Work, by_name
from services.server.mcp.factory import handlers_of, make_server
from services.server.paging import CURSOR
from services.server.path_access import agent_named
from services.server.serving import Serving
from services.settings import AgentSettings, IndexSettings, Settings
from services.source.journal.actor import Owner
from tests.support.serving import SHOP, served
from tests.support.workspace import edit, write_workspace

AGENT = Owner("tester")


def not_started(folder, *, patience: float = 0.1, settings: Settings | None = None) -> Serving:
    settings = settings or Settings(index=IndexSettings(workers=1))
    write_workspace(folder, SHOP)
    return Serving(Bench.open(folder, settings=settings), settings=settings, patience=patience)


def test_a_call_before_the_index_is_there_is_busy_and_says_how_far_it_is(tmp_path):
    with not_started(tmp_path) as serving, pytest.raises(Busy) as caught:
        serving.call(by_name("SearchSymbols"), {}, agent=AGENT)
    assert caught.value.details["progress"] == 0.0


def test_status_does_not_wait_for_the_index(tmp_path):
    with not_started(tmp_path) as serving:
        assert serving.call(by_name("Status"), {}, agent=AGENT)["state"] == "empty"


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("listLocks", {}),
        ("history", {}),
        ("ListProposals", {}),
        ("getObjectSourceV2", {"object": "Shop/Order.cs"}),
        ("grepObjectSource", {"pattern": "record"}),
        ("lock", {"object": "Shop/Order.cs"}),
        ("GetPromptWindow", {}),
    ],
)
def test_what_needs_no_index_does_not_wait_for_it(tmp_path, name, arguments):
    with not_started(tmp_path) as serving:
        assert serving.call(by_name(name), arguments, agent=AGENT)


def test_the_history_of_a_symbol_waits_for_the_index_instead_of_not_knowing_it(tmp_path):
    with not_started(tmp_path) as serving, pytest.raises(Busy):
        serving.call(by_name("history"), {"object": "Shop.Orders"}, agent=AGENT)


def test_arguments_that_do_not_fit_are_said_before_there_is_an_index(tmp_path):
    with not_started(tmp_path) as serving, pytest.raises(UsageError, match="limit"):
        serving.call(by_name("SearchSymbols"), {"limit": 0}, agent=AGENT)


def test_a_call_waits_for_the_index_as_long_as_it_may(tmp_path):
    with not_started(tmp_path, patience=30) as serving:
        threading.Timer(0.2, serving.start).start()
        assert serving.call(by_name("SearchSymbols"), {"query": "Orders"}, agent=AGENT)["hits"]


def test_waiting_for_the_index_can_be_cancelled(tmp_path):
    cancel = threading.Event()
    cancel.set()
    with not_started(tmp_path, patience=30) as serving, pytest.raises(Cancelled):
        serving.call(by_name("SearchSymbols"), {}, agent=AGENT, work=Work(cancel=cancel))


def test_once_nothing_is_left_to_be_made_ready_that_is_said_once(tmp_path):
    settings = Settings(index=IndexSettings(workers=1))
    write_workspace(tmp_path, SHOP)
    told: list[tuple[bool, bool]] = []
    rested = threading.Event()

    def at_rest() -> None:
        told.append((serving.ready, serving.bench.index.is_related))
        rested.set()

    bench = Bench.open(tmp_path, settings=settings)
    with Serving(bench, settings=settings, at_rest=at_rest) as serving:
        serving.start()
        assert rested.wait(60)
    assert told == [(True, True)]


def test_tokens_that_a_helper_process_counts_are_the_same(tmp_path):
    settings = Settings(index=IndexSettings(workers=1))
    rows = "\n".join(f"// Row {at} of a page that is measured." for at in range(2_000))
    write_workspace(tmp_path, SHOP | {"Shop/Long.cs": f"namespace Shop;\n{rows}\n"})
    answers = []
    for helper in (False, True):
        rested = threading.Event()
        with Serving.open(tmp_path, settings, helper=helper, at_rest=rested.set) as serving:
            assert rested.wait(60)
            read = serving.call(by_name("getObjectSourceV2"), {"object": "Shop/Long.cs"}, agent=AGENT)
            window = serving.bench.window.pin("Shop.Orders")
            counter = Bench.counter_process.peek(serving.bench)
            assert (counter is not None and counter.pid is not None) is helper
        answers.append((read["endLine"], window.tokens))
    assert answers[0] == answers[1]


def test_what_is_done_for_nobody_makes_way_for_a_call(tmp_path):
    with served(tmp_path) as serving:
        serving.call(by_name("SearchSymbols"), {"query": "Orders"}, agent=AGENT)
        made, way = serving.bench.pause_background, list[str]()
        serving.bench.pause_background = lambda: way.append("made") or made()
        serving.call(by_name("SearchSymbols"), {"query": "Order"}, agent=AGENT)
        serving.whole(by_name("GetOutline"), {"path": "Shop.Orders"}, agent=AGENT)
    assert way == ["made", "made"]


def test_what_only_a_person_may_do_is_refused(tmp_path):
    with served(tmp_path) as serving, pytest.raises(NotAllowed):
        serving.call(by_name("ApplyProposal"), {"proposalId": "x"}, agent=AGENT)


def test_the_settings_can_keep_agents_from_pinning(tmp_path):
    settings = Settings(index=IndexSettings(workers=1), agents=AgentSettings(pin="refuse"))
    with not_started(tmp_path, patience=30, settings=settings) as serving:
        serving.start()
        with pytest.raises(NotAllowed):
            serving.call(by_name("Pin"), {"path": "Shop.Orders"}, agent=AGENT)


def test_pages_of_a_grep_have_every_match_once(tmp_path):
    files = {**SHOP, "a.txt": "".join(f"line {i} is long enough to be counted\n" for i in range(3_000))}
    with served(tmp_path, files) as serving:
        grep = by_name("grepObjectSource")
        asked = {"pattern": "^line", "regex": True, "object": "a.txt", "maxMatches": 3_000}
        page = serving.call(grep, asked, agent=AGENT)
        lines = [match["lineNumber"] for match in page["matches"]]
        while CURSOR in page:
            page = serving.call(grep, {**asked, "cursor": page[CURSOR]}, agent=AGENT)
            lines += [match["lineNumber"] for match in page["matches"]]
    assert lines == list(range(1, 3_001))


def test_a_cursor_belongs_to_its_call(tmp_path):
    files = {**SHOP, "a.txt": "word " * 100 + "\n" + "line\n" * 40_000}
    with served(tmp_path, files) as serving:
        read = by_name("getObjectSourceV2")
        page = serving.call(read, {"object": "a.txt"}, agent=AGENT)
        with pytest.raises(UsageError):
            serving.call(read, {"object": "Shop/Order.cs", "cursor": page[CURSOR]}, agent=AGENT)


def test_a_change_has_no_further_pages(tmp_path):
    with served(tmp_path) as serving, pytest.raises(UsageError, match="cursor"):
        serving.call(by_name("Pin"), {"path": "Shop.Orders", "cursor": "x"}, agent=AGENT)


WAITING = [
    ("Complete", {}),
    ("Suggest", {}),
    ("FindContext", {"words": "shop"}),
    ("Investigate", {"question": "shop"}),
    ("BuildPack", {"name": "x", "filter": "type:O*"}),
    ("GetPromptWindow", {}),
]


@pytest.mark.parametrize(("name", "arguments"), WAITING)
def test_who_waits_for_dependencies_is_told_how_far_they_are_and_may_give_up(tmp_path, name, arguments):
    told, cancel = [], threading.Event()

    def progress(now: Progress) -> None:
        told.append(now.phase)
        cancel.set()

    with served(tmp_path) as serving:
        serving.call(by_name("Pin"), {"path": "Shop.Orders"}, agent=AGENT)
        relating = serving.bench.index.facade.dependencies
        with relating._running.turn():  # another thread is at it
            edit(tmp_path, "Shop/Order.cs", "namespace Shop; public class Order { public Orders? Others; }\n")
            serving.bench.index.refresh()
            relating._progress = Progress(phase="Relating types", done=1, total=2)
            with pytest.raises(Cancelled):
                serving.call(by_name(name), arguments, agent=AGENT, work=Work(progress, cancel))
    assert set(told) == {"Relating types"}


async def test_a_cancelled_request_ends_its_call(tmp_path):
    """The call of a client that gives up does not go on waiting."""
    with not_started(tmp_path, patience=30) as serving:
        parts = handlers_of(serving)
        async with parts.background(), Client(make_server(parts)) as client:
            with anyio.move_on_after(0.5) as scope:
                await client.call_tool("search_symbols", {"query": "x"})
            assert scope.cancelled_caught
            with anyio.fail_after(60):
                while any(
                    thread.name.startswith("AnyIO") and _works(thread) for thread in threading.enumerate()
                ):
                    await anyio.sleep(0.05)


def _works(thread: threading.Thread) -> bool:
    import sys
    import traceback

    frame = sys._current_frames().get(thread.ident or 0)
    return frame is not None and any("_await_index" in each.name for each in traceback.extract_stack(frame))


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("Claude Code", "Claude-Code"),
        ("", "agent"),
        ("a/b\n\x1b[2J", "a-b-2J"),
        ("é" * 9, "agent"),
        ("x" * 99, "x" * 40),
    ],
)
def test_an_agents_name_cannot_be_mistaken_for_something_else(name, kept):
    assert agent_named(name).user == kept
