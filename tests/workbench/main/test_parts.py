"""Parts of the middle pane, each in an app that holds nothing else."""

from __future__ import annotations

import threading

from services.model import SymbolRef
from tests.support.stage_bench import HEIGHT, SOURCE, TREE, StageBench, StagePlaces
from tests.workbench.main.host import hosted
from workbench.code.code_views import BreadcrumbsPart
from workbench.code.opened import Opened, Place, read
from workbench.code.source_part import SourcePart
from workbench.code.visits import Arrival, Visits

FILE = "src/Tree.cs"


def _opened(place: str = TREE.id) -> Opened:
    return read(StageBench(), Place.parse(place))


class _SlowPlaces(StagePlaces):
    """Says what is around a line when it is let."""

    def __init__(self) -> None:
        super().__init__()
        self.gate = threading.Event()

    def enclosing(self, file: str, line: int) -> SymbolRef | None:
        assert self.gate.wait(60)
        return super().enclosing(file, line)


async def test_the_source_shows_the_file_of_what_is_open_and_goes_to_its_line() -> None:
    part = SourcePart(empty="nothing", id="source")
    async with hosted(part):
        assert (part.place, part.text, part.subject) == (None, ("", ""), None)
        part.show(_opened())
        assert part.place == (FILE, TREE.start_line)
        assert part.text == (SOURCE, FILE)


async def test_lines_that_are_opened_are_selected_and_are_what_a_copy_and_a_pin_take() -> None:
    part = SourcePart(empty="nothing", id="source")
    async with hosted(part):
        part.show(_opened(f"{FILE}:6-7"))
        assert part.text == ("public class Tree\n{\n", "2 lines")
        assert part.subject is not None
        assert part.subject.target == f"{FILE}:6-7"


async def test_the_same_place_read_again_leaves_the_cursor_where_it_is() -> None:
    part = SourcePart(empty="nothing", id="source")
    async with hosted(part):
        part.show(_opened())
        part.action_move(3)
        part.show(_opened(), keep_line=True)
        assert part.cursor_line == TREE.start_line + 3
        part.show(_opened())
        assert part.cursor_line == TREE.start_line


async def test_what_was_found_is_lit_in_its_file_alone() -> None:
    part = SourcePart(empty="nothing", id="source")
    async with hosted(part):
        part.show(_opened())
        part.light({"src/Other.cs": {1: [(0, 1)]}})
        assert part.lit_lines == 0
        part.light({FILE: {8: [(0, 3)], 9: [(0, 3)]}})
        assert part.lit_lines == 2
        part.light({})
        assert part.lit_lines == 0


async def test_the_trail_leads_to_the_symbol_around_the_line() -> None:
    part = BreadcrumbsPart()
    part.bench = StageBench()
    async with hosted(part, BreadcrumbsPart.Reached) as host:
        part.look(FILE, 8)
        await host.settle()
        assert (part.symbol, list(part.steps)[-1]) == (HEIGHT, (HEIGHT.id, HEIGHT.label))
        assert len(host.heard) == 1
        part.look(FILE, 8)
        await host.settle()
        assert len(host.heard) == 1


async def test_a_symbol_that_is_opened_is_not_replaced_by_what_was_around_the_cursor_before() -> None:
    part, bench = BreadcrumbsPart(), StageBench()
    bench.places = places = _SlowPlaces()
    part.bench = bench
    async with hosted(part) as host:
        part.look(FILE, 8)
        part.show(TREE)
        places.gate.set()
        await host.settle()
        assert part.symbol == TREE


async def test_one_comes_back_to_the_line_and_the_view_that_were_left() -> None:
    arrivals: list[Arrival] = []
    here = (1, "outline")
    part = BreadcrumbsPart()
    async with hosted(part) as host:
        visits = Visits(part._jobs, here=lambda: here, arrived=arrivals.append)
        visits.bench = StageBench()
        visits.go(TREE.id)
        await host.settle()
        here = (17, "source")
        visits.go(f"{FILE}:30", column=4)
        await host.settle()
        visits.step(-1)
        await host.settle()
    assert [arrival.opened.place.target for arrival in arrivals] == [TREE.id, f"{FILE}:30", TREE.id]
    assert (arrivals[1].column, arrivals[1].spot) == (4, None)
    back = arrivals[2].spot
    assert back is not None
    assert (back.line, back.view) == (17, "source")
    assert (visits.history.can_go_back, visits.history.can_go_forward) == (False, True)


async def test_a_place_read_again_is_no_other_visit_and_one_that_cannot_be_read_is_none() -> None:
    arrivals: list[Arrival] = []
    part, bench = BreadcrumbsPart(), StageBench()
    async with hosted(part) as host:
        visits = Visits(part._jobs, here=lambda: (0, ""), arrived=arrivals.append)
        visits.bench = bench
        visits.reload()
        visits.go(TREE.id)
        await host.settle()
        visits.reload()
        await host.settle()
        visits.go("T_ZZZZZZZZ", quiet=True)
        await host.settle()
    assert [arrival.reloaded for arrival in arrivals] == [False, True]
    assert visits.history.places == (TREE.id,)
    assert [call for call in bench.calls if call.startswith("visit")] == [f"visit {TREE.id}"]


async def test_what_others_write_holds_nobody_back_who_is_on_the_way_to_another_place() -> None:
    arrivals: list[Arrival] = []
    part, bench = BreadcrumbsPart(), StageBench()
    async with hosted(part) as host:
        visits = Visits(part._jobs, here=lambda: (0, ""), arrived=arrivals.append)
        visits.bench = bench
        visits.go(TREE.id)
        await host.settle()
        visits.go(f"{FILE}:30")
        for _ in range(3):
            visits.reload()
        await host.settle()
    told = [(arrival.opened.place.target, arrival.reloaded) for arrival in arrivals]
    assert told == [(TREE.id, False), (f"{FILE}:30", False), (f"{FILE}:30", True)]
