"""All that touches Textual's private parts."""
