"""Files of a repository and of a state that are nested fifty thousand deep stop nothing else."""

from __future__ import annotations

from pathlib import Path

from tests.support.every_operation import call_all
from tests.support.workspace import indexed, opened, project

DEEP = 50_000
JSON = '{"version": 3, "x":' + "[" * DEEP + "]" * DEEP + "}"
XML = "<a>" * DEEP + "</a>" * DEEP
TOML = "a = " + "[" * DEEP
FILES = {
    "A.csproj": project("<TargetFramework>net8.0</TargetFramework>"),
    "A.cs": "namespace N; public class A { public int Do() => 1; }",
    "obj/project.assets.json": JSON,
    "global.json": JSON,
    "Some.slnf": JSON,
    "Some.slnx": XML,
    "Directory.Build.props": XML,
    "Packages/manifest.json": JSON,
    "Assets/Some.asmdef": JSON,
}
STATE = {
    **dict.fromkeys(
        ("access.json", "aliases.json", "calibration.json", "index.json", "measures.json", "model.json", "window.json",
         "packs-active.json", "previous_window.json", "secrets.json", "semantic-asked.json", "ops/op_x.json",
         "presets/p.json", "proposals/P_x.json", "receipts/x.json", "reviews/R_x.json", "runs/R_x.json"),
        JSON,
    ),
    "packs/p.toml": TOML,
    "letters.msgpack": "\x11" * DEEP,
}  # fmt: skip


def test_files_of_a_repository_are_passed_over(tmp_path: Path) -> None:
    with indexed(tmp_path, FILES) as bench:
        assert [hit.symbol.label for hit in bench.index.search("A").hits] == ["A"]
        assert "Directory.Build.props" in str(bench.health.notices())
        call_all(bench)


def test_files_of_a_state_are_set_aside(tmp_path: Path) -> None:
    files = {name: text for name, text in FILES.items() if name.startswith("A")}
    with indexed(tmp_path, files) as bench:
        for name, text in STATE.items():
            bench.state.write(name, text.encode())
    with opened(tmp_path) as bench:
        bench.index.refresh()
        outcomes = call_all(bench)
        assert sum(outcome == "done" for outcome in outcomes.values()) > 60
