"""C# in fences: declarations put in the place of those of the same names."""
