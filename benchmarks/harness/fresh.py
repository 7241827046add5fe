"""Functions run in a process of their own, so that no measurement warms or bloats another."""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

_COMPILED = "codecortex-benchmarks-compiled"
HOME = Path(__file__).resolve().parents[2]


def run(function: Callable[..., Any], **arguments: object) -> Any:
    """Run a module's function in a new interpreter and return its answer. Arguments and answer pass as JSON.

    Raises RuntimeError with what the process wrote where it fails."""
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.harness.fresh", function.__module__, function.__name__],
        input=json.dumps(arguments),
        capture_output=True,
        text=True,
        env=environment(),
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"{function.__module__}.{function.__name__} failed:\n{done.stderr[-2000:]}")
    return json.loads(done.stdout.splitlines()[-1])


def environment() -> dict[str, str]:
    """The environment in which a new interpreter finds this very program, compiled, as an installed one is."""
    own = {"PYTHONPATH": str(HOME), "PYTHONPYCACHEPREFIX": str(Path(tempfile.gettempdir(), _COMPILED))}
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"} | own


if __name__ == "__main__":
    module, name = sys.argv[1:]
    print(json.dumps(getattr(importlib.import_module(module), name)(**json.load(sys.stdin))))
