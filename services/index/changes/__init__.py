"""Changes by type, and aliases of replaced ids."""
