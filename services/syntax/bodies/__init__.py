"""Bodies of members read on demand: where a name stands in one, what the expressions around it are, what locals mean.

Only members that hold a name which somebody asks for are parsed; what leaves the package is plain records.
"""

from services.syntax.bodies.body import Body

__all__ = ["Body"]
