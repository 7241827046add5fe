"""Limits of the arguments and results of tools (001 section 6.3)."""

MAX_FILE_SIZE = 1_000_000
"""Bytes of a file that one read tells."""
COMMAND_TIMEOUT = 30.0
"""Seconds."""
MAX_RESULTS = 100
"""Rows that one search tells."""
MAX_TOOL_ROUNDS = 10
"""Rounds of tool calls before a model has to answer."""
MAX_RESULT = 80_000
"""Characters of one result: below 25 000 tokens, so that a model's context outlives its questions."""
