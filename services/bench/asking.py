"""Asking a model about the window: what would be sent and cost, the answer with its tool calls, and the chat that is
kept of it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from services.bench.commands import CommandRunner
from services.errors import CodeCortexError, ToolRounds, UsageError
from services.llm.chat import Chat, ChatFiles, Chats, new_chat
from services.llm.citations import citations
from services.llm.client import ChatClient, ChatModel, Conversation, Step, ToolAnswered
from services.llm.profiles import ModelProfiles, Profile, load_profiles
from services.llm.spending import MeteredModel, Spending, Spent
from services.llm.tool_files import ToolFiles
from services.llm.tool_registry import Registry
from services.llm.values import ChatMessage, Event, TextPiece, Tool, ToolCall, ToolCalled

if TYPE_CHECKING:
    from services.model.copies import Citation, Copy

_INTERRUPTED = "[The answer broke off here.]"


class AskServices(msgspec.Struct, frozen=True):
    """Services of a workspace that a chat uses. `window`: the window made ready to hand over for a question, None where
    there is nothing in it; `mask`: a text without its likely secrets; `hide`: as that, with the files that lines of it
    may be of; `count`: tokens of a text for a model; `lines`,
    `symbol`: what citations are held against; `model_of`: what speaks to a profile."""

    state: ChatFiles
    window: Callable[[str], Copy | None]
    mask: Callable[[str], str]
    hide: Callable[[str, list[str]], str]
    count: Callable[[str, str], int]
    lines: Callable[[str], int | None]
    symbol: Callable[[str], str | None]
    files: Callable[[], ToolFiles]
    spending_file: Path
    profiles: Callable[[], ModelProfiles] = load_profiles
    model_of: Callable[[Profile], ChatModel] | None = None


class Prepared(msgspec.Struct, frozen=True, kw_only=True):
    """A question ready to be sent, or copied. `prompt`: the text that is new; `tokens`: of all that would be sent;
    `profile`: empty where no model is set up; `cost`: of sending it, and with the longest answer; None: not known."""

    chat: Chat
    prompt: str
    tokens: int
    profile: str = ""
    model: str = ""
    cost: tuple[float, float] | None = None
    currency: str = ""
    copied: Copy | None = None

    @property
    def about(self) -> str:
        """Estimated tokens and price of the request, in one line."""
        if not self.profile:
            return f"{self.tokens} tokens; no model is set up: copy the prompt and paste the answer"
        price = ""
        if self.cost is not None:
            price = f", {self.cost[0]:.4f} to {self.cost[1]:.4f} {self.currency}"
        return f"{self.tokens} tokens to {self.model} ({self.profile}){price}"


class Asking:
    """The chats of one workspace. `files`: what models may see of it now; `mask`: makes a text fit to leave for one.
    Every method blocks and may be called from any thread."""

    def __init__(self, services: AskServices) -> None:
        self._services = services
        self.chats = Chats(services.state)
        self.spending = Spending(services.spending_file)
        self.commands = CommandRunner(services.files, services.state, services.hide)
        self.files = services.files
        self.profiles = services.profiles
        self.mask = services.mask

    def prepare(
        self,
        question: str,
        *,
        chat: Chat | None = None,
        profile: str | None = None,
        tools: Sequence[Tool] = (),
    ) -> Prepared:
        """A question with the window, as it would be copied, or as the next one of a chat. Raises UsageError for an
        empty question, NoModel for a profile that there is not, and as Copying.prepare."""
        if not question.strip():
            raise UsageError("Ask something.")
        profiles = self.profiles()
        name, chosen = profiles.chosen(profile) if profile or profiles.models else ("", None)
        asked = self._services.mask(question)
        begun = chat or new_chat(asked, name)
        begun = msgspec.structs.replace(begun, questions=(*begun.questions, asked))
        copied = None if begun.messages else self._services.window(question)
        prompt = copied.text if copied is not None else self._services.mask(question)
        tokens = self._tokens((*begun.messages, ChatMessage(role="user", content=prompt)), tools, chosen)
        price = chosen.price if chosen is not None else None
        return Prepared(
            chat=begun,
            prompt=prompt,
            tokens=tokens,
            profile=name,
            model=chosen.name if chosen is not None else "",
            cost=price.between(tokens, chosen.answer) if price is not None and chosen is not None else None,
            currency=price.currency if price is not None else "",
            copied=copied,
        )

    def ask(
        self, prepared: Prepared, registry: Registry, *, cancel: threading.Event | None = None
    ) -> Iterator[Step | Chat]:
        """Send the request: yield the steps to the answer, and last the chat, which is stored in any case. Raises
        NoModel, ModelError, ToolRounds, Cancelled."""
        name, profile, model = self._metered(prepared.profile or None)
        model.going_on(prepared.chat)
        said = (*prepared.chat.messages, ChatMessage(role="user", content=prepared.prompt))
        taken = _Taken(said)
        client = ChatClient(_Masked(model, self._services.mask))
        try:
            for step in client.converse(said, registry, cancel=cancel):
                if isinstance(step, Conversation) and step.cut:
                    yield TextPiece(_marked(step.cut))
                taken.take(step)
                yield step
        except ToolRounds as error:
            taken.whole = tuple(msgspec.convert(error.details["messages"], list[ChatMessage]))
            raise
        finally:
            begun = msgspec.structs.replace(prepared.chat, cut=taken.cut)
            chat = self._kept(begun, taken.messages, profile, name, model.chat)
        yield chat

    def paste(self, prepared: Prepared, answer: str) -> Chat:
        """Store an answer that a person obtained elsewhere. Raises UsageError for an empty one."""
        if not answer.strip():
            raise UsageError("The answer is empty. Copy it in the chat, then paste it here.")
        said = (
            *prepared.chat.messages,
            ChatMessage(role="user", content=prepared.prompt),
            ChatMessage(role="assistant", content=answer.replace("\r\n", "\n")),
        )
        chat = msgspec.structs.replace(prepared.chat, messages=said, cut="")
        self.chats.keep(chat)
        return chat

    def cited(self, answer: str) -> list[Citation]:
        """Return the citations of an answer, verified against index and disk."""
        return citations(answer, self._services.lines, self._services.symbol)

    def can_ask(self, profile: str | None = None) -> bool:
        """Whether a model is configured, and the variable with its key is set. A keyring is not consulted, since it
        may prompt the person."""
        from services.llm.profiles import key_of

        try:
            _, chosen = self.profiles().chosen(profile)
            return not chosen.key.startswith("env:") or bool(key_of(chosen.key))
        except CodeCortexError:
            return False

    def model(self, profile: str | None = None) -> ChatModel:
        """Return a model for requests without a chat, with limits, usage record and masking of likely secrets.
        Raises NoModel, SettingsError."""
        return _Masked(self._metered(profile)[2], self._services.mask)

    def _metered(self, wanted: str | None) -> tuple[str, Profile, MeteredModel]:
        profiles = self.profiles()
        name, profile = profiles.chosen(wanted)
        model = MeteredModel(self._model(profile), (name, profile), profiles.limits, self.spending)
        model.count = lambda text: self._services.count(profile.tokenizer or profile.name, text)
        return name, profile, model

    def _model(self, profile: Profile) -> ChatModel:
        if self._services.model_of is not None:
            return self._services.model_of(profile)
        from services.llm.openai import OpenAiModel

        return OpenAiModel(profile)

    def _tokens(self, messages: Sequence[ChatMessage], tools: Sequence[Tool], profile: Profile | None) -> int:
        text = "\n".join(each.content or "" for each in messages)
        if tools:
            text += msgspec.json.encode([*tools]).decode()
        return self._services.count(profile.tokenizer or profile.name if profile is not None else "", text)

    def _kept(
        self, chat: Chat, messages: tuple[ChatMessage, ...], profile: Profile, name: str, spent: Spent
    ) -> Chat:
        price = profile.price
        made = msgspec.structs.replace(
            chat,
            messages=messages,
            profile=name,
            sent=spent.sent,
            received=spent.received,
            cost=round(spent.cost, 6),
            currency=price.currency if price is not None else "",
        )
        self.chats.keep(made)
        return made


def _marked(cut: str) -> str:
    """Return the note appended to an answer that was cut, so that it is not mistaken for a whole one."""
    return f"\n\n[{cut}]"


class _Taken:
    """Messages collected so far, in case the conversation breaks off."""

    def __init__(self, said: Sequence[ChatMessage]) -> None:
        self.whole: tuple[ChatMessage, ...] | None = None
        self.cut = ""
        self._said = [*said]
        self._text: list[str] = []
        self._calls: list[ToolCall] = []
        self._results: list[ChatMessage] = []

    def take(self, step: Step) -> None:
        """Add a step."""
        match step:
            case TextPiece(text):
                if self._results:
                    self._close()
                self._text.append(text)
            case ToolCalled(call):
                self._calls.append(call)
            case ToolAnswered(call, result):
                message = ChatMessage(role="tool", tool_call_id=call.id, content=result.content)
                self._results.append(message)
                if len(self._results) == len(self._calls):
                    self._close()
            case Conversation((*before, last), cut) if cut:
                content = (last.content or "") + _marked(cut)
                self.whole = (*before, msgspec.structs.replace(last, content=content))
                self.cut = cut
            case Conversation(messages):
                self.whole = messages
            case _:
                pass

    @property
    def messages(self) -> tuple[ChatMessage, ...]:
        """Return all messages; tool calls without a result are left out, since endpoints reject them."""
        if self.whole is not None:
            return self.whole
        text = "".join(self._text)
        broken = (ChatMessage(role="assistant", content=f"{text}\n\n{_INTERRUPTED}"),) if text else ()
        return (*self._said, *broken)

    def _close(self) -> None:
        said = ChatMessage(role="assistant", content="".join(self._text), tool_calls=tuple(self._calls))
        self._said += [said, *self._results]
        self._text, self._calls, self._results = [], [], []


class _Masked:
    """A model that is sent nothing with a likely secret in it."""

    def __init__(self, model: ChatModel, mask: Callable[[str], str]) -> None:
        self._model = model
        self._mask = mask

    def complete(
        self,
        messages: Sequence[ChatMessage],
        tools: Sequence[Tool] = (),
        *,
        max_tokens: int | None = None,
        cancel: threading.Event | None = None,
    ) -> Iterator[Event]:
        """Complete a conversation as ChatModel.complete does."""
        masked = [
            msgspec.structs.replace(each, content=self._mask(each.content)) if each.content else each
            for each in messages
        ]
        return self._model.complete(masked, tools, max_tokens=max_tokens, cancel=cancel)
