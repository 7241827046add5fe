from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from services.bench import Bench
from services.bench.asking import Asking
from services.llm.profiles import ModelProfiles, Price, Profile, SpendingLimits
from services.settings import Settings
from tests.support.scripted_model import ScriptedModel

SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
CODE = f'''namespace Demo;

/// <summary>Retries what failed.</summary>
public class Retry
{{
    private const string Token = "{SECRET}";

    public int Count(int most)
    {{
        return most;
    }}
}}
'''


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Bench]:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "Retry.cs").write_text(CODE)
    (folder / "Demo.csproj").write_text('<Project Sdk="Microsoft.NET.Sdk" />')
    with Bench.open(folder, settings=Settings()) as opened:
        opened.index.load()
        opened.index.refresh()
        yield opened


def asking(
    bench: Bench, model: ScriptedModel, limits: SpendingLimits | None = None, **changed: object
) -> Asking:
    """Asks a scripted model under the profile `big`."""
    profile = msgspec.structs.replace(
        Profile(endpoint="http://127.0.0.1:1/v1", name="gpt-5", price=Price(1.0, 10.0)), **changed
    )
    profiles = ModelProfiles(models={"big": profile}, limits=limits or SpendingLimits())
    ground = replace(bench.asking._services, profiles=lambda: profiles, model_of=lambda _: model)
    return Asking(ground)
