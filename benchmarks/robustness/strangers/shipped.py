"""Repository with everything that an earlier version stored in `.context/`, and with planted jobs."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path

from benchmarks.robustness.damage import use_home
from benchmarks.robustness.damage_workspace import prepare
from services.ops.jobs import JobRequest
from services.ops.rows import job_file
from services.ops.sql_jobs import SqlJobs
from services.settings import PROJECT_FILE, definitions
from services.workspace.files.openers import SHARED_FOLDER
from services.workspace.state_home import StateHome

_SOURCES = {
    "App.csproj": '<Project Sdk="Microsoft.NET.Sdk"><PropertyGroup /></Project>\n',
    "A.cs": "namespace N;\n/// <summary>One.</summary>\npublic class A\n{\n    public int Do() => 1;\n}\n",
    "B.cs": "namespace N;\npublic class B\n{\n    public A Make() => new A();\n}\n",
    "C.cs": "namespace N;\npublic interface IC { B Give(); }\npublic record D(A A);\n",
}
_PERSONAL = """default = "own"
[models.own]
endpoint = "{address}/v1"
name = "m"
context = 32768
key = "env:KEY_OF_PERSON"
"""


_NOTE = """# Semantic: N.A G_NQA2ETTS
Types: T_3RBF6Y4J,T_6HG5VSSD
Names: T_3RBF6Y4J=N.A T_6HG5VSSD=N.B
StructureHash: T_3RBF6Y4J=2B7VTH2M T_6HG5VSSD=0NQVWEPK
ImplHash: T_3RBF6Y4J=BW052Q2F T_6HG5VSSD=F44HM56Z
Dependencies:
DependencyHashes:
Provider: person root 2026-11-28

ROLE:
Said.
"""


def make_shipped(folder: Path, address: str) -> Path:
    """The repository, below `folder`. `address`: of a server that its jobs name."""
    for name, text in _SOURCES.items():
        (folder / "source").mkdir(parents=True, exist_ok=True)
        (folder / "source" / name).write_text(text)
    root = folder / "workspace"
    use_home(root)
    prepare(root, files=0, seed=1, source=folder / "source")
    private = StateHome.of_person().find_folder(root)
    assert private is not None
    shared = root / SHARED_FOLDER
    shutil.copytree(private, shared, dirs_exist_ok=True)
    for name, text in _more(address).items():
        (shared / name).parent.mkdir(exist_ok=True)
        (shared / name).write_text(text)
    (root / PROJECT_FILE).write_text(_settings())
    queue_jobs(shared / "ops.db")
    shutil.rmtree(root / ".git" / "hooks", ignore_errors=True)
    return root


def queue_jobs(database: Path) -> None:
    """Queue one job of each kind that would contact a model or a server."""
    jobs = SqlJobs(job_file(database))
    publish = {"change": "github:octo/demo#7", "byModel": True, "publish": True}
    for kind, payload, scope in (
        ("review", publish, ()),
        ("semantic", ["N.A"], ("N.A",)),
        ("investigate", [], ("N.A",)),
    ):
        jobs.submit(JobRequest(kind=kind, title=kind, by="x", question="?", scope=scope, payload=payload))
    jobs.close()


def make_person(folder: Path, address: str) -> Mapping[str, str]:
    """A person who has a model and a review server at an address, and keys for both; their environment."""
    config = folder / "config" / "codecortex"
    config.mkdir(parents=True)
    (config / "models.toml").write_text(_PERSONAL.format(address=address))
    (config / "settings.toml").write_text(f'[review]\ngithub = "{address}"\ntools = true\n')
    return {
        "KEY_OF_PERSON": "key-of-person",
        "GITHUB_TOKEN": "token-of-person",
        "CODECORTEX_INDEX_WORKERS": "1",
        "XDG_CONFIG_HOME": str(folder / "config"),
        "XDG_CACHE_HOME": str(folder / "cache"),
        "XDG_STATE_HOME": str(folder / "state"),
    }


def _more(address: str) -> dict[str, str]:
    return {
        "prompt_window.md": "# Window\n\nN.A\n",
        "aliases.json": '{"T_00000000": "T_11111111"}\n',
        "access.json": '{"T_00000000": 1}\n',
        "templates/own.md": "Do as told. {{window}}\n",
        "previous_window.json": '{"format": 2, "pinned": [{"key": "type:T_0"}], "recent": []}\n',
        "commands/run.json": f'{{"argv": ["curl", "{address}"]}}\n',
        "drafts/d.json": '{"path": "A.cs", "text": "x"}\n',
        "model.json": f'{{"model": "m", "endpoint": "{address}/v1"}}\n',
        "claim": "1 1\n",
        "semantic/G_NQA2ETTS.md": _NOTE,
    }


def _settings() -> str:
    """Every setting there is, each with a value that its default is not."""
    lines: list[str] = []
    for key, each in definitions().items():
        section, _, name = key.partition(".")
        if f"[{section}]" not in lines:
            lines.append(f"[{section}]")
        value = "true" if each.type is bool else "7" if each.type in (int, float) else '"allow"'
        lines.append(f"{name} = {value}")
    return "\n".join(lines) + "\n"
