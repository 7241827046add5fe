"""The framework's type names and base lists, as data that ships with the program.

`table.py` reads the data; `build.py` makes it from the packages that `sources.toml` names; `assembly.py`
reads any .NET assembly.
"""
