"""Commands whose options choose among several operations, or that do more than answer."""
