import pytest

from services.prompt.tokens.tokenizers import EncodingCounter


@pytest.fixture(scope="session")
def encodings():
    """One in-process counter for the whole run: building an encoding takes half a second."""
    return EncodingCounter()
