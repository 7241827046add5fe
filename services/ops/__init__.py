"""Operations that last: a queue of jobs with leases, steps that are not repeated, and events that nobody misses."""

DATABASE = "ops.db"
"""The file in the state folder that processes share."""
