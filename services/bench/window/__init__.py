"""The prompt window of a workspace: curated, advised, copied, kept."""
