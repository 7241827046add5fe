"""Files of a project: types placed in folders, with usings and namespaces."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random

from benchmarks.synthetic.members import Members, Sight
from benchmarks.synthetic.names import Names, pick
from benchmarks.synthetic.statements import statements
from benchmarks.synthetic.types import Planned, Types, planned
from benchmarks.synthetic.words import FRAMEWORK_NAMESPACES, NOUNS

_CONDITIONAL = 0.07
_STATEMENTS = 400
_HEADER = "// Copyright (c) the authors of this made-up program. No rights are worth reserving.\n\n"


def plan_files(random: Random, names: Names, project: str, count: int) -> list[list[Planned]]:
    """Plan the declarations of `count` files: mostly one type, some more; a partial type's other part is a file of
    its own."""
    folders = ["", *(pick(random, NOUNS) for _ in range(1 + count // 12))]
    files: list[list[Planned]] = []
    while len(files) < count:
        folder = pick(random, folders)
        namespace = f"{project}.{folder}" if folder else project
        types = [planned(random, names, namespace) for _ in range(_types_in_file(random))]
        files.append(types)
        if types[0].partial and len(files) < count:
            files.append([types[0]])
    return files


def written(
    random: Random, names: Names, files: Sequence[list[Planned]], visible: Sequence[Planned]
) -> Iterator[tuple[str, str]]:
    """(path in the project, text) of each file. `visible`: types of the projects that this one refers to."""
    own = [plan for types in files for plan in types]
    seen = own + random.sample(list(visible), min(len(visible), 200))
    used = [plan.used for plan in seen if plan.kind != "delegate"] or ["object"]
    members = Members(random, names, Sight(used, statements(random, names, used, _STATEMENTS)))
    bases = [plan for plan in seen if plan.kind in ("class", "interface")][:400]
    types = Types(random, names, members, bases)
    namespaces = sorted({plan.namespace for plan in seen})
    project = min((plan.namespace for plan in own), key=len)
    taken: set[str] = set()
    for plans in files:
        first = plans[0]
        folder = first.namespace[len(project) + 1 :]
        path = f"{folder}/{first.name}" if folder else first.name
        path += ".Parts.cs" if path in taken else ".cs"
        taken.add(path.removesuffix(".cs"))
        yield path, _text(random, types, plans, _usings(random, namespaces))


def _types_in_file(random: Random) -> int:
    chance = random.random()
    return 1 if chance < 0.8 else 2 if chance < 0.92 else 3 + int(random.random() * 4)


def _usings(random: Random, namespaces: Sequence[str]) -> str:
    chosen = {pick(random, FRAMEWORK_NAMESPACES) for _ in range(4)}
    chosen |= {pick(random, namespaces) for _ in range(int(random.random() * 5))}
    return "".join([f"using {name};\n" for name in sorted(chosen)])


def _text(random: Random, types: Types, plans: Sequence[Planned], usings: str) -> str:
    conditional = random.random() < _CONDITIONAL
    body = "\n".join([types.text(plan, conditional=conditional and not at) for at, plan in enumerate(plans)])
    header = _HEADER if random.random() < 0.6 else ""
    if random.random() < 0.6:
        return f"{header}{usings}\nnamespace {plans[0].namespace};\n\n{body}"
    inner = body[:-1].replace("\n", "\n    ")
    return f"{header}{usings}\nnamespace {plans[0].namespace}\n{{\n    {inner}\n}}\n"
