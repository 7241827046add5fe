"""What every test shares."""

from __future__ import annotations

import gc
import itertools
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import pytest_textual_snapshot
from hypothesis import settings
from pytest_textual_snapshot import SVGImageExtension
from textual.css.stylesheet import Stylesheet

from services.prompt.tokens import counter_process
from services.workspace import programs
from tests.support.compact_svg import compact_svg
from tests.support.idle import use_for_pilots
from tests.support.shared_counter import SharedCounter, end_helper

# Hundreds of programs are started, each of which would compile the whole program once more.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

use_for_pilots()

# A run says the same of the same code: what it says must not depend on luck. To look for examples that nobody has
# seen yet: HYPOTHESIS_PROFILE=explore.
settings.register_profile("same", max_examples=25, derandomize=True, deadline=None)
settings.register_profile("explore", max_examples=2000, deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "same"))


class CompactSvg(SVGImageExtension):
    """A snapshot of a third of the size, that fetches nothing.

    `file_extension` is the name that syrupy 5 and later read; the plugin sets the one before it.
    """

    file_extension = "svg"

    def serialize(self, *args: Any, **kwargs: Any) -> Any:
        """The drawing without what changes nothing in it."""
        return compact_svg(super().serialize(*args, **kwargs))


pytest_textual_snapshot.SVGImageExtension = CompactSvg

_THRESHOLDS = (10_000, 10, 1_000)
"""Of the collector: it walks over all objects between modules alone. With the interpreter's own ones it does so a few
times in each test, for a third of the processor time."""
_THAWED_EVERY = 40
"""Modules after which what was frozen is walked over, too."""
_SERVICES = Path(__file__).parent / "services"
_FREEZING = {"freeze": gc.freeze, "unfreeze": gc.unfreeze}
_PERSONS = itertools.count()
_MODULES = itertools.count(1)
gc.set_threshold(*_THRESHOLDS)  # from before the tests are collected


@pytest.fixture(autouse=True, scope="session")
def _away_from_home_at_all(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:  # pyright: ignore[reportUnusedFunction]
    """Fixtures of a module open workspaces before the first test of it begins."""
    home = tmp_path_factory.mktemp("nobody")
    template = tmp_path_factory.mktemp("template")
    for folder in ("hooks", "info"):
        (template / folder).mkdir()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GIT_TEMPLATE_DIR", str(template))  # of 28 entries of a new repository 14 are examples
        for kind in ("STATE", "CONFIG", "CACHE"):
            patch.setenv(f"XDG_{kind}_HOME", str(home / kind.lower()))
        # No test leaves a process behind; those of the resident process start and end their own.
        patch.setenv("CODECORTEX_RESIDENT", "off")
        yield


@pytest.fixture(autouse=True)
def _away_from_home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:  # pyright: ignore[reportUnusedFunction]
    """What the person at this machine set and what the program learned for them decides nothing here."""
    home = tmp_path_factory.getbasetemp() / f"person-{next(_PERSONS)}"
    for kind in ("STATE", "CONFIG", "CACHE"):
        monkeypatch.setenv(f"XDG_{kind}_HOME", str(home / kind.lower()))


@pytest.fixture(autouse=True)
def _no_workspace_before(monkeypatch: pytest.MonkeyPatch) -> None:  # pyright: ignore[reportUnusedFunction]
    """A process never forgets which folders hold no programs for it; tests put programs into folders near others."""
    monkeypatch.setattr(programs, "_strangers", set())


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Run a module in one process: what its tests share is made once."""
    from xdist.scheduler import LoadFileScheduling

    config.option.loadscopereorder = False  # in the order of `pytest_collection_modifyitems`
    return LoadFileScheduling(config, log)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run first what takes long, a screen or a process in each test: where it came last one worker would wait for the
    other."""
    items.sort(key=lambda item: item.path.parent.is_relative_to(_SERVICES) and item.path.parent != _SERVICES)


def pytest_collection_finish() -> None:
    """The collected tests are half a million objects that stay: the garbage collector need not walk over them."""
    _FREEZING["freeze"]()


@pytest.fixture(autouse=True, scope="session")
def _collected_as_usual() -> Iterator[None]:  # pyright: ignore[reportUnusedFunction]
    """The program tells the garbage collector what it need not walk over: right for one process with one workspace.
    Here a thousand indexes would stay, each with the files that it holds open."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("freeze", "unfreeze"):
            patch.setattr(gc, name, lambda: None)
        yield


@pytest.fixture
def freezing(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Have the garbage collector leave out what it is told to."""
    for name, call in _FREEZING.items():
        monkeypatch.setattr(gc, name, call)
    yield
    gc.freeze()  # what a test thawed; without a walk over half a million objects


@pytest.fixture(autouse=True)
def _walked_as_usual() -> Iterator[None]:  # pyright: ignore[reportUnusedFunction]
    """When to walk is for the program to say in a process of its own."""
    yield
    gc.set_threshold(*_THRESHOLDS)


@pytest.fixture(autouse=True, scope="module")
def _collected_between_modules() -> Iterator[None]:  # pyright: ignore[reportUnusedFunction]
    """Indexes are few objects and many open files, of which the collector knows nothing. What outlives a module is
    mostly other modules: it is left out of the walks that follow."""
    yield
    if next(_MODULES) % _THAWED_EVERY == 0:
        _FREEZING["unfreeze"]()
    gc.collect()
    _FREEZING["freeze"]()


@pytest.fixture(autouse=True, scope="session")
def _never_flushed() -> Iterator[None]:  # pyright: ignore[reportUnusedFunction]
    """What a test wrote need not outlast a power cut."""

    def fsync(descriptor: int) -> None:
        os.fstat(descriptor)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", fsync)
        yield


@pytest.fixture(autouse=True, scope="session")
def _tokens_counted_by_one_helper() -> Iterator[None]:  # pyright: ignore[reportUnusedFunction]
    """Workspaces share the process that counts tokens."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(counter_process, "CounterProcess", SharedCounter)
        yield
    end_helper()


@pytest.fixture(autouse=True, scope="session")
def _styles_parsed_once() -> Iterator[None]:  # pyright: ignore[reportUnusedFunction]
    """Apps share parsed rules, which nothing changes: a thousand would parse the same ones, for a fifth of a start."""
    parsed: dict[frozenset[tuple[str, str]], dict[tuple[Any, ...], Any]] = {}
    set_variables, begin = Stylesheet.set_variables, Stylesheet.__init__

    def share(sheet: Any) -> None:
        sheet._parse_cache = parsed.setdefault(frozenset(sheet._variables.items()), {})

    def sharing_init(self: Stylesheet, *, variables: dict[str, str] | None = None) -> None:
        begin(self, variables=variables)
        share(self)

    def sharing_set_variables(self: Any, variables: dict[str, str]) -> None:
        self._parse_cache = {}  # what is cleared next belongs to all
        set_variables(self, variables)
        share(self)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Stylesheet, "__init__", sharing_init)
        patch.setattr(Stylesheet, "set_variables", sharing_set_variables)
        yield
