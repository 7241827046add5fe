"""The whole workspace: store, build, update, ids, resolve, search."""
