"""Test runs as data: what runners report, and which command runs the tests of a workspace."""
