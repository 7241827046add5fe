"""What a person does in a shell, on the sample solution, with the real services."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from services.model import Kind
from workbench.shell.cli import run

CAPACITY = ("--set", "window.budget=1000")


class Shell:
    """Command lines on one copy of the sample."""

    def __init__(self, folder: Path, capture: pytest.CaptureFixture[str]) -> None:
        self.folder = folder
        self._capture = capture

    def run(self, *arguments: str) -> tuple[int, str, str]:
        """Status, stdout, stderr."""
        status = run(["--root", str(self.folder), *arguments])
        return status, *self._capture.readouterr()

    def json(self, *arguments: str) -> Any:
        """The one document of a successful `--json`."""
        status, out, err = self.run(*arguments, "--json")
        assert status == 0, err
        return json.loads(out)

    def error(self, *arguments: str) -> Any:
        """The error of a failed `--json`."""
        status, out, err = self.run(*arguments, "--json")
        assert (status, out) == (1, "")
        return json.loads(err)["error"]


@pytest.fixture
def shell(
    orchard: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Shell:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return Shell(orchard, capsys)


def test_search_outline_and_read_find_the_same_type(shell: Shell) -> None:
    symbol = shell.json("search", "harv", "ledg", "kind:class")["hits"][0]["symbol"]
    outline = shell.json("outline", symbol["id"])
    source = shell.json("read", "HarvestLedger")
    assert outline["resolved"] == source["resolved"] == shell.json("resolve", "HarvestLedger")["resolved"]
    assert outline["resolved"]["typeId"] == symbol["id"]
    assert "Enter(Harvest harvest)" in outline["text"]
    assert source["content"].startswith("public sealed class HarvestLedger")
    assert source["startLine"] == symbol["startLine"]


def test_the_dump_has_every_symbol_once_and_the_sample_nearly_every_kind(shell: Shell) -> None:
    status, out, _ = shell.run("symbols", "--jsonl")
    rows = [json.loads(line) for line in out.splitlines()]
    ids = [row["id"] for row in rows]
    assert status == 0
    assert len(set(ids)) == len(ids) > 150
    missing = set(Kind) - {Kind(row["kind"]) for row in rows}
    # The sample is built with today's compilers, which know no union yet.
    assert missing <= {Kind.EXTENSION_MEMBER, Kind.NAMESPACE, Kind.UNION}


def test_a_pack_keeps_its_filter_when_it_is_built_again(shell: Shell) -> None:
    first = shell.json("pack", "measures", "namespace:Orchard.Measures", "access:public")
    again = shell.json("pack", "measures")
    listed = shell.json("packs")["packs"]
    assert first["filter"] == again["filter"] == "namespace:Orchard.Measures access:public"
    assert (again["tokens"], again["rebuilt"]) == (first["tokens"], False)
    assert [(each["name"], each["types"]) for each in listed] == [("measures", len(first["types"]))]


def test_a_pinned_body_is_completed_by_what_it_names(shell: Shell) -> None:
    shell.json("pin", "HarvestLedger", "--member", "Enter", "--member", "TotalsBetween")
    lacking = shell.json("complete")
    after = shell.json("complete", "--add")
    related = shell.json("suggest")["suggestions"]
    assert lacking["missing"]
    assert len(after["added"]) == len(lacking["missing"])
    assert after["shown"] > lacking["shown"]
    assert after["typesShown"] > lacking["typesShown"]
    assert all(each["reason"] for each in related)


def test_what_was_pinned_is_in_the_window_of_the_next_run(shell: Shell) -> None:
    pinned = shell.json("pin", "Kilograms")
    window = shell.json("window", *CAPACITY)
    assert pinned["resolved"]["path"] == "Orchard.Measures.Kilograms"
    assert [item["label"] for item in window["items"]] == ["Kilograms"]
    assert 0 < window["pinnedTokens"] <= window["tokens"] <= window["budget"] == 1000
    assert "record struct Kilograms" in window["text"]
    assert not shell.json("unpin", "Kilograms")["items"][0]["pinned"]
    assert shell.json("dismiss", "Kilograms")["items"] == []


def test_a_pin_past_the_soft_budget_is_refused_unless_forced(shell: Shell) -> None:
    small = ("--set", "window.budget=200")
    refused = shell.error("pin", "HarvestLedger", *small)
    assert refused["code"] == "BudgetExceeded"
    assert shell.json("window")["items"] == []
    assert shell.json("pin", "HarvestLedger", "--force", *small)["items"][0]["pinned"]


def test_an_edited_file_is_seen_at_once_unless_told_not_to_look(shell: Shell) -> None:
    shell.json("status")
    file = shell.folder / "src/Orchard/Measures/Celsius.cs"
    file.write_text(file.read_text().replace("IsFrost", "IsFreezing"))
    assert shell.error("resolve", "Celsius.IsFreezing", "--no-refresh")["code"] == "SymbolNotFound"
    assert shell.json("resolve", "Celsius.IsFreezing")["how"] == "suffix"
    assert "IsFreezing" in shell.json("outline", "Celsius", "--no-refresh")["text"]


def test_a_wrong_name_has_suggestions_and_one_of_many_has_candidates(shell: Shell) -> None:
    missing = shell.error("outline", "HarvestLedger.Remove")
    several = shell.error("outline", "IPlotStore.*Async")
    assert missing["code"] == "SymbolNotFound"
    assert isinstance(missing["suggestions"], list)
    assert several["code"] == "AmbiguousSymbol"
    assert {"path", "typeId"} <= set(several["candidates"][0])


def test_status_counts_what_there_is(shell: Shell) -> None:
    status = shell.json("status")
    assert [project["name"] for project in status["projects"]] == ["Orchard", "Orchard.Tests"]
    assert status["files"] == sum(status["quality"].values()) == len(list(shell.folder.rglob("*.cs")))
    assert shell.run("status")[1].startswith("root ")


def test_a_folder_without_code_answers_with_nothing(shell: Shell, tmp_path: Path) -> None:
    empty = Shell(tmp_path / "empty", shell._capture)
    empty.folder.mkdir()
    status, out, _ = empty.run("search", "x", "--json")
    assert (status, json.loads(out)["hits"]) == (1, [])
    assert empty.json("status")["files"] == 0


def test_a_folder_that_is_not_there_is_said_to_be_missing(shell: Shell, tmp_path: Path) -> None:
    nowhere = Shell(tmp_path / "nowhere", shell._capture)
    assert nowhere.error("status")["code"] == "WorkspaceError"
