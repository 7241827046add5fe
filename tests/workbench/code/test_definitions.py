"""From a name to what it means, in an app that holds nothing else."""

from __future__ import annotations

from msgspec.structs import replace
from textual.widget import Widget

from services.model import Definition, Kind, ResolveAnswer
from tests.support.stage_bench import HEIGHT, ROW, TREE, StageBench
from tests.workbench.main.host import PartHost, hosted
from workbench.code.visits import Definitions
from workbench.ui.jobs import Jobs
from workbench.ui.messages import Tell

_KINDS = (Definitions.Found, Definitions.Ambiguous, Tell)


class _Reader(Widget):
    """Reads definitions."""

    def __init__(self, bench: StageBench) -> None:
        super().__init__()
        self.jobs = Jobs(self, self._failed)
        self.definitions = Definitions(self, self.jobs)
        self.definitions.bench = bench
        self.failures: list[Exception] = []

    def _failed(self, error: Exception) -> None:
        self.failures.append(error)


async def _of_name(bench: StageBench, *, line: int = 30) -> PartHost:
    reader = _Reader(bench)
    async with hosted(reader, *_KINDS) as host:
        reader.definitions.at("src/Tree.cs", line, 4)
        await host.settle()
        assert bench.places.asked == [("src/Tree.cs", line, 4)]
        return host


def _said(host: PartHost) -> str:
    message = host.ear.last()
    assert isinstance(message, Tell)
    return f"{message.notice.message} {message.notice.what_to_do}"


async def test_a_name_that_is_known_for_certain_leads_to_its_symbol() -> None:
    host = await _of_name(StageBench())
    assert [event.place for event in host.heard if isinstance(event, Definitions.Found)] == [TREE.id]


async def test_on_the_declaration_itself_it_is_said_that_it_is_one() -> None:
    host = await _of_name(StageBench(), line=TREE.start_line)
    assert "declaration of Tree" in _said(host)
    assert "used" in _said(host)


async def test_a_local_name_leads_to_its_line() -> None:
    bench = StageBench()
    bench.places.meaning = Definition(name="height", line=12, certain=True)
    host = await _of_name(bench)
    assert [event.place for event in host.heard if isinstance(event, Definitions.Found)] == ["src/Tree.cs:12"]


async def test_a_name_that_may_mean_several_is_to_be_picked() -> None:
    bench = StageBench()
    bench.places.meaning = Definition(name="Tree", symbols=(TREE, ROW), reason="two of them")
    host = await _of_name(bench)
    assert [event.definition for event in host.heard if isinstance(event, Definitions.Ambiguous)] == [
        bench.places.meaning
    ]


async def test_where_no_name_is_that_is_said() -> None:
    bench = StageBench()
    bench.places.meaning = Definition(name="")
    assert "no name under the cursor" in _said(await _of_name(bench))


async def test_a_followed_name_is_found_or_picked_or_not_declared() -> None:
    bench = StageBench()
    answers = {
        "one": ResolveAnswer(query="one", symbol=ROW),
        "two": ResolveAnswer(query="two", candidates=(TREE, ROW)),
        "none": ResolveAnswer(query="none"),
        "Orchard": ResolveAnswer(
            query="Orchard", symbol=replace(TREE, kind=Kind.NAMESPACE, path="Orchard", file="")
        ),
    }
    bench.resolve = answers.__getitem__  # pyright: ignore[reportAttributeAccessIssue]
    reader = _Reader(bench)
    async with hosted(reader, *_KINDS) as host:
        for name in answers:
            reader.definitions.named(name)
            await host.settle()
        found, several, said, namespace = host.heard
        assert isinstance(found, Definitions.Found)
        assert found.place == ROW.id
        assert isinstance(several, Definitions.Ambiguous)
        assert several.definition.symbols == (TREE, ROW)
        assert isinstance(said, Tell)
        assert "none is not declared" in said.notice.message
        assert isinstance(namespace, Tell)
        assert namespace.notice.message == "Orchard is a namespace."


async def test_above_a_member_is_its_type_without_asking() -> None:
    reader = _Reader(StageBench())
    async with hosted(reader, *_KINDS) as host:
        reader.definitions.above(HEIGHT)
        await host.settle()
        assert [event.place for event in host.heard if isinstance(event, Definitions.Found)] == [TREE.id]
