"""Clients of code review servers: GitHub, GitLab, Phabricator and its successor Phorge."""
