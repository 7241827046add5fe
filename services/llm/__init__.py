"""Language models: the port, the wire, tools that they may call, commands that they may run (SPEC section 12)."""
