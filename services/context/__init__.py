"""What a change needs: types ranked by text, structure, history and use, each with its reasons."""
