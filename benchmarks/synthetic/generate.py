"""Writes a made-up C# workspace of any size.

python -m benchmarks.synthetic.generate FOLDER [--files 60000] [--seed 1]
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

from benchmarks.synthetic.workspace import generate


def main() -> None:
    """Generate the files, and print what was written and how fast."""
    options = argparse.ArgumentParser(description="Write a made-up C# workspace, the same for the same seed.")
    options.add_argument("folder", type=Path)
    options.add_argument("--files", type=int, default=60_000)
    options.add_argument("--seed", type=int, default=1)
    chosen = options.parse_args()
    if chosen.folder.exists() and any(chosen.folder.iterdir()):
        options.error(f"{chosen.folder} is not empty")
    began = time.perf_counter()
    made = generate(chosen.folder, files=chosen.files, seed=chosen.seed)
    spent = time.perf_counter() - began
    size = made.size / 1e6
    print(
        f"{made.files:,} files, {size:,.1f} MB, {made.projects:,} projects in {spent:.1f} s ({size / spent:.1f} MB/s)"
    )


if __name__ == "__main__":
    main()
