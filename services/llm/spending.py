"""Spending by day and model, and the limits that block a request."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec

from services.concurrency.exclusion import lock
from services.decoding import decode
from services.errors import Cancelled, ModelLimit
from services.llm.chat import Chat
from services.llm.client import ChatModel
from services.llm.profiles import Profile, SpendingLimits
from services.llm.values import ChatMessage, End, Event, TextPiece, TokenUsage, Tool, as_request
from services.model import ModelUse
from services.settings.personal import personal_folder
from services.workspace.files.durable import private_file, private_folder
from services.workspace.files.openers import held

_DAYS = 60


FILE = "spending.json"


def spending_file() -> Path:
    """Return the path of the person's spending file."""
    return personal_folder("state") / FILE


class Spent(msgspec.Struct, frozen=True):
    """Tokens of requests, and what they cost, in a currency where the price is known."""

    sent: int = 0
    received: int = 0
    cost: float = 0.0
    currency: str = ""

    @property
    def tokens(self) -> int:
        """Both together."""
        return self.sent + self.received

    def plus(self, other: Spent) -> Spent:
        """The sum."""
        return Spent(
            self.sent + other.sent,
            self.received + other.received,
            self.cost + other.cost,
            other.currency or self.currency,
        )


Days = dict[str, dict[str, Spent]]
"""By day (UTC) and profile."""


class Spending:
    """A person's, in all workspaces: one file, shared by all processes. A damaged one counts as empty."""

    def __init__(self, file: Path, today: Callable[[], str] | None = None) -> None:
        self._file = file
        self._today = today or (lambda: time.strftime("%Y-%m-%d", time.gmtime()))

    def today(self) -> Spent:
        """Return today's usage of all models."""
        total = Spent()
        for spent in self._read().get(self._today(), {}).values():
            total = total.plus(spent)
        return total

    def by_profile(self) -> Mapping[str, Spent]:
        """Return today's usage of each profile."""
        return self._read().get(self._today(), {})

    def days(self) -> Mapping[str, Mapping[str, Spent]]:
        """Return the usage of every recorded day, by profile."""
        return self._read()

    def add(self, profile: str, spent: Spent) -> None:
        """Record the usage of a request. Errors of the file are ignored: an answer matters more than its count."""
        with suppress(OSError), self._locked():
            days = self._read()
            day = days.setdefault(self._today(), {})
            day[profile] = day.get(profile, Spent()).plus(spent)
            kept = dict(sorted(days.items())[-_DAYS:])
            with private_file(self._file) as file:
                file.write(msgspec.json.format(msgspec.json.encode(kept), indent=1))

    def _read(self) -> Days:
        with suppress(OSError, msgspec.MsgspecError, ValueError):
            return decode(Days, self._file.read_bytes())
        return {}

    @contextmanager
    def _locked(self) -> Iterator[None]:
        private_folder(self._file.parent)
        with held(os.fspath(self._file.with_suffix(".lock")), os.O_RDWR | os.O_CREAT) as descriptor:
            with suppress(OSError):  # a file system without locks: two requests at once may count as one
                lock(descriptor, 5.0)
            yield


def used_today(spending: Spending) -> tuple[ModelUse, ...]:
    """Return today's usage of each profile, by name."""
    return tuple(
        ModelUse(
            profile=name,
            sent=spent.sent,
            received=spent.received,
            cost=round(spent.cost, 6) if spent.currency else None,
            currency=spent.currency,
        )
        for name, spent in sorted(spending.by_profile().items())
    )


def check(limits: SpendingLimits, needed: Spent, *, chat: Spent, today: Spent) -> None:
    """Raises ModelLimit where a request that takes `needed` would go past one of the limits."""
    asked = (
        ("tokens_per_request", limits.tokens_per_request, 0, needed.tokens),
        ("tokens_per_chat", limits.tokens_per_chat, chat.tokens, needed.tokens),
        ("tokens_per_day", limits.tokens_per_day, today.tokens, needed.tokens),
        ("cost_per_chat", limits.cost_per_chat, chat.cost, needed.cost),
        ("cost_per_day", limits.cost_per_day, today.cost, needed.cost),
    )
    for name, limit, used, more in asked:
        if limit is not None and used + more > limit:
            raise ModelLimit(
                f"Nothing was sent: it would go past {name} ({_amount(limit)}; {_amount(used)} are used, this takes "
                f"about {_amount(more)}). Change it in models.toml, or send less.",
                limit=name,
                used=used,
                needed=more,
            )


class MeteredModel:
    """Model with limits and a record of its usage. `chat`: the chat to which the usage is added; `count`: estimates
    the tokens of a text."""

    def __init__(
        self, model: ChatModel, profile: tuple[str, Profile], limits: SpendingLimits, spending: Spending
    ) -> None:
        self._model = model
        self._name, self._profile = profile
        self._limits = limits
        self._spending = spending
        self.count: Callable[[str], int] = lambda text: len(text) // 3
        self.chat = Spent()

    def going_on(self, chat: Chat) -> None:
        """Count on what a chat took already."""
        self.chat = Spent(chat.sent, chat.received, chat.cost)

    def complete(
        self,
        messages: Sequence[ChatMessage],
        tools: Sequence[Tool] = (),
        *,
        max_tokens: int | None = None,
        cancel: threading.Event | None = None,
    ) -> Iterator[Event]:
        """Complete a conversation as ChatModel.complete does. Raises ModelLimit before anything is sent."""
        sent = self.count(msgspec.json.encode(as_request(messages, tools)).decode())
        self._refuse_past_limits(sent)
        received: list[str] = []
        usage: TokenUsage | None = None
        is_taken = False
        try:
            for event in self._model.complete(messages, tools, max_tokens=max_tokens, cancel=cancel):
                is_taken = True
                if isinstance(event, TextPiece):
                    received.append(event.text)
                elif isinstance(event, TokenUsage):
                    usage = event
                elif isinstance(event, End) and usage is None:
                    yield TokenUsage(sent, self.count("".join(received)), exact=False)
                yield event
        except Cancelled:
            is_taken = True  # it was sent, whatever had come of it
            raise
        finally:  # what broke off was paid for too; what was refused, or reached nobody, was not
            if is_taken:
                self._note(usage or TokenUsage(sent, self.count("".join(received)), exact=False))

    def _refuse_past_limits(self, sent: int) -> None:
        profile = self._profile
        if sent + min(profile.answer, profile.context // 4) > profile.context:
            message = f"Nothing was sent: {sent} tokens leave no room for an answer in {profile.context}. Send less."
            raise ModelLimit(message, limit="context", used=0, needed=sent)
        cost = profile.price.of(sent, 0) if profile.price else 0.0
        check(self._limits, Spent(sent, 0, cost), chat=self.chat, today=self._spending.today())

    def _note(self, usage: TokenUsage) -> None:
        price = self._profile.price
        cost, currency = (price.of(usage.sent, usage.received), price.currency) if price else (0.0, "")
        spent = Spent(usage.sent, usage.received, cost, currency)
        self.chat = self.chat.plus(spent)
        self._spending.add(self._name, spent)


def _amount(value: float) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)
