"""Which member a call means, and the type arguments it leaves out."""
