"""Publication of reviews: on the server of the change, as Markdown, as SARIF."""
