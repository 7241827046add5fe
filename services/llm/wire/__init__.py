"""The OpenAI-compatible chat protocol over HTTP: the one way in which anything is sent to a model."""
