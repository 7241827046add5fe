"""Dependency graph of types: dependencies both ways, groups, depth, reference counts."""
