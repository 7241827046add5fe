"""What the MCP conformance suite expects a server under test to offer, beside the program's own parts.

Run the suite with `python -m tests.support.conformance.run`.
"""
