import pytest

from services.prompt.tokens.models import SUGGESTED_MODELS, profile_for, tokenizer_for


@pytest.mark.parametrize(
    ("model", "name"),
    [
        ("gpt-4o", "o200k_base"),
        ("gpt-4o-2024-05-13", "o200k_base"),
        ("GPT-4.1-mini", "o200k_base"),
        ("openai/gpt-5", "o200k_base"),
        ("o1", "o200k_base"),
        ("o3-mini", "o200k_base"),
        ("o4-mini", "o200k_base"),
        ("gpt-4", "cl100k_base"),
        ("gpt-4-turbo-2024-04-09", "cl100k_base"),
        ("gpt-3.5-turbo", "cl100k_base"),
        ("o200k_base", "o200k_base"),
        ("cl100k_base", "cl100k_base"),
    ],
)
def test_open_models_are_counted_exactly(model, name):
    spec = tokenizer_for(model)
    assert (spec.name, spec.exact, spec.base, spec.band) == (name, True, name, 0)


@pytest.mark.parametrize(
    "model", ["claude-sonnet-4-5", "anthropic/claude-opus-4-7", "gemini-2.5-pro", "llama-3.3", "brand-new"]
)
def test_other_families_are_marked_approximate_with_a_band(model):
    spec = tokenizer_for(model)
    assert not spec.exact
    assert spec.band > 0


def test_an_approximation_rounds_up():
    spec = tokenizer_for("claude-sonnet-4-5")
    assert spec.scale(1) == 2
    assert spec.scale(100) == 130
    assert spec.scale(0) == 0


def test_the_longest_prefix_decides():
    assert profile_for("gpt-4-32k-0314").context == 32_768
    assert profile_for("gpt-4").context == 8_192
    assert profile_for("gpt-4.1").context == 1_047_576


def test_every_suggested_model_has_a_known_context():
    assert all(profile_for(model).context for model in SUGGESTED_MODELS)


def test_agrees_with_tiktoken_on_every_model_tiktoken_puts_in_a_shipped_encoding():
    from tiktoken.model import MODEL_TO_ENCODING

    chat = {
        m: e
        for m, e in MODEL_TO_ENCODING.items()
        if e in {"o200k_base", "cl100k_base"} and m.startswith(("gpt", "o"))
    }
    assert chat
    assert {model: tokenizer_for(model).name for model in chat} == chat
