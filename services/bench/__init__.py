"""All services over one workspace, opened and closed."""

from services.bench.bench import Bench

__all__ = ["Bench"]
