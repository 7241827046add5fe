"""What an operation needs of the index: said with it, and true."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from services.bench import Bench
from services.errors import CodeCortexError, UsageError
from services.model import Proposal
from services.operations import Need, by_name
from services.operations.operation import Operation
from services.operations.table import OPERATIONS
from services.settings import IndexSettings, Settings
from tests.support.serving import SHOP
from tests.support.workspace import write_workspace

FILE = "Shop/Order.cs"
NEW = "Shop/Other.cs"
TOKEN = "1_0123456789abcdef"
DIFF = f"--- a/{FILE}\n+++ b/{FILE}\n@@ -1 +1 @@\n-namespace Shop;\n+namespace Store;\n"
LINES = {"token": TOKEN, "startLine": 1, "endLine": 1, "content": "x\n", "lockHandle": "h"}

FREE: list[tuple[str, dict[str, Any]]] = [
    ("ListOps", {}),
    ("StreamOp", {"opId": "op_1"}),
    ("CancelOp", {"opId": "op_1"}),
    ("PauseOps", {"kind": "semantic"}),
    ("getObjectSourceV2", {"object": FILE}),
    ("getObjectSourceV2", {"object": f"{FILE}:1-2"}),
    ("getObjectSourceV2", {"object": "Shop/Gone.cs", "version": "active"}),
    ("getObjectSource", {"object": FILE}),
    ("grepObjectSource", {"pattern": "Order"}),
    ("grepObjectSource", {"pattern": "Order", "object": FILE}),
    ("lock", {"object": FILE}),
    ("lock", {"object": NEW}),
    ("unLock", {"object": FILE, "lockHandle": "h"}),
    ("listLocks", {}),
    ("renewLock", {"lockHandle": "h"}),
    ("breakLock", {"object": FILE, "reason": "idle"}),
    ("setObjectSourceV2", {"object": FILE, **LINES}),
    ("setObjectSource", {"object": NEW, "content": "x\n", "lockHandle": "h"}),
    ("applyPatch", {"diff": DIFF, "expected": {FILE: TOKEN}, "lockHandles": ["h"]}),
    ("PasteBack", {"text": DIFF}),
    ("BeginEditBatch", {}),
    ("AbortEditBatch", {"batch": "E_AAAAAAAA"}),
    ("undo", {}),
    ("undo", {"object": FILE}),
    ("redo", {}),
    ("history", {}),
    ("history", {"object": FILE}),
    ("ListProposals", {}),
    ("GetProposal", {"proposalId": "P_00000000"}),
    ("ApplyProposal", {"proposalId": "P_00000000"}),
    ("ApplyProposal", {"proposalId": "of a file"}),
    ("RefuseProposal", {"proposalId": "P_00000000", "reason": "no"}),
    ("WithdrawProposal", {"proposalId": "P_00000000"}),
    ("GetPromptWindow", {}),
    ("ListPacks", {}),
    ("ActivatePack", {"name": "none"}),
    ("DeletePack", {"name": "none"}),
    ("Copy", {}),
    ("ListReceipts", {}),
    ("ListTemplates", {}),
    ("ListSecrets", {}),
    ("AllowSecret", {"code": "AAAA"}),
    ("MaskSecret", {"code": "AAAA"}),
    ("ListModels", {}),
    ("Calibrate", {"model": "none", "actual": 5}),
    ("ListPresets", {}),
    ("ListChats", {}),
    ("ListTools", {}),
    ("SearchSystem", {"query": "z"}),
    ("CheckSystemSource", {"object": "adt:z"}),
    ("ActivateSystemObject", {"object": "adt:z"}),
    ("ListInactiveObjects", {}),
    ("RunCommand", {"command": "echo a", "dryRun": True}),
    ("RunAgent", {"prompt": "list", "toolType": "list"}),
    ("SavePreset", {"name": "mine"}),
    ("DeletePreset", {"name": "mine"}),
    ("DiffPresets", {"first": "mine"}),
    ("ListChanges", {}),
    ("GetDiff", {}),
    ("GetNumberedDiff", {}),
    ("FetchDiffFromPhabricator", {"revisionId": "D1"}),
    ("FetchCommitChanges", {}),
    ("FetchFileContent", {"path": "a.cs"}),
    ("ResolvePath", {"path": "a.cs"}),
    ("RunTests", {"command": "dotnet test", "dryRun": True}),
    ("RunCommandTool", {"command": "echo a", "dryRun": True}),
    ("PublishComments", {"change": ""}),
    ("Notify", {"key": "k", "text": "{}"}),
    ("CreateMergeRequest", {"project": "github:o/n", "source": "a", "title": "b"}),
    ("Notify", {"key": "k", "text": "{}"}),
    ("ListCommits", {}),
    ("Review", {}),
    ("ListComments", {}),
    ("AddComment", {"text": "x"}),
    ("PasteComments", {"text": "a.cs:1: x"}),
    ("DecideComment", {"comment": "C_1", "state": "accepted"}),
    ("EditComment", {"comment": "C_1", "text": "x"}),
    ("DeleteComment", {"comment": "C_1"}),
    ("MarkReviewed", {"file": "a.cs"}),
    ("SummarizeReview", {"text": "x"}),
    ("GetInterdiff", {}),
    ("PublishReview", {}),
]
INDEXED: list[tuple[str, dict[str, Any]]] = [
    ("SearchSymbols", {}),
    ("ResolveSymbol", {"path": "Order"}),
    ("GetOutline", {"path": "Order"}),
    ("GetMemberOutline", {"memberPath": "Order.Name"}),
    ("FindUsages", {"path": "Order"}),
    ("getObjectSourceV2", {"object": "Shop.Order"}),
    ("getObjectSourceV2", {"object": NEW}),
    ("getObjectSource", {"object": "Order"}),
    ("grepObjectSource", {"pattern": "Order", "object": "Order"}),
    ("objectStructure", {"object": FILE}),
    ("lock", {"object": "Order"}),
    ("RenameSymbol", {"object": "Order", "newName": "Purchase"}),
    ("MoveType", {"object": "Order"}),
    ("CommitEditBatch", {"batch": "E_AAAAAAAA"}),
    ("ChangeSignature", {"object": "Order", "parameters": "a"}),
    ("ExtractInterface", {"object": "Order", "newName": "IOrder"}),
    ("ExtractMethod", {"object": f"{FILE}:1-2", "newName": "Buy"}),
    ("history", {"object": "Order"}),
    ("applyPatch", {"diff": DIFF, "expected": {FILE: TOKEN, "Order": TOKEN}, "lockHandles": ["h"]}),
    ("ApplyProposal", {"proposalId": "of a symbol"}),
    ("ListSymbols", {}),
    ("Pin", {"path": "Order"}),
    ("Unpin", {"path": "Order"}),
    ("Dismiss", {"path": "Order"}),
    ("SetLevel", {"path": "Order", "level": "outline"}),
    ("Move", {"path": "Order"}),
    ("Complete", {}),
    ("Suggest", {}),
    ("GetHierarchy", {"path": "Order"}),
    ("FindTests", {"path": "Order"}),
    ("FindFiles", {"query": "a"}),
    ("RenameSymbol", {"object": "Order", "newName": "Item"}),
    ("GetGraph", {"path": "Order"}),
    ("GetSemantic", {"path": "Order"}),
    ("SetSemantic", {"path": "Order", "text": "ROLE: a"}),
    ("PromptForSemantic", {"paths": "Order"}),
    ("TakeSemantic", {"paths": "Order", "answer": "ROLE: a"}),
    ("QueueSemantic", {"paths": "Order"}),
    ("CancelSemantic", {"paths": "Order"}),
    ("AcceptSemantic", {"path": "Order"}),
    ("FindContext", {"words": "shop"}),
    ("Investigate", {"question": "shop"}),
    ("GetConclusion", {"opId": "op_1"}),
    ("BuildPack", {"name": "x"}),
    ("LoadPreset", {"name": "mine"}),
    ("Ask", {"question": "Why?"}),
    ("RunTool", {"name": "read_file"}),
    ("Export", {}),
    ("Review", {"analyze": True}),
    ("PackDiff", {}),
    ("AnalyzeCodeQuality", {}),
    ("ReadSourceFile", {"path": "a.cs"}),
    ("AnalyzeTestMatrix", {}),
    ("DetectTestFramework", {}),
    ("AnalyzeFeatureList", {}),
    ("GenerateTestCases", {}),
    ("GenerateReviewComments", {}),
    ("WriteTestFile", {"path": "Tests/a.cs", "content": ""}),
    ("Workflow", {}),
    ("ProposeSuggestion", {"comment": "C_1"}),
    ("RunReviewAgent", {}),
    ("Workflow", {}),
    ("PublishReview", {"to": "sarif"}),
]


class Unasked:
    """An index that can be held and let go of, and that nobody may ask."""

    def __init__(self, index: Any) -> None:
        self.close = index.close
        self.catalogue = index.catalogue
        self.reading = index.reading

    def __getattr__(self, name: str) -> Any:
        raise AssertionError(f"The index was asked for {name}.")


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    write_workspace(tmp_path, SHOP)
    with Bench.open(tmp_path, settings=Settings(index=IndexSettings(workers=1))) as bench:
        bench.index.facade = Unasked(bench.index.facade)
        yield bench


def named(name: str) -> Operation:
    operation = by_name(name)
    assert operation is not None
    return operation


def proposed(bench: Bench, obj: str) -> str:
    """The id of a write that an agent proposed."""
    proposal = Proposal(
        id="",
        operation="setObjectSourceV2",
        arguments={"object": obj, **LINES},
        object=obj,
        diff="",
        agent="ada",
        purpose="",
        created_at=0,
    )
    return bench.proposals.add(proposal).id


def of_the_bench(bench: Bench, arguments: dict[str, Any]) -> dict[str, Any]:
    """The arguments with the id of a proposal where one is described."""
    described = {"of a file": FILE, "of a symbol": "Order"}.get(arguments.get("proposalId", ""))
    return arguments if described is None else {**arguments, "proposalId": proposed(bench, described)}


def case(value: Any) -> str | None:
    return value if isinstance(value, str) else None


@pytest.mark.parametrize(("name", "arguments"), FREE, ids=case)
def test_what_needs_no_index_says_so_and_asks_nothing_of_it(
    bench: Bench, name: str, arguments: dict[str, Any]
) -> None:
    arguments = of_the_bench(bench, arguments)
    assert named(name).need(bench, arguments) is Need.NOTHING
    with suppress(CodeCortexError):  # there is no such lock, proposal, preset ...
        named(name).run(bench, arguments)


@pytest.mark.parametrize(("name", "arguments"), INDEXED, ids=case)
def test_what_is_about_symbols_needs_the_index_and_says_so_without_asking_it(
    bench: Bench, name: str, arguments: dict[str, Any]
) -> None:
    assert named(name).need(bench, of_the_bench(bench, arguments)) is Need.WHOLE


def test_a_window_with_something_in_it_needs_the_index(tmp_path: Path) -> None:
    write_workspace(tmp_path, SHOP)
    with Bench.open(tmp_path, settings=Settings(index=IndexSettings(workers=1))) as bench:
        bench.index.refresh()
        bench.window.pin("Shop.Order")
        assert named("GetPromptWindow").need(bench, {}) is Need.WHOLE
        assert named("Copy").need(bench, {}) is Need.WHOLE


def test_every_operation_is_looked_at_here() -> None:
    looked_at = {name for name, _ in (*FREE, *INDEXED)} | {"Status"}
    assert looked_at == {operation.name for operation in OPERATIONS}


def test_arguments_that_do_not_fit_are_refused_before_anything_is_made_ready(bench: Bench) -> None:
    with pytest.raises(UsageError, match="limit"):
        named("SearchSymbols").need(bench, {"limit": 0})
