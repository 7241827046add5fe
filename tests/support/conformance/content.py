"""Contents that the suite's scenarios look for."""

from __future__ import annotations

import base64
import io
import struct
import wave
import zlib

import mcp_types as types


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def _png() -> bytes:
    """Return an image of one red pixel."""
    head = struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0)
    pixel = zlib.compress(b"\0\xff\0\0")
    return b"\x89PNG\r\n\x1a\n" + _chunk(b"IHDR", head) + _chunk(b"IDAT", pixel) + _chunk(b"IEND", b"")


def _wav() -> bytes:
    made = io.BytesIO()
    with wave.open(made, "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(2)
        sound.setframerate(8_000)
        sound.writeframes(b"\0\0" * 80)
    return made.getvalue()


PNG = base64.b64encode(_png()).decode()
WAV = base64.b64encode(_wav()).decode()


def text(value: str) -> types.TextContent:
    return types.TextContent(type="text", text=value)


def image() -> types.ImageContent:
    return types.ImageContent(type="image", data=PNG, mime_type="image/png")


def audio() -> types.AudioContent:
    return types.AudioContent(type="audio", data=WAV, mime_type="audio/wav")


def embedded(uri: str, mime_type: str, value: str) -> types.EmbeddedResource:
    resource = types.TextResourceContents(uri=uri, mime_type=mime_type, text=value)
    return types.EmbeddedResource(type="resource", resource=resource)
