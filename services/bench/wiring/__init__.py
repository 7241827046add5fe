"""Construction of a workspace's services, a module for each area."""
