"""Answers of chats and tools, pasted: text becomes edits of files, each of them where it belongs for certain."""
