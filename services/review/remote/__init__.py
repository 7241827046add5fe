"""The servers on which reviews are held: GitHub, GitLab, Phabricator and its heir Phorge."""
