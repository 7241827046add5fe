"""Public members of the framework and of packages that projects use, read by need from one mapped file."""
