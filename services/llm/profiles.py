"""Profiles of models: `models.toml` in the person's configuration folder, never a file of a project.

default = "local"

[limits]
tokens_per_day = 2000000

[models.local]
endpoint = "http://127.0.0.1:11434/v1"
name = "qwen2.5-coder:7b"
context = 32768

[models.big]
endpoint = "https://llm.example.org/v1"
name = "gpt-5"
context = 400000
key = "env:BIG_KEY"            # or "keyring:SERVICE/USER"; the key itself never stands here
price = { input = 1.25, output = 10.0, currency = "USD" }    # of a million tokens
"""

from __future__ import annotations

import importlib
import ipaddress
import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

import msgspec

from services.decoding import decode_toml
from services.errors import ModelKeyError, NoModel, SettingsError
from services.settings.load import user_file_path

Ring = Callable[[str, str], str | None]
"""Looks a password up by service and user."""

_LEAST = 4


def key_of(where: str, environment: Mapping[str, str] | None = None, ring: Ring | None = None) -> str:
    """The key that `env:NAME` or `keyring:SERVICE/USER` leads to; empty for empty. Raises ModelKeyError."""
    kind, _, rest = where.partition(":")
    if not where:
        return ""
    if kind == "env":
        found = (os.environ if environment is None else environment).get(rest, "").strip()
        if not found:
            raise ModelKeyError(f"The environment variable {rest} has no key. Set it and start again.")
    else:
        service, _, user = rest.partition("/")
        found = ((ring or keyring_lookup())(service, user) or "").strip()
        if not found:
            raise ModelKeyError(f"The keyring has no key. Store it: keyring set {service} {user}")
    if not found.isascii() or not found.isprintable():
        raise ModelKeyError(f"What {where} holds is no key: it has characters that no key has.")
    return found


def keyring_lookup() -> Ring:
    """Return the lookup in the system's keyring. Raises ModelKeyError without the package or a keyring."""
    try:
        keyring = importlib.import_module("keyring")
    except ImportError as error:
        message = 'The keyring is not supported here: pip install "codecortex[keyring]", or use env:NAME.'
        raise ModelKeyError(message) from error

    def look(service: str, user: str) -> str | None:
        try:
            return keyring.get_password(service, user)
        except Exception as error:
            message = f"The keyring cannot be asked ({type(error).__name__}): use env:NAME instead."
            raise ModelKeyError(message) from error

    return look


def without_key(text: str, key: str) -> str:
    """A text for people that has the key in it no more."""
    return text.replace(key, "…") if len(key) >= _LEAST else text


FILE = "models.toml"
_WHERE_KEYS_ARE = re.compile(r"env:[A-Za-z_][A-Za-z0-9_]*|keyring:[^/\s]+/\S+")
_HOW = (
    'Write `key = "env:NAME"` (an environment variable) or `key = "keyring:SERVICE/USER"`; the key itself belongs in '
    "no file."
)

Positive = Annotated[int, msgspec.Meta(ge=1)]
Amount = Annotated[float, msgspec.Meta(ge=0)]


class Price(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Price of a million tokens, sent and received."""

    input: Amount = 0.0
    output: Amount = 0.0
    currency: str = "USD"

    def of(self, sent: int, received: int) -> float:
        """Return the cost of so many tokens."""
        return (sent * self.input + received * self.output) / 1_000_000

    def between(self, sent: int, most_received: int) -> tuple[float, float]:
        """Return the least and the most that a request may cost, before it is answered."""
        return self.of(sent, 0), self.of(sent, most_received)


class SpendingLimits(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Spending limits; None: no limit. Money is in the currency of each profile."""

    tokens_per_request: Positive | None = None
    tokens_per_chat: Positive | None = None
    tokens_per_day: Positive | None = None
    cost_per_chat: Amount | None = None
    cost_per_day: Amount | None = None


class Profile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An endpoint and what is known of its model.

    `name`: the model's at the endpoint; `context`: tokens it takes in all; `answer`: most tokens of an answer; `key`:
    where the key is; `key_header`: carries it in place of `Authorization: Bearer`; `answer_field`: what the request
    calls the most tokens; `tokenizer`: the model by whose tokenizer it counts; `connect`, `wait`, `total`: seconds, for
    the connection, between two pieces of an answer, and for all of it; `proxy`: None for that of the environment;
    `usage`: whether to ask that tokens be told at the end; `insecure`: a key may go to another machine without TLS."""

    endpoint: str
    name: str
    context: Positive = 128_000
    answer: Positive = 8_192
    price: Price | None = None
    key: str = ""
    key_header: str = ""
    answer_field: str = "max_tokens"
    tokenizer: str = ""
    connect: Amount = 10.0
    wait: Amount = 120.0
    total: Amount = 1800.0
    proxy: str | None = None
    usage: bool = True
    insecure: bool = False

    def problem(self) -> str:
        """Return the profile's error as a sentence; empty where it is valid."""
        try:
            parts = urlsplit(self.endpoint)
            host = parts.hostname
        except ValueError:
            host, parts = None, urlsplit("")
        if parts.scheme not in ("http", "https") or not host:
            return "endpoint is the address before /chat/completions, such as http://127.0.0.1:11434/v1."
        if parts.username or parts.password:
            return f"endpoint has a name or password in it. {_HOW}"
        if self.key and not _WHERE_KEYS_ARE.fullmatch(self.key):
            return f"key does not say where the key is. {_HOW}"
        if self.key and parts.scheme == "http" and not (self.insecure or _is_here(host)):
            return "its key would go to another machine unencrypted. Use https, or set `insecure = true`."
        return ""


class ModelProfiles(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """All of them by the name that a person gave each."""

    models: Mapping[str, Profile] = msgspec.field(default_factory=dict)
    default: str = ""
    limits: SpendingLimits = SpendingLimits()

    def chosen(self, name: str | None = None) -> tuple[str, Profile]:
        """That of a name, or the default, or the only one. Raises NoModel."""
        wanted = name or self.default or (next(iter(self.models)) if len(self.models) == 1 else "")
        if wanted in self.models:
            return wanted, self.models[wanted]
        there = f" There are: {', '.join(self.models)}." if self.models else ""
        what = f"No model {wanted!r} is set up." if wanted else "No model is set up, so nothing can be sent."
        if self.models and not wanted:
            what = "Several models are set up, and none is the default."
        raise NoModel(
            f"{what}{there} Describe one in {models_file()} (docs/MODELS.md), or copy the prompt into a chat and paste "
            "the answer."
        )


def models_file() -> Path:
    """Return the path of the person's models.toml."""
    return user_file_path().parent / FILE


def load_profiles(file: Path | None = None) -> ModelProfiles:
    """The profiles of a file; the person's, where none is named; none, where there is no file. Raises SettingsError,
    which never quotes a value."""
    file = file or models_file()
    try:
        data = file.read_text("utf-8")
    except (FileNotFoundError, NotADirectoryError):
        return ModelProfiles()
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"{file} cannot be read: {error}.", source=str(file)) from error
    try:
        profiles = decode_toml(ModelProfiles, data)
    except msgspec.DecodeError as error:
        raise SettingsError(f"{file}: {error}. See docs/MODELS.md.", source=str(file)) from error
    for name, profile in profiles.models.items():
        if problem := profile.problem():
            raise SettingsError(f"{file}: models.{name}: {problem}", source=str(file), key=f"models.{name}")
    if profiles.default and profiles.default not in profiles.models:
        message = f"{file}: default names {profiles.default!r}, and there is no such model."
        raise SettingsError(message, source=str(file), key="default")
    return profiles


def _is_here(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")
