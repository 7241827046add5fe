"""The tools of a review server under the names that 002 has for them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from services.bench.bench import Bench
from services.errors import PathRefused, UsageError
from services.operations.operation import Operation, by_name
from services.operations.review import agent_tools
from services.operations.table import OPERATIONS
from services.review.sources.client import ServerClient
from services.review.sources.github import GitHub
from services.review.sources.gitlab import GitLab
from services.server.serving import Serving
from services.settings import ReviewSettings, Settings
from tests.support.api_contract import contract
from tests.support.review_change import CODE, commit, committed
from tests.support.workspace import PYTEST_INI

NAMES = {
    "fetch-diff-from-phabricator", "fetch-commit-changes", "fetch-file-content", "analyze-code-quality",
    "analyze-test-matrix", "detect-test-framework", "analyze-feature-list", "generate-test-cases",
    "generate-review-comments", "write-test-file", "read-source-file", "resolve-path", "run-tests", "run-command",
    "publish-comments", "create-merge-request",
}  # fmt: skip
SECOND = CODE.replace("return a;", "return a + 1;").replace(
    "public int Twice", "public int Thrice(int a) => a * 3;\n\n    public int Twice"
)


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    with committed(tmp_path) as made:
        commit(made, SECOND)
        yield made


def call(bench: Bench, tool: str, **arguments: Any) -> Any:
    operation = next(each for each in OPERATIONS if each.faces.tool == tool)
    return operation.run(bench, arguments)


def test_their_names_are_those_of_the_design() -> None:
    named = {each.faces.tool for each in OPERATIONS if each.feature == agent_tools.FEATURE}
    assert named == NAMES


@pytest.mark.parametrize("on", [False, True])
def test_they_are_offered_where_the_feature_is_switched_on(bench: Bench, on: bool) -> None:
    serving = Serving(bench, settings=Settings(review=ReviewSettings(agent_tools=on)))
    offered = {each.faces.tool for each in OPERATIONS if serving.offers(each)}
    assert (offered & NAMES) == (NAMES if on else set())


def test_changes_and_files_are_fetched(bench: Bench) -> None:
    assert "NEW_LINE_7: +         return a + 1;" in call(bench, "fetch-commit-changes", commit="HEAD").text
    assert "return a;" in call(bench, "fetch-file-content", path="Lib/Shop.cs", commit="HEAD~1").content
    assert (
        call(bench, "read-source-file", path="Lib/Shop.cs", startLine=7, endLine=7).content.strip()
        == "return a + 1;"
    )
    found = call(bench, "resolve-path", path="Lib/../Lib/Shop.cs")
    assert (found.path, found.is_file, found.is_folder) == ("Lib/Shop.cs", True, False)
    with pytest.raises(UsageError, match="Write D123"):
        call(bench, "fetch-diff-from-phabricator", revisionId="https://x")


def test_a_workspace_below_a_repository_has_nothing_of_what_is_beside_it(bench: Bench) -> None:
    with Bench.open(bench.root / "Lib", settings=Settings()) as below:
        assert call(below, "fetch-file-content", path="Shop.cs").content
        with pytest.raises(PathRefused):
            call(below, "fetch-file-content", path="../Lib/Shop.cs")


@pytest.mark.parametrize("path", ["a/" * 3_000 + "x.cs", "Lib/gone.cs"])
def test_a_path_that_leads_nowhere_is_told(bench: Bench, path: str) -> None:
    found = call(bench, "resolve-path", path=path)
    assert not (found.is_file or found.is_folder)


def test_a_change_is_analyzed_without_a_model(bench: Bench) -> None:
    features = call(bench, "analyze-feature-list", change="HEAD")
    assert (features.commits, features.added) == (("more",), ("int N.Shop.Thrice(int a)",))
    matrix = call(bench, "analyze-test-matrix", change="HEAD")
    assert {each.member: [(test.path, test.way) for test in each.tests] for each in matrix.rows} == {
        "N.Shop.Sum": [("N.Tests.ShopTests.Sums", ("N.Shop.Twice",))],
        "N.Shop.Thrice": [],
    }
    quality = call(bench, "analyze-code-quality", change="HEAD")
    assert {each.kind for each in quality.findings} == {"api"}
    assert [each.path for each in call(bench, "detect-test-framework").projects] == [
        "Lib.Tests/Lib.Tests.csproj"
    ]


PYTHON_TESTS = """\
import os
import pytest

