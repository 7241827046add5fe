"""Simple agent (003): one prompt, one tool, no stored session."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import msgspec

from services.errors import Cancelled, CodeCortexError, UsageError
from services.model import Value
from services.operations.needs import Need
from services.operations.operation import Effect, Faces, Param, Right, Work, always, declare

if TYPE_CHECKING:
    from services.bench import Bench

TOOLS = ("read", "list", "search", "replace")
"""By the names of the protocol."""
_AUTO = "auto"
_SYSTEM = (
    "You choose the one tool that does what the user asks. Answer with exactly one word, nothing else: "
    "read (show a file or lines of it), list (list files or a folder), search (find text in files) or replace (change "
    "text in a file)."
)
_AGENT = Effect(read_only=False, destructive=True, idempotent=False, right=Right.READ)
"""Reading it may; what replaces text asks for the right to write itself."""


class ContextEntry(Value, kw_only=True, frozen=True, forbid_unknown_fields=False):
    """Earlier request that the client sends as context. `result`: its answer, in a line or more."""

    prompt: str = ""
    result: str = ""
    timestamp: str = ""

    @property
    def summary(self) -> str:
        """In one line."""
        result = " ".join(self.result.split())
        return f"- {self.prompt.strip()} → {result[:200]}"


class AgentAnswer(Value, kw_only=True, frozen=True):
    """Answer of the agent. `error`: the detail of a failure."""

    success: bool
    message: str
    data: str | None = None
    error: str | None = None


_TOOL_TYPE = Param(
    "Tool: read, list, search or replace; auto has the model choose.", flag="--tool", is_text=always
)
_CONTEXT_HISTORY = Param(
    "What was asked before: {timestamp, prompt, result} of each.", flag="--context", is_text=always
)
_OLD_STRING = Param("Text to replace, which stands there once.", flag="--old", is_text=always)


@declare("RunAgent", Faces(None, "agent"), effect=_AGENT, index=Need.NOTHING)
def run_agent(
    bench: Bench,
    prompt: Annotated[str, Param("What to do, in words.", words=True, is_text=always)],
    *,
    tool_type: Annotated[str, _TOOL_TYPE] = "",
    context_history: Annotated[tuple[Mapping[str, Any], ...], _CONTEXT_HISTORY] = (),
    path: Annotated[str, Param("File or folder, where the prompt does not name it.", flag="--path")] = "",
    start_line: Annotated[int | None, Param("First line, from 1.", flag="--start", least=1)] = None,
    end_line: Annotated[int | None, Param("Last line.", flag="--end", least=1)] = None,
    pattern: Annotated[str, Param("What to search for.", flag="--pattern", is_text=always)] = "",
    old_string: Annotated[str, _OLD_STRING] = "",
    new_string: Annotated[str | None, Param("Text in its place.", flag="--new", is_text=always)] = None,
    work: Work,
) -> AgentAnswer:
    """Do one thing with one tool: read, list, search or replace.

    Keeps nothing between two requests. What the fields do not say is read out of the prompt; a replacement goes
    through the token, the lock and the consent of any agent's write.
    """
    from services.operations.models.file_tools import RUN, Request, completed

    request = Request(
        prompt=prompt,
        path=path,
        start=start_line,
        end=end_line,
        pattern=pattern,
        old=old_string,
        new=new_string,
    )
    try:
        name = _chosen(bench, prompt, tool_type, context_history, work)
        tool = RUN.get(name) or next((run for key, run in RUN.items() if key.lower() == name.lower()), None)
        if tool is None:
            return AgentAnswer(
                success=False, message=f"Unknown tool: {name}", error=f"There are: {', '.join(TOOLS)}."
            )
        answer = tool(bench, completed(name.lower(), request), work)
    except Cancelled:
        raise
    except CodeCortexError as error:
        return AgentAnswer(success=False, message="AgentService error", error=error.message)
    message = f"[tool={name.lower()}] {answer.message}" if answer.message else answer.message
    return AgentAnswer(success=True, message=message, data=bench.asking.mask(answer.data))


def _chosen(
    bench: Bench, prompt: str, tool_type: str, history: Sequence[Mapping[str, Any]], work: Work
) -> str:
    """The tool's name: that of the request, or the model's choice. Raises UsageError, ModelError."""
    if not prompt.strip():
        raise UsageError("prompt is empty. Say what to do.")
    wanted = tool_type.strip()
    if wanted and wanted.lower() != _AUTO:
        return wanted
    from services.llm.client import ChatClient
    from services.llm.values import ChatMessage

    entries = _entries(history)
    before = "\n".join(each.summary for each in entries)
    asked = f"Before:\n{before}\n\nNow: {prompt}" if before else prompt
    messages = [ChatMessage(role="system", content=_SYSTEM), ChatMessage(role="user", content=asked)]
    return normalised(ChatClient(bench.asking.model()).chat(messages, cancel=work.cancel).content)


def normalised(raw: str) -> str:
    """The tool that a model's answer names: trimmed, in small letters, without quotes or back-ticks, its first word.
    Raises UsageError for any other word."""
    word = raw.strip().lower().strip("\"'`").strip()
    word = word.split()[0].strip("\"'`") if word else ""
    if word not in TOOLS:
        raise UsageError(f"The model chose {raw.strip()[:80]!r}, which is none of {', '.join(TOOLS)}.")
    return word


def _entries(history: Iterable[Mapping[str, Any]]) -> list[ContextEntry]:
    try:
        return msgspec.convert([*history], list[ContextEntry], strict=False)
    except msgspec.ValidationError as error:
        raise UsageError(f"contextHistory: {error}. Each is {{timestamp, prompt, result}}.") from error
