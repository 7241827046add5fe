"""The pinned requirements are complete, exact and without addresses, so that `--no-deps` is safe."""

from __future__ import annotations

import importlib.metadata
import tomllib
from collections.abc import Iterator
from itertools import chain

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.support.documents import ROOT

LINES = [line for line in (ROOT / "requirements.txt").read_text().splitlines() if not line.startswith("#")]
PINNED = {canonicalize_name(Requirement(line).name): Requirement(line) for line in LINES}
TOLERATED = {("pytest-textual-snapshot", "syrupy")}
"""The plugin asks for syrupy 4.8, which does not run with pytest 9; with 7 it does, see conftest.py."""


def wanted_here() -> list[str]:
    """Pinned packages that this platform installs."""
    return [name for name, pin in PINNED.items() if pin.marker is None or pin.marker.evaluate()]


def needed_by(name: str, extras: set[str]) -> Iterator[Requirement]:
    """What an installed package asks for here."""
    for line in importlib.metadata.distribution(name).requires or ():
        requirement = Requirement(line)
        marker = requirement.marker
        if marker is None or any(marker.evaluate({"extra": extra}) for extra in extras or {""}):
            yield requirement


def test_every_line_is_an_exact_version_and_no_address() -> None:
    for requirement in PINNED.values():
        assert requirement.url is None
        assert [specifier.operator for specifier in requirement.specifier] == ["=="]
    assert not any("://" in line or line.startswith("-") for line in LINES)


def test_every_dependency_of_the_project_and_of_its_extras_is_pinned_within_its_range() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = project["optional-dependencies"]
    assert {"llm", "adt", "keyring", "sandbox", "mcp", "browser", "team"} == {*extras}
    for requirement in map(Requirement, chain(project["dependencies"], *extras.values())):
        assert met(requirement), requirement


@pytest.mark.parametrize("name", wanted_here())
def test_what_a_pinned_package_needs_is_pinned_too(name: str) -> None:
    missing = [
        str(requirement)
        for requirement in needed_by(name, PINNED[canonicalize_name(name)].extras)
        if not met(requirement) and (name, canonicalize_name(requirement.name)) not in TOLERATED
    ]
    assert missing == []


def met(requirement: Requirement) -> bool:
    """Whether a pin satisfies the requirement."""
    pin = PINNED.get(canonicalize_name(requirement.name))
    return pin is not None and requirement.specifier.contains(str(pin.specifier).removeprefix("=="))
