"""Reviews handed on: to the servers they are held on, as Markdown, as SARIF."""
