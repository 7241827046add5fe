"""Features that the MCP conformance suite expects of a server under test, in addition to the program's own parts.

Run the suite with `python -m tests.support.conformance.run`.
"""
