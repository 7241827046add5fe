"""Webhooks of GitHub, GitLab and Phabricator: a signed delivery becomes one review job."""
