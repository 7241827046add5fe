"""Places where a symbol is used: those bound to it by the rules of the language, and those that share its name."""
