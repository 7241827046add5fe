"""Binding of names and operations in bodies: C# bound as the compiler binds it."""
