"""Clients of ADT that others wrote, against the simulator that our own client is tested with."""
