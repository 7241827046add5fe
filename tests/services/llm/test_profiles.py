"""`models.toml`, and where keys come from."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from services.errors import ModelKeyError, NoModel, SettingsError
from services.llm.profiles import Price, Profile, key_of, load_profiles, without_key

WHOLE = """
default = "big"
[limits]
tokens_per_day = 1000
[models.local]
endpoint = "http://127.0.0.1:11434/v1"
name = "qwen"
[models.big]
endpoint = "https://llm.example.org/v1"
name = "gpt-5"
context = 400000
key = "env:BIG_KEY"
price = { input = 1.25, output = 10.0 }
"""


def written(folder: Path, text: str) -> Path:
    file = folder / "models.toml"
    file.write_text(text, "utf-8")
    return file


def test_profiles_are_named_and_one_is_the_default(tmp_path: Path) -> None:
    profiles = load_profiles(written(tmp_path, WHOLE))
    name, big = profiles.chosen()
    assert (name, big.name, big.context, big.price) == ("big", "gpt-5", 400_000, Price(1.25, 10.0))
    assert profiles.chosen("local")[1].endpoint.endswith(":11434/v1")
    assert profiles.limits.tokens_per_day == 1000


def test_the_only_one_is_the_default_and_of_several_none_is(tmp_path: Path) -> None:
    one = '[models.only]\nendpoint = "https://a.example/v1"\nname = "m"\n'
    assert load_profiles(written(tmp_path, one)).chosen()[0] == "only"
    with pytest.raises(NoModel, match="none is the default"):
        load_profiles(written(tmp_path, WHOLE.replace('default = "big"', ""))).chosen()


def test_without_an_endpoint_nothing_can_be_sent_and_it_is_said_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(NoModel, match=r"nothing can be sent.*models\.toml.*copy the prompt"):
        load_profiles(tmp_path / "none.toml").chosen()
    with pytest.raises(NoModel, match="There are: local, big"):
        load_profiles(written(tmp_path, WHOLE)).chosen("small")


BASE = '[models.a]\nendpoint = "https://a.example/v1"\nname = "m"\n'


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (BASE + 'key = "sk-live-123456789"\n', "belongs in no file"),
        (BASE.replace("https://", "https://user:sk-live-123456789@"), "belongs in no file"),
        (BASE.replace("https", "http") + 'key = "env:K"\n', "unencrypted"),
        (BASE.replace("https://a.example/v1", "a.example"), "endpoint is the address"),
        (BASE.replace("https://a.example/v1", "http://[::1"), "endpoint is the address"),
        (BASE + "context = 0\n", "context"),
        (BASE + 'colour = "red"\n', "colour"),
        ('default = "b"\n' + BASE, "no such model"),
        ("models = 3", "models"),
        ("[[", "docs/MODELS.md"),
    ],
)
def test_what_is_wrong_is_said_without_what_may_be_a_key(tmp_path: Path, text: str, why: str) -> None:
    with pytest.raises(SettingsError) as caught:
        load_profiles(written(tmp_path, text))
    assert why in caught.value.message
    assert "sk-live-123456789" not in caught.value.message


def test_a_key_may_go_unencrypted_to_this_machine_or_where_a_person_says_so() -> None:
    here = Profile(endpoint="http://localhost:1234/v1", name="m", key="env:K")
    assert here.problem() == ""
    assert Profile(endpoint="http://gpu.lan/v1", name="m", key="env:K", insecure=True).problem() == ""


def test_a_key_comes_from_the_environment_or_the_ring() -> None:
    assert key_of("") == ""
    assert key_of("env:K", {"K": " abc \n"}) == "abc"
    assert (
        key_of("keyring:codecortex/big", ring=lambda service, user: f"{service}-{user}") == "codecortex-big"
    )


@pytest.mark.parametrize("held", ["", "  ", "a\nb", "ключ"])
def test_what_cannot_be_a_key_is_said_without_it(held: str) -> None:
    with pytest.raises(ModelKeyError) as caught:
        key_of("env:K", {"K": held})
    assert not held.strip() or held not in caught.value.message


def test_a_ring_without_the_key_says_how_to_store_it() -> None:
    with pytest.raises(ModelKeyError, match="keyring set codecortex big"):
        key_of("keyring:codecortex/big", ring=lambda *_: None)


def test_without_the_package_the_ring_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "keyring", None)
    with pytest.raises(ModelKeyError, match=r"codecortex\[keyring\]"):
        key_of("keyring:a/b")


def test_a_key_is_taken_out_of_what_people_read() -> None:
    assert without_key("bad key sk-1234", "sk-1234") == "bad key …"
    assert without_key("a b", "") == "a b"
