"""Ways in which secrets stand within other text, a row each."""
