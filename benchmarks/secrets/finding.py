"""Accuracy of finding secrets on a corpus made from a seed, compared with other finders on the same files.

    python -m benchmarks.secrets.finding [--seed N] [--secretlint PROGRAM] [--credsweeper PROGRAM]

A secret is found by this program if no half of it is left in the masked text, and by another if it reports anything in
the file that the sample is: more than is asked of this one. Harmless samples with any finding count against precision.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.secrets.corpus.samples import WRITTEN, Sample, corpus, held_out, written
from services.prompt.secrets.masking import Masker

_PRESET = {"rules": [{"id": "@secretlint/secretlint-rule-preset-recommend"}]}
_SECONDS = 900


@dataclass(frozen=True, slots=True)
class Score:
    """How many samples with secrets were found whole, and how many harmless ones were flagged."""

    found: int
    secrets: int
    flagged: int
    harmless: int

    def text(self) -> str:
        """The score in a line."""
        recall, precision = self.found / self.secrets, self.found / max(1, self.found + self.flagged)
        return (
            f"recall {recall:.1%} of {self.secrets}, precision {precision:.1%}, "
            f"{self.flagged} of {self.harmless} harmless flagged"
        )


def main() -> None:
    """Make the corpora and print the scores."""
    chosen = _options().parse_args()
    sets = {"corpus": corpus(chosen.seed), "other shapes": held_out(chosen.seed)}
    sets |= {f"written before, {name}": written(name, chosen.seed) for name in WRITTEN}
    for name, samples in sets.items():
        print(f"{name}, seed {chosen.seed}")
        print(f"  codecortex: {_score(samples, _ours(samples)).text()}")
        with tempfile.TemporaryDirectory() as folder:
            paths = _written(samples, Path(folder))
            for other, program in (("secretlint", chosen.secretlint), ("credsweeper", chosen.credsweeper)):
                found = _OTHERS[other](program, Path(folder)) if shutil.which(program) else None
                told = (
                    "not installed" if found is None else _score(samples, [p in found for p in paths]).text()
                )
                print(f"  {other}: {told}", flush=True)


def _score(samples: Sequence[Sample], hit: Sequence[bool]) -> Score:
    secret = [found for sample, found in zip(samples, hit, strict=True) if sample.secrets]
    harmless = [found for sample, found in zip(samples, hit, strict=True) if not sample.secrets]
    return Score(sum(secret), len(secret), sum(harmless), len(harmless))


def _ours(samples: Sequence[Sample]) -> list[bool]:
    masker = Masker(bytes(32))
    texts = [masker.text(sample.text) for sample in samples]
    return [
        not any(_is_left(secret, text, sample.text) for secret in sample.secrets)
        if sample.secrets
        else text != sample.text
        for sample, text in zip(samples, texts, strict=True)
    ]


_PLACEHOLDER = re.compile(r"\[\[secret:[^\]]*\]\]")


def _is_left(secret: str, masked: str, whole: str) -> bool:
    """Whether half of a secret, or five characters of a short one, is in a masked text, except where other text of
    the sample contains the same."""
    size = max(min(len(secret), 5), len(secret) // 2)
    rest, shown = whole.replace(secret, ""), _PLACEHOLDER.sub("", masked)
    parts = (secret[at : at + size] for at in range(len(secret) - size + 1))
    return any(part in shown and part not in rest for part in parts)


def _written(samples: Sequence[Sample], folder: Path) -> list[str]:
    """Write a file for each sample, with a neutral name."""
    names = [f"s{number:05}.cs" for number in range(len(samples))]
    for name, sample in zip(names, samples, strict=True):
        (folder / name).write_text(sample.text, encoding="utf-8")
    return names


def _secretlint(program: str, folder: Path) -> set[str]:
    (folder / ".secretlintrc.json").write_text(json.dumps(_PRESET))
    out = folder / "linted.json"  # a pipe would get no more than its first 64 KB
    subprocess.run(
        [program, "--format", "json", "--output", str(out), "s*.cs"],
        cwd=folder,
        capture_output=True,
        timeout=_SECONDS,
        check=False,
    )
    rows = json.loads(out.read_bytes()) if out.exists() else []
    return {Path(row["filePath"]).name for row in rows if row["messages"]}


def _credsweeper(program: str, folder: Path) -> set[str]:
    out = folder / "found.json"
    subprocess.run(
        [program, "--path", str(folder), "--save-json", str(out), "--log", "silence"],
        capture_output=True,
        timeout=_SECONDS,
        check=False,
    )
    rows = json.loads(out.read_bytes()) if out.exists() else []
    return {Path(line["path"]).name for row in rows for line in row["line_data_list"]}


_OTHERS = {"secretlint": _secretlint, "credsweeper": _credsweeper}


def _options() -> argparse.ArgumentParser:
    options = argparse.ArgumentParser(prog="python -m benchmarks.secrets.finding", description=__doc__)
    options.add_argument("--seed", type=int, default=7)
    options.add_argument("--secretlint", default="secretlint", metavar="PROGRAM")
    options.add_argument("--credsweeper", default="credsweeper", metavar="PROGRAM")
    return options


if __name__ == "__main__":
    main()
