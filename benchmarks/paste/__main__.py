"""How many of a corpus of pasted answers land, and whether any lands wrong.

python -m benchmarks.paste CASES.jsonl[.xz] [--only FORM …] [--limit N] [--long TOKENS] [--answers OUT.jsonl]

A case is an object a line (`benchmarks.paste.cases.Case`). It is tried as a person would: its files are copied out of
a folder of their own, the folder becomes what was on the disk, the answer is pasted, and nobody answers a question.
`--long`: only answers of at least so many tokens.
"""

from __future__ import annotations

import argparse
import lzma
import os
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

import msgspec

from benchmarks.paste.cases import Case
from benchmarks.paste.trial import tried

FORMS = (
    "unified diff, right", "wrong line numbers", "wrong counts", "no numbers", "blanks of context drifted",
    "without header, path in words", "`a/` `b/` or folder missing or wrong", "git rename and edit",
    "several files in one diff", "SEARCH/REPLACE", "SEARCH/REPLACE, blanks drifted", "`*** Begin Patch`",
    "whole file in a fence", "whole member, no path", "type with elisions", "member with elided body",
    "several fences", "fence in a list or quote", "smart quotes, hard blanks", "CRLF file, LF answer",
    "byte order mark, no newline at the end", "before and after", "file went on elsewhere",
    "file went on in the same lines", "ambiguous place", "already applied", "file is not there", "no edit",
    "masked secret", "whole file that forgot members", "SEARCH/REPLACE with a start line", "numbered lines",
    "`@@ ... @@` alone", "`*** Begin Patch` under heads", "blank context lines without a sign",
    "tabs for spaces in all lines", "CRLF answer", "`rest unchanged`", "fence in a fence", "several files in one fence",
    "path in a comment", "edits in tags", "edits in JSON", "patch by mail", "context without a sign",
    "other edits of what is twice or nowhere",
)  # fmt: skip


def main() -> None:
    """Try every case, print a table and what did not go right."""
    chosen = _options().parse_args()
    cases = [case for case in _cases(chosen.cases) if not chosen.only or case.form in chosen.only]
    if chosen.long:
        cases = [case for case in cases if _tokens(case.answer) >= chosen.long]
    with tempfile.TemporaryDirectory(prefix="codecortex-state-") as state:
        os.environ |= {f"XDG_{name}_HOME": f"{state}/{name}" for name in ("STATE", "CONFIG", "CACHE", "DATA")}
        verdicts = [tried(case) for case in cases[: chosen.limit]]
    for verdict, case in zip(verdicts, cases, strict=False):
        if verdict.verdict != "right":
            told = " ".join(verdict.told.split())
            print(
                f"{case.id} ({case.form}, {case.variant}; {case.repo} {case.commit[:8]}) {verdict.verdict}: {told}"
            )
    if chosen.answers is not None:
        chosen.answers.write_bytes(b"".join(msgspec.json.encode(verdict) + b"\n" for verdict in verdicts))
    print(_table([(verdict.form, verdict.verdict) for verdict in verdicts]))


def _table(verdicts: list[tuple[int, str]]) -> str:
    counts: defaultdict[int, Counter[str]] = defaultdict(Counter)
    for form, verdict in verdicts:
        counts[form][verdict] += 1
    rows = ["| form | cases | right | asked | wrong |", "|---|---:|---:|---:|---:|"]
    for form, count in sorted(counts.items()):
        name = FORMS[form - 1] if 0 < form <= len(FORMS) else ""
        told = " | ".join(str(count[each]) for each in ("right", "miss", "wrong"))
        rows.append(f"| {form} {name} | {count.total()} | {told} |")
    whole = Counter(verdict for _, verdict in verdicts)
    told = " | ".join(str(whole[each]) for each in ("right", "miss", "wrong"))
    return "\n".join([*rows, f"| all | {whole.total()} | {told} |"])


def _cases(path: Path) -> Iterator[Case]:
    data = path.read_bytes()
    for line in (lzma.decompress(data) if path.suffix == ".xz" else data).split(b"\n"):
        if line.strip():
            yield msgspec.json.decode(line, type=Case)


def _tokens(text: str) -> int:
    from services.prompt.tokens.tokenizers import EncodingCounter

    return EncodingCounter().count_base("o200k_base", [text])[0]


def _options() -> argparse.ArgumentParser:
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("cases", type=Path)
    options.add_argument("--only", type=int, nargs="*", default=[])
    options.add_argument("--limit", type=int, default=None)
    options.add_argument("--long", type=int, default=0)
    options.add_argument("--answers", type=Path, default=None)
    return options


if __name__ == "__main__":
    main()
