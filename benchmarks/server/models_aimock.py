"""Requests to npm's `@copilotkit/aimock`, an independent server: stream, tools, 429, a cut and a dropped connection,
a stop.

npm install @copilotkit/aimock          # in any folder
python -m benchmarks.server.models_aimock FOLDER WORKSPACE
"""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from pathlib import Path

from services.errors import CodeCortexError
from services.llm.client import ChatClient, Conversation, ToolAnswered
from services.llm.openai import OpenAiModel
from services.llm.profiles import Profile
from services.llm.tool_files import ToolFiles, default_tools
from services.llm.values import ChatMessage
from services.prompt.secrets.masking import Masker
from services.workspace.files.root import Root

_SERVER = """
import { LLMock } from "@copilotkit/aimock";
const m = new LLMock({ port: 0, latency: 5, chunkSize: 4 });
const calls = [{ name: "search_files", arguments: { pattern: "*" } },
  { name: "count_lines", arguments: { path: "." } }];
m.on({ userMessage: "hello" }, { content: "Hello, this is streamed. ".repeat(5) });
m.on({ userMessage: "tool", hasToolResult: false }, { toolCalls: calls });
m.on({ hasToolResult: true }, { content: "Looked." });
m.on({ userMessage: "limit" },
  { error: { message: "Rate limit", type: "rate_limit_error" }, status: 429, retryAfter: 1 });
m.on({ userMessage: "cut" }, { content: "word ".repeat(200) }, { truncateAfterChunks: 3 });
m.on({ userMessage: "drop" }, { content: "word ".repeat(200) }, { disconnectAfterMs: 40 });
m.on({ userMessage: "slow" }, { content: "word ".repeat(4000) }, { latency: 50 });
await m.start();
console.log(m.url);
setTimeout(() => process.exit(0), 60000);
"""


def main(folder: Path, workspace: Path) -> None:
    """Print what became of each question."""
    script = ["node", "--input-type=module", "-e", _SERVER]
    with subprocess.Popen(script, cwd=folder, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        profile = Profile(endpoint=f"{server.stdout.readline().strip()}/v1", name="gpt-4o")
        with Root.open(workspace) as root:
            _ask(OpenAiModel(profile, key=lambda: "mock"), ToolFiles(root, Masker(b"benchmark")))
        server.kill()


def _ask(model: OpenAiModel, files: ToolFiles) -> None:
    for question in ("hello", "tool", "limit", "cut", "drop"):
        began = time.perf_counter()
        try:
            steps = list(ChatClient(model).converse([_said(question)], default_tools(files)))
            told = steps[-1].answer[:40] if isinstance(steps[-1], Conversation) else ""
            said = (
                f"{len(steps)} steps, {sum(isinstance(step, ToolAnswered) for step in steps)} tools: {told}"
            )
        except CodeCortexError as error:
            said = f"{type(error).__name__}: {error.message}"
        print(f"{question:6} {time.perf_counter() - began:6.2f} s  {said}")
    cancel = threading.Event()
    events = model.complete([_said("slow")], cancel=cancel)
    next(events)
    began = time.perf_counter()
    cancel.set()
    try:
        list(events)
    except CodeCortexError as error:
        print(f"stop   {(time.perf_counter() - began) * 1000:6.0f} ms {type(error).__name__}")


def _said(question: str) -> ChatMessage:
    return ChatMessage(role="user", content=question)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
