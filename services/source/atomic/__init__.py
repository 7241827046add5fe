"""The guarded write of files, atomic and durable (SAFETY, Writes)."""
