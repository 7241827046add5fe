"""Names in declarations bound to types, by the rules of the language and never by a guess (CSHARP.md)."""
