"""Random values of many kinds, by which the slots of samples are filled: `«b62:32»`, `«form:stripe»`, `«weak»`."""

from __future__ import annotations

import base64
import random
import re
import string
import uuid

_LETTERS = string.ascii_letters + string.digits
_ALPHABETS = {
    "b62": _LETTERS,
    "ld": string.ascii_lowercase + string.digits,
    "ud": string.ascii_uppercase + string.digits,
    "hex": "0123456789abcdef",
    "HEX": "0123456789ABCDEF",
    "url": _LETTERS + "-_",
    "sp": _LETTERS + "!@#%^*-_=+?",
    "d": string.digits,
    "u": string.ascii_uppercase,
    "b58": "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz",
}
_FORMS = {
    "github": "ghp_{b62:36}",
    "github-fine": "github_pat_{b62:22}_{b62:59}",
    "gitlab": "glpat-{b62:20}",
    "aws-id": "AKIA{aws:16}",
    "google": "AIza{url:35}",
    "stripe": "sk_live_{b62:24}",
    "slack": "xoxb-{d:11}-{d:12}-{b62:24}",
    "npm": "npm_{b62:36}",
    "pypi": "pypi-AgEIcHlwaS5vcmc{url:80}",
    "nuget": "oy2{ld:43}",
    "sendgrid": "SG.{url:22}.{url:43}",
    "openai": "sk-proj-{b62:48}",
    "anthropic": "sk-ant-api03-{b62:80}",
    "huggingface": "hf_{l:34}",
    "azure-devops": "{b62:76}AZDO{b62:4}",
    "azure-storage": "{b64:64}",
    "azure-secret": "{b62:3}8Q~{url:34}",
    "azure-functions": "{url:44}AzFu{b62:6}==",
    "discord": "MT{b62:24}.G{b62:5}.{b62:38}",
    "digitalocean": "dop_v1_{hex:64}",
    "mailgun": "key-{hex:32}",
    "mailchimp": "{hex:32}-us14",
    "shopify": "shpat_{hex:32}",
    "databricks": "dapi{hex:32}",
    "telegram": "{d:10}:AA{url:33}",
    "age": "AGE-SECRET-KEY-1{bech:58}",
    "twilio": "SK{hex:32}",
    "square": "sq0csp-{b62:43}",
    "postman": "PMAK-{hex:24}-{hex:34}",
    "newrelic": "NRAK-{ud:27}",
    "grafana": "glsa_{b62:32}_{hex:8}",
    "hashicorp": "hvs.{b62:24}",
    "doppler": "dp.st.dev.{b62:43}",
    "linear": "lin_api_{b62:40}",
    "airtable": "pat{b62:14}.{hex:64}",
    "figma": "figd_{b62:40}",
    "docker": "dckr_pat_{b62:27}",
    "pulumi": "pul-{hex:40}",
    "sonar": "squ_{hex:40}",
    "atlassian": "ATATT3xFfGF0{b62:60}={HEX:8}",
    "asana": "1/{d:16}:{hex:32}",
    "dynatrace": "dt0c01.{ud:24}.{ud:64}",
    "netlify": "nfp_{b62:36}",
    "supabase": "sbp_{hex:40}",
    "groq": "gsk_{b62:52}",
    "xai": "xai-{b62:80}",
    "replicate": "r8_{b62:37}",
    "rubygems": "rubygems_{hex:48}",
    "sentry": "sntryu_{hex:64}",
    "tailscale": "tskey-auth-k{b62:11}CNTRL-{b62:32}",
    "jwt": "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxNzM0{b62:22}.{url:43}",
    "sendinblue": "xkeysib-{hex:64}-{b62:16}",
    "planetscale": "pscale_tkn_{b62:43}",
    "notion": "ntn_{d:11}{b62:35}",
    "contentful": "CFPAT-{b62:43}",
    "circleci": "CCIPAT_{b62:22}_{hex:40}",
    "buildkite": "bkua_{hex:40}",
    "easypost": "EZAK{b62:54}",
    "shippo": "shippo_live_{hex:40}",
    "razorpay": "rzp_live_{b62:14}",
    "flyio": "fo1_{url:43}",
    "perplexity": "pplx-{b62:48}",
    "nvidia": "nvapi-{url:64}",
    "slack-app": "xapp-1-A{ud:10}-{d:13}-{hex:64}",
}
FORMS = tuple(_FORMS)
WEAK = (
    "hunter2", "Summer2024!", "P@ssw0rd", "Passw0rd!", "letmein", "admin123", "Winter#2023", "qwerty123", "changeit",
    "S3cr3t!", "Welcome1", "abc123!", "Sommer2022", "iloveyou2", "Pa$$w0rd", "dragon99", "Test1234!", "monkey12",
    "Admin@2024", "rootroot1", "F00tball!", "myDog5pot", "sunshine7", "trustno1", "Qwert!23", "2fast4u!", "Berlin1989",
)  # fmt: skip
_DRAWN = (
    "acorn", "badger", "bramble", "candle", "canyon", "cobble", "copper", "dagger", "ember", "falcon", "ferret",
    "gable", "ginger", "goblet", "gravel", "harbor", "hazel", "igloo", "jigsaw", "kettle", "lantern", "lobster",
    "marble", "meadow", "nettle", "otter", "paddle", "pickle", "puffin", "quarry", "saddle", "thistle", "trellis",
    "tundra", "velvet", "violet", "walnut", "walrus",
)  # fmt: skip
"""Words that passwords of words are drawn from."""
_OF_BYTES = {
    "b64": lambda data: base64.b64encode(data).decode(),
    "bytes": lambda data: ", ".join(f"0x{byte:02X}" for byte in data),
    "dbytes": lambda data: ", ".join(map(str, data)),
}
"""Bytes as base64, and as what stands in an array."""
_ESCAPED = {"uesc": "\\u{:04x}", "xesc": "\\x{:02x}"}
_SLOT = re.compile(r"«([^»]*)»")
_PART = re.compile(r"\{(\w+):(\d+)\}")


def fill(template: str, rng: random.Random) -> tuple[str, tuple[str, ...]]:
    """A sample and the values of its slots. `«=x»` is `x`; `«!b62:8»` is filled and is no secret."""
    values: list[str] = []

    def made(match: re.Match[str]) -> str:
        slot = match[1]
        value = slot[1:] if slot.startswith("=") else value_of(slot.lstrip("!"), rng)
        if not slot.startswith("!"):
            values.append(value)
        return value

    return _SLOT.sub(made, template), tuple(values)


def value_of(kind: str, rng: random.Random) -> str:
    """A value of a kind, with its length where it has one."""
    name, _, size = kind.partition(":")
    if name == "form":
        return _PART.sub(lambda part: value_of(f"{part[1]}:{part[2]}", rng), _FORMS[size])
    simple = {
        "weak": lambda: rng.choice(WEAK),
        "guid": lambda: str(uuid.UUID(int=rng.getrandbits(128), version=4)),
    }
    if name in simple:
        return simple[name]()
    length = int(size)
    if name == "words":
        return "-".join(rng.sample(_DRAWN, length))
    if name in _OF_BYTES:
        return _OF_BYTES[name](rng.randbytes(length))
    if name in _ESCAPED:
        return "".join(_ESCAPED[name].format(ord(letter)) for letter in value_of(f"b62:{size}", rng))
    special = {
        "aws": "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
        "bech": "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L",
        "l": string.ascii_letters,
    }
    return "".join(rng.choices(special.get(name) or _ALPHABETS[name], k=length))
