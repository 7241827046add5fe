"""The shipped rank files are those tiktoken expects, and make the encodings tiktoken makes."""

import hashlib
import lzma

import pytest
import tiktoken

from services.errors import TokenizerError
from services.prompt.tokens.models import VOCABULARIES, load_encoding, packed_ranks, unpack_ranks

URL = "https://openaipublic.blob.core.windows.net/encodings/{}.tiktoken"


@pytest.fixture
def tiktokens_own_cache(tmp_path, monkeypatch):
    """A cache folder in tiktoken's own layout, holding our rank files: tiktoken checks them itself."""
    for name, vocabulary in VOCABULARIES.items():
        key = hashlib.sha1(URL.format(name).encode()).hexdigest()
        (tmp_path / key).write_bytes(unpack_ranks(packed_ranks(name), vocabulary))
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))


@pytest.mark.parametrize("name", sorted(VOCABULARIES))
def test_is_the_encoding_that_tiktoken_builds(name, tiktokens_own_cache):
    ours, theirs = load_encoding(name), tiktoken.get_encoding(name)
    assert ours._pat_str == theirs._pat_str
    assert ours._special_tokens == theirs._special_tokens
    assert ours._mergeable_ranks == theirs._mergeable_ranks
    sample = "public sealed record Ünïcode<T>(int Id, string? Näme); // 漢字 🎉\r\n\t\tx ??= 1_000;\n"
    assert ours.encode_ordinary(sample) == theirs.encode_ordinary(sample)


@pytest.mark.parametrize(
    ("damaged", "how"),
    [
        (b"not xz at all", "cannot be unpacked"),
        (packed_ranks("cl100k_base")[:1000], "cannot be unpacked"),
        (lzma.compress(b"aGVsbG8= 0\n"), "does not have the checksum"),
    ],
)
def test_a_damaged_rank_file_is_refused_and_says_what_to_do(damaged, how):
    with pytest.raises(TokenizerError, match=how) as caught:
        unpack_ranks(damaged, VOCABULARIES["cl100k_base"])
    assert "Install CodeCortex again" in caught.value.message
    assert caught.value.details == {"tokenizer": "cl100k_base"}


def test_a_rank_file_that_is_not_there_is_said():
    with pytest.raises(TokenizerError, match="is missing"):
        packed_ranks("p50k_base")
