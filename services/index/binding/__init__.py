"""What every name and operation in a body means: C# bound as the compiler binds it."""
