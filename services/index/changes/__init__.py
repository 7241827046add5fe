"""What changed, type by type, and what ids became of others."""
