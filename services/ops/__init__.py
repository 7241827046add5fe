"""Long-running operations: a queue of jobs with leases, steps that are not repeated, and numbered events."""

DATABASE = "ops.db"
"""The file in the state folder that processes share."""
