"""Operations with models: asking, tools, commands, and the simple agent (SPEC section 12)."""
