"""C# in files of other kinds: Razor, XAML, ASP.NET pages, LINQPad queries.

Each is seen as a *view*: text of the same length in which everything but C# is blank, so that positions stay and the
ordinary parser and binder read it."""
