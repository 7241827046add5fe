"""The framework's type names and base lists, as data that ships with the program.

`table.py` reads the data; `packages.py` has types of packages in the same format: see README.md.
"""
