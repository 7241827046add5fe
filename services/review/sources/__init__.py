"""Sources of changes: git, patches, and code review servers."""
