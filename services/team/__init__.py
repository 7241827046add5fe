"""What a team shares in PostgreSQL: jobs, notes, reviews, packs, presets and leases (SPEC section 17)."""
