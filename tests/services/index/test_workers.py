"""Worker processes that get in each other's way: files are read all the same."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.support.workspace import write_workspace

# Without the guard that multiprocessing asks for, every worker begins by running the script itself.
SCRIPT = """
import sys
from pathlib import Path
from services.bench.bench import Bench
from services.settings import IndexSettings, Settings
with Bench.open(Path(sys.argv[1]), settings=Settings(index=IndexSettings(workers=2))) as bench:
    bench.refresh()
    print(bench.status().types)
"""


def test_a_script_without_a_main_guard_gets_its_index(tmp_path: Path) -> None:
    files = {f"T{number}.cs": f"class T{number} {{ }}" for number in range(12)}
    folder = write_workspace(tmp_path / "workspace", files)
    script = tmp_path / "no_guard.py"
    script.write_text(SCRIPT)
    command = [sys.executable, str(script), str(folder)]
    ran = subprocess.run(command, check=False, capture_output=True, text=True, timeout=120)
    assert ran.stdout.split()[-1:] == ["12"], ran.stderr[-2_000:]
