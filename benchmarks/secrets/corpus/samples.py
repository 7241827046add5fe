"""The samples of the corpus: what a text holds, and which parts of it are secrets."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import resources

from benchmarks.secrets.corpus.harmless import HARMLESS
from benchmarks.secrets.corpus.held_out import HARMLESS as HELD_OUT_HARMLESS
from benchmarks.secrets.corpus.held_out import SECRETS as HELD_OUT
from benchmarks.secrets.corpus.places import ANY, KINDS, ONLY, PASSWORDS
from benchmarks.secrets.corpus.values import FORMS, fill

WRITTEN = tuple(f"{number}.txt" for number in range(1, 21))
"""Sets that were each written before the finder had seen them, by hand: a line a sample, `S` or `H` and a template."""
_FILLED = 14
_OF_FORMS = ('x = "«»";', "// «»", 'Use("a", "«»")')
_OF_PASSWORDS = ("weak", "weak", "sp:12", "b62:10")


@dataclass(frozen=True, slots=True)
class Sample:
    """A text and its secrets; none of a harmless one."""

    text: str
    secrets: tuple[str, ...] = ()


def corpus(seed: int) -> list[Sample]:
    """All places with all kinds of values, the forms of issuers, weak passwords, and harmless look-alikes."""
    rng = random.Random(seed)
    return [Sample(*fill(template, rng)) for template in _templates()]


def held_out(seed: int) -> list[Sample]:
    """Samples in other shapes."""
    rng = random.Random(seed)
    return [Sample(*fill(template, rng)) for template in (*HELD_OUT, *HELD_OUT_HARMLESS)]


def written(name: str, seed: int) -> list[Sample]:
    """The samples of a set of WRITTEN. In a template `\\n` before a blank is the end of a line."""
    rng = random.Random(seed)
    lines = (
        resources.files("benchmarks.secrets.corpus").joinpath("written", name).read_text("utf-8").splitlines()
    )
    rows = (line.split("\t", 1) for line in lines)
    made = ((label, *fill(template.replace("\\n ", "\n "), rng)) for label, template in rows)
    return [Sample(text, secrets if label == "S" else ()) for label, text, secrets in made]


def _templates() -> Iterator[str]:
    for place in ANY:
        yield from (place.replace("«»", f"«{kind}»") for kind in KINDS)
    for place in PASSWORDS:
        yield from (place.replace("«»", f"«{kind}»") for kind in _OF_PASSWORDS)
    yield from ONLY
    for form in FORMS:
        yield from (place.replace("«»", f"«form:{form}»") for place in _OF_FORMS)
    for template in HARMLESS:
        yield from (template for _ in range(_FILLED))
