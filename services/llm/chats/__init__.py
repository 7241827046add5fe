"""Chats with models: readable files, what they cost, and the places that answers name."""