def test_good():
    pass

@pytest.mark.skip
def test_skipped():
    pass

def test_bad():
    helper()

def helper():
    assert 1 == 2
"""


def test_a_test_run_is_told_as_data(bench: Bench) -> None:
    (bench.root / "checks").mkdir()
    (bench.root / "checks/pytest.ini").write_text(PYTEST_INI)
    (bench.root / "checks/test_one.py").write_text(PYTHON_TESTS)
    assert call(bench, "detect-test-framework").projects[-1].command == "pytest checks"
    with pytest.raises(UsageError, match=r"Name one: Lib.Tests/Lib.Tests.csproj, checks"):
        call(bench, "run-tests")
    done = call(bench, "run-tests", project="checks")
    assert (done.passed, done.failed, done.skipped, done.success, done.source) == (1, 1, 1, False, "junit")
    (failure,) = done.failures
    assert [(each.file, each.line) for each in failure.places][:2] == [
        ("checks/test_one.py", 15),
        ("checks/test_one.py", 12),
    ]
    assert call(bench, "run-tests", project="checks", filter="good").success
    none = call(bench, "run-tests", project="checks", filter="nothing")
    assert (none.success, none.notes) == (False, ("No test ran: none matched.",))
    with pytest.raises(UsageError, match="neither a filter"):
        call(bench, "run-tests", command="pytest checks", filter="good")


def test_comments_are_generated_and_nothing_is_published_without_a_server(bench: Bench) -> None:
    made = call(bench, "generate-review-comments", change="HEAD")
    assert [each.category for each in made.review.comments] == ["tests"]
    with pytest.raises(UsageError, match="on no server"):
        call(bench, "publish-comments", change="HEAD")
    told = call(bench, "create-merge-request", project="github:o/n", source="topic", title="Thrice")
    assert told.preview
    with pytest.raises(UsageError, match="is no project"):
        call(bench, "create-merge-request", project="n", source="topic", title="Thrice", send=True)


class Requests:
    """Requests of either server, which answers the open ones for a branch."""

    def __init__(self, kind: str, address: str) -> None:
        self._contract = contract(kind)
        self.address = address
        self.made: list[dict[str, Any]] = []

    def __call__(self, request: httpx2.Request) -> httpx2.Response:
        operation = self._contract.operation(request.method, request.url.raw_path.decode().partition("?")[0])
        assert operation.faults_of_request(request) == []
        if request.method == "POST":
            self.made.append(json.loads(request.content))
            return httpx2.Response(201, json={"html_url": self.address, "web_url": self.address})
        rows = [{"html_url": self.address, "web_url": self.address} for _ in self.made]
        return httpx2.Response(200, json=rows)


@pytest.mark.parametrize("kind", [GitHub, GitLab])
def test_a_branch_is_asked_to_be_merged_once(kind: type[GitHub] | type[GitLab]) -> None:
    there = Requests(kind.kind, "https://server.test/o/n/1")
    server = kind(ServerClient("https://server.test", {}, transport=httpx2.MockTransport(there)))
    first = server.request("o/n", ("topic", "main"), "Thrice", "Why")
    again = server.request("o/n", ("topic", "main"), "Thrice", "Why")
    assert (first, again) == ((there.address, True), (there.address, False))
    assert len(there.made) == 1


def test_each_is_known_by_its_name_over_json_rpc() -> None:
    assert isinstance(by_name("FetchCommitChanges"), Operation)
