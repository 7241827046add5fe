"""The framework's type names, base lists and members, as data that ships with the program.

`table.py` and `members.py` read the data; `build.py` makes it from the packages that `sources.toml` names;
`assembly.py` reads any .NET assembly. `packages.py` has types of packages in the same format: see README.md.
"""
