"""How well likely secrets are found, and what that costs."""
