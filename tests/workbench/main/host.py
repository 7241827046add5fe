"""What tests of the screens' parts stand on: an app that holds one part and hears what it says."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from textual.message import Message
from textual.pilot import Pilot
from textual.widget import Widget

from tests.support.eventually import until
from tests.widgets.host import Ear, Host
from workbench.ui.jobs import Jobs


class PartHost:
    """One part that is being run. `ear` keeps the messages that were asked for."""

    def __init__(self, part: Widget, pilot: Pilot[None], ear: Ear) -> None:
        self.part = part
        self.pilot = pilot
        self.ear = ear

    @property
    def heard(self) -> list[Message]:
        """What the part said, of the kinds that are listened to."""
        return self.ear.heard

    async def settle(self) -> None:
        """Wait until no job of the part runs."""
        await self.pilot.pause()
        jobs = [each for each in vars(self.part).values() if isinstance(each, Jobs)]
        await until(lambda: not any(each._latest for each in jobs))
        await self.pilot.pause()


@asynccontextmanager
async def hosted(part: Widget, *kinds: type[Message]) -> AsyncIterator[PartHost]:
    """The part in an app of its own, and an ear for messages of some kinds."""
    ear = Ear(*kinds)
    async with Host(part).run_test(size=(80, 24), message_hook=ear) as pilot:
        yield PartHost(part, pilot, ear)
