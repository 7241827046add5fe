"""How much of what a commit changed is found before it is made, in any repository's own history."""
