"""Symbols to measure search on: those of a folder, by universal-ctags, or made-up ones in any number."""

from __future__ import annotations

import json
import random
import subprocess
from itertools import islice
from pathlib import Path

from services.index.search import SymbolRow

KINDS = {"enumerator": "enum member", "namespace": None, "local": None, "macro": None, "typedef": None}
ACCESSES = {"protectedinternal": "protected internal", "privateprotected": "private protected"}
ACCESSES |= {name: name for name in ("public", "protected", "internal", "private")}

VERBS = "Get Set Create Build Write Read Try Parse Add Remove Load Save Open Close Validate Serialize On Is Has Can"
NOUNS = """Json Object Value String Type Reader Writer Property Name Token Array Binary Buffer Cache Channel Client
Command Config Connection Container Context Contract Control Converter Culture Data Date Default Design
Dictionary Entity Enum Error Event Exception Expression Factory Field File Filter Format Function Handle
Header Host Http Image Index Info Item Key Layout Line List Lock Log Manager Map Member Memory Message
Metadata Method Model Module Node Null Number Option Parameter Path Policy Position Process Provider Proxy
Query Queue Range Record Request Resolver Resource Response Result Root Row Schema Scope Serializer Service
Session Settings Size Source Span State Status Stream Syntax System Table Task Text Thread Time Tree Update
Url User Version View Window Xml"""


def of_folder(folder: Path) -> list[SymbolRow]:
    """The distinct symbols of the C# files below a folder, in file order."""
    command = [
        "ctags",
        "-R",
        "--languages=C#",
        "--output-format=json",
        "--fields=+sKa",
        "--sort=no",
        "-f",
        "-",
        ".",
    ]
    done = subprocess.run(command, cwd=folder, capture_output=True, check=True)
    found: dict[tuple[str, str, str], SymbolRow] = {}
    for line in done.stdout.splitlines():
        tag = json.loads(line)
        kind = KINDS.get(tag.get("kind", ""), tag.get("kind"))
        if kind is None:
            continue
        container = tag.get("scope", "")
        row = SymbolRow(
            name=tag["name"],
            container=container,
            kind=kind,
            access=ACCESSES.get(tag.get("access"), "internal"),
        )
        found.setdefault((container, row.name, kind), row)
    return list(found.values())


def made_up(count: int) -> list[SymbolRow]:
    """So many symbols of types of a made-up workspace, the same each time: words by Zipf's law, half of the names new,
    20 members to a type, 300 namespaces."""
    chance = random.Random(20)
    words = NOUNS.split() + ["".join(pair).title() for pair in _syllables(chance, 3000)]
    spaces = [f"{_word(chance, words)}.{_word(chance, words)}.{_word(chance, words)}" for _ in range(300)]
    rows, names = [], ["Dispose", "ToString", "Equals", "GetHashCode"]
    while len(rows) < count:
        space, own = chance.choice(spaces), _name(chance, words, 3)
        rows.append(_row(chance, own, space, "class"))
        for _ in range(chance.randrange(4, 40)):
            if chance.random() < 0.5:
                names.append(_name(chance, words, 4))
                name = names[-1]
            else:
                name = names[int(len(names) * chance.random() ** 3)]
            rows.append(_row(chance, name, f"{space}.{own}", chance.choice(["method", "property", "field"])))
    return list(islice(rows, count))


def _row(chance: random.Random, name: str, container: str, kind: str) -> SymbolRow:
    access = chance.choice(["public", "public", "internal", "private"])
    return SymbolRow(
        name=name, container=container, kind=kind, access=access, boost=float(chance.randrange(30))
    )


def _syllables(chance: random.Random, count: int) -> list[tuple[str, ...]]:
    parts = [
        "ac",
        "al",
        "con",
        "de",
        "en",
        "er",
        "for",
        "in",
        "lo",
        "mi",
        "na",
        "per",
        "re",
        "sta",
        "ti",
        "ver",
    ]
    return [tuple(chance.choices(parts, k=chance.randrange(2, 4))) for _ in range(count)]


def _word(chance: random.Random, words: list[str]) -> str:
    return words[int(len(words) * chance.random() ** 4)]


def _name(chance: random.Random, words: list[str], longest: int) -> str:
    first = [chance.choice(VERBS.split())] if chance.random() < 0.4 else []
    return "".join(first + [_word(chance, words) for _ in range(chance.randrange(1, longest + 1))])
