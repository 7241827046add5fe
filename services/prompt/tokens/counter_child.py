"""The helper that counts tokens: questions on standard input, answers on standard output.

A frame is a length (4 bytes, big endian) and that much MessagePack: a Question one way, an Answer the other.
"""

from __future__ import annotations

import select
import struct
import sys
from typing import IO, TypeVar

import msgspec

from services.errors import CodeCortexError

_LENGTH = struct.Struct(">I")
_Frame = TypeVar("_Frame", bound=msgspec.Struct)


class Question(msgspec.Struct, frozen=True, kw_only=True):
    """How many tokens of `encoding` each text has."""

    encoding: str
    texts: list[str]


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """`counts` in the order of the texts, or `error`, a sentence."""

    counts: list[int] = []
    error: str | None = None


def write_frame(stream: IO[bytes], value: msgspec.Struct) -> None:
    """Write one value and flush. Raises OSError when the other side is gone."""
    body = msgspec.msgpack.encode(value)
    stream.write(_LENGTH.pack(len(body)))
    stream.write(body)
    stream.flush()


def read_frame(stream: IO[bytes], kind: type[_Frame]) -> _Frame:
    """Read one value. Raises EOFError when the stream ends before or within it."""
    (length,) = _LENGTH.unpack(_exactly(stream, _LENGTH.size))
    return msgspec.msgpack.decode(_exactly(stream, length), type=kind)


def main() -> None:
    """Answer until standard input ends, or after a while without requests: a tokenizer takes 80 MB, which a workbench
    at rest does without. The parent starts it again."""
    from services.prompt.tokens.tokenizers import EncodingCounter

    counter, rest = EncodingCounter(), float(sys.argv[1])
    while select.select([sys.stdin], [], [], rest)[0]:
        try:
            question = read_frame(sys.stdin.buffer, Question)
        except EOFError:
            return
        try:
            answer = Answer(counts=counter.count_base(question.encoding, question.texts))
        except CodeCortexError as error:
            answer = Answer(error=error.message)
        write_frame(sys.stdout.buffer, answer)


def _exactly(stream: IO[bytes], length: int) -> bytes:
    body = stream.read(length)
    if len(body) < length:
        raise EOFError
    return body


if __name__ == "__main__":
    main()
