"""Locks and the journal of writes, in one database."""
