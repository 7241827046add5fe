"""One workspace, many processes: who refreshes the index, and who hears of it."""
