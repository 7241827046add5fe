"""Items of the prompt window: what each shows, and how it is known again."""
