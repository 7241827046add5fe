"""Every way to wait, cancel, cache, debounce and work in threads that the program uses."""
