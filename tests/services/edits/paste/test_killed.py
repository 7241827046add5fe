"""A process that writes an answer is killed in the middle: afterwards all of the answer is there, or nothing."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from services.bench import Bench
from services.settings import IndexSettings, Settings
from tests.support.workspace import write_workspace

NAMES = [f"src/File{n}.cs" for n in range(4)]
OLD = {name: f"class C{n}\n{{\n    int a{n};\n}}\n" for n, name in enumerate(NAMES)}
NEW = {name: text.replace("int a", "long a") for name, text in OLD.items()}
MADE = "src/Made.cs"
DIFF = """\
```diff
--- a/{name}
+++ b/{name}
@@ -1,4 +1,4 @@
 class C{n}
 {{
-    int a{n};
+    long a{n};
 }}
```
"""
ANSWER = "".join(DIFF.format(name=name, n=n) for n, name in enumerate(NAMES))
ANSWER += f"\n```csharp\n// {MADE}\nclass Made {{ }}\n```\n"
PROGRAM = """
import os, signal, sys
from pathlib import Path
from services.bench import Bench
from services.settings import IndexSettings, Settings
from services.source.atomic.system_calls import SystemCalls

last, count, real = int(sys.argv[2]), 0, SystemCalls.run

def run(self, *given, **named):
    global count
    count += 1
    if count == last:
        os.kill(os.getpid(), signal.SIGKILL)
    return real(self, *given, **named)

SystemCalls.run = run
with Bench.open(Path(sys.argv[1]), settings=Settings(index=IndexSettings(workers=1))) as bench:
    bench.pasting.paste(sys.stdin.read())
print(count)
"""


def _run(folder: Path, last: int) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", PROGRAM, str(folder), str(last)],
        input=ANSWER,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def _after(folder: Path) -> dict[str, str]:
    """The files once the workspace was opened again."""
    settings = Settings(index=IndexSettings(workers=1))
    with Bench.open(folder, settings=settings) as bench:
        bench.writer.locks()
    return {str(path.relative_to(folder)): path.read_text() for path in sorted((folder / "src").iterdir())}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return write_workspace(tmp_path / "w", OLD)


def test_without_a_kill_all_of_it_is_written(folder: Path) -> None:
    done = _run(folder, 0)
    assert done.returncode == 0, done.stderr
    assert _after(folder) == {**NEW, MADE: "class Made { }\n"}


@pytest.mark.parametrize("share", [0.1, 0.4, 0.7, 0.95])
def test_after_a_kill_all_of_it_is_there_or_nothing(folder: Path, tmp_path: Path, share: float) -> None:
    other = write_workspace(tmp_path / "other", OLD)
    calls = int(_run(other, 0).stdout)
    killed = _run(folder, max(1, round(calls * share)))
    assert killed.returncode == -signal.SIGKILL
    assert _after(folder) in (OLD, {**NEW, MADE: "class Made { }\n"})
    assert _run(folder, 0).returncode == 0
    assert _after(folder) == {**NEW, MADE: "class Made { }\n"}
